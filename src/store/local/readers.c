/* readers.c: views, on a pool of read transactions.
 *
 * A view claims a reader by setting its busy flag, a thread trying the same one first each time, so
 * that in the usual case a claim is one uncontended exchange. The flags are also how the writer
 * learns that nobody looks at the map: it raises `paused` and waits until every flag is down, while
 * a view raises its flag and then looks at `paused`; both in sequentially consistent order, so at
 * least one of them sees the other. */
#include "local.h"
#include <time.h>

static _Thread_local struct local_txn *views; /* the views this thread is in, innermost first */
static _Thread_local unsigned home;           /* the reader to try first, plus one */
static atomic_uint next_home;

static void nap(void)
{
    struct timespec t = { 0, 50 * 1000 };

    nanosleep(&t, NULL);
}

/* Good to a few milliseconds, for a fifth of what the exact clock costs. */
static int_fast64_t coarse_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return (int_fast64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

uint64_t local_readers_age_ms(struct local *s)
{
    int_fast64_t now = coarse_ms(), oldest = now;

    for (int i = 0; i < LOCAL_READERS; i++) {
        int_fast64_t began = atomic_load_explicit(&s->readers[i].began_ms, memory_order_relaxed);

        if (began && began < oldest) oldest = began;
    }
    return (uint64_t)(now - oldest);
}

void local_readers_init(struct local *s)
{
    for (int i = 0; i < LOCAL_READERS; i++) {
        atomic_init(&s->readers[i].busy, false);
        atomic_init(&s->readers[i].began_ms, 0);
        s->readers[i].txn = NULL;
    }
    atomic_init(&s->paused, false);
    pthread_mutex_init(&s->pause_lock, NULL);
    pthread_cond_init(&s->pause_over, NULL);
}

void local_readers_drop(struct local *s)
{
    for (int i = 0; i < LOCAL_READERS; i++) {
        if (s->readers[i].txn) mdb_txn_abort(s->readers[i].txn);
        s->readers[i].txn = NULL;
    }
}

void local_readers_free(struct local *s)
{
    local_readers_drop(s);
    pthread_cond_destroy(&s->pause_over);
    pthread_mutex_destroy(&s->pause_lock);
}

void local_readers_pause(struct local *s)
{
    atomic_store(&s->paused, true);
    for (int i = 0; i < LOCAL_READERS; i++)
        while (atomic_load(&s->readers[i].busy))
            nap();
}

void local_readers_resume(struct local *s)
{
    pthread_mutex_lock(&s->pause_lock);
    atomic_store(&s->paused, false);
    pthread_cond_broadcast(&s->pause_over);
    pthread_mutex_unlock(&s->pause_lock);
}

static void wait_for_resume(struct local *s)
{
    pthread_mutex_lock(&s->pause_lock);
    while (atomic_load(&s->paused))
        pthread_cond_wait(&s->pause_over, &s->pause_lock);
    pthread_mutex_unlock(&s->pause_lock);
}

static struct local_txn *view_around(const struct local *s)
{
    struct local_txn *t = views;
    while (t && t->s != s) t = t->outer;
    return t;
}

static struct local_reader *claim(struct local *s)
{
    if (!home) home = 1 + atomic_fetch_add(&next_home, 1) % LOCAL_READERS;
    for (;;) {
        for (unsigned i = 0; i < LOCAL_READERS; i++) {
            struct local_reader *r = &s->readers[(home - 1 + i) % LOCAL_READERS];
            bool idle = false;

            if (!atomic_compare_exchange_strong(&r->busy, &idle, true)) continue;
            if (!atomic_load(&s->paused)) return r;
            atomic_store(&r->busy, false);
            wait_for_resume(s);
            i = (unsigned)-1;
        }
        /* More views than readers. No queue for that: a claim must stay cheap, and this is rare. */
        nap();
    }
}

static int run(struct local_txn *t, store_fn *fn, void *ctx)
{
    t->outer = views;
    views = t;
    store__txn_begin(&t->base, &t->s->base, false);
    int rc = fn(&t->base, ctx);
    store__txn_end(&t->base);
    views = t->outer;
    return rc;
}

static int run_on(struct local_reader *r, struct local_txn *t, store_fn *fn, void *ctx)
{
    int rc;
    if (!t->s->read_env)
        rc = MDB_PANIC;
    else if (r->txn)
        rc = mdb_txn_renew(r->txn);
    else
        rc = mdb_txn_begin(t->s->read_env, NULL, MDB_RDONLY, &r->txn);
    if (rc) return local_status(rc);
    atomic_store_explicit(&r->began_ms, coarse_ms(), memory_order_relaxed);
    t->txn = r->txn;
    rc = run(t, fn, ctx);
    mdb_txn_reset(r->txn);
    atomic_store_explicit(&r->began_ms, 0, memory_order_relaxed);
    return rc;
}

int local_view(struct store *store, store_fn *fn, void *ctx)
{
    struct local *s = (struct local *)store;
    struct local_txn t = { .s = s };
    const struct local_txn *around = view_around(s);
    if (around) {
        t.txn = around->txn;
        return run(&t, fn, ctx);
    }
    struct local_reader *r = claim(s);
    int rc = run_on(r, &t, fn, ctx);
    atomic_store(&r->busy, false);
    return rc;
}
