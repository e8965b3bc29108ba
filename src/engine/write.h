/* write.h: changing one item and everything that follows from it: index entries, time of expiry, counters, history.
 * The one place where items are written. */
#ifndef OF_ENGINE_WRITE_H
#define OF_ENGINE_WRITE_H

#include "capacity.h"
#include "keys.h"

/* Counter keys (store_add): "C" id(4) items, "S" id(4) bytes; of a table or an index. */
int counter_add(struct store_txn *txn, char what, uint32_t id, int64_t delta);
int counter_sum(struct store_txn *txn, char what, uint32_t id, int64_t *sum);

/* An item's two images. An empty slice: not there. Images must not be borrowed from the transaction. */
struct change {
    struct engine *engine;
    const struct table *table;
    struct slice store_key;
    struct slice old_item, new_item;
    size_t old_size, new_size; /* by DynamoDB's rule */
    bool expired;              /* done by time to live */
};

/* Reads the item at store_key into the arena. STORE_OK (item empty if there is none) or an error. */
int item_read(struct store_txn *txn, struct arena *a, struct slice store_key, struct slice *item,
              size_t *size);
/* Writes new_item or deletes; moves index entries, only where the projected entry changed; adds the
 * units to u (which may be NULL). STORE_OK or an error. */
int item_change(struct store_txn *txn, struct arena *a, const struct change *c, struct usage *u);
/* The projected entry of an item in an index: key and record, in the arena. False: not in the index. */
bool index_entry(struct arena *a, const struct table *t, const struct index *ix, struct slice item,
                 struct slice *key, struct slice *record, size_t *size);

#endif
