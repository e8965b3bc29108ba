/* capacity.h: what a call consumed, and how the answer says it. */
#ifndef OF_ENGINE_CAPACITY_H
#define OF_ENGINE_CAPACITY_H

#include "table.h"

enum capacity_detail { CAPACITY_NONE, CAPACITY_TOTAL, CAPACITY_INDEXES };

/* Units of one table and its indexes, in halves so that they stay whole numbers. */
struct usage {
    const struct table *table;
    struct slice name; /* as the request named it, when by its ARN; empty: the table's name */
    bool read, write;  /* which arms the call has; both are named only for transactions */
    bool transaction;  /* the table is written twice; ReadCapacityUnits/WriteCapacityUnits are printed as well */
    struct tally *tally; /* of the call, which is told as well; NULL: nobody is */
    uint64_t table_halves;
    uint64_t index_halves[TABLE_MAX_INDEXES]; /* in the order of table->indexes */
    uint64_t failed_halves; /* of writes that failed beside others: in the sum, but in none of its parts */
};

enum capacity_detail capacity_detail(const struct json *request); /* ReturnConsumedCapacity */

/* Half units of reading `bytes`, of writing an item whose larger image has `bytes`. Nothing read or
 * nothing there still costs the least. */
uint64_t capacity_read_halves(uint64_t bytes, bool consistent);
uint64_t capacity_write_halves(uint64_t bytes);

/* Adds what writing at a key of the store costs, of the table (ix NULL) or an index: what it would cost
 * outside a transaction. u may be NULL. May leave through the
 * arena's guard. */
void usage_write(struct usage *u, struct arena *a, const struct index *ix, struct slice store_key, uint64_t halves);

/* The ConsumedCapacity object: {"TableName":...}. */
void capacity_put(struct buf *b, const struct usage *u, enum capacity_detail detail);

#endif
