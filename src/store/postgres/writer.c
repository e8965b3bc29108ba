/* writer.c: updates: the queue, and the thread that runs what is queued in batches.
 *
 * A batch is run on the mirror (mirror.h), so its updates see each other's changes in their order, and one that fails is undone without
 * a trace. All are run once only to learn which rows they ask for first, which are then fetched at once; that run ends where a row is missing. Then they are run for
 * good, and what they ask for besides is fetched while they wait. So a batch mostly costs one round trip and one commit, however many updates
 * it has.
 *
 * Other servers write at the same time. Where one was faster the batch is run again, on what it finds then. After LOSSES of that it keeps all others
 * from writing before it reads, so it cannot lose again, but to a lock that is not ours; which it does not wait for without end.
 *
 * Where PostgreSQL refuses what one of them does (a page that it cannot read), they are run one by one, and only that one fails.
 *
 * Answers are given after the commit, in order, also those of updates that failed. */
#include "batch.h"
#include "schema.h"
#include "../../base/thread.h"
#include "../waiting.h"
#include <stdlib.h>
#include <time.h>

#define BATCH_JOBS  256
#define BATCH_BYTES (16u << 20)
#define LOSSES      4

/* ---- running ---- */

/* Its changes are in the mirror if it gave STORE_OK and is no probe, and otherwise not. */
static void run_job(struct pg *s, struct store_job *job, bool probe)
{
    struct mirror *m = &s->batch->m;
    struct pg_txn t = { .s = s, .probe = probe };
    mirror_begin(m);
    store__txn_begin(&t.base, &s->base, true);
    int rc = job->fn(&t.base, job->ctx);
    store__txn_end(&t.base);
    if (rc == 0) rc = t.error ? t.error : t.base.refused;
    if (rc == 0 && !probe && !mirror_keep(m)) rc = STORE_NO_MEMORY;
    if (rc > 0 && !probe)
        mirror_undo_changes(m);
    else if (rc || probe)
        mirror_undo(m);
    if (t.base.refused == STORE_CONFLICT && !probe && !s->batch->broken) s->batch->broken = STORE_CONFLICT;
    job->status = rc;
}

/* What the updates will ask for first, in one round trip for all. A single one is as well off without. */
static int fetch_ahead(struct pg *s, struct store_job *first)
{
    size_t n = 0;
    struct mirror *m = &s->batch->m;
    if (!first->next || s->batch->alone) return STORE_OK;
    for (struct store_job *job = first; job && n < BATCH_JOBS && m->bytes < BATCH_BYTES; job = job->next, n++) run_job(s, job, true);
    m->bytes = 0;
    m->series = NULL;
    return m->n_wanted ? batch_fetch(m, &s->writing) : STORE_OK;
}

/* Runs the updates from first on, until the batch is full. *end: the first that was not run. */
static int run_jobs(struct pg *s, struct store_job *first, struct store_job **end)
{
    struct batch *b = s->batch;
    struct store_job *job = first;
    size_t most = b->alone ? 1 : BATCH_JOBS;
    b->broken = fetch_ahead(s, first);
    for (size_t n = 0; job && n < most && b->m.bytes < BATCH_BYTES && !b->broken; job = job->next, n++) run_job(s, job, false);
    *end = job;
    return b->broken;
}

/* What one fetch brought was so at one moment, unless it is of several machines, and needs no commit to tell. */
static bool needs_commit(const struct pg *s)
{
    const struct mirror *m = &s->batch->m;
    return m->changes || m->adds.n || m->new_epoch || (m->told && (m->fetches > 1 || s->base.spread));
}

/* ---- a batch ---- */

static void finish(struct pg *s, struct store_job *first, struct store_job *end, int failure)
{
    for (struct store_job *job = first, *next; job != end; job = next) {
        next = job->next; /* the job is its owner's again after done */
        if (failure) job->status = failure;
        atomic_fetch_add_explicit(&s->updates, 1, memory_order_relaxed);
        if (job->done) job->done(job);
    }
}

/* Keeps all others from writing until the batch is committed. */
static int keep_others_out(struct pg *s)
{
    struct conn *c = &s->writing;
    PGresult *r;
    int rc = conn_send_ahead(c, PG_BEGIN_WRITING);
    s->batch->begun = !rc; /* also if the lock is not to be had: the transaction has to be ended */
    if (!rc) rc = conn_run(c, S_TAKE_EPOCH, SPACE_META, NULL, &r);
    if (!rc) c->pq->PQclear(r);
    return rc;
}

static void roll_back(struct pg *s)
{
    PGresult *r;
    if (s->batch->begun && s->writing.pg && !conn_run_text(&s->writing, "ROLLBACK", &r)) s->pq->PQclear(r);
    s->batch->begun = false;
}

static int commit(struct pg *s)
{
    struct batch *b = s->batch;
    struct commit with = { .server = s->server, .number = ++b->number, .begun = b->begun };
    struct timespec before, after;
    int64_t until = pg_now_ms() + PG_COMMIT_MS;
    if (!needs_commit(s)) {
        roll_back(s);
        /* What was told is of an epoch that nothing has confirmed yet. */
        return b->m.epoch_told && b->m.epoch_found < 0 ? batch_fetch(&b->m, &s->writing) : STORE_OK;
    }
    clock_gettime(CLOCK_MONOTONIC, &before);
    int rc = batch_commit(&b->m, &s->writing, &with);
    b->begun = false;
    while (rc == STORE_UNKNOWN) {
        rc = batch_outcome(&s->writing, &with);
        if (rc != STORE_AWAY) break;
        if (pg_now_ms() >= until) return STORE_AWAY;
        pg_rest(PG_RETRY_MS);
        rc = STORE_UNKNOWN;
    }
    clock_gettime(CLOCK_MONOTONIC, &after);
    atomic_fetch_add_explicit(&s->commit_ns,
                              (uint64_t)(after.tv_sec - before.tv_sec) * 1000000000u + (uint64_t)(after.tv_nsec - before.tv_nsec),
                              memory_order_relaxed);
    if (!rc) atomic_fetch_add_explicit(&s->commits, 1, memory_order_relaxed);
    return rc;
}

/* So that what a failover lost and what came after it do not have the same number by chance: epochs go forward by steps of any length, and a server's batches begin
 * anywhere in its range. */
static uint64_t chance(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return ((uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec) * 0x9e3779b97f4a7c15u >> 20;
}

static int64_t first_number(const struct pg *s)
{
    return s->server << 40 | (int64_t)(chance() & ((1ull << 39) - 1));
}

static void note_epoch(struct pg *s, int rc)
{
    const struct mirror *m = &s->batch->m;
    if (m->epoch_found >= 0)
        atomic_store(&s->epoch, m->epoch_found + (!rc && m->new_epoch ? m->epoch_step : 0));
    else if (rc == STORE_CONFLICT) /* it was taken for granted, and was not it: PostgreSQL may have gone back in time */
        atomic_store(&s->epoch, -1);
}

/* Counters are not compared when a batch is committed: all add to them. Who changes the catalog and writes down what it has summed up (DeleteTable, the size of the backup
 * that it leaves) must have kept the others out before it read. */
static bool may_be_miscounted(const struct batch *b)
{
    return b->m.new_epoch && b->m.summed && !b->begun;
}

/* One try. */
static int attempt(struct pg *s, struct store_job *first, struct store_job **end)
{
    struct batch *b = s->batch;
    *end = NULL;
    if (!mirror_clear(&b->m)) return STORE_NO_MEMORY;
    b->m.epoch = atomic_load(&s->epoch);
    b->m.exact = b->losses > 0;
    b->m.epoch_step = 1 + (int64_t)(chance() % 1000000000);
    int rc = conn_ready(&s->writing);
    if (!rc && b->losses >= LOSSES) rc = keep_others_out(s);
    if (!rc) rc = run_jobs(s, first, end);
    if (!rc && may_be_miscounted(b)) {
        b->losses = LOSSES;
        rc = STORE_CONFLICT;
    }
    if (!rc) rc = commit(s);
    if (rc) roll_back(s);
    note_epoch(s, rc);
    return rc;
}

/* This server's row was removed because nothing was heard of it for long, or went with what a failover lost: it goes on as a new one. */
static int enter_anew(struct pg *s)
{
    char why[CONN_TELLING + 40];
    int rc = schema_enter(&s->writing, &s->server, why, sizeof why);
    if (!rc) s->batch->number = first_number(s);
    return rc;
}

/* What became of the database, once for each change; what conflicts or is refused is no news. */
static void tell(struct pg *s, int status)
{
    if (status == STORE_CONFLICT || status == STORE_NOT_FOUND || status == STORE_NO_MEMORY || atomic_exchange(&s->state, status) == status) return;
    if (status == STORE_AWAY && atomic_load(&s->reads_away)) return; /* reads have told it */
    if (s->told) s->told(s->told_ctx, status, s->writing.why);
}

/* Returns the first that is still to be run. */
static struct store_job *run_batch(struct pg *s, struct store_job *first)
{
    int64_t began = pg_now_ms();
    struct batch *b = s->batch;
    struct store_job *end;
    b->losses = 0;
    for (;;) {
        int rc = attempt(s, first, &end);
        tell(s, rc);
        if (!rc) {
            if (b->alone) b->alone--;
            finish(s, first, end, STORE_OK);
            return end;
        }
        if (rc == STORE_NOT_FOUND && !(rc = enter_anew(s))) continue;
        int64_t waited = pg_now_ms() - began;
        if (rc == STORE_CONFLICT && waited < PG_LOSING_MS) {
            b->losses++;
            atomic_fetch_add_explicit(&s->reruns, 1, memory_order_relaxed);
        } else if (rc == STORE_AWAY && waited < PG_AWAY_MS) {
            pg_rest(PG_RETRY_MS);
        } else if (rc == STORE_AWAY || rc == STORE_CONFLICT) {
            if (rc == STORE_CONFLICT) tell(s, rc = STORE_AWAY); /* others are kept out by then: somebody has locked the tables, an operator perhaps */
            finish(s, first, NULL, rc);
            return NULL;
        } else if (first->next && !b->alone) {
            b->alone = BATCH_JOBS;
        } else {
            end = first->next;
            if (b->alone) b->alone--;
            finish(s, first, end, rc);
            return end;
        }
    }
}

/* ---- the queue ---- */

void pg_submit(struct store *store, struct store_job *first, struct store_job *last)
{
    struct pg *s = (struct pg *)store;
    pthread_mutex_lock(&s->queue_lock);
    last->next = NULL;
    *s->tail = first;
    s->tail = &last->next;
    pthread_mutex_unlock(&s->queue_lock);
    pthread_cond_signal(&s->queue_filled);
}

void pg_perform(struct store *store, struct store_job *job)
{
    struct waiting_job w;
    waiting_begin(&w, job);
    pg_submit(store, &w.job, &w.job);
    waiting_end(&w);
}

static void *writer_main(void *arg)
{
    struct pg *s = arg;
    pthread_setname_np(pthread_self(), "onefold-writer");
    pthread_mutex_lock(&s->queue_lock);
    for (;;) {
        while (!s->head && !s->closing) pthread_cond_wait(&s->queue_filled, &s->queue_lock);
        struct store_job *list = s->head;
        if (!list) break;
        s->head = NULL;
        s->tail = &s->head;
        pthread_mutex_unlock(&s->queue_lock);
        while (list) list = run_batch(s, list);
        s->batch->alone = 0;
        pthread_mutex_lock(&s->queue_lock);
    }
    pthread_mutex_unlock(&s->queue_lock);
    return NULL;
}

int pg_writer_start(struct pg *s)
{
    s->tail = &s->head;
    s->batch = calloc(1, sizeof *s->batch);
    if (!s->batch) return STORE_NO_MEMORY;
    if (!mirror_init(&s->batch->m)) {
        mirror_free(&s->batch->m);
        free(s->batch);
        return STORE_NO_MEMORY;
    }
    s->batch->m.sizes = &s->sizes;
    s->batch->number = first_number(s);
    conn_init(&s->writing, s->pq, s->url, PG_READ_MS);
    s->writing.hold = s->readers[0].hold;
    pthread_mutex_init(&s->queue_lock, NULL);
    pthread_cond_init(&s->queue_filled, NULL);
    if (!thread_start(&s->writer, writer_main, s)) return STORE_OK;
    pthread_cond_destroy(&s->queue_filled);
    pthread_mutex_destroy(&s->queue_lock);
    mirror_free(&s->batch->m);
    free(s->batch);
    return STORE_NO_MEMORY;
}

void pg_writer_stop(struct pg *s)
{
    pthread_mutex_lock(&s->queue_lock);
    s->closing = true;
    pthread_cond_signal(&s->queue_filled);
    pthread_mutex_unlock(&s->queue_lock);
    pthread_join(s->writer, NULL);
    pthread_cond_destroy(&s->queue_filled);
    pthread_mutex_destroy(&s->queue_lock);
    conn_close(&s->writing);
    mirror_free(&s->batch->m);
    free(s->batch);
}
