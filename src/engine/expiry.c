/* expiry.c: the times at which items expire, and the work that deletes them.
 *
 * Once a second, while any table has time to live on, the beginnings of its ranges are looked at. What is due is
 * deleted in updates of bounded size, the longest due first, one for each table in turn, at once again while there is
 * more. In the update the item is read again: whoever was faster and moved or took its time of expiry has kept it. */
#include "expiry.h"
#include "../base/failpoint.h"
#include "jobs_impl.h"

#define BUCKETS      16
#define BUCKET_SHIFT 28
#define BUCKET_MASK  ((uint32_t)(BUCKETS - 1) << BUCKET_SHIFT)
#define PREFIX_BYTES 16 /* of an entry: id, bucket, second */
#define LAST_SECOND  INT64_C(253402300799) /* of the year 9999 */
#define MAX_OVERDUE  (INT64_C(5) * 365 * 86400)

#define LOOK_MS    1000
#define STEP_ITEMS 200
#define STEP_BYTES (1u << 20) /* of items and their entries in indexes */

/* ---- entries ---- */

static struct slice prefix(uint8_t bytes[PREFIX_BYTES], uint32_t ttl_id, uint32_t bucket, int64_t second)
{
    for (int i = 0; i < 4; i++) {
        bytes[i] = (uint8_t)(ttl_id >> (24 - 8 * i));
        bytes[4 + i] = (uint8_t)(bucket >> (24 - 8 * i));
    }
    for (int i = 0; i < 8; i++)
        bytes[8 + i] = (uint8_t)((uint64_t)second >> (56 - 8 * i));
    return slice_of(bytes, PREFIX_BYTES);
}

static struct slice entry_key(struct arena *a, const struct table *t, struct slice store_key, int64_t second)
{
    uint8_t bytes[PREFIX_BYTES];
    struct buf b;
    buf_init(&b, a, STORE_MAX_KEY);
    buf_slice(&b, prefix(bytes, t->ttl_id, (uint32_t)slice_big_endian(store_key.p + 4, 4) & BUCKET_MASK, second));
    buf_bytes(&b, store_key.p + 4, store_key.n - 4);
    return buf_view(&b);
}

/* The second in which the item expires; 0: never. A fraction is rounded up: nothing goes before its time. */
static int64_t second_of(const struct table *t, struct slice item)
{
    struct slice value;
    int64_t second;
    if (!item.n || !val_get(item, t->ttl_attribute, &value) || val_type(value) != TYPE_N) return 0;
    if (!num_ceil_int64(val_content(value), &second)) return 0;
    return second > 0 && second <= LAST_SECOND ? second : 0;
}

bool expiry_entry(struct arena *a, const struct table *t, struct slice store_key, struct slice item, struct slice *key)
{
    int64_t second = second_of(t, item);
    if (second) *key = entry_key(a, t, store_key, second);
    return second != 0;
}

int expiry_change(struct store_txn *txn, struct arena *a, const struct change *c)
{
    const struct table *t = c->table;
    int64_t old = second_of(t, c->old_item), new = second_of(t, c->new_item);
    int status = STORE_OK;
    if (old == new) return STORE_OK;
    if (old && !SEEDED_BUG(expired_though_renewed)) status = store_delete(txn, SPACE_INDEX, entry_key(a, t, c->store_key, old));
    if (!status && new) {
        status = store_put(txn, SPACE_INDEX, entry_key(a, t, c->store_key, new), slice_of(NULL, 0));
    }
    return status;
}

/* ---- what is due ---- */

/* The entries of one bucket that are due, from the longest due on, but none before this key. */
static int open_bucket(struct store_txn *txn, uint32_t ttl_id, uint32_t bucket, int64_t now_ms, struct slice first, size_t limit,
                       struct store_cursor **out)
{
    int64_t now = now_ms / 1000, oldest = now > MAX_OVERDUE ? now - MAX_OVERDUE : 0;
    uint8_t from[PREFIX_BYTES], to[PREFIX_BYTES];
    struct store_range range = { .space = SPACE_INDEX,
                                 .from = prefix(from, ttl_id, bucket << BUCKET_SHIFT, oldest),
                                 .to = prefix(to, ttl_id, bucket << BUCKET_SHIFT, now + 1),
                                 .limit = limit };
    if (slice_cmp(range.from, first) < 0) range.from = first;
    return store_range_open(txn, &range, out);
}

struct look {
    uint32_t ttl_id;
    int64_t now_ms;
    bool due;
};

static int look(struct store_txn *txn, void *ctx)
{
    struct look *l = ctx;
    int status = STORE_OK;
    l->due = false;
    for (uint32_t bucket = 0; bucket < BUCKETS && !status && !l->due; bucket++) {
        struct store_cursor *cursor;
        status = open_bucket(txn, l->ttl_id, bucket, l->now_ms, slice_of(NULL, 0), 1, &cursor);
        if (status) break;
        status = store_range_next(cursor, NULL, NULL);
        l->due = status == STORE_OK;
        if (status == STORE_END) status = STORE_OK;
        store_range_close(cursor);
    }
    return status;
}

struct due {
    struct slice keys[STEP_ITEMS]; /* of entries, the longest due first */
    size_t n;
};

/* The next entry of a bucket, in the arena; an empty slice at its end. */
static int next_due(struct store_cursor *cursor, struct arena *a, struct slice *out)
{
    int status = store_range_next(cursor, out, NULL);
    if (status) {
        *out = slice_of(NULL, 0);
        return status == STORE_END ? STORE_OK : status;
    }
    *out = arena_dup(a, *out);
    return out->n > PREFIX_BYTES ? STORE_OK : STORE_CORRUPT;
}

/* The first key of a bucket that comes behind an entry when the buckets are merged: by seconds, in each by buckets. */
static struct slice behind(struct arena *a, struct slice entry, uint32_t bucket)
{
    struct buf b;
    uint32_t its = (uint32_t)slice_big_endian(entry.p + 4, 4) >> BUCKET_SHIFT;
    uint8_t bytes[PREFIX_BYTES];
    buf_init(&b, a, STORE_MAX_KEY + 1);
    if (bucket == its) {
        buf_slice(&b, entry);
        buf_u8(&b, 0); /* the next key there can be; item keys are far from the longest */
    } else {
        buf_slice(&b, prefix(bytes, (uint32_t)slice_big_endian(entry.p, 4), bucket << BUCKET_SHIFT,
                             (int64_t)slice_big_endian(entry.p + 8, 8) + (bucket < its)));
    }
    return buf_view(&b);
}

/* Merges the buckets, from behind an entry on (empty: from the longest due). All reading is done before the first write. */
static int collect(struct store_txn *txn, struct step *step, uint32_t ttl_id, struct slice after, struct due *out)
{
    struct store_cursor *cursors[BUCKETS] = { NULL };
    struct slice heads[BUCKETS];
    int status = STORE_OK;
    for (uint32_t i = 0; i < BUCKETS && !status; i++) {
        struct slice first = after.n ? behind(&step->arena, after, i) : after;
        status = open_bucket(txn, ttl_id, i, step->now_ms, first, STEP_ITEMS, &cursors[i]);
        if (!status) status = next_due(cursors[i], &step->arena, &heads[i]);
    }
    while (!status && out->n < STEP_ITEMS) {
        size_t first = BUCKETS;
        for (size_t i = 0; i < BUCKETS; i++) {
            if (!heads[i].n) continue;
            if (first == BUCKETS || memcmp(heads[i].p + 8, heads[first].p + 8, 8) < 0) first = i;
        }
        if (first == BUCKETS) break;
        out->keys[out->n++] = heads[first];
        status = next_due(cursors[first], &step->arena, &heads[first]);
    }
    /* LMDB moves every open cursor with each write. */
    for (size_t i = 0; i < BUCKETS; i++) store_range_close(cursors[i]);
    return status;
}

/* ---- the work ---- */

static struct slice item_key(struct arena *a, const struct table *t, struct slice entry)
{
    struct buf b;
    buf_init(&b, a, STORE_MAX_KEY);
    buf_u32be(&b, t->id);
    buf_bytes(&b, entry.p + PREFIX_BYTES, entry.n - PREFIX_BYTES);
    return buf_view(&b);
}

struct piece {
    const struct catalog *catalog; /* held by the round */
    const struct table *table;     /* of it */
    struct slice after;            /* the entry behind which it begins; empty: at the longest due */
    size_t most;                   /* entries: it looks at no more */
    /* out */
    size_t done;       /* entries that it looked at */
    struct slice last; /* the last of them; the step's arena */
    bool more;         /* there is more of it */
    bool damaged;      /* items stay: what indexes hold of them is not known */
};

static int expire(struct store_txn *txn, struct step *step, struct slice entry, size_t *bytes)
{
    struct piece *piece = step->ctx;
    const struct table *t = piece->table;
    struct change c = { .engine = step->engine, .table = t, .expired = true };
    c.store_key = item_key(&step->arena, t, entry);
    int status = item_read(txn, &step->arena, c.store_key, &c.old_item, &c.old_size);
    if (status == STORE_CORRUPT) {
        piece->damaged = true;
        return STORE_OK; /* where that was a page, and not this item alone, the store fails the update */
    }
    if (status) return status;
    *bytes += c.old_size * (1 + t->n_indexes);
    if (SEEDED_BUG(expired_though_renewed)) {
        status = store_delete(txn, SPACE_INDEX, entry);
        return status ? status : item_change(txn, &step->arena, &c, NULL);
    }
    if (second_of(t, c.old_item) == (int64_t)slice_big_endian(entry.p + 8, 8)) return item_change(txn, &step->arena, &c, NULL);
    /* An entry that is not its item's would be found again and again. */
    return store_delete(txn, SPACE_INDEX, entry);
}

/* Goes by the table as it was published, as the calls of the same batch do, and not by its record: that the same batch may have
 * changed, and then an item's changes would lie in different segments of the history, in the wrong order. */
static int expire_step(struct store_txn *txn, struct step *step)
{
    struct piece *piece = step->ctx;
    const struct table *t = piece->table;
    struct due *due = ARENA_NEW(&step->arena, struct due);
    size_t bytes = 0;
    piece->more = true;
    piece->damaged = false;
    piece->last = piece->after;
    piece->done = 0;
    if (!catalog_is_current(step->engine->catalogs, piece->catalog)) return STORE_OK;
    int status = collect(txn, step, t->ttl_id, piece->after, due);
    while (!status && piece->done < due->n && piece->done < piece->most && bytes < STEP_BYTES) {
        piece->last = due->keys[piece->done++];
        status = expire(txn, step, piece->last, &bytes);
        if (!status) status = FAILPOINT_OR(expire_step, STORE_IO);
    }
    if (!status) piece->more = piece->done < due->n || due->n == STEP_ITEMS;
    return status;
}

/* A piece of one table's work. Those that stay are not met again before the others had their turn. */
static int expire_table(struct jobs *j, struct piece *piece)
{
    struct engine *e = jobs_engine(j);
    const struct table *t = piece->table;
    struct look l = { .ttl_id = t->ttl_id, .now_ms = engine_now_ms(e) };
    int status = store_view(e->store, look, &l);
    if (status || !l.due) return status;
    piece->after = jobs_place(j, t->ttl_id).after;
    piece->most = STEP_ITEMS;
    do status = jobs_step(j, expire_step, t->id, piece);
    while (status == STORE_CORRUPT && step_in_parts(&piece->most, piece->done));
    if (status && status != STORE_CORRUPT) return status;
    bool stays = piece->more && (status || piece->damaged || piece->after.n);
    jobs_keep_place(j, t->ttl_id, (struct job_place){ .after = stays ? piece->last : slice_of(NULL, 0) });
    return status;
}

static int work(struct jobs *j, int64_t *rest_ms)
{
    struct catalogs *catalogs = jobs_engine(j)->catalogs;
    const struct catalog *catalog = catalog_acquire(catalogs);
    for (size_t i = 0; i < catalog_count(catalog); i++) {
        struct piece piece = { .catalog = catalog, .table = catalog_at(catalog, i) };
        if (!piece.table->ttl_id || jobs_stopping(j)) continue;
        if (*rest_ms == JOB_NEVER) *rest_ms = LOOK_MS;
        if (!jobs_may_try(j, piece.table->id) || !jobs_tried(j, piece.table->id, expire_table(j, &piece))) continue;
        if (piece.more) *rest_ms = 0;
        if (piece.damaged) jobs_left_damaged(j);
    }
    catalog_release(catalogs, catalog);
    return STORE_OK;
}

const struct job_kind job_expiry = { work, "time to live" };
