/* shard_private.h: what identifying an item needs of shards. */
#ifndef OF_MODEL_SHARD_PRIVATE_H
#define OF_MODEL_SHARD_PRIVATE_H

#include "model.h"

/* The key without the delimiter and the shard at its end; false if it does not end in a shard. */
bool shard_strip(const struct shards *s, struct slice delimiter, struct slice key, struct slice *out);

#endif
