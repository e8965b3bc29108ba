/* fake_engine.c: stands in for store and engine, so that the HTTP tests test HTTP. Operations:
 *
 *   GetItem    answers at once, on the loop: {"region":R,"bytes":N,"crc":C,"body":B if short}
 *   PutItem    a write: answered from another thread, "delay" ms later
 *   Query      may block: runs on a worker thread for "delay" ms
 *   Scan       answers with "size" bytes
 *   Fail       ValidationException, message taken from "message"
 *   Hungry     uses up the request's arena in call_prepare
 *   ListTables {"TableNames":[]}
 *
 * Reading a body with "read" takes so many ms. Numbers are found in the body by name; there is no JSON here. */
#include "engine/engine.h"
#include "engine/watch.h"
#include "base/buf.h"
#include <libdeflate.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct store {
    bool memory;
};

/* One writer thread that waits until each job is due, in order of being due. */
struct engine {
    pthread_t writer;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct fake_write *queue;
    bool stop;
};

struct fake_write {
    struct call *call;
    struct timespec due;
    struct fake_write *next;
};

struct op {
    const char *name;
    bool write, blocks;
};

static const struct op ops[] = {
    { "GetItem", false, false }, { "PutItem", true, false },     { "Query", false, true },
    { "Scan", false, false },    { "ListTables", false, false }, { "Fail", false, false },
    { "Hungry", false, false },  { "GetRecords", false, false },
};

static long number_in(struct slice body, const char *name)
{
    char key[32];
    snprintf(key, sizeof(key), "\"%s\":", name);
    const char *at = body.n ? memmem(body.p, body.n, key, strlen(key)) : NULL;
    long n = 0;
    if (!at) return 0;
    const char *end = (const char *)body.p + body.n;
    for (at += strlen(key); at < end && *at >= '0' && *at <= '9'; at++)
        n = n * 10 + (*at - '0');
    return n;
}

static void wait_ms(long ms)
{
    if (ms) nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

/* ---- store ---- */

int store_open(struct store **out, const struct store_options *o, char *message, size_t size)
{
    if (o->dir && strstr(o->dir, "broken")) {
        snprintf(message, size, "the directory %s cannot be read", o->dir);
        return STORE_IO;
    }
    *out = calloc(1, sizeof(**out));
    return 0;
}

void store_close(struct store *s)
{
    free(s);
}

/* ---- engine ---- */

static bool is_due(const struct fake_write *w)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec > w->due.tv_sec ||
           (now.tv_sec == w->due.tv_sec && now.tv_nsec >= w->due.tv_nsec);
}

static void *writer(void *arg)
{
    struct engine *e = arg;
    pthread_mutex_lock(&e->lock);
    for (;;) {
        struct fake_write *w = e->queue;
        if (!w && e->stop) break;
        if (!w) {
            pthread_cond_wait(&e->changed, &e->lock);
        } else if (!is_due(w)) {
            pthread_cond_timedwait(&e->changed, &e->lock, &w->due);
        } else {
            e->queue = w->next;
            pthread_mutex_unlock(&e->lock);
            struct call *call = w->call;
            free(w);
            buf_printf(&call->response, "{\"written\":%zu}", (size_t)(uintptr_t)call->state);
            call->done(call);
            pthread_mutex_lock(&e->lock);
        }
    }
    pthread_mutex_unlock(&e->lock);
    return NULL;
}

int engine_open(struct engine **out, struct store *store, const struct engine_options *o,
                char *message, size_t size)
{
    (void)store;
    (void)o;
    struct engine *e = calloc(1, sizeof(*e));
    pthread_mutex_init(&e->lock, NULL);
    pthread_cond_init(&e->changed, NULL);
    if (pthread_create(&e->writer, NULL, writer, e)) {
        snprintf(message, size, "no thread");
        free(e);
        return -1;
    }
    *out = e;
    return 0;
}

void engine_close(struct engine *e)
{
    pthread_mutex_lock(&e->lock);
    e->stop = true;
    pthread_cond_signal(&e->changed);
    pthread_mutex_unlock(&e->lock);
    pthread_join(e->writer, NULL);
    pthread_mutex_destroy(&e->lock);
    pthread_cond_destroy(&e->changed);
    free(e);
}

static void use_up(struct arena *a)
{
    for (;;)
        arena_alloc(a, 1 << 20);
}

bool engine_has_operation(struct slice name)
{
    bool found = false;
    for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++) found |= slice_eq(name, slice_str(ops[i].name));
    return found;
}

int call_prepare(struct call *call, struct engine *e, struct arena *a, struct caller who,
                 struct slice operation, struct slice body)
{
    *call = (struct call){ .engine = e,
                           .arena = a,
                           .caller = who,
                           .err = { .arena = a },
                           .done = call->done,
                           .user = call->user };
    for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++)
        if (slice_eq(operation, slice_str(ops[i].name))) call->op = &ops[i];
    if (!call->op) return err_set(&call->err, ERR_UnknownOperationException, "%s", "");
    if (strcmp(call->op->name, "Hungry") == 0) {
        if (ARENA_GUARD(a)) use_up(a);
        arena_unguard(a);
        call->err.code = ERR_InternalServerError; /* no memory left for words */
        call->err.message = SLICE("out of memory");
        return call->err.code;
    }
    wait_ms(number_in(body, "read"));
    struct slice *copy = ARENA_NEW(a, struct slice);
    *copy = body;
    call->state = copy;
    buf_init(&call->response, a, 64 << 20);
    if (strcmp(call->op->name, "Fail") == 0)
        return err_set(&call->err, ERR_ValidationException, "%ld is \"wrong\"",
                       number_in(body, "n"));
    return 0;
}

int engine_check_guest(struct engine *e, const struct caller *who, struct err *err)
{
    (void)e, (void)who, (void)err;
    return 0;
}

void call_end(struct call *call)
{
    (void)call;
}

bool call_is_write(const struct call *call)
{
    return call->op->write;
}

bool call_is_control(const struct call *call)
{
    (void)call;
    return false;
}

bool call_met_damage(const struct call *call)
{
    (void)call;
    return false;
}

bool call_may_block(const struct call *call)
{
    return call->op->blocks;
}

int call_run(struct call *call)
{
    struct slice body = *(struct slice *)call->state;
    const char *name = call->op->name;
    if (strcmp(name, "Scan") == 0) {
        long size = number_in(body, "size");
        BUF_LIT(&call->response, "{\"fill\":\"");
        uint8_t *to = buf_reserve(&call->response, (size_t)size);
        memset(to, 'x', (size_t)size);
        call->response.n += (size_t)size;
        BUF_LIT(&call->response, "\"}");
    } else if (strcmp(name, "ListTables") == 0) {
        BUF_LIT(&call->response, "{\"TableNames\":[]}");
    } else {
        if (call->op->blocks) wait_ms(number_in(body, "delay"));
        buf_printf(&call->response, "{\"region\":\"%.*s\",\"bytes\":%zu,\"crc\":%u,\"n\":%ld}",
                   SLICE_ARG(call->caller.region), body.n, libdeflate_crc32(0, body.p, body.n),
                   number_in(body, "n"));
    }
    return 0;
}

static void start(struct engine *e, struct call *call)
{
    struct slice body = *(struct slice *)call->state;
    struct fake_write *w = calloc(1, sizeof(*w)), **at;
    long delay = number_in(body, "delay");
    call->state = (void *)(uintptr_t)body.n;
    w->call = call;
    clock_gettime(CLOCK_REALTIME, &w->due);
    w->due.tv_sec += delay / 1000;
    w->due.tv_nsec += delay % 1000 * 1000000;
    if (w->due.tv_nsec >= 1000000000) w->due.tv_sec++, w->due.tv_nsec -= 1000000000;
    pthread_mutex_lock(&e->lock);
    for (at = &e->queue; *at; at = &(*at)->next)
        if ((*at)->due.tv_sec > w->due.tv_sec ||
            ((*at)->due.tv_sec == w->due.tv_sec && (*at)->due.tv_nsec > w->due.tv_nsec))
            break;
    w->next = *at;
    *at = w;
    pthread_cond_signal(&e->changed);
    pthread_mutex_unlock(&e->lock);
}

void call_gather(struct call *call, struct call_group *g)
{
    call->job = (struct store_job){ .ctx = call };
    if (g->last) g->last->next = &call->job;
    else g->first = &call->job;
    g->last = &call->job;
    g->n++;
}

void call_start_group(struct engine *e, struct call_group *g)
{
    struct store_job *job = g->first, *next;
    *g = (struct call_group){ 0 };
    for (; job; job = next) {
        next = job->next; /* a call that is started is not ours any more */
        start(e, job->ctx);
    }
}

/* None is quick here. */
void call_start_reads(struct engine *e, struct call_group *g)
{
    struct store_job *job = g->first, *next;
    (void)e;
    *g = (struct call_group){ 0 };
    for (; job; job = next) {
        struct call *call = job->ctx;
        next = job->next;
        call->is_long = true;
        call->done(call);
    }
}

struct slice call_answer(struct call *call)
{
    if (!call->err.code) return buf_view(&call->response);
    struct buf b;
    buf_init(&b, call->arena, 1 << 20);
    buf_printf(&b, "{\"__type\":\"%s#%s\"", err_namespace(call->err.code),
               err_name(call->err.code));
    if (call->err.message.n) {
        BUF_LIT(&b, ",\"message\":\"");
        for (size_t i = 0; i < call->err.message.n; i++) {
            uint8_t c = call->err.message.p[i];
            if (c == '"' || c == '\\' || c < 0x20)
                buf_printf(&b, "\\u%04x", c);
            else
                buf_u8(&b, c);
        }
        BUF_LIT(&b, "\"");
    }
    BUF_LIT(&b, "}");
    return buf_view(&b);
}

int call_http_status(const struct call *call)
{
    return call->err.code ? err_status(call->err.code) : 200;
}

/* ---- what /metrics and /readyz ask: this engine counts nothing, and is well ---- */

void call_summarize(const struct call *call, struct call_summary *out)
{
    (void)call;
    *out = (struct call_summary){ 0 };
}

void engine_watch(struct engine *e, struct arena *a, struct watch *out)
{
    (void)e;
    (void)a;
    *out = (struct watch){ 0 };
}

struct counters *engine_counters(struct engine *e)
{
    (void)e;
    return NULL;
}

uint64_t engine_damaged(struct engine *e)
{
    (void)e;
    return 0;
}

const char *watch_operation(size_t row)
{
    (void)row;
    return "";
}

void engine_store_stats(struct engine *e, struct store_stats *out)
{
    (void)e;
    *out = (struct store_stats){ .state = STORE_OK };
}
