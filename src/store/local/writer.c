/* writer.c: updates: the queue, the writer's role, group commit.
 *
 * Whoever has the writer's role (the writer thread, or a caller of store_perform who found nobody at
 * work) runs jobs in batches: all that were queued in one LMDB transaction, one commit, then `done`
 * for each. No answer is given before the commit, not even of a job that failed, since what it saw
 * may include other jobs of the batch.
 *
 * A job that failed before writing anything costs nothing. One that failed after a write cannot be
 * taken out of an LMDB transaction, so the transaction is dropped and the jobs before it are run
 * again and committed; then the job itself begins the next transaction, and if it fails there too
 * nobody else is in it. So every answer comes from a run whose surroundings were committed, each
 * job is run at most a few times, and no nested transaction (2-3 MB of lists each in LMDB) is
 * needed. A job's end is also where the counters that it is the first to touch are read: found out at the commit,
 * a damaged one would be the failure of all. */
#include "../../base/failpoint.h"
#include "guard.h"
#include "local.h"
#include "../waiting.h"
#include "../../base/thread.h"
#include <errno.h>
#include <time.h>
#include <unistd.h>

static void finish(struct local *s, struct store_job *job, int status)
{
    FAILPOINT(answer_before);
    job->status = status;
    atomic_fetch_add_explicit(&s->updates, 1, memory_order_relaxed);
    if (job->done) job->done(job);
}

/* Answers the jobs from first up to but not including end. */
static void finish_all(struct local *s, struct store_job *first, struct store_job *end, int failure)
{
    for (struct store_job *job = first, *next; job != end; job = next) {
        next = job->next; /* the job is its owner's again after finish */
        finish(s, job, failure ? failure : job->status);
    }
}

static int run_job(struct local_txn *t, struct store_job *job)
{
    struct local *s = t->s;
    int rc;

    t->error = STORE_OK;
    store__txn_begin(&t->base, &s->base, true);
    counters_clear(&s->job_counters);
    rc = job->fn(&t->base, job->ctx);
    store__txn_end(&t->base);
    /* A write that failed is not to be committed, nor what LMDB gives up because of a read, whatever the function made of it. */
    if (rc == 0) rc = t->error ? t->error : t->base.refused;
    return rc ? rc : local_take_counters(t);
}

/* LMDB keeps what it has of a transaction that was left in its middle: freeing that could be the next fault. */
static void drop(struct local_txn *t)
{
    if (!t->damaged) mdb_txn_abort(t->txn);
}

static uint64_t nanoseconds_since(const struct timespec *began)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)(now.tv_sec - began->tv_sec) * 1000000000 + (uint64_t)now.tv_nsec - (uint64_t)began->tv_nsec;
}

static int commit(struct local_txn *t, bool wrote, bool *map_full)
{
    struct timespec began;
    struct local *s = t->s;
    int rc;

    *map_full = false;
    t->error = STORE_OK;
    t->map_full = false;
    rc = local_flush_counters(t);
    if (rc || (!wrote && !s->batch_counters.n)) {
        drop(t);
        *map_full = t->map_full;
        return rc;
    }
    FAILPOINT(commit_before);
    clock_gettime(CLOCK_MONOTONIC, &began);
    GUARDED(rc, mdb_txn_commit(t->txn));
    atomic_fetch_add_explicit(&s->commit_ns, nanoseconds_since(&began), memory_order_relaxed);
    FAILPOINT(commit_after);
    if (rc == GUARD_DAMAGED) return local_write_damaged(t);
    if (rc == MDB_MAP_FULL) {
        *map_full = true;
        return STORE_FULL;
    }
    if (rc) return local_commit_failed(s, rc);
    atomic_fetch_add_explicit(&s->commits, 1, memory_order_relaxed);
    local_found_room(s);
    return STORE_OK;
}

/* Runs jobs from first on in one transaction, at most *limit of them; returns the first that is
 * still to be run, which may be `first` again. */
static struct store_job *run_batch(struct local *s, struct store_job *first, size_t *limit)
{
    struct local_txn t = { .s = s };
    struct store_job *job, *next;
    size_t n = 0, most = *limit;
    bool wrote = false, map_full = false;
    int rc;

    *limit = LOCAL_BATCH_JOBS;
    if (s->read_only || atomic_load(&s->state) == STORE_STOPPED)
        rc = STORE_STOPPED;
    else if (local_env_nearly_full(s) && local_env_grow(s) == STORE_STOPPED)
        rc = STORE_STOPPED;
    else
        rc = local_status(mdb_txn_begin(s->env, NULL, 0, &t.txn));
    if (rc) {
        finish_all(s, first, NULL, rc);
        return NULL;
    }
    FAILPOINT(batch_begin);
    if (!s->map && s->page_size) local_env_find_map(s, t.txn);
    counters_clear(&s->batch_counters);
    for (job = first; job && n < most && t.bytes < LOCAL_BATCH_BYTES; job = next, n++) {
        next = job->next;
        job->status = run_job(&t, job);
        FAILPOINT(batch_job);
        if (t.error && t.map_full) {
            drop(&t);
            map_full = true;
            job = next;
            break;
        }
        if (job->status && (t.base.writes || t.error)) {
            drop(&t);
            atomic_fetch_add_explicit(&s->reruns, n, memory_order_relaxed);
            FAILPOINT(batch_split);
            if (n > 0 && SEEDED_BUG(lost_in_split)) {
                finish_all(s, first, job, STORE_OK);
                return job;
            }
            if (n > 0) {
                *limit = n;
                return first;
            }
            finish(s, job, job->status);
            return next;
        }
        if (job->status == 0 && t.base.writes) wrote = true;
    }
    if (!map_full && SEEDED_BUG(answer_before_commit)) {
        finish_all(s, first, job, STORE_OK);
        commit(&t, wrote, &map_full);
        return job;
    }
    if (!map_full) rc = commit(&t, wrote, &map_full);
    if (map_full && local_env_grow(s) == STORE_OK) {
        *limit = most;
        return first;
    }
    /* Whose counter it is that cannot be written (LMDB would merge its page with a damaged one) is not known: fewer at once, down to one. */
    if (rc == STORE_CORRUPT && !t.damaged && n > 1) {
        atomic_fetch_add_explicit(&s->reruns, n, memory_order_relaxed);
        *limit = n / 2;
        return first;
    }
    finish_all(s, first, job, map_full ? STORE_FULL : rc);
    return job;
}

static void run_jobs(struct local *s, struct store_job *list)
{
    size_t limit = LOCAL_BATCH_JOBS;

    while (list)
        list = run_batch(s, list, &limit);
}

/* ---- the queue ---- */

/* Under the lock. True: the writer is to be woken, after the lock is released, or it would wake only to wait for that. Who comes
 * later finds it woken already. */
static bool enqueue(struct local *s, struct store_job *first, struct store_job *last)
{
    bool was_empty = !s->head;

    last->next = NULL;
    *s->tail = first;
    s->tail = &last->next;
    return was_empty && !s->busy;
}

void local_submit(struct store *store, struct store_job *first, struct store_job *last)
{
    struct local *s = (struct local *)store;
    bool wake_writer;

    FAILPOINT(queue_before);
    pthread_mutex_lock(&s->queue_lock);
    wake_writer = enqueue(s, first, last);
    pthread_mutex_unlock(&s->queue_lock);
    FAILPOINT(queue_after);
    if (wake_writer) pthread_cond_signal(&s->queue_filled);
}

void local_perform(struct store *store, struct store_job *job)
{
    struct local *s = (struct local *)store;
    struct waiting_job w;
    bool mine, wake_writer = false;

    pthread_mutex_lock(&s->queue_lock);
    mine = !s->busy && !s->head;
    if (mine) {
        s->busy = true;
    } else {
        waiting_begin(&w, job);
        wake_writer = enqueue(s, &w.job, &w.job);
    }
    pthread_mutex_unlock(&s->queue_lock);
    if (wake_writer) pthread_cond_signal(&s->queue_filled);
    if (!mine) {
        waiting_end(&w);
        return;
    }
    /* Nobody is writing: doing it here saves two changes of thread. */
    job->next = NULL;
    run_jobs(s, job);
    pthread_mutex_lock(&s->queue_lock);
    s->busy = false;
    wake_writer = s->head != NULL;
    pthread_mutex_unlock(&s->queue_lock);
    if (wake_writer) pthread_cond_signal(&s->queue_filled);
}

static void *writer_main(void *arg)
{
    struct local *s = arg;

    pthread_setname_np(pthread_self(), "onefold-writer");
    pthread_mutex_lock(&s->queue_lock);
    for (;;) {
        struct store_job *list;

        while (s->busy || (!s->head && !s->closing))
            pthread_cond_wait(&s->queue_filled, &s->queue_lock);
        if (!s->head) break;
        list = s->head;
        s->head = NULL;
        s->tail = &s->head;
        s->busy = true;
        pthread_mutex_unlock(&s->queue_lock);
        run_jobs(s, list);
        pthread_mutex_lock(&s->queue_lock);
        s->busy = false;
    }
    pthread_mutex_unlock(&s->queue_lock);
    return NULL;
}

/* ---- syncing in the background ---- */

static void *syncer_main(void *arg)
{
    struct local *s = arg;
    uint64_t synced = 0;
    int fd;

    /* Not mdb_env_sync: in newer versions of LMDB it looks into the map, which the writer may be
     * moving at the moment. */
    if (mdb_env_get_fd(s->env, &fd)) return NULL;
    pthread_setname_np(pthread_self(), "onefold-sync");
    pthread_mutex_lock(&s->queue_lock);
    while (!s->closing && !s->sync_failed) {
        struct timespec until;
        uint64_t commits;

        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_sec += LOCAL_SYNC_MS / 1000;
        pthread_cond_timedwait(&s->sync_stop, &s->queue_lock, &until);
        commits = atomic_load_explicit(&s->commits, memory_order_relaxed);
        if (commits == synced) continue;
        pthread_mutex_unlock(&s->queue_lock);
        /* What a failed sync did not write is gone from the page cache: trying again would lie. */
        FAILPOINT(sync_before);
        if (fdatasync(fd)) local_sync_failed(s, "a sync in the background failed", errno);
        FAILPOINT(sync_after);
        synced = commits;
        pthread_mutex_lock(&s->queue_lock);
    }
    pthread_mutex_unlock(&s->queue_lock);
    return NULL;
}

/* ---- starting and stopping ---- */

static int start_thread(pthread_t *thread, void *(*run)(void *), void *arg)
{
    return thread_start(thread, run, arg) ? STORE_NO_MEMORY : STORE_OK;
}

int local_writer_start(struct local *s)
{
    pthread_condattr_t clock;
    int rc;

    s->tail = &s->head;
    pthread_mutex_init(&s->queue_lock, NULL);
    pthread_cond_init(&s->queue_filled, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&s->sync_stop, &clock);
    pthread_condattr_destroy(&clock);
    rc = start_thread(&s->writer, writer_main, s);
    if (rc) return rc;
    if (s->relaxed) rc = start_thread(&s->syncer, syncer_main, s);
    if (rc) {
        s->relaxed = false;
        local_writer_stop(s);
    }
    return rc;
}

void local_writer_stop(struct local *s)
{
    pthread_mutex_lock(&s->queue_lock);
    s->closing = true;
    pthread_cond_signal(&s->queue_filled);
    pthread_cond_signal(&s->sync_stop);
    pthread_mutex_unlock(&s->queue_lock);
    pthread_join(s->writer, NULL);
    if (s->relaxed) pthread_join(s->syncer, NULL);
    pthread_cond_destroy(&s->sync_stop);
    pthread_cond_destroy(&s->queue_filled);
    pthread_mutex_destroy(&s->queue_lock);
    counters_free(&s->job_counters);
    counters_free(&s->batch_counters);
}
