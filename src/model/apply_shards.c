/* apply_shards.c: shard counts decide where items lie, so a model with another count would not find those that are there.
 * apply therefore remembers the counts in force in one item of the table, whose key is ONEFOLD#MODEL (docs/model.md), and
 * refuses others while the table has items. A path that the marker does not know is checked against the first items
 * of the table: what they hold must be what the model computes. */
#include "apply_impl.h"
#include "shard.h"

#define SCAN_PAGES 4 /* of 1 MB: enough to meet the entity, cheap enough to do unasked */

/* One key attribute of one path and how it is spread. */
struct spread {
    struct slice name;   /* "Order.GSI1.GSI1PK" */
    struct slice how;    /* "hash orderId 10"; "none" */
    const struct access_path *path;
    const struct key_template *key;
};

static struct slice how_of(struct arena *a, const struct shards *s)
{
    if (!s) return SLICE("none");
    switch (s->kind) {
    case SHARD_HASH: return arena_printf(a, "hash %.*s %u", SLICE_ARG(s->by), s->count);
    case SHARD_LETTERS: return arena_printf(a, "letters %.*s %u", SLICE_ARG(s->by), s->letters);
    case SHARD_MONTH: return arena_printf(a, "month %.*s", SLICE_ARG(s->by));
    case SHARD_VALUE: break;
    }
    return arena_printf(a, "value %.*s", SLICE_ARG(s->by));
}

static struct slice name_of(struct arena *a, const struct access_path *p, const struct key_template *k)
{
    struct buf b;
    buf_init(&b, a, (size_t)1 << 20);
    buf_slice(&b, p->entity->name);
    if (p->copy) buf_printf(&b, ".%.*s", SLICE_ARG(p->copy->name));
    if (p->kind == PATH_INDEX) buf_printf(&b, ".%.*s", SLICE_ARG(p->index->name));
    buf_printf(&b, ".%.*s", SLICE_ARG(k->attribute->name));
    return buf_view(&b);
}

static size_t list_spreads(struct arena *a, const struct model *m, struct spread **out)
{
    *out = ARENA_ARRAY(a, struct spread, m->n_paths * KEY_MAX_PARTS * 2 + 1);
    size_t n = 0;
    for (size_t i = 0; i < m->n_paths; i++) {
        const struct access_path *p = &m->paths[i];
        for (size_t k = 0; k < p->n_hash + p->n_sort; k++) {
            const struct key_template *key = k < p->n_hash ? &p->hash[k] : &p->sort[k - p->n_hash];
            (*out)[n++] = (struct spread){ name_of(a, p, key), how_of(a, key->shards), p, key };
        }
    }
    return n;
}

static bool keys_are_strings(const struct model *m)
{
    const struct model_index *t = &m->indexes[0];
    return t->hash.attrs[0].type == TYPE_S && (!t->sort.n || t->sort.attrs[0].type == TYPE_S);
}

static void put_marker_key(struct buf *b, const struct model *m)
{
    const struct model_index *t = &m->indexes[0];
    for (size_t i = 0; i < (t->sort.n ? 2u : 1u); i++) {
        js_key(b, i ? t->sort.attrs[0].name : t->hash.attrs[0].name);
        BUF_LIT(b, "{\"S\":\"" MODEL_MARKER "\"}");
    }
}

static void open_request(struct buf *b, struct applier *p)
{
    buf_init(b, p->r->arena, (size_t)4 << 20);
    js_open(b, NULL, '{');
    js_string(b, "TableName", p->r->model->table);
}

/* The map of the marker, by name to {"S": how}; NULL: there is none. */
static int read_marker(struct applier *p, const struct json **map)
{
    struct buf b;
    open_request(&b, p);
    js_open(&b, "Key", '{');
    put_marker_key(&b, p->r->model);
    js_close(&b, '}');
    js_bool(&b, "ConsistentRead", true);
    js_close(&b, '}');
    const struct json *answer;
    int rc = API_CALL(p->api, p->r->arena, "GetItem", buf_view(&b), &answer, p->r->err);
    *map = rc ? NULL : JSON_GET(JSON_GET(JSON_GET(answer, "Item"), "shards"), "M");
    return rc;
}

static void plan_marker(struct applier *p, const struct spread *list, size_t n)
{
    struct buf b;
    open_request(&b, p);
    js_open(&b, "Item", '{');
    put_marker_key(&b, p->r->model);
    BUF_LIT(&b, ",\"about\":{\"S\":\"written by onefold apply: how keys are spread over shards\"},\"shards\":{\"M\":{");
    for (size_t i = 0; i < n; i++) {
        if (!list[i].key->shards) continue;
        js_key(&b, list[i].name);
        js_open(&b, NULL, '{');
        js_string(&b, "S", list[i].how);
        js_close(&b, '}');
    }
    BUF_LIT(&b, "}}}}");
    struct apply_step *s = apply_add(p, SLICE("remember-shards"),
                                     SLICE("remember the shard counts in the item " MODEL_MARKER));
    s->operation = SLICE("PutItem");
    s->request = buf_view(&b);
}

static bool is_marker(const struct model *m, struct slice item)
{
    struct slice hash;
    return val_get(item, m->indexes[0].hash.attrs[0].name, &hash) && val_type(hash) == TYPE_S &&
           slice_eq(val_content(hash), SLICE(MODEL_MARKER));
}

/* Does the item hold, for a path in doubt, another key than the model computes? */
static bool lies_elsewhere(struct arena *a, const struct model *m, const struct spread *s, struct identity id,
                           struct slice item)
{
    const struct entity *en = s->path->entity;
    struct slice has;
    if (id.entity != en) return false;
    if (!id.path) return s->path->kind != PATH_INDEX; /* it says what it is, but its key is none of the model's */
    bool holds = (s->path->kind == PATH_INDEX ? id.path->copy == s->path->copy : id.path == s->path);
    if (!holds || !val_get(item, s->key->attribute->name, &has)) return false;
    struct attr attrs[KEY_MAX_PARTS * 2];
    bool absent = false;
    struct err quiet = { .arena = a };
    if (path_keys(a, m, s->path, item_attributes(a, m, en, item, true), attrs, &absent, &quiet) || absent) {
        return false;
    }
    for (size_t i = 0; i < s->path->n_hash + s->path->n_sort; i++) {
        if (slice_eq(attrs[i].name, s->key->attribute->name)) return !val_equal(attrs[i].value, has);
    }
    return false;
}

struct look {
    bool items;                      /* the table holds something besides the marker */
    const struct spread **doubtful;  /* to be checked; NULL after one was found elsewhere */
    size_t n;
    const struct spread *elsewhere;  /* the first that is spread otherwise */
};

static int look_at(struct applier *p, const struct json *answer, struct look *l)
{
    struct arena *a = p->r->arena;
    const struct json *items = JSON_GET(answer, "Items");
    for (const struct json *i = items ? items->first : NULL; i; i = i->next) {
        struct slice item;
        int rc = item_from_json(a, i, &item, p->r->err);
        if (rc) return rc;
        if (is_marker(p->r->model, item)) continue;
        l->items = true;
        struct identity id = item_identify(a, p->r->model, item);
        for (size_t k = 0; k < l->n && !l->elsewhere; k++) {
            if (lies_elsewhere(a, p->r->model, l->doubtful[k], id, item)) l->elsewhere = l->doubtful[k];
        }
    }
    return 0;
}

/* Reads the beginning of the table. */
static int look(struct applier *p, struct look *l)
{
    struct slice start = { 0 };
    for (unsigned page = 0; page < SCAN_PAGES && !l->elsewhere; page++) {
        struct buf b;
        open_request(&b, p);
        if (!l->n) BUF_LIT(&b, ",\"Limit\":2"); /* only whether there is any */
        if (start.n) {
            js_name(&b, "ExclusiveStartKey");
            buf_slice(&b, start);
        }
        js_close(&b, '}');
        const struct json *answer;
        int rc = API_CALL(p->api, p->r->arena, "Scan", buf_view(&b), &answer, p->r->err);
        if (!rc) rc = look_at(p, answer, l);
        if (rc) return rc;
        const struct json *last = JSON_GET(answer, "LastEvaluatedKey");
        if (!last || (!l->n && l->items)) return 0;
        struct slice key;
        rc = item_from_json(p->r->arena, last, &key, p->r->err);
        if (rc) return rc;
        struct buf text;
        buf_init(&text, p->r->arena, (size_t)1 << 20);
        item_to_json(&text, key);
        start = buf_view(&text);
    }
    return 0;
}

static struct slice recorded(const struct json *map, struct slice name)
{
    const struct json *s = JSON_GET(json_get(map, name), "S");
    return s ? s->text : SLICE("none");
}

int apply_shards(struct applier *p)
{
    const struct model *m = p->r->model;
    struct spread *list;
    size_t n = list_spreads(p->r->arena, m, &list), sharded = 0;
    for (size_t i = 0; i < n; i++) sharded += list[i].key->shards != NULL;
    if (!keys_are_strings(m)) {
        if (sharded) {
            apply_add(p, SLICE("remember-shards"), SLICE("the table's keys are not strings, so the shard counts cannot be "
                                                         "remembered in it: never change them while it has items"));
        }
        return 0;
    }
    if (!p->table) {
        if (sharded) plan_marker(p, list, n);
        return 0;
    }
    /* A key that does not fit the model's is a conflict already; asking for the marker would fail. */
    if (p->conflicts.n) return 0;
    const struct json *map;
    int rc = read_marker(p, &map);
    if (rc || (!map && !sharded)) return rc;
    const struct spread **changed = ARENA_ARRAY(p->r->arena, const struct spread *, n + 1);
    struct look l = { .doubtful = ARENA_ARRAY(p->r->arena, const struct spread *, n + 1) };
    size_t n_changed = 0;
    for (size_t i = 0; i < n; i++) {
        struct slice before = recorded(map, list[i].name);
        if (slice_eq(before, list[i].how)) continue;
        if (slice_eq(before, SLICE("none"))) l.doubtful[l.n++] = &list[i];
        else changed[n_changed++] = &list[i];
    }
    if (!n_changed && !l.n) return 0;
    rc = look(p, &l);
    if (rc) return rc;
    for (size_t i = 0; i < n_changed && l.items; i++) {
        apply_conflict(p, "%.*s is spread by \"%.*s\" in the table and by \"%.*s\" in the model, and the table has items, "
                       "which would not be found again: put it back, or load the items into a new table",
                       SLICE_ARG(changed[i]->name), SLICE_ARG(recorded(map, changed[i]->name)),
                       SLICE_ARG(changed[i]->how));
    }
    if (l.elsewhere) {
        apply_conflict(p, "%.*s is spread by \"%.*s\" in the model, but the table has items that are not: take the shards "
                       "out, or load the items into a new table", SLICE_ARG(l.elsewhere->name),
                       SLICE_ARG(l.elsewhere->how));
    }
    plan_marker(p, list, n);
    return 0;
}
