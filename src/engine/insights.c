/* insights.c: see insights.h. The names of rules are as the developer guide and recorded answers have
 * them; states and texts: DDB-TABLE-089 to 094 and 116 of aws-controllers-k8s/dynamodb-controller,
 * docs/api-quirks. */
#include "insights.h"

#define NAME_MIN 3
#define NAME_MAX 255

static const char *const modes[] = { "", "ACCESSED_AND_THROTTLED_KEYS", "THROTTLED_KEYS" };

int insights_check_index(struct call *call)
{
    struct slice name = param_string(call->request, SLICE("IndexName"));
    if (!name.p || (name.n >= NAME_MIN && name.n <= NAME_MAX)) return 0;
    return err_set(&call->err, ERR_ValidationException,
                   "IndexName must be at least %d characters long and at most %d characters long",
                   NAME_MIN, NAME_MAX);
}

int insights_find(struct call *call, const struct table *t, const struct index **index)
{
    struct slice name = param_string(call->request, SLICE("IndexName"));
    *index = NULL;
    if (!name.p) return 0;
    *index = table_index(t, name);
    if (*index && (*index)->kind == INDEX_GLOBAL) return 0;
    return err_set(&call->err, ERR_ResourceNotFoundException,
                   "Requested resource not found: Index: %.*s not found for table: %.*s",
                   SLICE_ARG(name), SLICE_ARG(t->name));
}

void insights_put(struct buf *b, const struct table *t, const struct index *index,
                  const char *status, enum insights_mode mode)
{
    BUF_LIT(b, "\"TableName\":");
    json_put_string(b, t->name);
    if (index) {
        BUF_LIT(b, ",\"IndexName\":");
        json_put_string(b, index->name);
    }
    buf_printf(b, ",\"ContributorInsightsStatus\":\"%s\"", status);
    if (mode) buf_printf(b, ",\"ContributorInsightsMode\":\"%s\"", modes[mode]);
}

void insights_put_rules(struct buf *b, const struct table *t, const struct index *index)
{
    /* Partition and sort keys, by count and by throttling. */
    static const char *const kinds[] = { "PKC", "SKC", "PKT", "SKT" };
    const struct insights *i = index ? &index->insights : &t->insights;
    bool sorted = index ? index->key.n_range : t->key.n_range, first = true;
    BUF_LIT(b, ",\"ContributorInsightsRuleList\":[");
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (kinds[k][0] == 'S' && !sorted) continue;
        if (kinds[k][2] == 'C' && i->mode == INSIGHTS_THROTTLED_KEYS) continue;
        buf_printf(b, "%s\"DynamoDBContributorInsights-%s-%.*s", first ? "" : ",", kinds[k],
                   SLICE_ARG(t->name));
        if (index) buf_printf(b, "-%.*s", SLICE_ARG(index->name));
        buf_printf(b, "-%lld\"", (long long)i->rules_ms);
        first = false;
    }
    buf_u8(b, ']');
}
