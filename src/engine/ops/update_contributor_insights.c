/* update_contributor_insights.c: UpdateContributorInsights. The answer says ENABLING or DISABLING where
 * something changes, as DynamoDB's does; the next call finds it done. */
#include "../insights.h"

static int parse(struct call *call)
{
    return insights_check_index(call);
}

/* What is asked for. Without a mode it is the default one, also where another was set. */
static enum insights_mode wanted(const struct json *request)
{
    struct slice mode = param_string(request, SLICE("ContributorInsightsMode"));
    return slice_eq(mode, SLICE("THROTTLED_KEYS")) ? INSIGHTS_THROTTLED_KEYS : INSIGHTS_ALL_KEYS;
}

static int check_ready(struct call *call, const struct index *index)
{
    if (!index || index->status == INDEX_ACTIVE) return 0;
    return err_set(&call->err, ERR_ValidationException,
                   "Table or Index is not in a valid state to update Key Access Insights: "
                   "IndexStatus must be ACTIVE to enable ContributorInsights.");
}

/* The status to answer with; false in *changed if nothing is to be done. */
static const char *change(struct call *call, struct insights *i, bool enable, bool *changed)
{
    enum insights_mode mode = wanted(call->request);
    *changed = enable ? !i->on || i->mode != mode : i->on;
    if (!*changed) return i->on ? "ENABLED" : "DISABLED";
    i->changed_ms = call_now_ms(call);
    if (enable && !i->on) i->rules_ms = i->changed_ms;
    if (enable) i->mode = mode;
    i->on = enable;
    return enable ? "ENABLING" : "DISABLING";
}

static int run(struct call *call, struct store_txn *txn)
{
    struct slice action = param_string(call->request, SLICE("ContributorInsightsAction"));
    bool enable = slice_eq(action, SLICE("ENABLE")), changed;
    const struct index *index;
    struct table *t;
    int code = call_read_table(call, txn, param_table(call->request, SLICE("TableName")), &t);
    if (!code) code = insights_find(call, t, &index);
    if (!code) code = check_ready(call, index);
    if (code) return code;
    /* The table is a draft of this call, and with it its indexes. */
    struct insights *i = index ? &t->indexes[index - t->indexes].insights : &t->insights;
    const char *status = change(call, i, enable, &changed);
    buf_u8(&call->response, '{');
    insights_put(&call->response, t, index, status, i->mode);
    buf_u8(&call->response, '}');
    return changed ? call_write_table(call, txn, t) : 0;
}

const struct op op_update_contributor_insights = { .name = "UpdateContributorInsights",
                                                   .kind = OP_WRITE,
                                                   .parse = parse,
                                                   .run = run,
                                                   .after = call_publish_table };
