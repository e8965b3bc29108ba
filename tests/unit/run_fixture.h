/* run_fixture.h: models on a database in memory, with entities put into it and questions asked of it. */
#ifndef OF_TESTS_RUN_FIXTURE_H
#define OF_TESTS_RUN_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include "item/item_json.h"
#include "lib/common.h"
#include "model/report.h"
#include "model/values.h"
#include "model/where.h"

#define NOW INT64_C(1778400000000) /* 2026-05-10T08:00:00Z */

static int64_t fixed_now(void *ctx)
{
    (void)ctx;
    return NOW;
}

static void fixed_random(void *ctx, uint8_t *p, size_t n)
{
    (void)ctx;
    static uint8_t next;
    for (size_t i = 0; i < n; i++) p[i] = next++;
}

static const struct model_env fixed_env = { fixed_now, fixed_random, NULL };

struct bench {
    of_db *db;
    struct model *model;
    struct arena arena; /* of what is at hand: bench_rest gives it back */
    struct arena kept;  /* of what lives as long as the bench */
    struct err err;
};

static inline struct model *read_model(struct arena *a, const char *text)
{
    struct problems ps;
    problems_init(&ps, a);
    struct model *m = model_read(&ps, SLICE("test.yaml"), slice_str(text));
    if (!m) {
        fail_msg("model: %u:%u: %.*s; %.*s", ps.first->place.line, ps.first->place.column,
                 SLICE_ARG(ps.first->message), SLICE_ARG(ps.first->hint));
    }
    return m;
}

static inline struct session session_of(struct bench *b)
{
    return (struct session){ .model = b->model, .api = lib_api(b->db), .env = &fixed_env, .arena = &b->arena };
}

static inline void send(struct bench *b, const char *operation, struct slice body)
{
    const struct json *answer;
    struct err e = { .arena = &b->arena };
    if (api_call(lib_api(b->db), &b->arena, slice_str(operation), body, &answer, &e)) {
        fail_msg("%s: %.*s\n%.*s", operation, SLICE_ARG(e.message), SLICE_ARG(body));
    }
}

static inline void bench_open(struct bench *b, const char *text)
{
    struct buf body;
    arena_init(&b->arena, (size_t)1 << 30);
    arena_init(&b->kept, (size_t)1 << 30);
    b->err = (struct err){ .arena = &b->arena };
    b->model = read_model(&b->kept, text);
    if (of_open(&b->db, NULL, NULL)) fail_msg("of_open");
    buf_init(&body, &b->arena, 1 << 20);
    struct reporter r = { b->model, &fixed_env, &b->arena, &body, &b->err };
    if (report_table(&r, TABLE_CREATE)) fail_msg("report_table: %.*s", SLICE_ARG(b->err.message));
    send(b, "CreateTable", buf_view(&body));
}

static inline void bench_close(struct bench *b)
{
    of_close(b->db);
    model_free(b->model);
    arena_free(&b->arena);
    arena_free(&b->kept);
}

static inline void bench_rest(struct bench *b)
{
    arena_reset(&b->arena);
}

static inline struct slice from_json(struct bench *b, const struct entity *en, const char *text)
{
    const struct json *tree = json_parse(&b->arena, slice_str(text), 32, NULL);
    if (!tree) fail_msg("not JSON: %s", text);
    struct attr *attrs = ARENA_ARRAY(&b->arena, struct attr, tree->count + 1);
    size_t n = 0;
    for (const struct json *c = tree->first; c; c = c->next) {
        attrs[n].name = c->name;
        const struct attribute *at = en ? entity_attribute(en, c->name) : NULL;
        if (value_from_plain(&b->arena, at, c->name, c, &attrs[n++].value, &b->err)) {
            fail_msg("%s: %.*s", text, SLICE_ARG(b->err.message));
        }
    }
    struct buf out;
    buf_init(&out, &b->arena, 1 << 20);
    val_put_map(&out, attrs, n);
    return buf_view(&out);
}

/* Writes what entity_store computes, item by item. */
static inline void put_entity(struct bench *b, const char *entity, struct slice attributes)
{
    const struct entity *en = model_entity(b->model, slice_str(entity));
    struct slice complete;
    struct stored stored;
    if (entity_complete(&b->arena, b->model, en, &fixed_env, attributes, &complete, &b->err) ||
        entity_store(&b->arena, b->model, en, complete, &stored, &b->err)) {
        fail_msg("%s: %.*s", entity, SLICE_ARG(b->err.message));
    }
    for (size_t i = 0; i < stored.n + stored.n_sentinels; i++) {
        struct buf body;
        buf_init(&body, &b->arena, 1 << 20);
        BUF_LIT(&body, "{\"TableName\":");
        json_put_string(&body, b->model->table);
        BUF_LIT(&body, ",\"Item\":");
        item_to_json(&body, i < stored.n ? stored.items[i] : stored.sentinels[i - stored.n]);
        BUF_LIT(&body, "}");
        send(b, "PutItem", buf_view(&body));
    }
}

/* JSON with ' instead of ". */
__attribute__((format(printf, 2, 3))) static inline const char *quoted(struct arena *a, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    struct slice s = arena_vprintf(a, fmt, ap);
    va_end(ap);
    char *p = (char *)(uintptr_t)s.p;
    for (size_t i = 0; i < s.n; i++) {
        if (p[i] == '\'') p[i] = '"';
    }
    return p;
}

#define PUT(b, entity, ...)                                                                                            \
    put_entity((b), (entity), from_json((b), model_entity((b)->model, slice_str(entity)),                              \
                                        quoted(&(b)->arena, __VA_ARGS__)))

/* 0 and *out, or the code with b->err filled. */
static int64_t bench_now = NOW; /* what dates in questions are reckoned from */

static inline int run_pattern(struct bench *b, const struct pattern *p, struct slice inputs,
                              const struct run_options *o, struct results *out)
{
    struct session s = session_of(b);
    struct plan *plan = ARENA_NEW(&b->arena, struct plan);
    struct bound_plan bound;
    int rc = plan_make(&b->arena, b->model, p, false, plan, &b->err);
    if (!rc) rc = plan_bind(&b->arena, b->model, plan, inputs, bench_now, &bound, &b->err);
    return rc ? rc : plan_run(&s, &bound, o, out, &b->err);
}

/* The answer's JSON with ' instead of ", or the error's text. */
static inline const char *ask(struct bench *b, const char *pattern, const char *inputs, const struct run_options *o)
{
    const struct pattern *p = model_pattern(b->model, slice_str(pattern));
    static const struct run_options none;
    struct results results;
    struct buf out;
    if (!p) fail_msg("no pattern %s", pattern);
    struct slice in = from_json(b, p->entities[0], quoted(&b->arena, "%s", inputs));
    buf_init(&out, &b->arena, 64 << 20);
    if (run_pattern(b, p, in, o ? o : &none, &results)) {
        buf_slice(&out, b->err.message);
    } else {
        results_to_json(&out, b->model, &results);
    }
    buf_u8(&out, 0);
    for (size_t i = 0; i < out.n; i++) {
        if (out.p[i] == '"') out.p[i] = '\'';
    }
    return (const char *)out.p;
}

static inline void assert_holds(const char *answer, const char *part)
{
    if (!strstr(answer, part)) fail_msg("no %s in %.2000s", part, answer);
}

static inline void assert_lacks(const char *answer, const char *part)
{
    if (strstr(answer, part)) fail_msg("%s in %.2000s", part, answer);
}

#endif
