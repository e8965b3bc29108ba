/* describe_backup.c: DescribeBackup. */
#include "../backup.h"

static int parse(struct call *call)
{
    struct slice id;
    return backup_parse_arn(call, param_string(call->request, SLICE("BackupArn")), &id);
}

static int run(struct call *call, struct store_txn *txn)
{
    struct backup b;
    int code = backup_read(call, txn, param_string(call->request, SLICE("BackupArn")), &b);
    if (code) return code;
    int status = backup_sums(txn, &b);
    if (status) return call_store_failed(call, status);
    buf_u8(&call->response, '{');
    backup_put_description(&call->response, &call->caller, &b, false);
    buf_u8(&call->response, '}');
    return 0;
}

const struct op op_describe_backup = {
    .name = "DescribeBackup", .kind = OP_READ, .parse = parse, .run = run
};
