/* ask_match.c: which pattern of the model asks what a question asks. */
#include "ask.h"
#include "plan_impl.h"
#include "template_private.h"
#include "where_impl.h"

/* Conditions of a question or a pattern, wherever they stand: whether a key or a filter answers them is not what is asked. */
struct conditions {
    const struct condition **list;
    size_t n;
};

static void add_all(struct conditions *c, const struct condition *list, size_t n)
{
    for (size_t i = 0; i < n; i++) c->list[c->n++] = &list[i];
}

static struct conditions conditions_of(struct arena *a, const struct pattern *p)
{
    struct conditions c = { .list = ARENA_ARRAY(a, const struct condition *, p->n_by + p->n_where + p->n_filter + 1) };
    add_all(&c, p->by, p->n_by);
    add_all(&c, p->where, p->n_where);
    add_all(&c, p->filter, p->n_filter);
    return c;
}

static bool is_constant(const struct condition *c)
{
    bool pair = c->op == COMPARE_BETWEEN || c->op == COMPARE_DURING;
    return !c->a.input && !(pair && c->b.input);
}

/* 0: asked is no case of declared; more: the closer, the higher. */
static unsigned nearness(const struct condition *declared, const struct condition *asked)
{
    if (!slice_eq(declared->attribute, asked->attribute)) return 0;
    if ((declared->op == COMPARE_EQ) != (asked->op == COMPARE_EQ)) return 0;
    if (!is_constant(declared)) return declared->op == asked->op ? 2 : 1;
    bool same = declared->op == asked->op && slice_eq(declared->a.text, asked->a.text) &&
                slice_eq(declared->b.text, asked->b.text);
    return same ? 3 : 0;
}

/* Each has its counterpart on the other side. 0: they differ; else how near they are, plus one. */
static unsigned compare(struct arena *a, struct conditions declared, struct conditions asked)
{
    bool *met = ARENA_ARRAY(a, bool, asked.n + 1);
    unsigned sum = 1;
    for (size_t i = 0; i < declared.n; i++) {
        unsigned best = 0;
        for (size_t k = 0; k < asked.n; k++) {
            unsigned near = nearness(declared.list[i], asked.list[k]);
            if (near) met[k] = true;
            if (near > best) best = near;
        }
        if (!best) return 0;
        sum += best;
    }
    for (size_t k = 0; k < asked.n; k++)
        if (!met[k]) return 0;
    return sum;
}

/* False: it is more than comparisons joined by `and`, and no pattern's filter is that. */
static int read_filter(struct arena *a, const struct ask *q, int64_t now, struct pattern *out, bool *joined, struct err *e)
{
    struct ask only = { .entity = q->entity, .where = q->filter };
    struct pattern p;
    *joined = true;
    if (!q->filter.n || !q->entity) return 0;
    int rc = ask_pattern(a, &only, now, &p, joined, e);
    if (rc) return rc;
    struct condition *list = ARENA_ARRAY(a, struct condition, p.n_by + p.n_where + 1);
    for (size_t i = 0; i < p.n_by; i++) list[i] = p.by[i];
    for (size_t i = 0; i < p.n_where; i++) list[p.n_by + i] = p.where[i];
    out->filter = list;
    out->n_filter = p.n_by + p.n_where;
    return 0;
}

static bool is_about(const struct pattern *p, const struct entity *en)
{
    return !p->collection && p->n_entities == 1 && p->entities[0] == en;
}

int ask_match(struct arena *a, const struct model *m, const struct ask *q, const struct pattern *p, int64_t now,
              const struct pattern **out, struct err *e)
{
    struct pattern asked = *p;
    unsigned best = 0;
    bool joined;
    *out = NULL;
    int rc = read_filter(a, q, now, &asked, &joined, e);
    if (rc || !joined) return rc;
    struct conditions conditions = conditions_of(a, &asked);
    for (size_t i = 0; i < m->n_patterns; i++) {
        const struct pattern *x = &m->patterns[i];
        struct plan plan;
        unsigned near = is_about(x, q->entity) ? compare(a, conditions_of(a, x), conditions) : 0;
        if (near <= best) continue;
        if ((rc = plan_make(a, m, x, false, &plan, e))) return rc;
        if (plan.kind == PLAN_NONE || (q->index && plan.path->index != q->index)) continue;
        if (plan.kind != PLAN_GET && plan.descending != q->descending) continue;
        best = near;
        *out = x;
    }
    return 0;
}

/* ---- key conditions ---- */

struct key_tests {
    struct arena *arena;
    const struct where *list;
    size_t n, used;
};

static const struct where *test_on(struct key_tests *k, const struct key_attribute *at)
{
    for (const struct where *t = k->list; t; t = t->next) {
        if (!slice_eq(t->path[0], at->name)) continue;
        k->used++;
        return t;
    }
    return NULL;
}

/* Is value what the first n parts of the template give, with the pattern's constants where it names some? behind: a text that
 * stands after them. */
static bool fits(struct key_tests *k, const struct pattern *p, const struct template *whole, size_t n, struct slice behind,
                 struct slice value)
{
    struct template t = *whole;
    struct slice values[TEMPLATE_MAX_PARTS], text = val_content(value);
    if (n < t.n) {
        t.n = n;
        t.whole = t.n == 1 && t.parts[0].hole && !t.parts[0].digits;
    }
    if (!t.whole && val_type(value) != TYPE_S) return false;
    if (behind.n) {
        if (text.n < behind.n || memcmp(text.p + text.n - behind.n, behind.p, behind.n) != 0) return false;
        text.n -= behind.n;
    }
    if (!t.n) return text.n == 0;
    if (!template_match(k->arena, &t, text, values)) return false;
    for (size_t i = 0, hole = 0; i < t.n; i++) {
        if (!t.parts[i].hole) continue;
        const struct condition *c = known_by(p, t.parts[i].text);
        if (c && !c->a.input && !slice_eq(c->a.text, values[hole])) return false;
        hole++;
    }
    return true;
}

static bool equals(struct key_tests *k, const struct pattern *p, const struct key_template *t)
{
    const struct where *w = test_on(k, t->attribute);
    return w && w->op == OP_EQ && fits(k, p, &t->template, t->template.n, slice_of(NULL, 0), w->values[0]);
}

/* The one sort attribute that is not known completely. */
static bool ranges(struct key_tests *k, const struct plan *plan)
{
    const struct key_template *t = &plan->path->sort[plan->sort_fixed];
    const struct where *w = test_on(k, t->attribute);
    if (!plan->range) {
        if (!plan->sort_parts && !plan->sort_common.n) return !w;
        return w && w->op == OP_BEGINS &&
               fits(k, plan->pattern, &t->template, plan->sort_parts, plan->sort_common, w->values[0]);
    }
    if (!w || w->op == OP_EQ) return false;
    if ((plan->range->op == COMPARE_PREFIX) != (w->op == OP_BEGINS)) return false;
    return fits(k, plan->pattern, &t->template, plan->sort_parts + 1, slice_of(NULL, 0), w->values[0]);
}

static bool plan_fits(struct key_tests *k, const struct plan *plan)
{
    const struct access_path *path = plan->path;
    if (plan->kind == PLAN_NONE || plan->kind == PLAN_MERGE || plan->subtree) return false;
    k->used = 0;
    for (size_t i = 0; i < path->n_hash; i++)
        if (path->hash[i].shards || !equals(k, plan->pattern, &path->hash[i])) return false;
    for (size_t i = 0; i < plan->sort_fixed && i < path->n_sort; i++)
        if (!equals(k, plan->pattern, &path->sort[i])) return false;
    if (plan->sort_fixed < path->n_sort && !ranges(k, plan)) return false;
    return k->used == k->n;
}

int ask_match_key(struct arena *a, const struct model *m, const struct ask *q, const struct where *key, int64_t now,
                  const struct pattern **out, struct err *e)
{
    struct key_tests k = { .arena = a, .list = key->kind == WHERE_AND ? key->first : key };
    struct pattern filter = { .n_filter = 0 };
    bool joined;
    *out = NULL;
    for (const struct where *t = k.list; t; t = t->next) k.n++;
    int rc = read_filter(a, q, now, &filter, &joined, e);
    if (rc || !joined) return rc;
    for (size_t i = 0; i < m->n_patterns; i++) {
        const struct pattern *x = &m->patterns[i];
        struct pattern only = { .filter = x->filter, .n_filter = x->n_filter };
        struct plan plan;
        if (q->entity && !is_about(x, q->entity)) continue;
        if (!compare(a, conditions_of(a, &only), conditions_of(a, &filter))) continue;
        if ((rc = plan_make(a, m, x, false, &plan, e))) return rc;
        if (plan.kind == PLAN_NONE || plan.path->index != q->index || plan.descending != q->descending) continue;
        if (!q->entity && (plan.filter_entity || plan.filter_client)) continue;
        if (!plan_fits(&k, &plan)) continue;
        *out = x;
        return 0;
    }
    return 0;
}
