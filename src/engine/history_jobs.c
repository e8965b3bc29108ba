/* history_jobs.c: what time does to histories. Changes that nothing needs any more are removed, and segments and streams
 * after them; a stream's segment that has been open for four hours is succeeded by another.
 *
 * Each round surveys all segments in a view (keys and small rows, no changes) and then does what it found, a small update
 * each, which looks again. */
#include "copy.h"
#include "../base/failpoint.h"
#include "streams.h"
#include <stdlib.h>

#define LOOK_MS      60000
#define ROTATE_MS    ((int64_t)4 * 60 * 60 * 1000)
#define DAY_MS       ((int64_t)24 * 60 * 60 * 1000)
#define SLACK_MS     ((int64_t)60 * 60 * 1000) /* that recovery keeps beyond its days */
#define FINDINGS_MAX 256 /* of one round; there is another at once, behind them, if there may be more */
#define STEP_KEYS    1000
#define ARENA_MAX    ((size_t)256 << 20)
#define NONE_NEEDED  UINT64_MAX

enum finding_kind { FOUND_OLD, FOUND_TO_ROTATE, FOUND_STREAM_OVER };

struct finding {
    enum finding_kind kind;
    uint32_t table_id, segment;
    uint64_t below;   /* FOUND_OLD: changes below it can go */
    struct slice key; /* FOUND_TO_ROTATE: the table's name. FOUND_STREAM_OVER: the row's key */
    bool again;       /* out: there was more than a step could do */
};

struct survey {
    struct engine *engine;
    struct arena arena;
    int64_t now_ms;
    const struct table **tables; /* by id */
    size_t n_tables;
    struct stream *streams;      /* by table id; those that can still be read */
    size_t n_streams;
    uint32_t *copied; /* ids whose history a copy needs, also of tables that are gone */
    size_t n_copied;
    struct slice after; /* the row behind which something to do is looked for: first among streams, then among segments; empty: among all */
    struct finding *findings;
    size_t n;
    struct slice last; /* the row of the last one */
    bool any;            /* there is something that time will change */
    bool damaged;        /* something was left out */
    bool unknown_stream; /* the row of one: every segment may be of it */
};

/* ---- who needs what ---- */

static int by_table_id(const void *a, const void *b)
{
    uint32_t x = (*(const struct table *const *)a)->id, y = (*(const struct table *const *)b)->id;
    return (x > y) - (x < y);
}

static int by_stream_table(const void *a, const void *b)
{
    uint32_t x = ((const struct stream *)a)->table_id, y = ((const struct stream *)b)->table_id;
    return (x > y) - (x < y);
}

static const struct table *table_with(const struct survey *v, uint32_t id)
{
    struct table wanted = { .id = id };
    const struct table *key = &wanted, **found;
    found = v->n_tables ? bsearch(&key, v->tables, v->n_tables, sizeof *v->tables, by_table_id) : NULL;
    return found ? *found : NULL;
}

static bool in_stream(const struct survey *v, uint32_t table_id, uint32_t segment)
{
    size_t low = 0, high = v->n_streams;
    if (v->unknown_stream) return true;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (v->streams[middle].table_id < table_id)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < v->n_streams && v->streams[low].table_id == table_id; low++) {
        if (stream_has(&v->streams[low], segment)) return true;
    }
    return false;
}

static bool is_copied(const struct survey *v, uint32_t table_id)
{
    for (size_t i = 0; i < v->n_copied; i++) {
        if (v->copied[i] == table_id) return true;
    }
    return false;
}

/* Changes of the segment below this sequence number can go. t NULL: the table was deleted. */
static uint64_t needed_from(const struct survey *v, const struct table *t, uint32_t table_id, const struct segment *s)
{
    uint64_t from = NONE_NEEDED;
    if ((t && t->copies) || is_copied(v, table_id)) return 0;
    if (t && t->recovery_since_ms) from = history_after(v->now_ms - t->recovery_days * DAY_MS - SLACK_MS - 1);
    uint64_t horizon = stream_horizon(v->now_ms);
    if (in_stream(v, table_id, s->number) && horizon < from) from = horizon;
    /* It is just being opened or closed: the next round sees which. */
    return from == NONE_NEEDED && !s->end ? 0 : from;
}

/* ---- the survey ---- */

static bool is_behind(const struct survey *v, struct slice row)
{
    if (!v->after.n) return true;
    if (row.p[0] != v->after.p[0]) return row.p[0] == 'G';
    return slice_cmp(row, v->after) > 0;
}

static void add(struct survey *v, struct slice row, struct finding found)
{
    if (v->n == FINDINGS_MAX || !is_behind(v, row)) return;
    v->findings[v->n++] = found;
    v->last = arena_dup(&v->arena, row);
}

static int survey_streams(struct store_txn *txn, struct survey *v)
{
    struct store_range range = { .space = SPACE_META, .from = SLICE("R"), .to = SLICE("S") };
    struct store_cursor *cursor;
    struct slice key, value;
    size_t room = 16;
    int status = store_range_open(txn, &range, &cursor);
    v->streams = ARENA_ARRAY(&v->arena, struct stream, room);
    while (!status && !(status = jobs_next_row(cursor, &key, &value))) {
        struct stream s;
        v->any = true;
        if (!stream_decode(key, value, &s)) {
            v->damaged = v->unknown_stream = true;
            continue;
        }
        if (stream_is_over(&s, v->now_ms)) {
            add(v, key, (struct finding){ .kind = FOUND_STREAM_OVER, .table_id = s.table_id, .segment = s.first, .key = arena_dup(&v->arena, key) });
            continue;
        }
        if (v->n_streams == room) {
            struct stream *larger = ARENA_ARRAY(&v->arena, struct stream, room *= 2);
            memcpy(larger, v->streams, v->n_streams * sizeof *larger);
            v->streams = larger;
        }
        v->streams[v->n_streams++] = s;
    }
    if (status != STORE_END) return status;
    store_range_close(cursor);
    qsort(v->streams, v->n_streams, sizeof *v->streams, by_stream_table);
    return STORE_OK;
}

static int survey_segment(struct store_txn *txn, struct survey *v, struct slice row, uint32_t table_id, const struct segment *s)
{
    const struct table *t = table_with(v, table_id);
    uint64_t from = needed_from(v, t, table_id, s), first = UINT64_MAX;
    bool due = !s->end && t && t->stream_view.n && v->now_ms - history_time_ms(s->start) > ROTATE_MS;
    if (s->start >= from && !due) return STORE_OK; /* most are so: all of it is needed */
    int status = history_find(txn, &v->arena, table_id, s->number, 0, UINT64_MAX, false, &first);
    bool empty = status == STORE_NOT_FOUND;
    if (status && !empty) return status;
    if (first < from || (empty && s->end && s->end < from)) {
        add(v, row, (struct finding){ .kind = FOUND_OLD, .table_id = table_id, .segment = s->number, .below = from });
    }
    if (due && !empty) add(v, row, (struct finding){ .kind = FOUND_TO_ROTATE, .table_id = table_id, .key = t->name });
    return STORE_OK;
}

static int survey_segments(struct store_txn *txn, struct survey *v)
{
    struct store_range range = { .space = SPACE_META, .from = is_behind(v, SLICE("G")) ? SLICE("G") : v->after, .to = SLICE("H") };
    struct store_cursor *cursor;
    struct slice key, value;
    int status = store_range_open(txn, &range, &cursor);
    while (!status && v->n < FINDINGS_MAX && !(status = jobs_next_row(cursor, &key, &value))) {
        struct segment s;
        uint32_t table_id = 0;
        v->any = true;
        if (!history_read_segment(key, value, &s)) {
            v->damaged = true;
            continue;
        }
        for (int i = 0; i < 4; i++)
            table_id = table_id << 8 | key.p[1 + i];
        status = survey_segment(txn, v, key, table_id, &s);
        if (status == STORE_CORRUPT) {
            v->damaged = true;
            status = STORE_OK;
        }
    }
    return status == STORE_END ? STORE_OK : status;
}

static void survey_tables(struct survey *v, const struct catalog *c)
{
    v->n_tables = catalog_count(c);
    v->tables = ARENA_ARRAY(&v->arena, const struct table *, v->n_tables + 1);
    for (size_t i = 0; i < v->n_tables; i++)
        v->tables[i] = catalog_at(c, i);
    qsort(v->tables, v->n_tables, sizeof *v->tables, by_table_id);
}

static int look(struct store_txn *txn, void *ctx)
{
    struct survey *v = ctx;
    const struct catalog *c = catalog_acquire(v->engine->catalogs);
    volatile int status = STORE_NO_MEMORY;
    if (catalog_is_stale(v->engine->catalogs)) {
        catalog_release(v->engine->catalogs, c);
        return status;
    }
    arena_reset(&v->arena); /* a view may be run more than once */
    v->n = v->n_streams = v->n_copied = 0;
    v->any = v->after.n != 0;
    v->damaged = v->unknown_stream = false;
    if (ARENA_GUARD(&v->arena)) {
        v->findings = ARENA_ARRAY(&v->arena, struct finding, FINDINGS_MAX);
        survey_tables(v, c);
        status = copy_live_sources(txn, &v->arena, &v->copied, &v->n_copied);
        if (!status) status = survey_streams(txn, v);
        if (!status) status = survey_segments(txn, v);
        for (size_t i = 0; i < v->n; i++)
            v->findings[i].key = arena_dup(&v->arena, v->findings[i].key);
    }
    arena_unguard(&v->arena);
    catalog_release(v->engine->catalogs, c);
    return status;
}

/* ---- what is done about it ---- */

/* Removes a piece of what is too old; at last the segment's row, if it is closed and nothing of it is needed. */
static int remove_old(struct store_txn *txn, struct step *step)
{
    struct finding *f = step->ctx;
    struct arena *a = &step->arena;
    struct segment s;
    uint64_t last = 0, left;
    size_t n = 0;
    f->again = false;
    int status = history_get_segment(txn, a, f->table_id, f->segment, &s);
    if (status) return status == STORE_NOT_FOUND ? STORE_OK : status;
    uint64_t *old = ARENA_ARRAY(a, uint64_t, STEP_KEYS);
    status = history_list(txn, a, f->table_id, f->segment, f->below, old, STEP_KEYS, &n);
    for (size_t i = 0; !status && i < n; i++) {
        last = old[i];
        status = store_delete(txn, SPACE_STREAM, history_key(a, f->table_id, f->segment, last));
    }
    if (!status && n) status = FAILPOINT_OR(history_trim, STORE_IO);
    if (status) return status;
    f->again = n == STEP_KEYS;
    status = history_find(txn, a, f->table_id, f->segment, 0, UINT64_MAX, false, &left);
    if (status == STORE_NOT_FOUND && s.end && s.end < f->below) {
        return store_delete(txn, SPACE_META, history_segment_key(a, f->table_id, f->segment));
    }
    if (status && status != STORE_NOT_FOUND) return status;
    if (!n) return STORE_OK;
    s.trimmed = last;
    return history_write_segment(txn, a, f->table_id, &s);
}

static int rotate(struct store_txn *txn, struct step *step)
{
    const struct finding *f = step->ctx;
    struct arena *a = &step->arena;
    bool any = false;
    uint64_t first;
    int status;
    struct table *t = catalog_read(txn, a, f->key, &status);
    if (status) return status == STORE_NOT_FOUND ? STORE_OK : status;
    if (t->id != f->table_id || !t->stream_view.n) return STORE_OK;
    bool *due = ARENA_ARRAY(a, bool, t->n_segments + 1);
    for (size_t i = 0; i < t->n_segments; i++) {
        if (step->now_ms - history_time_ms(t->segments[i].start) <= ROTATE_MS) continue;
        status = history_find(txn, a, t->id, t->segments[i].number, 0, UINT64_MAX, false, &first);
        if (status && status != STORE_NOT_FOUND) return status;
        due[i] = !status;
        any = any || due[i];
    }
    if (!any) return STORE_OK;
    status = history_rotate(txn, a, step->engine, t, due);
    if (!status) status = FAILPOINT_OR(history_rotate, STORE_IO);
    return status ? status : catalog_write(txn, a, t, &step->record);
}

static int forget_stream(struct store_txn *txn, struct step *step)
{
    const struct finding *f = step->ctx;
    return store_delete(txn, SPACE_META, f->key);
}

static uint64_t id_of(const struct finding *f)
{
    return (uint64_t)f->table_id << 32 | f->segment << 2 | f->kind;
}

/* *again: there is more to do of what was found. */
static void act(struct jobs *j, struct survey *v, bool *again)
{
    static int (*const steps[])(struct store_txn *, struct step *) = { [FOUND_OLD] = remove_old,
                                                                      [FOUND_TO_ROTATE] = rotate,
                                                                      [FOUND_STREAM_OVER] = forget_stream };
    for (size_t i = 0; i < v->n && !jobs_stopping(j); i++) {
        struct finding *f = &v->findings[i];
        if (!jobs_may_try(j, id_of(f)) || !jobs_tried(j, id_of(f), jobs_step(j, steps[f->kind], f->table_id, f))) continue;
        if (f->again) *again = true;
    }
}

static int work(struct jobs *j, int64_t *rest_ms)
{
    struct job_place place = jobs_place(j, 0);
    struct survey v = { .engine = jobs_engine(j), .now_ms = engine_now_ms(jobs_engine(j)), .after = place.after };
    arena_init(&v.arena, ARENA_MAX);
    int status = store_view(v.engine->store, look, &v);
    if (!status) {
        bool more = v.n == FINDINGS_MAX;
        act(j, &v, &place.again);
        if (v.damaged) jobs_left_damaged(j);
        if (v.any) *rest_ms = more || place.again ? 0 : LOOK_MS;
        place.after = more ? v.last : slice_of(NULL, 0);
        jobs_keep_place(j, 0, place);
    }
    arena_free(&v.arena);
    return status;
}

const struct job_kind job_history = { work, "the trimming of streams" };
