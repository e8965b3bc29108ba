/* facts.c: plans, sample and measures of a model, and how keys are written in documents. */
#include "facts.h"

int problem_error(struct err *e, const struct problem *p)
{
    struct slice hint = p->hint.n ? arena_printf(e->arena, "; %.*s", SLICE_ARG(p->hint)) : p->hint;
    if (!p->place.line) {
        return err_set(e, ERR_ValidationException, "%.*s: %.*s%.*s", SLICE_ARG(p->place.file), SLICE_ARG(p->message),
                       SLICE_ARG(hint));
    }
    return err_set(e, ERR_ValidationException, "%.*s:%u:%u: %.*s%.*s", SLICE_ARG(p->place.file), p->place.line,
                   p->place.column, SLICE_ARG(p->message), SLICE_ARG(hint));
}

int facts_plans(struct reporter *r, struct facts *f)
{
    const struct model *m = r->model;
    *f = (struct facts){ .model = m, .plans = ARENA_ARRAY(r->arena, struct plan, m->n_patterns + 1),
                         .measures = ARENA_ARRAY(r->arena, struct measure, m->n_patterns + 1) };
    for (size_t i = 0; i < m->n_patterns; i++) {
        int rc = plan_make(r->arena, m, &m->patterns[i], false, &f->plans[i], r->err);
        if (rc) return rc;
    }
    return 0;
}

/* Documents and costs of one model must be the same each time, so what the sample leaves to be generated comes from a
 * clock that stands still and bytes that only count. */
static int64_t still_now(void *ctx)
{
    (void)ctx;
    return INT64_C(1767225600000); /* 2026-01-01 */
}

static void counting_random(void *ctx, uint8_t *p, size_t n)
{
    uint64_t *count = ctx;
    uint64_t rest = ++*count;
    for (size_t i = n; i-- > 0; rest >>= 8) p[i] = (uint8_t)rest;
}

struct model_env still_env(uint64_t *count)
{
    return (struct model_env){ still_now, counting_random, count };
}

int facts_read(struct reporter *r, struct facts *f)
{
    int rc = facts_plans(r, f);
    if (rc) return rc;
    uint64_t count = 0;
    struct model_env still = still_env(&count);
    struct problems ps;
    problems_init(&ps, r->arena);
    if (sample_read(r->arena, &ps, r->model, &still, &f->sample)) return 0;
    if (ps.first) return problem_error(r->err, ps.first);
    return err_set(r->err, ERR_ValidationException, "the sample data cannot be used");
}

void facts_measure(struct reporter *r, struct facts *f)
{
    for (size_t i = 0; i < f->model->n_patterns; i++) {
        if (f->plans[i].kind == PLAN_NONE) continue;
        plan_measure(r->arena, f->model, &f->plans[i], &f->sample, &f->measures[i]);
    }
}

struct slice shards_text(struct arena *a, const struct model *m, const struct key_template *k)
{
    const struct shards *s = k->shards;
    if (!s) return SLICE("");
    struct slice d = m->delimiter;
    char month[8];
    switch (s->kind) {
    case SHARD_HASH: return arena_printf(a, "%.*s0..%u", SLICE_ARG(d), s->count - 1);
    case SHARD_LETTERS: return arena_printf(a, "%.*s%s", SLICE_ARG(d), s->letters == 1 ? "a..z" : "aa..zz");
    case SHARD_MONTH: when_month(s->since, month); return arena_printf(a, "%.*s%s..", SLICE_ARG(d), month);
    case SHARD_VALUE: break;
    }
    return arena_printf(a, "%.*s${%.*s}", SLICE_ARG(d), SLICE_ARG(s->by));
}

struct slice key_source(struct arena *a, const struct key_template *k)
{
    if (!k->natural && k->template.source.n) return k->template.source;
    return arena_printf(a, "${%.*s}", SLICE_ARG(k->attribute->name));
}

struct slice key_text(struct arena *a, const struct model *m, const struct key_template *k)
{
    struct slice source = key_source(a, k);
    struct slice shards = shards_text(a, m, k);
    return shards.n ? arena_printf(a, "%.*s%.*s", SLICE_ARG(source), SLICE_ARG(shards)) : source;
}

struct slice keys_text(struct arena *a, const struct model *m, const struct key_template *k, size_t n)
{
    if (n == 1) return key_text(a, m, k);
    struct buf b;
    buf_init(&b, a, (size_t)1 << 20);
    for (size_t i = 0; i < n; i++) {
        if (i) BUF_LIT(&b, ", ");
        buf_slice(&b, key_text(a, m, &k[i]));
    }
    return buf_view(&b);
}
