/* gets.h: up to 100 items by their keys, as they stood at one moment: what TransactGetItems and ExecuteTransaction share. */
#ifndef OF_ENGINE_GETS_H
#define OF_ENGINE_GETS_H

#include "keys.h"
#include "request.h"

struct get {
    struct slice table_name;
    struct slice key; /* encoded */
    const struct projection *projection;
    const struct table *table;
};

struct gets {
    struct get *all;
    struct store_read *reads; /* one per get */
    size_t n;
};

/* One item asked for twice. */
int gets_check_duplicates(struct call *call, const struct gets *gs);
/* The keys against their tables. One that does not fit, or whose table is not there (NULL), cancels the transaction, in which each get has its reason. */
int gets_bind_keys(struct call *call, struct gets *gs);
/* After binding. */
void gets_footprint(struct call *call, const struct gets *gs, struct footprint *f);
/* The whole answer: "Responses" and "ConsumedCapacity". */
int gets_run(struct call *call, struct store_txn *txn, const struct gets *gs);

#endif
