/* fetch.c: gets what the updates of a batch asked for, all in one round trip. */
#include "batch.h"
#include <stdlib.h>

struct fetching {
    struct mirror *m;
    struct conn *c;
    struct chunk rows;
};

/* All reads of a batch must be of one catalog. */
static int note_epoch(struct mirror *m, int64_t epoch)
{
    m->epoch_found = epoch;
    if (m->epoch >= 0 && m->epoch != epoch) return STORE_CONFLICT;
    m->epoch = epoch;
    return STORE_OK;
}

/* ---- single keys ---- */

static int send_sum(struct conn *c, struct slice key)
{
    struct columns columns;
    struct args a = { 0 };
    key_split(key, &columns);
    args_key(&a, &columns);
    return conn_send(c, S_SUM, SPACE_COUNTER, &a);
}

static int take_sum(struct fetching *f, struct node *n)
{
    PGresult *r;
    int rc = conn_result(f->c, &r);
    if (rc) return rc;
    n->version = conn_is_null(f->c, r, 0, 0) ? 0 : conn_number(f->c, r, 0, 0);
    n->base = BASE_PRESENT;
    f->c->pq->PQclear(r);
    return STORE_OK;
}

static int learn(struct mirror *m, struct node *n, const struct row *row)
{
    n->base = row ? BASE_PRESENT : BASE_ABSENT;
    n->version = row ? row->version : 0;
    n->damaged = row && row->damaged; /* whoever reads it fails; the others in the batch do not */
    return !row || mirror_copy(m, row->value, &n->base_value) ? STORE_OK : STORE_NO_MEMORY;
}

static int take_node(struct fetching *f, enum store_space space, struct node *n)
{
    n->wanted = false;
    if (space == SPACE_COUNTER) return take_sum(f, n);
    int rc = row_take(f->c, space, &f->rows);
    if (rc && rc != STORE_NOT_FOUND) return rc;
    return learn(f->m, n, rc ? NULL : &f->rows.rows[f->rows.n - 1]);
}

static struct node *next_wanted(struct node *n)
{
    while (n && !n->wanted) n = n->next[0];
    return n;
}

static int send_nodes(struct fetching *f)
{
    int rc = STORE_OK;
    for (enum store_space space = 0; space < SPACE_END; space++)
        for (struct node *n = next_wanted(mirror_first(f->m, space)); n && !rc; n = next_wanted(n->next[0]))
            rc = space == SPACE_COUNTER ? send_sum(f->c, n->key) : row_send(f->c, space, n->key);
    return rc;
}

static int take_nodes(struct fetching *f)
{
    int rc = STORE_OK;
    for (enum store_space space = 0; space < SPACE_END; space++)
        for (struct node *n = next_wanted(mirror_first(f->m, space)); n && !rc; n = next_wanted(n->next[0])) rc = take_node(f, space, n);
    return rc;
}

/* ---- ranges ---- */

/* From the beginning of the range, or its end, up to the last row that came, everything is known now. A key that updates have read or changed
 * already stays as it was for them: if that is not so any more the commit finds out. */
static int learn_range(struct fetching *f, const struct store_range *r, size_t first, bool whole)
{
    struct mirror *m = f->m;
    uint8_t *after = NULL;
    struct slice from = r->from, to = r->to, last = { 0 };
    bool to_end = !r->to.n;
    for (size_t i = first; i < f->rows.n; i++) {
        struct node *n = mirror_node(m, r->space, f->rows.rows[i].key);
        if (!n || (n->base == BASE_UNKNOWN && learn(m, n, &f->rows.rows[i]))) return STORE_NO_MEMORY;
        last = n->key;
    }
    if (!whole && r->reverse) {
        from = last;
    } else if (!whole) {
        after = mirror_alloc(m, last.n + 1);
        if (!after) return STORE_NO_MEMORY;
        if (last.n) memcpy(after, last.p, last.n);
        after[last.n] = 0;
        to = slice_of(after, last.n + 1);
        to_end = false;
    }
    return mirror_add_known(m, r->space, from, to, to_end) ? STORE_OK : STORE_NO_MEMORY;
}

/* Ranges are rare in updates: each has its own round trip. */
static int fetch_range(struct fetching *f, const struct store_range *r)
{
    struct span span;
    bool whole;
    size_t first = f->rows.n;
    span_begin(&span, r);
    int rc = span_fetch(&span, f->c, sizes_rows(f->m->sizes, r->space, r->from, r->limit), &f->rows, &whole);
    span_free(&span);
    if (!rc) sizes_seen(f->m->sizes, r->space, r->from, f->rows.rows + first, f->rows.n - first);
    return rc ? rc : learn_range(f, r, first, whole);
}

static int take_epoch(struct fetching *f)
{
    PGresult *r;
    int rc = conn_result(f->c, &r);
    if (rc) return rc;
    rc = note_epoch(f->m, conn_number(f->c, r, 0, 0));
    f->c->pq->PQclear(r);
    return rc;
}

/* Keys and the epoch, of one state. */
static int fetch_nodes(struct fetching *f)
{
    int rc = send_nodes(f);
    if (!rc) rc = conn_send(f->c, S_EPOCH, SPACE_META, NULL);
    if (!rc) rc = conn_flush(f->c);
    if (!rc) rc = take_nodes(f);
    if (!rc) rc = take_epoch(f);
    int end = f->c->pg ? conn_end(f->c) : STORE_AWAY;
    return rc ? rc : end;
}

int batch_fetch(struct mirror *m, struct conn *c)
{
    struct fetching f = { .m = m, .c = c };
    chunk_init(&f.rows, c->pq);
    m->fetches++;
    int rc = fetch_nodes(&f);
    for (const struct wanted_range *w = m->ranges; w && !rc; w = w->next) rc = fetch_range(&f, &w->range);
    if (m->ranges && !rc) rc = fetch_nodes(&f); /* nothing is wanted any more: what came since is of the same epoch if it is still the same */
    chunk_free(&f.rows);
    mirror_wants_done(m);
    return rc;
}

bool batch_got(struct pg_txn *t, int *rc)
{
    struct batch *b = t->s->batch;
    if (*rc != STORE_CONFLICT || t->probe) return false;
    if (!b->broken) b->broken = batch_fetch(&b->m, &t->s->writing);
    *rc = b->broken;
    return !b->broken;
}
