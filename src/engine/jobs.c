/* jobs.c: the thread that does the work behind the calls.
 *
 * It runs while there is work: a "B" or "D" record in SPACE_META, or a token that has not expired.
 * Each round takes one step of every kind. A step is submitted like any call's update; what it
 * changed in the catalog is published on the writer's thread, so that publications keep the order
 * of the commits. */
#include "jobs_impl.h"
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define STEP_ARENA_MAX ((size_t)64 << 20)
#define RETRY_MS       1000
#define TOKEN_CHECK_MS 60000

struct jobs {
    struct engine *engine;
    unsigned delay_ms; /* test aid, see jobs.h */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* Under the lock. */
    bool stop;
    bool wanted;  /* jobs_wake came since the thread last looked */
    bool tokens;  /* there may be tokens */
    bool running; /* the thread will look again */
    bool joinable;
    pthread_t thread;
    /* The thread's own. */
    struct step step;
    int64_t tokens_checked_ms; /* by the monotonic clock; 0: not yet */
};

/* ---- one step ---- */

struct submitted {
    struct store_job job;
    struct step *step;
    sem_t done;
};

static int run_step(struct store_txn *txn, void *ctx)
{
    struct step *step = ((struct submitted *)ctx)->step;
    volatile int status = STORE_NO_MEMORY;
    step->record = slice_of(NULL, 0);
    arena_reset(&step->arena);
    if (ARENA_GUARD(&step->arena)) status = step->fn(txn, step);
    arena_unguard(&step->arena);
    return status;
}

static void step_done(struct store_job *job)
{
    struct submitted *s = job->ctx;
    if (!job->status && s->step->record.n) {
        catalog_publish(s->step->engine->catalogs, s->step->record);
    }
    sem_post(&s->done);
}

static int take_step(struct jobs *j, int (*fn)(struct store_txn *, struct step *), uint32_t id)
{
    struct submitted s = { .step = &j->step };
    s.job = (struct store_job){ .fn = run_step, .ctx = &s, .done = step_done };
    j->step.fn = fn;
    j->step.id = id;
    sem_init(&s.done, 0, 0);
    store_submit(j->engine->store, &s.job);
    while (sem_wait(&s.done) != 0)
        continue; /* a signal came */
    sem_destroy(&s.done);
    return s.job.status;
}

/* ---- finding work ---- */

struct work {
    uint32_t backfill, purge; /* ids; 0: none */
    bool tokens;
};

static int first_id(struct store_txn *txn, const char *from, const char *to, uint32_t *id)
{
    struct store_range range = {
        .space = SPACE_META, .from = slice_str(from), .to = slice_str(to), .limit = 1
    };
    struct store_cursor *cursor;
    struct slice key;
    *id = 0;
    int status = store_range_open(txn, &range, &cursor);
    if (status) return status;
    status = store_range_next(cursor, &key, NULL);
    for (size_t i = 1; !status && i < key.n; i++)
        *id = *id << 8 | key.p[i];
    store_range_close(cursor);
    return status == STORE_END ? STORE_OK : status;
}

static int find_work(struct store_txn *txn, void *ctx)
{
    struct work *work = ctx;
    struct store_range range = {
        .space = SPACE_TOKEN, .from = SLICE("e"), .to = SLICE("f"), .limit = 1
    };
    struct store_cursor *cursor;
    int status = first_id(txn, "B", "C", &work->backfill);
    if (!status) status = first_id(txn, "D", "E", &work->purge);
    if (!status) status = store_range_open(txn, &range, &cursor);
    if (status) return status;
    status = store_range_next(cursor, NULL, NULL);
    work->tokens = status == STORE_OK;
    store_range_close(cursor);
    return status == STORE_END ? STORE_OK : status;
}

static int64_t monotonic_ms(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000 + 1;
}

static int check_tokens(struct jobs *j)
{
    int64_t now = monotonic_ms();
    if (j->tokens_checked_ms && now - j->tokens_checked_ms < TOKEN_CHECK_MS) return STORE_OK;
    j->tokens_checked_ms = now;
    j->step.now_ms = engine_now_ms(j->engine);
    return take_step(j, purge_tokens_step, 0);
}

/* One round. *more: come again at once. A kind of work that fails (a damaged item in a table that is
 * to be indexed) is tried again later, and keeps none of the others. */
static int work_round(struct jobs *j, bool *more, bool *tokens)
{
    struct work work = { 0 };
    int status = store_view(j->engine->store, find_work, &work), filled = 0, purged = 0;
    *more = work.backfill || work.purge;
    *tokens = work.tokens;
    if (status) return status;
    if (work.backfill) filled = take_step(j, backfill_step, work.backfill);
    if (work.purge) purged = take_step(j, purge_step, work.purge);
    if (work.tokens) status = check_tokens(j);
    return filled ? filled : purged ? purged : status;
}

/* ---- the thread ---- */

/* With the lock held: waits for jobs_wake or jobs_close, but not longer. */
static void rest(struct jobs *j, unsigned ms)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += ms / 1000;
    until.tv_nsec += (long)(ms % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    while (!j->stop && !j->wanted) {
        if (pthread_cond_timedwait(&j->changed, &j->lock, &until) == ETIMEDOUT) break;
    }
}

static void *thread_main(void *arg)
{
    struct jobs *j = arg;
    pthread_mutex_lock(&j->lock);
    for (;;) {
        bool more, tokens;
        j->wanted = j->tokens = false;
        pthread_mutex_unlock(&j->lock);
        int status = work_round(j, &more, &tokens);
        pthread_mutex_lock(&j->lock);
        j->tokens |= tokens;
        if (j->stop) break;
        if (status) {
            rest(j, RETRY_MS);
        } else if (more) {
            if (j->delay_ms) rest(j, j->delay_ms);
        } else if (j->tokens && !j->wanted) {
            rest(j, TOKEN_CHECK_MS);
        } else if (!j->wanted) {
            break;
        }
        if (j->stop) break;
    }
    j->running = false;
    arena_free(&j->step.arena);
    pthread_mutex_unlock(&j->lock);
    return NULL;
}

/* With the lock held. If no thread can be had now, the next call to jobs_wake tries again. */
static void start(struct jobs *j)
{
    if (j->running || j->stop) return;
    if (j->joinable) pthread_join(j->thread, NULL);
    /* Signals are for the program's own threads. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    j->joinable = pthread_create(&j->thread, NULL, thread_main, j) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    j->running = j->joinable;
}

void jobs_wake(struct jobs *j)
{
    pthread_mutex_lock(&j->lock);
    j->wanted = true;
    start(j);
    pthread_cond_signal(&j->changed);
    pthread_mutex_unlock(&j->lock);
}

void jobs_token_written(struct jobs *j)
{
    pthread_mutex_lock(&j->lock);
    j->tokens = true;
    start(j);
    pthread_mutex_unlock(&j->lock);
}

static unsigned delay_from_environment(void)
{
    const char *text = getenv("ONEFOLD_TEST_BACKFILL_DELAY_MS");
    return text ? (unsigned)strtoul(text, NULL, 10) : 0;
}

int jobs_open(struct jobs **out, struct engine *e, char *message, size_t message_size)
{
    struct work work = { 0 };
    struct jobs *j = calloc(1, sizeof *j);
    int status = j ? store_view(e->store, find_work, &work) : STORE_NO_MEMORY;
    if (status) {
        snprintf(message, message_size, "unfinished work cannot be read: %s",
                 store_status_text(status));
        free(j);
        return status;
    }
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&j->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_mutex_init(&j->lock, NULL);
    j->engine = e;
    j->step.engine = e;
    j->delay_ms = delay_from_environment();
    arena_init(&j->step.arena, STEP_ARENA_MAX);
    *out = j;
    if (work.backfill || work.purge) jobs_wake(j);
    if (work.tokens) jobs_token_written(j);
    return STORE_OK;
}

void jobs_close(struct jobs *j)
{
    if (!j) return;
    pthread_mutex_lock(&j->lock);
    j->stop = true;
    pthread_cond_signal(&j->changed);
    bool joinable = j->joinable;
    pthread_mutex_unlock(&j->lock);
    if (joinable) pthread_join(j->thread, NULL);
    pthread_cond_destroy(&j->changed);
    pthread_mutex_destroy(&j->lock);
    free(j);
}
