/* describe_continuous_backups.c: DescribeContinuousBackups. */
#include "../recovery.h"

static int bind(struct call *call)
{
    struct slice name = param_table(call->request, SLICE("TableName"));
    call->state = (void *)(uintptr_t)catalog_find_ready(call->catalog, name);
    return call->state ? 0 : recovery_no_table(call, name);
}

static int run(struct call *call, struct store_txn *txn)
{
    (void)txn;
    recovery_put_answer(&call->response, call->state, call_now_ms(call));
    return 0;
}

const struct op op_describe_continuous_backups = {
    .name = "DescribeContinuousBackups", .kind = OP_READ, .bind = bind, .run = run
};
