/* keys.h: where items and index entries lie in the store.
 *
 *   item    table id(4)  hash(4)  { n pk }  ordered sort key
 *   entry   index id(4)  hash(4)  { n hash part }...  ordered range part...  item hash(4)  { n pk }
 *           ordered sort key
 *
 * hash: partition_hash.h; it spreads partitions evenly and leads the key so that Scan segments are ranges.
 * Behind it the whole partition key is written, with its length: two partition keys never mix, whatever
 * their hash. n is LEB128, a part is the value's content (value.h). Ordered parts: keybytes.h. */
#ifndef OF_ENGINE_KEYS_H
#define OF_ENGINE_KEYS_H

#include "../item/keybytes.h"
#include "table.h"

#define KEY_MAX_HASH_BYTES  2048
#define KEY_MAX_RANGE_BYTES 1024

/* The Key parameter of a request (GetItem ...): exactly the key attributes, of the right types, not
 * empty, not too long. *store_key is where the item lies. */
int key_of_request(struct arena *a, const struct table *t, struct slice key, struct slice *store_key,
                   struct err *e);
/* An item to be written: has the key attributes, and every index key attribute that is present has the
 * index's type and may be a key. in_batch: BatchWriteItem words a misfit as for a Key. */
int key_of_item(struct arena *a, const struct table *t, struct slice item, bool in_batch,
                struct slice *store_key, struct err *e);
/* The same for an update: index keys whose type its text alone tells, before the item is read; and those
 * that it changed, in the new item. */
int key_check_update_text(const struct table *t, const struct update *u, struct err *e);
int key_check_updated(const struct table *t, const struct update *u, struct slice new_item,
                      struct arena *a, struct err *e);

/* A partition (hash) or sort key value of the right type: not over 2,048 or 1,024 bytes. */
int key_check_length(struct slice value, bool hash, struct err *e);

/* Can the value be that attribute of a key: of its type, not empty, not over max bytes? */
bool key_fits(const struct key_attr *attr, size_t max, struct slice value);

/* Keys of values known to be right. */
struct slice key_item(struct arena *a, const struct table *t, struct slice item);
/* What of an item decides where its entry lies in an index. Borrowed from the item. */
struct entry_attrs {
    struct slice hash[4], range[4];
};
/* False: the item is not in the index, see key_entry. */
bool key_entry_attrs(const struct index *ix, struct slice item, struct entry_attrs *out);
bool key_entry_attrs_equal(const struct index *ix, const struct entry_attrs *x, const struct entry_attrs *y);
/* What the keys of all entries of an item end with, whatever the index: the item's own key. Empty: it lacks a key attribute. */
struct slice key_entry_end(struct arena *a, const struct table *t, struct slice item);
struct slice key_entry_at(struct arena *a, const struct table *t, const struct index *ix, const struct entry_attrs *attrs,
                          struct slice end);
/* The same from the values: of the partition key, then of the sort key if there is one. */
struct slice key_of_values(struct arena *a, const struct table *t, const struct slice *values);
void key_put_item(struct buf *b, const struct table *t, const struct slice *values);
/* The entry's key, or false if the item is not in the index: an attribute is missing, or is one that the
 * index cannot have as a key. New writes are refused then, but items may be older than the index. */
bool key_entry(struct arena *a, const struct table *t, const struct index *ix, struct slice item,
               struct slice *out);

/* The partition's prefix: everything up to the ordered parts. ix NULL: the table itself. */
void key_put_partition(struct buf *b, const struct table *t, const struct index *ix,
                       const struct slice *hash_values);
/* id(4) and the part of the hash space that a Scan segment covers: [from, to). */
void key_segment(struct arena *a, uint32_t id, uint32_t segment, uint32_t total, struct slice *from,
                 struct slice *to);

/* The key attributes of an item as an item of their own: of the table, and of the index too if given.
 * What LastEvaluatedKey shows. */
struct slice key_attributes(struct arena *a, const struct table *t, const struct index *ix,
                            struct slice item);

#endif
