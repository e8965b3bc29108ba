/* plan.c: the resolver's choice: judges every path of a pattern's entity and keeps the cheapest
 * that answers; where none does, says what the nearest lacks. */
#include "plan_impl.h"

const struct condition *known_by(const struct pattern *q, struct slice attribute)
{
    for (size_t i = 0; i < q->n_by; i++) {
        if (slice_eq(q->by[i].attribute, attribute)) return &q->by[i];
    }
    return NULL;
}

bool is_across(const struct pattern *q, struct slice attribute)
{
    for (size_t i = 0; i < q->n_across; i++) {
        if (slice_eq(q->across[i], attribute)) return true;
    }
    return false;
}

bool fails(struct verdict *v, enum miss miss, struct slice reason)
{
    v->miss = miss;
    v->reason = reason;
    return false;
}

static int path_rank(const struct access_path *p)
{
    return p->kind == PATH_KEY ? 0 : p->kind == PATH_COPY ? 1 : !p->copy ? 2 : 3;
}

static bool condition_on(const struct condition *list, size_t n, struct slice attribute)
{
    for (size_t i = 0; i < n; i++) {
        if (slice_eq(list[i].attribute, attribute)) return true;
    }
    return false;
}

bool path_leaves_out(const struct pattern *q, const struct access_path *p, const struct attribute *at)
{
    /* Without it there is no entity, or no write: everything lies in a key, and in a copy that is not sparse. */
    if (p->kind == PATH_KEY || (p->kind == PATH_COPY && !p->copy->sparse)) return false;
    if (at->required || at->default_value.n || at->generate || at->automatic) return false;
    return path_uses(p, at->name) && !path_uses(p->entity->key, at->name) && !known_by(q, at->name) &&
           !is_across(q, at->name) && !condition_on(q->where, q->n_where, at->name);
}

/* Does the plan find every entity that is asked for? */
static bool is_complete(const struct plan *p)
{
    const struct pattern *q = p->pattern;
    for (size_t i = 0; i < (q->collection ? 1 : p->n_paths); i++) {
        const struct access_path *path = q->collection ? p->path : p->paths[i];
        for (size_t k = 0; k < path->entity->n_attributes; k++) {
            if (path_leaves_out(q, path, &path->entity->attributes[k])) return false;
        }
    }
    return true;
}

/* Months are not counted before they are bound; a year of them is a fair guess for ranking. */
static size_t stream_rank(const struct plan *p)
{
    size_t n = 1;
    for (size_t i = 0; i < p->n_fans; i++)
        n *= p->fans[i].n ? p->fans[i].n : 12;
    return n;
}

/* Is x better than y? The order of plan.h. */
static bool better(const struct verdict *x, const struct verdict *y)
{
    bool cx = is_complete(&x->plan), cy = is_complete(&y->plan);
    if (cx != cy) return cx;
    if (x->plan.kind != y->plan.kind) return x->plan.kind < y->plan.kind;
    size_t sx = stream_rank(&x->plan), sy = stream_rank(&y->plan);
    if (sx != sy) return sx < sy;
    /* A collection is a partition; what begins with a known sort key is one only where there is no
     * better. */
    if (x->known != y->known) return (x->known > y->known) != x->plan.pattern->collection;
    bool fx = x->plan.neighbours != NULL, fy = y->plan.neighbours != NULL;
    if (fx != fy) return fy;
    return path_rank(x->plan.path) < path_rank(y->plan.path);
}

/* Of two misses the one that came farther. */
static bool nearer(const struct verdict *x, const struct verdict *y)
{
    if (x->miss != y->miss) return x->miss > y->miss;
    return x->score > y->score;
}

struct choice {
    struct verdict best, miss;
    bool found, missed;
};

static void consider(struct resolver *r, const struct access_path *p, struct choice *c)
{
    struct verdict v = { .miss = MISS_NONE };
    const struct pattern *q = r->pattern;
    if (q->index && p->index != q->index) {
        fails(&v, MISS_INDEX,
              arena_printf(r->arena, "%.*s is not in %.*s", SLICE_ARG(p->entity->name),
                           SLICE_ARG(q->index->name.n ? q->index->name : SLICE("the table"))));
    } else if (q->collection || q->n_entities > 1) {
        judge_group(r, p, &v);
    } else {
        judge_path(r, p, &v);
    }
    if (v.miss == MISS_NONE) {
        find_neighbours(r, &v.plan);
        if (!c->found || better(&v, &c->best)) c->best = v;
        c->found = true;
    } else if (!c->missed || nearer(&v, &c->miss)) {
        c->miss = v;
        c->missed = true;
    }
}

static void consider_all(struct resolver *r, struct choice *c)
{
    const struct entity *en = r->pattern->entities[0];
    consider(r, en->key, c);
    for (size_t i = 0; i < en->n_copies; i++) {
        consider(r, en->copies[i].key, c);
        for (size_t k = 0; k < en->copies[i].n_entries; k++)
            consider(r, en->copies[i].entries[k], c);
    }
    for (size_t i = 0; i < en->n_entries; i++)
        consider(r, en->entries[i], c);
}

/* Where no hash key fits, all of them are shown: which one to change is the designer's choice. */
static struct slice hash_reason(struct resolver *r)
{
    const struct pattern *q = r->pattern;
    const struct entity *en = q->entities[0];
    struct buf b;
    buf_init(&b, r->arena, MODEL_MAX_FILE);
    BUF_LIT(&b, "needs ");
    for (size_t i = 0; i < q->n_by; i++) {
        if (i) buf_slice(&b, i + 1 == q->n_by ? SLICE(" and ") : SLICE(", "));
        buf_slice(&b, q->by[i].attribute);
    }
    if (!q->n_by) {
        buf_printf(&b, "a hash key that is the same for every %.*s", SLICE_ARG(en->name));
    } else {
        BUF_LIT(&b, " in a hash key");
    }
    size_t shown = 0;
    for (size_t i = 0; i < r->model->n_paths && shown < 4; i++) {
        const struct access_path *p = &r->model->paths[i];
        if (p->entity != en || (q->index && p->index != q->index)) continue;
        buf_slice(&b, shown++ ? SLICE(", ") : SLICE("; "));
        struct slice name = path_name(r->arena, p), source = hash_source(r->arena, p);
        buf_printf(&b, "%.*s has %.*s", SLICE_ARG(name), SLICE_ARG(source));
    }
    return buf_view(&b);
}

int plan_make(struct arena *a, const struct model *m, const struct pattern *p, bool proposals,
              struct plan *out, struct err *e)
{
    (void)e;
    struct resolver r = { a, m, p };
    struct choice c = { .found = false };
    consider_all(&r, &c);
    if (c.found) {
        *out = c.best.plan;
        plan_describe(&r, out);
        return 0;
    }
    *out = (struct plan){ .kind = PLAN_NONE, .pattern = p, .operation = SLICE("none") };
    /* Where a hash key uses all that is known, what else it needs is the nearest miss. */
    bool partly = p->n_by && c.miss.score >= p->n_by;
    out->reason = c.miss.miss == MISS_HASH && !partly ? hash_reason(&r) : c.miss.reason;
    if (proposals) propose(&r, out);
    return 0;
}
