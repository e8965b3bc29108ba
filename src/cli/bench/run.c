/* run.c: one workload: planned, calibrated, timed, checked. */
#include "bench.h"

#define PLAN_BYTES ((size_t)4 << 30)
#define SAME_BYTES ((size_t)256 << 20)

struct running {
    const struct bench_plan *plan;
    const char *name;
};

/* Not the same bytes, but perhaps the same meaning: some servers write members in a new order each time. */
static bool same_meaning(void *ctx, size_t request, struct slice body)
{
    const struct running *r = ctx;
    const struct bench_request *q = &r->plan->requests[request];
    struct arena a;
    volatile bool same = false;
    arena_init(&a, SAME_BYTES);
    if (ARENA_GUARD(&a)) same = answer_means(json_parse(&a, q->expected, 64, NULL), json_parse(&a, body, 64, NULL), q->unordered);
    arena_unguard(&a);
    arena_free(&a);
    return same;
}

static void show(void *ctx, uint64_t answers)
{
    const struct running *r = ctx;
    show_progress(NULL, r->name, answers, 0);
}

static int timed(struct bench *b, const struct workload *w, struct bench_plan *p, struct client_result *out)
{
    const struct bench_options *o = b->options;
    struct running running = { p, (const char *)arena_printf(p->arena, "answers (%s)", w->name).p };
    struct client_request *requests = ARENA_ARRAY(p->arena, struct client_request, p->n);
    for (size_t i = 0; i < p->n; i++) {
        requests[i].bytes = target_request(p->arena, &b->target, p->requests[i].operation, p->requests[i].body);
        if (!o->no_check) requests[i].expect = p->requests[i].answer;
    }
    struct client_job job = { .address = b->target.address, .address_n = b->target.address_n, .secure = b->target.secure,
                              .requests = requests, .n_requests = p->n,
                              .connections = o->connections, .threads = o->threads, .warmup = o->warmup, .seconds = o->seconds,
                              .same = same_meaning, .progress = show, .ctx = &running, .stop = b->stop };
    int code = client_run(&job, out);
    end_progress();
    return code ? fail_error("%s %.*s: %s", no_connection(b), SLICE_ARG(b->target.url), out->trouble) : EXIT_OK;
}

static bool adds(const struct bench_plan *p)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->requests[i].adds) return true;
    return false;
}

static void weigh(const struct bench_plan *p, struct bench_outcome *out)
{
    out->requests = out->result.latency.n;
    for (size_t i = 0; i < p->n; i++) {
        double units = p->requests[i].units * out->result.counts[i].measured;
        *(p->requests[i].reads ? &out->read_units : &out->write_units) += units;
    }
}

/* What the counters must have grown by; requests that were lost may have been done or not. */
static int check_counters(struct bench *b, const struct bench_plan *p, uint64_t before, struct bench_outcome *out)
{
    uint64_t after, added = 0;
    for (size_t i = 0; i < p->n; i++) added += (uint64_t)p->requests[i].adds * out->result.counts[i].all;
    int code = counters_sum(b, &after);
    if (code) return code;
    if (after - before < added || after - before > added + out->result.lost)
        snprintf(out->complaint, sizeof out->complaint, "the counters grew by %llu, but %llu increments were acknowledged",
                 (unsigned long long)(after - before), (unsigned long long)added);
    return EXIT_OK;
}

static int run_plan(struct bench *b, const struct workload *w, struct bench_plan *p, struct bench_outcome *out)
{
    bool check = !b->options->no_check, counts = check && adds(p);
    uint64_t before = 0;
    int code = check ? calibrate(b, p) : EXIT_OK;
    if (!code && counts) code = counters_sum(b, &before);
    if (!code) code = timed(b, w, p, &out->result);
    if (code) return code;
    weigh(p, out);
    bool stopped = atomic_load(b->stop); /* what there is is shown; nothing more is asked */
    if (check && !stopped && counts) code = check_counters(b, p, before, out);
    if (check && !stopped && !code && !out->complaint[0]) code = read_back(b, p, out->complaint, sizeof out->complaint);
    if (code) client_result_free(&out->result);
    return code;
}

int bench_run(struct bench *b, const struct workload *w, struct bench_outcome *out)
{
    struct arena arena;
    memset(out, 0, sizeof *out);
    out->workload = w->name;
    arena_init(&arena, PLAN_BYTES);
    struct bench_plan plan = { .arena = &arena };
    int code = w->build(b, &plan);
    if (!code) code = run_plan(b, w, &plan, out);
    arena_free(&arena);
    return code;
}
