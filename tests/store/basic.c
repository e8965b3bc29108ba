/* basic.c: single keys: what is put is there, what fails leaves nothing, misuse is refused. */
#include "groups.h"
#include "../unit/repeat.h"
#include <stdlib.h>
#include <stdio.h>

#define K SLICE("key")

static void absent_key_is_not_found(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(get_one(f->s, SPACE_ITEM, K, NULL, 0, NULL), STORE_NOT_FOUND);
    assert_int_equal(delete_one(f->s, SPACE_ITEM, K), 0);
}

static void put_replaces_and_delete_removes(void **state)
{
    struct fixture *f = *state;
    char v[16];
    size_t n;

    assert_int_equal(put_one(f->s, SPACE_ITEM, K, SLICE("one")), 0);
    assert_int_equal(put_one(f->s, SPACE_ITEM, K, SLICE("another")), 0);
    assert_int_equal(get_one(f->s, SPACE_ITEM, K, v, sizeof v, &n), 0);
    assert_int_equal(n, 7);
    assert_memory_equal(v, "another", 7);
    assert_int_equal(delete_one(f->s, SPACE_ITEM, K), 0);
    assert_int_equal(get_one(f->s, SPACE_ITEM, K, v, sizeof v, &n), STORE_NOT_FOUND);
}

static void spaces_are_apart(void **state)
{
    struct fixture *f = *state;
    char v[16];
    size_t n;

    for (int i = 0; i < SPACE_COUNTER; i++) {
        char text[] = { (char)('a' + i), 0 };

        assert_int_equal(put_one(f->s, (enum store_space)i, K, slice_str(text)), 0);
    }
    for (int i = 0; i < SPACE_COUNTER; i++) {
        assert_int_equal(get_one(f->s, (enum store_space)i, K, v, sizeof v, &n), 0);
        assert_int_equal(v[0], 'a' + i);
        assert_int_equal(count_keys(f->s, (enum store_space)i, false), 1);
    }
}

static void values_of_all_sizes(void **state)
{
    static const size_t sizes[] = { 0,     1,      2,      100,     2027,
                                    2028,  2040,   2048,   4075,    4096,
                                    65536, 409600, 409601, 1 << 20, STORE_MAX_VALUE };
    struct fixture *f = *state;
    uint8_t *v = malloc(STORE_MAX_VALUE), *w = malloc(STORE_MAX_VALUE);
    uint32_t seed = 7;
    size_t n;

    assert_non_null(v);
    assert_non_null(w);
    for (size_t i = 0; i < STORE_MAX_VALUE; i++)
        v[i] = (uint8_t)next_random(&seed);
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            struct slice key = slice_of(&sizes[round ? i : 0], sizeof *sizes);

            assert_int_equal(put_one(f->s, SPACE_ITEM, key,
                                     slice_of(v + round, sizes[i] - (sizes[i] ? round : 0))),
                             0);
            assert_int_equal(get_one(f->s, SPACE_ITEM, key, w, STORE_MAX_VALUE, &n), 0);
            assert_int_equal(n, sizes[i] - (sizes[i] ? round : 0));
            assert_memory_equal(v + round, w, n);
        }
    free(v);
    free(w);
}

static int misuse(struct store_txn *t, void *ctx)
{
    static uint8_t long_key[STORE_MAX_KEY + 1];
    struct slice v, big = slice_of(ctx, STORE_MAX_VALUE + 1);
    const struct slice none = slice_of(NULL, 0), longer = slice_of(long_key, sizeof long_key);
    struct store_read of_counters = { .space = SPACE_COUNTER, .key = K }, of_no_key = { .space = SPACE_ITEM };
    struct store_range ranges[] = { { .space = SPACE_END }, { .space = SPACE_ITEM, .from = longer }, { .space = SPACE_ITEM, .to = longer } };
    struct store_cursor *cursor;
    int64_t sum;

    assert_int_equal(store_get_many(t, &of_counters, 1), STORE_INVALID);
    assert_int_equal(store_get_many(t, &of_no_key, 1), STORE_INVALID);
    assert_int_equal(store_get_many(t, NULL, 0), STORE_OK);
    assert_int_equal(store_delete(t, SPACE_COUNTER, K), STORE_INVALID);
    assert_int_equal(store_delete(t, SPACE_ITEM, none), STORE_INVALID);
    assert_int_equal(store_add(t, none, 1), STORE_INVALID);
    assert_int_equal(store_add_reset(t, none), STORE_INVALID);
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        assert_int_equal(store_range_open(t, &ranges[i], &cursor), STORE_INVALID);
        assert_null(cursor);
        store_range_close(cursor);
    }
    assert_int_equal(store_put(t, SPACE_ITEM, longer, K), STORE_INVALID);
    assert_int_equal(store_put(t, SPACE_ITEM, slice_of(NULL, 0), K), STORE_INVALID);
    assert_int_equal(store_put(t, SPACE_ITEM, K, big), STORE_INVALID);
    assert_int_equal(store_put(t, SPACE_END, K, K), STORE_INVALID);
    assert_int_equal(store_put(t, SPACE_COUNTER, K, K), STORE_INVALID);
    assert_int_equal(store_get(t, SPACE_COUNTER, K, &v), STORE_INVALID);
    assert_int_equal(store_get(t, SPACE_ITEM, slice_of(NULL, 0), &v), STORE_INVALID);
    assert_int_equal(store_sum(t, slice_of(NULL, 0), &sum), STORE_INVALID);
    return 0;
}

static int write_in_a_view(struct store_txn *t, void *ctx)
{
    (void)ctx;
    assert_int_equal(store_put(t, SPACE_ITEM, K, K), STORE_INVALID);
    assert_int_equal(store_delete(t, SPACE_ITEM, K), STORE_INVALID);
    assert_int_equal(store_add(t, K, 1), STORE_INVALID);
    assert_int_equal(store_add_reset(t, K), STORE_INVALID);
    return 42;
}

static void misuse_is_refused(void **state)
{
    struct fixture *f = *state;
    void *big = malloc(STORE_MAX_VALUE + 1);

    assert_int_equal(store_update(f->s, misuse, big), 0);
    assert_int_equal(store_view(f->s, write_in_a_view, NULL), 42);
    assert_int_equal(count_keys(f->s, SPACE_ITEM, false), 0);
    free(big);
}

/* Each by its own words; and one that is none. */
static void every_status_has_words(void **state)
{
    (void)state;
    for (int status = STORE_INVALID; status <= STORE_OK; status++)
        for (int other = STORE_INVALID - 1; other < status; other++)
            assert_string_not_equal(store_status_text(status), store_status_text(other));
}

static int refuse_twice(struct store_txn *t, void *ctx)
{
    (void)ctx;
    store_refuse(t, STORE_NO_MEMORY);
    store_refuse(t, STORE_IO);
    return store_put(t, SPACE_ITEM, K, K);
}

static void what_was_refused_is_not_committed(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(store_update(f->s, refuse_twice, NULL), STORE_NO_MEMORY);
    assert_int_equal(count_keys(f->s, SPACE_ITEM, false), 0);
}

static int reads_own_writes(struct store_txn *t, void *ctx)
{
    struct slice v;
    struct store_read many[3] = { { .space = SPACE_ITEM, .key = SLICE("a") },
                                  { .space = SPACE_ITEM, .key = SLICE("no") },
                                  { .space = SPACE_META, .key = SLICE("b") } };

    (void)ctx;
    assert_int_equal(store_put(t, SPACE_ITEM, SLICE("a"), SLICE("1")), 0);
    assert_int_equal(store_put(t, SPACE_META, SLICE("b"), SLICE("22")), 0);
    assert_int_equal(store_get(t, SPACE_ITEM, SLICE("a"), &v), 0);
    assert_true(slice_eq(v, SLICE("1")));
    assert_int_equal(store_get_many(t, many, 3), 0);
    assert_int_equal(many[0].status, 0);
    assert_true(slice_eq(many[0].value, SLICE("1")));
    assert_int_equal(many[1].status, STORE_NOT_FOUND);
    assert_int_equal(many[2].status, 0);
    assert_true(slice_eq(many[2].value, SLICE("22")));
    assert_int_equal(store_delete(t, SPACE_ITEM, SLICE("a")), 0);
    assert_int_equal(store_get(t, SPACE_ITEM, SLICE("a"), &v), STORE_NOT_FOUND);
    return 0;
}

static void a_transaction_sees_its_own_writes(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(store_update(f->s, reads_own_writes, NULL), 0);
}

static int write_and_fail(struct store_txn *t, void *ctx)
{
    assert_int_equal(store_put(t, SPACE_ITEM, SLICE("a"), SLICE("new")), 0);
    assert_int_equal(store_delete(t, SPACE_ITEM, SLICE("b")), 0);
    assert_int_equal(store_add(t, SLICE("n"), 5), 0);
    return *(int *)ctx;
}

static void a_failing_function_leaves_nothing(void **state)
{
    struct fixture *f = *state;
    int give = 17;
    char v[8];

    assert_int_equal(put_one(f->s, SPACE_ITEM, SLICE("b"), SLICE("old")), 0);
    assert_int_equal(store_update(f->s, write_and_fail, &give), 17);
    assert_int_equal(get_one(f->s, SPACE_ITEM, SLICE("a"), v, sizeof v, NULL), STORE_NOT_FOUND);
    assert_int_equal(get_one(f->s, SPACE_ITEM, SLICE("b"), v, sizeof v, NULL), 0);
    assert_int_equal(sum_one(f->s, SLICE("n")), 0);
    give = 0;
    assert_int_equal(store_update(f->s, write_and_fail, &give), 0);
    assert_int_equal(get_one(f->s, SPACE_ITEM, SLICE("b"), v, sizeof v, NULL), STORE_NOT_FOUND);
    assert_int_equal(sum_one(f->s, SLICE("n")), 5);
}

static void data_outlives_closing(void **state)
{
    struct fixture *f = *state;
    char v[8];

    if (!fixture_persists()) skip();
    for (int i = 0; i < 3; i++) {
        char key[8];

        snprintf(key, sizeof key, "k%d", i);
        assert_int_equal(put_one(f->s, SPACE_ITEM, slice_str(key), SLICE("v")), 0);
        fixture_reopen(f);
        assert_int_equal(get_one(f->s, SPACE_ITEM, slice_str(key), v, sizeof v, NULL), 0);
        assert_int_equal(count_keys(f->s, SPACE_ITEM, false), i + 1);
    }
}

#define MANY ROUNDS(1000000u)
#define STEP 5000u

/* Scattered but each once: multiplication by an odd number permutes the 32-bit numbers. */
static void many_key(uint8_t *key, uint32_t i)
{
    uint32_t x = i * 2654435761u;

    for (int b = 0; b < 4; b++)
        key[b] = (uint8_t)(x >> (24 - 8 * b));
}

static int put_many(struct store_txn *t, void *ctx)
{
    uint32_t from = *(uint32_t *)ctx;

    for (uint32_t i = from; i < from + STEP; i++) {
        uint8_t key[4];
        int rc;

        many_key(key, i);
        rc = store_put(t, SPACE_ITEM, slice_of(key, 4), slice_of(&i, sizeof i));
        if (rc) return rc;
    }
    return store_add(t, SLICE("many"), STEP);
}

static int check_many(struct store_txn *t, void *ctx)
{
    struct store_range r = { .space = SPACE_ITEM, .reverse = *(bool *)ctx };
    struct store_cursor *c;
    struct slice key, value;
    uint32_t last = 0, n = 0;
    int rc = store_range_open(t, &r, &c);

    for (; rc == 0; n++) {
        uint32_t k;

        rc = store_range_next(c, &key, &value);
        if (rc) break;
        k = (uint32_t)key.p[0] << 24 | (uint32_t)key.p[1] << 16 | (uint32_t)key.p[2] << 8 |
            key.p[3];
        if (n && (r.reverse ? k >= last : k <= last)) return 1;
        last = k;
    }
    return rc == STORE_END && n == MANY ? 0 : 1;
}

static void a_million_keys(void **state)
{
    struct fixture *f = *state;
    bool reverse = false;
    uint32_t seed = 3;

    if (!fixture_is("relaxed") && !fixture_is("memory")) skip();
    for (uint32_t i = 0; i < MANY; i += STEP)
        assert_int_equal(store_update(f->s, put_many, &i), 0);
    assert_int_equal(store_view(f->s, check_many, &reverse), 0);
    reverse = true;
    assert_int_equal(store_view(f->s, check_many, &reverse), 0);
    for (int n = 0; n < 10000; n++) {
        uint32_t i = next_random(&seed) % MANY, got;
        uint8_t key[4];

        many_key(key, i);
        assert_int_equal(get_one(f->s, SPACE_ITEM, slice_of(key, 4), &got, sizeof got, NULL), 0);
        assert_int_equal(got, i);
    }
    assert_int_equal(sum_one(f->s, SLICE("many")), MANY);
}

#define NAMES 600

/* What the store should hold: of each name the length of its value, or -1. */
struct model {
    int lengths[2][NAMES];
    uint32_t seed;
};

static int check_name(struct store_txn *t, const struct model *m, enum store_space space, int name, struct slice key)
{
    struct slice v;
    int length = m->lengths[space == SPACE_INDEX][name], rc = store_get(t, space, key, &v);

    if (length < 0) return rc == STORE_NOT_FOUND ? 0 : 1;
    if (rc || v.n != (size_t)length) return 2;
    return length && (v.p[0] != (uint8_t)name || v.p[v.n - 1] != (uint8_t)name) ? 3 : 0;
}

/* Thousands of changes in one transaction, with pages that split and merge, values with pages of their own and keys that are
 * cut; each is looked at right after, and another one beside it. */
static int change_much(struct store_txn *t, void *ctx)
{
    static uint8_t value[9000];
    struct model *m = ctx;
    int rc = 0, steps = repeated(20000);

    for (int i = 0; rc == 0 && i < steps; i++) {
        enum store_space space = next_random(&m->seed) % 2 ? SPACE_ITEM : SPACE_INDEX;
        int name = (int)(next_random(&m->seed) % NAMES), other = (int)(next_random(&m->seed) % NAMES);
        int *length = &m->lengths[space == SPACE_INDEX][name];
        uint8_t key[600], beside[600];
        struct slice k = slice_of(key, name % 50 ? 6 : sizeof key), o = slice_of(beside, other % 50 ? 6 : sizeof beside);

        memset(key, 'k', sizeof key);
        memset(beside, 'k', sizeof beside);
        snprintf((char *)key, sizeof key, "%05d", name);
        snprintf((char *)beside, sizeof beside, "%05d", other);
        rc = check_name(t, m, space, name, k);
        if (rc) break;
        if (next_random(&m->seed) % 3 == 0) {
            *length = -1;
            rc = store_delete(t, space, k);
        } else {
            *length = (int)(next_random(&m->seed) % (next_random(&m->seed) % 10 ? 300 : sizeof value));
            memset(value, name, (size_t)*length);
            rc = store_put(t, space, k, slice_of(value, (size_t)*length));
        }
        if (rc == 0) rc = check_name(t, m, space, name, k);
        if (rc == 0) rc = check_name(t, m, space, other, o);
    }
    return rc;
}

static void an_update_sees_what_it_has_changed(void **state)
{
    struct fixture *f = *state;
    struct model m = { .seed = 20261116 };

    memset(m.lengths, 0xff, sizeof m.lengths);
    for (int round = 0; round < 3; round++)
        assert_int_equal(store_update(f->s, change_much, &m), 0);
}

int basic_group(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_update_sees_what_it_has_changed),
        TEST(absent_key_is_not_found),
        TEST(put_replaces_and_delete_removes),
        TEST(spaces_are_apart),
        TEST(values_of_all_sizes),
        TEST(misuse_is_refused),
        TEST(every_status_has_words),
        TEST(what_was_refused_is_not_committed),
        TEST(a_transaction_sees_its_own_writes),
        TEST(a_failing_function_leaves_nothing),
        TEST(data_outlives_closing),
        TEST(a_million_keys),
    };

    return cmocka_run_group_tests_name("basic", tests, NULL, NULL);
}
