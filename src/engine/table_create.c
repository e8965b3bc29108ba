/* table_create.c: a new table, as CreateTable and ImportTable ask for it. */
#include "table_create.h"
#include "../base/failpoint.h"
#include "engine_impl.h"
#include "resource_policy.h"
#include "streams.h"
#include "table_params.h"
#include "tags.h"

/* Beyond this only their number is told: each index would be compared with all before it. */
#define MANY_INDEXES 100

static int invalid(struct call *call, const char *text)
{
    return err_set(&call->err, ERR_ValidationException, PARAMS_INVALID "%s", text);
}

static int parse_billing(struct call *call, const struct json *request, struct table *t)
{
    const struct json *provisioned = PARAM_GET(request, "ProvisionedThroughput");
    struct slice mode = params_billing_mode(request);
    if (slice_eq(mode, SLICE("PAY_PER_REQUEST"))) {
        t->billing = BILLING_PAY_PER_REQUEST;
        if (!provisioned) return 0;
        return invalid(call,
                       "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when "
                       "BillingMode is PAY_PER_REQUEST");
    }
    if (!params_throughput(provisioned, &t->throughput)) {
        return invalid(call, "ReadCapacityUnits and WriteCapacityUnits must both be specified when "
                             "BillingMode is PROVISIONED");
    }
    return params_throughput_bounds(&t->throughput, &call->err);
}

static int check_new_name(struct call *call, const struct table *t, struct slice name)
{
    if (!table_index(t, name)) return 0;
    return err_set(&call->err, ERR_ValidationException, PARAMS_INVALID "Duplicate index name: %.*s",
                   SLICE_ARG(name));
}

/* The error of params_index_counts, before the indexes are looked at. */
static int too_many(struct call *call, enum index_kind kind)
{
    struct index many[MANY_INDEXES];
    for (size_t i = 0; i < MANY_INDEXES; i++)
        many[i] = (struct index){ .kind = kind };
    return params_index_counts(&(struct table){ .indexes = many, .n_indexes = MANY_INDEXES },
                               &call->err);
}

static int parse_local(struct call *call, const struct json *list, const struct definitions *defs,
                       struct table *t)
{
    if (!list) return 0;
    if (!list->count) return invalid(call, "List of LocalSecondaryIndexes is empty");
    if (list->count > MANY_INDEXES) return too_many(call, INDEX_LOCAL);
    if (!t->key.n_range) {
        return invalid(call, "Table KeySchema does not have a range key, which is required when "
                             "specifying a LocalSecondaryIndex");
    }
    for (const struct json *node = list->first; node; node = node->next) {
        struct index ix;
        int code = params_index(call->arena, node, defs, &t->key, &ix, &call->err);
        if (!code) code = check_new_name(call, t, ix.name);
        if (code) return code;
        t->indexes[t->n_indexes++] = ix;
    }
    return 0;
}

static int parse_global(struct call *call, const struct json *list, const struct definitions *defs,
                        struct table *t)
{
    if (!list) return 0;
    if (!list->count) return invalid(call, "List of GlobalSecondaryIndexes is empty");
    if (list->count > MANY_INDEXES) return too_many(call, INDEX_GLOBAL);
    for (const struct json *node = list->first; node; node = node->next) {
        struct index ix;
        int code = params_index(call->arena, node, defs, NULL, &ix, &call->err);
        if (!code) code = params_index_throughput(node, t->billing, true, &ix, &call->err);
        if (!code) code = check_new_name(call, t, ix.name);
        if (code) return code;
        t->indexes[t->n_indexes++] = ix;
    }
    return 0;
}

/* Adds indexes with nothing but their keys; says whether all of these are right. */
static bool read_keys(struct call *call, const struct json *list, const struct definitions *defs,
                      enum schema_kind kind, struct table *t)
{
    struct err ignored = { .arena = call->arena };
    for (const struct json *node = list ? list->first : NULL; node; node = node->next) {
        struct index *ix = &t->indexes[t->n_indexes++];
        *ix = (struct index){ .kind = kind == SCHEMA_LOCAL ? INDEX_LOCAL : INDEX_GLOBAL };
        if (params_key_schema(call->arena, PARAM_GET(node, "KeySchema"), defs, kind, &ix->key, &ignored)) return false;
        if (kind == SCHEMA_LOCAL && !ix->key.n_range) return false;
    }
    return true;
}

/* A definition that no key uses is told before anything else about indexes, except what is wrong with a key. */
static int check_used(struct call *call, const struct json *local, const struct json *global,
                      const struct definitions *defs, const struct table *t)
{
    struct table keys = *t;
    if ((local && local->count > MANY_INDEXES) || (global && global->count > MANY_INDEXES)) return 0;
    keys.indexes = ARENA_ARRAY(call->arena, struct index, 2 * MANY_INDEXES);
    if (!read_keys(call, local, defs, SCHEMA_LOCAL, &keys) || !read_keys(call, global, defs, SCHEMA_GLOBAL, &keys))
        return 0;
    return keys.n_indexes ? params_all_used(call->arena, &keys, &call->err) : 0;
}

static int parse_schema(struct call *call, const struct json *request, struct table *t)
{
    const struct json *local = PARAM_GET(request, "LocalSecondaryIndexes");
    const struct json *global = PARAM_GET(request, "GlobalSecondaryIndexes");
    struct definitions defs;
    int code = params_definitions(call->arena, PARAM_GET(request, "AttributeDefinitions"), &defs,
                                  &call->err);
    if (code) return code;
    t->attrs = defs.attrs;
    t->n_attrs = defs.n;
    code = params_key_schema(call->arena, PARAM_GET(request, "KeySchema"), &defs, SCHEMA_TABLE,
                             &t->key, &call->err);
    if (code) return code;
    t->indexes = ARENA_ARRAY(call->arena, struct index,
                             (size_t)(local ? local->count : 0) + (global ? global->count : 0) + 1);
    code = check_used(call, local, global, &defs, t);
    if (!code) code = parse_local(call, local, &defs, t);
    if (!code) code = parse_global(call, global, &defs, t);
    if (!code) code = params_index_counts(t, &call->err);
    return code ? code : params_all_used(call->arena, t, &call->err);
}

/* A table that is being restored gets what it had. */
static int read_policy(struct call *call, const struct json *request, struct table *t)
{
    const struct resource_policy_wish wish = { .restored = tags_unfinished(t->tags) };
    const struct policy *read;
    int code = resource_policy_read(call->arena, param_string(request, SLICE("ResourcePolicy")), &wish, &t->policy.text, &read, &call->err);
    return code || wish.restored ? code : resource_policy_check_lockout(call, read, t->name, t->tags);
}

int table_create_parse(struct call *call, const struct json *request, struct table *t)
{
    t->name = param_table(request, SLICE("TableName"));
    int code = parse_billing(call, request, t);
    if (!code) code = parse_schema(call, request, t);
    struct stream_wish stream = { 0 };
    if (!code) code = params_stream(request, true, &stream, &call->err);
    if (!code && stream.enable) t->stream_view = stream.view;
    if (!code) {
        code = params_on_demand(PARAM_GET(request, "OnDemandThroughput"), t->billing, true, SLICE(""),
                                &t->throughput, &call->err);
    }
    if (!code) code = params_refused(request, &call->err);
    if (!code) {
        code = tags_read(call->arena, PARAM_GET(request, "Tags"), &t->tags, &call->err);
    }
    if (!code && PARAM_GET(request, "ResourcePolicy")) {
        code = read_policy(call, request, t);
    }
    if (!code) {
        code = params_warm(PARAM_GET(request, "WarmThroughput"), t->billing, true, SLICE(""),
                           &t->throughput, &call->err);
    }
    const struct json *encryption = PARAM_GET(request, "SSESpecification");
    if (!code) code = params_class(request, &call->err);
    if (!code) code = params_encryption(encryption, &call->err);
    if (!code) code = params_encrypt(encryption, true, t, &call->err);
    t->table_class = param_string(request, SLICE("TableClass"));
    t->deletion_protection = param_bool(request, SLICE("DeletionProtectionEnabled"), false);
    return code;
}

static void set_status(struct table *t, enum table_status status, enum index_status index_status)
{
    t->status = status;
    for (size_t i = 0; i < t->n_indexes; i++)
        t->indexes[i].status = index_status;
}

int table_exists(struct call *call, const struct table *there)
{
    return err_set(&call->err, ERR_ResourceInUseException, "Table %s: %.*s",
                   table_restoring(there) ? "is being used" : "already exists", SLICE_ARG(there->name));
}

int table_being_created(struct call *call, const struct table *t)
{
    return err_set(&call->err, ERR_ResourceInUseException,
                   "Attempt to change a resource which is still in use: Table is being created: %.*s", SLICE_ARG(t->name));
}

int table_create_begin(struct call *call, struct store_txn *txn, struct table *t)
{
    int status;
    const struct table *there = catalog_read(txn, call->arena, t->name, &status);
    if (there) return table_exists(call, there);
    if (status == STORE_NOT_FOUND) status = catalog_give_ids(txn, t);
    if (!status) status = FAILPOINT_OR(table_create, STORE_IO);
    if (status) return call_store_failed(call, status);
    t->uuid = table_new_uuid(call->arena);
    t->created_ms = call_now_ms(call);
    if (t->policy.text.n) t->policy.revision = t->created_ms;
    t->billing_changed_ms = 0;
    t->n_segments = t->last_segment = 0;
    if (t->stream_view.n) status = stream_begin(txn, call->arena, call->engine, t);
    if (status) return call_store_failed(call, status);
    set_status(t, TABLE_CREATING, INDEX_CREATING);
    return 0;
}

void table_create_end(struct table *t)
{
    /* DynamoDB tells the time of the billing mode once the table is there. */
    if (t->billing == BILLING_PAY_PER_REQUEST) t->billing_changed_ms = t->created_ms;
    set_status(t, TABLE_ACTIVE, INDEX_ACTIVE);
}
