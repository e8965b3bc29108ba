/* batches.c: updates that are ready together are committed together, and still stand alone: each
 * sees those before it, a failing one leaves nothing and takes nobody with it. */
#include "groups.h"
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Holds the writer while a test fills the queue. */
struct gate {
    struct store_job job;
    sem_t entered, open, finished;
};

static int gate_fn(struct store_txn *t, void *ctx)
{
    struct gate *g = ctx;

    (void)t;
    sem_post(&g->entered);
    sem_wait(&g->open);
    return 0;
}

static void gate_done(struct store_job *job)
{
    sem_post(&((struct gate *)job->ctx)->finished);
}

static void gate_close(struct gate *g, struct store *s)
{
    sem_init(&g->entered, 0, 0);
    sem_init(&g->open, 0, 0);
    sem_init(&g->finished, 0, 0);
    g->job = (struct store_job){ .fn = gate_fn, .ctx = g, .done = gate_done };
    store_submit(s, &g->job);
    sem_wait(&g->entered);
}

static void gate_open(struct gate *g)
{
    sem_post(&g->open);
    sem_wait(&g->finished);
    sem_destroy(&g->entered);
    sem_destroy(&g->open);
    sem_destroy(&g->finished);
}

/* A job that appends its number to the value of one key: the value tells what ran, in which order.
 */
struct append {
    struct store_job job;
    uint8_t number;
    int fail_before, fail_after; /* what to return before or after writing; 0: not to */
    int runs;
    sem_t *done;
};

static int append_fn(struct store_txn *t, void *ctx)
{
    struct append *a = ctx;
    uint8_t bytes[512];
    struct slice v = { 0 };
    int rc = store_get(t, SPACE_META, SLICE("log"), &v);

    a->runs++;
    if (rc && rc != STORE_NOT_FOUND) return rc;
    if (rc == STORE_NOT_FOUND) v.n = 0;
    if (v.n) memcpy(bytes, v.p, v.n);
    bytes[v.n] = a->number;
    rc = store_add(t, SLICE("appended"), 1);
    if (rc) return rc;
    if (a->fail_before) return a->fail_before;
    rc = store_put(t, SPACE_META, SLICE("log"), slice_of(bytes, v.n + 1));
    if (rc) return rc;
    return a->fail_after;
}

static void append_done(struct store_job *job)
{
    sem_post(((struct append *)job->ctx)->done);
}

#define JOBS 100

/* Runs all of them from one full queue and waits for their answers. */
static void run_together(struct store *s, struct append *jobs, store_fn *fn,
                         struct store_stats *after)
{
    struct gate g;
    sem_t done;

    sem_init(&done, 0, 0);
    gate_close(&g, s);
    for (int i = 0; i < JOBS; i++) {
        jobs[i].number = (uint8_t)i;
        jobs[i].done = &done;
        jobs[i].job = (struct store_job){ .fn = fn, .ctx = &jobs[i], .done = append_done };
        store_submit(s, &jobs[i].job);
    }
    gate_open(&g);
    for (int i = 0; i < JOBS; i++)
        sem_wait(&done);
    sem_destroy(&done);
    store_get_stats(s, after);
}

static void assert_log(struct store *s, const struct append *jobs)
{
    uint8_t log[512];
    size_t n = 0, at = 0;
    int rc = get_one(s, SPACE_META, SLICE("log"), log, sizeof log, &n);

    assert_true(rc == 0 || rc == STORE_NOT_FOUND);
    for (int i = 0; i < JOBS; i++) {
        int expected = jobs[i].fail_before ? jobs[i].fail_before : jobs[i].fail_after;

        assert_int_equal(jobs[i].job.status, expected);
        if (expected) continue;
        assert_true(at < n);
        assert_int_equal(log[at++], i);
    }
    assert_int_equal(at, n);
    assert_int_equal(sum_one(s, SLICE("appended")), at);
}

static void what_is_queued_is_committed_once(void **state)
{
    struct fixture *f = *state;
    struct append jobs[JOBS] = { 0 };
    struct store_stats after;

    run_together(f->s, jobs, append_fn, &after);
    assert_log(f->s, jobs);
    assert_int_equal(after.commits, 1); /* the gate wrote nothing */
    assert_int_equal(after.updates, JOBS + 1);
    for (int i = 0; i < JOBS; i++)
        assert_int_equal(jobs[i].runs, fixture_is("postgres") ? 2 : 1); /* the first to learn what it reads */
}

static void failing_before_a_write_costs_nothing(void **state)
{
    struct fixture *f = *state;
    struct append jobs[JOBS] = { 0 };
    struct store_stats after;

    for (int i = 0; i < JOBS; i += 3)
        jobs[i].fail_before = 100 + i;
    run_together(f->s, jobs, append_fn, &after);
    assert_log(f->s, jobs);
    assert_int_equal(after.commits, 1);
    assert_int_equal(after.reruns, 0);
}

static void failing_after_a_write_leaves_nothing_and_spares_the_others(void **state)
{
    struct fixture *f = *state;
    struct append jobs[JOBS] = { 0 };
    struct store_stats after;

    jobs[0].fail_after = 1;
    jobs[1].fail_after = 2;
    jobs[40].fail_after = 3;
    jobs[41].fail_before = 4;
    jobs[60].fail_after = STORE_CONFLICT;
    jobs[JOBS - 1].fail_after = 5;
    run_together(f->s, jobs, append_fn, &after);
    assert_log(f->s, jobs);
    if (!fixture_is("postgres")) assert_true(after.reruns > 0); /* there it is undone alone */
    for (int i = 0; i < JOBS; i++)
        assert_true(jobs[i].runs <= 3);
}

static void all_may_fail(void **state)
{
    struct fixture *f = *state;
    struct append jobs[JOBS] = { 0 };
    struct store_stats after;

    for (int i = 0; i < JOBS; i++)
        jobs[i].fail_after = 1 + i;
    run_together(f->s, jobs, append_fn, &after);
    assert_log(f->s, jobs);
    assert_int_equal(after.commits, 0);
}

/* Each job forgets the counter that the one before it left, and adds its own number. */
static int reset_fn(struct store_txn *t, void *ctx)
{
    struct append *a = ctx;
    int64_t sum = 0;

    if (store_sum(t, SLICE("c"), &sum) || sum != (a->number ? a->number - 1 : 1000)) return 1;
    if (a->number % 3 == 2 && (store_add(t, SLICE("c"), 1) || store_sum(t, SLICE("c"), &sum)))
        return 2;
    if (a->number % 3 == 2) return sum == a->number ? 0 : 3;
    if (store_add(t, SLICE("c"), 77) || store_add_reset(t, SLICE("c"))) return 4;
    if (store_sum(t, SLICE("c"), &sum) || sum != 0) return 5;
    return store_add(t, SLICE("c"), a->number);
}

static int add_1000(struct store_txn *t, void *ctx)
{
    (void)ctx;
    return store_add(t, SLICE("c"), 1000);
}

static void counters_of_a_batch_build_on_each_other(void **state)
{
    struct fixture *f = *state;
    struct append jobs[JOBS] = { 0 };
    struct store_stats after;

    assert_int_equal(store_update(f->s, add_1000, NULL), 0);
    run_together(f->s, jobs, reset_fn, &after);
    for (int i = 0; i < JOBS; i++)
        assert_int_equal(jobs[i].job.status, 0);
    assert_int_equal(after.commits, 2);
    assert_int_equal(sum_one(f->s, SLICE("c")), JOBS - 1);
}

static int big_fn(struct store_txn *t, void *ctx)
{
    struct append *a = ctx;
    static const uint8_t value[1 << 20];
    int rc = 0;

    for (uint8_t i = 0; rc == 0 && i < 8; i++)
        rc = store_put(t, SPACE_ITEM, slice_of((uint8_t[]){ a->number, i }, 2),
                       slice_of(value, sizeof value));
    return rc;
}

/* More than one transaction should hold at once. */
static void a_large_queue_is_committed_in_parts(void **state)
{
    struct fixture *f = *state;
    struct append jobs[16] = { 0 };
    struct store_stats after;
    struct gate g;
    sem_t done;

    sem_init(&done, 0, 0);
    gate_close(&g, f->s);
    for (int i = 0; i < 16; i++) {
        jobs[i].number = (uint8_t)i;
        jobs[i].done = &done;
        jobs[i].job = (struct store_job){ .fn = big_fn, .ctx = &jobs[i], .done = append_done };
        store_submit(f->s, &jobs[i].job);
    }
    gate_open(&g);
    for (int i = 0; i < 16; i++)
        sem_wait(&done);
    sem_destroy(&done);
    store_get_stats(f->s, &after);
    assert_true(after.commits > 1 && after.commits < 16);
    assert_int_equal(count_keys(f->s, SPACE_ITEM, false), 16 * 8);
}

static int read_fn(struct store_txn *t, void *ctx)
{
    struct append *a = ctx;
    struct slice value;
    int rc = store_get(t, SPACE_ITEM, SLICE("large"), &value);

    return rc ? rc : store_put(t, SPACE_ITEM, slice_of(&a->number, 1), SLICE("x"));
}

/* Who reads in an update keeps a copy until the commit: a thousand jobs that each read much must not
 * wait for one another. */
static void a_queue_that_reads_much_is_committed_in_parts(void **state)
{
    static const uint8_t large[STORE_MAX_VALUE];
    struct fixture *f = *state;
    struct append *jobs = calloc(JOBS, sizeof *jobs);
    struct store_stats before, after;

    assert_int_equal(put_one(f->s, SPACE_ITEM, SLICE("large"), slice_of(large, sizeof large)), 0);
    store_get_stats(f->s, &before);
    run_together(f->s, jobs, read_fn, &after);
    if (!fixture_is("postgres")) assert_true(after.commits - before.commits > JOBS / 16); /* there all have the same copy */
    assert_true(after.commits - before.commits < JOBS / 4);
    free(jobs);
}

static atomic_int answered;

static void count_done(struct store_job *job)
{
    atomic_fetch_add(&answered, job->status == 0);
}

static void closing_executes_what_is_queued(void **state)
{
    struct fixture *f = *state;
    struct append *jobs = calloc(JOBS, sizeof *jobs);
    uint8_t log[512];
    size_t n = 0;

    atomic_store(&answered, 0);
    for (int i = 0; i < JOBS; i++) {
        jobs[i].number = (uint8_t)i;
        jobs[i].job = (struct store_job){ .fn = append_fn, .ctx = &jobs[i], .done = count_done };
        store_submit(f->s, &jobs[i].job);
    }
    fixture_close(f);
    assert_int_equal(atomic_load(&answered), JOBS);
    fixture_reopen(f);
    if (fixture_persists()) {
        assert_int_equal(get_one(f->s, SPACE_META, SLICE("log"), log, sizeof log, &n), 0);
        assert_int_equal(n, JOBS);
    }
    free(jobs);
}

/* The writer is idle when they come, and still finds all of them. */
static void what_is_submitted_together_is_committed_together(void **state)
{
    struct fixture *f = *state;
    struct append jobs[JOBS] = { 0 };
    struct store_stats before, after;
    sem_t done;

    sem_init(&done, 0, 0);
    store_get_stats(f->s, &before);
    for (int i = 0; i < JOBS; i++) {
        jobs[i].number = (uint8_t)i;
        jobs[i].done = &done;
        jobs[i].job = (struct store_job){ .fn = append_fn, .ctx = &jobs[i], .done = append_done };
        if (i) jobs[i - 1].job.next = &jobs[i].job;
    }
    store_submit_all(f->s, &jobs[0].job, &jobs[JOBS - 1].job);
    for (int i = 0; i < JOBS; i++)
        sem_wait(&done);
    sem_destroy(&done);
    store_get_stats(f->s, &after);
    assert_int_equal(after.commits - before.commits, 1);
    assert_int_equal(after.updates - before.updates, JOBS);
    assert_log(f->s, jobs);
}

struct performed {
    struct store_job job;
    pthread_t ran_on;
    int returns, answers;
};

static int perform_fn(struct store_txn *t, void *ctx)
{
    struct performed *p = ctx;

    p->ran_on = pthread_self();
    return p->returns ? p->returns : store_put(t, SPACE_META, SLICE("performed"), SLICE("x"));
}

static void perform_done(struct store_job *job)
{
    ((struct performed *)job->ctx)->answers++;
}

static void perform(struct store *s, struct performed *p)
{
    p->job = (struct store_job){ .fn = perform_fn, .ctx = p, .done = perform_done };
    store_perform(s, &p->job);
}

static void an_idle_store_performs_on_the_caller_s_thread(void **state)
{
    struct fixture *f = *state;
    struct performed good = { 0 }, bad = { .returns = 7 };
    uint8_t value[8];
    size_t n = 0;

    perform(f->s, &bad);
    assert_int_equal(bad.job.status, 7);
    assert_int_equal(get_one(f->s, SPACE_META, SLICE("performed"), value, sizeof value, &n), STORE_NOT_FOUND);
    perform(f->s, &good);
    assert_int_equal(good.job.status, 0);
    assert_int_equal(get_one(f->s, SPACE_META, SLICE("performed"), value, sizeof value, &n), 0);
    assert_true(good.answers == 1 && bad.answers == 1);
    if (fixture_is("postgres")) return; /* there it is the writer's */
    assert_true(pthread_equal(good.ran_on, pthread_self()) && pthread_equal(bad.ran_on, pthread_self()));
}

static void *perform_main(void *arg)
{
    void **args = arg;

    perform(args[0], args[1]);
    return NULL;
}

static void a_busy_store_performs_later(void **state)
{
    struct fixture *f = *state;
    struct performed p = { .returns = 0 }, bad = { .returns = 7 };
    void *args[] = { f->s, &p }, *bad_args[] = { f->s, &bad };
    pthread_t thread, bad_thread;
    struct gate g;

    gate_close(&g, f->s);
    assert_int_equal(pthread_create(&thread, NULL, perform_main, args), 0);
    assert_int_equal(pthread_create(&bad_thread, NULL, perform_main, bad_args), 0);
    usleep(20000);
    gate_open(&g);
    pthread_join(thread, NULL);
    pthread_join(bad_thread, NULL);
    assert_true(p.job.status == 0 && bad.job.status == 7);
    assert_true(p.answers == 1 && bad.answers == 1);
}

int batches_group(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_queued_is_committed_once),
        TEST(failing_before_a_write_costs_nothing),
        TEST(failing_after_a_write_leaves_nothing_and_spares_the_others),
        TEST(all_may_fail),
        TEST(counters_of_a_batch_build_on_each_other),
        TEST(a_large_queue_is_committed_in_parts),
        TEST(a_queue_that_reads_much_is_committed_in_parts),
        TEST(closing_executes_what_is_queued),
        TEST(what_is_submitted_together_is_committed_together),
        TEST(an_idle_store_performs_on_the_caller_s_thread),
        TEST(a_busy_store_performs_later),
    };

    return cmocka_run_group_tests_name("batches", tests, NULL, NULL);
}
