/* service.c: follows one request: may it come in, what does it ask for, who signed it, run it,
 * answer.
 *
 * The order of refusals is DynamoDB's (recorded in dynalite's index.js): Origin and Host are ours
 * and come first, then method and content type, then the target, then the signature, then the body.
 */
#include "service.h"
#include "answer.h"
#include "auth_header.h"
#include "../base/log.h"
#include <strings.h>

#define JSON_CHECK_DEPTH 1000 /* the engine's own */

/* What to do after the part that runs under the arena's guard. */
enum step { STEP_OUT_OF_MEMORY, STEP_ANSWER, STEP_CALL, STEP_GUEST };

static bool same_text(struct slice a, const char *b)
{
    return a.n == strlen(b) && strncasecmp((const char *)a.p, b, a.n) == 0;
}

/* ---- letting it in ---- */

static enum step forbid(struct exchange *x, const char *fmt, struct slice what)
{
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
    struct slice host = http_header(r, SLICE("host"));
    char text[80];
    if (!host.p && r->may_lack_host) return true;
    if (!host.p || http_header_count(r, SLICE("host")) > 1) {
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
        forbid(x,
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
        struct slice headers = http_header(r, SLICE("access-control-request-headers"));
        struct slice method = http_header(r, SLICE("access-control-request-method"));
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
        if (http_header(r, SLICE("access-control-request-private-network")).n)
            BUF_LIT(&b, "Access-Control-Allow-Private-Network: true\r\n");
        BUF_LIT(&b, "Access-Control-Max-Age: 172800\r\n");
    }
    x->cors = buf_view(&b);
}

static bool check_origin(struct exchange *x, enum step *step)
{
    struct http_request *r = x->http;
    const struct service *service = r->service;
    struct slice origin = http_header(r, SLICE("origin"));
    if (!origin.n) return true;
    enum origin_verdict verdict =
        origin_check(&service->origins, origin, http_header(r, SLICE("host")));
    if (verdict == ORIGIN_REFUSED) {
        *step =
            forbid(x,
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

/* On the writer's thread. The loop may answer at once: nothing may be touched after the wake. */
static void on_durable(struct call *call)
{
    http_wake(call->user);
}

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
    struct slice host = http_header(x->http, SLICE("host"));
    if (!host.n) host = http_local_address(x->http, text, sizeof(text));
    x->status = 200;
    x->crc = true;
    x->body = arena_printf(x->http->arena, "healthy: %.*s ", SLICE_ARG(host));
    return STEP_ANSWER;
}

/* The content type to answer in; empty if DynamoDB would not take the request's. */
static struct slice answer_type(struct http_request *r)
{
    struct slice type = http_header(r, SLICE("content-type"));
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

/* Undoes the body's content coding. What DynamoDB cannot decode it answers with a 500. */
static bool decode_body(struct exchange *x, enum step *step)
{
    struct http_request *r = x->http;
    enum coding coding = coding_named(http_header(r, SLICE("content-encoding")));
    if (coding == CODING_NONE) return true;
    enum decode_status status = DECODE_BROKEN;
    if (coding != CODING_UNKNOWN)
        status = coder_decode(answer_coder(x), r->arena, coding, r->body, WIRE_MAX_BODY, &r->body);
    if (status == DECODE_OK) return true;
    *step = STEP_ANSWER;
    if (status == DECODE_TOO_LARGE) {
        x->status = 413;
        return false;
    }
    err_set(&x->call.err, ERR_InternalServerError,
            "The request's content coding could not be undone");
    answer_call(x);
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

static enum step api_request(struct exchange *x)
{
    struct http_request *r = x->http;
    const struct service *service = r->service;
    enum step step;
    x->content_type = answer_type(r);
    if (!x->content_type.n) return not_found(x);
    if (!decode_body(x, &step)) return step;

    struct slice target = http_header(r, SLICE("x-amz-target"));
    x->operation = guest_operation(service, target);
    bool of_guest = x->operation.n > 0;
    if (!of_guest) x->operation = target_operation(target);
    if (!x->operation.n) {
        err_set(&x->call.err, ERR_UnknownOperationException, "%s", "");
        return refuse_unread(x);
    }
    struct auth auth;
    struct auth_input in = { .authorization = http_header(r, SLICE("authorization")),
                             .x_amz_date = http_header(r, SLICE("x-amz-date")),
                             .date = http_header(r, SLICE("date")),
                             .query = r->query };
    if (auth_read(&in, &auth, &x->call.err)) {
        if (!of_guest && operation_unknown(x)) err_set(&x->call.err, ERR_UnknownOperationException, "%s", "");
        return refuse_unread(x);
    }
    if (of_guest) return STEP_GUEST;
    struct caller who = { .region = auth.region, .host = http_header(r, SLICE("host")) };
    x->call.user = r;
    x->call.done = on_durable;
    x->prepared = true;
    call_prepare(&x->call, service->engine, r->arena, who, x->operation, r->body);
    return x->call.err.code ? refuse(x) : STEP_CALL;
}

static void take_guest_answer(struct exchange *x, const struct guest_answer *answer)
{
    x->status = answer->status;
    x->content_type = answer->content_type;
    x->headers = answer->headers;
    x->body = answer->body;
    x->gzipped = answer->gzipped;
    x->compressible = !answer->gzipped;
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
    take_guest_answer(x, &answer);
    return STEP_ANSWER;
}

static enum step route(struct exchange *x)
{
    struct http_request *r = x->http;
    const struct service *service = r->service;
    enum step step;
    if (!check_host(x, &step) || !check_origin(x, &step)) return step;
    if (service->guest && is_below(r->path, service->guest->path) && (r->verb == VERB_GET || r->verb == VERB_HEAD))
        return guest_page(x, service->guest);
    if (!slice_eq(r->path, SLICE("/"))) return not_found(x);
    if (r->verb == VERB_GET || r->verb == VERB_HEAD) return health(x);
    if (r->verb != VERB_POST) return not_found(x);
    return api_request(x);
}

/* ---- running it ---- */

static void out_of_memory(struct http_request *r)
{
    struct http_response busy = { .status = 503, .close = true };
    log_line(LOG_WARN, "a request needed more memory than it may have");
    http_respond(r, &busy);
}

/* A client that tries again finds room when others have been answered. */
static void too_much_held(struct exchange *x)
{
    struct http_response busy = {
        .status = 503,
        .close = true,
        .content_type = x->content_type,
        .body = SLICE("{\"__type\":\"com.amazon.coral.service#ServiceUnavailable\","
                      "\"message\":\"Too many large requests at once: try again\"}"),
    };
    call_end(&x->call);
    http_respond(x->http, &busy);
}

/* The answer is made: lets go of the call, then sends it. */
static void conclude(struct http_request *r, bool made)
{
    struct exchange *x = r->user;
    if (x && x->prepared) call_end(&x->call);
    if (made)
        answer_send(x);
    else
        out_of_memory(r);
}

/* On the loop: the call has run. */
static void finish(struct http_request *r)
{
    struct exchange *x = r->user;
    volatile bool made = false;
    if (ARENA_GUARD(r->arena)) {
        answer_call(x);
        answer_build(x);
        made = true;
    }
    arena_unguard(r->arena);
    conclude(r, made);
}

static void run_here(struct http_request *r)
{
    struct exchange *x = r->user;
    call_run(&x->call);
}

static void start_write(struct exchange *x)
{
    struct call_group *writes = &answer_loop(x)->writes;
    struct engine *engine = x->call.engine;
    call_gather(&x->call, writes);
    if (writes->n == WIRE_MAX_GATHERED) call_start_group(engine, writes);
}

void service_turn_end(void *service, void *loop_state)
{
    struct call_group *writes = &((struct loop_state *)loop_state)->writes;
    if (writes->n) call_start_group(((struct service *)service)->engine, writes);
}

static void run_call(struct exchange *x)
{
    struct http_request *r = x->http;
    if (call_is_write(&x->call) && !http_hold(r)) {
        too_much_held(x);
    } else if (call_is_write(&x->call)) {
        r->woken = finish;
        start_write(x);
    } else if (call_may_block(&x->call)) {
        http_work(r, run_here, finish);
    } else {
        call_run(&x->call);
        finish(r);
    }
}

/* On a worker thread. */
static void run_guest(struct http_request *r)
{
    struct exchange *x = r->user;
    const struct guest *guest = ((const struct service *)r->service)->guest;
    struct guest_answer answer = { .status = 200, .content_type = x->content_type };
    volatile bool made = false;
    if (ARENA_GUARD(r->arena)) {
        guest->call(guest->ctx, r->arena, x->operation, r->body, &answer);
        take_guest_answer(x, &answer);
        made = true;
    }
    arena_unguard(r->arena);
    x->refused = !made;
}

/* Trying again would not help, asking for less does. */
static void guest_too_large(struct exchange *x)
{
    struct http_response large = {
        .status = 400,
        .close = true,
        .content_type = x->content_type,
        .body = SLICE("{\"__type\":\"com.amazon.coral.validate#ValidationException\","
                      "\"message\":\"The call or its answer needs more memory than one may have: ask for less at a time\"}"),
    };
    log_line(LOG_WARN, "a request needed more memory than it may have");
    http_respond(x->http, &large);
}

static void finish_guest(struct http_request *r)
{
    struct exchange *x = r->user;
    volatile bool made = false;
    if (!x->refused) {
        if (ARENA_GUARD(r->arena)) {
            answer_build(x);
            made = true;
        }
        arena_unguard(r->arena);
    }
    if (made) conclude(r, true);
    else guest_too_large(x);
}

static void start_guest(struct exchange *x)
{
    if (http_hold(x->http)) http_work(x->http, run_guest, finish_guest);
    else too_much_held(x);
}

void service_handle(struct http_request *r)
{
    const struct service *service = r->service;
    volatile enum step step = STEP_OUT_OF_MEMORY;
    r->user = NULL;
    if (ARENA_GUARD(r->arena)) {
        struct exchange *x = ARENA_NEW(r->arena, struct exchange);
        r->user = x;
        x->http = r;
        x->began_ns = answer_clock();
        x->call.engine = service->engine;
        x->call.arena = x->call.err.arena = r->arena;
        step = route(x);
        if (step == STEP_ANSWER) answer_build(x);
    } else {
        step = STEP_OUT_OF_MEMORY;
    }
    arena_unguard(r->arena);
    /* Outside the guard: from call_gather on, the arena is the writer's until it hands it back. */
    if (step == STEP_GUEST)
        start_guest(r->user);
    else if (step == STEP_CALL)
        run_call(r->user);
    else
        conclude(r, step == STEP_ANSWER);
}
