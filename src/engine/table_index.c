/* table_index.c: the rules of index definitions: name, schema, projection, counts. */
#include "table_params.h"

static const struct {
    struct slice name;
    enum projection_kind kind;
} projections[] = {
    { { (const uint8_t *)"ALL", 3 }, PROJECT_ALL },
    { { (const uint8_t *)"KEYS_ONLY", 9 }, PROJECT_KEYS_ONLY },
    { { (const uint8_t *)"INCLUDE", 7 }, PROJECT_INCLUDE },
};

static int read_include(struct arena *a, const struct json *list, struct index *ix, struct err *e)
{
    struct slice *names = ARENA_ARRAY(a, struct slice, list->count + 1);
    for (const struct json *n = list->first; n; n = n->next) {
        for (size_t i = 0; i < ix->n_include; i++) {
            if (!slice_eq(names[i], n->text)) continue;
            return err_set(e, ERR_ValidationException,
                           PARAMS_INVALID "Duplicate element in NonKeyAttributes: %.*s",
                           SLICE_ARG(n->text));
        }
        names[ix->n_include++] = n->text;
    }
    ix->include = names;
    return 0;
}

static int read_projection(struct arena *a, const struct json *node, struct index *ix,
                           struct err *e)
{
    const struct json *type = PARAM_GET(node, "ProjectionType");
    const struct json *include = PARAM_GET(node, "NonKeyAttributes");
    if (!type) {
        return err_set(e, ERR_ValidationException, PARAMS_INVALID "Unknown ProjectionType: null");
    }
    for (size_t i = 0; i < sizeof projections / sizeof *projections; i++) {
        if (slice_eq(projections[i].name, type->text)) ix->projection = projections[i].kind;
    }
    if (include && ix->projection != PROJECT_INCLUDE) {
        return err_set(e, ERR_ValidationException,
                       PARAMS_INVALID "ProjectionType is %.*s, but NonKeyAttributes is specified",
                       SLICE_ARG(type->text));
    }
    if (!include && ix->projection == PROJECT_INCLUDE) {
        return err_set(e, ERR_ValidationException,
                       PARAMS_INVALID
                       "ProjectionType is INCLUDE, but NonKeyAttributes is not specified");
    }
    return include ? read_include(a, include, ix, e) : 0;
}

static int check_local_key(const struct key_schema *table_key, const struct index *ix,
                           struct err *e)
{
    if (!ix->key.n_range) {
        return err_set(e, ERR_ValidationException,
                       PARAMS_INVALID "Index KeySchema does not have a range key for index: %.*s",
                       SLICE_ARG(ix->name));
    }
    if (slice_eq(ix->key.hash[0].name, table_key->hash[0].name)) return 0;
    return err_set(e, ERR_ValidationException,
                   PARAMS_INVALID "Index KeySchema does not have the same leading hash key as "
                                  "table KeySchema for index: %.*s. index hash key: %.*s, table "
                                  "hash key: %.*s",
                   SLICE_ARG(ix->name), SLICE_ARG(ix->key.hash[0].name),
                   SLICE_ARG(table_key->hash[0].name));
}

int params_index(struct arena *a, const struct json *node, const struct definitions *defs,
                 const struct key_schema *table_key, struct index *out, struct err *e)
{
    *out = (struct index){ .kind = table_key ? INDEX_LOCAL : INDEX_GLOBAL };
    out->status = INDEX_ACTIVE;
    out->name = PARAM_GET(node, "IndexName")->text;
    int code = params_key_schema(a, PARAM_GET(node, "KeySchema"), defs,
                                 table_key ? SCHEMA_LOCAL : SCHEMA_GLOBAL, &out->key, e);
    if (!code && table_key) code = check_local_key(table_key, out, e);
    return code ? code : read_projection(a, PARAM_GET(node, "Projection"), out, e);
}

int params_index_counts(const struct table *t, struct err *e)
{
    size_t local = 0, global = 0, projected = 0;
    for (size_t i = 0; i < t->n_indexes; i++) {
        *(t->indexes[i].kind == INDEX_LOCAL ? &local : &global) += 1;
        projected += t->indexes[i].n_include;
    }
    if (local > PARAMS_MAX_LOCAL) {
        return err_set(e, ERR_ValidationException,
                       PARAMS_INVALID
                       "Number of LocalSecondaryIndexes exceeds per-table limit of %d",
                       PARAMS_MAX_LOCAL);
    }
    if (global > PARAMS_MAX_GLOBAL) {
        return err_set(e, ERR_ValidationException,
                       PARAMS_INVALID
                       "GlobalSecondaryIndex count exceeds the per-table limit of %d",
                       PARAMS_MAX_GLOBAL);
    }
    if (projected > PARAMS_MAX_PROJECTED) {
        return err_set(e, ERR_ValidationException,
                       PARAMS_INVALID
                       "NonKeyAttributes count exceeds the per-table limit of %d over all indexes",
                       PARAMS_MAX_PROJECTED);
    }
    return 0;
}
