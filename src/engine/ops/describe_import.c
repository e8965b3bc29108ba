/* describe_import.c: DescribeImport. */
#include "../import.h"

struct describe {
    struct slice arn, table, id;
};

static int parse(struct call *call)
{
    struct describe *d = ARENA_NEW(call->arena, struct describe);
    call->state = d;
    return transfer_read_arn(call, &transfer_import, "ImportArn", &d->arn, &d->table, &d->id);
}

static int run(struct call *call, struct store_txn *txn)
{
    const struct describe *d = call->state;
    struct slice record;
    struct import im = { 0 };
    int status = transfer_read(txn, call->arena, 'I', d->id, &record);
    if (status && status != STORE_NOT_FOUND) return call_store_failed(call, status);
    if (!status) import_decode(record, &im);
    if (!slice_eq(im.table, d->table)) return transfer_not_found(call, &transfer_import, d->arn);
    BUF_LIT(&call->response, "{\"ImportTableDescription\":");
    import_put_description(&call->response, d->id, &im);
    buf_u8(&call->response, '}');
    return 0;
}

const struct op op_describe_import = { .name = "DescribeImport", .kind = OP_READ, .parse = parse, .run = run };
