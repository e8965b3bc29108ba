/* bulk.h: many items put in one transaction, for who fills a table from within the process. What BatchWriteItem checks is
 * checked here with the same words; there is no limit of 25, no JSON, and a key may come more than once.
 *
 * The items are put in the order of their keys, those of one key in the order given. Keys begin with a hash, so that items
 * in any other order would visit the pages of the store at random, and each page many times. */
#ifndef OF_ENGINE_BULK_H
#define OF_ENGINE_BULK_H

#include "engine.h"

struct bulk {
    struct slice table;
    const struct slice *items; /* encoded */
    size_t n;
    size_t put; /* out: that many of them, from the beginning, are in the table; no others are */
};

/* txn: a transaction that the caller has open (call_run_in); NULL: returns when they are durable. 0; or in err what is wrong with items[put]. Memory beside what the arena gives is
 * bounded: the changes are made one by one. */
int bulk_put(struct engine *e, struct arena *a, struct store_txn *txn, struct bulk *b, struct err *err);

#endif
