/* identify.c: which entity an item is, where its original lies if it is a copy or a sentinel, and the keys that attributes give. */
#include "identify.h"
#include "entity_private.h"
#include "jsonw.h"
#include "../item/item_json.h"

#define DEPTH_MAX (2 * VAL_MAX_DEPTH + 2) /* each level of an item is two in DynamoDB JSON */

static int read_json(struct reporter *r, struct slice text, enum json_type type, const char *wanted,
                     const struct json **out)
{
    *out = json_parse(r->arena, text, DEPTH_MAX, NULL);
    if (*out && (*out)->type == type) return 0;
    return err_set(r->err, ERR_ValidationException, "this is not %s", wanted);
}

static void put_item(struct buf *out, const char *name, struct slice item)
{
    js_name(out, name);
    if (item.n) item_to_json(out, item);
    else BUF_LIT(out, "null");
}

/* The attributes that the entity's key is made of; empty if one of them is not there. */
static struct slice identity_of(struct reporter *r, const struct entity *en, struct slice attributes)
{
    struct attr *attrs = ARENA_ARRAY(r->arena, struct attr, val_count(attributes) + 1);
    struct attr keys[2 * KEY_MAX_PARTS];
    struct err ignored = { .arena = r->arena };
    struct val_iter it;
    struct slice name, value, missing;
    size_t n = 0;
    if (path_make(r->arena, r->model, en->key, attributes, keys, &missing, &ignored) || missing.n)
        return slice_of(NULL, 0);
    val_iter_init(&it, attributes);
    while (val_next(&it, &name, &value))
        if (path_uses(en->key, name)) attrs[n++] = (struct attr){ name, value };
    return make_map(r->arena, attrs, n);
}

static void put_entity(struct reporter *r, const struct identity *id, struct slice item)
{
    const struct entity *en = id->entity;
    struct err ignored = { .arena = r->arena };
    struct slice attributes = item_attributes(r->arena, r->model, en, item, true), original;
    bool copy = id->path && id->path->kind == PATH_COPY;
    js_string(r->out, "entity", en->name);
    js_string(r->out, "kind", copy ? SLICE("copy") : SLICE("entity"));
    if (copy) js_string(r->out, "copy", id->path->copy->name);
    if (entity_key(r->arena, r->model, en, attributes, &original, &ignored)) original = slice_of(NULL, 0);
    put_item(r->out, "original", original);
    put_item(r->out, "identity", identity_of(r, en, attributes));
}

static void put_identity(struct reporter *r, struct slice item)
{
    struct identity id = item_identify(r->arena, r->model, item);
    struct slice owner = { 0 };
    js_open(r->out, NULL, '{');
    if (id.entity) {
        put_entity(r, &id, item);
    } else {
        BUF_LIT(r->out, "\"entity\":null");
        js_string(r->out, "kind", id.marker ? SLICE("marker") : id.sentinel ? SLICE("unique") : SLICE("other"));
        if (id.sentinel && !id.marker) val_get(item, SLICE("owner"), &owner); /* a map, or it would be none */
        put_item(r->out, "original", owner);
    }
    js_name(r->out, "size");
    buf_printf(r->out, "%zu}", val_item_size(item));
}

int report_identify(struct reporter *r, struct slice items)
{
    const struct json *list;
    int code = read_json(r, items, JSON_ARRAY, "a JSON array of items", &list);
    if (code) return code;
    js_open(r->out, NULL, '[');
    for (const struct json *n = list->first; n; n = n->next) {
        struct slice item;
        code = item_from_json(r->arena, n, &item, r->err);
        if (code) return code;
        put_identity(r, item);
    }
    js_close(r->out, ']');
    return 0;
}

/* ---- keys ---- */

static void put_name_or_null(struct buf *out, const char *name, struct slice text)
{
    js_name(out, name);
    if (text.n) json_put_string(out, text);
    else BUF_LIT(out, "null");
}

static void put_path(struct reporter *r, const struct access_path *p, struct slice attributes)
{
    struct attr keys[2 * KEY_MAX_PARTS];
    struct err trouble = { .arena = r->arena };
    struct slice missing = slice_of(NULL, 0);
    int code = path_make(r->arena, r->model, p, attributes, keys, &missing, &trouble);
    js_open(r->out, NULL, '{');
    put_name_or_null(r->out, "index", p->kind == PATH_INDEX ? p->index->name : slice_of(NULL, 0));
    put_name_or_null(r->out, "copy", p->copy ? p->copy->name : slice_of(NULL, 0));
    put_item(r->out, "key", code || missing.n ? slice_of(NULL, 0) : make_map(r->arena, keys, path_count(p)));
    put_name_or_null(r->out, "missing", missing);
    put_name_or_null(r->out, "problem", code ? trouble.message : slice_of(NULL, 0));
    js_close(r->out, '}');
}

int report_keys(struct reporter *r, const struct entity *en, struct slice attributes)
{
    const struct json *json;
    struct slice item;
    int code = read_json(r, attributes, JSON_OBJECT, "an item", &json);
    if (!code) code = item_from_json(r->arena, json, &item, r->err);
    if (code) return code;
    BUF_LIT(r->out, "{\"keys\":[");
    for (size_t i = 0; i < r->model->n_paths; i++)
        if (r->model->paths[i].entity == en) put_path(r, &r->model->paths[i], item);
    BUF_LIT(r->out, "]}");
    return 0;
}
