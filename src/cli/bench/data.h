/* data.h: the benchmark's items, made from their numbers and the seed alone, so that any process knows what any other
 * process wrote.
 *
 *   space    hash key          sort key          what
 *   read     read#K/20         item#K%20         --items of them, in collections of 20; never changed after loading
 *   big      big               item#K            --collection of them, in one collection; never changed
 *   write    write#K           item              what put, batch-write and mixed write
 *   swap     swap#K            item              what transact puts
 *   state    state#K           item              what transact updates
 *   counter  counter#K         counter           { visits }: what update adds to
 *   tally    tally#K           counter           { visits }: what transact adds to
 *   about    about             about             how the table was made; written last
 *
 * Items of read, write and swap are in the indexes gsi1 ... too: a group of an index has 20 items of read, from 20 collections. */
#ifndef OF_CLI_BENCH_DATA_H
#define OF_CLI_BENCH_DATA_H

#include "../../base/buf.h"

#define DATA_HASH       "bench_pk" /* by these names a table is known to be ours */
#define DATA_SORT       "bench_sk"
#define DATA_COLLECTION 20
#define DATA_RANGE      50 /* the big collection has more */
#define DATA_MAX_INDEXES 5
#define DATA_COUNTERS   1000 /* of the spaces counter and tally each */

enum data_space { DATA_READ, DATA_BIG, DATA_WRITE, DATA_SWAP, DATA_STATE, DATA_COUNTER, DATA_TALLY, DATA_ABOUT };

struct data {
    uint64_t items;      /* a multiple of DATA_COLLECTION */
    uint64_t collection;
    uint64_t seed;
    uint32_t size;       /* bytes of an item, as DynamoDB counts them; about */
    uint32_t indexes;
};

/* {"bench_pk":{"S":"read#000000001"},"bench_sk":{"S":"item#07"}} */
void data_key(struct buf *b, enum data_space space, uint64_t k);
/* The whole item. version: another content under the same keys. */
void data_item(struct buf *b, const struct data *d, enum data_space space, uint64_t k, unsigned version);
/* Bytes of an item as it is: more than asked for where its keys alone are. */
size_t data_size(const struct data *d, struct arena *a);
/* The hash key of the collection that holds item k, as text. */
void data_hash(struct buf *b, enum data_space space, uint64_t k);
void data_sort(struct buf *b, enum data_space space, uint64_t k);
/* How many groups an index has, the group of item k of space read, and its key as text. */
uint64_t data_groups(const struct data *d);
void data_group(struct buf *b, unsigned index, enum data_space space, uint64_t group);
/* Item number `i` (0 to 19, in the order of the index) of a group of gsi1. */
uint64_t data_group_member(const struct data *d, uint64_t group, uint64_t i);
/* A number that looks random, the same for the same input. */
uint64_t data_mix(uint64_t v);

#endif
