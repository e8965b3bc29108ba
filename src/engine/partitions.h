/* partitions.h: which partitions a table or an index has, page by page, and how much they hold.
 *
 * The API has no such call: it is for those who look at a table from inside. Keys begin with the
 * partition's hash and the whole partition key (keys.h), so the partitions lie one behind the other
 * and each begins at a key that can be sought. A partition's place never changes, so pages go on well
 * while others write. */
#ifndef OF_ENGINE_PARTITIONS_H
#define OF_ENGINE_PARTITIONS_H

#include "../base/buf.h"
#include "engine.h"

#define PARTITIONS_MOST_ITEMS 20000
#define PARTITIONS_MOST_MS    30

struct partitions_query {
    struct slice table; /* a name or an ARN */
    struct slice index; /* p NULL: the table itself */
    struct slice after; /* as an earlier page gave it; empty: from the first */
    uint32_t limit;     /* partitions in a page; 0: no bound but the budget's */
    /* A page's budget. A partition that alone takes all of it is told as far as it was counted; one
     * that only runs into its end is left to the next page. */
    uint64_t most_items;
    int64_t most_ms; /* 0: as long as it takes */
};

/* Appends {"Partitions":[{"Key":{...},"Items":n,"Bytes":n,"More":false}],"After":"..."}. May read from
 * the disk. Returns 0 or an err_code; out may hold a part of the answer then. */
int partitions_list(struct engine *e, struct arena *a, const struct partitions_query *query,
                    struct buf *out, struct err *err);

#endif
