/* service_auth.c: who asks: the form of a request's signature, and where the server knows access keys, the signature itself. */
#include "service_private.h"
#include "auth_header.h"
#include <strings.h>
#include <time.h>

static struct sigv4_request as_sent(const struct http_request *r)
{
    struct sigv4_header *list = arena_alloc(r->arena, WIRE_MAX_HEADERS * sizeof *list);
    struct sigv4_request out = { .method = SLICE("POST"), .path = r->path, .query = r->query, .headers = list, .body = r->body };
    size_t at = 0;
    while (out.n_headers < WIRE_MAX_HEADERS && http_next_header(r, &at, &list[out.n_headers].name, &list[out.n_headers].value)) out.n_headers++;
    return out;
}

/* All values of that name. AWS reads a header that comes twice so: envoy issue 23702 has what it says of two signatures. What must be one is
 * not well formed then, and nobody in between can have taken another of them for the one that counts. */
static struct slice header_named(struct arena *a, const struct sigv4_request *r, struct slice name)
{
    struct slice all = { NULL, 0 };
    for (size_t i = 0; i < r->n_headers; i++) {
        const struct sigv4_header *h = &r->headers[i];
        if (h->name.n != name.n || strncasecmp((const char *)h->name.p, (const char *)name.p, name.n) != 0) continue;
        struct slice value = slice_trim(h->value);
        all = all.p ? arena_printf(a, "%.*s,%.*s", SLICE_ARG(all), SLICE_ARG(value)) : value;
    }
    return all;
}

struct slice service_header(const struct http_request *r, enum http_name name)
{
    static const char *const texts[] = {
#define X(id, text) [HEADER_##id] = (text),
        HTTP_NAMES(X)
#undef X
    };
    if (http_header_count(r, name) < 2) return http_header(r, name);
    struct sigv4_request sent = as_sent(r);
    return header_named(r->arena, &sent, slice_str(texts[name]));
}

int service_authenticate(struct exchange *x, struct caller *who)
{
    struct http_request *r = x->http;
    const struct service *service = r->service;
    struct sigv4_request sent = { 0 };
    struct sigv4_claim claim;
    struct auth_input in = { .authorization = service_header(r, HEADER_AUTHORIZATION),
                             .x_amz_date = service_header(r, HEADER_X_AMZ_DATE),
                             .date = http_header(r, HEADER_DATE),
                             .query = r->query };
    if (service->keys) {
        sent = as_sent(r);
        in.security_token = header_named(r->arena, &sent, SLICE("x-amz-security-token"));
        in.request = &sent;
        in.now = time(NULL);
    }
    int rc = auth_read(&in, &claim, &x->call.err);
    if (!rc && http_header_count(r, HEADER_AUTHORIZATION) > 1)
        rc = err_set(&x->call.err, ERR_IncompleteSignatureException, "Authorization header comes more than once. Authorization=%.*s",
                     SLICE_ARG(in.authorization));
    if (service->keys) x->access_key = claim.access_key;
    if (rc) return rc;
    *who = (struct caller){ .host = http_header(r, HEADER_HOST) };
    if (sigv4_is_region(claim.region)) who->region = claim.region;
    if (!service->keys) return 0;
    x->keys = keyring_hold(service->keys);
    rc = sigv4_verify(&sent, &claim, x->keys, in.now, &who->identity, &x->call.err);
    /* Said of a key whose signature was right, and of no other. */
    if (rc == ERR_ExpiredTokenException) x->expired = credentials_find(x->keys, claim.access_key);
    if (rc) return rc;
    who->account = who->identity->account;
    who->secure = http_is_secure(r);
    who->address = http_remote_address(r);
    return 0;
}
