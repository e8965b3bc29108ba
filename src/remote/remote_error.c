/* remote_error.c: what an error answer means, and whether to try again.
 *
 * Throttled requests were not done and can always be repeated. Where it is not known whether a request was done (the
 * connection broke, the service failed) only reads are repeated: a write that was done twice is worse than one that
 * failed. */
#include "remote.h"

#define ATTEMPTS_BUSY    7 /* about 6 seconds in all */
#define ATTEMPTS_BROKEN  3
#define FIRST_WAIT       50
#define ERROR_MAX_DEPTH  100

static void put_tree(struct buf *b, const struct json *n)
{
    bool more = false;
    switch (n->type) {
    case JSON_NULL: BUF_LIT(b, "null"); return;
    case JSON_FALSE: BUF_LIT(b, "false"); return;
    case JSON_TRUE: BUF_LIT(b, "true"); return;
    case JSON_STRING: json_put_string(b, n->text); return;
    case JSON_ARRAY:
    case JSON_OBJECT: break;
    default: buf_slice(b, n->text); return;
    }
    buf_u8(b, n->type == JSON_ARRAY ? '[' : '{');
    for (const struct json *c = n->first; c; c = c->next) {
        if (more) buf_u8(b, ',');
        more = true;
        if (n->type == JSON_OBJECT) {
            json_put_string(b, c->name);
            buf_u8(b, ':');
        }
        put_tree(b, c);
    }
    buf_u8(b, n->type == JSON_ARRAY ? ']' : '}');
}

/* "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException", or the name alone, or the name and ":http://..." */
static struct slice type_name(struct slice type)
{
    const uint8_t *hash = type.n ? memchr(type.p, '#', type.n) : NULL;
    if (hash) type = slice_of(hash + 1, type.n - (size_t)(hash + 1 - type.p));
    const uint8_t *colon = type.n ? memchr(type.p, ':', type.n) : NULL;
    if (colon) type.n = (size_t)(colon - type.p);
    return type;
}

static struct slice member(const struct json *n, struct slice name)
{
    const struct json *m = json_get(n, name);
    return m && m->type == JSON_STRING ? m->text : (struct slice){ 0 };
}

int remote_error(struct arena *a, int status, struct slice body, struct slice host, struct err *e)
{
    const struct json *n = json_parse(a, body, ERROR_MAX_DEPTH, NULL);
    struct slice name = type_name(member(n, SLICE("__type"))), message = member(n, SLICE("message"));
    if (!message.n) message = member(n, SLICE("Message"));
    if (!name.n && status == 400 && body.n && (memmem(body.p, body.n, "TLS", 3) || memmem(body.p, body.n, "HTTPS", 5)))
        return err_set(e, ERR_ServiceException, "%.*s speaks TLS here: write https:// instead of http://", SLICE_ARG(host));
    if (!name.n)
        return err_set(e, status >= 500 ? ERR_ServiceUnavailable : ERR_ServiceException,
                       "%.*s answered with HTTP status %d and no word of DynamoDB; is it the right endpoint?",
                       SLICE_ARG(host), status);
    enum err_code code = err_from_name(name);
    if (code) {
        err_set(e, code, "%.*s", SLICE_ARG(message));
    } else {
        /* One that this version does not know: its name is the best there is. */
        code = status >= 500 ? ERR_InternalServerError : ERR_ServiceException;
        err_set(e, code, "%.*s%s%.*s", SLICE_ARG(name), message.n ? ": " : "", SLICE_ARG(message));
    }
    struct buf detail;
    buf_init(&detail, a, REMOTE_MAX_ANSWER);
    for (const struct json *c = n->first; c; c = c->next) {
        if (slice_eq(c->name, SLICE("__type")) || slice_eq(c->name, SLICE("message")) || slice_eq(c->name, SLICE("Message")))
            continue;
        buf_u8(&detail, ',');
        json_put_string(&detail, c->name);
        buf_u8(&detail, ':');
        put_tree(&detail, c);
    }
    e->detail = buf_view(&detail);
    return (int)code;
}

static bool is_read(struct slice operation)
{
    static const char *const reads[] = { "GetItem", "BatchGetItem", "Query", "Scan", "TransactGetItems" };
    for (size_t i = 0; i < sizeof reads / sizeof *reads; i++) {
        if (slice_eq(operation, slice_str(reads[i]))) return true;
    }
    return slice_starts(operation, SLICE("Describe")) || slice_starts(operation, SLICE("List"));
}

unsigned remote_retry(struct slice operation, unsigned attempt, bool connected, enum err_code code)
{
    unsigned most = 0;
    if (!connected) {
        most = is_read(operation) ? ATTEMPTS_BROKEN : 0;
    } else if (code == ERR_ProvisionedThroughputExceededException || code == ERR_ThrottlingException ||
               code == ERR_RequestLimitExceeded) {
        most = ATTEMPTS_BUSY;
    } else if ((code == ERR_InternalServerError || code == ERR_ServiceUnavailable) && is_read(operation)) {
        most = ATTEMPTS_BUSY;
    }
    return attempt < most ? FIRST_WAIT << (attempt - 1) : 0;
}
