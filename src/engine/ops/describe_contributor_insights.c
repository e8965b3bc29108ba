/* describe_contributor_insights.c: DescribeContributorInsights. */
#include "../insights.h"

static int parse(struct call *call)
{
    return insights_check_index(call);
}

static int run(struct call *call, struct store_txn *txn)
{
    struct buf *b = &call->response;
    const struct index *index;
    struct table *t;
    int code = call_read_table(call, txn, param_table(call->request, SLICE("TableName")), &t);
    if (!code) code = insights_find(call, t, &index);
    if (code) return code;
    const struct insights *i = index ? &index->insights : &t->insights;
    buf_u8(b, '{');
    insights_put(b, t, index, i->on ? "ENABLED" : "DISABLED", i->mode);
    if (i->on) insights_put_rules(b, t, index);
    if (i->changed_ms) {
        buf_printf(b, ",\"LastUpdateDateTime\":%lld.%03d", (long long)(i->changed_ms / 1000),
                   (int)(i->changed_ms % 1000));
    }
    buf_u8(b, '}');
    return 0;
}

const struct op op_describe_contributor_insights = {
    .name = "DescribeContributorInsights", .kind = OP_READ, .parse = parse, .run = run
};
