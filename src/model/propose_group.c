/* propose_group.c: a pattern of several entities that do not lie in one partition: those that are
 * missing there get a copy under the first one's hash key, or an entry in its index. */
#include "propose_impl.h"

/* Has the entity all attributes that the hash key is made of? */
static bool can_follow(const struct entity *en, const struct access_path *p)
{
    for (size_t i = 0; i < p->n_hash; i++) {
        const struct template *t = &p->hash[i].template;
        if (p->hash[i].shards || p->hash[i].attribute->type != TYPE_S) return false;
        for (size_t k = 0; k < t->n; k++) {
            if (t->parts[k].hole && !entity_attribute(en, t->parts[k].text)) return false;
        }
    }
    return p->n_hash == 1 && p->n_sort == 1 && p->sort[0].attribute->type == TYPE_S;
}

static bool in_index(const struct entity *en, const struct model_index *x)
{
    for (size_t i = 0; i < en->n_entries; i++) {
        if (en->entries[i]->index == x) return true;
    }
    return false;
}

static void bring(struct proposer *p, const struct access_path *home, const struct entity *en)
{
    struct arena *a = p->r->arena;
    struct slice sort = identity_sort(p, en, home);
    bool index = home->kind == PATH_INDEX;
    if (!sort.n || !can_follow(en, home) ||
        (index && (home->index->local || in_index(en, home->index))))
        return;
    p->entity = en;
    struct draft d;
    draft_init(p, &d, index ? PROPOSE_INDEX_ENTRY : PROPOSE_COPY);
    const char *q = d.edits.json ? "\"" : "";
    struct slice hash = quoted(a, home->hash[0].template.source), text = quoted(a, sort);
    struct slice key = arena_printf(a, "{ %s%.*s%s: %.*s, %s%.*s%s: %.*s }", q,
                                    SLICE_ARG(home->hash[0].attribute->name), q, SLICE_ARG(hash), q,
                                    SLICE_ARG(home->sort[0].attribute->name), q, SLICE_ARG(text));
    struct slice name = index ? home->index->name : SLICE("the table");
    d.text = arena_printf(a, "bring %.*s to %.*s in %.*s, under %.*s", SLICE_ARG(en->name),
                          SLICE_ARG(home->entity->name), SLICE_ARG(name),
                          SLICE_ARG(home->hash[0].template.source));
    if (index) {
        edit_nested(&d.edits, entity_node(p), SLICE("index"), name, key);
        d.yaml = arena_printf(a, "entities:\n  %.*s:\n    index:\n      %.*s: %.*s\n",
                              SLICE_ARG(en->name), SLICE_ARG(name), SLICE_ARG(key));
    } else {
        struct slice value = arena_printf(a, "{ %skey%s: %.*s }", q, q, SLICE_ARG(key));
        edit_element(&d.edits, entity_node(p), SLICE("copies"), value);
        d.yaml = arena_printf(a, "entities:\n  %.*s:\n    copies:\n      - %.*s\n",
                              SLICE_ARG(en->name), SLICE_ARG(value));
    }
    draft_offer(p, &d);
    p->entity = p->r->pattern->entities[0];
}

/* One entity at a time: where two are missing there is no single change to offer. Entries cost less
 * than copies. */
static void bring_all(struct proposer *p, enum path_kind kind)
{
    const struct model *m = p->r->model;
    const struct pattern *q = p->r->pattern;
    for (size_t i = 0; i < m->n_paths; i++) {
        const struct access_path *home = &m->paths[i];
        struct verdict v = { .miss = MISS_NONE,
                             .used = ARENA_ARRAY(p->r->arena, bool, q->n_by + 1) };
        if (home->entity != q->entities[0] || (home->kind == PATH_INDEX) != (kind == PATH_INDEX))
            continue;
        if (!judge_hash(p->r, home, &v)) continue;
        const struct entity *missing = NULL;
        size_t n = 0;
        for (size_t k = 1; k < q->n_entities; k++) {
            if (group_companion(q->entities[k], home)) continue;
            missing = q->entities[k];
            n++;
        }
        if (n == 1) bring(p, home, missing);
    }
}

void propose_group(struct proposer *p)
{
    bring_all(p, PATH_INDEX);
    bring_all(p, PATH_COPY);
}
