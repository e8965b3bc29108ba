/* get_resource_policy.c: GetResourcePolicy. */
#include "../resource_policy.h"

static int run(struct call *call, struct store_txn *txn)
{
    const struct resource *r = call->state;
    struct resource_policy *policy;
    struct table *t;
    int code = call_read_table(call, txn, r->table, &t);
    if (!code) code = resource_policy_of(call, t, r, &policy);
    if (code) return code;
    if (!policy->text.n) {
        return err_set(&call->err, ERR_PolicyNotFoundException,
                       "Resource-based policy not found for the provided ResourceArn: %.*s",
                       SLICE_ARG(r->arn));
    }
    BUF_LIT(&call->response, "{\"Policy\":");
    resource_policy_put(&call->response, policy->text);
    buf_u8(&call->response, ',');
    resource_policy_put_revision(&call->response, policy->revision);
    buf_u8(&call->response, '}');
    return 0;
}

const struct op op_get_resource_policy = {
    .name = "GetResourcePolicy", .kind = OP_READ, .parse = resource_policy_parse, .run = run
};
