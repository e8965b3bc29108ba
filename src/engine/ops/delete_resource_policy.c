/* delete_resource_policy.c: DeleteResourcePolicy. Where there is none it does nothing, and answers with the
 * revision of the last deletion, if there was one. */
#include "../resource_policy.h"

static int run(struct call *call, struct store_txn *txn)
{
    const struct resource *r = call->state;
    struct resource_policy *policy;
    struct table *t;
    int code = call_read_table(call, txn, r->table, &t);
    if (!code) code = resource_policy_of(call, t, r, &policy);
    if (!code) code = resource_policy_check_revision(call, r, policy);
    if (code) return code;
    buf_u8(&call->response, '{');
    if (policy->revision) resource_policy_put_revision(&call->response, policy->revision);
    buf_u8(&call->response, '}');
    if (!policy->text.n) return 0;
    *policy = (struct resource_policy){ .revision = resource_policy_next_revision(call, policy) };
    return call_write_table(call, txn, t);
}

const struct op op_delete_resource_policy = { .name = "DeleteResourcePolicy",
                                              .kind = OP_WRITE,
                                              .parse = resource_policy_parse,
                                              .run = run,
                                              .after = call_publish_table };
