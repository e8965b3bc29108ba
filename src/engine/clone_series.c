/* clone_series.c: the last sequence numbers of histories, as the other kind of store keeps them.
 *
 * A store of one process has one number for all tables, "Q". A shared one has a number for each table, "Q" id, which only store_next may write, and
 * goes above "Q" too where there is one (history.c). So "Q" comes over as it is, and from a shared store to another kind it becomes the highest
 * of all: no number is given out twice, in either direction. */
#include "catalog.h"
#include "clone_impl.h"

#define PER_UPDATE 256
#define LIST_MAX   ((size_t)64 << 20)

struct numbers {
    struct arena arena;
    struct clone_row *rows; /* in the order of keys */
    size_t n;
};

/* ---- reading ---- */

static int read_rows(struct numbers *x, struct store_txn *txn)
{
    struct store_range range = { .space = SPACE_META, .from = SLICE("Q"), .to = SLICE("R") };
    struct store_cursor *cursor;
    struct slice key, value;
    size_t room = 0;
    int status = store_range_open(txn, &range, &cursor);
    while (!status && !(status = store_range_next(cursor, &key, &value))) {
        if (value.n != 8) return STORE_CORRUPT;
        if (x->n == room) {
            struct clone_row *more = ARENA_ARRAY(&x->arena, struct clone_row, room ? room * 2 : 16);
            if (x->n) memcpy(more, x->rows, x->n * sizeof *more);
            x->rows = more;
            room = room ? room * 2 : 16;
        }
        x->rows[x->n++] = (struct clone_row){ arena_dup(&x->arena, key), arena_dup(&x->arena, value) };
    }
    return status == STORE_END ? STORE_OK : status;
}

static int read_all(struct store_txn *txn, void *ctx)
{
    struct numbers *x = ctx;
    volatile int status = STORE_NO_MEMORY;
    x->n = 0;
    arena_reset(&x->arena);
    if (ARENA_GUARD(&x->arena)) status = read_rows(x, txn);
    arena_unguard(&x->arena);
    return status;
}

/* One number for all: the highest, in the first place. */
static void join(struct numbers *x)
{
    for (size_t i = 1; i < x->n; i++)
        if (memcmp(x->rows[0].value.p, x->rows[i].value.p, 8) < 0) x->rows[0].value = x->rows[i].value;
    if (x->n) x->rows[0].key = SLICE("Q");
    x->n = x->n > 0;
}

/* ---- writing ---- */

struct writing {
    struct clone *c;
    const struct clone_row *rows;
    size_t n;
    bool clears;
};

static int write_one(struct store_txn *txn, const struct clone_row *row)
{
    uint64_t number;
    if (row->key.n == 1) return store_put(txn, SPACE_META, row->key, row->value);
    return store_next(txn, row->key, slice_big_endian(row->value.p, 8), &number);
}

static int write_rows(struct store_txn *txn, void *ctx)
{
    struct writing *w = ctx;
    volatile int status = STORE_NO_MEMORY;
    arena_reset(&w->c->scratch);
    if (ARENA_GUARD(&w->c->scratch)) status = clone_record_put(txn, &w->c->scratch, &w->c->record);
    arena_unguard(&w->c->scratch);
    for (size_t i = 0; !status && i < w->n; i++)
        status = w->clears ? store_delete(txn, SPACE_META, w->rows[i].key) : write_one(txn, &w->rows[i]);
    return status;
}

static int write_all(struct clone *c, const struct numbers *x, bool clears)
{
    int status = STORE_OK;
    for (size_t i = 0; !status && i < x->n; i += PER_UPDATE) {
        struct writing w = { c, x->rows + i, x->n - i < PER_UPDATE ? x->n - i : PER_UPDATE, clears };
        status = store_update(c->o->to, write_rows, &w);
        c->report->written += w.n;
    }
    return status;
}

/* ---- comparing ---- */

static bool same(const struct numbers *a, const struct numbers *b)
{
    for (size_t i = 0; a->n == b->n && i < a->n; i++)
        if (!slice_eq(a->rows[i].key, b->rows[i].key) || !slice_eq(a->rows[i].value, b->rows[i].value)) return false;
    return a->n == b->n;
}

int clone_series(struct clone *c)
{
    struct numbers from = { .n = 0 }, to = { .n = 0 };
    arena_init(&from.arena, LIST_MAX);
    arena_init(&to.arena, LIST_MAX);
    int status = store_view(c->o->from, read_all, &from);
    if (!status) status = store_view(c->o->to, read_all, &to);
    if (!status && !store_is_shared(c->o->to)) join(&from);
    if (!status && !same(&from, &to)) {
        if (!c->writes) clone_tell(c, SPACE_META, SLICE("Q"), CLONE_CHANGED);
        /* A number is only ever raised: what is there has to go first. */
        if (c->writes) status = write_all(c, &to, true);
        if (c->writes && !status) status = write_all(c, &from, false);
    }
    arena_free(&to.arena);
    arena_free(&from.arena);
    return status;
}
