/* partition_count.h: how many partitions DynamoDB would have given a table or an index, and which of them a key is in.
 *
 * By the rule that AWS used to publish, a provisioned table begins with ceil(RCU / 3,000 + WCU / 1,000) partitions. An on-demand
 * table begins with four, which is its default warm throughput of 12,000 reads and 4,000 writes; warm throughput that was asked
 * for is met by as many partitions as give it. The 10 GB that a partition holds at most are not counted: that would need a
 * transaction, and a laptop has no such tables. Partitions divide the hash space evenly. */
#ifndef OF_ENGINE_PARTITION_COUNT_H
#define OF_ENGINE_PARTITION_COUNT_H

#include "table.h"

#define PARTITION_READ_UNITS  3000 /* per second */
#define PARTITION_WRITE_UNITS 1000
#define PARTITIONS_ON_DEMAND  4
#define PARTITIONS_MAX        4096 /* ours: keeps tables of absurd capacity bounded */

static inline uint64_t partition_units(int64_t units)
{
    const int64_t most = (int64_t)PARTITIONS_MAX * PARTITION_READ_UNITS;
    return (uint64_t)(units < 0 ? 0 : units > most ? most : units);
}

/* Of a table's or a global index's throughput. A local index lies in its table's partitions. */
static inline uint32_t throughput_partitions(enum billing_mode billing, const struct throughput *t)
{
    /* A write weighs three reads: the sum is rounded once. */
    uint64_t n = (partition_units(t->read) + 3 * partition_units(t->write) + PARTITION_READ_UNITS - 1) /
                 PARTITION_READ_UNITS;
    if (billing == BILLING_PAY_PER_REQUEST) n = PARTITIONS_ON_DEMAND;
    uint64_t warm_read = (partition_units(t->warm_read) + PARTITION_READ_UNITS - 1) / PARTITION_READ_UNITS;
    uint64_t warm_write = (partition_units(t->warm_write) + PARTITION_WRITE_UNITS - 1) / PARTITION_WRITE_UNITS;
    if (n < warm_read) n = warm_read;
    if (n < warm_write) n = warm_write;
    if (n < 1) n = 1;
    return (uint32_t)(n < PARTITIONS_MAX ? n : PARTITIONS_MAX);
}

static inline uint32_t table_partitions(const struct table *t)
{
    return throughput_partitions(t->billing, &t->throughput);
}

/* The partition, of n, that a hash (partition_hash.h) is in: 0 to n - 1. */
static inline uint32_t partition_of_hash(uint32_t hash, uint32_t n)
{
    return (uint32_t)((uint64_t)hash * n >> 32);
}

#endif
