/* write.c: one item changes, its index entries and counters with it. */
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
    return delta ? store_add(txn, counter_key(what, id, bytes), delta) : STORE_OK;
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

static bool entry_of(struct arena *a, const struct table *t, const struct index *ix, struct image *image, struct slice *key,
                     struct slice *record, size_t *size)
{
    if (!image->item.n || !key_entry(a, t, ix, image->item, key)) return false;
    if (!ix->entry) {
        *size = image->size;
        *record = record_of(a, image);
        return true;
    }
    struct slice entry = projection_apply(ix->entry, a, image->item);
    *size = val_item_size(entry);
    *record = encode(a, entry, *size);
    return true;
}

bool index_entry(struct arena *a, const struct table *t, const struct index *ix, struct slice item,
                 struct slice *key, struct slice *record, size_t *size)
{
    struct image image = { .item = item, .size = val_item_size(item) };
    return entry_of(a, t, ix, &image, key, record, size);
}

/* One index's share of the change. An entry that moves is deleted and put: two writes, as DynamoDB
 * charges them. */
static int entry_change(struct store_txn *txn, struct arena *a, const struct table *t, struct image *old, struct image *new,
                        const struct index *ix, struct usage *u)
{
    struct slice old_key, old_record, new_key, new_record;
    size_t old_size = 0, new_size = 0;
    bool had = entry_of(a, t, ix, old, &old_key, &old_record, &old_size);
    bool has = entry_of(a, t, ix, new, &new_key, &new_record, &new_size);
    int status = STORE_OK;
    /* An index that is being filled may not have reached the item yet: its counters are of entries that
     * exist (jobs.h). */
    if (had && ix->backfilling) {
        struct slice there;
        status = store_get(txn, SPACE_INDEX, old_key, &there);
        if (status && status != STORE_NOT_FOUND) return status;
        if (status) {
            had = false;
            old_size = 0;
        }
        status = STORE_OK;
    }
    bool same_place = had && has && slice_eq(old_key, new_key);
    if (same_place && slice_eq(old_record, new_record)) return STORE_OK;
    if (had && !same_place) {
        status = store_delete(txn, SPACE_INDEX, old_key);
        usage_write(u, a, ix, old_key, capacity_write_halves(old_size));
    }
    if (has && !status) {
        status = store_put(txn, SPACE_INDEX, new_key, new_record);
        usage_write(u, a, ix, new_key,
                    capacity_write_halves(same_place && old_size > new_size ? old_size : new_size));
    }
    if (!status) status = counter_add(txn, 'C', ix->id, (int64_t)has - (int64_t)had);
    if (!status) status = counter_add(txn, 'S', ix->id, (int64_t)new_size - (int64_t)old_size);
    return status;
}

int item_change(struct store_txn *txn, struct arena *a, const struct change *c, struct usage *u)
{
    const struct table *t = c->table;
    struct image old = { .item = c->old_item, .size = c->old_size }, new = { .item = c->new_item, .size = c->new_size };
    int status = STORE_OK;
    usage_write(u, a, NULL, c->store_key,
                capacity_write_halves(c->old_size > c->new_size ? c->old_size : c->new_size));
    if (!c->old_item.n && !c->new_item.n) return STORE_OK;
    if (u && u->tally) u->tally->written++;
    if (c->new_item.n) {
        status = store_put(txn, SPACE_ITEM, c->store_key, record_of(a, &new));
    } else {
        status = store_delete(txn, SPACE_ITEM, c->store_key);
    }
    for (size_t i = 0; !status && i < t->n_indexes; i++) {
        if (t->indexes[i].status == INDEX_DELETING) continue;
        status = entry_change(txn, a, t, &old, &new, &t->indexes[i], u);
    }
    if (!status && t->ttl_id) status = expiry_change(txn, a, c);
    if (!status && t->n_segments) status = history_append(txn, a, c);
    if (!status) status = counter_add(txn, 'C', t->id, (c->new_item.n != 0) - (c->old_item.n != 0));
    if (!status) status = counter_add(txn, 'S', t->id, (int64_t)c->new_size - (int64_t)c->old_size);
    return status;
}
