/* describe_export.c: DescribeExport. */
#include "../export.h"

struct describe {
    struct slice arn, table, id;
};

static int parse(struct call *call)
{
    struct describe *d = ARENA_NEW(call->arena, struct describe);
    call->state = d;
    return transfer_read_arn(call, &transfer_export, "ExportArn", &d->arn, &d->table, &d->id);
}

static int run(struct call *call, struct store_txn *txn)
{
    const struct describe *d = call->state;
    struct slice record;
    struct export ex = { 0 };
    int status = transfer_read(txn, call->arena, 'E', d->id, &record);
    if (status && status != STORE_NOT_FOUND) return call_store_failed(call, status);
    if (!status) export_decode(record, &ex);
    if (!slice_eq(ex.table, d->table)) return transfer_not_found(call, &transfer_export, d->arn);
    BUF_LIT(&call->response, "{\"ExportDescription\":");
    export_put_description(&call->response, d->id, &ex);
    buf_u8(&call->response, '}');
    return 0;
}

const struct op op_describe_export = { .name = "DescribeExport", .kind = OP_READ, .parse = parse, .run = run };
