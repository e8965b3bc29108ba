/* shard.h: which shard of a key an item is in. docs/shards.md specifies the hash byte for byte; it never
 * changes, since clients in other languages compute it too. */
#ifndef OF_MODEL_SHARD_H
#define OF_MODEL_SHARD_H

#include "model.h"

/* FNV-1a, 32 bits, of the bytes of the value's text as a template renders it (before escaping). */
uint32_t shard_hash(struct slice text);
/* The shard's text of this attribute's value: "7", "a", "2026-05", "eu". False if the value gives none. */
bool shard_of(struct arena *a, const struct shards *s, struct slice value, struct slice *out);
/* All the shards there are (up to now, for months): texts in reading order. between: for months, restricts. */
size_t shard_list(struct arena *a, const struct shards *s, int64_t now, const struct slice **out);
/* Is one key spread as the other is (or neither)? NULL: not spread. */
bool same_shards(const struct shards *a, const struct shards *b);

#endif
