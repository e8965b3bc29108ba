/* entity_identify.c: which entity an item found in the table is, under which of its keys, and its attributes.
 *
 * The entity attribute says which entity; the key says whether it is the item or a copy. Where keys of the same
 * shape could be both (a friendship stored both ways), the one that the item's own attributes give is meant. Without an
 * entity attribute the keys alone tell: of those that match, the one with the most literal text. */
#include "entity_private.h"
#include "shard_private.h"
#include "template_private.h"

/* ---- keys ---- */

/* Does the item's key have the form of this one? *literal: how many bytes of it are not holes. */
static bool key_matches(struct arena *a, const struct model *m, const struct key_template *t, struct slice item,
                        size_t *literal)
{
    struct slice value, text, holes[TEMPLATE_MAX_PARTS];
    const struct template *template = &t->template;
    if (!val_get(item, t->attribute->name, &value) || val_type(value) != t->attribute->type) return false;
    if (t->natural || (template->whole && !t->shards)) return true;
    if (val_type(value) != TYPE_S) return false;
    text = val_content(value);
    /* The quick way out: most keys begin differently. */
    if (template->n && !template->parts[0].hole && !slice_starts(text, template->parts[0].text)) return false;
    if (t->shards && !shard_strip(t->shards, m->delimiter, text, &text)) return false;
    if (!template_match(a, template, text, holes)) return false;
    for (size_t i = 0; i < template->n; i++) *literal += template->parts[i].hole ? 0 : template->parts[i].text.n;
    return true;
}

static bool path_matches(struct arena *a, const struct model *m, const struct access_path *p, struct slice item,
                         size_t *literal)
{
    *literal = 0;
    for (size_t i = 0; i < path_count(p); i++) {
        if (!key_matches(a, m, path_template(p, i), item, literal)) return false;
    }
    return true;
}

/* Are these exactly the keys that the item's attributes give? */
static bool path_is_exact(struct arena *a, const struct model *m, const struct access_path *p, struct slice item)
{
    struct err e = { .arena = a };
    struct attr keys[2 * KEY_MAX_PARTS];
    struct slice missing, value;
    if (path_make(a, m, p, item, keys, &missing, &e) || missing.n) return false;
    for (size_t i = 0; i < path_count(p); i++) {
        if (!val_get(item, keys[i].name, &value) || !val_equal(value, keys[i].value)) return false;
    }
    return true;
}

const struct access_path *identify_path(struct arena *a, const struct model *m, const struct entity *en,
                                        struct slice item)
{
    const struct access_path *first = NULL;
    bool tried = false;
    size_t literal;
    for (size_t i = 0; i <= en->n_copies; i++) {
        const struct access_path *p = i ? en->copies[i - 1].key : en->key;
        if (!path_matches(a, m, p, item, &literal)) continue;
        if (!first) {
            first = p;
            continue;
        }
        /* A second one of the same form: only now is it worth computing keys. */
        if (!tried && path_is_exact(a, m, first, item)) return first;
        tried = true;
        if (path_is_exact(a, m, p, item)) return p;
    }
    return first;
}

/* ---- which entity ---- */

static bool key_is(struct slice item, const struct key_side *side, struct slice text)
{
    struct slice value;
    return !side->n || (val_get(item, side->attrs[0].name, &value) && val_type(value) == TYPE_S &&
                        slice_eq(val_content(value), text));
}

/* The item that apply keeps. */
static bool is_marker(const struct model *m, struct slice item)
{
    struct slice shards, text = SLICE(MODEL_MARKER);
    return key_is(item, &m->indexes[0].hash, text) && key_is(item, &m->indexes[0].sort, text) &&
           val_get(item, SLICE("shards"), &shards) && val_type(shards) == TYPE_M;
}

static bool is_sentinel(const struct model *m, struct slice item)
{
    const struct model_index *table = &m->indexes[0];
    struct slice value, owner;
    if (!val_get(item, table->hash.attrs[0].name, &value) || val_type(value) != TYPE_S) return false;
    value = val_content(value);
    if (!slice_starts(value, SLICE("UNIQUE"))) return false;
    value = slice_of(value.p + 6, value.n - 6);
    if (!slice_starts(value, m->delimiter)) return false;
    if (table->sort.n && (!val_get(item, table->sort.attrs[0].name, &value) || val_type(value) != TYPE_S ||
                          !slice_eq(val_content(value), SLICE("UNIQUE"))))
        return false;
    return val_get(item, SLICE("owner"), &owner) && val_type(owner) == TYPE_M;
}

static unsigned schema_of(const struct model *m, struct slice item)
{
    struct slice value;
    int64_t n;
    if (!m->schema_attribute.n || !val_get(item, m->schema_attribute, &value) || val_type(value) != TYPE_N) return 0;
    return num_to_int64(val_content(value), &n) && n > 0 && n <= UINT32_MAX ? (unsigned)n : 0;
}

struct identity item_identify(struct arena *a, const struct model *m, struct slice item)
{
    struct identity id = { .schema = schema_of(m, item) };
    struct slice value;
    if (m->entity_attribute.n && val_get(item, m->entity_attribute, &value)) {
        if (val_type(value) == TYPE_S) id.entity = model_entity(m, val_content(value));
        if (id.entity) id.path = identify_path(a, m, id.entity, item);
        return id;
    }
    id.marker = is_marker(m, item);
    id.sentinel = id.marker || is_sentinel(m, item);
    if (id.sentinel) return id;
    size_t most = 0, literal;
    for (size_t i = 0; i < m->n_paths; i++) {
        const struct access_path *p = &m->paths[i];
        if (p->kind == PATH_INDEX || !path_matches(a, m, p, item, &literal)) continue;
        if (id.entity && literal <= most) continue;
        most = literal;
        id.entity = p->entity;
    }
    if (id.entity) id.path = identify_path(a, m, id.entity, item);
    return id;
}

/* ---- its attributes ---- */

/* An attribute that the model adds to items and that is none of the entity's own. */
static bool is_bookkeeping(const struct model *m, struct slice name)
{
    return (m->entity_attribute.n && slice_eq(name, m->entity_attribute)) ||
           (m->schema_attribute.n && slice_eq(name, m->schema_attribute)) || model_is_key_attribute(m, name);
}

struct slice item_attributes(struct arena *a, const struct model *m, const struct entity *en, struct slice item,
                             bool hidden)
{
    struct attr *attrs = ARENA_ARRAY(a, struct attr, val_count(item) + en->n_attributes + 1);
    struct val_iter it;
    struct slice name, value;
    size_t n = 0;
    val_iter_init(&it, item);
    while (val_next(&it, &name, &value)) {
        const struct attribute *at = entity_attribute(en, name);
        if (at ? at->hidden && !hidden : is_bookkeeping(m, name)) continue;
        attrs[n++] = (struct attr){ name, value };
    }
    if (!en->schema || schema_of(m, item) >= en->schema) return make_map(a, attrs, n);
    /* What a copy leaves out is not missing. */
    const struct access_path *p = identify_path(a, m, en, item);
    const struct copy *copy = p && p->kind == PATH_COPY ? p->copy : NULL;
    for (size_t i = 0; i < en->n_attributes; i++) {
        const struct attribute *at = &en->attributes[i];
        if (!at->default_value.n || (at->hidden && !hidden) || val_get(item, at->name, &value)) continue;
        if (copy && !copy_holds(copy, at->name)) continue;
        attrs[n++] = (struct attr){ at->name, at->default_value };
    }
    return make_map(a, attrs, n);
}
