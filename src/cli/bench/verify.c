/* verify.c: after a run that wrote: is everything there that was acknowledged? Counters are summed up, a sample of items is read
 * back. */
#include "bench.h"
#include <stdlib.h>

#define READ_BACK   200
#define BATCH       100
#define ARENA_BYTES ((size_t)256 << 20)

struct verification {
    struct bench *bench;
    const struct bench_plan *plan;
    struct arena arena;   /* of the requests */
    struct arena scratch; /* of one answer */
    uint64_t sum;
    size_t bad, step;
    struct slice shown;
};

static void keep(struct verification *v, struct slice body)
{
    if (!v->bad++) v->shown = arena_dup(&v->arena, slice_of(body.p, body.n < 300 ? body.n : 300));
}

static void verification_begin(struct verification *v, struct bench *b)
{
    *v = (struct verification){ .bench = b };
    arena_init(&v->arena, ARENA_BYTES);
    arena_init(&v->scratch, ARENA_BYTES);
}

static void verification_end(struct verification *v)
{
    arena_free(&v->arena);
    arena_free(&v->scratch);
}

/* ---- counters ---- */

static void add_visits(void *ctx, size_t request, int status, struct slice body)
{
    struct verification *v = ctx;
    (void)request;
    const struct json *answer = status == 200 ? json_parse(&v->scratch, body, 64, NULL) : NULL;
    const struct json *left = JSON_GET(answer, "UnprocessedKeys"), *tables = JSON_GET(answer, "Responses");
    if (!tables || (left && left->first)) keep(v, body);
    for (const struct json *item = tables && tables->first ? tables->first->first : NULL; item; item = item->next) {
        const struct json *n = JSON_GET(JSON_GET(item, "visits"), "N");
        if (n) v->sum += strtoull((const char *)arena_printf(&v->scratch, "%.*s", SLICE_ARG(n->text)).p, NULL, 10);
    }
    arena_reset(&v->scratch);
}

static void ask_counters(struct bench_plan *p, const struct bench *b, enum data_space space)
{
    for (uint64_t from = 0; from < DATA_COUNTERS; from += BATCH) {
        struct buf body;
        buf_init(&body, p->arena, BENCH_BODY_MAX);
        buf_printf(&body, "{\"RequestItems\":{\"%.*s\":{\"ConsistentRead\":true,\"Keys\":[", SLICE_ARG(b->table));
        for (uint64_t k = from; k < from + BATCH; k++) {
            if (k > from) buf_u8(&body, ',');
            data_key(&body, space, k);
        }
        BUF_LIT(&body, "]}}}");
        bench_plan_add(p, (struct bench_request){ .operation = SLICE("BatchGetItem"), .body = buf_view(&body) });
    }
}

int counters_sum(struct bench *b, uint64_t *sum)
{
    struct verification v;
    verification_begin(&v, b);
    struct bench_plan p = { .arena = &v.arena };
    ask_counters(&p, b, DATA_COUNTER);
    ask_counters(&p, b, DATA_TALLY);
    int code = bench_each(b, &p, NULL, 0, 0, add_visits, &v);
    if (!code && v.bad) code = fail_error("the counters cannot be read: %.*s", SLICE_ARG(v.shown));
    *sum = v.sum;
    verification_end(&v);
    return code;
}

/* ---- items ---- */

static void compare_item(void *ctx, size_t request, int status, struct slice body)
{
    struct verification *v = ctx;
    const struct bench_written *w = &v->plan->written[request * v->step];
    const struct json *answer = status == 200 ? json_parse(&v->scratch, body, 64, NULL) : NULL;
    bool right = false;
    for (unsigned version = 0; version < 2 && answer; version++) {
        struct buf expected;
        buf_init(&expected, &v->scratch, BENCH_BODY_MAX);
        BUF_LIT(&expected, "{\"Item\":");
        data_item(&expected, &v->bench->data, w->space, w->k, version);
        buf_u8(&expected, '}');
        right = right || answer_means(json_parse(&v->scratch, buf_view(&expected), 64, NULL), answer, false);
    }
    if (!right) keep(v, body);
    arena_reset(&v->scratch);
}

int read_back(struct bench *b, const struct bench_plan *written, char *complaint, size_t size)
{
    struct verification v;
    verification_begin(&v, b);
    struct bench_plan p = { .arena = &v.arena };
    v.plan = written;
    v.step = written->n_written / READ_BACK + 1;
    for (size_t i = 0; i < written->n_written; i += v.step) {
        struct buf body;
        buf_init(&body, &v.arena, BENCH_BODY_MAX);
        buf_printf(&body, "{\"TableName\":\"%.*s\",\"ConsistentRead\":true,\"Key\":", SLICE_ARG(b->table));
        data_key(&body, written->written[i].space, written->written[i].k);
        buf_u8(&body, '}');
        bench_plan_add(&p, (struct bench_request){ .operation = SLICE("GetItem"), .body = buf_view(&body) });
    }
    int code = p.n ? bench_each(b, &p, NULL, 0, 0, compare_item, &v) : EXIT_OK;
    if (!code && v.bad)
        snprintf(complaint, size, "%zu of %zu items read back are not as they were written; the first: %.*s", v.bad, p.n, SLICE_ARG(v.shown));
    verification_end(&v);
    return code;
}
