/* sample_records.c: reads a data file: a map of entity name to a list of attribute maps. */
#include "sample.h"
#include "values.h"

struct reader {
    struct problems *ps;
    const struct model *m;
    struct record *list;
    size_t n, cap;
};

static struct slice did_you_mean(struct arena *a, struct slice near)
{
    return near.n ? arena_printf(a, "did you mean %.*s?", SLICE_ARG(near)) : near;
}

static void unknown_entity(struct reader *r, const struct node *n)
{
    struct slice *names = ARENA_ARRAY(r->ps->arena, struct slice, r->m->n_entities + 1);
    for (size_t i = 0; i < r->m->n_entities; i++) names[i] = r->m->entities[i].name;
    struct slice near = near_name(n->name, names, r->m->n_entities);
    struct slice hint = near.n ? did_you_mean(r->ps->arena, near) : SLICE("declare it under entities: in the model");
    problem_add(r->ps, n->name_place, hint, "the model has no entity %.*s", SLICE_ARG(n->name));
}

static void unknown_attribute(struct reader *r, const struct entity *en, const struct node *n)
{
    struct slice *names = ARENA_ARRAY(r->ps->arena, struct slice, en->n_attributes + 1);
    if (model_is_key_attribute(r->m, n->name)) {
        problem_add(r->ps, n->name_place, SLICE("leave it out"), "%.*s is a key, which is computed",
                    SLICE_ARG(n->name));
        return;
    }
    for (size_t i = 0; i < en->n_attributes; i++) names[i] = en->attributes[i].name;
    struct slice near = near_name(n->name, names, en->n_attributes);
    struct slice hint = near.n ? did_you_mean(r->ps->arena, near) : SLICE("declare it under attributes: in the model");
    problem_add(r->ps, n->name_place, hint, "%.*s has no attribute %.*s", SLICE_ARG(en->name), SLICE_ARG(n->name));
}

static void add(struct reader *r, struct record record)
{
    if (r->n == r->cap) {
        size_t cap = r->cap ? r->cap * 2 : 64;
        struct record *list = ARENA_ARRAY(r->ps->arena, struct record, cap);
        if (r->n) memcpy(list, r->list, r->n * sizeof *list);
        r->list = list;
        r->cap = cap;
    }
    r->list[r->n++] = record;
}

static void read_record(struct reader *r, const struct entity *en, const struct node *n)
{
    struct arena *a = r->ps->arena;
    size_t count = 0;
    if (n->kind != NODE_MAP) {
        problem_add(r->ps, n->place, SLICE("write { name: value, ... }"), "one %.*s is a map of its attributes",
                    SLICE_ARG(en->name));
        return;
    }
    struct attr *attrs = ARENA_ARRAY(a, struct attr, n->count + 1);
    for (const struct node *c = n->first; c; c = c->next) {
        const struct attribute *at = entity_attribute(en, c->name);
        struct err e = { .arena = a };
        if (!at && (!en->open || model_is_key_attribute(r->m, c->name))) {
            unknown_attribute(r, en, c);
            continue;
        }
        if (node_is_null(c)) continue; /* nothing stands there: the attribute is not given */
        if (value_from_node(a, at, c, &attrs[count].value, &e)) {
            problem_add(r->ps, c->place, slice_of(NULL, 0), "%.*s.%.*s", SLICE_ARG(en->name), SLICE_ARG(e.message));
            continue;
        }
        attrs[count++].name = c->name;
    }
    struct buf b;
    buf_init(&b, a, MODEL_MAX_FILE);
    val_put_map(&b, attrs, count);
    add(r, (struct record){ .entity = en, .attributes = buf_view(&b), .place = n->place });
}

bool records_read(struct problems *ps, const struct model *m, struct slice file, struct slice text,
                  struct record **out, size_t *n)
{
    struct reader r = { .ps = ps, .m = m };
    size_t before = ps->n;
    const struct node *root = node_read(ps, file, text);
    *out = NULL;
    *n = 0;
    if (!root) return false;
    if (root->kind != NODE_MAP && !node_is_null(root)) {
        problem_add(ps, root->place, SLICE("write Entity: [ { name: value, ... }, ... ]"),
                    "a data file is a map of entity name to a list");
        return false;
    }
    for (const struct node *c = root->kind == NODE_MAP ? root->first : NULL; c; c = c->next) {
        const struct entity *en = model_entity(m, c->name);
        if (!en) {
            unknown_entity(&r, c);
        } else if (c->kind != NODE_LIST && !node_is_null(c)) {
            problem_add(ps, c->place, SLICE("write - before each"), "%.*s holds a list", SLICE_ARG(c->name));
        } else if (c->kind == NODE_LIST) {
            for (const struct node *i = c->first; i; i = i->next) read_record(&r, en, i);
        }
    }
    *out = r.list;
    *n = r.n;
    return ps->n == before;
}
