/* cursor.c: see cursor.h. */
#include "cursor.h"
#include "batch.h"
#include <stdlib.h>

struct pg_cursor {
    struct store_cursor base;
    struct pg_txn *t;
    size_t limit;
    /* Of a view. */
    struct slice from;
    struct span span;
    struct chunk rows;
    size_t at;
    bool whole;
    /* Of an update. */
    struct walk walk;
    uint8_t bytes[]; /* of the range's keys */
};

int pg_range_open(struct store_txn *txn, const struct store_range *r, struct store_cursor **out)
{
    struct pg_txn *t = (struct pg_txn *)txn;
    if (txn->writable && r->space == SPACE_COUNTER) return STORE_INVALID;
    struct pg_cursor *c = malloc(sizeof *c + r->from.n + r->to.n);
    if (!c) return STORE_NO_MEMORY;
    *c = (struct pg_cursor){ .t = t, .limit = r->limit };
    if (r->from.n) memcpy(c->bytes, r->from.p, r->from.n);
    if (r->to.n) memcpy(c->bytes + r->from.n, r->to.p, r->to.n);
    struct store_range own = { .space = r->space, .reverse = r->reverse, .from = slice_of(c->bytes, r->from.n), .to = slice_of(c->bytes + r->from.n, r->to.n) };
    if (txn->writable) {
        c->walk = (struct walk){ .space = r->space, .reverse = r->reverse, .from = own.from, .to = own.to, .to_end = !own.to.n, .limit = r->limit };
    } else {
        c->from = own.from;
        span_begin(&c->span, &own);
        chunk_init(&c->rows, t->s->pq);
    }
    *out = &c->base;
    return STORE_OK;
}

static size_t next_count(const struct pg_cursor *c)
{
    size_t left = c->limit > c->rows.n ? c->limit - c->rows.n : 0; /* 0: no idea */
    return c->rows.n ? sizes_next(c->rows.rows, c->rows.n, left) : sizes_rows(&c->t->s->sizes, c->span.space, c->from, c->limit);
}

/* In a view the rows stay until the cursor is closed, and what was given out as long as the view: so they are handed to it then. */
static int next_row(struct pg_cursor *c, struct slice *key, struct slice *value)
{
    while (c->at == c->rows.n) {
        if (c->whole) return STORE_END;
        int rc = view_fetch(c->t, &c->span, next_count(c), &c->rows, &c->whole);
        if (rc) return rc;
        sizes_seen(&c->t->s->sizes, c->span.space, c->from, c->rows.rows + c->at, c->rows.n - c->at);
    }
    const struct row *row = &c->rows.rows[c->at++];
    *key = row->key;
    return row_value(row, value);
}

int pg_range_next(struct store_cursor *cursor, struct slice *key, struct slice *value)
{
    struct pg_cursor *c = (struct pg_cursor *)cursor;
    struct slice k = { 0 }, v = { 0 };
    int rc;
    if (c->t->base.writable) {
        do rc = mirrored_next(&c->t->s->batch->m, &c->walk, &k, &v);
        while (batch_got(c->t, &rc));
    } else {
        rc = next_row(c, &k, &v);
    }
    if (rc == STORE_CORRUPT && k.n && !value) rc = STORE_OK; /* who wants keys alone has what he wants */
    if (key && k.n) *key = k;
    if (value && !rc) *value = v;
    return rc;
}

int pg_range_each(struct store_cursor *cursor, store_value_fn *fn, void *ctx)
{
    struct slice value;
    int rc;
    while (!(rc = pg_range_next(cursor, NULL, &value)))
        if ((rc = fn(ctx, value))) break;
    return rc;
}

void pg_range_close(struct store_cursor *cursor)
{
    struct pg_cursor *c = (struct pg_cursor *)cursor;
    if (!c->t->base.writable) {
        span_free(&c->span);
        chunk_move(&c->t->held, &c->rows);
    }
    free(c);
}
