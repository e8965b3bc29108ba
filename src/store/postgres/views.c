/* views.c: views, each on a connection of the pool.
 *
 * Most views read once: an item, a page of a range. One statement is consistent in itself, so they need no transaction. A view that reads a
 * second time is begun again, this time in a transaction whose snapshot all its reads share: its function may be run more than once. The
 * same is done when a connection is lost: there may be a new primary. */
#include "postgres.h"
#include <stdlib.h>
#include <time.h>

static _Thread_local struct pg_txn *views; /* the views this thread is in, innermost first */

int64_t pg_now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void pg_rest(int ms)
{
    struct timespec t = { ms / 1000, (ms % 1000) * 1000000L };
    nanosleep(&t, NULL);
}

/* ---- the pool ---- */

void pg_readers_init(struct pg *s)
{
    pthread_mutex_init(&s->readers_lock, NULL);
    pthread_cond_init(&s->reader_free, NULL);
    for (size_t i = 0; i < PG_READERS; i++) conn_init(&s->readers[i], s->pq, s->url, PG_READ_MS);
}

void pg_readers_free(struct pg *s)
{
    for (size_t i = 0; i < PG_READERS; i++) conn_close(&s->readers[i]);
    pthread_cond_destroy(&s->reader_free);
    pthread_mutex_destroy(&s->readers_lock);
}

/* The first that is free: those in front stay connected, the others are opened when they are needed. */
static struct conn *take_reader(struct pg *s)
{
    struct conn *found = NULL;
    pthread_mutex_lock(&s->readers_lock);
    while (!found) {
        for (size_t i = 0; i < PG_READERS && !found; i++) {
            if (s->reader_since[i]) continue;
            s->reader_since[i] = pg_now_ms();
            found = &s->readers[i];
        }
        if (!found) pthread_cond_wait(&s->reader_free, &s->readers_lock);
    }
    pthread_mutex_unlock(&s->readers_lock);
    return found;
}

static void give_reader(struct pg *s, struct conn *c)
{
    pthread_mutex_lock(&s->readers_lock);
    s->reader_since[c - s->readers] = 0;
    pthread_cond_signal(&s->reader_free);
    pthread_mutex_unlock(&s->readers_lock);
}

uint64_t pg_readers_age_ms(struct pg *s)
{
    int64_t now = pg_now_ms(), oldest = now;
    pthread_mutex_lock(&s->readers_lock);
    for (size_t i = 0; i < PG_READERS; i++)
        if (s->reader_since[i] && s->reader_since[i] < oldest) oldest = s->reader_since[i];
    pthread_mutex_unlock(&s->readers_lock);
    return (uint64_t)(now - oldest);
}

/* ---- a view ---- */

static struct pg_txn *root_of(struct pg_txn *t)
{
    while (t->outer) t = t->outer;
    return t;
}

static int run(struct pg_txn *t, store_fn *fn, void *ctx)
{
    struct pg_txn *before = views;
    t->epoch = -1;
    chunk_init(&t->held, t->s->pq);
    store__txn_begin(&t->base, &t->s->base, false);
    views = t;
    int rc = fn(&t->base, ctx);
    views = before;
    store__txn_end(&t->base);
    chunk_free(&t->held);
    return rc;
}

static struct pg_txn *view_around(const struct pg *s)
{
    return views && views->s == s ? views : NULL;
}

/* The writer goes by what views have seen, too: only forward, since one may have begun long ago. */
static void note_epoch(struct pg_txn *t)
{
    int_fast64_t known = atomic_load(&t->s->epoch);
    while (t->epoch > known && !atomic_compare_exchange_weak(&t->s->epoch, &known, t->epoch)) continue;
}

/* One run on a connection that is there. */
static int attempt(struct pg_txn *t, store_fn *fn, void *ctx)
{
    t->begun = t->restart = t->away = false;
    t->reads = 0;
    int rc = run(t, fn, ctx);
    if (t->begun) conn_leave(t->conn, "COMMIT");
    note_epoch(t);
    return rc;
}

int pg_view(struct store *store, store_fn *fn, void *ctx)
{
    struct pg *s = (struct pg *)store;
    struct pg_txn t = { .s = s, .outer = view_around(s) };
    int64_t until = pg_now_ms() + PG_AWAY_MS;
    if (t.outer) return run(&t, fn, ctx);
    t.conn = take_reader(s);
    int rc;
    for (;;) {
        rc = conn_ready(t.conn);
        t.away = rc == STORE_AWAY;
        if (!rc) rc = attempt(&t, fn, ctx);
        if (t.restart)
            t.snapshot = true;
        else if (!t.away || pg_now_ms() >= until)
            break;
        else
            pg_rest(PG_RETRY_MS);
    }
    give_reader(s, t.conn);
    return t.away ? STORE_AWAY : rc;
}

/* ---- reading ---- */

/* Before each read. STORE_CONFLICT: this run is over. */
static int begin_read(struct pg_txn *root)
{
    if (root->restart || root->away) return STORE_CONFLICT;
    if (root->reads++ && !root->snapshot) {
        root->restart = true;
        return STORE_CONFLICT;
    }
    if (!root->snapshot || root->begun) return STORE_OK;
    root->begun = true;
    int rc = conn_send_ahead(root->conn, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    if (rc == STORE_AWAY) root->away = true;
    return rc;
}

static int end_read(struct pg_txn *root, int rc, int64_t epoch)
{
    if (rc == STORE_AWAY) root->away = true;
    if (rc == STORE_OK || rc == STORE_NOT_FOUND) root->epoch = epoch;
    return rc;
}

int view_get(struct pg_txn *t, enum store_space space, struct slice key, struct slice *value)
{
    struct pg_txn *root = root_of(t);
    struct conn *c = root->conn;
    int rc = begin_read(root);
    if (rc) return rc;
    rc = row_send(c, space, key);
    if (!rc) rc = conn_flush(c);
    if (!rc) rc = row_take(c, space, &t->held);
    int end = c->pg ? conn_end(c) : STORE_AWAY;
    if (end) rc = end;
    if (!rc) *value = t->held.rows[t->held.n - 1].value;
    return end_read(root, rc, t->held.epoch);
}

/* Those of one space, in one statement. */
static int get_space(struct pg_txn *t, enum store_space space, struct store_read *reads, size_t n, struct slice *keys)
{
    size_t m = 0, at = t->held.n;
    for (size_t i = 0; i < n; i++)
        if (reads[i].space == space) keys[m++] = reads[i].key;
    if (!m) return STORE_OK;
    struct pg_txn *root = root_of(t);
    int rc = begin_read(root);
    if (rc) return rc;
    rc = rows_get(root->conn, space, keys, m, &t->held);
    rc = end_read(root, rc, t->held.epoch);
    for (size_t i = 0; !rc && i < n; i++) {
        if (reads[i].space != space) continue;
        bool found = at < t->held.n && slice_eq(t->held.rows[at].key, reads[i].key);
        reads[i].status = found ? STORE_OK : STORE_NOT_FOUND;
        if (found) reads[i].value = t->held.rows[at++].value;
    }
    return rc;
}

int view_get_many(struct pg_txn *t, struct store_read *reads, size_t n)
{
    struct slice few[128], *keys = n <= 128 ? few : malloc(n * sizeof *keys);
    int rc = keys ? STORE_OK : STORE_NO_MEMORY;
    for (enum store_space space = 0; !rc && space < SPACE_COUNTER; space++) rc = get_space(t, space, reads, n, keys);
    if (keys != few) free(keys);
    return rc;
}

int view_sum(struct pg_txn *t, struct slice key, int64_t *sum)
{
    struct pg_txn *root = root_of(t);
    struct columns columns;
    struct args a = { 0 };
    PGresult *r;
    int rc = begin_read(root);
    if (rc) return rc;
    key_split(key, &columns);
    args_key(&a, &columns);
    rc = conn_run(root->conn, S_SUM, SPACE_COUNTER, &a, &r);
    if (rc) return end_read(root, rc, 0);
    *sum = conn_is_null(root->conn, r, 0, 1) ? 0 : conn_number(root->conn, r, 0, 1);
    int64_t epoch = conn_number(root->conn, r, 0, 0);
    t->s->pq->PQclear(r);
    return end_read(root, rc, epoch);
}

int view_fetch(struct pg_txn *t, struct span *span, size_t limit, struct chunk *out, bool *whole)
{
    struct pg_txn *root = root_of(t);
    size_t before = out->n;
    int rc = begin_read(root);
    if (rc) return rc;
    rc = root->snapshot ? span_fetch(span, root->conn, limit, out, whole) : span_piece(span, root->conn, limit, out, whole);
    rc = end_read(root, rc, out->epoch);
    if (rc || out->n > before || *whole) return rc;
    root->restart = true; /* long keys: what comes next is another statement */
    return STORE_CONFLICT;
}

int view_epoch(struct pg_txn *t, int64_t *epoch)
{
    struct pg_txn *root = root_of(t);
    PGresult *r;
    int rc = STORE_OK;
    if (root->epoch < 0) {
        rc = begin_read(root);
        if (!rc) rc = end_read(root, conn_run(root->conn, S_EPOCH, SPACE_META, NULL, &r), 0);
        if (rc) return rc;
        root->epoch = conn_number(root->conn, r, 0, 0);
        t->s->pq->PQclear(r);
    }
    *epoch = root->epoch;
    return rc;
}
