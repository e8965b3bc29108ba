/* entity_keys.c: the value of every key attribute of a path: the template rendered, the shard appended. */
#include "entity_private.h"
#include "shard.h"
#include "template_private.h"
#include "values_private.h"

#define HASH_KEY_MAX 2048
#define SORT_KEY_MAX 1024

struct slice make_map(struct arena *a, struct attr *attrs, size_t n)
{
    struct buf b;
    buf_init(&b, a, ITEM_MAX_BYTES);
    val_put_map(&b, attrs, n);
    return buf_view(&b);
}

struct slice path_says(struct arena *a, const struct access_path *p, const struct key_template *t)
{
    struct slice en = p->entity->name, key = t->attribute->name;
    if (p->kind == PATH_KEY) return arena_printf(a, "%.*s: key %.*s", SLICE_ARG(en), SLICE_ARG(key));
    if (p->kind == PATH_COPY)
        return arena_printf(a, "%.*s: %.*s, key %.*s", SLICE_ARG(en), SLICE_ARG(p->copy->name), SLICE_ARG(key));
    return arena_printf(a, "%.*s: index %.*s, key %.*s", SLICE_ARG(en), SLICE_ARG(p->index->name), SLICE_ARG(key));
}

/* What to do about a value that cannot stand in a key. */
static const char *remedy(enum render_status s)
{
    switch (s) {
    case RENDER_DELIMITER: return "; use a value without it, or `escape: percent` in the model";
    case RENDER_EMPTY: return "; leave it out or give it a value";
    case RENDER_WIDE: return "; widen the padding in the model before there is data";
    default: return "";
    }
}

static int not_rendered(const struct access_path *p, const struct key_template *t, struct rendered r, struct err *e)
{
    return err_set(e, ERR_ValidationException, "%.*s cannot be made: %.*s%s", SLICE_ARG(path_says(e->arena, p, t)),
                   SLICE_ARG(render_reason(e->arena, r)), r.carries.n ? "" : remedy(r.status));
}

/* The key with its shard after a delimiter; a string whatever it was. */
static int append_shard(struct arena *a, const struct model *m, const struct access_path *p,
                        const struct key_template *t, struct slice attributes, struct slice *value,
                        struct slice *missing, struct err *e)
{
    char scratch[NUM_MAX_TEXT];
    struct slice by, shard, text;
    if (!val_get(attributes, t->shards->by, &by) || val_type(by) == TYPE_NULL) {
        *missing = t->shards->by;
        return 0;
    }
    if (!value_text(*value, scratch, &text) || !shard_of(a, t->shards, by, &shard)) {
        const char *rule = t->shards->kind == SHARD_MONTH ? " (a time from the first month on that `month` states)" : "";
        return err_set(e, ERR_ValidationException, "%.*s cannot be made: %.*s gives no shard%s, as it is %.*s",
                       SLICE_ARG(path_says(e->arena, p, t)), SLICE_ARG(t->shards->by), rule,
                       SLICE_ARG(value_says(e->arena, by)));
    }
    struct buf b;
    buf_init(&b, a, ITEM_MAX_BYTES);
    buf_slice(&b, text);
    buf_slice(&b, m->delimiter);
    buf_slice(&b, shard);
    *value = val_make_string(a, buf_view(&b));
    return 0;
}

static int check_key(const struct access_path *p, const struct key_template *t, bool hash, struct slice value,
                     struct err *e)
{
    size_t most = hash ? HASH_KEY_MAX : SORT_KEY_MAX;
    if (!value.n || val_type(value) != t->attribute->type)
        return err_set(e, ERR_ValidationException, "%.*s must be %s, but is %.*s", SLICE_ARG(path_says(e->arena, p, t)),
                       type_says(t->attribute->type), SLICE_ARG(value_says(e->arena, value)));
    if (val_type(value) != TYPE_N && (!val_content(value).n || val_content(value).n > most))
        return err_set(e, ERR_ValidationException, "%.*s must have 1 to %zu bytes, but has %zu",
                       SLICE_ARG(path_says(e->arena, p, t)), most, val_content(value).n);
    return 0;
}

static int key_value(struct arena *a, const struct model *m, const struct access_path *p, const struct key_template *t,
                     struct slice attributes, struct slice *value, struct slice *missing, struct err *e)
{
    if (t->natural) {
        if (!val_get(attributes, t->attribute->name, value) || val_type(*value) == TYPE_NULL) *missing = t->attribute->name;
        return 0;
    }
    struct rendered r = template_render(a, &t->template, attributes);
    if (r.status == RENDER_MISSING) *missing = r.attribute;
    else if (r.status != RENDER_OK) return not_rendered(p, t, r, e);
    *value = r.value;
    if (missing->n || !t->shards) return 0;
    return append_shard(a, m, p, t, attributes, value, missing, e);
}

int path_make(struct arena *a, const struct model *m, const struct access_path *p, struct slice attributes,
              struct attr *attrs, struct slice *missing, struct err *e)
{
    *missing = (struct slice){ 0 };
    for (size_t i = 0; i < path_count(p); i++) {
        const struct key_template *t = path_template(p, i);
        attrs[i] = (struct attr){ t->attribute->name, { 0 } };
        int rc = key_value(a, m, p, t, attributes, &attrs[i].value, missing, e);
        if (!rc && !missing->n) rc = check_key(p, t, i < p->n_hash, attrs[i].value, e);
        if (missing->n) attrs[i].value = (struct slice){ 0 };
        if (rc || missing->n) return rc;
    }
    return 0;
}

int path_needs(const struct access_path *p, const struct attr *keys, struct slice missing, struct err *e)
{
    size_t i = 0;
    while (i + 1 < path_count(p) && keys[i].value.n) i++;
    const char *hint = p->kind == PATH_COPY ? "; give it, or say `sparse: true` for this copy in the model" : "; give it";
    return err_set(e, ERR_ValidationException, "%.*s needs %.*s, which is missing%s",
                   SLICE_ARG(path_says(e->arena, p, path_template(p, i))), SLICE_ARG(missing), hint);
}

int path_keys(struct arena *a, const struct model *m, const struct access_path *p, struct slice attributes,
              struct attr *attrs, bool *absent, struct err *e)
{
    struct slice missing;
    int rc = path_make(a, m, p, attributes, attrs, &missing, e);
    *absent = missing.n > 0;
    return rc;
}

int entity_key(struct arena *a, const struct model *m, const struct entity *en, struct slice attributes,
               struct slice *key, struct err *e)
{
    struct attr attrs[2 * KEY_MAX_PARTS];
    struct slice missing;
    int rc = path_make(a, m, en->key, attributes, attrs, &missing, e);
    if (rc) return rc;
    if (missing.n) return path_needs(en->key, attrs, missing, e);
    *key = make_map(a, attrs, path_count(en->key));
    return 0;
}
