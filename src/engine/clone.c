/* clone.c: two stores gone through side by side; see clone.h. */
#include "clone_impl.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SCRATCH_MAX ((size_t)1 << 20)

/* The parts of a store, in the order in which they are done. Left out: "C" itself, and "Q", which is clone_series's. */
static const struct part {
    enum store_space space;
    const char *from, *to; /* "": no bound */
} parts[] = {
    { SPACE_META, "", "C" }, { SPACE_META, "D", "Q" }, { SPACE_META, "R", "" }, { SPACE_ITEM, "", "" },
    { SPACE_INDEX, "", "" }, { SPACE_TOKEN, "", "" },  { SPACE_STREAM, "", "" }, { SPACE_COUNTER, "", "" },
};
#define PARTS (sizeof parts / sizeof *parts)

/* ---- one part ---- */

struct change {
    struct slice key, value; /* of pieces: they are written before a piece is gone */
    int64_t delta;           /* of a counter */
    bool deleted;
};

struct merge {
    struct clone *c;
    enum store_space space;
    struct clone_rows from, to;
    struct change changes[2 * CLONE_ROWS];
    size_t n;
};

void clone_tell(struct clone *c, enum store_space space, struct slice key, enum clone_difference how)
{
    c->report->differing++;
    if (c->o->differs) c->o->differs(c->o->ctx, space, key, how);
}

static int64_t counter_of(const struct clone_row *row)
{
    uint64_t sum = 0;
    for (size_t i = 0; row && i < 8; i++) sum |= (uint64_t)row->value.p[i] << (8 * i);
    return (int64_t)sum;
}

static int apply_one(struct store_txn *txn, enum store_space space, const struct change *x)
{
    if (space == SPACE_COUNTER) return store_add(txn, x->key, x->delta);
    return x->deleted ? store_delete(txn, space, x->key) : store_put(txn, space, x->key, x->value);
}

static int apply(struct store_txn *txn, void *ctx)
{
    struct merge *m = ctx;
    struct arena *scratch = &m->c->scratch;
    volatile int status = STORE_NO_MEMORY;
    arena_reset(scratch);
    if (ARENA_GUARD(scratch)) status = clone_record_put(txn, scratch, &m->c->record);
    arena_unguard(scratch);
    for (size_t i = 0; !status && i < m->n; i++) status = apply_one(txn, m->space, &m->changes[i]);
    return status;
}

void clone_rest_for_a_test(void)
{
    const char *text = getenv("ONEFOLD_TEST_COPY_DELAY_MS");
    long ms = text ? strtol(text, NULL, 10) : 0;
    const struct timespec rest = { ms / 1000, ms % 1000 * 1000000 };
    if (ms > 0) nanosleep(&rest, NULL);
}

static int write_changes(struct merge *m)
{
    if (!m->n) return STORE_OK;
    int status = store_update(m->c->o->to, apply, m);
    clone_rest_for_a_test();
    m->c->report->written += m->n;
    m->n = 0;
    return status;
}

/* from or to is NULL: it has no such row. */
static void differ(struct merge *m, struct slice key, const struct clone_row *from, const struct clone_row *to)
{
    if (!m->c->writes)
        clone_tell(m->c, m->space, key, !to ? CLONE_MISSING : !from ? CLONE_EXTRA : CLONE_CHANGED);
    else
        m->changes[m->n++] = (struct change){ .key = key, .deleted = !from, .value = from ? from->value : slice_of(NULL, 0),
                                              .delta = m->space == SPACE_COUNTER ? (int64_t)((uint64_t)counter_of(from) - (uint64_t)counter_of(to)) : 0 };
}

/* Before a piece goes, what was found in it is written. */
static int fill(struct merge *m)
{
    struct clone *c = m->c;
    int status = write_changes(m);
    if (!status && clone_rows_empty(&m->from)) status = clone_rows_fill(&m->from);
    if (!status && clone_rows_empty(&m->to)) status = clone_rows_fill(&m->to);
    if (c->o->progress) c->o->progress(c->o->ctx, c->writes ? "rows copied" : "rows compared", c->record.rows);
    return !status && c->o->stop && c->o->stop(c->o->ctx) ? STORE_STOPPED : status;
}

/* The lower one of the two heads, or both where they are the same key. False: there are none. */
static bool step(struct merge *m)
{
    const struct clone_row *from = clone_rows_head(&m->from), *to = clone_rows_head(&m->to);
    if (!from && !to) return false;
    int order = !from ? 1 : !to ? -1 : slice_cmp(from->key, to->key);
    if (order > 0) from = NULL;
    if (order < 0) to = NULL;
    if (!from || !to || !slice_eq(from->value, to->value)) differ(m, from ? from->key : to->key, from, to);
    if (from) {
        m->from.at++;
        m->c->record.rows++;
        m->c->report->bytes += from->key.n + from->value.n;
    }
    if (to) m->to.at++;
    m->c->record.after = from ? from->key : to->key;
    return true;
}

static int merge_all(struct merge *m)
{
    int status;
    for (;;) {
        if (clone_rows_empty(&m->from) || clone_rows_empty(&m->to)) {
            if ((status = fill(m))) return status;
        } else if (!step(m)) {
            return write_changes(m);
        }
    }
}

static struct slice bound(const char *text)
{
    return slice_of(text, strlen(text));
}

static int walk_part(struct clone *c, const struct part *p)
{
    struct merge *m = malloc(sizeof *m);
    struct store_range range = { .space = p->space, .from = bound(p->from), .to = bound(p->to) };
    if (!m) return STORE_NO_MEMORY;
    m->c = c;
    m->space = p->space;
    m->n = 0;
    clone_rows_begin(&m->from, c->o->from, &range, c->record.after);
    clone_rows_begin(&m->to, c->o->to, &range, c->record.after);
    int status = merge_all(m);
    clone_rows_end(&m->from);
    clone_rows_end(&m->to);
    free(m);
    return status;
}

/* ---- all of it ---- */

static int walk(struct clone *c)
{
    int status = STORE_OK;
    for (; c->record.part < PARTS && !(status = walk_part(c, &parts[c->record.part])); c->record.part++)
        c->record.after = slice_of(NULL, 0);
    if (!status) status = clone_series(c);
    c->report->rows = c->record.rows;
    return status;
}

static int put_record(struct store_txn *txn, void *ctx)
{
    struct clone *c = ctx;
    volatile int status = STORE_NO_MEMORY;
    arena_reset(&c->scratch);
    if (ARENA_GUARD(&c->scratch)) status = clone_record_put(txn, &c->scratch, &c->record);
    arena_unguard(&c->scratch);
    return status;
}

static int say(int status, char *message, size_t size)
{
    if (status) snprintf(message, size, "the copy stopped: %s", store_status_text(status));
    return status;
}

/* NULL: no memory. */
static struct clone *begin(const struct clone_options *o, struct clone_report *report, bool writes)
{
    struct clone *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    *report = (struct clone_report){ 0 };
    c->o = o;
    c->report = report;
    c->writes = writes;
    arena_init(&c->scratch, SCRATCH_MAX);
    snprintf(c->record.source, sizeof c->record.source, "%s", o->source ? o->source : "");
    return c;
}

static void end(struct clone *c)
{
    arena_free(&c->scratch);
    free(c);
}

/* ---- beginning ---- */

static int find_any(struct store_txn *txn, void *ctx)
{
    bool *found = ctx;
    *found = false;
    for (enum store_space space = 0; space < SPACE_END && !*found; space++) {
        struct store_range range = { .space = space, .limit = 1 };
        struct store_cursor *cursor;
        int status = store_range_open(txn, &range, &cursor);
        if (!status) status = store_range_next(cursor, NULL, NULL);
        if (status && status != STORE_END) return status;
        *found = !status;
    }
    return STORE_OK;
}

/* Servers that were cut off from the database and come back look at the catalog, and find the record. */
static int put_first(struct store_txn *txn, void *ctx)
{
    int status = put_record(txn, ctx);
    return status ? status : store_new_epoch(txn);
}

static int begin_first(struct clone *c, char *message, size_t size)
{
    bool found;
    int status = store_view(c->o->to, find_any, &found);
    if (status) return say(status, message, size);
    if (!found) return say(store_update(c->o->to, put_first, c), message, size);
    snprintf(message, size, "there is data already, and it is no copy that could be resumed: compare the two with --verify");
    return STORE_INVALID;
}

static int begin_copy(struct clone *c, char *message, size_t size)
{
    struct clone_record *found = malloc(sizeof *found);
    int status = found ? clone_record_read(c->o->to, found) : STORE_NO_MEMORY;
    if (status == STORE_NOT_FOUND) {
        status = begin_first(c, message, size);
    } else if (status) {
        say(status, message, size);
    } else if (strcmp(found->source, c->record.source) != 0) {
        snprintf(message, size, "there is a copy of %s that is not finished: go on with that", found->source);
        status = STORE_INVALID;
    } else {
        memcpy(c->record.bytes, found->bytes, found->after.n);
        c->record.after = slice_of(c->record.bytes, found->after.n);
        c->record.part = found->part;
        c->record.rows = found->rows;
        c->report->resumed = found->rows > 0;
    }
    free(found);
    return status;
}

/* ---- the verbs ---- */

int clone_copy(const struct clone_options *o, struct clone_report *report, char *message, size_t message_size)
{
    struct clone *c = begin(o, report, true);
    if (!c) return say(STORE_NO_MEMORY, message, message_size);
    int status = begin_copy(c, message, message_size);
    if (!status) status = say(walk(c), message, message_size);
    if (!status) status = say(store_update(o->to, put_record, c), message, message_size);
    end(c);
    return status;
}

int clone_compare(const struct clone_options *o, struct clone_report *report, char *message, size_t message_size)
{
    struct clone *c = begin(o, report, false);
    int status = c ? walk(c) : STORE_NO_MEMORY;
    if (status) snprintf(message, message_size, "they could not be compared to the end: %s", store_status_text(status));
    if (c) end(c);
    return status;
}

/* Servers that look at the catalog only when it has changed shall look. */
static int finish(struct store_txn *txn, void *ctx)
{
    (void)ctx;
    int status = clone_record_delete(txn);
    return status ? status : store_new_epoch(txn);
}

int clone_finish(const struct clone_options *o, bool equal, char *message, size_t message_size)
{
    struct clone_report unused;
    if (equal) return say(store_update(o->to, finish, NULL), message, message_size);
    struct clone *c = begin(o, &unused, true);
    int status = say(c ? store_update(o->to, put_record, c) : STORE_NO_MEMORY, message, message_size);
    if (c) end(c);
    return status;
}
