/* reads.c: the reads of views. Each is a statement, or some: they go with those of other views, or on the view's own connection (views.c). */
#include "gather.h"
#include "postgres.h"
#include <stdlib.h>

/* Within the view's transaction, which begins with its first read. */
static int read_within(struct pg_txn *root, struct read *r)
{
    bool first = !root->begun;
    int rc = STORE_OK;
    if (first) rc = conn_send_ahead(root->conn, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    root->begun = true;
    return rc ? rc : read_alone(r, root->conn, first ? &root->epoch : NULL);
}

static int read_gathered(struct pg_txn *root, struct read *r)
{
    if (root->reads++) {
        root->restart = true;
        return STORE_CONFLICT;
    }
    return gather_read(root->s->gather, r, &root->epoch);
}

/* The first run of a quick view ends with the question, the second one takes the answer, if it asks the same, and is told so if it asks for more. */
static int read_on_lane(struct pg_txn *root, struct read *r)
{
    struct conn *c = root->lane;
    bool again = root->reads++ != 0;
    if (again) root->restart = root->answering;
    if (again) return STORE_CONFLICT;
    c->trace = 0;
    c->dry = root->answering;
    int rc = r->send ? r->send(r, c) : STORE_OK;
    c->dry = false;
    if (!root->answering) root->asked = c->trace;
    else root->restart = c->trace != root->asked;
    if (rc || root->restart || !root->answering) return rc ? rc : STORE_CONFLICT;
    root->epoch = root->lane_epoch;
    return r->send ? r->take(r, c) : STORE_OK;
}

/* STORE_CONFLICT: this run is over. */
static int view_read(struct pg_txn *t, struct read *r)
{
    struct pg_txn *root = view_root(t);
    if (root->restart || root->away) return STORE_CONFLICT;
    int rc = root->lane ? read_on_lane(root, r) : root->conn ? read_within(root, r) : read_gathered(root, r);
    if (rc == STORE_AWAY) root->away = true;
    return rc;
}

/* ---- one key ---- */

struct get {
    enum store_space space;
    struct slice key;
    struct chunk *into;
};

static int send_get(struct read *r, struct conn *c)
{
    const struct get *g = r->ctx;
    return row_send(c, g->space, g->key);
}

static int take_get(struct read *r, struct conn *c)
{
    const struct get *g = r->ctx;
    return row_take(c, g->space, g->into);
}

int view_get(struct pg_txn *t, enum store_space space, struct slice key, struct slice *value)
{
    struct get g = { space, key, &t->held };
    struct read r = { .send = send_get, .take = take_get, .ctx = &g };
    int rc = view_read(t, &r);
    return rc ? rc : row_value(&t->held.rows[t->held.n - 1], value);
}

/* ---- several: a statement for those of each space, all on the way at once ---- */

struct many {
    struct store_read *reads;
    size_t n;
    struct slice *keys; /* room for n */
    struct chunk *into;
};

static size_t keys_of(const struct many *m, enum store_space space)
{
    size_t n = 0;
    for (size_t i = 0; i < m->n; i++)
        if (m->reads[i].space == space) m->keys[n++] = m->reads[i].key;
    return n;
}

static int send_many(struct read *r, struct conn *c)
{
    const struct many *m = r->ctx;
    int rc = STORE_OK;
    for (enum store_space space = 0; space < SPACE_COUNTER && !rc; space++) {
        size_t n = keys_of(m, space);
        if (n) rc = rows_send(c, space, m->keys, n);
    }
    return rc;
}

/* Rows from this one on are those that exist, in the order of the reads. */
static int match(const struct many *m, enum store_space space, size_t at)
{
    int first = STORE_OK;
    for (size_t i = 0; i < m->n; i++) {
        struct store_read *read = &m->reads[i];
        if (read->space != space) continue;
        bool found = at < m->into->n && slice_eq(m->into->rows[at].key, read->key);
        read->status = found ? row_value(&m->into->rows[at++], &read->value) : STORE_NOT_FOUND;
        if (read->status != STORE_NOT_FOUND && !first) first = read->status;
    }
    return first;
}

/* All of them, also after one that failed: what follows on the connection is another read's. */
static int take_many(struct read *r, struct conn *c)
{
    const struct many *m = r->ctx;
    int first = STORE_OK;
    for (enum store_space space = 0; space < SPACE_COUNTER; space++) {
        size_t before = m->into->n;
        if (!keys_of(m, space)) continue;
        int rc = rows_take(c, space, m->into);
        if (!rc) rc = match(m, space, before);
        if (!first) first = rc;
    }
    return first;
}

/* ---- the same where rows are spread over machines: a statement for each, which is one machine's ---- */

static int send_each(struct read *r, struct conn *c)
{
    const struct many *m = r->ctx;
    int rc = STORE_OK;
    for (size_t i = 0; i < m->n && !rc; i++) rc = row_send(c, m->reads[i].space, m->reads[i].key);
    return rc;
}

static int take_each(struct read *r, struct conn *c)
{
    const struct many *m = r->ctx;
    int first = STORE_OK;
    for (size_t i = 0; i < m->n; i++) {
        struct store_read *read = &m->reads[i];
        read->status = row_take(c, read->space, m->into);
        if (!read->status) read->status = row_value(&m->into->rows[m->into->n - 1], &read->value);
        if (read->status != STORE_NOT_FOUND && !first) first = read->status;
    }
    return first;
}

int view_get_many(struct pg_txn *t, struct store_read *reads, size_t n)
{
    bool each = store_is_spread(&t->s->base);
    struct slice few[128], *keys = n <= 128 ? few : malloc(n * sizeof *keys);
    struct many m = { reads, n, keys, &t->held };
    struct read r = { .send = each ? send_each : send_many, .take = each ? take_each : take_many, .ctx = &m };
    if (!keys) return STORE_NO_MEMORY;
    int rc = view_read(t, &r);
    if (keys != few) free(keys);
    return rc;
}

/* ---- counters ---- */

struct sum {
    struct slice key;
    int64_t *sum;
};

static int send_sum(struct read *r, struct conn *c)
{
    const struct sum *s = r->ctx;
    struct columns columns;
    struct args a = { 0 };
    key_split(s->key, &columns);
    args_key(&a, &columns);
    return conn_send(c, S_SUM, SPACE_COUNTER, &a);
}

static int take_sum(struct read *r, struct conn *c)
{
    const struct sum *s = r->ctx;
    PGresult *result;
    int rc = conn_result(c, &result);
    if (rc) return rc;
    *s->sum = conn_is_null(c, result, 0, 0) ? 0 : conn_number(c, result, 0, 0);
    c->pq->PQclear(result);
    return STORE_OK;
}

int view_sum(struct pg_txn *t, struct slice key, int64_t *sum)
{
    struct sum s = { key, sum };
    return view_read(t, &(struct read){ .send = send_sum, .take = take_sum, .ctx = &s });
}

/* ---- ranges ---- */

struct piece {
    struct span *span;
    size_t limit;
    struct chunk *out;
    bool *whole;
};

static int send_piece(struct read *r, struct conn *c)
{
    const struct piece *p = r->ctx;
    return span_send(p->span, c, p->limit);
}

static int take_piece(struct read *r, struct conn *c)
{
    const struct piece *p = r->ctx;
    return span_take(p->span, c, p->limit, p->out, p->whole);
}

/* Where keys are long a piece may be empty, and what comes next is another statement. */
int view_fetch(struct pg_txn *t, struct span *span, size_t limit, struct chunk *out, bool *whole)
{
    struct piece p = { span, limit, out, whole };
    struct read r = { .send = send_piece, .take = take_piece, .ctx = &p };
    size_t before = out->n;
    int rc = STORE_OK;
    for (*whole = false; !rc && out->n == before && !*whole;) rc = view_read(t, &r);
    return rc;
}

/* ---- the epoch ---- */

int view_epoch(struct pg_txn *t, int64_t *epoch)
{
    struct pg_txn *root = view_root(t);
    int rc = root->epoch < 0 ? view_read(t, &(struct read){ 0 }) : STORE_OK;
    *epoch = root->epoch;
    return rc;
}
