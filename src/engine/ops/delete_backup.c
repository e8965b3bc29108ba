/* delete_backup.c: DeleteBackup. It is gone at once; its items are purged behind it. */
#include "../backup.h"
#include "../copy.h"
#include <time.h>

static int parse(struct call *call)
{
    struct slice id;
    return backup_parse_arn(call, param_string(call->request, SLICE("BackupArn")), &id);
}

static int check_free(struct call *call, struct store_txn *txn, const struct backup *b, struct slice arn)
{
    size_t readers;
    if (b->type == BACKUP_SYSTEM) {
        time_t seconds = (time_t)(b->expires_ms / 1000);
        struct tm tm;
        char when[32];
        gmtime_r(&seconds, &tm);
        strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &tm);
        return err_set(&call->err, ERR_ValidationException,
                       "Invalid Request: User is not allowed to delete the system backup with arn %.*s. It will "
                       "automatically expire on %s",
                       SLICE_ARG(arn), when);
    }
    if (b->creating) {
        return err_set(&call->err, ERR_BackupInUseException, "Backup is being created: %.*s", SLICE_ARG(arn));
    }
    int status = copy_count(txn, b->items_id, COPY_ANY, &readers);
    if (status) return call_store_failed(call, status);
    if (!readers) return 0;
    return err_set(&call->err, ERR_BackupInUseException, "Backup is being used to restore table: %.*s", SLICE_ARG(arn));
}

static int run(struct call *call, struct store_txn *txn)
{
    struct slice arn = param_string(call->request, SLICE("BackupArn"));
    struct backup b;
    int code = backup_read(call, txn, arn, &b);
    if (!code) code = check_free(call, txn, &b, arn);
    if (code) return code;
    buf_u8(&call->response, '{');
    backup_put_description(&call->response, &call->caller, &b, true);
    buf_u8(&call->response, '}');
    int status = backup_remove(txn, call->arena, &b);
    return status ? call_store_failed(call, status) : 0;
}

static void after(struct call *call)
{
    jobs_wake(call->engine->jobs);
}

const struct op op_delete_backup = {
    .name = "DeleteBackup", .kind = OP_WRITE, .parse = parse, .run = run, .after = after
};
