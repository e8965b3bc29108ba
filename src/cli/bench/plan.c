/* plan.c: plans of requests, and sending each of one once. */
#include "bench.h"

void bench_plan_add(struct bench_plan *p, struct bench_request r)
{
    if (p->n == p->cap) {
        p->cap = p->cap ? p->cap * 2 : 256;
        struct bench_request *more = ARENA_ARRAY(p->arena, struct bench_request, p->cap);
        if (p->n) memcpy(more, p->requests, p->n * sizeof *more);
        p->requests = more;
    }
    p->requests[p->n++] = r;
}

void bench_plan_wrote(struct bench_plan *p, enum data_space space, uint64_t k)
{
    if (p->n_written == p->cap_written) {
        p->cap_written = p->cap_written ? p->cap_written * 2 : 256;
        struct bench_written *more = ARENA_ARRAY(p->arena, struct bench_written, p->cap_written);
        if (p->n_written) memcpy(more, p->written, p->n_written * sizeof *more);
        p->written = more;
    }
    p->written[p->n_written++] = (struct bench_written){ space, k };
}

/* ---- each once ---- */

struct sending {
    const char *what;
    uint64_t before, of;
    void (*answered)(void *ctx, size_t request, int status, struct slice body);
    void *ctx;
};

static void pass_on(void *ctx, size_t request, int status, struct slice body)
{
    const struct sending *s = ctx;
    if (s->answered) s->answered(s->ctx, request, status, body);
}

static void show(void *ctx, uint64_t answers)
{
    const struct sending *s = ctx;
    if (s->what) show_progress(NULL, s->what, s->before + answers, s->of);
}

const char *no_connection(const struct bench *b)
{
    return b->target.secure ? "no connection with" : "nothing answers at";
}

int bench_each(struct bench *b, struct bench_plan *p, const char *what, uint64_t before, uint64_t of,
               void (*answered)(void *ctx, size_t request, int status, struct slice body), void *ctx)
{
    struct sending sending = { what, before, of, answered, ctx };
    struct client_request *requests = ARENA_ARRAY(p->arena, struct client_request, p->n);
    for (size_t i = 0; i < p->n; i++)
        requests[i].bytes = target_request(p->arena, &b->target, p->requests[i].operation, p->requests[i].body);
    struct client_job job = { .address = b->target.address, .address_n = b->target.address_n, .secure = b->target.secure,
                              .requests = requests, .n_requests = p->n,
                              .connections = b->options->connections < p->n ? b->options->connections : (unsigned)p->n,
                              .threads = 1, .answered = pass_on, .progress = show, .ctx = &sending, .stop = b->stop };
    struct client_result result;
    if (client_run(&job, &result))
        return fail_error("%s %.*s: %s%s", no_connection(b), SLICE_ARG(b->target.url), result.trouble,
                          b->target.loopback && !b->target.secure ? "; start it with `onefold serve`" : "");
    int code = EXIT_OK;
    if (result.lost) code = fail_error("%.*s did not answer: %s", SLICE_ARG(b->target.url), result.first_lost.text);
    else if (atomic_load(b->stop)) code = EXIT_ERROR;
    client_result_free(&result);
    return code;
}

struct one {
    struct arena *arena;
    int status;
    struct slice answer;
};

static void take_one(void *ctx, size_t request, int status, struct slice body)
{
    struct one *one = ctx;
    (void)request;
    one->status = status;
    one->answer = arena_dup(one->arena, body);
}

int bench_call(struct bench *b, struct arena *a, struct slice operation, struct slice body, int *status, struct slice *answer)
{
    struct bench_plan p = { .arena = a };
    struct one one = { .arena = a };
    bench_plan_add(&p, (struct bench_request){ .operation = operation, .body = body });
    int code = bench_each(b, &p, NULL, 0, 0, take_one, &one);
    *status = one.status;
    *answer = one.answer;
    return code;
}

int bench_must(struct bench *b, struct arena *a, struct slice operation, struct slice body, const struct json **answer)
{
    int status;
    struct slice text;
    int code = bench_call(b, a, operation, body, &status, &text);
    if (code) return code;
    *answer = json_parse(a, text, 64, NULL);
    if (status == 200 && *answer) return EXIT_OK;
    return fail_error("%.*s: %.*s answered %d %.*s", SLICE_ARG(operation), SLICE_ARG(b->target.url), status,
                      (int)(text.n < 300 ? text.n : 300), (const char *)text.p);
}
