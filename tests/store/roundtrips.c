/* roundtrips.c: the test mode that counts and delays reads, with which the engine proves how many
 * round trips an operation takes. */
#include "groups.h"

static uint64_t trips(struct store *s)
{
    struct store_stats st;

    store_get_stats(s, &st);
    return st.reads;
}

static int reads_fn(struct store_txn *t, void *ctx)
{
    struct store_read many[100];
    struct slice v;
    int64_t sum;

    for (int i = 0; i < 100; i++)
        many[i] = (struct store_read){ .space = SPACE_ITEM, .key = SLICE("k") };
    store_get(t, SPACE_ITEM, SLICE("k"), &v);
    if (*(int *)ctx > 1) store_get_many(t, many, 100);
    if (*(int *)ctx > 2) store_sum(t, SLICE("c"), &sum);
    return 0;
}

static int range_fn(struct store_txn *t, void *ctx)
{
    struct store_range r = { .space = SPACE_ITEM, .limit = *(size_t *)ctx };
    struct store_cursor *c;
    int rc = store_range_open(t, &r, &c);

    while (rc == 0)
        rc = store_range_next(c, NULL, NULL);
    return rc == STORE_END ? 0 : rc;
}

static int go_on(void *ctx, struct slice value)
{
    (void)ctx;
    (void)value;
    return 0;
}

static int each_fn(struct store_txn *t, void *ctx)
{
    struct store_range r = { .space = SPACE_ITEM, .limit = *(size_t *)ctx };
    struct store_cursor *c;
    int rc = store_range_open(t, &r, &c);

    if (rc == 0) rc = store_range_each(c, go_on, NULL);
    return rc == STORE_END ? 0 : rc;
}

static void reads_are_counted_by_round_trip(void **state)
{
    struct fixture *f = *state;
    size_t limits[] = { 0, 100, 10, 4, 3 };
    uint64_t expected[] = { 1, 1, 2, 3, 4 }, before;

    if (!f->options.count_reads) {
        put_one(f->s, SPACE_ITEM, SLICE("k"), SLICE(""));
        assert_int_equal(trips(f->s), 0);
        assert_int_equal(store_may_block(f->s), fixture_is("postgres"));
        return;
    }
    assert_true(store_may_block(f->s));
    for (int i = 1; i <= 3; i++) {
        before = trips(f->s);
        assert_int_equal(store_view(f->s, reads_fn, &i), 0);
        assert_int_equal(trips(f->s) - before, i);
        before = trips(f->s);
        assert_int_equal(store_update(f->s, reads_fn, &i), 0);
        assert_int_equal(trips(f->s) - before, i);
    }
    for (int i = 0; i < 10; i++)
        assert_int_equal(put_one(f->s, SPACE_ITEM, slice_of((char[]){ (char)i }, 1), SLICE("")), 0);
    for (int i = 0; i < 5; i++) {
        before = trips(f->s);
        assert_int_equal(store_view(f->s, range_fn, &limits[i]), 0);
        assert_int_equal(trips(f->s) - before, expected[i]);
        assert_int_equal(store_view(f->s, each_fn, &limits[i]), 0);
        assert_int_equal(trips(f->s) - before, 2 * expected[i]);
    }
}

static void a_read_takes_as_long_as_told(void **state)
{
    struct fixture *f = *state;
    double start;
    int n = 2;

    if (!f->options.count_reads) skip();
    f->options.read_delay_us = 10000;
    fixture_reopen(f);
    start = seconds();
    assert_int_equal(store_view(f->s, reads_fn, &n), 0);
    assert_true(seconds() - start >= 0.02);
}

int roundtrips_group(void)
{
    const struct CMUnitTest tests[] = {
        TEST(reads_are_counted_by_round_trip),
        TEST(a_read_takes_as_long_as_told),
    };

    return cmocka_run_group_tests_name("roundtrips", tests, NULL, NULL);
}
