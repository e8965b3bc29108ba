/* write.c: one item changes, its index entries and counters with it. */
#include "../base/failpoint.h"
#include "expiry.h"
#include "history.h"
#include "record.h"

#define RECORD_MAX (STORE_MAX_VALUE)

static struct slice counter_key(char what, uint32_t id, uint8_t bytes[5])
{
    bytes[0] = (uint8_t)what;
    for (int i = 0; i < 4; i++) bytes[1 + i] = (uint8_t)(id >> (24 - 8 * i));
    return slice_of(bytes, 5);
}

int counter_add(struct store_txn *txn, char what, uint32_t id, int64_t delta)
{
    uint8_t bytes[5];
    return delta && !SEEDED_BUG_ONE_IN(64, counter_drift) ? store_add(txn, counter_key(what, id, bytes), delta) : STORE_OK;
}

int counter_sum(struct store_txn *txn, char what, uint32_t id, int64_t *sum)
{
    uint8_t bytes[5];
    return store_sum(txn, counter_key(what, id, bytes), sum);
}

int item_read(struct store_txn *txn, struct arena *a, struct slice store_key, struct slice *item,
              size_t *size)
{
    struct slice record;
    *item = slice_of(NULL, 0);
    *size = 0;
    int status = store_get(txn, SPACE_ITEM, store_key, &record);
    if (status == STORE_NOT_FOUND) return STORE_OK;
    if (status) return status;
    return record_read(arena_dup(a, record), item, size) ? STORE_OK : STORE_CORRUPT;
}

static struct slice encode(struct arena *a, struct slice item, size_t size)
{
    struct buf b;
    buf_init(&b, a, RECORD_MAX);
    record_put(&b, item, size);
    return buf_view(&b);
}

/* An item and its record, which is made when it is first asked for: indexes that hold whole items share it. */
struct image {
    struct slice item, record;
    size_t size;
};

static struct slice record_of(struct arena *a, struct image *image)
{
    if (!image->record.n) image->record = encode(a, image->item, image->size);
    return image->record;
}

/* What an index holds of an image: the image itself, or the attributes that are projected, in room. */
static struct image *part_of(struct arena *a, const struct index *ix, struct image *image, struct image *room)
{
    if (!ix->entry) return image;
    struct slice part = projection_apply(ix->entry, a, image->item);
    *room = (struct image){ .item = part, .size = val_item_size(part) };
    return room;
}

bool index_entry(struct arena *a, const struct table *t, const struct index *ix, struct slice item,
                 struct slice *key, struct slice *record, size_t *size)
{
    if (!key_entry(a, t, ix, item, key)) return false;
    struct image whole = { .item = item, .size = ix->entry ? 0 : val_item_size(item) }, room;
    struct image *part = part_of(a, ix, &whole, &room);
    *record = record_of(a, part);
    *size = part->size;
    return true;
}

/* What the indexes of a table have to know of a change. */
struct upkeep {
    struct store_txn *txn;
    struct arena *arena;
    const struct table *table;
    struct image old, new;
    bool same;         /* the images are */
    struct slice end;  /* of the keys of all entries, made for the first */
    struct usage *usage;
};

static struct slice entry_key(struct upkeep *k, const struct index *ix, const struct entry_attrs *attrs)
{
    if (!k->end.n) k->end = key_entry_end(k->arena, k->table, k->new.item.n ? k->new.item : k->old.item);
    return key_entry_at(k->arena, k->table, ix, attrs, k->end);
}

/* An index that is being filled may not have reached the item yet: its counters are of entries that exist (jobs.h). */
static int look_for_entry(struct upkeep *k, const struct index *ix, const struct entry_attrs *attrs, bool *there)
{
    struct slice ignored;
    int status = store_get(k->txn, SPACE_INDEX, entry_key(k, ix, attrs), &ignored);
    *there = status == STORE_OK;
    return status == STORE_NOT_FOUND ? STORE_OK : status;
}

/* One index's share of the change. An entry that moves is deleted and put: two writes, as DynamoDB charges them. Keys are made
 * last, and only where something is to be written: each costs a hash. */
static int entry_change(struct upkeep *k, const struct index *ix)
{
    struct entry_attrs was, is;
    struct image old_room, new_room, nothing = { .size = 0 }, *old = &nothing, *new = &nothing;
    int status = STORE_OK;
    if (k->same && !ix->backfilling) return STORE_OK;
    bool had = k->old.item.n && key_entry_attrs(ix, k->old.item, &was);
    bool has = k->new.item.n && key_entry_attrs(ix, k->new.item, &is);
    if (had && ix->backfilling) status = look_for_entry(k, ix, &was, &had);
    if (status) return status;
    bool same_place = had && has && key_entry_attrs_equal(ix, &was, &is);
    if (same_place && ix->projection == PROJECT_KEYS_ONLY) return STORE_OK;
    if (had) old = part_of(k->arena, ix, &k->old, &old_room);
    if (has) new = part_of(k->arena, ix, &k->new, &new_room);
    if (same_place && slice_eq(old->item, new->item)) return STORE_OK;
    if (had && !same_place) {
        struct slice key = entry_key(k, ix, &was);
        if (!SEEDED_BUG_ONE_IN(16, lost_index_delete)) status = store_delete(k->txn, SPACE_INDEX, key);
        if (!status) status = FAILPOINT_OR(entry_deleted, STORE_IO);
        usage_write(k->usage, k->arena, ix, key, capacity_write_halves(old->size));
    }
    if (has && !status) {
        struct slice key = entry_key(k, ix, &is);
        size_t larger = same_place && old->size > new->size ? old->size : new->size;
        status = store_put(k->txn, SPACE_INDEX, key, record_of(k->arena, new));
        usage_write(k->usage, k->arena, ix, key, capacity_write_halves(larger));
    }
    if (!status) status = counter_add(k->txn, 'C', ix->id, (int64_t)has - (int64_t)had);
    if (!status) status = counter_add(k->txn, 'S', ix->id, (int64_t)new->size - (int64_t)old->size);
    return status;
}

static int entries_change(struct upkeep *k)
{
    int status = STORE_OK;
    k->same = slice_eq(k->old.item, k->new.item);
    for (size_t i = 0; !status && i < k->table->n_indexes; i++) {
        if (k->table->indexes[i].status != INDEX_DELETING) status = entry_change(k, &k->table->indexes[i]);
    }
    return status;
}

int item_change(struct store_txn *txn, struct arena *a, const struct change *c, struct usage *u)
{
    const struct table *t = c->table;
    struct upkeep k = { .txn = txn, .arena = a, .table = t, .usage = u,
                        .old = { .item = c->old_item, .size = c->old_size },
                        .new = { .item = c->new_item, .size = c->new_size } };
    int status = STORE_OK;
    usage_write(u, a, NULL, c->store_key,
                capacity_write_halves(c->old_size > c->new_size ? c->old_size : c->new_size));
    if (!c->old_item.n && !c->new_item.n) return STORE_OK;
    if (u && u->tally) u->tally->written++;
    if (c->new_item.n) {
        status = store_put(txn, SPACE_ITEM, c->store_key, record_of(a, &k.new));
    } else {
        status = store_delete(txn, SPACE_ITEM, c->store_key);
    }
    if (!status) status = FAILPOINT_OR(item_written, STORE_IO);
    if (!status && t->n_indexes) status = entries_change(&k);
    if (!status) status = FAILPOINT_OR(entries_written, STORE_IO);
    if (!status && t->ttl_id) status = expiry_change(txn, a, c);
    if (!status && t->n_segments && !SEEDED_BUG_ONE_IN(64, lost_stream_record)) status = history_append(txn, a, c);
    if (!status) status = FAILPOINT_OR(history_written, STORE_IO);
    if (!status) status = counter_add(txn, 'C', t->id, (c->new_item.n != 0) - (c->old_item.n != 0));
    if (!status) status = counter_add(txn, 'S', t->id, (int64_t)c->new_size - (int64_t)c->old_size);
    return status;
}
