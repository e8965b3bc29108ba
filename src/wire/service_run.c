/* service_run.c: carries one request through its steps, each on the thread where it holds up nobody:
 *
 *   read     on the loop; a large or compressed body on a worker thread
 *   call     a read on the loop; one that may block is started, and run on a worker thread if that did not do; a write on the writer's
 *   pack     on the loop; a large answer on a worker thread
 *   answer   always on the loop
 *
 * An exchange is in one pair of hands at a time. What happens on other threads sets x->step, and the
 * loop goes on from there. Each piece of work sets a guard of its own: from call_gather on, the arena
 * is the writer's until it hands it back, so none may be in force then. */
#include "service_private.h"
#include "request_log.h"
#include "../base/log.h"

static void go_on(struct http_request *r);

/* ---- the end ---- */

static void out_of_memory(struct http_request *r)
{
    struct http_response busy = { .status = 503, .close = true };
    log_line(LOG_WARN, "a request needed more memory than it may have");
    http_respond(r, &busy);
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

static void let_go(struct exchange *x)
{
    if (x->prepared) call_end(&x->call);
    if (x->coder) coder_free(x->coder);
    credentials_release(x->keys);
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
    let_go(x);
    http_respond(x->http, &busy);
}

/* The answer is made, or cannot be. */
static void conclude(struct exchange *x)
{
    if (x->step == STEP_ANSWER) request_log(x); /* before names in the catalog may go */
    let_go(x);
    if (x->step == STEP_ANSWER)
        answer_send(x);
    else if (x->of_guest)
        guest_too_large(x);
    else
        out_of_memory(x->http);
}

/* ---- other threads ---- */

/* Runs work on a worker thread, which has no compressor of the loop's. Thousands may wait for one: what they hold is counted. */
static void elsewhere(struct exchange *x, void (*work)(struct http_request *r))
{
    if (!http_hold(x->http)) {
        too_much_held(x);
        return;
    }
    if (!x->coder) x->coder = coder_new();
    if (x->coder) {
        http_work(x->http, work, go_on);
    } else {
        x->step = STEP_OUT_OF_MEMORY;
        conclude(x);
    }
}

static void work_read(struct http_request *r)
{
    struct exchange *x = r->user;
    if (ARENA_GUARD(r->arena))
        x->step = service_read(x);
    else
        x->step = STEP_OUT_OF_MEMORY;
    arena_unguard(r->arena);
}

static void work_call(struct http_request *r)
{
    struct exchange *x = r->user;
    call_run(&x->call);
    x->step = STEP_RAN;
}

static void work_guest(struct http_request *r)
{
    struct exchange *x = r->user;
    const struct guest *guest = ((const struct service *)r->service)->guest;
    struct guest_answer answer = { .status = 200, .content_type = x->content_type };
    if (ARENA_GUARD(r->arena)) {
        if (service_guest_allowed(x)) {
            guest->call(guest->ctx, r->arena, x->operation, r->body, &answer);
            answer_guest(x, &answer);
        } else {
            answer_call(x);
        }
        x->step = STEP_ANSWER;
    } else {
        x->step = STEP_OUT_OF_MEMORY;
    }
    arena_unguard(r->arena);
}

static void work_pack(struct http_request *r)
{
    struct exchange *x = r->user;
    if (ARENA_GUARD(r->arena)) {
        answer_pack(x);
        x->step = STEP_ANSWER;
    } else {
        x->step = STEP_OUT_OF_MEMORY;
    }
    arena_unguard(r->arena);
}

/* On the writer's thread, or one that reads. The loop may answer at once: nothing may be touched after the wake. */
static void on_done(struct call *call)
{
    struct exchange *x = call->user;
    x->step = call->is_long ? STEP_LONG : STEP_RAN;
    http_wake(x->http);
}

/* ---- on the loop ---- */

/* There is an answer: gives it its headers, but packs a large one first. Where too much is held for it to wait, it goes as it is: what it
 * tells of may have been done. A file of the studio that would have to be unpacked has told nothing. */
static void finish(struct exchange *x)
{
    struct arena *a = x->http->arena;
    if (ARENA_GUARD(a)) {
        if (x->step == STEP_RAN) answer_call(x);
        x->step = STEP_ANSWER;
        bool large = !x->packed && answer_is_large(x);
        if (large && http_hold(x->http)) {
            x->step = STEP_PACK;
        } else if (large && x->gzipped) {
            x->step = STEP_NO_ROOM;
        } else {
            if (!large && !x->packed) answer_pack(x);
            answer_build(x);
        }
    } else {
        x->step = STEP_OUT_OF_MEMORY;
    }
    arena_unguard(a);
    if (x->step == STEP_PACK)
        elsewhere(x, work_pack);
    else if (x->step == STEP_NO_ROOM)
        too_much_held(x);
    else
        conclude(x);
}

/* The writes of a turn of the loop go to the writer together, and reads that may block to those who read. */
static void start_with_others(struct exchange *x)
{
    struct loop_state *l = answer_loop(x);
    struct engine *engine = x->call.engine;
    bool writes = call_is_write(&x->call);
    if (call_is_control(&x->call)) http_remote_address(x->http); /* for the log: a client may be gone before it is done */
    if (!http_hold(x->http)) {
        too_much_held(x);
        return;
    }
    x->http->woken = go_on;
    call_gather(&x->call, writes ? &l->writes : &l->reads);
    if (l->writes.n == WIRE_MAX_GATHERED) call_start_group(engine, &l->writes);
    if (l->reads.n == WIRE_MAX_GATHERED) call_start_reads(engine, &l->reads);
}

void service_turn_end(void *service, void *loop_state)
{
    struct loop_state *l = loop_state;
    struct engine *engine = ((struct service *)service)->engine;
    if (l->writes.n) call_start_group(engine, &l->writes);
    if (l->reads.n) call_start_reads(engine, &l->reads);
}

static void start_call(struct exchange *x)
{
    if (call_is_write(&x->call) || call_may_block(&x->call)) {
        start_with_others(x);
    } else {
        work_call(x->http);
        finish(x);
    }
}

static void start_guest(struct exchange *x)
{
    x->of_guest = true;
    elsewhere(x, work_guest);
}

static void go_on(struct http_request *r)
{
    struct exchange *x = r->user;
    switch (x->step) {
    case STEP_OUT_OF_MEMORY:
        conclude(x);
        break;
    case STEP_READ:
        elsewhere(x, work_read);
        break;
    case STEP_CALL:
        start_call(x);
        break;
    case STEP_LONG:
        elsewhere(x, work_call);
        break;
    case STEP_GUEST:
        start_guest(x);
        break;
    default:
        finish(x);
        break;
    }
}

/* Would reading the body take long? What a compressed one becomes is not known beforehand. */
static bool is_large(const struct http_request *r)
{
    return r->body.n > WIRE_LOOP_BYTES || http_header(r, HEADER_CONTENT_ENCODING).n;
}

void service_handle(struct http_request *r)
{
    const struct service *service = r->service;
    r->user = NULL;
    if (ARENA_GUARD(r->arena)) {
        struct exchange *x = ARENA_NEW(r->arena, struct exchange);
        r->user = x;
        x->http = r;
        x->began_ns = answer_clock();
        x->call.engine = service->engine;
        x->call.arena = x->call.err.arena = r->arena;
        x->call.user = x;
        x->call.done = on_done;
        x->step = service_route(x);
        if (x->step == STEP_READ && !is_large(r)) x->step = service_read(x);
    } else if (r->user) {
        ((struct exchange *)r->user)->step = STEP_OUT_OF_MEMORY;
    }
    arena_unguard(r->arena);
    if (r->user)
        go_on(r);
    else
        out_of_memory(r);
}
