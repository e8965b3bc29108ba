/* plan_sort.c: what follows the known part of a sort key: can the pattern's range be answered
 * there, and is the order the one that is asked for? */
#include "plan_impl.h"

bool condition_is_date(enum compare op)
{
    return op == COMPARE_SINCE || op == COMPARE_UNTIL || op == COMPARE_ON || op == COMPARE_DURING;
}

bool hole_is_time(const struct entity *en, const struct template *t, const struct part *hole,
                  const struct key_attribute *key)
{
    const struct attribute *at = entity_attribute(en, hole->text);
    if (!at) return false;
    switch (at->time) {
    case TIME_NONE:
        return false;
    case TIME_EPOCH:
    case TIME_EPOCH_MS: /* as text, 10 sorts before 9: only padded, or as a number */
        return hole->digits || (t->whole && key->type == TYPE_N);
    default:
        return true;
    }
}

static bool has_low(enum compare op)
{
    return op != COMPARE_AT_MOST && op != COMPARE_BELOW && op != COMPARE_UNTIL &&
           op != COMPARE_PREFIX;
}

static bool has_high(enum compare op)
{
    return op != COMPARE_AT_LEAST && op != COMPARE_ABOVE && op != COMPARE_SINCE &&
           op != COMPARE_PREFIX;
}

/* One condition, or two that are the ends of one range. */
static bool set_range(struct resolver *r, struct verdict *v)
{
    const struct pattern *q = r->pattern;
    if (!q->n_where) return true;
    v->plan.range = &q->where[0];
    if (q->n_where == 1) return true;
    v->plan.range2 = &q->where[1];
    enum compare x = q->where[0].op, y = q->where[1].op;
    bool ends = (has_low(x) && !has_high(x) && has_high(y) && !has_low(y)) ||
                (has_high(x) && !has_low(x) && has_low(y) && !has_high(y));
    if (q->n_where == 2 && ends) return true;
    return fails(
        v, MISS_RANGE,
        arena_printf(r->arena,
                     "has several conditions on %.*s that are not the two ends of one range",
                     SLICE_ARG(q->where[0].attribute)));
}

/* Does the text of the hole sort as its values do? */
static bool range_sorts(struct resolver *r, struct verdict *v, const struct attribute *at)
{
    enum compare op = r->pattern->where[0].op;
    if (condition_is_date(op) && !at->time) {
        return fails(v, MISS_RANGE,
                     arena_printf(r->arena,
                                  "asks for a date, but %.*s holds no time: give it a format",
                                  SLICE_ARG(at->name)));
    }
    bool number = at->type == TYPE_N;
    if (number && op == COMPARE_PREFIX) {
        return fails(
            v, MISS_RANGE,
            arena_printf(r->arena, "asks for a prefix of the number %.*s", SLICE_ARG(at->name)));
    }
    if (number && !v->hole->digits && v->hole_key->type != TYPE_N) {
        return fails(
            v, MISS_RANGE,
            arena_printf(
                r->arena,
                "needs %.*s padded in the sort key, since as text 10 sorts before 9: ${%.*s:010}",
                SLICE_ARG(at->name), SLICE_ARG(at->name)));
    }
    return true;
}

bool judge_order(struct resolver *r, const struct access_path *p, struct verdict *v)
{
    enum order o = r->pattern->order;
    if (o != ORDER_NEWEST && o != ORDER_OLDEST) return true;
    if (!v->hole && p->kind != PATH_INDEX && !v->plan.n_fans) return true; /* one item at most */
    struct slice name = path_name(r->arena, p), sort = sort_source(r->arena, p);
    const char *word = o == ORDER_NEWEST ? "newest" : "oldest";
    if (!v->hole) {
        return fails(v, MISS_ORDER,
                     arena_printf(r->arena,
                                  "asks for the %s first, but the sort key of %.*s%s%.*s%s holds "
                                  "no time behind what is known",
                                  word, SLICE_ARG(name), sort.n ? " (" : "", SLICE_ARG(sort),
                                  sort.n ? ")" : ""));
    }
    if (hole_is_time(p->entity, v->hole_of, v->hole, v->hole_key)) return true;
    const struct attribute *at = entity_attribute(p->entity, v->hole->text);
    bool epoch = at && (at->time == TIME_EPOCH || at->time == TIME_EPOCH_MS);
    return fails(
        v, MISS_ORDER,
        arena_printf(
            r->arena,
            "asks for the %s first, but %.*s of %.*s goes by %.*s behind what is known, which %s",
            word, SLICE_ARG(sort), SLICE_ARG(name), SLICE_ARG(v->hole->text),
            epoch ? "is not padded and so does not sort by time" : "holds no time"));
}

bool judge_range(struct resolver *r, const struct access_path *p, struct verdict *v)
{
    const struct pattern *q = r->pattern;
    for (size_t i = 0; i < q->n_where; i++) {
        struct slice at = q->where[i].attribute;
        if (v->hole && slice_eq(v->hole->text, at)) continue;
        struct slice name = path_name(r->arena, p), sort = sort_source(r->arena, p);
        return fails(
            v, MISS_RANGE,
            arena_printf(
                r->arena, "needs %.*s right behind the known part of a sort key; %.*s has %.*s",
                SLICE_ARG(at), SLICE_ARG(name), SLICE_ARG(sort.n ? sort : SLICE("no sort key"))));
    }
    if (q->n_where) {
        const struct attribute *at = entity_attribute(p->entity, v->hole->text);
        if (at && !range_sorts(r, v, at)) return false;
        v->known++;
    }
    return set_range(r, v);
}
