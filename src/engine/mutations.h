/* mutations.h: several mutations in one update: what BatchWriteItem and TransactWriteItems share. */
#ifndef OF_ENGINE_MUTATIONS_H
#define OF_ENGINE_MUTATIONS_H

#include "mutation.h"

struct mutations {
    struct mutation *all;
    size_t n;
    bool transaction;     /* the tables are written twice (capacity.h) */
    struct usage *usages; /* one per table, in order of first mention */
    size_t n_usages;      /* a run begins with none */
};

/* Before binding: one table that is missing is told before anything that is wrong with another's items. */
int mutations_find_tables(struct call *call, struct mutations *ms);
/* Do two of them name the same item? To be asked after binding. */
bool mutations_overlap(struct arena *a, const struct mutations *ms);
/* After binding. */
void mutations_footprint(struct call *call, const struct mutations *ms, struct footprint *f);
/* Reads all old images in one round trip, with one more key if extra is not NULL. */
int mutations_read(struct call *call, struct store_txn *txn, struct mutations *ms,
                   struct store_read *extra);
/* The usage of the mutation's table; makes it if it is the first. */
struct usage *mutations_usage(struct call *call, struct mutations *ms, const struct mutation *m);

/* ,"ConsumedCapacity":[...] and ,"ItemCollectionMetrics":{...}, where asked for. A leading comma unless
 * first. Both return whether something was written. */
bool mutations_put_capacity(struct call *call, const struct mutations *ms, bool first);
bool mutations_put_collection_metrics(struct call *call, const struct mutations *ms, bool first);

#endif
