/* jobs.c: the thread that does the work behind the calls.
 *
 * It runs while there is work. Each round asks every kind of work for a piece. A step is performed like any
 * call's update; what it changed in the catalog is published before the next commit, so that
 * publications keep the order of the commits. */
#include "export.h"
#include "history.h"
#include "import.h"
#include "jobs_impl.h"
#include "../base/log.h"
#include "../base/thread.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define STEP_ARENA_MAX ((size_t)64 << 20)
#define RETRY_MS       1000
#define LOOK_AGAIN_MS  60000
#define TELL_AGAIN_MS  3600000
#define TEST_CLOCK_MS  50 /* a clock that a test moves is looked at often */
#define TURNS          64 /* of one kind, before other work has its own */

static const struct job_kind *const kinds[] = {
    &job_backfill,
    &job_purge,
    &job_tokens,
    &job_history,
    &job_expiry,
    &job_copy,
    &job_backups,
    &job_import,
    &job_export,
};
#define KINDS (sizeof kinds / sizeof *kinds)

/* One of several that a kind has in hand: it failed, and is not tried again before this time. */
struct failed {
    uint64_t id;
    int64_t again_ms;
};

/* How far the ids of a kind have had their turns. */
struct pass {
    uint32_t after; /* this one; 0: the next round begins anew */
    bool done;      /* one of them did something */
};

/* Where a kind goes on. There is none where it begins anew. */
struct place {
    struct place *next;
    size_t kind;
    uint64_t id;
    bool waits, again;
    size_t n;
    uint8_t after[];
};

struct jobs {
    struct engine *engine;
    unsigned delay_ms; /* test aid, see jobs.h */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* Under the lock. */
    bool stop;
    bool wanted;  /* jobs_wake came since the thread last looked */
    bool noticed; /* jobs_notice came: look again, in a while */
    bool running; /* the thread will look again */
    bool joinable;
    pthread_t thread;
    /* The thread's own. */
    struct step step;
    int64_t due_ms[KINDS];  /* when each kind wants to be asked; JOB_NEVER: when woken */
    int64_t tell_ms[KINDS]; /* until when nothing is told of data that it finds damaged */
    bool woken;             /* all kinds are asked, also for what failed just now */
    size_t kind;            /* that is being asked */
    bool waits;             /* one that it has in hand failed, and is to be tried again */
    bool away;              /* because nothing can be written now: all others would wait in vain */
    struct failed failed[KINDS][TURNS]; /* by the last bits of the id: who lost his place is only tried sooner */
    struct pass passes[KINDS];
    struct place *places;
};

/* ---- one step ---- */

struct submitted {
    struct store_job job;
    struct step *step;
};

static int run_step(struct store_txn *txn, void *ctx)
{
    struct step *step = ((struct submitted *)ctx)->step;
    volatile int status = STORE_NO_MEMORY;
    step->record = step->removed = slice_of(NULL, 0);
    history_begin(step->engine);
    int follows = catalog_follow(step->engine->catalogs, txn);
    if (follows) return follows;
    arena_reset(&step->arena); /* where it is not run, what the one before left there is still good */
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
    if (!job->status && s->step->removed.n) {
        catalog_publish_removal(s->step->engine->catalogs, s->step->removed);
    }
}

int jobs_step(struct jobs *j, int (*fn)(struct store_txn *, struct step *), uint32_t id, void *ctx)
{
    struct submitted s = { .step = &j->step };
    s.job = (struct store_job){ .fn = run_step, .ctx = &s, .done = step_done };
    j->step.fn = fn;
    j->step.id = id;
    j->step.ctx = ctx;
    j->step.now_ms = engine_now_ms(j->engine);
    store_perform(j->engine->store, &s.job);
    return s.job.status;
}

struct table *step_table(struct store_txn *txn, struct step *step, uint32_t table_id, int *status)
{
    const struct catalog *catalog = catalog_acquire(step->engine->catalogs);
    uint8_t name[256];
    size_t n = 0;
    for (size_t i = 0; i < catalog_count(catalog); i++) {
        const struct table *t = catalog_at(catalog, i);
        if (t->id != table_id || t->name.n > sizeof name) continue;
        n = t->name.n;
        memcpy(name, t->name.p, n);
    }
    catalog_release(step->engine->catalogs, catalog);
    *status = STORE_NOT_FOUND;
    if (!n) return NULL;
    struct table *t = catalog_read(txn, &step->arena, slice_of(name, n), status);
    if (t && t->id != table_id) *status = STORE_NOT_FOUND;
    return *status ? NULL : t;
}

struct engine *jobs_engine(const struct jobs *j)
{
    return j->engine;
}

bool jobs_stopping(struct jobs *j)
{
    pthread_mutex_lock(&j->lock);
    bool stop = j->stop;
    pthread_mutex_unlock(&j->lock);
    return stop;
}

static int64_t monotonic_ms(void)
{
    return (int64_t)(engine_clock_ns() / 1000000);
}

static int64_t due_after(const struct jobs *j, int64_t rest)
{
    if (rest == JOB_NEVER) return JOB_NEVER;
    if (j->engine->options.now_ms && rest > TEST_CLOCK_MS) rest = TEST_CLOCK_MS;
    return monotonic_ms() + rest;
}

/* On a shared store one server works for all, and looks for what others have begun. */
#define OTHERS_MS 1000

static bool has_to_work(struct engine *e)
{
    return store_leads(e->store) && !catalog_catch_up(e->catalogs);
}

/* Another server does it now: what is in memory of work that was begun is not what is stored any more. */
static void forget_work(struct engine *e)
{
    importing_free(e->importing);
    exporting_free(e->exporting);
    e->importing = NULL;
    e->exporting = NULL;
}

/* ---- damaged data, and what else fails ---- */

/* It is tried again every second, and told now and then: nobody waits for an answer that would say so. */
static void met_damage(struct jobs *j, const char *so)
{
    int64_t now = monotonic_ms(), *tell_ms = &j->tell_ms[j->kind];
    if (now < *tell_ms) return;
    *tell_ms = now + TELL_AGAIN_MS;
    __atomic_add_fetch(&j->engine->damaged, 1, __ATOMIC_RELAXED);
    log_event(LOG_ERROR, "damaged", NULL, 0, "%s %s: stored data is damaged; 'onefold check' says where", kinds[j->kind]->name, so);
}

void jobs_left_damaged(struct jobs *j)
{
    met_damage(j, "leaves something out");
}

int jobs_next_row(struct store_cursor *cursor, struct slice *key, struct slice *value)
{
    *key = slice_of(NULL, 0);
    int status = store_range_next(cursor, key, value);
    if (status != STORE_CORRUPT || !key->n) return status;
    *value = slice_of(NULL, 0);
    return STORE_OK;
}

static struct failed *place_of(struct jobs *j, uint64_t id)
{
    return &j->failed[j->kind][(id ^ id >> 32) % TURNS];
}

bool jobs_may_try(struct jobs *j, uint64_t id)
{
    const struct failed *f = place_of(j, id);
    if (!j->away && (j->woken || f->id != id || monotonic_ms() >= f->again_ms)) return true;
    j->waits = true;
    return false;
}

bool jobs_tried(struct jobs *j, uint64_t id, int status)
{
    if (!status) return true;
    if (status == STORE_CORRUPT) met_damage(j, "cannot go on");
    *place_of(j, id) = (struct failed){ .id = id, .again_ms = due_after(j, RETRY_MS) };
    j->waits = true;
    j->away = status == STORE_AWAY || status == STORE_STOPPED;
    return false;
}

/* ---- turns ---- */

struct ids {
    char what;
    uint32_t after;
    uint32_t v[TURNS];
    size_t n;
};

static int find_ids(struct store_txn *txn, void *ctx)
{
    struct ids *ids = ctx;
    uint8_t from[5], to = (uint8_t)(ids->what + 1);
    struct store_range range = { .space = SPACE_META,
                                 .from = catalog_id_key(from, ids->what, ids->after + 1),
                                 .to = slice_of(&to, 1),
                                 .limit = TURNS };
    struct store_cursor *cursor;
    struct slice key;
    ids->n = 0;
    int status = store_range_open(txn, &range, &cursor);
    if (status) return status;
    while (ids->n < TURNS && !(status = store_range_next(cursor, &key, NULL))) {
        uint32_t id = 0;
        for (size_t i = 1; i < key.n; i++)
            id = id << 8 | key.p[i];
        ids->v[ids->n++] = id;
    }
    store_range_close(cursor);
    return status == STORE_END ? STORE_OK : status;
}

int jobs_turns(struct jobs *j, char what, job_turn *turn, void *ctx, int64_t *rest_ms)
{
    struct pass *pass = &j->passes[j->kind];
    struct ids ids = { .what = what, .after = pass->after };
    int status = store_view(j->engine->store, find_ids, &ids);
    if (status) return status;
    if (pass->after) j->waits = true; /* perhaps one of those before */
    else pass->done = false;
    for (size_t i = 0; i < ids.n && !jobs_stopping(j); i++) {
        if (jobs_may_try(j, ids.v[i]) && jobs_tried(j, ids.v[i], turn(j, ids.v[i], ctx))) pass->done = true;
    }
    if (j->away) return STORE_OK;
    pass->after = ids.n == TURNS ? ids.v[TURNS - 1] : 0;
    if (pass->after || pass->done) *rest_ms = 0;
    return STORE_OK;
}

/* ---- places ---- */

/* What leads to it; to NULL: there is none. */
static struct place **find_place(struct jobs *j, uint64_t id)
{
    struct place **p = &j->places;
    while (*p && ((*p)->kind != j->kind || (*p)->id != id)) p = &(*p)->next;
    return p;
}

struct job_place jobs_place(struct jobs *j, uint64_t id)
{
    const struct place *p = *find_place(j, id);
    if (!p) return (struct job_place){ 0 };
    if (p->waits) j->waits = true;
    return (struct job_place){ .after = slice_of(p->after, p->n), .again = p->again };
}

static struct place *new_place(const struct jobs *j, uint64_t id, struct job_place from)
{
    struct place *p = from.after.n ? malloc(sizeof *p + from.after.n) : NULL;
    if (!p) return NULL; /* for want of memory, too */
    *p = (struct place){ .kind = j->kind, .id = id, .waits = j->waits, .again = from.again, .n = from.after.n };
    memcpy(p->after, from.after.p, p->n);
    return p;
}

void jobs_keep_place(struct jobs *j, uint64_t id, struct job_place place)
{
    struct place *new = new_place(j, id, place), **at = find_place(j, id), *old = *at;
    if (old) *at = old->next;
    free(old);
    if (!new) return;
    new->next = j->places;
    j->places = new;
}

static void free_places(struct jobs *j)
{
    for (struct place *next; j->places; j->places = next) {
        next = j->places->next;
        free(j->places);
    }
}

/* ---- a round ---- */

/* Asks the kinds that are due, or all of them. */
static void work_round(struct jobs *j, bool all)
{
    int64_t now = monotonic_ms();
    j->woken = all;
    for (size_t i = 0; i < KINDS; i++) {
        int64_t rest = JOB_NEVER;
        if (!all && j->due_ms[i] > now) continue;
        j->kind = i;
        j->waits = j->away = false;
        int status = kinds[i]->work(j, &rest);
        if (status == STORE_CORRUPT) met_damage(j, "cannot go on");
        if (status || (j->waits && rest > RETRY_MS)) rest = RETRY_MS;
        j->due_ms[i] = due_after(j, rest);
    }
}

/* In how many milliseconds to come again. notice: kinds that had nothing to do look again in a while. */
static int64_t time_left(struct jobs *j, bool notice)
{
    int64_t next = JOB_NEVER, now = monotonic_ms();
    for (size_t i = 0; i < KINDS; i++) {
        if (notice && j->due_ms[i] == JOB_NEVER) j->due_ms[i] = due_after(j, LOOK_AGAIN_MS);
        if (j->due_ms[i] < next) next = j->due_ms[i];
    }
    return next == JOB_NEVER ? JOB_NEVER : next > now ? next - now : 0;
}

/* ---- the thread ---- */

/* With the lock held: waits for jobs_close, and for jobs_wake if wakes, but not longer. */
static void rest(struct jobs *j, int64_t ms, bool wakes)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += ms / 1000;
    until.tv_nsec += (ms % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    while (!j->stop && !(wakes && j->wanted)) {
        if (pthread_cond_timedwait(&j->changed, &j->lock, &until) == ETIMEDOUT) break;
    }
}

/* A test may hold the work (hold.h), but not keep the engine from closing. */
static void wait_while_held(struct jobs *j)
{
    const struct timespec moment = { .tv_nsec = 2000000 };
    while (j->engine->hold && hold_jobs(j->engine->hold) && !jobs_stopping(j)) nanosleep(&moment, NULL);
}

static void *thread_main(void *arg)
{
    struct jobs *j = arg;
    bool shared = store_is_shared(j->engine->store);
    int64_t look_ms = 0; /* when to ask all kinds for what others have begun */
    pthread_mutex_lock(&j->lock);
    while (!j->stop) {
        pthread_mutex_unlock(&j->lock);
        wait_while_held(j);
        pthread_mutex_lock(&j->lock);
        bool all = j->wanted || (shared && monotonic_ms() >= look_ms);
        j->wanted = false;
        pthread_mutex_unlock(&j->lock);
        bool works = has_to_work(j->engine);
        if (works) work_round(j, all);
        else forget_work(j->engine);
        if (works && all) look_ms = monotonic_ms() + OTHERS_MS;
        pthread_mutex_lock(&j->lock);
        int64_t ms = works ? time_left(j, j->noticed) : JOB_NEVER;
        if (shared && ms > OTHERS_MS) ms = OTHERS_MS;
        j->noticed = false;
        if (ms == JOB_NEVER && !j->wanted) break;
        if (ms) rest(j, ms, true);
        if (!ms && j->delay_ms) rest(j, j->delay_ms, false);
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
    j->joinable = thread_start(&j->thread, thread_main, j) == 0;
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

void jobs_notice(struct jobs *j)
{
    pthread_mutex_lock(&j->lock);
    j->noticed = true;
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
    struct jobs *j = calloc(1, sizeof *j);
    if (!j) {
        snprintf(message, message_size, "out of memory");
        return STORE_NO_MEMORY;
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
    free_places(j);
    free(j);
}
