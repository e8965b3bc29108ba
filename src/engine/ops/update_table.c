/* update_table.c: UpdateTable. Everything is decided on the table's record as the transaction sees
 * it. The answer shows the table UPDATING, the stored record is ACTIVE again. */
#include "../engine_impl.h"
#include "../streams.h"
#include "../table_update.h"

static int parse(struct call *call)
{
    struct table_update *u = ARENA_NEW(call->arena, struct table_update);
    call->state = u;
    return table_update_parse(call, u);
}

static int check_stream(struct call *call, const struct table_update *u, const struct table *t)
{
    if (!u->stream.given || u->stream.enable == !t->stream_view.n) return 0;
    return err_set(&call->err, ERR_ValidationException, "%s: TableName: %.*s",
                   u->stream.enable ? "Table already has an enabled stream" : "Table has no stream to disable",
                   SLICE_ARG(t->name));
}

/* The stream, and the history as the changed settings ask for it. */
static int change_history(struct call *call, struct store_txn *txn, struct table_update *u, struct table *t)
{
    uint32_t before = t->last_segment;
    int status;
    if (!u->stream.given) {
        status = history_settle(txn, call->arena, call->engine, t);
    } else if (u->stream.enable) {
        t->stream_view = u->stream.view;
        t->stream_policy = (struct policy){ 0 };
        status = stream_begin(txn, call->arena, call->engine, t);
    } else {
        status = stream_end(txn, call->arena, call->engine, t);
    }
    u->wake = u->wake || u->stream.given || t->last_segment != before;
    return status;
}

static int change_settings(struct call *call, struct table *t)
{
    struct slice class = param_string(call->request, SLICE("TableClass"));
    if (class.n && !slice_eq(class, t->table_class)) {
        t->table_class = class;
        t->table_class_ms = call_now_ms(call);
    }
    t->deletion_protection =
        param_bool(call->request, SLICE("DeletionProtectionEnabled"), t->deletion_protection);
    return params_encrypt(PARAM_GET(call->request, "SSESpecification"), false, t, &call->err);
}

/* What the answer shows: the change under way. Throughput still has its old numbers, unless the
 * billing mode changes; a deleted index is still there. */
static int describe(struct call *call, struct store_txn *txn, const struct table_update *u,
                    const struct table *before, const struct table *t)
{
    struct table shown = *t;
    shown.status = TABLE_UPDATING;
    shown.indexes = ARENA_ARRAY(call->arena, struct index, t->n_indexes + 1);
    if (t->n_indexes) memcpy(shown.indexes, t->indexes, t->n_indexes * sizeof *shown.indexes);
    for (size_t i = 0; i < shown.n_indexes; i++) {
        if (shown.indexes[i].status == INDEX_CREATING) shown.indexes[i].backfilling = false;
    }
    if (t->billing == before->billing) {
        shown.throughput.read = before->throughput.read;
        shown.throughput.write = before->throughput.write;
        shown.throughput.decreases_today = before->throughput.decreases_today;
    } else if (t->billing == BILLING_PAY_PER_REQUEST) {
        shown.billing_changed_ms = 0;
    }
    for (size_t i = 0; i < u->n_actions; i++) {
        if (u->actions[i].kind != ACTION_DELETE) continue;
        struct index *gone = &shown.indexes[shown.n_indexes++];
        *gone = *table_index(before, u->actions[i].name);
        gone->status = INDEX_DELETING;
    }
    BUF_LIT(&call->response, "{\"TableDescription\":");
    int status = table_describe(&call->response, txn, &call->caller, &shown);
    buf_u8(&call->response, '}');
    return status;
}

static int run(struct call *call, struct store_txn *txn)
{
    struct table_update *u = call->state;
    struct table *before, *t;
    int code = call_read_table(call, txn, u->name, &before);
    if (!code) code = call_read_table(call, txn, u->name, &t);
    if (!code) code = table_update_check_indexes(call, u, t);
    if (!code) code = table_update_throughput(call, u, t);
    if (!code) code = check_stream(call, u, t);
    if (!code) code = change_settings(call, t);
    if (code) return code;
    table_update_indexes(call, u, t);
    code = params_index_counts(t, &call->err);
    if (code) return code;
    int status = table_update_work(txn, u, before, t);
    if (!status) status = change_history(call, txn, u, t);
    if (!status) status = describe(call, txn, u, before, t);
    return status ? call_store_failed(call, status) : call_write_table(call, txn, t);
}

static void after(struct call *call)
{
    const struct table_update *u = call->state;
    call_publish_table(call);
    engine_forget_dropped(call->engine);
    if (u->wake) jobs_wake(call->engine->jobs);
}

const struct op op_update_table = {
    .name = "UpdateTable", .kind = OP_WRITE, .parse = parse, .run = run, .after = after
};
