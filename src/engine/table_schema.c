/* table_schema.c: the rules of attribute definitions and key schemas. */
#include "table_params.h"
#include "../base/slices.h"

/* No schema of more elements can be right: its length is all that is looked at then. */
#define MANY_ELEMENTS 100

static const struct key_attr *find(const struct definitions *defs, struct slice name)
{
    for (size_t i = 0; i < defs->n; i++) {
        if (slice_eq(defs->attrs[i].name, name)) return &defs->attrs[i];
    }
    return NULL;
}

int params_definitions(struct arena *a, const struct json *list, struct definitions *out,
                       struct err *e)
{
    *out = (struct definitions){ 0 };
    if (!list) return 0;
    out->attrs = ARENA_ARRAY(a, struct key_attr, list->count + 1);
    struct slice *names = ARENA_ARRAY(a, struct slice, list->count + 1);
    for (const struct json *d = list->first; d; d = d->next) {
        names[out->n] = param_string(d, SLICE("AttributeName"));
        out->attrs[out->n] =
            (struct key_attr){ names[out->n],
                               val_type_from_name(param_string(d, SLICE("AttributeType"))) };
        out->n++;
    }
    size_t repeat = slices_first_repeat(a, names, out->n);
    if (repeat == out->n) return 0;
    return err_set(e, ERR_ValidationException, "Attribute Name is duplicated: %.*s", SLICE_ARG(names[repeat]));
}

static void put_name(struct buf *b, struct slice name)
{
    if (b->n) BUF_LIT(b, ", ");
    buf_slice(b, name);
}

static int not_defined(struct arena *a, const struct json *schema, const struct definitions *defs,
                       struct err *e)
{
    struct buf keys, known;
    buf_init(&keys, a, SIZE_MAX / 4);
    buf_init(&known, a, SIZE_MAX / 4);
    for (const struct json *k = schema->first; k; k = k->next) {
        put_name(&keys, param_string(k, SLICE("AttributeName")));
    }
    for (size_t i = 0; i < defs->n; i++)
        put_name(&known, defs->attrs[i].name);
    return err_set(e, ERR_ValidationException,
                   PARAMS_INVALID
                   "Some index key attributes are not defined in AttributeDefinitions. "
                   "Keys: [%.*s], AttributeDefinitions: [%.*s]",
                   SLICE_ARG(buf_view(&keys)), SLICE_ARG(buf_view(&known)));
}

static bool repeats_a_name(const struct json *schema)
{
    for (const struct json *k = schema->first; k; k = k->next) {
        for (const struct json *l = k->next; l; l = l->next) {
            if (slice_eq(param_string(k, SLICE("AttributeName")),
                         param_string(l, SLICE("AttributeName")))) {
                return true;
            }
        }
    }
    return false;
}

static bool is_hash(const struct json *element)
{
    return slice_eq(param_string(element, SLICE("KeyType")), SLICE("HASH"));
}

/* Up to four HASH attributes, then up to four RANGE attributes. */
static int check_global_shape(const struct json *schema, struct err *e)
{
    size_t hash = 0, range = 0;
    for (const struct json *k = schema->first; k; k = k->next) {
        if (!is_hash(k)) {
            range++;
        } else if (range) {
            return err_set(e, ERR_ValidationException,
                           "Invalid KeySchema: All HASH key attributes must precede RANGE key "
                           "attributes in the KeySchema");
        } else {
            hash++;
        }
    }
    if (hash <= 4 && range <= 4) return 0;
    return err_set(e, ERR_ValidationException,
                   "Invalid KeySchema: The KeySchema exceeds the maximum allowed number of %s key "
                   "attributes",
                   hash > 4 ? "HASH" : "RANGE");
}

int params_key_schema(struct arena *a, const struct json *schema, const struct definitions *defs,
                      enum schema_kind kind, struct key_schema *out, struct err *e)
{
    *out = (struct key_schema){ 0 };
    if (kind == SCHEMA_GLOBAL && schema->count > MANY_ELEMENTS) return check_global_shape(schema, e);
    if (kind == SCHEMA_TABLE && schema->count > defs->n) {
        return err_set(e, ERR_ValidationException,
                       "Invalid KeySchema: Some index key attribute have no definition");
    }
    for (const struct json *k = schema->first; k; k = k->next) {
        if (!find(defs, param_string(k, SLICE("AttributeName"))))
            return not_defined(a, schema, defs, e);
    }
    if (repeats_a_name(schema)) {
        return err_set(e, ERR_ValidationException,
                       "Both the Hash Key and the Range Key element in the KeySchema have the same "
                       "name");
    }
    if (!is_hash(schema->first)) {
        return err_set(e, ERR_ValidationException,
                       "Invalid KeySchema: The first KeySchemaElement is not a HASH key type");
    }
    if (kind == SCHEMA_GLOBAL) {
        int code = check_global_shape(schema, e);
        if (code) return code;
    } else if (schema->count > 1 && is_hash(schema->first->next)) {
        return err_set(e, ERR_ValidationException,
                       "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type");
    }
    for (const struct json *k = schema->first; k; k = k->next) {
        struct key_attr attr = *find(defs, param_string(k, SLICE("AttributeName")));
        if (is_hash(k)) {
            out->hash[out->n_hash++] = attr;
        } else {
            out->range[out->n_range++] = attr;
        }
    }
    return 0;
}

static bool is_used(const struct table *t, struct slice name)
{
    if (key_schema_has(&t->key, name)) return true;
    for (size_t i = 0; i < t->n_indexes; i++) {
        if (key_schema_has(&t->indexes[i].key, name)) return true;
    }
    return false;
}

int params_all_used(struct arena *a, const struct table *t, struct err *e)
{
    struct buf known, used;
    buf_init(&known, a, SIZE_MAX / 4);
    buf_init(&used, a, SIZE_MAX / 4);
    bool all = true;
    for (size_t i = 0; i < t->n_attrs; i++) {
        put_name(&known, t->attrs[i].name);
        if (is_used(t, t->attrs[i].name)) {
            put_name(&used, t->attrs[i].name);
        } else {
            all = false;
        }
    }
    if (all) return 0;
    if (!t->n_indexes) {
        return err_set(e, ERR_ValidationException,
                       PARAMS_INVALID
                       "Number of attributes in KeySchema does not exactly match number "
                       "of attributes defined in AttributeDefinitions");
    }
    return err_set(e, ERR_ValidationException,
                   PARAMS_INVALID "Some AttributeDefinitions are not used. AttributeDefinitions: "
                                  "[%.*s], keys used: [%.*s]",
                   SLICE_ARG(buf_view(&known)), SLICE_ARG(buf_view(&used)));
}

void params_drop_unused(struct table *t)
{
    size_t n = 0;
    for (size_t i = 0; i < t->n_attrs; i++) {
        if (is_used(t, t->attrs[i].name)) t->attrs[n++] = t->attrs[i];
    }
    t->n_attrs = n;
}
