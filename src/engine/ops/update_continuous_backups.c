/* update_continuous_backups.c: UpdateContinuousBackups: point-in-time recovery is switched on and off. */
#include "../engine_impl.h"
#include "../history.h"
#include "../recovery.h"

struct update_recovery {
    struct slice name;
    bool on;
    int64_t days;        /* 0: not said */
    struct slice record; /* what run wrote, to be published */
};

static int parse(struct call *call)
{
    struct update_recovery *u = ARENA_NEW(call->arena, struct update_recovery);
    const struct json *spec = PARAM_GET(call->request, "PointInTimeRecoverySpecification");
    call->state = u;
    u->name = param_table(call->request, SLICE("TableName"));
    u->on = param_bool(spec, SLICE("PointInTimeRecoveryEnabled"), false);
    if (param_int(spec, SLICE("RecoveryPeriodInDays"), &u->days) && !u->on) {
        return err_set(&call->err, ERR_ValidationException,
                       "Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time recovery.");
    }
    return 0;
}

static void change(struct table *t, const struct update_recovery *u, int64_t now_ms)
{
    if (!u->on) {
        t->recovery_since_ms = t->recovery_days = 0;
        return;
    }
    if (!t->recovery_since_ms) {
        t->recovery_since_ms = now_ms;
        t->recovery_days = u->days ? u->days : RECOVERY_MAX_DAYS;
        return;
    }
    if (!u->days) return;
    /* What a shorter period has let go does not come back with a longer one. */
    int64_t earliest_ms = recovery_window(t, now_ms).earliest * 1000;
    if (earliest_ms > t->recovery_since_ms) t->recovery_since_ms = earliest_ms;
    t->recovery_days = u->days;
}

static int run(struct call *call, struct store_txn *txn)
{
    struct update_recovery *u = call->state;
    int64_t now_ms = call_now_ms(call);
    struct table *t;
    int code = recovery_read_table(call, txn, u->name, &t);
    if (code) return code;
    change(t, u, now_ms);
    recovery_put_answer(&call->response, t, now_ms);
    int status = history_settle(txn, call->arena, call->engine, t);
    if (!status) status = catalog_write(txn, call->arena, t, &u->record);
    return status ? call_store_failed(call, status) : 0;
}

static void after(struct call *call)
{
    const struct update_recovery *u = call->state;
    catalog_publish(call->engine->catalogs, u->record);
    jobs_wake(call->engine->jobs);
}

const struct op op_update_continuous_backups = {
    .name = "UpdateContinuousBackups", .kind = OP_WRITE, .parse = parse, .run = run, .after = after
};
