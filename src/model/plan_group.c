/* plan_group.c: patterns whose answer holds several entities: those listed, which must lie in one
 * partition, or a collection, which is whatever lies there. The first entity's attributes are what
 * `by` speaks of; the others' keys need only have the same shape. */
#include "plan_impl.h"
#include "shard.h"

static bool same_hash(const struct access_path *x, const struct access_path *y)
{
    if (x->index != y->index) return false;
    for (size_t i = 0; i < x->n_hash; i++) {
        if (!template_same_shape(&x->hash[i].template, &y->hash[i].template) ||
            !same_shards(x->hash[i].shards, y->hash[i].shards)) {
            return false;
        }
    }
    return true;
}

/* The entity's path in the partition of p: its key before its copies before index entries. */
const struct access_path *group_companion(const struct entity *en, const struct access_path *p)
{
    if (same_hash(p, en->key)) return en->key;
    for (size_t i = 0; i < en->n_copies; i++) {
        if (same_hash(p, en->copies[i].key)) return en->copies[i].key;
    }
    for (size_t i = 0; i < en->n_entries; i++) {
        if (same_hash(p, en->entries[i])) return en->entries[i];
    }
    for (size_t i = 0; i < en->n_copies; i++) {
        for (size_t k = 0; k < en->copies[i].n_entries; k++) {
            if (same_hash(p, en->copies[i].entries[k])) return en->copies[i].entries[k];
        }
    }
    return NULL;
}

static bool find_listed(struct resolver *r, const struct access_path *p, struct verdict *v)
{
    const struct pattern *q = r->pattern;
    const struct access_path **paths =
        ARENA_ARRAY(r->arena, const struct access_path *, q->n_entities);
    paths[0] = p;
    for (size_t i = 1; i < q->n_entities; i++) {
        paths[i] = group_companion(q->entities[i], p);
        if (paths[i]) continue;
        struct slice name = path_name(r->arena, p), has = hash_source(r->arena, p);
        return fails(v, MISS_GROUP,
                     arena_printf(r->arena,
                                  "needs %.*s in the same partition as %.*s: %.*s has %.*s, and no "
                                  "key, copy or index entry of %.*s has that "
                                  "shape there",
                                  SLICE_ARG(q->entities[i]->name), SLICE_ARG(q->entities[0]->name),
                                  SLICE_ARG(name), SLICE_ARG(has),
                                  SLICE_ARG(q->entities[i]->name)));
    }
    v->plan.paths = paths;
    v->plan.n_paths = q->n_entities;
    return true;
}

static bool all_used(const struct pattern *q, const struct verdict *v)
{
    for (size_t i = 0; i < q->n_by; i++) {
        if (!v->used[i]) return false;
    }
    return true;
}

/* Is part i of the first sort key the same in all, so that a range may go through it? */
static bool part_common(const struct plan *p, size_t i)
{
    const struct part *mine = &p->path->sort[0].template.parts[i];
    for (size_t k = 1; k < p->n_paths; k++) {
        const struct template *t = &p->paths[k]->sort[0].template;
        if (i >= t->n || t->parts[i].hole != mine->hole) return false;
        if (!mine->hole && !slice_eq(t->parts[i].text, mine->text)) return false;
        if (mine->hole &&
            (t->parts[i].digits != mine->digits || t->parts[i].decimals != mine->decimals))
            return false;
    }
    return true;
}

/* What the literals at part i of all have in common, cut behind its last delimiter. */
static struct slice common_text(const struct plan *p, size_t i)
{
    const struct template *t = &p->path->sort[0].template;
    if (i >= t->n || t->parts[i].hole) return (struct slice){ 0 };
    struct slice common = t->parts[i].text;
    for (size_t k = 1; k < p->n_paths; k++) {
        const struct template *o = &p->paths[k]->sort[0].template;
        struct slice other = i < o->n && !o->parts[i].hole ? o->parts[i].text : (struct slice){ 0 };
        size_t n = 0;
        while (n < common.n && n < other.n && common.p[n] == other.p[n])
            n++;
        common.n = n;
    }
    struct slice d = t->delimiter;
    while (common.n && (common.n < d.n || memcmp(common.p + common.n - d.n, d.p, d.n) != 0))
        common.n--;
    return common;
}

/* Walks what the sort keys of all have in common. A collection stops as soon as all that is known
 * was used, so that it holds everything there. */
static void walk_common(struct resolver *r, const struct access_path *p, struct verdict *v)
{
    const struct pattern *q = r->pattern;
    if (!p->n_sort) return;
    const struct template *t = &p->sort[0].template;
    size_t i = 0;
    for (; i < t->n; i++) {
        if (q->collection && !q->n_where && all_used(q, v)) break;
        const struct part *part = &t->parts[i];
        if (!part_common(&v->plan, i)) {
            v->plan.sort_common = common_text(&v->plan, i);
            break;
        }
        if (part->hole && !hole_known(r, v, part->text, false)) {
            v->hole = part;
            v->hole_of = t;
            v->hole_key = p->sort[0].attribute;
            break;
        }
    }
    v->plan.sort_parts = i;
    v->known = i;
    v->plan.subtree = i && !v->hole && !v->plan.sort_common.n && t->parts[i - 1].hole;
}

/* Does the path go by time where it is not known? */
static bool goes_by_time(struct resolver *r, const struct access_path *p)
{
    if (!p->n_sort) return false;
    const struct template *t = &p->sort[0].template;
    for (size_t i = 0; i < t->n; i++) {
        if (!t->parts[i].hole || known_by(r->pattern, t->parts[i].text)) continue;
        return hole_is_time(p->entity, t, &t->parts[i], p->sort[0].attribute);
    }
    return false;
}

static bool group_order(struct resolver *r, const struct access_path *p, struct verdict *v)
{
    enum order o = r->pattern->order;
    if (o != ORDER_NEWEST && o != ORDER_OLDEST) return true;
    for (size_t i = 0; i < v->plan.n_paths; i++) {
        if (goes_by_time(r, v->plan.paths[i])) return true;
    }
    struct slice name = path_name(r->arena, p);
    return fails(
        v, MISS_ORDER,
        arena_printf(r->arena,
                     "asks for the %s first, but in the partition of %.*s no sort key goes by time",
                     o == ORDER_NEWEST ? "newest" : "oldest", SLICE_ARG(name)));
}

/* Everything whose key may lie in the range, the first entity's own path first. */
static void find_collected(struct resolver *r, const struct access_path *p, struct verdict *v)
{
    const struct model *m = r->model;
    size_t n = 1, cap = 8;
    const struct access_path **paths = ARENA_ARRAY(r->arena, const struct access_path *, cap);
    paths[0] = p;
    for (size_t i = 0; i < m->n_paths; i++) {
        const struct access_path *other = &m->paths[i];
        if (other == p || other->index != p->index || !path_in_range(r->arena, &v->plan, other))
            continue;
        if (n == cap) {
            const struct access_path **more =
                ARENA_ARRAY(r->arena, const struct access_path *, cap * 2);
            memcpy(more, paths, n * sizeof *paths);
            paths = more;
            cap *= 2;
        }
        paths[n++] = other;
    }
    v->plan.paths = paths;
    v->plan.n_paths = n;
}

void judge_group(struct resolver *r, const struct access_path *p, struct verdict *v)
{
    const struct pattern *q = r->pattern;
    v->plan = (struct plan){ .pattern = q, .path = p };
    v->used = ARENA_ARRAY(r->arena, bool, q->n_by + 1);
    if (!judge_hash(r, p, v)) return;
    const struct access_path *self[1] = { p };
    if (q->collection) {
        v->plan.paths = self;
        v->plan.n_paths = 1;
    } else if (!find_listed(r, p, v)) {
        return;
    }
    walk_common(r, p, v);
    bool good = judge_shards(r, p, v) && judge_used(r, p, v) && judge_range(r, p, v);
    if (good && q->collection) find_collected(r, p, v);
    if (!good || !group_order(r, p, v) || !judge_filter(r, p, v)) return;
    finish_kind(r, p, v);
}
