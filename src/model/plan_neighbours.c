/* plan_neighbours.c: what else lies in a plan's key range. COMMENT#1#REACTION#2 lies under
 * COMMENT#: a pattern of comments then needs a filter, and reads reactions that it throws away. */
#include "plan_impl.h"

/* The template with its shard: the shard is one more hole behind a delimiter. */
static struct template sharded(struct arena *a, const struct key_template *k)
{
    struct template t = k->template;
    if (!k->shards) return t;
    t.parts = ARENA_ARRAY(a, struct part, t.n + 2);
    memcpy(t.parts, k->template.parts, t.n * sizeof *t.parts);
    t.whole = false;
    struct part *last = t.n ? &t.parts[t.n - 1] : NULL;
    if (last && !last->hole) {
        last->text = arena_printf(a, "%.*s%.*s", SLICE_ARG(last->text), SLICE_ARG(t.delimiter));
    } else {
        t.parts[t.n++] = (struct part){ .text = t.delimiter };
    }
    t.parts[t.n++] = (struct part){ .text = k->shards->by, .hole = true };
    return t;
}

static bool meet(struct arena *a, const struct key_template *x, const struct key_template *y)
{
    /* The shared partition of an overloaded index: the same template in many entities. */
    if (x->shards == y->shards && slice_eq(x->template.source, y->template.source)) return true;
    if (!x->shards && !y->shards)
        return template_may_meet(&x->template, x->template.n, &y->template);
    struct template s = sharded(a, x), t = sharded(a, y);
    return template_may_meet(&s, s.n, &t);
}

bool hash_may_meet(struct arena *a, const struct access_path *x, const struct access_path *y)
{
    for (size_t i = 0; i < x->n_hash && i < y->n_hash; i++) {
        if (!meet(a, &x->hash[i], &y->hash[i])) return false;
    }
    return true;
}

/* The first n parts of a template, and more literal text behind them. */
static struct template begun(struct arena *a, const struct template *t, size_t n, struct slice more)
{
    struct template out = *t;
    out.parts = ARENA_ARRAY(a, struct part, n + 1);
    memcpy(out.parts, t->parts, n * sizeof *t->parts);
    out.n = n;
    out.whole = false;
    if (more.n && n && !out.parts[n - 1].hole) {
        struct part *last = &out.parts[n - 1];
        last->text = arena_printf(a, "%.*s%.*s", SLICE_ARG(last->text), SLICE_ARG(more));
    } else if (more.n) {
        out.parts[out.n++] = (struct part){ .text = more };
    }
    return out;
}

/* May a text of other begin with what is known of mine? */
static bool may_begin(struct arena *a, const struct plan *p, const struct template *mine,
                      const struct template *other)
{
    if (!p->subtree && !p->sort_common.n) {
        return (!p->sort_parts && mine->n) || template_may_meet(mine, p->sort_parts, other);
    }
    struct template t =
        begun(a, mine, p->sort_parts, p->subtree ? mine->delimiter : p->sort_common);
    size_t n = t.n;
    struct part *parts = ARENA_ARRAY(a, struct part, n + 1);
    memcpy(parts, t.parts, n * sizeof *parts);
    parts[n] = (struct part){ .text = SLICE("more"), .hole = true };
    t.parts = parts;
    t.n = n + 1; /* longer than the prefix asked about, so that only the prefix counts */
    if (template_may_meet(&t, n, other)) return true;
    struct template exact = begun(a, mine, p->sort_parts, (struct slice){ 0 });
    return p->subtree && template_may_meet(&exact, exact.n, other);
}

bool path_in_range(struct arena *a, const struct plan *p, const struct access_path *other)
{
    const struct access_path *mine = p->path;
    if (other->index != mine->index || !hash_may_meet(a, mine, other)) return false;
    for (size_t i = 0; i < mine->n_sort && i < other->n_sort && i <= p->sort_fixed; i++) {
        const struct template *x = &mine->sort[i].template, *y = &other->sort[i].template;
        if (i == p->sort_fixed) return may_begin(a, p, x, y);
        if (!template_may_meet(x, x->n, y)) return false;
    }
    return true;
}

static bool listed(const struct plan *p, const struct access_path *path)
{
    for (size_t i = 0; i < p->n_paths; i++) {
        if (p->paths[i] == path) return true;
    }
    return false;
}

static bool entity_listed(const struct plan *p, const struct entity *en)
{
    for (size_t i = 0; i < p->n_paths; i++) {
        if (p->paths[i]->entity == en) return true;
    }
    return false;
}

void find_neighbours(struct resolver *r, struct plan *p)
{
    const struct model *m = r->model;
    if (p->kind == PLAN_GET || p->pattern->collection) return;
    struct neighbour **tail = (struct neighbour **)&p->neighbours;
    bool same_entity = false;
    for (size_t i = 0; i < m->n_paths; i++) {
        const struct access_path *other = &m->paths[i];
        if (other->index != p->path->index || listed(p, other) ||
            !path_in_range(r->arena, p, other))
            continue;
        struct neighbour *n = ARENA_NEW(r->arena, struct neighbour);
        n->path = other;
        *tail = n;
        tail = (struct neighbour **)&n->next;
        if (entity_listed(p, other->entity))
            same_entity = true;
        else
            p->filter_entity = true;
    }
    if (!p->neighbours) return;
    /* DynamoDB refuses a filter on a key attribute. */
    bool stored = m->entity_attribute.n && path_stores(m, p->path, m->entity_attribute) &&
                  !is_key_of(p->path->index, m->entity_attribute);
    if (p->filter_entity && !stored) p->filter_entity = false;
    p->filter_client = same_entity || !stored;
}
