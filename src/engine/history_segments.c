/* history_segments.c: which segments a table's history has. */
#include "history.h"
#include "engine_impl.h"
#include "partition_count.h"

#define SEGMENTS_MAX 256 /* keeps a table's record small */

struct slice history_segment_key(struct arena *a, uint32_t table_id, uint32_t number)
{
    struct buf b;
    buf_init(&b, a, 9);
    buf_u8(&b, 'G');
    buf_u32be(&b, table_id);
    buf_u32be(&b, number);
    return buf_view(&b);
}

int history_write_segment(struct store_txn *txn, struct arena *a, uint32_t table_id,
                          const struct segment *s)
{
    struct attr fields[] = {
        { SLICE("end"), val_make_number(a, (int64_t)s->end) },
        { SLICE("from"), val_make_number(a, s->hash_from) },
        { SLICE("parent"), val_make_number(a, s->parent) },
        { SLICE("start"), val_make_number(a, (int64_t)s->start) },
        { SLICE("to"), val_make_number(a, s->hash_to) },
        { SLICE("trimmed"), val_make_number(a, (int64_t)s->trimmed) },
    };
    struct buf b;
    buf_init(&b, a, 256);
    val_put_map(&b, fields, sizeof fields / sizeof *fields);
    return store_put(txn, SPACE_META, history_segment_key(a, table_id, s->number), buf_view(&b));
}

static bool field(struct slice map, struct slice name, int64_t *out)
{
    struct slice v;
    return val_get(map, name, &v) && val_type(v) == TYPE_N && num_to_int64(val_content(v), out);
}

bool history_read_segment(struct slice key, struct slice value, struct segment *out)
{
    int64_t from, to, parent, start, end, trimmed;
    if (key.n != 9 || !val_check(value) || !field(value, SLICE("from"), &from) || !field(value, SLICE("to"), &to) ||
        !field(value, SLICE("parent"), &parent) || !field(value, SLICE("start"), &start) ||
        !field(value, SLICE("end"), &end) || !field(value, SLICE("trimmed"), &trimmed)) {
        return false;
    }
    uint32_t number = 0;
    for (int i = 0; i < 4; i++)
        number = number << 8 | key.p[5 + i];
    *out = (struct segment){ .number = number, .parent = (uint32_t)parent, .hash_from = (uint32_t)from,
                             .hash_to = (uint32_t)to, .start = (uint64_t)start, .end = (uint64_t)end, .trimmed = (uint64_t)trimmed };
    return true;
}

int history_get_segment(struct store_txn *txn, struct arena *a, uint32_t table_id, uint32_t number, struct segment *out)
{
    struct slice key = history_segment_key(a, table_id, number), value;
    int status = store_get(txn, SPACE_META, key, &value);
    if (status) return status;
    return history_read_segment(key, value, out) ? STORE_OK : STORE_CORRUPT;
}

bool history_wanted(const struct table *t)
{
    return t->stream_view.n || t->recovery_since_ms || t->copies;
}

size_t history_shares(const struct table *t)
{
    uint32_t partitions = table_partitions(t);
    return partitions < SEGMENTS_MAX ? partitions : SEGMENTS_MAX;
}

/* Its row also says what was trimmed of it, which the table's record does not know. */
static int close_segment(struct store_txn *txn, struct arena *a, const struct table *t, const struct segment *s, uint64_t end)
{
    struct segment closed;
    int status = history_get_segment(txn, a, t->id, s->number, &closed);
    if (status) return status == STORE_NOT_FOUND ? STORE_CORRUPT : status;
    closed.end = end;
    return history_write_segment(txn, a, t->id, &closed);
}

static int open_segment(struct store_txn *txn, struct arena *a, struct table *t, struct segment opened)
{
    struct segment *s = &t->segments[t->n_segments++];
    *s = opened;
    s->number = ++t->last_segment;
    return history_write_segment(txn, a, t->id, s);
}

/* Part i of n of the range that a segment covers. */
static struct segment part_of(const struct segment *whole, size_t i, size_t n)
{
    uint64_t width = (uint64_t)whole->hash_to - whole->hash_from + 1;
    return (struct segment){ .hash_from = (uint32_t)(whole->hash_from + width * i / n),
                             .hash_to = (uint32_t)(whole->hash_from + width * (i + 1) / n - 1) };
}

int history_renew(struct store_txn *txn, struct arena *a, struct engine *e, struct table *t, size_t n)
{
    const struct segment *before = t->segments, all = { .hash_to = UINT32_MAX };
    size_t n_before = t->n_segments;
    uint64_t end, start;
    int status = history_next(txn, e, t->id, &end);
    if (!status) status = history_next(txn, e, t->id, &start);
    if (status) return status;
    t->segments = n ? ARENA_ARRAY(a, struct segment, n) : NULL;
    t->n_segments = 0;
    for (size_t i = 0; !status && i < n_before; i++)
        status = close_segment(txn, a, t, &before[i], end);
    for (size_t i = 0; !status && i < n; i++) {
        struct segment part = part_of(&all, i, n);
        part.start = start;
        status = open_segment(txn, a, t, part);
    }
    return status;
}

/* Where parts[i] > 0 the segment is closed, and so many heirs share its range. */
static int succeed(struct store_txn *txn, struct arena *a, struct engine *e, struct table *t, const size_t *parts)
{
    const struct segment *before = t->segments;
    size_t n_before = t->n_segments, n = 0;
    uint64_t end, start;
    int status = history_next(txn, e, t->id, &end);
    if (!status) status = history_next(txn, e, t->id, &start);
    if (status) return status;
    for (size_t i = 0; i < n_before; i++)
        n += parts[i] ? parts[i] : 1;
    t->segments = ARENA_ARRAY(a, struct segment, n);
    t->n_segments = 0;
    for (size_t i = 0; !status && i < n_before; i++) {
        if (!parts[i]) {
            t->segments[t->n_segments++] = before[i];
            continue;
        }
        status = close_segment(txn, a, t, &before[i], end);
        for (size_t k = 0; !status && k < parts[i]; k++) {
            struct segment part = part_of(&before[i], k, parts[i]);
            part.parent = before[i].number;
            part.start = start;
            status = open_segment(txn, a, t, part);
        }
    }
    return status;
}

int history_rotate(struct store_txn *txn, struct arena *a, struct engine *e, struct table *t, const bool *marked)
{
    size_t *parts = ARENA_ARRAY(a, size_t, t->n_segments + 1);
    for (size_t i = 0; i < t->n_segments; i++)
        parts[i] = marked[i];
    return succeed(txn, a, e, t, parts);
}

/* The widest are split first, and those that need not be split go on: so there are exactly n, and each heir has one parent. */
static int split(struct store_txn *txn, struct arena *a, struct engine *e, struct table *t, size_t n)
{
    size_t *parts = ARENA_ARRAY(a, size_t, t->n_segments + 1);
    for (size_t have = t->n_segments; have < n; have++) {
        size_t widest = 0;
        uint64_t most = 0;
        for (size_t i = 0; i < t->n_segments; i++) {
            uint64_t width = ((uint64_t)t->segments[i].hash_to - t->segments[i].hash_from + 1) / (parts[i] ? parts[i] : 1);
            if (width <= most) continue;
            most = width;
            widest = i;
        }
        parts[widest] = parts[widest] ? parts[widest] + 1 : 2;
    }
    return succeed(txn, a, e, t, parts);
}

int history_settle(struct store_txn *txn, struct arena *a, struct engine *e, struct table *t)
{
    size_t n = history_wanted(t) ? history_shares(t) : 0;
    if (t->n_segments && n > t->n_segments) return split(txn, a, e, t, n);
    if ((n > 0) == (t->n_segments > 0)) return STORE_OK;
    return history_renew(txn, a, e, t, n);
}
