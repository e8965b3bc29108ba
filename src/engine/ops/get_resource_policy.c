/* get_resource_policy.c: GetResourcePolicy. */
#include "../resource_policy.h"
#include "../streams.h"

/* A stream may be of a table that has had another one since, or is gone. */
static int find(struct call *call, struct store_txn *txn, const struct resource *r, struct resource_policy *out)
{
    struct resource_policy *policy;
    struct stream s;
    struct table *t;
    bool found = false;
    int code = r->stream.n ? stream_look_up(call, txn, ACTION_GetResourcePolicy, r->arn, &s, &found) : 0;
    if (!code && found) {
        int status = stream_policy(txn, call->arena, &s, out);
        return status ? call_store_failed(call, status) : 0;
    }
    if (!code) code = call_read_table(call, txn, r->table, &t);
    if (!code) code = resource_policy_of(call, t, r, &policy);
    if (!code) *out = *policy;
    return code;
}

static int run(struct call *call, struct store_txn *txn)
{
    const struct resource *r = call->state;
    struct resource_policy policy;
    int code = find(call, txn, r, &policy);
    if (code) return code;
    if (!policy.text.n) {
        return err_set(&call->err, ERR_PolicyNotFoundException,
                       "Resource-based policy not found for the provided ResourceArn: %.*s",
                       SLICE_ARG(r->arn));
    }
    BUF_LIT(&call->response, "{\"Policy\":");
    resource_policy_put(&call->response, policy.text);
    buf_u8(&call->response, ',');
    resource_policy_put_revision(&call->response, policy.revision);
    buf_u8(&call->response, '}');
    return 0;
}

const struct op op_get_resource_policy = {
    .name = "GetResourcePolicy", .kind = OP_READ, .parse = resource_policy_parse, .run = run
};
