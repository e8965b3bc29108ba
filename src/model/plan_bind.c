/* plan_bind.c: a plan and its inputs to one key range per stream. */
#include "plan_impl.h"
#include "shard.h"

static int check_inputs(struct binder *b)
{
    const struct pattern *q = b->plan->pattern;
    const struct slice *names;
    size_t n = pattern_inputs(b->arena, q, &names, NULL);
    struct val_iter it;
    struct slice name, value;
    val_iter_init(&it, b->inputs);
    while (val_next(&it, &name, &value)) {
        size_t i = 0;
        while (i < n && !slice_eq(names[i], name))
            i++;
        if (i < n) continue;
        struct slice near = near_name(name, names, n);
        if (near.n) {
            return err_set(b->err, ERR_ValidationException,
                           "%.*s has no input %.*s; did you mean %.*s?", SLICE_ARG(q->name),
                           SLICE_ARG(name), SLICE_ARG(near));
        }
        return err_set(b->err, ERR_ValidationException, "%.*s has no input %.*s",
                       SLICE_ARG(q->name), SLICE_ARG(name));
    }
    for (size_t i = 0; i < n; i++) {
        if (val_get(b->inputs, names[i], &value)) continue;
        return err_set(b->err, ERR_ValidationException,
                       "%.*s needs the input %.*s: give %.*s=VALUE", SLICE_ARG(q->name),
                       SLICE_ARG(names[i]), SLICE_ARG(names[i]));
    }
    return 0;
}

/* The months a date range touches, both included; as text, which sorts. */
struct months {
    bool low, high;
    int64_t end; /* high: the last instant */
    char first[8], last[8];
};

static int find_months(struct binder *b, const struct shards *s, struct months *out)
{
    const struct condition *list[] = { b->plan->range, b->plan->range2 };
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < 2; i++) {
        const struct condition *c = list[i];
        struct span x, y = { 0 };
        if (!c || !condition_is_date(c->op) || !slice_eq(c->attribute, s->by)) continue;
        int rc = bind_date(b, c, &c->a, &x);
        if (!rc && c->op == COMPARE_DURING) rc = bind_date(b, c, &c->b, &y);
        if (rc) return rc;
        if (c->op != COMPARE_UNTIL) {
            out->low = true;
            when_month(x.start, out->first);
        }
        if (c->op != COMPARE_SINCE) {
            out->high = true;
            int64_t end = c->op == COMPARE_UNTIL ? x.start : c->op == COMPARE_ON ? x.end : y.start;
            if (!out->end || end - 1 < out->end) out->end = end - 1;
            when_month(out->end, out->last);
        }
    }
    return 0;
}

#define AHEAD_MAX INT64_C(31622400000) /* a year; each month is a Query */

/* Months are listed now, and only those the range touches; beyond the current one where it says how far. */
static int bind_months(struct binder *b, struct fan *f)
{
    const struct slice *all;
    struct months m;
    int rc = find_months(b, f->key->shards, &m);
    if (rc) return rc;
    int64_t until = !m.high || m.end < b->now ? b->now : m.end < b->now + AHEAD_MAX ? m.end : b->now + AHEAD_MAX;
    size_t n = shard_list(b->arena, f->key->shards, until, &all);
    struct slice *kept = ARENA_ARRAY(b->arena, struct slice, n + 1);
    f->n = 0;
    for (size_t i = 0; i < n; i++) {
        if (m.low && slice_cmp(all[i], slice_str(m.first)) < 0) continue;
        if (m.high && slice_cmp(all[i], slice_str(m.last)) > 0) continue;
        kept[f->n++] = all[i];
    }
    f->values = kept;
    return 0;
}

/* What one stream knows: what was given, and its values of the fans. */
struct stream {
    struct slice item; /* VAL_M */
    const struct fan *fans;
    size_t n_fans;
    size_t choice[PLAN_MAX_FANS];
};

static int bind_failed(struct binder *b, struct rendered r)
{
    struct slice why = render_reason(b->arena, r);
    return err_set(b->err, ERR_ValidationException, "%.*s: %.*s", SLICE_ARG(b->plan->pattern->name),
                   SLICE_ARG(why));
}

static int shard_text(struct binder *b, const struct stream *s, const struct key_template *k,
                      struct slice *out)
{
    for (size_t i = 0; i < s->n_fans; i++) {
        if (s->fans[i].key != k) continue;
        *out = s->fans[i].values[s->choice[i]];
        return 0;
    }
    struct slice value;
    if (val_get(s->item, k->shards->by, &value) && shard_of(b->arena, k->shards, value, out))
        return 0;
    return err_set(b->err, ERR_ValidationException, "%.*s: the value of %.*s gives no shard",
                   SLICE_ARG(b->plan->pattern->name), SLICE_ARG(k->shards->by));
}

static int bind_hash(struct binder *b, const struct stream *s, struct key_range *out)
{
    const struct access_path *p = b->plan->path;
    for (size_t i = 0; i < p->n_hash; i++) {
        struct rendered r = template_render(b->arena, &p->hash[i].template, s->item);
        if (r.status != RENDER_OK) return bind_failed(b, r);
        out->hash[i] = r.value;
        if (!p->hash[i].shards) continue;
        struct slice shard;
        int rc = shard_text(b, s, &p->hash[i], &shard);
        if (rc) return rc;
        struct slice text =
            arena_printf(b->arena, "%.*s%.*s%.*s", SLICE_ARG(val_content(r.value)),
                         SLICE_ARG(p->hash[i].template.delimiter), SLICE_ARG(shard));
        out->hash[i] = val_make_string(b->arena, text);
    }
    return 0;
}

static int bind_stream(struct binder *b, const struct stream *s, struct key_range *out, bool *empty)
{
    const struct plan *p = b->plan;
    int rc = bind_hash(b, s, out);
    for (size_t i = 0; !rc && i < p->sort_fixed; i++) {
        struct rendered r = template_render(b->arena, &p->path->sort[i].template, s->item);
        if (r.status != RENDER_OK) return bind_failed(b, r);
        out->fixed[i] = r.value;
    }
    return rc ? rc : bind_range(b, s->item, out, empty);
}

/* by's values, in attrs, which has room for the fans too. */
static int bind_known(struct binder *b, struct attr *attrs)
{
    const struct pattern *q = b->plan->pattern;
    for (size_t i = 0; i < q->n_by; i++) {
        attrs[i].name = q->by[i].attribute;
        int rc = bind_operand(b, q->entities[0], &q->by[i], &q->by[i].a, true, &attrs[i].value);
        if (rc) return rc;
    }
    return 0;
}

static int bind_filters(struct binder *b, struct bound_plan *out)
{
    const struct pattern *q = b->plan->pattern;
    struct slice *values = ARENA_ARRAY(b->arena, struct slice, 2 * q->n_filter + 1);
    for (size_t i = 0; i < q->n_filter; i++) {
        int rc = condition_bounds(b, q->entities[0], &q->filter[i], &values[2 * i]);
        if (rc) return rc;
    }
    out->filter_values = values;
    return 0;
}

/* The streams' numbers count like digits, the first fan's slowest. */
static void choose(struct stream *s, size_t number)
{
    for (size_t i = s->n_fans; i-- > 0;) {
        s->choice[i] = number % s->fans[i].n;
        number /= s->fans[i].n;
    }
}

static int bind_streams(struct binder *b, struct fan *fans, size_t streams, struct bound_plan *out)
{
    const struct plan *p = b->plan;
    size_t known = p->pattern->n_by;
    struct attr *attrs = ARENA_ARRAY(b->arena, struct attr, known + PLAN_MAX_FANS);
    struct attr *sorted = ARENA_ARRAY(b->arena, struct attr, known + PLAN_MAX_FANS);
    int rc = bind_known(b, attrs);
    if (rc) return rc;
    struct key_range *ranges = ARENA_ARRAY(b->arena, struct key_range, streams);
    struct stream s = { .fans = fans, .n_fans = p->n_fans };
    for (size_t i = 0; i < streams; i++) {
        choose(&s, i);
        size_t n = known;
        for (size_t k = 0; k < p->n_fans; k++) {
            if (fans[k].key) continue;
            attrs[n++] = (struct attr){ fans[k].attribute, fans[k].values[s.choice[k]] };
        }
        memcpy(sorted, attrs, n * sizeof *attrs); /* val_put_map reorders */
        struct buf item;
        buf_init(&item, b->arena, 1 << 20);
        val_put_map(&item, sorted, n);
        s.item = buf_view(&item);
        bool empty;
        rc = bind_stream(b, &s, &ranges[out->n], &empty);
        if (rc) return rc;
        if (empty)
            memset(&ranges[out->n], 0, sizeof *ranges);
        else
            out->n++;
    }
    out->ranges = ranges;
    return 0;
}

int plan_bind(struct arena *a, const struct model *m, const struct plan *p, struct slice inputs,
              int64_t now, struct bound_plan *out, struct err *e)
{
    if (!inputs.n) { /* none is an empty map */
        struct buf none;
        buf_init(&none, a, 16);
        val_put_map(&none, NULL, 0);
        inputs = buf_view(&none);
    }
    struct binder b = { a, m, p, inputs, now, e };
    *out = (struct bound_plan){ .plan = p, .inputs = inputs, .now = now };
    if (p->kind == PLAN_NONE) {
        return err_set(e, ERR_ValidationException, "%.*s cannot be answered: it %.*s",
                       SLICE_ARG(p->pattern->name), SLICE_ARG(p->reason));
    }
    int rc = check_inputs(&b);
    struct fan fans[PLAN_MAX_FANS];
    memcpy(fans, p->fans, sizeof fans);
    size_t streams = 1;
    for (size_t i = 0; !rc && i < p->n_fans; i++) {
        if (!fans[i].n) rc = bind_months(&b, &fans[i]);
        streams *= fans[i].n;
    }
    if (rc) return rc;
    if (streams > PLAN_MAX_STREAMS) {
        return err_set(e, ERR_ValidationException,
                       "%.*s would need %zu Queries, more than %d: ask for a shorter time",
                       SLICE_ARG(p->pattern->name), streams, PLAN_MAX_STREAMS);
    }
    rc = bind_filters(&b, out);
    return rc ? rc : bind_streams(&b, fans, streams, out);
}
