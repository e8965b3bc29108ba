/* describe_table.c: DescribeTable. */
#include "../ops.h"

static int bind(struct call *call)
{
    struct slice name = param_table(call->request, SLICE("TableName"));
    call->state = (void *)(uintptr_t)catalog_find(call->catalog, name);
    if (call->state) return 0;
    return call_no_table(call, name);
}

static int run(struct call *call, struct store_txn *txn)
{
    struct table *t = table_draft(call->arena, call->state);
    table_begin_day(t, call_now_ms(call));
    BUF_LIT(&call->response, "{\"Table\":");
    int status = table_describe(&call->response, txn, &call->caller, t);
    buf_u8(&call->response, '}');
    return status ? call_store_failed(call, status) : 0;
}

const struct op op_describe_table = {
    .name = "DescribeTable", .kind = OP_READ, .bind = bind, .run = run
};
