/* insights.h: contributor insights of a table or a global index: whether they are on, and the names of
 * the CloudWatch rules that DynamoDB would make. Onefold counts the busy keys of every table whether
 * they are on or not (counters.h); Watch of the studio shows them. */
#ifndef OF_ENGINE_INSIGHTS_H
#define OF_ENGINE_INSIGHTS_H

#include "ops.h"

/* TableName and IndexName of a request: what they mean in a table. index: NULL for the table itself. */
int insights_check_index(struct call *call);
int insights_find(struct call *call, const struct table *t, const struct index **index);

/* "TableName":...,"IndexName":...,"ContributorInsightsStatus":...,"ContributorInsightsMode":... */
void insights_put(struct buf *b, const struct table *t, const struct index *index,
                  const char *status, enum insights_mode mode);
/* ,"ContributorInsightsRuleList":[...] */
void insights_put_rules(struct buf *b, const struct table *t, const struct index *index);

#endif
