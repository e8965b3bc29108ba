/* update_time_to_live.c: UpdateTimeToLive. Decided on the table's record as the transaction sees it. Switched on again,
 * a table gets a new id for its times of expiry, so nothing has to wait until those of before are purged. */
#include "../engine_impl.h"
#include "../ops.h"

struct time_to_live {
    struct slice table, attribute;
    bool enabled;
    struct slice record; /* of the table, to be published */
};

static int parse(struct call *call)
{
    struct time_to_live *ttl = ARENA_NEW(call->arena, struct time_to_live);
    const struct json *specification = PARAM_GET(call->request, "TimeToLiveSpecification");
    ttl->table = param_table(call->request, SLICE("TableName"));
    ttl->attribute = param_string(specification, SLICE("AttributeName"));
    ttl->enabled = param_bool(specification, SLICE("Enabled"), false);
    call->state = ttl;
    return 0;
}

static int check(struct call *call, const struct time_to_live *ttl, const struct table *t)
{
    if (t->ttl_id && !slice_eq(t->ttl_attribute, ttl->attribute)) {
        return err_set(&call->err, ERR_ValidationException,
                       "TimeToLive is active on a different AttributeName: current AttributeName is %.*s",
                       SLICE_ARG(t->ttl_attribute));
    }
    if (ttl->enabled == (t->ttl_id != 0)) {
        return err_set(&call->err, ERR_ValidationException, "TimeToLive is already %s",
                       ttl->enabled ? "enabled" : "disabled");
    }
    return 0;
}

static int switch_it(struct store_txn *txn, const struct time_to_live *ttl, struct table *t)
{
    if (!ttl->enabled) {
        int status = catalog_drop_index(txn, t->ttl_id);
        t->ttl_id = 0;
        t->ttl_attribute = slice_of(NULL, 0);
        return status;
    }
    t->ttl_attribute = ttl->attribute;
    int status = catalog_next_id(txn, &t->ttl_id);
    return status ? status : catalog_begin_backfill(txn, t->ttl_id, t->id);
}

static int run(struct call *call, struct store_txn *txn)
{
    struct time_to_live *ttl = call->state;
    struct table *t;
    int code = call_read_table(call, txn, ttl->table, &t);
    if (!code) code = check(call, ttl, t);
    if (code) return code;
    int status = switch_it(txn, ttl, t);
    if (!status) status = catalog_write(txn, call->arena, t, &ttl->record);
    if (status) return call_store_failed(call, status);
    buf_printf(&call->response, "{\"TimeToLiveSpecification\":{\"Enabled\":%s,\"AttributeName\":",
               ttl->enabled ? "true" : "false");
    json_put_string(&call->response, ttl->attribute);
    BUF_LIT(&call->response, "}}");
    return 0;
}

static void after(struct call *call)
{
    const struct time_to_live *ttl = call->state;
    catalog_publish(call->engine->catalogs, ttl->record);
    jobs_wake(call->engine->jobs);
}

const struct op op_update_time_to_live = {
    .name = "UpdateTimeToLive", .kind = OP_WRITE, .parse = parse, .run = run, .after = after
};
