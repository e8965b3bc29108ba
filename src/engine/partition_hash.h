/* partition_hash.h: where a partition lies among the others, and so the order in which a Scan meets them:
 * the order that DynamoDB has. */
#ifndef OF_ENGINE_PARTITION_HASH_H
#define OF_ENGINE_PARTITION_HASH_H

#include "../item/value.h"

#define PARTITION_MAX_VALUES 4

/* Of key values (S, N or B), taken together. OF_HASH_BITS below 32 (tests) cuts it. */
uint32_t partition_hash(const struct slice *values, size_t n);

#endif
