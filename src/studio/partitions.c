/* partitions.c: ListPartitions: what a table or an index holds, partition by partition. */
#include "operations.h"
#include "../engine/partitions.h"

#define LIMIT_DEFAULT 100
#define LIMIT_MOST    1000

int list_partitions(struct studio_call *c)
{
    struct partitions_query q = { .most_items = PARTITIONS_MOST_ITEMS, .most_ms = PARTITIONS_MOST_MS };
    int rc = call_text(c, "TableName", true, &q.table);
    if (!rc) rc = call_text(c, "IndexName", false, &q.index);
    if (!rc) rc = call_text(c, "After", false, &q.after);
    if (!rc) rc = call_count(c, "Limit", LIMIT_MOST, &q.limit);
    if (rc) return rc;
    if (!q.limit) q.limit = LIMIT_DEFAULT;
    return partitions_list(c->studio->o.engine, c->arena, &q, &c->out, &c->err);
}
