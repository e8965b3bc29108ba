/* recovery.c: see recovery.h. */
#include "recovery.h"
#include "backup.h"

struct recovery_window recovery_window(const struct table *t, int64_t now_ms)
{
    int64_t kept_ms = now_ms - t->recovery_days * DAY_MS;
    int64_t from_ms = kept_ms > t->recovery_since_ms ? kept_ms : t->recovery_since_ms;
    struct recovery_window w = { .earliest = from_ms / 1000, .latest = now_ms / 1000 };
    /* A clock that was set back is behind the moment at which it was switched on. */
    if (w.latest < w.earliest) w.latest = w.earliest;
    return w;
}

void recovery_put_answer(struct buf *b, const struct table *t, int64_t now_ms)
{
    bool on = t->recovery_since_ms != 0;
    buf_printf(b,
               "{\"ContinuousBackupsDescription\":{\"ContinuousBackupsStatus\":\"ENABLED\","
               "\"PointInTimeRecoveryDescription\":{\"PointInTimeRecoveryStatus\":\"%s\"",
               on ? "ENABLED" : "DISABLED");
    if (on) {
        struct recovery_window w = recovery_window(t, now_ms);
        buf_printf(b, ",\"RecoveryPeriodInDays\":%lld", (long long)t->recovery_days);
        buf_printf(b, ",\"EarliestRestorableDateTime\":%lld.0", (long long)w.earliest);
        buf_printf(b, ",\"LatestRestorableDateTime\":%lld.0", (long long)w.latest);
    }
    BUF_LIT(b, "}}}");
}

int recovery_no_table(struct call *call, struct slice name)
{
    return err_set(&call->err, ERR_TableNotFoundException, "Table not found: %.*s", SLICE_ARG(name));
}

int recovery_read_table(struct call *call, struct store_txn *txn, struct slice name, struct table **out)
{
    int status;
    *out = catalog_read(txn, call->arena, name, &status);
    if (status == STORE_NOT_FOUND || (*out && (*out)->status == TABLE_CREATING)) return recovery_no_table(call, name);
    return status ? call_store_failed(call, status) : 0;
}
