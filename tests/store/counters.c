/* counters.c: additions are seen by their own transaction, committed with it, and gone if it fails.
 */
#include "groups.h"

#define N SLICE("table/1/items")

struct step {
    int64_t add, expect_before, expect_after;
    bool reset;
    int give;
};

static int step_fn(struct store_txn *t, void *ctx)
{
    struct step *s = ctx;
    int64_t sum = -1;

    if (store_sum(t, N, &sum) || sum != s->expect_before) return 1000;
    if (s->reset && store_add_reset(t, N)) return 1001;
    if (store_add(t, N, s->add - 1) || store_add(t, N, 1)) return 1002;
    if (store_sum(t, N, &sum) || sum != s->expect_after) return 1003;
    return s->give;
}

static void sums_follow_additions(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(sum_one(f->s, N), 0);
    assert_int_equal(store_update(f->s, step_fn, &(struct step){ .add = 5, .expect_after = 5 }), 0);
    assert_int_equal(sum_one(f->s, N), 5);
    assert_int_equal(
        store_update(f->s, step_fn,
                     &(struct step){ .add = -7, .expect_before = 5, .expect_after = -2 }),
        0);
    assert_int_equal(sum_one(f->s, N), -2);
    assert_int_equal(store_update(f->s, step_fn, &(struct step){ .add = 2, .expect_before = -2 }),
                     0);
    assert_int_equal(sum_one(f->s, N), 0);
}

static void a_failing_function_adds_nothing(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(
        store_update(f->s, step_fn, &(struct step){ .add = 5, .expect_after = 5, .give = 9 }), 9);
    assert_int_equal(sum_one(f->s, N), 0);
    assert_int_equal(store_update(f->s, step_fn, &(struct step){ .add = 1, .expect_after = 1 }), 0);
    assert_int_equal(sum_one(f->s, N), 1);
}

static void reset_forgets(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(store_update(f->s, step_fn, &(struct step){ .add = 5, .expect_after = 5 }), 0);
    assert_int_equal(
        store_update(
            f->s, step_fn,
            &(struct step){
                .add = 3, .reset = true, .expect_before = 5, .expect_after = 3, .give = 9 }),
        9);
    assert_int_equal(sum_one(f->s, N), 5);
    assert_int_equal(
        store_update(
            f->s, step_fn,
            &(struct step){ .add = 3, .reset = true, .expect_before = 5, .expect_after = 3 }),
        0);
    assert_int_equal(sum_one(f->s, N), 3);
    if (fixture_persists())
        fixture_reopen(f);
    else
        return;
    assert_int_equal(sum_one(f->s, N), 3);
}

static int extremes_fn(struct store_txn *t, void *ctx)
{
    (void)ctx;
    if (store_add(t, SLICE("max"), INT64_MAX) || store_add(t, SLICE("min"), INT64_MIN)) return 1;
    return store_add(t, SLICE("wrap"), INT64_MAX) || store_add(t, SLICE("wrap"), 1);
}

static void extremes_wrap(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(store_update(f->s, extremes_fn, NULL), 0);
    assert_true(sum_one(f->s, SLICE("max")) == INT64_MAX);
    assert_true(sum_one(f->s, SLICE("min")) == INT64_MIN);
    assert_true(sum_one(f->s, SLICE("wrap")) == INT64_MIN);
}

#define COUNTERS 500

static int many_fn(struct store_txn *t, void *ctx)
{
    uint8_t key[700] = { 0 };
    int rc = 0;

    (void)ctx;
    for (uint32_t i = 0; rc == 0 && i < COUNTERS; i++) {
        memcpy(key + (i % 2 ? 600 : 0), &i, sizeof i);
        rc = store_add(t, slice_of(key, i % 3 ? 8 + i % 600 : 700), i);
    }
    return rc;
}

static void many_counters_in_one_transaction(void **state)
{
    struct fixture *f = *state;
    uint8_t key[700] = { 0 };
    uint32_t i = 2;

    assert_int_equal(store_update(f->s, many_fn, NULL), 0);
    assert_int_equal(store_update(f->s, many_fn, NULL), 0);
    memcpy(key, &i, sizeof i);
    assert_int_equal(sum_one(f->s, slice_of(key, 10)), 4);
}

#define RISING                                                                                                                  \
    "DO $$ BEGIN IF (SELECT count(*) FROM onefold_counter) <> 4 OR EXISTS (SELECT FROM (SELECT place, head, tail, "             \
    "lag(place) OVER w AS p, lag(head) OVER w AS h, lag(tail) OVER w AS t FROM onefold_counter WINDOW w AS (ORDER BY ctid)) r " \
    "WHERE (p, h, t) >= (place, head, tail)) THEN RAISE 'counters are not written in the order of their keys'; END IF; END $$"

static int falling_fn(struct store_txn *t, void *ctx)
{
    const char *const keys[] = { "S\0\0\0\2", "C\0\0\0\2", "S\0\0\0\1", "C\0\0\0\1" };
    int rc = 0;

    (void)ctx;
    for (size_t i = 0; rc == 0 && i < 4; i++)
        rc = store_add(t, slice_of(keys[i], 5), 1);
    return rc;
}

/* Two servers that share rows would otherwise wait for each other. In a new table rows lie as they were written. */
static void counters_are_locked_in_the_order_of_their_keys(void **state)
{
    struct fixture *f = *state;

    if (!fixture_is("postgres")) skip();
    assert_int_equal(store_update(f->s, falling_fn, NULL), 0);
    assert_int_equal(database_run(f->url, RISING), 0);
}

int counters_group(void)
{
    const struct CMUnitTest tests[] = {
        TEST(sums_follow_additions), TEST(a_failing_function_adds_nothing),  TEST(reset_forgets),
        TEST(extremes_wrap),         TEST(many_counters_in_one_transaction),
        TEST(counters_are_locked_in_the_order_of_their_keys),
    };

    return cmocka_run_group_tests_name("counters", tests, NULL, NULL);
}
