/* expiry.h: time to live: when items expire, and their deletion.
 *
 * While a table's time to live is on, each of its items that has a time of expiry has an entry in SPACE_INDEX:
 *
 *   ttl id(4)  bucket(4)  second(8)  the item's key behind its table's id
 *
 * bucket: the upper four bits of the partition hash, the others zero. The entries of a bucket lie in the order in which
 * they are due, so what is due in a table is the beginning of 16 ranges, wherever the items lie; and writes that expire at
 * the same time do not all go to one place. The value is empty.
 *
 * An item expires by a number of seconds since 1970 in the attribute that the table names, at its top level. Anything else
 * there, a number from before 1970 or past the year 9999: it never does. It is deleted when that second has come, but
 * not if it is more than five years ago. Until then calls see it as any other item. */
#ifndef OF_ENGINE_EXPIRY_H
#define OF_ENGINE_EXPIRY_H

#include "write.h"

/* An item's share of the change. The table's time to live is on. STORE_OK or an error. */
int expiry_change(struct store_txn *txn, struct arena *a, const struct change *c);
/* The key of the item's entry, in the arena. False: it never expires. */
bool expiry_entry(struct arena *a, const struct table *t, struct slice store_key, struct slice item, struct slice *key);

#endif
