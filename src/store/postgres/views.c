/* views.c: views: which of them get a connection of their own.
 *
 * Most views read once: an item, a page of a range. One statement is consistent in itself, so they need no transaction, and go with those of others
 * (gather.h). A view that reads a second time is begun again, this time on a connection of the pool, in a transaction whose snapshot all its reads share: its function
 * may be run more than once. The same is done when a connection is lost: there may be a new primary. What they read is in reads.c.
 *
 * Quick views have no thread that waits for them: a lane of gather.h runs the function until it asks for something, sends that with what others ask for,
 * and runs it anew when the answer is there. */
#include "gather.h"
#include "postgres.h"
#include <errno.h>
#include <stdio.h>
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
    pthread_condattr_t monotonic;
    pthread_mutex_init(&s->readers_lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&s->reader_free, &monotonic);
    pthread_condattr_destroy(&monotonic);
    for (size_t i = 0; i < PG_READERS; i++) conn_init(&s->readers[i], s->pq, s->url, PG_READ_MS);
}

void pg_readers_free(struct pg *s)
{
    for (size_t i = 0; i < PG_READERS; i++) conn_close(&s->readers[i]);
    pthread_cond_destroy(&s->reader_free);
    pthread_mutex_destroy(&s->readers_lock);
}

/* The first that is free: those in front stay connected, the others are opened when they are needed. NULL: none was free in time. */
static struct conn *take_reader(struct pg *s, int64_t until)
{
    struct timespec end = { until / 1000, (until % 1000) * 1000000L };
    struct conn *found = NULL;
    bool late = false;
    pthread_mutex_lock(&s->readers_lock);
    while (!found && !late) {
        for (size_t i = 0; i < PG_READERS && !found; i++) {
            if (s->reader_since[i]) continue;
            s->reader_since[i] = pg_now_ms();
            found = &s->readers[i];
        }
        if (!found) late = pthread_cond_timedwait(&s->reader_free, &s->readers_lock, &end) == ETIMEDOUT;
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

struct pg_txn *view_root(struct pg_txn *t)
{
    while (t->outer) t = t->outer;
    return t;
}

static int run(struct pg_txn *t, store_fn *fn, void *ctx)
{
    t->before = views;
    t->epoch = -1;
    chunk_init(&t->held, t->s->pq);
    store__txn_begin(&t->base, &t->s->base, false);
    views = t;
    int rc = fn(&t->base, ctx);
    views = t->before;
    store__txn_end(&t->base);
    chunk_free(&t->held);
    return rc;
}

static struct pg_txn *view_around(const struct pg *s)
{
    struct pg_txn *t = views;
    while (t && t->s != s) t = t->before;
    return t;
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

/* What became of the database, as reads find it; the writer tells of writes (writer.c). */
static void tell(struct pg *s, bool away, const char *why)
{
    if (atomic_load_explicit(&s->reads_away, memory_order_relaxed) == away || atomic_exchange(&s->reads_away, away) == away) return;
    if (s->told && atomic_load(&s->state) != STORE_AWAY) s->told(s->told_ctx, away ? STORE_AWAY : atomic_load(&s->state), why);
}

/* On a connection of its own, which is there, or on a lane. */
static int try(struct pg_txn *t, store_fn *fn, void *ctx)
{
    int rc = t->conn ? conn_ready(t->conn) : STORE_OK;
    t->away = rc == STORE_AWAY;
    return rc ? rc : attempt(t, fn, ctx);
}

static int view(struct pg *s, store_fn *fn, void *ctx, bool is_long)
{
    struct pg_txn t = { .s = s, .outer = view_around(s) };
    int64_t until = pg_now_ms() + PG_AWAY_MS;
    char why[CONN_TELLING] = "all connections wait for it";
    if (t.outer) return run(&t, fn, ctx);
    int rc;
    do {
        if (t.away) pg_rest(PG_RETRY_MS); /* without the connection: others wait for one, too */
        if (is_long) t.conn = take_reader(s, until);
        t.away = is_long && !t.conn;
        t.restart = false; /* of the run before */
        rc = t.away ? STORE_AWAY : try(&t, fn, ctx);
        is_long = true;
        if (t.away && t.conn) snprintf(why, sizeof why, "%s", t.conn->why);
        if (t.conn) give_reader(s, t.conn);
        t.conn = NULL;
    } while (t.restart || (t.away && pg_now_ms() < until));
    tell(s, t.away, why);
    return t.away ? STORE_AWAY : rc;
}

int pg_view(struct store *store, store_fn *fn, void *ctx)
{
    return view((struct pg *)store, fn, ctx, false);
}

int pg_view_long(struct store *store, store_fn *fn, void *ctx)
{
    return view((struct pg *)store, fn, ctx, true);
}

/* ---- quick views ---- */

struct quick {
    struct errand errand;
    struct pg_txn t;
    struct store_job *job;
};

static void quick_run(struct quick *q, struct conn *c)
{
    q->t.lane = c;
    q->t.reads = 0;
    q->job->status = run(&q->t, q->job->fn, q->job->ctx);
}

static void quick_ask(struct errand *e, struct conn *c)
{
    quick_run((struct quick *)e, c);
}

static void quick_done(struct quick *q)
{
    struct store_job *job = q->job;
    free(q);
    job->done(job);
}

static void quick_answer(struct errand *e, struct conn *c, int64_t epoch)
{
    struct quick *q = (struct quick *)e;
    if (!c) {
        q->job->status = STORE_LONG;
    } else if (q->t.reads) { /* otherwise it is done already */
        q->t.answering = true;
        q->t.lane_epoch = epoch;
        quick_run(q, c);
        note_epoch(&q->t);
        tell(q->t.s, false, "");
        if (q->t.restart || q->t.away || c->aborted || q->job->status == STORE_CONFLICT) q->job->status = STORE_LONG;
    }
    quick_done(q);
}

void pg_submit_views(struct store *store, struct store_job *first, struct store_job *last)
{
    struct pg *s = (struct pg *)store;
    struct errand *head = NULL, **tail = &head, *end = NULL;
    for (struct store_job *job = first, *next; job; job = next) {
        next = job == last ? NULL : job->next;
        struct quick *q = calloc(1, sizeof *q);
        if (!q) {
            job->status = STORE_LONG;
            job->done(job);
            continue;
        }
        q->errand = (struct errand){ .ask = quick_ask, .answer = quick_answer };
        q->t.s = s;
        q->job = job;
        *tail = end = &q->errand;
        tail = &end->next;
    }
    if (head) gather_add(s->gather, head, end);
}
