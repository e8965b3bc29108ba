/* plan_path.c: does one path answer a pattern of one entity? The hash key first, then how far the
 * sort key is known, the range behind that, the order, the filter. */
#include "plan_impl.h"
#include "shard.h"

static struct fan attribute_fan(struct resolver *r, const struct attribute *at)
{
    struct fan f = { .attribute = at->name, .values = at->enumeration, .n = at->n_enumeration };
    if (at->type == TYPE_BOOL && !f.n) {
        struct slice *both = ARENA_ARRAY(r->arena, struct slice, 2);
        static const uint8_t no = VAL_FALSE, yes = VAL_TRUE;
        both[0] = slice_of(&no, 1);
        both[1] = slice_of(&yes, 1);
        f.values = both;
        f.n = 2;
    }
    return f;
}

bool add_fan(struct resolver *r, struct verdict *v, struct slice attribute,
             const struct key_template *shards)
{
    struct plan *p = &v->plan;
    for (size_t i = 0; i < p->n_fans && attribute.n; i++) {
        if (slice_eq(p->fans[i].attribute, attribute)) return true;
    }
    if (p->n_fans == PLAN_MAX_FANS) {
        return fails(v, MISS_HASH, SLICE("would fan out over more than four things at once"));
    }
    struct fan f = { .key = shards };
    if (shards) {
        if (shards->shards->kind != SHARD_MONTH)
            f.n = shard_list(r->arena, shards->shards, 0, &f.values);
    } else {
        f = attribute_fan(r, entity_attribute(r->pattern->entities[0], attribute));
    }
    p->fans[p->n_fans++] = f;
    return true;
}

bool hole_known(struct resolver *r, struct verdict *v, struct slice attribute, bool fan)
{
    const struct pattern *q = r->pattern;
    bool known = false;
    for (size_t i = 0; i < q->n_by; i++) {
        if (!slice_eq(q->by[i].attribute, attribute)) continue;
        known = v->used[i] = true;
        v->score++;
    }
    if (known) return true;
    const struct attribute *at = entity_attribute(q->entities[0], attribute);
    if (!fan || !at || !is_across(q, attribute) || (!at->n_enumeration && at->type != TYPE_BOOL))
        return false;
    return add_fan(r, v, attribute, NULL);
}

bool judge_hash(struct resolver *r, const struct access_path *p, struct verdict *v)
{
    struct buf missing;
    buf_init(&missing, r->arena, MODEL_MAX_FILE);
    for (size_t i = 0; i < p->n_hash; i++) {
        const struct template *t = &p->hash[i].template;
        for (size_t k = 0; k < t->n; k++) {
            struct slice name = t->parts[k].text;
            if (!t->parts[k].hole || hole_known(r, v, name, true)) continue;
            if (v->miss != MISS_NONE) return false; /* too many fans */
            buf_printf(&missing, "%s%.*s", missing.n ? " and " : "", SLICE_ARG(name));
        }
    }
    if (!missing.n) return true;
    struct slice names = buf_view(&missing), place = path_name(r->arena, p),
                 has = hash_source(r->arena, p);
    return fails(v, MISS_HASH,
                 arena_printf(r->arena, "needs %.*s to be known too; %.*s has %.*s",
                              SLICE_ARG(names), SLICE_ARG(place), SLICE_ARG(has)));
}

static bool fanned(const struct plan *p, struct slice attribute)
{
    for (size_t i = 0; i < p->n_fans; i++) {
        if (slice_eq(p->fans[i].attribute, attribute)) return true;
    }
    return false;
}

bool judge_shards(struct resolver *r, const struct access_path *p, struct verdict *v)
{
    for (size_t i = 0; i < p->n_hash; i++) {
        const struct shards *s = p->hash[i].shards;
        if (!s) continue;
        const struct condition *c = known_by(r->pattern, s->by);
        if (c && s->kind == SHARD_VALUE)
            v->used[c - r->pattern->by] = true; /* the shard is the value */
        if (c || fanned(&v->plan, s->by)) continue;
        if (!add_fan(r, v, (struct slice){ 0 }, &p->hash[i])) return false;
    }
    return true;
}

/* An enum in the sort key is fanned out over only where something behind it is asked for. */
static bool fan_helps(struct resolver *r, const struct verdict *v, struct slice attribute)
{
    const struct pattern *q = r->pattern;
    for (size_t i = 0; i < q->n_by; i++) {
        if (!v->used[i]) return true;
    }
    for (size_t i = 0; i < q->n_where; i++) {
        if (slice_eq(q->where[i].attribute, attribute)) return false;
    }
    return q->n_where || q->order != ORDER_NONE;
}

static void walk_sort(struct resolver *r, const struct access_path *p, struct verdict *v)
{
    struct plan *plan = &v->plan;
    for (; plan->sort_fixed < p->n_sort; plan->sort_fixed++) {
        const struct key_template *k = &p->sort[plan->sort_fixed];
        const struct template *t = &k->template;
        for (size_t i = 0; i < t->n; i++, v->known++) {
            const struct part *part = &t->parts[i];
            if (!part->hole || hole_known(r, v, part->text, fan_helps(r, v, part->text))) continue;
            plan->sort_parts = i;
            v->hole = part;
            v->hole_of = t;
            v->hole_key = k->attribute;
            return;
        }
    }
}

bool judge_used(struct resolver *r, const struct access_path *p, struct verdict *v)
{
    const struct pattern *q = r->pattern;
    for (size_t i = 0; i < q->n_by; i++) {
        if (v->used[i]) continue;
        struct slice name = path_name(r->arena, p), has = sort_source(r->arena, p);
        return fails(v, MISS_KNOWN,
                     arena_printf(r->arena,
                                  "needs %.*s in the known part of a key; %.*s has %.*s%s%.*s. It "
                                  "could be a filter, which reads what it throws away",
                                  SLICE_ARG(q->by[i].attribute), SLICE_ARG(name),
                                  SLICE_ARG(hash_source(r->arena, p)), has.n ? ", " : "",
                                  SLICE_ARG(has)));
    }
    return true;
}

bool path_stores(const struct model *m, const struct access_path *p, struct slice attribute)
{
    const struct copy *c = p->copy;
    if (c && !slice_eq(attribute, m->entity_attribute) && !copy_holds(c, attribute)) return false;
    if (p->kind != PATH_INDEX || p->index->projection == PROJECT_ALL) return true;
    const struct model_index *x = p->index, *table = &m->indexes[0];
    const struct key_side *sides[] = { &x->hash, &x->sort, &table->hash, &table->sort };
    for (size_t s = 0; s < 4; s++) {
        for (size_t i = 0; i < sides[s]->n; i++) {
            if (slice_eq(sides[s]->attrs[i].name, attribute)) return true;
        }
    }
    for (size_t i = 0; i < x->n_include && x->projection == PROJECT_INCLUDE; i++) {
        if (slice_eq(x->include[i], attribute)) return true;
    }
    return false;
}

bool is_key_of(const struct model_index *x, struct slice name)
{
    for (size_t i = 0; i < x->hash.n; i++) {
        if (slice_eq(x->hash.attrs[i].name, name)) return true;
    }
    for (size_t i = 0; i < x->sort.n; i++) {
        if (slice_eq(x->sort.attrs[i].name, name)) return true;
    }
    return false;
}

bool judge_filter(struct resolver *r, const struct access_path *p, struct verdict *v)
{
    const struct pattern *q = r->pattern;
    struct slice name = path_name(r->arena, p);
    for (size_t i = 0; i < q->n_filter; i++) {
        struct slice at = q->filter[i].attribute;
        if (is_key_of(p->index, at)) {
            return fails(v, MISS_FILTER,
                         arena_printf(r->arena,
                                      "filters on %.*s, which is a key attribute of %.*s: DynamoDB "
                                      "refuses that. Ask for it in by: or where:, "
                                      "as a condition on the key",
                                      SLICE_ARG(at), SLICE_ARG(name)));
        }
        if (!path_stores(r->model, p, at)) {
            return fails(v, MISS_FILTER,
                         arena_printf(r->arena,
                                      "filters on %.*s, which %.*s does not hold: project it",
                                      SLICE_ARG(at), SLICE_ARG(name)));
        }
    }
    return true;
}

void finish_kind(struct resolver *r, const struct access_path *p, struct verdict *v)
{
    struct plan *plan = &v->plan;
    const struct pattern *q = r->pattern;
    plan->streams = 1;
    for (size_t i = 0; i < plan->n_fans; i++)
        plan->streams *= plan->fans[i].n;
    if (plan->streams > PLAN_MAX_STREAMS) {
        fails(v, MISS_HASH,
              arena_printf(r->arena, "would need %zu Queries, more than %d", plan->streams,
                           PLAN_MAX_STREAMS));
        return;
    }
    bool exact = plan->sort_fixed == p->n_sort && p->kind != PATH_INDEX && !q->collection &&
                 q->n_entities == 1;
    plan->kind = plan->n_fans ? PLAN_MERGE : exact && !q->n_filter ? PLAN_GET : PLAN_QUERY;
    plan->descending = q->order == ORDER_NEWEST || q->order == ORDER_DESCENDING;
    plan->index_name = p->index->name;
}

void judge_path(struct resolver *r, const struct access_path *p, struct verdict *v)
{
    const struct pattern *q = r->pattern;
    v->plan = (struct plan){ .pattern = q, .path = p };
    v->used = ARENA_ARRAY(r->arena, bool, q->n_by + 1);
    if (!judge_hash(r, p, v)) return;
    walk_sort(r, p, v);
    if (v->miss != MISS_NONE || !judge_shards(r, p, v) || !judge_used(r, p, v) ||
        !judge_range(r, p, v) || !judge_order(r, p, v) || !judge_filter(r, p, v)) {
        return;
    }
    const struct access_path **paths = ARENA_NEW(r->arena, const struct access_path *);
    paths[0] = p;
    v->plan.paths = paths;
    v->plan.n_paths = 1;
    finish_kind(r, p, v);
}
