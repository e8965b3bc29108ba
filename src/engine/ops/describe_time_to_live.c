/* describe_time_to_live.c: DescribeTimeToLive. Time to live works from the call that switched it on; it is ENABLING as
 * long as items that were there before are still being looked through. */
#include "../ops.h"
#include "../write.h"

/* Of an empty table there is nothing to look through, also where nobody has seen that yet. */
static int is_enabling(struct store_txn *txn, const struct table *t, bool *out)
{
    uint8_t bytes[5];
    struct slice position;
    int64_t items = 0;
    int status = store_get(txn, SPACE_META, catalog_id_key(bytes, 'B', t->ttl_id), &position);
    if (!status) status = counter_sum(txn, 'C', t->id, &items);
    *out = items > 0;
    return status == STORE_NOT_FOUND ? STORE_OK : status;
}

static int run(struct call *call, struct store_txn *txn)
{
    const struct table *t = call->state;
    bool enabling = false;
    int status = t->ttl_id ? is_enabling(txn, t, &enabling) : STORE_OK;
    if (status) return call_store_failed(call, status);
    buf_printf(&call->response, "{\"TimeToLiveDescription\":{\"TimeToLiveStatus\":\"%s\"",
               !t->ttl_id ? "DISABLED" : enabling ? "ENABLING" : "ENABLED");
    if (t->ttl_id) {
        BUF_LIT(&call->response, ",\"AttributeName\":");
        json_put_string(&call->response, t->ttl_attribute);
    }
    BUF_LIT(&call->response, "}}");
    return 0;
}

const struct op op_describe_time_to_live = {
    .name = "DescribeTimeToLive", .kind = OP_READ, .bind = call_bind_table, .run = run
};
