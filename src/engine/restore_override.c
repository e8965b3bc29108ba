/* restore_override.c: what a restored table may have other than its source: billing mode, throughput, encryption, and a
 * choice of the source's indexes. */
#include "restore.h"
#include "table_params.h"

#define INVALID "Invalid Request: "

struct overrides {
    struct table *table;
    const struct index *source; /* the source's indexes */
    size_t n_source;
    bool billing; /* BillingModeOverride is there */
};

static int invalid(struct call *call, const char *text)
{
    return err_set(&call->err, ERR_ValidationException, INVALID "%s", text);
}

static int invalid_index(struct call *call, const char *text, struct slice name)
{
    return err_set(&call->err, ERR_ValidationException, INVALID "%s for index %.*s", text, SLICE_ARG(name));
}

/* ---- billing and throughput of the table ---- */

static int override_units(struct call *call, const struct overrides *o)
{
    struct table *t = o->table;
    const struct json *units = PARAM_GET(call->request, "ProvisionedThroughputOverride");
    bool provisioned = t->billing == BILLING_PROVISIONED;
    if (units && !provisioned && o->billing) {
        return invalid(call, "Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST");
    }
    if (units && !provisioned) {
        return invalid(call, "Cannot override ProvisionedThroughput unless BillingMode is PROVISIONED");
    }
    if (!units && provisioned && o->billing) {
        return invalid(call, "Must override ProvisionedThroughput if BillingMode is overridden to PROVISIONED");
    }
    params_throughput(units, &t->throughput);
    return params_throughput_bounds(&t->throughput, &call->err);
}

static int override_limit(struct call *call, const struct json *node, struct slice member, const struct table *t,
                          int64_t *out)
{
    int64_t v;
    if (!param_int(node, member, &v)) return 0;
    if (t->billing == BILLING_PROVISIONED) {
        return err_set(&call->err, ERR_ValidationException,
                       INVALID "Cannot override %.*s for OnDemandThroughput unless BillingModeOverride is PAY_PER_REQUEST",
                       SLICE_ARG(member));
    }
    if (v < 1 && v != -1) {
        return err_set(&call->err, ERR_ValidationException,
                       INVALID "Requested %.*s for OnDemandThroughput is outside of valid range", SLICE_ARG(member));
    }
    *out = v == -1 ? 0 : v;
    return 0;
}

static int override_limits(struct call *call, const struct json *node, const struct table *t, struct throughput *out)
{
    if (!node) return 0;
    int code = override_limit(call, node, SLICE("MaxReadRequestUnits"), t, &out->max_read);
    return code ? code : override_limit(call, node, SLICE("MaxWriteRequestUnits"), t, &out->max_write);
}

static void change_billing(struct overrides *o, const struct json *request)
{
    struct table *t = o->table;
    struct slice mode = param_string(request, SLICE("BillingModeOverride"));
    o->billing = mode.p != NULL;
    if (!o->billing) return;
    t->billing = slice_eq(mode, SLICE("PAY_PER_REQUEST")) ? BILLING_PAY_PER_REQUEST : BILLING_PROVISIONED;
    /* Units belong to one mode, limits to the other. */
    if (t->billing == BILLING_PAY_PER_REQUEST) {
        t->throughput.read = t->throughput.write = 0;
    } else {
        t->throughput.max_read = t->throughput.max_write = 0;
    }
}

/* ---- indexes ---- */

static bool next_is(const struct json **element, const struct key_attr *attr, const char *type)
{
    const struct json *node = *element;
    if (!node || !slice_eq(param_string(node, SLICE("AttributeName")), attr->name) ||
        !slice_eq(param_string(node, SLICE("KeyType")), slice_str(type))) {
        return false;
    }
    *element = node->next;
    return true;
}

static bool same_key(const struct json *schema, const struct key_schema *k)
{
    const struct json *element = schema->first;
    for (size_t i = 0; i < k->n_hash; i++) {
        if (!next_is(&element, &k->hash[i], "HASH")) return false;
    }
    for (size_t i = 0; i < k->n_range; i++) {
        if (!next_is(&element, &k->range[i], "RANGE")) return false;
    }
    return !element;
}

static bool among(const struct json *names, struct slice name)
{
    for (const struct json *n = names->first; n; n = n->next) {
        if (slice_eq(n->text, name)) return true;
    }
    return false;
}

static bool same_projection(const struct json *projection, const struct index *ix)
{
    static const char *const kinds[] = { "ALL", "KEYS_ONLY", "INCLUDE" };
    const struct json *names = PARAM_GET(projection, "NonKeyAttributes");
    if (param_enum(projection, SLICE("ProjectionType"), kinds, 3, -1) != (int)ix->projection) return false;
    if ((names ? names->count : 0) != ix->n_include) return false;
    for (size_t i = 0; i < ix->n_include; i++) {
        if (!among(names, ix->include[i])) return false;
    }
    return true;
}

/* The source's index that this one is, whatever its name now; NULL: there is none, or it was taken. */
static const struct index *find_source(const struct overrides *o, enum index_kind kind, const struct json *node,
                                       const bool *taken, size_t *at)
{
    for (*at = 0; *at < o->n_source; ++*at) {
        const struct index *ix = &o->source[*at];
        if (ix->kind != kind || taken[*at] || !same_key(PARAM_GET(node, "KeySchema"), &ix->key)) continue;
        if (same_projection(PARAM_GET(node, "Projection"), ix)) return ix;
    }
    return NULL;
}

static int override_index_units(struct call *call, const struct overrides *o, const struct json *node, struct index *ix)
{
    const struct json *units = PARAM_GET(node, "ProvisionedThroughput");
    bool provisioned = o->table->billing == BILLING_PROVISIONED;
    if (provisioned && !units) return invalid_index(call, "Must specify provisioned throughput", ix->name);
    if (!provisioned && units && o->billing) {
        return invalid_index(call, "Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST",
                             ix->name);
    }
    if (!provisioned && units) {
        return invalid_index(call, "Cannot override ProvisionedThroughput unless BillingMode is PROVISIONED", ix->name);
    }
    params_throughput(units, &ix->throughput);
    int code = params_throughput_bounds(&ix->throughput, &call->err);
    if (!code) {
        code = params_warm(PARAM_GET(node, "WarmThroughput"), o->table->billing, true, ix->name, &ix->throughput, &call->err);
    }
    if (code) return code;
    return override_limits(call, PARAM_GET(node, "OnDemandThroughput"), o->table, &ix->throughput);
}

/* An index that stays as it was has to fit the billing mode too. */
static int keep_index(struct call *call, const struct overrides *o, const struct index *source)
{
    struct table *t = o->table;
    struct index ix = *source;
    if (ix.kind == INDEX_GLOBAL && t->billing == BILLING_PAY_PER_REQUEST) ix.throughput.read = ix.throughput.write = 0;
    if (ix.kind == INDEX_GLOBAL && t->billing == BILLING_PROVISIONED) {
        if (!ix.throughput.read) return invalid_index(call, "Must specify provisioned throughput", ix.name);
        ix.throughput.max_read = ix.throughput.max_write = 0;
    }
    t->indexes[t->n_indexes++] = ix;
    return 0;
}

static int override_index(struct call *call, const struct overrides *o, enum index_kind kind, const struct json *node,
                          bool *taken)
{
    struct table *t = o->table;
    struct slice name = param_string(node, SLICE("IndexName"));
    size_t at;
    const struct index *source = find_source(o, kind, node, taken, &at);
    if (!source) {
        return err_set(&call->err, ERR_ValidationException,
                       INVALID "Index %.*s does not match a secondary index that existed in the source table and cannot be "
                               "created during the restore operation",
                       SLICE_ARG(name));
    }
    taken[at] = true;
    struct index ix = *source;
    ix.name = name;
    ix.throughput = (struct throughput){ 0 };
    int code = kind == INDEX_GLOBAL ? override_index_units(call, o, node, &ix) : 0;
    if (code) return code;
    if (table_index(t, name)) {
        return err_set(&call->err, ERR_ValidationException, PARAMS_INVALID "Duplicate index name: %.*s",
                       SLICE_ARG(name));
    }
    t->indexes[t->n_indexes++] = ix;
    return 0;
}

/* list: NULL restores all of them, an empty one none. */
static int override_kind(struct call *call, const struct overrides *o, enum index_kind kind, const struct json *list)
{
    int code = 0;
    bool taken[TABLE_MAX_INDEXES] = { false };
    for (size_t i = 0; !code && !list && i < o->n_source; i++) {
        if (o->source[i].kind == kind) code = keep_index(call, o, &o->source[i]);
    }
    for (const struct json *node = list ? list->first : NULL; !code && node; node = node->next) {
        code = override_index(call, o, kind, node, taken);
    }
    return code;
}

int restore_override(struct call *call, struct table *t)
{
    const struct json *request = call->request;
    const struct json *vectors = PARAM_GET(request, "VectorIndexOverride");
    struct overrides o = { .table = t, .source = t->indexes, .n_source = t->n_indexes };
    if (vectors && vectors->count) {
        return invalid(call, "VectorIndexOverride is not supported: Vector indexes are not available in Onefold");
    }
    t->indexes = ARENA_ARRAY(call->arena, struct index, TABLE_MAX_INDEXES + 1);
    t->n_indexes = 0;
    change_billing(&o, request);
    int code = override_units(call, &o);
    if (!code) code = override_limits(call, PARAM_GET(request, "OnDemandThroughputOverride"), t, &t->throughput);
    if (!code) {
        code = override_kind(call, &o, INDEX_LOCAL, PARAM_GET(request, "LocalSecondaryIndexOverride"));
    }
    if (!code) {
        code = override_kind(call, &o, INDEX_GLOBAL, PARAM_GET(request, "GlobalSecondaryIndexOverride"));
    }
    const struct json *encryption = PARAM_GET(request, "SSESpecificationOverride");
    if (!code) code = params_encryption(encryption, &call->err);
    if (!code) code = params_encrypt(encryption, true, t, &call->err);
    params_drop_unused(t);
    return code;
}
