/* resource_policy.c: whose policy, and which revision. Texts: DDB-TABLE-205, 209 and 212 of
 * aws-controllers-k8s/dynamodb-controller, docs/api-quirks, and the tests of moto that were verified on AWS. */
#include "resource_policy.h"
#include "streams.h"

#define NOT_FOUND "Resource-based policy not found for the provided ResourceArn: "

int resource_policy_parse(struct call *call)
{
    struct resource *r = ARENA_NEW(call->arena, struct resource);
    call->state = r;
    return resource_read(call, FOR_POLICIES, r);
}

int resource_policy_of(struct call *call, struct table *t, const struct resource *r, struct resource_policy **out)
{
    struct slice name;
    int64_t created_ms;
    *out = r->stream.n ? &t->stream_policy : &t->policy;
    if (!r->stream.n) return 0;
    bool latest = t->stream_created_ms && stream_read_arn(r->arn, &name, &created_ms) && created_ms == t->stream_created_ms;
    if (latest) return 0;
    return err_set(&call->err, ERR_ResourceNotFoundException,
                   "Requested resource not found: Stream: %.*s not found for Table: %.*s",
                   SLICE_ARG(r->stream), SLICE_ARG(r->table));
}

static int none_expected(struct call *call, const char *kind, struct slice name,
                         const struct resource_policy *p)
{
    if (!p->text.n) return 0;
    return err_set(&call->err, ERR_PolicyNotFoundException,
                   NOT_FOUND "Requested policy update expecting none to be present for %s %.*s, but "
                             "a policy exists with revision id %lld.",
                   kind, SLICE_ARG(name), (long long)p->revision);
}

int resource_policy_check_revision(struct call *call, const struct resource *r, const struct resource_policy *p)
{
    struct slice expected = param_string(call->request, SLICE("ExpectedRevisionId"));
    const char *kind = r->stream.n ? "stream" : "table";
    struct slice name = r->stream.n ? r->stream : r->table;
    if (!expected.p) return 0;
    if (slice_eq(expected, SLICE("NO_POLICY"))) return none_expected(call, kind, name, p);
    if (!p->revision) {
        return err_set(&call->err, ERR_PolicyNotFoundException,
                       NOT_FOUND "Requested update for policy with revision id %.*s, but %s %.*s "
                                 "has no associated policy.",
                       SLICE_ARG(expected), kind, SLICE_ARG(name));
    }
    struct slice revision = arena_printf(call->arena, "%lld", (long long)p->revision);
    if (slice_eq(expected, revision)) return 0;
    return err_set(&call->err, ERR_PolicyNotFoundException,
                   NOT_FOUND "Requested update for policy with revision id %.*s, but the policy "
                             "associated to target %s %.*s has revision id %.*s.",
                   SLICE_ARG(expected), kind, SLICE_ARG(name), SLICE_ARG(revision));
}

int64_t resource_policy_next_revision(const struct call *call, const struct resource_policy *p)
{
    int64_t now = call_now_ms(call);
    return now > p->revision ? now : p->revision + 1;
}

void resource_policy_put_revision(struct buf *b, int64_t revision)
{
    buf_printf(b, "\"RevisionId\":\"%lld\"", (long long)revision);
}

int resource_policy_check_lockout(struct call *call, const struct policy *p, struct slice relative, struct slice tags)
{
    if (!access_denied_by(call, p, ACTION_PutResourcePolicy, relative, tags)) return 0;
    return err_set(&call->err, ERR_AccessDeniedException, "The new resource policy will not allow you to update the resource policy in the future.");
}
