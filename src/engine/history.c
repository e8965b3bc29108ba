/* history.c: the records of a table's history, and their sequence numbers. */
#include "history.h"
#include "engine_impl.h"

#define RECORD_MAX STORE_MAX_VALUE

#define FLAG_EVENT   3
#define FLAG_EXPIRED 4
#define FLAG_OLD     8
#define FLAG_NEW     16
#define FLAG_KEY     32 /* neither image is kept: the key attributes alone */

/* ---- sequence numbers ---- */

int64_t history_time_ms(uint64_t sequence)
{
    return (int64_t)(sequence >> HISTORY_COUNT_BITS);
}

uint64_t history_after(int64_t ms)
{
    return ms < 0 ? 0 : (uint64_t)(ms + 1) << HISTORY_COUNT_BITS;
}

void history_begin(struct engine *e)
{
    e->moment_ms = 0;
}

/* One series for all tables, as long as nobody else writes: its end is in memory. On a shared store the servers would wait for each other. */
static struct slice series_of(uint8_t key[5], const struct engine *e, uint32_t table_id)
{
    return store_is_shared(e->store) ? catalog_id_key(key, 'Q', table_id) : SLICE("Q");
}

int history_next(struct store_txn *txn, struct engine *e, uint32_t table_id, uint64_t *sequence)
{
    uint8_t key[5];
    if (!e->moment_ms) e->moment_ms = engine_now_ms(e);
    uint64_t least = e->moment_ms < 0 ? 1 : (uint64_t)e->moment_ms << HISTORY_COUNT_BITS;
    if (e->last_sequence >= least) least = e->last_sequence + 1;
    int status = store_next(txn, series_of(key, e, table_id), least, sequence);
    if (!status) e->last_sequence = *sequence;
    return status;
}

static int read_last(struct store_txn *txn, void *ctx)
{
    struct engine *e = ctx;
    struct slice value;
    int status = store_get(txn, SPACE_META, SLICE("Q"), &value);
    if (status) return status == STORE_NOT_FOUND ? STORE_OK : status;
    if (value.n != 8) return STORE_CORRUPT;
    e->last_sequence = slice_big_endian(value.p, 8);
    return STORE_OK;
}

int history_open(struct engine *e)
{
    return store_view(e->store, read_last, e);
}

/* ---- keys and values ---- */

struct slice history_key(struct arena *a, uint32_t table_id, uint32_t segment, uint64_t sequence)
{
    struct buf b;
    buf_init(&b, a, 16);
    buf_u32be(&b, table_id);
    buf_u32be(&b, segment);
    buf_u64be(&b, sequence);
    return buf_view(&b);
}

static bool take(struct slice *from, struct slice *out)
{
    uint64_t n = 0;
    for (size_t i = 0; i < from->n && i < 5; i++) {
        n |= (uint64_t)(from->p[i] & 0x7f) << (7 * i);
        if (from->p[i] & 0x80) continue;
        if (n > from->n - i - 1) return false;
        *out = slice_of(from->p + i + 1, (size_t)n);
        *from = slice_of(out->p + n, from->n - i - 1 - (size_t)n);
        return out->n > 0 && out->p[0] == VAL_M;
    }
    return false;
}

bool history_read(struct slice key, struct slice value, struct history_change *out)
{
    if (key.n != 16 || !value.n) return false;
    uint8_t flags = value.p[0];
    struct slice rest = slice_of(value.p + 1, value.n - 1);
    *out = (struct history_change){ .segment = (uint32_t)slice_big_endian(key.p + 4, 4),
                                    .sequence = slice_big_endian(key.p + 8, 8),
                                    .event = (enum history_event)(flags & FLAG_EVENT),
                                    .expired = (flags & FLAG_EXPIRED) != 0 };
    if (flags & FLAG_OLD && !take(&rest, &out->old_item)) return false;
    if (flags & FLAG_NEW && !take(&rest, &out->new_item)) return false;
    if (flags & FLAG_KEY && !take(&rest, &out->key)) return false;
    if (!out->key.n) out->key = out->new_item.n ? out->new_item : out->old_item;
    return out->key.n && !rest.n;
}

/* ---- writing ---- */

static const struct segment *segment_of(const struct table *t, struct slice store_key)
{
    uint32_t hash = (uint32_t)slice_big_endian(store_key.p + 4, 4);
    size_t low = 0, high = t->n_segments - 1;
    while (low < high) {
        size_t middle = (low + high + 1) / 2;
        if (t->segments[middle].hash_from <= hash)
            low = middle;
        else
            high = middle - 1;
    }
    return &t->segments[low];
}

static bool shows(const struct table *t, const char *image)
{
    return slice_eq(t->stream_view, slice_str(image)) || slice_eq(t->stream_view, SLICE("NEW_AND_OLD_IMAGES"));
}

static void put_image(struct buf *b, struct slice image)
{
    buf_varint(b, image.n);
    buf_slice(b, image);
}

static struct slice encode(struct arena *a, const struct change *c)
{
    const struct table *t = c->table;
    /* Always: a copy that begins later in the same batch, when this table is not published yet, undoes from it. */
    bool old = c->old_item.n != 0;
    bool new = c->new_item.n && shows(t, "NEW_IMAGE");
    enum history_event event = !c->old_item.n   ? HISTORY_INSERT
                               : c->new_item.n ? HISTORY_MODIFY
                                               : HISTORY_REMOVE;
    struct buf b;
    buf_init(&b, a, RECORD_MAX);
    buf_u8(&b, (uint8_t)(event | (c->expired ? FLAG_EXPIRED : 0) | (old ? FLAG_OLD : 0) | (new ? FLAG_NEW : 0) |
                         (old || new ? 0 : FLAG_KEY)));
    if (old) put_image(&b, c->old_item);
    if (new) put_image(&b, c->new_item);
    if (!old && !new) {
        put_image(&b, key_attributes(a, t, NULL, c->new_item.n ? c->new_item : c->old_item));
    }
    return buf_view(&b);
}

int history_append(struct store_txn *txn, struct arena *a, const struct change *c)
{
    const struct table *t = c->table;
    if (!t->n_segments || val_equal(c->old_item, c->new_item)) return STORE_OK;
    uint64_t sequence;
    int status = history_next(txn, c->engine, t->id, &sequence);
    if (status) return status;
    return store_put(txn, SPACE_STREAM, history_key(a, t->id, segment_of(t, c->store_key)->number, sequence), encode(a, c));
}

/* ---- finding ---- */

/* Up to max sequence numbers in [from, below), ascending or descending. */
static int list(struct store_txn *txn, const struct store_range *range, uint64_t *sequences, size_t *n)
{
    struct store_cursor *cursor;
    struct slice key;
    *n = 0;
    int status = store_range_open(txn, range, &cursor);
    if (status) return status;
    while (*n < range->limit && !(status = store_range_next(cursor, &key, NULL))) {
        if (key.n != 16) return STORE_CORRUPT;
        sequences[(*n)++] = slice_big_endian(key.p + 8, 8);
    }
    if (status && status != STORE_END) return status;
    store_range_close(cursor);
    return STORE_OK;
}

int history_list(struct store_txn *txn, struct arena *a, uint32_t table_id, uint32_t segment, uint64_t below,
                 uint64_t *sequences, size_t max, size_t *n)
{
    struct store_range range = { .space = SPACE_STREAM,
                                 .from = history_key(a, table_id, segment, 0),
                                 .to = history_key(a, table_id, segment, below),
                                 .limit = max };
    return list(txn, &range, sequences, n);
}

int history_find(struct store_txn *txn, struct arena *a, uint32_t table_id, uint32_t segment, uint64_t from, uint64_t below,
                 bool last, uint64_t *sequence)
{
    struct store_range range = { .space = SPACE_STREAM,
                                 .from = history_key(a, table_id, segment, from),
                                 .to = history_key(a, table_id, segment, below),
                                 .reverse = last,
                                 .limit = 1 };
    size_t n = 0;
    int status = from < below ? list(txn, &range, sequence, &n) : STORE_OK;
    return status || n ? status : STORE_NOT_FOUND;
}
