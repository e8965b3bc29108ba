/* service.c: what a request asks for: may it come in, where does it go, who signed it, which call is
 * it. service_run.c decides where this runs, and runs the call.
 *
 * The order of refusals is DynamoDB's (recorded in dynalite's index.js): Origin and Host are ours
 * and come first, then method and content type, then the target, then the signature, then the body.
 */
#include "service_private.h"
#include "metrics.h"
#include <strings.h>

#define JSON_CHECK_DEPTH 1000 /* the engine's own */

static bool same_text(struct slice a, const char *b)
{
    return a.n == strlen(b) && strncasecmp((const char *)a.p, b, a.n) == 0;
}

/* ---- letting it in ---- */

static enum step forbid(struct exchange *x, enum refusal refusal, const char *fmt, struct slice what)
{
    const struct service *service = x->http->service;
    __atomic_add_fetch(&service->counts->errors[ERR_AccessDeniedException], 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&service->counts->refusals[refusal], 1, __ATOMIC_RELAXED);
    x->refusal = refusal;
    x->status = 403;
    x->content_type = SLICE("application/x-amz-json-1.0");
    err_set(&x->call.err, ERR_AccessDeniedException, fmt, SLICE_ARG(what));
    x->body = call_answer(&x->call);
    return STEP_ANSWER;
}

/* True if the request may go on. */
static bool check_host(struct exchange *x, enum step *step)
{
    struct http_request *r = x->http;
    const struct service *service = r->service;
    struct slice host = http_header(r, HEADER_HOST);
    char text[80];
    if (!host.p && r->may_lack_host) return true;
    if (!host.p || http_header_count(r, HEADER_HOST) > 1) {
        x->status = 400;
        x->content_type = SLICE("text/plain");
        x->body = SLICE("A request must have exactly one Host header.\n");
        *step = STEP_ANSWER;
        return false;
    }
    if (host_is_loopback(host) ||
        host_allowed(&service->origins, host, http_local_address(r, text, sizeof(text))))
        return true;
    *step =
        forbid(x, REFUSAL_HOST,
               "Host '%.*s' is not allowed. Onefold answers to loopback names and its own address; "
               "start it with --allow-host NAME to allow another.",
               host);
    return false;
}

static void allow_origin(struct exchange *x, enum origin_verdict verdict, struct slice origin)
{
    struct http_request *r = x->http;
    struct buf b;
    buf_init(&b, r->arena, 65536);
    if (verdict == ORIGIN_ANY) {
        BUF_LIT(&b, "Access-Control-Allow-Origin: *\r\n");
    } else {
        BUF_LIT(&b, "Access-Control-Allow-Origin: ");
        buf_slice(&b, origin);
        BUF_LIT(&b, "\r\nVary: Origin\r\n");
    }
    BUF_LIT(&b,
            "Access-Control-Expose-Headers: x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,"
            "x-amz-crc32,Date\r\n");
    if (r->verb == VERB_OPTIONS) {
        struct slice headers = http_header(r, HEADER_REQUEST_HEADERS);
        struct slice method = http_header(r, HEADER_REQUEST_METHOD);
        if (headers.n) {
            BUF_LIT(&b, "Access-Control-Allow-Headers: ");
            buf_slice(&b, headers);
            BUF_LIT(&b, "\r\n");
        }
        if (method.n) {
            BUF_LIT(&b, "Access-Control-Allow-Methods: ");
            buf_slice(&b, method);
            BUF_LIT(&b, "\r\n");
        }
        if (http_header(r, HEADER_REQUEST_PRIVATE_NETWORK).n)
            BUF_LIT(&b, "Access-Control-Allow-Private-Network: true\r\n");
        BUF_LIT(&b, "Access-Control-Max-Age: 172800\r\n");
    }
    x->cors = buf_view(&b);
}

static bool check_origin(struct exchange *x, enum step *step)
{
    struct http_request *r = x->http;
    const struct service *service = r->service;
    struct slice origin = http_header(r, HEADER_ORIGIN);
    if (!origin.n) return true;
    enum origin_verdict verdict =
        origin_check(&service->origins, origin, http_header(r, HEADER_HOST));
    if (verdict == ORIGIN_REFUSED) {
        *step =
            forbid(x, REFUSAL_ORIGIN,
                   "Origin '%.*s' is not allowed. Onefold answers web pages of loopback origins "
                   "only; start it with --cors ORIGIN to allow another.",
                   origin);
        return false;
    }
    allow_origin(x, verdict, origin);
    if (r->verb != VERB_OPTIONS) return true;
    x->status = 200;
    *step = STEP_ANSWER;
    return false;
}

/* ---- what it asks for ---- */

static enum step not_found(struct exchange *x)
{
    x->status = 404;
    x->crc = true;
    x->body = SLICE("<UnknownOperationException/>\n");
    return STEP_ANSWER;
}

/* DynamoDB names its own host here; ours is the one the client used. The trailing space is
 * DynamoDB's. */
static enum step health(struct exchange *x)
{
    char text[80];
    struct slice host = http_header(x->http, HEADER_HOST);
    if (!host.n) host = http_local_address(x->http, text, sizeof(text));
    x->status = 200;
    x->crc = true;
    x->body = arena_printf(x->http->arena, "healthy: %.*s ", SLICE_ARG(host));
    return STEP_ANSWER;
}

/* For load balancers and service managers: the process answers, and: it takes reads and writes. */
static enum step liveness(struct exchange *x, bool ready)
{
    struct slice why = ready ? metrics_not_ready(x->http) : slice_of(NULL, 0);
    x->status = why.n ? 503 : 200;
    x->content_type = SLICE("text/plain; charset=utf-8");
    x->body = why.n ? why : SLICE("ok\n");
    return STEP_ANSWER;
}

static enum step metrics(struct exchange *x)
{
    struct http_request *r = x->http;
    const struct service *service = r->service;
    struct buf b;
    if (!service->metrics_for_all && !http_from_loopback(r))
        return forbid(x, REFUSAL_METRICS, "%.*s is for this machine alone; --metrics all lets everybody see it", r->path);
    buf_init(&b, r->arena, WIRE_MAX_ARENA);
    metrics_put(&b, r);
    x->status = 200;
    x->content_type = SLICE(METRICS_TYPE);
    x->body = buf_view(&b);
    x->compressible = true;
    return STEP_ANSWER;
}

/* Pages beside the API. False: there is none of that name. */
static bool own_page(struct exchange *x, enum step *step)
{
    struct slice path = x->http->path;
    if (slice_eq(path, SLICE("/healthz"))) *step = liveness(x, false);
    else if (slice_eq(path, SLICE("/readyz"))) *step = liveness(x, true);
    else if (slice_eq(path, SLICE("/metrics"))) *step = metrics(x);
    else return false;
    return true;
}

/* The content type to answer in; empty if DynamoDB would not take the request's. */
static struct slice answer_type(struct http_request *r)
{
    struct slice type = http_header(r, HEADER_CONTENT_TYPE);
    const uint8_t *semicolon = type.n ? memchr(type.p, ';', type.n) : NULL;
    if (semicolon) type.n = (size_t)(semicolon - type.p);
    while (type.n && (type.p[type.n - 1] == ' ' || type.p[type.n - 1] == '\t'))
        type.n--;
    if (same_text(type, "application/x-amz-json-1.0")) return SLICE("application/x-amz-json-1.0");
    if (r->body.n == 0 || same_text(type, "application/json")) return SLICE("application/json");
    return slice_of(NULL, 0);
}

/* The operation that X-Amz-Target names; empty if it names none of a service we know. */
static struct slice target_operation(struct slice target)
{
    static const char *const of_streams[] = { "DescribeStream", "GetRecords", "GetShardIterator",
                                              "ListStreams" };
    const struct slice table = SLICE("DynamoDB_20120810."),
                       streams = SLICE("DynamoDBStreams_20120810.");
    bool want_streams = slice_starts(target, streams);
    if (!want_streams && !slice_starts(target, table)) return slice_of(NULL, 0);
    size_t skip = want_streams ? streams.n : table.n;
    struct slice operation = slice_of(target.p + skip, target.n - skip);
    bool is_streams = false;
    for (size_t i = 0; i < sizeof(of_streams) / sizeof(*of_streams); i++)
        is_streams |= slice_eq(operation, slice_str(of_streams[i]));
    return is_streams == want_streams ? operation : slice_of(NULL, 0);
}

/* Undoes the body's content coding. What DynamoDB cannot decode it answers with a 500; whoever watches us need not be woken by that. */
static bool decode_body(struct exchange *x, enum step *step)
{
    struct http_request *r = x->http;
    enum coding coding = coding_named(http_header(r, HEADER_CONTENT_ENCODING));
    if (coding == CODING_NONE) return true;
    enum decode_status status = DECODE_BROKEN;
    if (coding != CODING_UNKNOWN)
        status = coder_decode(answer_coder(x), r->arena, coding, r->body, WIRE_MAX_BODY, &r->body);
    if (status == DECODE_OK) return true;
    *step = STEP_ANSWER;
    if (status == DECODE_TOO_LARGE) {
        x->status = 413;
        x->content_type = SLICE("text/plain");
        x->body = SLICE("The request is larger than 16 MB, as it came or unpacked.\n");
        return false;
    }
    err_set(&x->call.err, ERR_InternalServerError,
            "The request's content coding could not be undone: gzip and deflate are taken");
    answer_call_as(x, ERR_SerializationException);
    return false;
}

static enum step refuse(struct exchange *x)
{
    answer_call(x);
    return STEP_ANSWER;
}

/* Refuses a request whose body nobody has looked at yet. That it is no JSON comes before all else.
 */
static enum step refuse_unread(struct exchange *x)
{
    struct http_request *r = x->http;
    if (r->body.n && !json_parse(r->arena, r->body, JSON_CHECK_DEPTH, NULL))
        x->call.err = (struct err){ .arena = r->arena, .code = ERR_SerializationException };
    return refuse(x);
}

/* An unknown operation is named even to a stranger; ask the engine without showing it the body. */
static bool operation_unknown(struct exchange *x)
{
    const struct service *service = x->http->service;
    struct call probe = { 0 };
    int code = call_prepare(&probe, service->engine, x->http->arena, (struct caller){ 0 },
                            x->operation, SLICE("{}"));
    probe.err.code = x->call.err.code; /* as what it is counted: refused, and not sent away by us */
    call_end(&probe);
    return code == ERR_UnknownOperationException;
}

/* The operation of a guest that X-Amz-Target names; empty if it names none. */
static struct slice guest_operation(const struct service *service, struct slice target)
{
    if (!service->guest || !slice_starts(target, service->guest->target)) return slice_of(NULL, 0);
    size_t skip = service->guest->target.n;
    return slice_of(target.p + skip, target.n - skip);
}

/* Whoever is not let in has nothing done for him: where keys are asked for, his body is not even parsed. */
static enum step refuse_stranger(struct exchange *x)
{
    const struct service *service = x->http->service;
    return service->keys ? refuse(x) : refuse_unread(x);
}

/* The studio's calls reach all tables and the model files: a key whose policy says what it may do has none of them, nor one that a
 * table's policy denies something. */
bool service_guest_allowed(struct exchange *x)
{
    const struct service *service = x->http->service;
    const struct identity *who = x->call.caller.identity;
    if (!who) return true;
    if (!who->policy) return engine_check_guest(service->engine, &x->call.caller, &x->call.err) == 0;
    err_set(&x->call.err, ERR_AccessDeniedException, "User: %.*s is not authorized to use the studio: its access key has a policy, and the "
            "studio, which reaches all tables, is for keys without one", SLICE_ARG(who->user));
    return false;
}

enum step service_read(struct exchange *x)
{
    struct http_request *r = x->http;
    const struct service *service = r->service;
    struct caller who;
    enum step step;
    /* A signature is of the bytes as sent; without keys a body that cannot be decoded comes first, as with DynamoDB. */
    if (!service->keys && !decode_body(x, &step)) return step;

    struct slice target = service_header(r, HEADER_X_AMZ_TARGET);
    x->operation = guest_operation(service, target);
    bool of_guest = x->operation.n > 0;
    if (!of_guest) x->operation = target_operation(target);
    if (!x->operation.n) {
        err_set(&x->call.err, ERR_UnknownOperationException, "%s", "");
        return refuse_stranger(x);
    }
    if (service_authenticate(x, &who)) {
        if (!of_guest && operation_unknown(x)) err_set(&x->call.err, ERR_UnknownOperationException, "%s", "");
        return refuse_stranger(x);
    }
    if (service->keys && !decode_body(x, &step)) return step;
    x->call.caller = who;
    if (of_guest) return STEP_GUEST;
    x->prepared = true;
    call_prepare(&x->call, service->engine, r->arena, who, x->operation, r->body);
    return x->call.err.code ? refuse(x) : STEP_CALL;
}

/* "/studio" and "/studio/x", not "/studios". */
static bool is_below(struct slice path, struct slice folder)
{
    return slice_starts(path, folder) && (path.n == folder.n || path.p[folder.n] == '/');
}

static enum step guest_page(struct exchange *x, const struct guest *guest)
{
    struct guest_answer answer = { .status = 200 };
    guest->get(guest->ctx, x->http, &answer);
    answer_guest(x, &answer);
    return STEP_ANSWER;
}

enum step service_route(struct exchange *x)
{
    struct http_request *r = x->http;
    const struct service *service = r->service;
    enum step step;
    if (!check_host(x, &step) || !check_origin(x, &step)) return step;
    if (service->keys) http_remote_address(r); /* on the connection's own thread; service_authenticate may run on another */
    if (service->guest && is_below(r->path, service->guest->path) && (r->verb == VERB_GET || r->verb == VERB_HEAD))
        return guest_page(x, service->guest);
    if (!slice_eq(r->path, SLICE("/"))) return (r->verb == VERB_GET || r->verb == VERB_HEAD) && own_page(x, &step) ? step : not_found(x);
    if (r->verb == VERB_GET || r->verb == VERB_HEAD) return health(x);
    if (r->verb != VERB_POST) return not_found(x);
    x->content_type = answer_type(r);
    return x->content_type.n ? STEP_READ : not_found(x);
}
