/* postgres.c: the backend on PostgreSQL: putting its parts together, opening and closing. */
#include "batch.h"
#include "cursor.h"
#include "gather.h"
#include "schema.h"
#include "url.h"
#include <stdio.h>
#include <stdlib.h>

static struct mirror *mirror_of(struct store_txn *t)
{
    return &((struct pg_txn *)t)->s->batch->m;
}

static int written(struct store_txn *txn, int rc)
{
    struct pg_txn *t = (struct pg_txn *)txn;
    if (rc && !t->error) t->error = rc;
    return rc;
}

static int pg_get(struct store_txn *t, enum store_space space, struct slice key, struct slice *value)
{
    struct pg_txn *own = (struct pg_txn *)t;
    int rc;
    if (!t->writable) return view_get(own, space, key, value);
    do rc = mirrored_get(mirror_of(t), space, key, value);
    while (batch_got(own, &rc));
    return rc;
}

static int pg_get_many(struct store_txn *t, struct store_read *reads, size_t n)
{
    struct pg_txn *own = (struct pg_txn *)t;
    int rc;
    if (!t->writable) return view_get_many(own, reads, n);
    do rc = mirrored_get_many(mirror_of(t), reads, n);
    while (batch_got(own, &rc));
    return rc;
}

static int pg_put(struct store_txn *t, enum store_space space, struct slice key, struct slice value)
{
    return written(t, mirrored_put(mirror_of(t), space, key, value));
}

static int pg_delete(struct store_txn *t, enum store_space space, struct slice key)
{
    return written(t, mirrored_delete(mirror_of(t), space, key));
}

static int pg_add(struct store_txn *t, struct slice key, int64_t delta)
{
    if (key.n > KEY_SHORT) return written(t, STORE_INVALID); /* those would not be in order */
    return written(t, counters_add(&mirror_of(t)->own, key, delta) ? STORE_OK : STORE_NO_MEMORY);
}

static int pg_add_reset(struct store_txn *t, struct slice key)
{
    return written(t, counters_reset(&mirror_of(t)->own, key) ? STORE_OK : STORE_NO_MEMORY);
}

static int pg_sum(struct store_txn *t, struct slice key, int64_t *sum)
{
    struct pg_txn *own = (struct pg_txn *)t;
    int rc;
    if (!t->writable) return view_sum(own, key, sum);
    do rc = mirrored_sum(mirror_of(t), key, sum);
    while (batch_got(own, &rc));
    return rc;
}

static int pg_epoch(struct store_txn *t, int64_t *epoch)
{
    struct pg_txn *own = (struct pg_txn *)t;
    int rc;
    if (!t->writable) return view_epoch(own, epoch);
    do rc = mirrored_epoch(mirror_of(t), epoch);
    while (batch_got(own, &rc));
    return rc;
}

static void pg_new_epoch(struct store_txn *t)
{
    mirror_of(t)->own_epoch = true;
}

static int pg_next(struct store_txn *t, struct slice series, uint64_t least, uint64_t *number)
{
    struct pg_txn *own = (struct pg_txn *)t;
    int rc;
    if (series.n > KEY_SHORT) return written(t, STORE_INVALID);
    do rc = mirrored_number(mirror_of(t), series, least, number);
    while (batch_got(own, &rc));
    return rc;
}

static void pg_stats(struct store *store, struct store_stats *out)
{
    struct pg *s = (struct pg *)store;
    out->commits = atomic_load_explicit(&s->commits, memory_order_relaxed);
    out->updates = atomic_load_explicit(&s->updates, memory_order_relaxed);
    out->reruns = atomic_load_explicit(&s->reruns, memory_order_relaxed);
    out->commit_ns = atomic_load_explicit(&s->commit_ns, memory_order_relaxed);
    bool away = atomic_load(&s->state) == STORE_AWAY || atomic_load(&s->reads_away);
    out->state = atomic_load(&s->state) == STORE_FULL ? STORE_FULL : away ? STORE_AWAY : STORE_OK;
    out->reader_ms = pg_readers_age_ms(s);
    pthread_mutex_lock(&s->queue_lock);
    for (const struct store_job *job = s->head; job; job = job->next) out->queued++;
    pthread_mutex_unlock(&s->queue_lock);
}

static void pg_close(struct store *store)
{
    struct pg *s = (struct pg *)store;
    struct conn last;
    pg_writer_stop(s);
    conn_close(&s->leading);
    conn_init(&last, s->pq, s->url, PG_READ_MS);
    last.hold = HOLD_NOTHING;
    schema_leave(&last, s->server);
    conn_close(&last);
    pg_readers_free(s);
    gather_free(s->gather);
    free(s->url);
    free(s);
}

/* The lock is its session's: who has lost that, in a failover perhaps, may have had company. */
static bool pg_was_alone(struct store *store)
{
    struct conn *c = &((struct pg *)store)->leading;
    PGresult *r;
    if (!c->pg || c->hold != HOLD_ALONE || conn_run_text(c, "SELECT 1", &r)) return false;
    c->pq->PQclear(r);
    return true;
}

static const struct store_backend backend = {
    .close = pg_close,
    .view = pg_view,
    .view_long = pg_view_long,
    .submit_views = pg_submit_views,
    .perform = pg_perform,
    .submit = pg_submit,
    .get = pg_get,
    .get_many = pg_get_many,
    .put = pg_put,
    .del = pg_delete,
    .add = pg_add,
    .sum = pg_sum,
    .add_reset = pg_add_reset,
    .range_open = pg_range_open,
    .range_next = pg_range_next,
    .range_each = pg_range_each,
    .range_close = pg_range_close,
    .stats = pg_stats,
    .epoch = pg_epoch,
    .new_epoch = pg_new_epoch,
    .next = pg_next,
    .leads = pg_leads,
    .was_alone = pg_was_alone,
};

/* A number among all servers, with which this one goes on. */
static int enter(struct pg *s, char *message, size_t size)
{
    struct conn first;
    conn_init(&first, s->pq, s->url, PG_READ_MS);
    first.hold = s->readers[0].hold;
    int rc = schema_check(&first, message, size);
    if (!rc) rc = schema_enter(&first, &s->server, message, size);
    if (!rc) rc = schema_spread(&first, &s->base.spread, message, size);
    if (getenv("ONEFOLD_TEST_SPREAD")) s->base.spread = true; /* test aid: as if it were */
    conn_close(&first);
    return rc;
}

/* Who was killed a moment ago may still seem to be there. The connection of the leader is the one that keeps others out: all others of this process are
 * without a lock. */
static int be_alone(struct pg *s, char *message, size_t size)
{
    int64_t until = pg_now_ms() + PG_ALONE_MS;
    int rc;
    s->leading.hold = HOLD_ALONE;
    for (size_t i = 0; i < PG_READERS; i++) s->readers[i].hold = HOLD_NOTHING;
    while ((rc = conn_connect(&s->leading)) && s->leading.held_off && pg_now_ms() < until) pg_rest(PG_RETRY_MS);
    if (rc) conn_tell(&s->leading, message, size);
    return rc;
}

int store__postgres_open(struct store **out, const struct store_options *o, char *message, size_t message_size)
{
    const char *why;
    const struct pq_library *pq = pq_library(&why);
    if (!pq) {
        snprintf(message, message_size, "%s", why);
        return STORE_INVALID;
    }
    if (!url_check(pq, o->url, message, message_size)) return STORE_INVALID;
    struct pg *s = calloc(1, sizeof *s);
    char *url = s ? strdup(o->url) : NULL;
    if (!url) {
        free(s);
        snprintf(message, message_size, "out of memory");
        return STORE_NO_MEMORY;
    }
    s->base.backend = &backend;
    s->base.may_block = true;
    s->pq = pq;
    s->url = url;
    s->told = o->told;
    s->told_ctx = o->told_ctx;
    atomic_init(&s->epoch, -1);
    conn_init(&s->leading, pq, url, PG_READ_MS);
    pg_readers_init(s);
    int rc = o->alone ? be_alone(s, message, message_size) : STORE_OK;
    s->gather = gather_new(pq, url, PG_READ_MS, s->readers[0].hold);
    if (!rc) rc = enter(s, message, message_size);
    if (rc == STORE_NOT_FOUND && o->read_only)
        snprintf(message, message_size, "there is no store in this database: is it the right one? (onefold store init makes an empty one)");
    if (!rc) rc = s->gather ? pg_writer_start(s) : STORE_NO_MEMORY;
    if (rc == STORE_NO_MEMORY) snprintf(message, message_size, "out of memory");
    if (rc) {
        conn_close(&s->leading);
        pg_readers_free(s);
        gather_free(s->gather);
        free(s->url);
        free(s);
        return rc;
    }
    *out = &s->base;
    return STORE_OK;
}

int store_postgres_init(const char *url, bool *made, char *message, size_t message_size)
{
    const char *why;
    const struct pq_library *pq = pq_library(&why);
    struct conn c;
    if (!pq) {
        snprintf(message, message_size, "%s", why);
        return STORE_INVALID;
    }
    if (!url_check(pq, url, message, message_size)) return STORE_INVALID;
    conn_init(&c, pq, url, PG_READ_MS);
    c.hold = HOLD_NOTHING;
    int rc = schema_make(&c, made, message, message_size);
    if (!rc) snprintf(message, message_size, "%s", pq->PQdb(c.pg));
    conn_close(&c);
    return rc;
}
