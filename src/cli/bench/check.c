/* check.c: are the answers right? Before the clock starts each different request is sent, its answer compared with what was
 * written, its bytes kept and its units asked for. */
#include "bench.h"

#define DEPTH       64
#define ARENA_BYTES ((size_t)1 << 30)

/* ---- meaning ---- */

static bool is_empty(const struct json *j)
{
    return j->type == JSON_NULL || ((j->type == JSON_OBJECT || j->type == JSON_ARRAY) && !j->first);
}

static bool same(const struct json *x, const struct json *y, bool unordered);

static bool contains(const struct json *list, const struct json *x, bool unordered)
{
    for (const struct json *y = list->first; y; y = y->next)
        if (same(x, y, unordered)) return true;
    return false;
}

static bool same_members(const struct json *x, const struct json *y, bool unordered)
{
    if (x->count != y->count) return false;
    for (const struct json *a = x->first; a; a = a->next) {
        const struct json *b = json_get(y, a->name);
        if (!b || !same(a, b, unordered)) return false;
    }
    return true;
}

static bool same_list(const struct json *x, const struct json *y, bool unordered)
{
    const struct json *b = y->first;
    if (x->count != y->count) return false;
    for (const struct json *a = x->first; a; a = a->next, b = b->next)
        if (unordered ? !contains(y, a, unordered) : !same(a, b, unordered)) return false;
    return true;
}

static bool same(const struct json *x, const struct json *y, bool unordered)
{
    if (x->type != y->type) return false;
    if (x->type == JSON_OBJECT) return same_members(x, y, unordered);
    if (x->type == JSON_ARRAY) return same_list(x, y, unordered);
    return slice_eq(x->text, y->text);
}

bool answer_means(const struct json *expected, const struct json *answer, bool unordered)
{
    if (!expected || !answer || expected->type != JSON_OBJECT || answer->type != JSON_OBJECT) return false;
    for (const struct json *e = expected->first; e; e = e->next) {
        const struct json *a = json_get(answer, e->name);
        if (a ? !same(e, a, unordered) : !is_empty(e)) return false;
    }
    for (const struct json *a = answer->first; a; a = a->next)
        if (!json_get(expected, a->name) && !is_empty(a)) return false;
    return true;
}

/* ---- the calibrating pass ---- */

struct calibration {
    struct bench_plan *plan;
    struct arena scratch; /* of one answer */
    bool units;           /* the second time: only the units count */
    size_t errors, wrong;
    size_t first;         /* request that went wrong first */
    int status;
    struct slice shown;
};

static double units_of(const struct json *capacity)
{
    double sum = 0;
    if (!capacity) return 0;
    if (capacity->type == JSON_OBJECT) return json_double(capacity, "CapacityUnits", 0);
    for (const struct json *c = capacity->first; c; c = c->next) sum += json_double(c, "CapacityUnits", 0);
    return sum;
}

static void complain(struct calibration *c, size_t request, int status, struct slice body)
{
    if (!c->errors && !c->wrong) {
        c->first = request;
        c->status = status;
        c->shown = arena_dup(c->plan->arena, slice_of(body.p, body.n < 600 ? body.n : 600));
    }
    if (status == 200) c->wrong++;
    else c->errors++;
}

static void calibrated(void *ctx, size_t request, int status, struct slice body)
{
    struct calibration *c = ctx;
    struct bench_request *r = &c->plan->requests[request];
    if (status != 200) {
        complain(c, request, status, body);
        return;
    }
    const struct json *answer = json_parse(&c->scratch, body, DEPTH, NULL);
    if (c->units) {
        r->units = units_of(answer ? JSON_GET(answer, "ConsumedCapacity") : NULL);
    } else {
        r->answer = arena_dup(c->plan->arena, body);
        const struct json *expected = json_parse(&c->scratch, r->expected, DEPTH, NULL);
        if (!answer_means(expected, answer, r->unordered)) complain(c, request, status, body);
    }
    arena_reset(&c->scratch);
}

/* The same plan with bodies that ask for the units. */
static struct bench_plan asking_for_units(const struct bench_plan *p)
{
    struct bench_plan out = { .arena = p->arena };
    for (size_t i = 0; i < p->n; i++) {
        struct bench_request r = p->requests[i];
        r.body = arena_printf(p->arena, "{\"ReturnConsumedCapacity\":\"TOTAL\",%.*s", (int)r.body.n - 1, (const char *)r.body.p + 1);
        bench_plan_add(&out, r);
    }
    return out;
}

int calibrate(struct bench *b, struct bench_plan *p)
{
    struct calibration c = { .plan = p };
    arena_init(&c.scratch, ARENA_BYTES);
    int code = bench_each(b, p, "requests checked", 0, p->n, calibrated, &c);
    if (!code && !c.errors && !c.wrong) {
        struct bench_plan asking = asking_for_units(p);
        c.units = true;
        code = bench_each(b, &asking, "requests weighed", 0, p->n, calibrated, &c);
    }
    arena_free(&c.scratch);
    end_progress();
    if (code || (!c.errors && !c.wrong)) return code;
    const struct bench_request *r = &p->requests[c.first];
    return fail_error("%zu of %zu answers are %s; the first: %.*s %.*s answered %d %.*s%s%.*s", c.errors + c.wrong, p->n,
                      c.errors ? "errors" : "wrong", SLICE_ARG(r->operation), (int)(r->body.n < 400 ? r->body.n : 400), (const char *)r->body.p,
                      c.status, SLICE_ARG(c.shown), c.status == 200 ? " and not " : "",
                      c.status == 200 ? (int)(r->expected.n < 600 ? r->expected.n : 600) : 0, (const char *)r->expected.p);
}
