/* concurrency.c: many threads: snapshots hold while others write, updates are serial, the map grows
 * under readers. Threads report by counting, since an assertion may only fail on cmocka's own. */
#include "groups.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#define PARTS 8

struct shared {
    struct store *s;
    atomic_bool stop;
    atomic_int wrong;
    atomic_uint_fast64_t views;
    unsigned updates; /* of each writer */
};

static struct slice part_key(uint8_t *buf, unsigned part)
{
    buf[0] = 'p';
    buf[1] = (uint8_t)part;
    return slice_of(buf, 2);
}

/* All parts always hold the same number. */
static int write_parts(struct store_txn *t, void *ctx)
{
    uint8_t key[2];
    uint64_t n = 0;
    struct slice v;
    int rc = store_get(t, SPACE_ITEM, part_key(key, 0), &v);

    (void)ctx;
    if (rc == 0)
        memcpy(&n, v.p, sizeof n);
    else if (rc != STORE_NOT_FOUND)
        return rc;
    n++;
    for (unsigned i = 0; i < PARTS; i++) {
        rc = store_put(t, SPACE_ITEM, part_key(key, i), slice_of(&n, sizeof n));
        if (rc) return rc;
    }
    return store_add(t, SLICE("n"), 1);
}

static int same_parts(struct store_txn *t, void *ctx)
{
    struct shared *x = ctx;
    uint64_t first = 0, n;
    uint8_t key[2];
    struct slice v;

    for (unsigned round = 0; round < 2; round++)
        for (unsigned i = 0; i < PARTS; i++) {
            int rc = store_get(t, SPACE_ITEM, part_key(key, i), &v);

            if (rc == STORE_NOT_FOUND) return 0;
            if (rc) return rc;
            memcpy(&n, v.p, sizeof n);
            if (!first) first = n;
            if (n != first) return 1;
        }
    atomic_fetch_add(&x->views, 1);
    return 0;
}

static void *read_until_stopped(void *arg)
{
    struct shared *x = arg;

    while (!atomic_load(&x->stop))
        if (store_view(x->s, same_parts, x)) atomic_fetch_add(&x->wrong, 1);
    return NULL;
}

static void *write_some(void *arg)
{
    struct shared *x = arg;

    for (unsigned i = 0; i < x->updates; i++)
        if (store_update(x->s, write_parts, x)) atomic_fetch_add(&x->wrong, 1);
    return NULL;
}

static void views_see_whole_updates(void **state)
{
    struct fixture *f = *state;
    struct shared x = { .s = f->s, .updates = fixture_is("full") ? 100 : 400 };
    pthread_t readers[3], writers[4];
    uint64_t n = 0;
    uint8_t key[2];

    for (int i = 0; i < 3; i++)
        pthread_create(&readers[i], NULL, read_until_stopped, &x);
    for (int i = 0; i < 4; i++)
        pthread_create(&writers[i], NULL, write_some, &x);
    for (int i = 0; i < 4; i++)
        pthread_join(writers[i], NULL);
    while (atomic_load(&x.views) == 0)
        usleep(1000);
    atomic_store(&x.stop, true);
    for (int i = 0; i < 3; i++)
        pthread_join(readers[i], NULL);
    assert_int_equal(atomic_load(&x.wrong), 0);
    assert_int_equal(get_one(f->s, SPACE_ITEM, part_key(key, 3), &n, sizeof n, NULL), 0);
    assert_int_equal(n, 4 * x.updates);
    assert_int_equal(sum_one(f->s, SLICE("n")), 4 * x.updates);
}

/* Inside another view: as that one sees it. */
static int part_is(struct store_txn *t, void *ctx)
{
    struct slice now;
    uint8_t key[2];

    if (store_get(t, SPACE_ITEM, part_key(key, 1), &now)) return 4;
    return memcmp(now.p, ctx, 8) ? 5 : 0;
}

static int view_across_an_update(struct store_txn *t, void *ctx)
{
    struct fixture *f = ctx;
    struct slice before, after;
    pthread_t writer;
    struct shared x = { .s = f->s, .updates = 20 };
    uint8_t key[2], copy[8];

    if (store_get(t, SPACE_ITEM, part_key(key, 1), &before)) return 1;
    memcpy(copy, before.p, 8);
    pthread_create(&writer, NULL, write_some, &x);
    pthread_join(writer, NULL);
    if (store_get(t, SPACE_ITEM, part_key(key, 1), &after)) return 2;
    if (memcmp(copy, after.p, 8) || memcmp(copy, before.p, 8)) return 3;
    int inside = store_view(f->s, part_is, copy);
    return inside ? inside : atomic_load(&x.wrong);
}

static void a_view_keeps_its_snapshot_while_others_commit(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(store_update(f->s, write_parts, NULL), 0);
    assert_int_equal(store_view(f->s, view_across_an_update, f), 0);
    /* There a view that reads a second time is begun anew. */
    assert_int_equal(sum_one(f->s, SLICE("n")), fixture_is("postgres") ? 41 : 21);
}

/* ---- views that nobody waits for ---- */

#define QUICK 300 /* more than go in one turn */

struct asking {
    struct store_job job;
    unsigned reads; /* of each run */
    uint64_t n;     /* what it read, summed up */
    int rc;
    atomic_uint *done;
};

static int ask(struct store_txn *t, void *ctx)
{
    struct asking *a = ctx;
    uint8_t key[2];

    a->n = 0;
    for (unsigned i = 0; i < a->reads; i++) {
        struct slice value;
        a->rc = store_get(t, SPACE_ITEM, part_key(key, (uint8_t)(i % 3 + 1)), &value);
        if (a->rc) return a->rc;
        a->n += value.p[0];
    }
    return 0;
}

static void asked(struct store_job *job)
{
    struct asking *a = job->ctx;
    atomic_fetch_add(a->done, 1);
}

static int put_values(struct store_txn *t, void *ctx)
{
    uint8_t key[2];

    (void)ctx;
    for (uint8_t i = 1; i <= 3; i++) {
        uint8_t value = (uint8_t)(i * 10);
        int rc = store_put(t, SPACE_ITEM, part_key(key, i), slice_of(&value, 1));
        if (rc) return rc;
    }
    return 0;
}

static void views_are_submitted(void **state)
{
    static const uint64_t sums[] = { 0, 10, 30, 60 };
    struct fixture *f = *state;
    struct asking *all = calloc(QUICK, sizeof *all);
    atomic_uint done = 0;
    unsigned turned_away = 0;

    assert_int_equal(store_update(f->s, put_values, NULL), 0);
    for (unsigned i = 0; i < QUICK; i++) {
        all[i] = (struct asking){ .job = { .fn = ask, .ctx = &all[i], .done = asked }, .reads = i % 4, .done = &done };
        if (i) all[i - 1].job.next = &all[i].job;
    }
    store_submit_views(f->s, &all[0].job, &all[QUICK - 1].job);
    while (atomic_load(&done) < QUICK) usleep(1000);
    for (unsigned i = 0; i < QUICK; i++) {
        struct asking *a = &all[i];
        bool must_be_long = a->reads > 1 || !fixture_is("postgres");
        assert_int_equal(a->job.status, must_be_long ? STORE_LONG : STORE_OK);
        if (a->job.status) turned_away++;
        if (a->job.status) assert_int_equal(store_view_long(f->s, ask, a), 0);
        assert_int_equal(a->n, sums[a->reads]);
    }
    assert_int_equal(turned_away, fixture_is("postgres") ? QUICK / 2 : QUICK);
    free(all);
}

static int nested_view(struct store_txn *t, void *ctx)
{
    struct shared *x = ctx;

    (void)t;
    usleep(200);
    return store_view(x->s, same_parts, x);
}

static void *nest_until_stopped(void *arg)
{
    struct shared *x = arg;

    while (!atomic_load(&x->stop))
        if (store_view(x->s, nested_view, x)) atomic_fetch_add(&x->wrong, 1);
    return NULL;
}

static int put_blob(struct store_txn *t, void *ctx)
{
    static uint8_t blob[40000];
    unsigned i = *(unsigned *)ctx;

    blob[0] = (uint8_t)i;
    return store_put(t, SPACE_STREAM, slice_of(&i, sizeof i), slice_of(blob, sizeof blob));
}

/* Much more than the map holds at first, with small and large transactions. */
static int put_blobs(struct store_txn *t, void *ctx)
{
    unsigned from = *(unsigned *)ctx;

    for (unsigned i = from; i < from + 100; i++) {
        int rc = put_blob(t, &i);

        if (rc) return rc;
    }
    return 0;
}

static void the_map_grows_under_readers(void **state)
{
    struct fixture *f = *state;
    struct shared x = { 0 };
    struct store_stats st;
    pthread_t readers[3];

    if (fixture_is("postgres")) skip(); /* which has none */
    f->options.map_size = 1 << 20;
    fixture_reopen(f);
    x.s = f->s;
    store_get_stats(f->s, &st);
    assert_int_equal(st.map_size, 1 << 20);
    assert_int_equal(store_update(f->s, write_parts, NULL), 0);
    for (int i = 0; i < 3; i++)
        pthread_create(&readers[i], NULL, i ? read_until_stopped : nest_until_stopped, &x);
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(store_update(f->s, put_blob, &i), 0);
    for (unsigned i = 100; i < 400; i += 100)
        assert_int_equal(store_update(f->s, put_blobs, &i), 0);
    atomic_store(&x.stop, true);
    for (int i = 0; i < 3; i++)
        pthread_join(readers[i], NULL);
    assert_int_equal(atomic_load(&x.wrong), 0);
    assert_int_equal(count_keys(f->s, SPACE_STREAM, false), 400);
    store_get_stats(f->s, &st);
    assert_true(st.map_size >= 16 << 20);
    assert_true(st.bytes < st.map_size);
}

static int slow_view(struct store_txn *t, void *ctx)
{
    usleep(2000);
    return same_parts(t, ctx);
}

static void *view_twice(void *arg)
{
    struct shared *x = arg;

    for (int i = 0; i < 2; i++)
        if (store_view(x->s, slow_view, x)) atomic_fetch_add(&x->wrong, 1);
    return NULL;
}

static void more_views_than_readers_wait_their_turn(void **state)
{
    enum { THREADS = 200 };
    struct fixture *f = *state;
    struct shared x = { .s = f->s };
    pthread_t threads[THREADS];

    assert_int_equal(store_update(f->s, write_parts, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, view_twice, &x), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&x.wrong), 0);
    assert_int_equal(atomic_load(&x.views), 2 * THREADS);
}

/* What a view sees it keeps from its second read on, at the latest. */
static int ask_how_old(struct store_txn *t, void *ctx)
{
    struct fixture *f = ctx;
    struct store_stats stats = { 0 };
    struct slice value;

    for (int i = 0; i < 2; i++) {
        int rc = store_get(t, SPACE_ITEM, SLICE("none"), &value);
        if (rc != STORE_NOT_FOUND) return rc;
    }
    usleep(60000);
    store_get_stats(f->s, &stats);
    return stats.reader_ms >= 40 && stats.reader_ms < 60000 ? 0 : STORE_INVALID;
}

static void the_oldest_view_has_an_age(void **state)
{
    struct fixture *f = *state;
    struct store_stats stats = { .reader_ms = 1 };

    assert_int_equal(store_view(f->s, ask_how_old, f), 0);
    store_get_stats(f->s, &stats);
    assert_int_equal(stats.reader_ms, 0);
}

int concurrency_group(void)
{
    const struct CMUnitTest tests[] = {
        TEST(views_see_whole_updates),
        TEST(a_view_keeps_its_snapshot_while_others_commit),
        TEST(views_are_submitted),
        TEST(the_map_grows_under_readers),
        TEST(more_views_than_readers_wait_their_turn),
        TEST(the_oldest_view_has_an_age),
    };

    return cmocka_run_group_tests_name("concurrency", tests, NULL, NULL);
}
