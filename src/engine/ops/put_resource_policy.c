/* put_resource_policy.c: PutResourcePolicy. A document that says what the present one says changes
 * nothing, and has its revision. */
#include "../resource_policy.h"

struct put {
    struct resource resource;
    struct slice policy; /* canonical */
    const struct policy *read;
    bool may_lock_out;
};

static int parse(struct call *call)
{
    struct put *p = ARENA_NEW(call->arena, struct put);
    call->state = p;
    int code = resource_read(call, FOR_POLICIES, &p->resource);
    if (code) return code;
    const struct resource_policy_wish wish = { .of_stream = p->resource.stream.n > 0 };
    p->may_lock_out = param_bool(call->request, SLICE("ConfirmRemoveSelfResourceAccess"), false);
    return resource_policy_read(call->arena, param_string(call->request, SLICE("Policy")), &wish, &p->policy, &p->read, &call->err);
}

static int run(struct call *call, struct store_txn *txn)
{
    const struct put *p = call->state;
    struct resource_policy *policy;
    struct table *t;
    int code = call_read_table(call, txn, p->resource.table, &t);
    if (!code && !p->may_lock_out) code = resource_policy_check_lockout(call, p->read, table_of(p->resource.arn), t->tags);
    if (!code) code = resource_policy_of(call, t, &p->resource, &policy);
    if (!code) code = resource_policy_check_revision(call, &p->resource, policy);
    if (code) return code;
    bool same = slice_eq(policy->text, p->policy);
    if (!same) policy->revision = resource_policy_next_revision(call, policy);
    policy->text = p->policy;
    buf_u8(&call->response, '{');
    resource_policy_put_revision(&call->response, policy->revision);
    buf_u8(&call->response, '}');
    return same ? 0 : call_write_table(call, txn, t);
}

const struct op op_put_resource_policy = { .name = "PutResourcePolicy",
                                           .kind = OP_WRITE,
                                           .parse = parse,
                                           .run = run,
                                           .after = call_publish_table };
