/* range.h: which keys of the store a Query or a Scan has to read.
 *
 * Keys of one partition share a prefix (keys.h), behind it the sort key lies in order, so every key
 * condition is one range of bytes. A start key moves the near end of the range: a page is found by
 * its key, however far into a collection it lies. */
#ifndef OF_ENGINE_RANGE_H
#define OF_ENGINE_RANGE_H

#include "keys.h"

/* [from, to) of a key condition. ix NULL: the table itself. */
void range_of_query(struct arena *a, const struct table *t, const struct index *ix,
                    const struct key_query *q, struct store_range *out);
/* [from, to) of a Scan segment (0 of 1: everything). */
void range_of_segment(struct arena *a, const struct table *t, const struct index *ix,
                      uint32_t segment, uint32_t total, struct store_range *out);
/* Begins behind the item or entry with this key, in the direction of the range. False if it does
 * not lie in the range. */
bool range_start_behind(struct arena *a, struct store_range *r, struct slice key);

/* Does a sort key satisfy the condition? values: of the range attributes, in order. */
bool range_matches(const struct key_query *q, const struct slice *values, size_t n);

#endif
