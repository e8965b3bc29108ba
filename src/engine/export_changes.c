/* export_changes.c: which items changed within the period of an incremental export, gathered from the history while its copy still
 * keeps that (copy.h, RELEASE): under the export's changes_id, one record for each item, with what it was before and when it was
 * last changed. */
#include "copy.h"
#include "export.h"
#include "history.h"

#define STEP_CHANGES 200
#define STEP_BYTES   (1u << 20)

struct gathering {
    const struct copy *copy;
    struct export export;
    struct export_progress progress;
    struct slice position; /* in the history */
};

struct found {
    struct slice key;      /* in SPACE_ITEM, under changes_id */
    struct slice position; /* behind it */
    struct history_change change;
};

/* The changes of the period behind g->position, up to a piece of them; what lies outside of it is jumped over. */
static int read_changes(struct store_txn *txn, struct arena *a, struct gathering *g, struct found *found, size_t *n, bool *complete)
{
    uint64_t from = history_after(g->export.from * 1000 - 1), cut = history_after(g->export.to * 1000 - 1);
    uint32_t source = g->copy->source;
    size_t read = 0, bytes = 0;
    int status = STORE_OK;
    *n = 0;
    while (!status && read < STEP_CHANGES && bytes < STEP_BYTES) {
        struct store_range range = { .space = SPACE_STREAM, .from = g->position, .limit = STEP_CHANGES };
        struct store_cursor *cursor;
        struct slice key, value;
        range.to = history_key(a, source + 1, 0, 0);
        status = store_range_open(txn, &range, &cursor);
        bool jumped = false;
        while (!status && !jumped && read < STEP_CHANGES && bytes < STEP_BYTES) {
            struct found *f = &found[*n];
            status = store_range_next(cursor, &key, &value);
            if (status) break;
            read++;
            value = arena_dup(a, value);
            if (!history_read(key, value, &f->change)) return STORE_CORRUPT;
            jumped = f->change.sequence < from || f->change.sequence >= cut;
            if (jumped) {
                bool before = f->change.sequence < from;
                g->position = history_key(a, source, f->change.segment + !before, before ? from : 0);
                continue;
            }
            g->position = f->position = history_key(a, source, f->change.segment, f->change.sequence + 1);
            f->key = export_change_key(a, g->progress.changes_id, key_item(a, g->copy->dest, f->change.key));
            bytes += value.n;
            ++*n;
        }
        if (!status || status == STORE_END) store_range_close(cursor);
        if (!jumped) break;
    }
    *complete = status == STORE_END;
    return *complete ? STORE_OK : status;
}

static int put_change(struct store_txn *txn, struct arena *a, const struct table *keys, const struct found *f)
{
    struct fields_out out = { .arena = a };
    struct slice there, old = f->change.old_item;
    int status = store_get(txn, SPACE_ITEM, f->key, &there);
    if (status && status != STORE_NOT_FOUND) return status;
    /* What it was before the period is what its first change there found. */
    if (!status) old = field_value(arena_dup(a, there), SLICE("old"), TYPE_M);
    fields_value(&out, SLICE("old"), old);
    fields_value(&out, SLICE("key"), key_attributes(a, keys, NULL, f->change.key));
    fields_int(&out, SLICE("time"), history_time_ms(f->change.sequence) * 1000);
    return store_put(txn, SPACE_ITEM, f->key, fields_end(&out, STORE_MAX_VALUE));
}

int export_gather(struct store_txn *txn, struct step *step, const struct copy *c, struct slice *position, bool *complete)
{
    struct gathering g = { .copy = c, .position = *position };
    struct arena *a = &step->arena;
    struct slice progress, record, id = val_content(c->data);
    struct found *found = ARENA_ARRAY(a, struct found, STEP_CHANGES);
    size_t n, i = 0;
    *complete = true;
    int status = transfer_read(txn, a, 'e', id, &progress);
    if (!status) status = transfer_read(txn, a, 'E', id, &record);
    if (status) return status;
    export_decode_progress(progress, &g.progress);
    export_decode(record, &g.export);
    if (!g.progress.changes_id) return STORE_OK;
    if (!g.position.n) g.position = history_key(a, c->source, 0, 0);
    status = read_changes(txn, a, &g, found, &n, complete);
    for (; !status && i < n && !(i && step_is_full(step)); i++)
        status = put_change(txn, a, c->dest, &found[i]);
    if (status) return status;
    if (i < n) { /* what was put already may be large: the rest comes next time */
        g.position = found[i - 1].position;
        *complete = false;
    }
    *position = g.position;
    return STORE_OK;
}
