/* export_changes.c: which items changed within the period of an incremental export, gathered from the history: under the
 * export's changes_id, one record for each item, with what it was before and when it was last changed. */
#include "export_impl.h"
#include "history.h"

#define STEP_CHANGES 200
#define STEP_BYTES   (1u << 20)

struct found {
    struct slice key;      /* in SPACE_ITEM, under changes_id */
    struct slice position; /* behind it */
    struct history_change change;
};

/* The changes of the period behind p->position, up to a piece of them; what lies outside of it is jumped over. */
static int read_changes(struct store_txn *txn, struct arena *a, const struct exporting *x, struct export_progress *p,
                        struct found *found, size_t *n, bool *complete)
{
    uint64_t from = history_after(x->record.from * 1000 - 1), cut = history_after(x->record.to * 1000 - 1);
    size_t read = 0, bytes = 0;
    int status = STORE_OK;
    *n = 0;
    while (!status && read < STEP_CHANGES && bytes < STEP_BYTES) {
        struct store_range range = { .space = SPACE_STREAM, .from = p->position, .limit = STEP_CHANGES };
        struct store_cursor *cursor;
        struct slice key, value;
        range.to = history_key(a, p->source + 1, 0, 0);
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
                p->position = history_key(a, p->source, f->change.segment + !before, before ? from : 0);
                continue;
            }
            p->position = f->position = history_key(a, p->source, f->change.segment, f->change.sequence + 1);
            f->key = export_change_key(a, p->changes_id, key_item(a, x->table, f->change.key));
            bytes += value.n;
            ++*n;
        }
        if (!status || status == STORE_END) store_range_close(cursor);
        if (!jumped) break;
    }
    *complete = status == STORE_END;
    return *complete ? STORE_OK : status;
}

static int put_change(struct store_txn *txn, struct arena *a, const struct exporting *x, const struct found *f)
{
    struct fields_out out = { .arena = a };
    struct slice there, old = f->change.old_item;
    int status = store_get(txn, SPACE_ITEM, f->key, &there);
    if (status && status != STORE_NOT_FOUND) return status;
    /* What it was before the period is what its first change there found. */
    if (!status) old = field_value(arena_dup(a, there), SLICE("old"), TYPE_M);
    fields_value(&out, SLICE("old"), old);
    fields_value(&out, SLICE("key"), key_attributes(a, x->table, NULL, f->change.key));
    fields_int(&out, SLICE("time"), history_time_ms(f->change.sequence) * 1000);
    return store_put(txn, SPACE_ITEM, f->key, fields_end(&out, STORE_MAX_VALUE));
}

/* The history was kept all the time: nothing of the period can be missing. */
static bool still_kept(struct store_txn *txn, struct step *step, const struct exporting *x)
{
    int status;
    const struct table *t = catalog_read(txn, &step->arena, x->record.table, &status);
    return t && t->id == x->progress.source && t->recovery_since_ms && t->recovery_since_ms <= (x->record.from + 1) * 1000;
}

int export_changes_step(struct store_txn *txn, struct step *step)
{
    struct exporting *x = step->ctx;
    struct arena *a = &step->arena;
    struct found *found = ARENA_ARRAY(a, struct found, STEP_CHANGES);
    struct export_progress p = x->progress;
    size_t n, i = 0;
    bool complete;
    x->unavailable = false;
    if (!p.position.n) p.position = history_key(a, p.source, 0, 0);
    int status = read_changes(txn, a, x, &p, found, &n, &complete);
    for (; !status && i < n && !(i && step_is_full(step)); i++)
        status = put_change(txn, a, x, &found[i]);
    if (status) return status;
    if (i < n) { /* what was put already may be large: the rest comes next time */
        p.position = found[i - 1].position;
        complete = false;
    }
    x->unavailable = complete && !still_kept(txn, step, x);
    if (complete) p.phase = EXPORT_FILES;
    return store_put(txn, SPACE_META, transfer_key(a, 'e', x->id), export_encode_progress(a, &p));
}
