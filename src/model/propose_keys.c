/* propose_keys.c: proposals that change keys: an entry in an index that has room for this entity, a
 * new index, a copy, a sort key with its parts in another order. */
#include "propose_impl.h"

static bool one_string(const struct key_side *s)
{
    return s->n == 1 && s->attrs[0].type == TYPE_S;
}

static bool has_entry(const struct entity *en, const struct model_index *x)
{
    for (size_t i = 0; i < en->n_entries; i++) {
        if (en->entries[i]->index == x) return true;
    }
    return false;
}

/* { GSI2PK: "STATUS#${status}", GSI2SK: "ORDER#${orderId}" } */
static struct slice key_map(struct proposer *p, struct draft *d, struct slice hash_name,
                            struct slice sort_name, const struct key_idea *idea)
{
    struct arena *a = p->r->arena;
    const char *q = d->edits.json ? "\"" : "";
    struct slice hash = quoted(a, idea->hash), sort = quoted(a, idea->sort);
    if (!sort_name.n)
        return arena_printf(a, "{ %s%.*s%s: %.*s }", q, SLICE_ARG(hash_name), q, SLICE_ARG(hash));
    return arena_printf(a, "{ %s%.*s%s: %.*s, %s%.*s%s: %.*s }", q, SLICE_ARG(hash_name), q,
                        SLICE_ARG(hash), q, SLICE_ARG(sort_name), q, SLICE_ARG(sort));
}

static const char *hot_words(const struct key_idea *idea)
{
    return idea->constant
               ? "; all of them share one partition, so spread it with shards: where there are many"
               : "";
}

void propose_entries(struct proposer *p)
{
    const struct model *m = p->r->model;
    struct arena *a = p->r->arena;
    struct key_idea idea;
    if (!idea_for(p, &idea)) return;
    for (size_t i = 1; i < m->n_indexes; i++) {
        const struct model_index *x = &m->indexes[i];
        if (x->local || has_entry(p->entity, x) || !one_string(&x->hash) ||
            (x->sort.n && !one_string(&x->sort)))
            continue;
        struct draft d;
        draft_init(p, &d, PROPOSE_INDEX_ENTRY);
        struct slice sort = x->sort.n ? x->sort.attrs[0].name : (struct slice){ 0 };
        struct slice value = key_map(p, &d, x->hash.attrs[0].name, sort, &idea);
        edit_nested(&d.edits, entity_node(p), SLICE("index"), x->name, value);
        d.text = arena_printf(a, "let %.*s use %.*s, whose slot is free for it%s",
                              SLICE_ARG(p->entity->name), SLICE_ARG(x->name), hot_words(&idea));
        d.yaml = arena_printf(a, "entities:\n  %.*s:\n    index:\n      %.*s: %.*s\n",
                              SLICE_ARG(p->entity->name), SLICE_ARG(x->name), SLICE_ARG(value));
        draft_offer(p, &d);
    }
}

static bool index_named(const struct model *m, struct slice name)
{
    for (size_t i = 1; i < m->n_indexes; i++) {
        if (slice_eq(m->indexes[i].name, name)) return true;
    }
    return false;
}

/* GSI2 beside GSI1, gsi2 beside gsi1; its attributes as those of the others are called. */
bool new_index_names(struct arena *a, const struct model *m, struct slice *name, struct slice *hash, struct slice *sort)
{
    const struct model_index *like = NULL;
    for (size_t i = 1; i < m->n_indexes && !like; i++) {
        if (!m->indexes[i].local) like = &m->indexes[i];
    }
    bool lower = like && like->name.p[0] >= 'a' && like->name.p[0] <= 'z';
    uint8_t key = like ? like->hash.attrs[0].name.p[0] : m->indexes[0].hash.attrs[0].name.p[0];
    bool lower_keys = key >= 'a' && key <= 'z';
    for (unsigned n = 1; n <= 20; n++) {
        *name = arena_printf(a, "%s%u", lower ? "gsi" : "GSI", n);
        *hash = arena_printf(a, lower_keys ? "gsi%upk" : "GSI%uPK", n);
        *sort = arena_printf(a, lower_keys ? "gsi%usk" : "GSI%uSK", n);
        if (!index_named(m, *name) && !model_is_key_attribute(m, *hash) &&
            !model_is_key_attribute(m, *sort))
            return true;
    }
    return false;
}

void propose_new_index(struct proposer *p)
{
    struct arena *a = p->r->arena;
    struct key_idea idea;
    struct slice name, hash, sort;
    if (!idea_for(p, &idea) || !new_index_names(a, p->r->model, &name, &hash, &sort)) return;
    struct draft d;
    draft_init(p, &d, PROPOSE_NEW_INDEX);
    const char *q = d.edits.json ? "\"" : "";
    struct slice value = key_map(p, &d, hash, sort, &idea);
    struct slice keys = arena_printf(a, "{ %shash%s: %s%.*s%s, %ssort%s: %s%.*s%s }", q, q, q,
                                     SLICE_ARG(hash), q, q, q, q, SLICE_ARG(sort), q);
    edit_nested(&d.edits, entity_node(p), SLICE("index"), name, value);
    edit_nested(&d.edits, p->r->model->root, SLICE("indexes"), name, keys);
    d.text = arena_printf(
        a, "add the global index %.*s, a sparse one: only %.*s items have its keys and are in it%s",
        SLICE_ARG(name), SLICE_ARG(p->entity->name), hot_words(&idea));
    d.yaml = arena_printf(
        a, "indexes:\n  %.*s: %.*s\nentities:\n  %.*s:\n    index:\n      %.*s: %.*s\n",
        SLICE_ARG(name), SLICE_ARG(keys), SLICE_ARG(p->entity->name), SLICE_ARG(name),
        SLICE_ARG(value));
    draft_offer(p, &d);
}

static bool may_be_missing(const struct proposer *p, const struct condition *list, size_t n, const struct access_path *path)
{
    for (size_t i = 0; i < n; i++) {
        const struct attribute *at = entity_attribute(p->entity, list[i].attribute);
        if (at && !at->required && !at->default_value.n && !at->generate && !at->automatic &&
            !path_uses(p->entity->key, at->name) && !(path && path_uses(path, at->name)))
            return true;
    }
    return false;
}

/* Would the key need an attribute that an entity may lack, though no key that is always made (or path) has it yet? Such an
 * entity could not be written then. */
static bool needs_optional(const struct proposer *p, const struct access_path *path)
{
    const struct pattern *q = p->r->pattern;
    return may_be_missing(p, q->by, q->n_by, path) || may_be_missing(p, q->where, q->n_where, path);
}

void propose_copy(struct proposer *p)
{
    const struct model_index *table = &p->r->model->indexes[0];
    struct arena *a = p->r->arena;
    struct key_idea idea;
    if (!one_string(&table->hash) || !one_string(&table->sort) || !idea_for(p, &idea)) return;
    struct draft d;
    draft_init(p, &d, PROPOSE_COPY);
    const char *q = d.edits.json ? "\"" : "";
    struct slice key = key_map(p, &d, table->hash.attrs[0].name, table->sort.attrs[0].name, &idea);
    struct slice value = needs_optional(p, NULL)
                             ? arena_printf(a, "{ %skey%s: %.*s, %ssparse%s: true }", q, q, SLICE_ARG(key), q, q)
                             : arena_printf(a, "{ %skey%s: %.*s }", q, q, SLICE_ARG(key));
    edit_element(&d.edits, entity_node(p), SLICE("copies"), value);
    d.text = arena_printf(a, "keep a copy of each %.*s under %.*s%s", SLICE_ARG(p->entity->name),
                          SLICE_ARG(idea.hash), hot_words(&idea));
    d.yaml = arena_printf(a, "entities:\n  %.*s:\n    copies:\n      - %.*s\n",
                          SLICE_ARG(p->entity->name), SLICE_ARG(value));
    draft_offer(p, &d);
}

/* An attribute that may change moves its item when it is part of the table's key. */
static const char *moving_words(struct proposer *p, const struct access_path *path)
{
    if (path->kind != PATH_KEY) return "";
    const struct pattern *q = p->r->pattern;
    for (size_t i = 0; i < q->n_by + q->n_where; i++) {
        const struct condition *c = i < q->n_by ? &q->by[i] : &q->where[i - q->n_by];
        const struct attribute *at = entity_attribute(p->entity, c->attribute);
        if (at && !at->read_only && !path_uses(path, at->name)) {
            return "; a change of it is then a delete and a put";
        }
    }
    return "";
}

static void propose_sort_key(struct proposer *p, const struct access_path *path)
{
    struct arena *a = p->r->arena;
    struct verdict v = { .miss = MISS_NONE, .used = ARENA_ARRAY(a, bool, p->r->pattern->n_by + 1) };
    if (!judge_hash(p->r, path, &v)) return;
    if ((path->kind == PATH_KEY || (path->kind == PATH_COPY && !path->copy->sparse)) && needs_optional(p, path)) return;
    struct slice text = sort_idea(p, path);
    if (!text.n) return;
    struct draft d;
    draft_init(p, &d, PROPOSE_SORT_KEY);
    d.per_item = path->kind != PATH_INDEX;
    const struct template *t = &path->sort[0].template;
    struct slice name = path->sort[0].attribute->name, place = path_name(a, path);
    edit_scalar(&d.edits, p->r->model->root, t->place, text);
    d.text = arena_printf(a, "change the sort key of %.*s from %.*s to %.*s%s", SLICE_ARG(place),
                          SLICE_ARG(t->source), SLICE_ARG(text), moving_words(p, path));
    struct slice under =
        path->kind == PATH_INDEX
            ? arena_printf(a, "index:\n      %.*s:\n        ", SLICE_ARG(path->index->name))
            : slice_str(path->kind == PATH_KEY ? "key:\n      "
                                               : "copies:\n      - key:\n          ");
    struct slice value = quoted(a, text);
    d.yaml = arena_printf(a, "entities:\n  %.*s:\n    %.*s%.*s: %.*s\n", SLICE_ARG(p->entity->name),
                          SLICE_ARG(under), SLICE_ARG(name), SLICE_ARG(value));
    draft_offer(p, &d);
}

void propose_sort_keys(struct proposer *p)
{
    const struct model *m = p->r->model;
    for (size_t i = 0; i < m->n_paths; i++) {
        if (m->paths[i].entity == p->entity) propose_sort_key(p, &m->paths[i]);
    }
}
