/* update_table.c: UpdateTable. Everything is decided on the table's record as the transaction sees
 * it. The answer shows the change under way, the stored record is ACTIVE again. */
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
    /* A table that was never given a class has the standard one, and does not say so. */
    bool same = slice_eq(class, t->table_class.n ? t->table_class : SLICE("STANDARD"));
    if (class.n && !same) {
        t->table_class = class;
        t->table_class_ms = call_now_ms(call);
    }
    t->deletion_protection =
        param_bool(call->request, SLICE("DeletionProtectionEnabled"), t->deletion_protection);
    return params_encrypt(PARAM_GET(call->request, "SSESpecification"), false, t, &call->err);
}

/* Some changes show in the table's status; the others only where they are made, or nowhere. */
static bool table_updating(const struct call *call, const struct table_update *u)
{
    if (u->has_billing || u->has_throughput || u->stream.given || param_present(call->request, SLICE("TableClass")))
        return true;
    for (size_t i = 0; i < u->n_actions; i++) {
        if (u->actions[i].kind != ACTION_UPDATE) return true;
    }
    return false;
}

/* The units are shown as they were, and a limit that was taken away as -1. */
static void show_throughput(struct throughput *shown, const struct throughput *before, bool units,
                            const struct json *limits)
{
    if (units) {
        shown->read = before->read;
        shown->write = before->write;
        shown->decreases_today = before->decreases_today;
    }
    if (!shown->max_read && param_present(limits, SLICE("MaxReadRequestUnits"))) shown->max_read = -1;
    if (!shown->max_write && param_present(limits, SLICE("MaxWriteRequestUnits"))) shown->max_write = -1;
}

/* An index as the answer shows it, which begins as a copy of what it becomes. */
static void show_index(const struct table_update *u, const struct table *before, bool switches,
                       struct index *shown, bool *warm)
{
    if (shown->status == INDEX_CREATING) shown->backfilling = false;
    for (size_t i = 0; i < u->n_actions; i++) {
        const struct index_action *action = &u->actions[i];
        if (action->kind != ACTION_UPDATE || !slice_eq(action->name, shown->name)) continue;
        const struct json *limits = PARAM_GET(action->node, "OnDemandThroughput");
        *warm = param_present(action->node, SLICE("WarmThroughput"));
        if (limits || param_present(action->node, SLICE("ProvisionedThroughput"))) shown->status = INDEX_UPDATING;
        show_throughput(&shown->throughput, &table_index(before, shown->name)->throughput, !switches, limits);
    }
}

/* The indexes as they were, one that is being deleted among them, and after them what was created. */
static void show_indexes(struct call *call, const struct table_update *u, const struct table *before,
                         struct table *shown, bool *warm)
{
    struct index *all = ARENA_ARRAY(call->arena, struct index, before->n_indexes + u->n_actions);
    size_t n = 0;
    for (size_t i = 0; i < before->n_indexes; i++) {
        const struct index *now = table_index(shown, before->indexes[i].name);
        all[n] = now ? *now : before->indexes[i];
        if (!now) all[n].status = INDEX_DELETING;
        n++;
    }
    for (size_t i = 0; i < shown->n_indexes; i++) {
        if (!table_index(before, shown->indexes[i].name)) all[n++] = shown->indexes[i];
    }
    for (size_t i = 0; i < n; i++)
        show_index(u, before, shown->billing != before->billing, &all[i], &warm[i]);
    shown->indexes = all;
    shown->n_indexes = n;
}

/* What the answer shows: the change under way. Throughput still has its old numbers, unless the
 * billing mode changes; so has the class, and a deleted index is still there. */
static int describe(struct call *call, struct store_txn *txn, const struct table_update *u,
                    const struct table *before, const struct table *t)
{
    struct table shown = *t;
    bool switches = t->billing != before->billing;
    bool *warm = ARENA_ARRAY(call->arena, bool, before->n_indexes + u->n_actions + 1);
    memset(warm, 0, (before->n_indexes + u->n_actions + 1) * sizeof *warm);
    shown.status = table_updating(call, u) ? TABLE_UPDATING : TABLE_ACTIVE;
    shown.table_class = before->table_class;
    shown.table_class_ms = before->table_class_ms;
    show_throughput(&shown.throughput, &before->throughput, !switches,
                    PARAM_GET(call->request, "OnDemandThroughput"));
    if (switches && t->billing == BILLING_PAY_PER_REQUEST) shown.billing_changed_ms = 0;
    show_indexes(call, u, before, &shown, warm);
    struct table_change change = { before, params_asked(call->request, SLICE("WarmThroughput")),
                                   params_asked(call->request, SLICE("SSESpecification")), warm };
    BUF_LIT(&call->response, "{\"TableDescription\":");
    int status = table_describe_change(&call->response, txn, &call->caller, &shown, &change);
    buf_u8(&call->response, '}');
    return status;
}

static int run(struct call *call, struct store_txn *txn)
{
    struct table_update *u = call->state;
    struct table *before, *t;
    int code = call_read_table(call, txn, u->name, &before);
    if (!code) code = call_read_table(call, txn, u->name, &t);
    if (code) return code;
    table_begin_day(before, call_now_ms(call));
    table_begin_day(t, call_now_ms(call));
    code = table_update_check_indexes(call, u, t);
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
