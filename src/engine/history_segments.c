/* history_segments.c: which segments a table's history has. */
#include "history.h"
#include "engine_impl.h"
#include "partition_count.h"

#define SEGMENTS_MAX 256 /* keeps a table's record small */

static struct slice segment_key(struct arena *a, uint32_t table_id, uint32_t number)
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
    };
    struct buf b;
    buf_init(&b, a, 256);
    val_put_map(&b, fields, sizeof fields / sizeof *fields);
    return store_put(txn, SPACE_META, segment_key(a, table_id, s->number), buf_view(&b));
}

static bool field(struct slice map, struct slice name, int64_t *out)
{
    struct slice v;
    return val_get(map, name, &v) && val_type(v) == TYPE_N && num_to_int64(val_content(v), out);
}

bool history_read_segment(struct slice key, struct slice value, struct segment *out)
{
    int64_t from, to, parent, start, end;
    if (key.n != 9 || !val_check(value) || !field(value, SLICE("from"), &from) || !field(value, SLICE("to"), &to) ||
        !field(value, SLICE("parent"), &parent) || !field(value, SLICE("start"), &start) ||
        !field(value, SLICE("end"), &end)) {
        return false;
    }
    uint32_t number = 0;
    for (int i = 0; i < 4; i++)
        number = number << 8 | key.p[5 + i];
    *out = (struct segment){ .number = number, .parent = (uint32_t)parent, .hash_from = (uint32_t)from,
                             .hash_to = (uint32_t)to, .start = (uint64_t)start, .end = (uint64_t)end };
    return true;
}

bool history_wanted(const struct table *t)
{
    return t->stream_view.n || t->recovery_since_ms || t->copies;
}

static uint32_t number_at(const struct segment *segments, size_t n, uint32_t hash)
{
    for (size_t i = 0; i < n; i++) {
        if (segments[i].hash_from <= hash && hash <= segments[i].hash_to) return segments[i].number;
    }
    return 0;
}

static int close_all(struct store_txn *txn, struct arena *a, struct table *t, uint64_t end)
{
    int status = STORE_OK;
    for (size_t i = 0; !status && i < t->n_segments; i++) {
        struct segment closed = t->segments[i];
        closed.end = end;
        status = history_write_segment(txn, a, t->id, &closed);
    }
    return status;
}

int history_renew(struct store_txn *txn, struct arena *a, struct engine *e, struct table *t, size_t n,
                  bool heirs)
{
    struct segment *before = t->segments;
    size_t n_before = t->n_segments;
    uint64_t end = history_next(e);
    int status = close_all(txn, a, t, end);
    t->segments = n ? ARENA_ARRAY(a, struct segment, n) : NULL;
    t->n_segments = n;
    for (size_t i = 0; !status && i < n; i++) {
        struct segment *s = &t->segments[i];
        uint32_t from = (uint32_t)(((uint64_t)i << 32) / n);
        *s = (struct segment){ .number = ++t->last_segment,
                               .parent = heirs ? number_at(before, n_before, from) : 0,
                               .hash_from = from,
                               .hash_to = (uint32_t)(((((uint64_t)i + 1) << 32) / n) - 1),
                               .start = end + 1 };
        status = history_write_segment(txn, a, t->id, s);
    }
    if (e->last_sequence < end + 1) e->last_sequence = end + 1;
    return status;
}

size_t history_shares(const struct table *t)
{
    uint32_t partitions = table_partitions(t);
    return partitions < SEGMENTS_MAX ? partitions : SEGMENTS_MAX;
}

int history_settle(struct store_txn *txn, struct arena *a, struct engine *e, struct table *t)
{
    bool wanted = history_wanted(t);
    if (wanted == (t->n_segments > 0)) return STORE_OK;
    return history_renew(txn, a, e, t, wanted ? history_shares(t) : 0, false);
}
