/* delete_table.c: DeleteTable. The name is free at once; what the table held is purged behind it.
 */
#include "../../base/failpoint.h"
#include "../backup.h"
#include "../engine_impl.h"
#include "../streams.h"
#include "../table_create.h"

static int parse(struct call *call)
{
    struct slice *name = ARENA_NEW(call->arena, struct slice);
    *name = param_table(call->request, SLICE("TableName"));
    call->state = name;
    return 0;
}

static int run(struct call *call, struct store_txn *txn)
{
    const struct slice *name = call->state;
    int status;
    struct table *t = catalog_read(txn, call->arena, *name, &status);
    if (status == STORE_NOT_FOUND) return call_no_table(call, *name);
    if (status) return call_store_failed(call, status);
    if (t->status == TABLE_CREATING) return table_being_created(call, t);
    if (t->deletion_protection) {
        return err_set(&call->err, ERR_ValidationException,
                       "Resource cannot be deleted as it is currently protected against deletion. "
                       "Disable deletion protection first.");
    }
    /* What had point-in-time recovery stays for a while, as a backup that is the system's. */
    bool keep = t->recovery_since_ms != 0;
    if (keep) status = backup_of_deleted(txn, call->arena, t, call_now_ms(call));
    if (status) return call_store_failed(call, status);
    t->status = TABLE_DELETING;
    BUF_LIT(&call->response, "{\"TableDescription\":");
    status = table_describe_deleted(&call->response, txn, &call->caller, t);
    buf_u8(&call->response, '}');
    int64_t copies = t->copies;
    t->recovery_since_ms = t->copies = 0; /* nothing wants a history from now on */
    if (!status) status = stream_end(txn, call->arena, call->engine, t);
    if (!status) status = stream_keep_policy(txn, call->arena, t);
    if (!status && t->n_segments) status = history_renew(txn, call->arena, call->engine, t, 0);
    t->copies = copies; /* they go on reading what there is */
    if (!status) status = catalog_drop_table(txn, t, keep);
    if (!status) status = FAILPOINT_OR(table_delete, STORE_IO);
    return status ? call_store_failed(call, status) : 0;
}

static void after(struct call *call)
{
    const struct slice *name = call->state;
    catalog_publish_removal(call->engine->catalogs, *name);
    engine_forget_dropped(call->engine);
    jobs_wake(call->engine->jobs);
}

const struct op op_delete_table = {
    .name = "DeleteTable", .kind = OP_WRITE, .parse = parse, .run = run, .after = after
};
