/* clone_rows.c: the rows of a range in pieces, each read in a view of its own: a long one would hold pages and transactions of the store. */
#include "clone_impl.h"

#define ARENA_MAX ((size_t)64 << 20)

void clone_rows_begin(struct clone_rows *r, struct store *store, const struct store_range *range, struct slice after)
{
    r->store = store;
    r->range = *range;
    r->n = r->at = 0;
    r->ended = false;
    arena_init(&r->arena, ARENA_MAX);
    if (after.n) memcpy(r->bytes, after.p, after.n);
    r->after = slice_of(r->bytes, after.n);
}

void clone_rows_end(struct clone_rows *r)
{
    arena_free(&r->arena);
}

/* A counter that is 0 is as good as none: stores differ in whether they keep those. */
static bool is_nothing(const struct clone_rows *r, struct slice value)
{
    static const uint8_t zero[8];
    return r->range.space == SPACE_COUNTER && value.n == sizeof zero && !memcmp(value.p, zero, sizeof zero);
}

static int take(struct clone_rows *r, struct store_cursor *cursor)
{
    struct slice key, value;
    size_t bytes = 0;
    int status = STORE_OK;
    while (r->n < CLONE_ROWS && bytes < CLONE_BYTES && !(status = store_range_next(cursor, &key, &value))) {
        if (slice_eq(key, r->after) || is_nothing(r, value)) continue;
        r->rows[r->n++] = (struct clone_row){ arena_dup(&r->arena, key), arena_dup(&r->arena, value) };
        bytes += key.n + value.n;
    }
    r->ended = status == STORE_END;
    return r->ended ? STORE_OK : status;
}

static int fill(struct store_txn *txn, void *ctx)
{
    struct clone_rows *r = ctx;
    struct store_range range = r->range;
    struct store_cursor *cursor;
    volatile int status = STORE_NO_MEMORY;
    r->n = r->at = 0;
    arena_reset(&r->arena);
    if (r->after.n) range.from = r->after;
    int opened = store_range_open(txn, &range, &cursor);
    if (opened) return opened;
    if (ARENA_GUARD(&r->arena)) status = take(r, cursor);
    arena_unguard(&r->arena);
    return status;
}

int clone_rows_fill(struct clone_rows *r)
{
    int status = store_view(r->store, fill, r);
    if (status || !r->n) return status;
    struct slice last = r->rows[r->n - 1].key;
    memcpy(r->bytes, last.p, last.n);
    r->after = slice_of(r->bytes, last.n);
    return STORE_OK;
}
