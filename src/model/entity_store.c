/* entity_store.c: all the items of one entity: the item itself, its copies, the sentinels of its unique values. */
#include "entity_private.h"
#include "values_private.h"

struct maker {
    struct arena *a;
    const struct model *m;
    const struct entity *en;
    struct slice attributes;
    struct attr *attrs; /* of the item under construction; there is room for everything an item can have */
    size_t n;
};

static void add(struct maker *k, struct slice name, struct slice value)
{
    k->attrs[k->n++] = (struct attr){ name, value };
}

/* An index entry's keys, unless an attribute is missing: then the item is not in that index. */
static int add_entry(struct maker *k, const struct access_path *p, struct err *e)
{
    struct attr keys[2 * KEY_MAX_PARTS];
    struct slice missing;
    int rc = path_make(k->a, k->m, p, k->attributes, keys, &missing, e);
    if (rc || missing.n) return rc;
    /* A local index shares the table's hash key. */
    for (size_t i = p->index->local ? p->n_hash : 0; i < path_count(p); i++) add(k, keys[i].name, keys[i].value);
    return 0;
}

/* One item: under the entity's key (copy NULL) or a copy's. *out stays empty for a sparse copy that is not made. */
static int make_item(struct maker *k, const struct copy *copy, struct slice *out, struct err *e)
{
    const struct access_path *p = copy ? copy->key : k->en->key;
    const struct access_path *const *entries = copy ? copy->entries : k->en->entries;
    size_t n_entries = copy ? copy->n_entries : k->en->n_entries;
    struct attr keys[2 * KEY_MAX_PARTS];
    struct slice missing, name, value;
    struct val_iter it;
    *out = (struct slice){ 0 };
    int rc = path_make(k->a, k->m, p, k->attributes, keys, &missing, e);
    if (rc) return rc;
    if (missing.n) return copy && copy->sparse ? 0 : path_needs(p, keys, missing, e);

    k->n = 0;
    val_iter_init(&it, k->attributes);
    while (val_next(&it, &name, &value)) {
        if (!copy || copy_holds(copy, name)) add(k, name, value);
    }
    for (size_t i = 0; !rc && i < n_entries; i++) rc = add_entry(k, entries[i], e);
    if (rc) return rc;
    if (k->m->entity_attribute.n) add(k, k->m->entity_attribute, val_make_string(k->a, k->en->name));
    if (k->m->schema_attribute.n && k->en->schema)
        add(k, k->m->schema_attribute, val_make_number(k->a, k->en->schema));
    /* Last, so that no index key takes their place. */
    for (size_t i = 0; i < path_count(p); i++) add(k, keys[i].name, keys[i].value);
    *out = make_map(k->a, k->attrs, k->n);
    return 0;
}

/* The sentinel that says who has the value; *out stays empty where an attribute is missing. */
static int make_sentinel(struct maker *k, const struct unique *u, struct slice key, struct slice *out, struct err *e)
{
    const struct model_index *table = &k->m->indexes[0];
    struct attr attrs[3];
    size_t n = 0;
    *out = (struct slice){ 0 };
    struct rendered r = template_render(k->a, &u->hash, k->attributes);
    if (r.status == RENDER_MISSING) return 0;
    if (r.status != RENDER_OK)
        return err_set(e, ERR_ValidationException, "%.*s.%.*s: must be unique, but %.*s; leave it out or give it a value",
                       SLICE_ARG(k->en->name), SLICE_ARG(r.attribute), SLICE_ARG(render_reason(e->arena, r)));
    attrs[n++] = (struct attr){ table->hash.attrs[0].name, r.value };
    if (table->sort.n) {
        r = template_render(k->a, &u->sort, k->attributes);
        attrs[n++] = (struct attr){ table->sort.attrs[0].name, r.value };
    }
    attrs[n++] = (struct attr){ SLICE("owner"), key };
    *out = make_map(k->a, attrs, n);
    return 0;
}

int entity_store(struct arena *a, const struct model *m, const struct entity *en, struct slice attributes,
                 struct stored *out, struct err *e)
{
    struct maker k = { a, m, en, attributes, NULL, 0 };
    struct slice item, key;
    size_t entries = en->n_entries;
    for (size_t i = 0; i < en->n_copies; i++) {
        if (en->copies[i].n_entries > entries) entries = en->copies[i].n_entries;
    }
    k.attrs = ARENA_ARRAY(a, struct attr, val_count(attributes) + (entries + 1) * 2 * KEY_MAX_PARTS + 2);
    *out = (struct stored){ .items = ARENA_ARRAY(a, struct slice, en->n_copies + 1),
                            .paths = ARENA_ARRAY(a, const struct access_path *, en->n_copies + 1),
                            .sentinels = ARENA_ARRAY(a, struct slice, en->n_uniques + 1) };
    int rc = make_item(&k, NULL, &item, e);
    if (rc) return rc;
    out->items[0] = item;
    out->paths[0] = en->key;
    out->n = 1;
    for (size_t i = 0; i < en->n_copies; i++) {
        rc = make_item(&k, &en->copies[i], &item, e);
        if (rc) return rc;
        if (!item.n) continue;
        out->items[out->n] = item;
        out->paths[out->n++] = en->copies[i].key;
    }
    if (!en->n_uniques) return 0;
    rc = entity_key(a, m, en, attributes, &key, e);
    for (size_t i = 0; !rc && i < en->n_uniques; i++) {
        rc = make_sentinel(&k, &en->uniques[i], key, &item, e);
        if (!rc && item.n) out->sentinels[out->n_sentinels++] = item;
    }
    return rc;
}
