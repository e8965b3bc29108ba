/* table_update_index.c: UpdateTable's creation and deletion of global indexes.
 *
 * A created index is in the table's record from now on, CREATING and backfilling: every write keeps
 * it up to date, the backfill (backfill.c) adds what was there before. A deleted index leaves the
 * record at once, and with it every write and read; its entries are purged behind (purge.c). */
#include "table_update.h"
#include "../base/failpoint.h"

static int limit_exceeded(struct call *call)
{
    return err_set(&call->err, ERR_LimitExceededException,
                   "Subscriber limit exceeded: Only 1 online index can be created or deleted "
                   "simultaneously per table");
}

static void put_schema(struct buf *b, const struct key_schema *k)
{
    BUF_LIT(b, "Schema:[");
    for (size_t i = 0; i < k->n_hash + k->n_range; i++) {
        bool hash = i < k->n_hash;
        const struct key_attr *attr = hash ? &k->hash[i] : &k->range[i - k->n_hash];
        buf_printf(b, "%sSchemaElement: key{%.*s:%s:%s}", i ? ", " : "", SLICE_ARG(attr->name),
                   val_type_name(attr->type), hash ? "HASH" : "RANGE");
    }
    buf_u8(b, ']');
}

static const struct key_attr *definition(const struct table *t, struct slice name)
{
    for (size_t i = 0; i < t->n_attrs; i++) {
        if (slice_eq(t->attrs[i].name, name)) return &t->attrs[i];
    }
    return NULL;
}

/* The schema through which the table knows the attribute. */
static const struct key_schema *schema_with(const struct table *t, struct slice name)
{
    for (size_t i = 0; i < t->n_indexes; i++) {
        if (key_schema_has(&t->indexes[i].key, name)) return &t->indexes[i].key;
    }
    return &t->key;
}

/* An attribute has one type in all keys of a table. */
static int check_types(struct call *call, const struct table *t, const struct key_schema *k)
{
    for (size_t i = 0; i < k->n_hash + k->n_range; i++) {
        const struct key_attr *attr = i < k->n_hash ? &k->hash[i] : &k->range[i - k->n_hash];
        const struct key_attr *known = definition(t, attr->name);
        if (!known || known->type == attr->type) continue;
        struct buf have, want;
        buf_init(&have, call->arena, 64 << 10);
        buf_init(&want, call->arena, 64 << 10);
        put_schema(&have, schema_with(t, attr->name));
        put_schema(&want, k);
        return err_set(&call->err, ERR_ValidationException,
                       PARAMS_INVALID "Attributes cannot be redefined. Please check that your "
                                      "attribute has the same type as previously defined. Existing "
                                      "schema: %.*s New schema: %.*s",
                       SLICE_ARG(buf_view(&have)), SLICE_ARG(buf_view(&want)));
    }
    return 0;
}

/* A limit that CreateTable calls invalid is a quota here, which on AWS can be raised. */
static int check_count(struct call *call, const struct table *t)
{
    size_t global = 0;
    for (size_t i = 0; i < t->n_indexes; i++)
        global += t->indexes[i].kind == INDEX_GLOBAL;
    if (global < PARAMS_MAX_GLOBAL) return 0;
    return err_set(&call->err, ERR_LimitExceededException,
                   "Subscriber limit exceeded: Number of global secondary indexes exceeds per-table limit of %d",
                   PARAMS_MAX_GLOBAL);
}

static int check_create(struct call *call, const struct table_update *u, const struct table *t,
                        struct index_action *action)
{
    if (table_index(t, action->name)) {
        return err_set(&call->err, ERR_ValidationException,
                       "Attempting to create an index which already exists");
    }
    int code = check_types(call, t, &action->index.key);
    if (!code) code = check_count(call, t);
    if (code) return code;
    enum billing_mode target = u->has_billing ? u->billing : t->billing;
    if (target == BILLING_PROVISIONED && !PARAM_GET(action->node, "ProvisionedThroughput")) {
        return err_set(&call->err, ERR_ValidationException,
                       PARAMS_INVALID "ProvisionedThroughput must be specified for index: %.*s", SLICE_ARG(action->name));
    }
    return params_index_throughput(action->node, target, true, &action->index, &call->err);
}

int table_update_find(struct call *call, const struct table *t, struct slice name, const char *what)
{
    const struct index *ix = table_index(t, name);
    if (!ix) {
        return err_set(&call->err, ERR_ResourceNotFoundException,
                       "Requested resource not found: Index %.*s for table %.*s", SLICE_ARG(name), SLICE_ARG(t->name));
    }
    if (ix->kind == INDEX_GLOBAL) return 0;
    return err_set(&call->err, ERR_ValidationException, "Cannot %s an index that is not a GlobalSecondaryIndex: %.*s",
                   what, SLICE_ARG(name));
}

int table_update_check_indexes(struct call *call, const struct table_update *u,
                               const struct table *t)
{
    size_t changes = 0;
    for (size_t i = 0; i < u->n_actions; i++)
        changes += u->actions[i].kind != ACTION_UPDATE;
    if (changes > 1) return limit_exceeded(call);
    for (size_t i = 0; i < u->n_actions; i++) {
        struct index_action *action = &u->actions[i];
        int code = 0;
        if (action->kind == ACTION_CREATE) code = check_create(call, u, t, action);
        if (action->kind == ACTION_DELETE) code = table_update_find(call, t, action->name, "delete");
        if (code) return code;
    }
    /* An index that is being filled may be deleted; anything else must wait for it. */
    for (size_t i = 0; changes && i < t->n_indexes; i++) {
        const struct index *ix = &t->indexes[i];
        if (ix->status != INDEX_CREATING) continue;
        for (size_t k = 0; k < u->n_actions; k++) {
            const struct index_action *action = &u->actions[k];
            bool deletes_it = action->kind == ACTION_DELETE && slice_eq(action->name, ix->name);
            if (action->kind != ACTION_UPDATE && !deletes_it) return limit_exceeded(call);
        }
    }
    return 0;
}

static void add_definitions(struct call *call, struct table *t, const struct key_schema *k)
{
    struct key_attr *attrs = ARENA_ARRAY(call->arena, struct key_attr, t->n_attrs + 8);
    memcpy(attrs, t->attrs, t->n_attrs * sizeof *attrs);
    t->attrs = attrs;
    for (size_t i = 0; i < k->n_hash + k->n_range; i++) {
        const struct key_attr *attr = i < k->n_hash ? &k->hash[i] : &k->range[i - k->n_hash];
        if (!definition(t, attr->name)) t->attrs[t->n_attrs++] = *attr;
    }
}

static void create_index(struct call *call, struct table *t, const struct index *asked)
{
    struct index *indexes = ARENA_ARRAY(call->arena, struct index, t->n_indexes + 1);
    if (t->n_indexes) memcpy(indexes, t->indexes, t->n_indexes * sizeof *indexes);
    t->indexes = indexes;
    struct index *ix = &t->indexes[t->n_indexes++];
    *ix = *asked;
    ix->status = INDEX_CREATING;
    ix->backfilling = true;
    add_definitions(call, t, &ix->key);
}

static void delete_index(struct table *t, struct slice name)
{
    size_t i = (size_t)(table_index(t, name) - t->indexes);
    memmove(&t->indexes[i], &t->indexes[i + 1], (t->n_indexes - i - 1) * sizeof *t->indexes);
    t->n_indexes--;
    params_drop_unused(t);
}

void table_update_indexes(struct call *call, const struct table_update *u, struct table *t)
{
    for (size_t i = 0; i < u->n_actions; i++) {
        const struct index_action *action = &u->actions[i];
        if (action->kind == ACTION_CREATE) create_index(call, t, &action->index);
        if (action->kind == ACTION_DELETE) delete_index(t, action->name);
    }
}

int table_update_work(struct store_txn *txn, struct table_update *u, const struct table *before,
                      struct table *t)
{
    int status = STORE_OK;
    u->wake = false;
    for (size_t i = 0; !status && i < u->n_actions; i++) {
        const struct index_action *action = &u->actions[i];
        if (action->kind == ACTION_UPDATE) continue;
        u->wake = true;
        if (action->kind == ACTION_DELETE) {
            status = catalog_drop_index(txn, table_index(before, action->name)->id);
            continue;
        }
        struct index *ix = &t->indexes[table_index(t, action->name) - t->indexes];
        status = catalog_next_id(txn, &ix->id);
        if (!status) status = catalog_begin_backfill(txn, ix->id, t->id);
        if (!status) status = FAILPOINT_OR(index_create, STORE_IO);
    }
    return status;
}
