/* backfill.c: fills a new global index, or the times of expiry (expiry.h), from the items that were there before.
 *
 * Items are taken in the order of their keys, a few hundred per update; the "B" record holds the
 * key of the last one. Meanwhile every write maintains the new index (item_change), wherever its
 * item lies, so an entry that is already there is as it should be and is left alone; one that is
 * not there is put. An item whose attributes cannot be keys of the index has no entry.
 *
 * The counters of an index always say how many entries physically exist and how large they are:
 * here because only entries newly put are counted, in item_change because it asks, while an index
 * is backfilling, whether the old entry was there before it takes it off. Times of expiry are not counted. */
#include "../base/failpoint.h"
#include "expiry.h"
#include "jobs_impl.h"
#include "record.h"
#include "write.h"

/* A step keeps the writer from other calls: a few milliseconds of it. */
#define STEP_ITEMS 200
#define STEP_BYTES (1u << 20)

struct entry {
    struct slice key, record;
    size_t size;
};

struct batch {
    struct entry *entries;
    size_t n;
    struct slice reached; /* key of the last item read */
    bool complete;        /* there are no more items */
};

static uint32_t table_id_of(struct slice position)
{
    uint32_t id = 0;
    for (int i = 0; i < 4; i++)
        id = id << 8 | position.p[i];
    return id;
}

static struct index *find_index(struct table *t, uint32_t id)
{
    for (size_t i = 0; i < t->n_indexes; i++) {
        if (t->indexes[i].id == id) return &t->indexes[i];
    }
    return NULL;
}

static struct store_range items_after(struct arena *a, struct slice position)
{
    struct buf from, to;
    buf_init(&from, a, STORE_MAX_KEY + 1);
    buf_init(&to, a, 16);
    buf_slice(&from, position);
    /* The next key is the same with a zero byte behind it; the table's id alone is before all
     * items. */
    if (position.n > 4 && position.n < STORE_MAX_KEY) buf_u8(&from, 0);
    buf_u32be(&to, table_id_of(position) + 1);
    return (struct store_range){
        .space = SPACE_ITEM, .from = buf_view(&from), .to = buf_view(&to), .limit = STEP_ITEMS
    };
}

/* The entry of an item in the index, or (ix NULL) among the times of expiry. False: it has none. */
static bool make_entry(struct arena *a, const struct table *t, const struct index *ix, struct slice item_key,
                       struct slice item, struct entry *out)
{
    if (ix) return index_entry(a, t, ix, item, &out->key, &out->record, &out->size);
    out->record = slice_of(NULL, 0);
    out->size = 0;
    return expiry_entry(a, t, item_key, item, &out->key);
}

/* All reading is done before the first write: writing ends the cursor and what it gave out. */
static int read_batch(struct store_txn *txn, struct arena *a, const struct table *t,
                      const struct index *ix, struct slice position, struct batch *out)
{
    struct store_range range = items_after(a, position);
    struct store_cursor *cursor;
    struct slice key, record, item;
    size_t size, bytes = 0, read = 0;
    *out = (struct batch){ .entries = ARENA_ARRAY(a, struct entry, STEP_ITEMS) };
    int status = store_range_open(txn, &range, &cursor);
    while (!status && read < STEP_ITEMS && bytes < STEP_BYTES) {
        status = store_range_next(cursor, &key, &record);
        if (status) break;
        struct entry *e = &out->entries[out->n];
        if (!record_read(record, &item, &size)) return STORE_CORRUPT;
        out->n += make_entry(a, t, ix, key, item, e);
        out->reached = arena_dup(a, key);
        read++;
        bytes += size;
    }
    if (status && status != STORE_END) return status;
    out->complete = status == STORE_END;
    store_range_close(cursor);
    return STORE_OK;
}

static int put_batch(struct store_txn *txn, const struct index *ix, const struct batch *batch)
{
    int64_t items = 0, bytes = 0;
    size_t n = batch->n && SEEDED_BUG(backfill_gap) ? batch->n - 1 : batch->n;
    for (size_t i = 0; i < n; i++) {
        const struct entry *e = &batch->entries[i];
        struct slice there;
        int status = store_get(txn, SPACE_INDEX, e->key, &there);
        if (status == STORE_OK) continue;
        if (status == STORE_NOT_FOUND) status = store_put(txn, SPACE_INDEX, e->key, e->record);
        if (status) return status;
        items++;
        bytes += (int64_t)e->size;
    }
    if (!ix) return STORE_OK;
    int status = counter_add(txn, 'C', ix->id, items);
    return status ? status : counter_add(txn, 'S', ix->id, bytes);
}

static int finish(struct store_txn *txn, struct step *step, struct table *t, struct index *ix,
                  struct slice record_key)
{
    int status = STORE_OK;
    if (ix) {
        ix->status = INDEX_ACTIVE;
        ix->backfilling = false;
        status = catalog_write(txn, &step->arena, t, &step->record);
    }
    if (!status) status = FAILPOINT_OR(backfill_end, STORE_IO);
    return status ? status : store_delete(txn, SPACE_META, record_key);
}

static int backfill_step(struct store_txn *txn, struct step *step)
{
    uint8_t bytes[5];
    struct slice record_key = catalog_id_key(bytes, 'B', step->id), position;
    struct batch batch;
    int status = store_get(txn, SPACE_META, record_key, &position);
    if (status) return status == STORE_NOT_FOUND ? STORE_OK : status; /* dropped in the meantime */
    if (position.n < 4) return STORE_CORRUPT;
    position = arena_dup(&step->arena, position);
    struct table *t = step_table(txn, step, table_id_of(position), &status);
    if (!t) return status;
    struct index *ix = find_index(t, step->id);
    if (!ix && t->ttl_id != step->id) return STORE_NOT_FOUND;

    status = read_batch(txn, &step->arena, t, ix, position, &batch);
    if (!status) status = put_batch(txn, ix, &batch);
    if (!status) status = FAILPOINT_OR(backfill_step, STORE_IO);
    if (status) return status;
    if (batch.complete) return finish(txn, step, t, ix, record_key);
    return store_put(txn, SPACE_META, record_key, batch.reached);
}

/* An index that meets a damaged item stays CREATING: one that lacks an item would tell less than the truth. */
static int turn(struct jobs *j, uint32_t id, void *ctx)
{
    return jobs_step(j, backfill_step, id, ctx);
}

static int work(struct jobs *j, int64_t *rest_ms)
{
    return jobs_turns(j, 'B', turn, NULL, rest_ms);
}

const struct job_kind job_backfill = { work, "the filling of an index" };
