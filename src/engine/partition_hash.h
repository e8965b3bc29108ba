/* partition_hash.h: where a partition lies among the others, and so the order in which a Scan meets them:
 * the order that DynamoDB has. */
#ifndef OF_ENGINE_PARTITION_HASH_H
#define OF_ENGINE_PARTITION_HASH_H

#include "../item/value.h"

#define PARTITION_MAX_VALUES 4

/* Fewer make collisions common, for tests (tests/hash4). */
#ifndef OF_HASH_BITS
#define OF_HASH_BITS 32
#endif

/* Of key values (S, N or B), taken together. */
uint32_t partition_hash(const struct slice *values, size_t n);

#endif
