/* restore_table_from_backup.c: RestoreTableFromBackup. */
#include "../backup.h"
#include "../copy.h"
#include "../restore.h"

static int parse(struct call *call)
{
    struct slice id;
    call->state = ARENA_NEW(call->arena, struct restore);
    return backup_parse_arn(call, param_string(call->request, SLICE("BackupArn")), &id);
}

/* DynamoDB restores from a backup to one table at a time. */
static int check_free(struct call *call, struct store_txn *txn, const struct backup *b, struct slice arn)
{
    size_t readers;
    if (b->creating) {
        return err_set(&call->err, ERR_BackupInUseException, "Backup is being created: %.*s", SLICE_ARG(arn));
    }
    int status = copy_count(txn, b->items_id, COPY_RESTORE, &readers);
    if (status) return call_store_failed(call, status);
    if (!readers) return 0;
    return err_set(&call->err, ERR_BackupInUseException, "Backup is being used to restore another table: %.*s",
                   SLICE_ARG(arn));
}

static int run(struct call *call, struct store_txn *txn)
{
    struct restore *r = call->state;
    struct slice arn = param_string(call->request, SLICE("BackupArn"));
    struct backup b;
    int code = backup_read(call, txn, arn, &b);
    if (!code) code = check_free(call, txn, &b, arn);
    if (code) return code;
    *r = (struct restore){ .definition = b.table, .source = b.items_id, .backup = b.id, .moment_ms = b.created_ms };
    return restore_run(call, txn, r);
}

static void after(struct call *call)
{
    restore_publish(call, call->state);
}

const struct op op_restore_table_from_backup = {
    .name = "RestoreTableFromBackup", .kind = OP_WRITE, .parse = parse, .run = run, .after = after
};
