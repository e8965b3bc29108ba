/* mutation.c: the steps every write is made of. */
#include "mutation.h"
#include "request.h"

static int parse_expressions(struct call *call, const struct json *obj, struct mutation *m)
{
    struct expr_env env;
    int code = request_env(call, obj, &env);
    struct slice update = param_string(obj, SLICE("UpdateExpression"));
    if (!code && m->kind == MUTATION_UPDATE && param_present(obj, SLICE("UpdateExpression"))) {
        code = update_parse(&env, update, &m->update, &call->err);
    }
    struct cond *condition = NULL;
    if (!code) code = request_condition(call, obj, "ConditionExpression", &env, &condition);
    if (condition) m->condition = condition; /* Expected may have given one */
    /* Placeholders without any expression pass in a transaction. */
    if (!code && (condition || m->update)) code = expr_env_check_unused(&env, &call->err);
    return code;
}

static int parse_legacy(struct call *call, const struct json *obj, struct mutation *m)
{
    int code = 0;
    const struct json *updates = PARAM_GET(obj, "AttributeUpdates");
    if (m->kind == MUTATION_UPDATE && updates) {
        code = legacy_attribute_updates(call->arena, updates, &m->update, &call->err);
    }
    const struct json *expected = PARAM_GET(obj, "Expected");
    if (!code) code = request_check_conditional_operator(call, obj, expected);
    if (code || !expected) return code;
    return legacy_expected(call->arena, expected, param_string(obj, SLICE("ConditionalOperator")),
                           &m->condition, &call->err);
}

static int check_size(struct call *call, const struct mutation *m, size_t size)
{
    if (size <= ITEM_MAX_BYTES) return 0;
    return err_set(&call->err, ERR_ValidationException,
                   m->kind == MUTATION_PUT
                       ? "Item size has exceeded the maximum allowed size"
                       : "Item size to update has exceeded the maximum allowed size");
}

int mutation_check_put_size(struct call *call, struct mutation *m)
{
    m->item_size = val_item_size(m->item);
    return check_size(call, m, m->item_size);
}

static int parse_return_values(struct call *call, const struct json *obj, struct mutation *m)
{
    struct slice v = param_string(obj, SLICE("ReturnValues"));
    if (slice_eq(v, SLICE("ALL_OLD"))) m->returns = RETURN_ALL_OLD;
    if (slice_eq(v, SLICE("ALL_NEW"))) m->returns = RETURN_ALL_NEW;
    if (slice_eq(v, SLICE("UPDATED_OLD"))) m->returns = RETURN_UPDATED_OLD;
    if (slice_eq(v, SLICE("UPDATED_NEW"))) m->returns = RETURN_UPDATED_NEW;
    if (m->kind == MUTATION_UPDATE || m->returns <= RETURN_ALL_OLD) return 0;
    return err_set(&call->err, ERR_ValidationException, "ReturnValues can only be ALL_OLD or NONE");
}

int mutation_parse(struct call *call, const struct json *obj, enum mutation_kind kind, bool single,
                   struct mutation *m)
{
    *m = (struct mutation){ .kind = kind, .table_name = param_string(obj, SLICE("TableName")) };
    m->show_old_on_failure = slice_eq(
        param_string(obj, SLICE("ReturnValuesOnConditionCheckFailure")), SLICE("ALL_OLD"));
    const struct request_style *style =
        kind == MUTATION_UPDATE ? &REQUEST_UPDATE : &REQUEST_CONDITION;
    int code = single ? request_check_mixing(call, obj, style) : 0;
    if (!code) {
        code = request_item(call, obj, kind == MUTATION_PUT ? SLICE("Item") : SLICE("Key"), &m->item);
    }
    if (!code && single) code = parse_return_values(call, obj, m);
    if (!code && kind == MUTATION_PUT) code = mutation_check_put_size(call, m);
    if (!code && single) code = parse_legacy(call, obj, m);
    if (!code) code = parse_expressions(call, obj, m);
    m->removes_only = m->update && update_only_removes(m->update);
    return code;
}

static int check_keys_untouched(struct call *call, const struct mutation *m)
{
    struct slice *names;
    size_t n = update_names(m->update, call->arena, &names);
    for (size_t i = 0; i < n; i++) {
        if (!key_schema_has(&m->table->key, names[i])) continue;
        return err_set(&call->err, ERR_ValidationException,
                       "One or more parameter values were invalid: Cannot update attribute %.*s. "
                       "This attribute is part of the key",
                       SLICE_ARG(names[i]));
    }
    return 0;
}

int mutation_bind(struct call *call, struct mutation *m)
{
    int code = call_find_table(call, m->table_name, &m->table);
    return code ? code : mutation_bind_found(call, m);
}

int mutation_bind_found(struct call *call, struct mutation *m)
{
    struct change *c = &m->change;
    int code;
    *c = (struct change){ .engine = call->engine, .table = m->table };
    if (m->kind == MUTATION_PUT) {
        c->new_item = m->item;
        c->new_size = m->item_size;
        code = key_of_item(call->arena, m->table, m->item, m->in_batch, &c->store_key, &call->err);
    } else {
        code = key_of_request(call->arena, m->table, m->item, &c->store_key, &call->err);
    }
    if (!code && m->update) code = check_keys_untouched(call, m);
    if (!code && m->update) code = key_check_update_text(m->table, m->update, &call->err);
    if (!code) code = request_check_key_paths(call, m->table, NULL, m->condition, m->update);
    return code;
}

void mutation_footprint(const struct mutation *m, struct footprint_item *item)
{
    *item = (struct footprint_item){ .key = m->change.store_key, .table = m->table, .write = true,
                                     .halves = (uint32_t)capacity_write_halves(m->item_size) };
}

static int plan_update(struct call *call, struct mutation *m)
{
    struct change *c = &m->change;
    c->new_item = slice_of(NULL, 0); /* a run before this one may have left something */
    c->new_size = 0;
    if (!c->old_item.n && m->removes_only) return 0;
    struct slice before = c->old_item.n ? c->old_item : m->item;
    c->new_item = before;
    if (m->update) {
        int code = (c->old_item.n ? update_apply : update_apply_new)(m->update, call->arena, before,
                                                                     &c->new_item, &call->err);
        if (code) return code;
    }
    c->new_size = val_item_size(c->new_item);
    int code = check_size(call, m, c->new_size);
    if (code || !m->update || !m->table->n_indexes) return code;
    return key_check_updated(m->table, m->update, c->new_item, call->arena, &call->err);
}

/* The larger of the image that is there and the one that would have been: it is paid for all the same. */
static uint64_t failed_halves(struct call *call, struct mutation *m)
{
    size_t size = m->item_size;
    struct err ignored = call->err;
    if (m->kind == MUTATION_UPDATE) {
        size = plan_update(call, m) ? 0 : m->change.new_size;
        call->err = ignored;
    }
    return capacity_write_halves(size > m->change.old_size ? size : m->change.old_size);
}

static int condition_failed(struct call *call, struct mutation *m)
{
    tally_note(&call->tally, call->arena,
               (struct touch){ .key = m->change.store_key, .parts = (uint8_t)m->table->key.n_hash, .write = true,
                               .halves = (uint32_t)failed_halves(call, m) });
    if (m->presence == PRESENCE_FORBIDDEN) {
        return err_set(&call->err, ERR_DuplicateItemException, "Duplicate primary key exists in table");
    }
    err_set(&call->err, ERR_ConditionalCheckFailedException, "The conditional request failed");
    if (m->show_old_on_failure && m->change.old_item.n) {
        struct buf b;
        buf_init(&b, call->arena, (size_t)32 << 20); /* numbers can be long as text */
        BUF_LIT(&b, ",\"Item\":");
        item_to_json(&b, m->change.old_item);
        call->err.detail = buf_view(&b);
    }
    return (int)call->err.code;
}

static bool condition_holds(const struct mutation *m)
{
    const bool there = m->change.old_item.n != 0;
    if (m->presence == PRESENCE_FORBIDDEN && there) return false;
    if (m->presence == PRESENCE_REQUIRED && !there) return false;
    if (m->presence == PRESENCE_EXCUSED && !there) return true;
    return !m->condition || cond_eval(m->condition, m->change.old_item);
}

int mutation_plan(struct call *call, struct mutation *m)
{
    struct change *c = &m->change;
    if (!condition_holds(m)) return condition_failed(call, m);
    switch (m->kind) {
    case MUTATION_PUT: return 0;
    case MUTATION_UPDATE: return plan_update(call, m);
    case MUTATION_DELETE: c->new_item = slice_of(NULL, 0); return 0;
    case MUTATION_CHECK:
        c->new_item = c->old_item;
        c->new_size = c->old_size;
        return 0;
    }
    return 0;
}

int mutation_apply(struct call *call, struct store_txn *txn, struct mutation *m, struct usage *u)
{
    if (m->kind == MUTATION_CHECK) {
        usage_write(u, call->arena, NULL, m->change.store_key, capacity_write_halves(m->change.old_size));
        return 0;
    }
    int status = item_change(txn, call->arena, &m->change, u);
    return status ? call_store_failed(call, status) : 0;
}

bool collection_metrics_wanted(const struct json *request, const struct table *t)
{
    if (!slice_eq(param_string(request, SLICE("ReturnItemCollectionMetrics")), SLICE("SIZE"))) {
        return false;
    }
    for (size_t i = 0; i < t->n_indexes; i++) {
        if (t->indexes[i].kind == INDEX_LOCAL) return true;
    }
    return false;
}

/* One machine has no partition of 10 GB to measure; DynamoDB's estimate for a small collection is 0 to 1. */
void collection_metrics_put(struct buf *b, const struct mutation *m)
{
    struct slice pk;
    struct slice name = m->table->key.hash[0].name;
    val_get(m->item, name, &pk);
    BUF_LIT(b, "{\"ItemCollectionKey\":{");
    json_put_string(b, name);
    buf_u8(b, ':');
    val_to_json(b, pk);
    BUF_LIT(b, "},\"SizeEstimateRangeGB\":[0.0,1.0]}");
}
