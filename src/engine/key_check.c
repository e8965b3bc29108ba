/* key_check.c: is this key, or this item, one the table can hold? In DynamoDB's words. */
#include "keys.h"

int key_check_length(struct slice value, bool hash, struct err *e)
{
    size_t n = val_type(value) == TYPE_N ? 0 : val_content(value).n;
    if (hash && n > KEY_MAX_HASH_BYTES) {
        return err_set(e, ERR_ValidationException,
                       "One or more parameter values were invalid: Size of hashkey has exceeded "
                       "the maximum size limit of%d bytes",
                       KEY_MAX_HASH_BYTES);
    }
    if (!hash && n > KEY_MAX_RANGE_BYTES) {
        return err_set(e, ERR_ValidationException,
                       "One or more parameter values were invalid: Aggregated size of all range "
                       "keys has exceeded the size limit of %d bytes",
                       KEY_MAX_RANGE_BYTES);
    }
    return 0;
}

static const char *type_word(enum val_type t)
{
    return t == TYPE_B ? "binary" : "string";
}

static bool is_empty(struct slice value)
{
    enum val_type type = val_type(value);
    return (type == TYPE_S || type == TYPE_B) && val_content(value).n == 0;
}

/* A value of the right type for a table key: not empty, not too long. */
static int check_value(const struct key_attr *attr, bool hash, struct slice value, struct err *e)
{
    if (is_empty(value)) {
        return err_set(e, ERR_ValidationException,
                       "One or more parameter values are not valid. The AttributeValue for a key "
                       "attribute cannot contain an empty %s value. Key: %.*s",
                       type_word(attr->type), SLICE_ARG(attr->name));
    }
    return key_check_length(value, hash, e);
}

int key_of_request(struct arena *a, const struct table *t, struct slice key, struct slice *store_key,
                   struct err *e)
{
    const struct key_attr *attrs[2] = { &t->key.hash[0], &t->key.range[0] };
    size_t n = t->key.n_range ? 2 : 1;
    struct slice values[2];
    bool fits = val_count(key) == n;
    for (size_t i = 0; fits && i < n; i++) {
        fits = val_get(key, attrs[i]->name, &values[i]) && val_type(values[i]) == attrs[i]->type;
    }
    if (!fits) {
        return err_set(e, ERR_ValidationException,
                       "The provided key element does not match the schema");
    }
    for (size_t i = 0; i < n; i++) {
        int code = check_value(attrs[i], i == 0, values[i], e);
        if (code) return code;
    }
    *store_key = key_of_values(a, t, values);
    return 0;
}

static int check_table_key(const struct key_attr *attr, bool hash, bool in_batch, struct slice item,
                           struct err *e)
{
    struct slice value;
    bool there = val_get(item, attr->name, &value);
    if (in_batch && (!there || val_type(value) != attr->type)) {
        return err_set(e, ERR_ValidationException,
                       "The provided key element does not match the schema");
    }
    if (!there) {
        return err_set(e, ERR_ValidationException,
                       "One or more parameter values were invalid: Missing the key %.*s in the item",
                       SLICE_ARG(attr->name));
    }
    if (val_type(value) != attr->type) {
        return err_set(e, ERR_ValidationException,
                       "One or more parameter values were invalid: Type mismatch for key %.*s "
                       "expected: %s actual: %s",
                       SLICE_ARG(attr->name), val_type_name(attr->type),
                       val_type_name(val_type(value)));
    }
    return check_value(attr, hash, value, e);
}

/* What an index key is checked in: an item to be put, what an update changed, or an update's text. */
struct subject {
    struct slice item;
    const struct update *update;
};

/* One index key attribute of the subject. */
typedef int check_fn(const struct index *ix, const struct key_attr *attr, bool hash,
                     const struct subject *s, struct err *e);

static int index_type_mismatch(const struct index *ix, const struct key_attr *attr,
                               enum val_type actual, struct err *e)
{
    return err_set(e, ERR_ValidationException,
                   "One or more parameter values were invalid: Type mismatch for Index Key %.*s "
                   "Expected: %s Actual: %s IndexName: %.*s",
                   SLICE_ARG(attr->name), val_type_name(attr->type), val_type_name(actual),
                   SLICE_ARG(ix->name));
}

static int check_put(const struct index *ix, const struct key_attr *attr, bool hash,
                     const struct subject *s, struct err *e)
{
    struct slice value;
    if (!val_get(s->item, attr->name, &value)) return 0;
    if (val_type(value) != attr->type) return index_type_mismatch(ix, attr, val_type(value), e);
    if (is_empty(value)) {
        return err_set(e, ERR_ValidationException,
                       "One or more parameter values are not valid. A value specified for a "
                       "secondary index key is not supported. The AttributeValue for a key "
                       "attribute cannot contain an empty %s value. IndexName: %.*s, IndexKey: %.*s",
                       type_word(attr->type), SLICE_ARG(ix->name), SLICE_ARG(attr->name));
    }
    return key_check_length(value, hash, e);
}

static int check_updated(const struct index *ix, const struct key_attr *attr, bool hash,
                         const struct subject *s, struct err *e)
{
    struct slice value;
    (void)ix;
    if (!val_get(s->item, attr->name, &value)) return 0;
    if (val_type(value) != attr->type) {
        return err_set(e, ERR_ValidationException,
                       "The update expression attempted to update the secondary index key to "
                       "unsupported type");
    }
    if (is_empty(value)) {
        return err_set(e, ERR_ValidationException,
                       "One or more parameter values are not valid. The update expression "
                       "attempted to update a secondary index key to a value that is not "
                       "supported. The AttributeValue for a key attribute cannot contain an empty "
                       "%s value.",
                       type_word(attr->type));
    }
    return key_check_length(value, hash, e);
}

static int check_update_text(const struct index *ix, const struct key_attr *attr, bool hash,
                             const struct subject *s, struct err *e)
{
    (void)hash;
    enum val_type type = update_type_of(s->update, attr->name);
    return type == TYPE_NONE || type == attr->type ? 0 : index_type_mismatch(ix, attr, type, e);
}

/* Checks the attribute as a key of one index; of one that does not have it there is nothing to say. */
static int check_as_key_of(const struct index *ix, struct slice name, check_fn *check,
                           const struct subject *s, struct err *e)
{
    const struct key_schema *k = &ix->key;
    int code = 0;
    for (size_t i = 0; !code && i < k->n_hash; i++) {
        if (slice_eq(k->hash[i].name, name)) code = check(ix, &k->hash[i], true, s, e);
    }
    for (size_t i = 0; !code && i < k->n_range; i++) {
        if (slice_eq(k->range[i].name, name)) code = check(ix, &k->range[i], false, s, e);
    }
    return code;
}

/* An index has found something wrong with the attribute. Of several that do DynamoDB names the first by name. */
static int name_first_index(const struct table *t, const struct index *first, struct slice name, check_fn *check,
                            const struct subject *s, struct err *e)
{
    for (size_t i = 0; i < t->n_indexes; i++) {
        const struct index *ix = &t->indexes[i];
        if (slice_cmp(ix->name, first->name) < 0 && check_as_key_of(ix, name, check, s, e)) first = ix;
    }
    return check_as_key_of(first, name, check, s, e);
}

static int check_index_keys(const struct table *t, check_fn *check, const struct subject *s,
                            struct err *e)
{
    for (size_t i = 0; i < t->n_indexes; i++) {
        const struct index *ix = &t->indexes[i];
        size_t n = ix->key.n_hash + ix->key.n_range;
        for (size_t k = 0; k < n; k++) {
            bool hash = k < ix->key.n_hash;
            const struct key_attr *attr = hash ? &ix->key.hash[k] : &ix->key.range[k - ix->key.n_hash];
            if (check(ix, attr, hash, s, e)) return name_first_index(t, ix, attr->name, check, s, e);
        }
    }
    return 0;
}

int key_check_update_text(const struct table *t, const struct update *u, struct err *e)
{
    return check_index_keys(t, check_update_text, &(struct subject){ .update = u }, e);
}

int key_check_updated(const struct table *t, const struct update *u, struct slice new_item,
                      struct arena *a, struct err *e)
{
    /* Only what the update changed is looked at: an older misfit elsewhere is no concern of it. */
    struct slice *names;
    size_t n = update_names(u, a, &names);
    struct projection *changed = projection_from_names(a, names, n);
    struct subject s = { .item = projection_apply(changed, a, new_item) };
    return check_index_keys(t, check_updated, &s, e);
}

int key_of_item(struct arena *a, const struct table *t, struct slice item, bool in_batch,
                struct slice *store_key, struct err *e)
{
    int code = check_table_key(&t->key.hash[0], true, in_batch, item, e);
    if (!code && t->key.n_range) code = check_table_key(&t->key.range[0], false, in_batch, item, e);
    if (!code && t->n_indexes) code = check_index_keys(t, check_put, &(struct subject){ .item = item }, e);
    if (!code) *store_key = key_item(a, t, item);
    return code;
}
