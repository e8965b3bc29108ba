/* test_keybytes.c: key bytes sort as DynamoDB sorts and can be read back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include "arena_fixture.h"
#include "item/keybytes.h"


static struct slice key_of(struct slice value)
{
    struct buf b;
    buf_init(&b, &arena, 1 << 20);
    keybytes_put(&b, value);
    return buf_view(&b);
}

static struct slice prefix_of(struct slice value)
{
    struct buf b;
    buf_init(&b, &arena, 1 << 20);
    keybytes_put_prefix(&b, value);
    return buf_view(&b);
}

static struct slice binary(struct slice bytes)
{
    struct buf b;
    buf_init(&b, &arena, 1 << 20);
    val_put_binary(&b, bytes);
    return buf_view(&b);
}

/* Few letters, the awkward ones among them, so that prefixes and zeros meet often. */
static struct slice random_bytes(size_t most, bool text)
{
    static const uint8_t any[] = { 0x00, 0x01, 0x02, 0xfe, 0xff },
                         letters[] = { 0x00, 0x01, 'a', 'b', 0x7f };
    size_t n = (size_t)rnd(most + 1);
    uint8_t *p = arena_bytes(&arena, n);
    for (size_t i = 0; i < n; i++)
        p[i] = (text ? letters : any)[rnd(5)];
    return slice_of(p, n);
}

static struct slice random_value(enum val_type type)
{
    if (type == TYPE_S) return val_make_string(&arena, random_bytes(6, true));
    if (type == TYPE_B) return binary(random_bytes(6, false));
    return val_make_number(&arena, (int64_t)(rnd(UINT64_MAX) << 11) >> rnd(63));
}

static int sign(int c)
{
    return (c > 0) - (c < 0);
}

static void test_order_of_keys_is_order_of_values(void **state)
{
    (void)state;
    static const enum val_type types[] = { TYPE_S, TYPE_B, TYPE_N };
    for (int t = 0; t < 3; t++) {
        for (int i = 0; i < 20000; i++) {
            /* Two parts: the first decides, and if equal the second. */
            struct slice a1 = random_value(types[t]), a2 = random_value(TYPE_N);
            struct slice b1 = random_value(types[t]), b2 = random_value(TYPE_N);
            struct buf a, b;
            buf_init(&a, &arena, 1000);
            buf_init(&b, &arena, 1000);
            keybytes_put(&a, a1);
            keybytes_put(&a, a2);
            keybytes_put(&b, b1);
            keybytes_put(&b, b2);
            int want = val_compare(a1, b1);
            if (!want) want = val_compare(a2, b2);
            assert_int_equal(sign(slice_cmp(buf_view(&a), buf_view(&b))), sign(want));
            arena_reset(&arena);
        }
    }
}

static void test_keys_are_read_back(void **state)
{
    (void)state;
    for (int i = 0; i < 20000; i++) {
        enum val_type types[3];
        struct slice values[3];
        struct buf b;
        buf_init(&b, &arena, 1000);
        for (int k = 0; k < 3; k++) {
            types[k] = (enum val_type[]){ TYPE_S, TYPE_B, TYPE_N }[rnd(3)];
            values[k] = random_value(types[k]);
            keybytes_put(&b, values[k]);
        }
        struct slice at = buf_view(&b), v;
        for (int k = 0; k < 3; k++) {
            assert_true(keybytes_take(&arena, types[k], &at, &v));
            assert_true(slice_eq(v, values[k]));
        }
        assert_int_equal(at.n, 0);
        assert_false(keybytes_take(&arena, TYPE_S, &at, &v));
        assert_false(keybytes_take(&arena, TYPE_N, &at, &v));
        arena_reset(&arena);
    }
}

static void test_a_prefix_bounds_exactly_the_strings_that_begin_with_it(void **state)
{
    (void)state;
    for (int i = 0; i < 40000; i++) {
        bool text = rnd(2);
        struct slice p = random_bytes(3, text), s = random_bytes(6, text);
        struct slice low = prefix_of(text ? val_make_string(&arena, p) : binary(p));
        struct slice high = keybytes_after(&arena, low);
        struct slice key = key_of(text ? val_make_string(&arena, s) : binary(s));
        bool inside = slice_cmp(key, low) >= 0 && (!high.n || slice_cmp(key, high) < 0);
        assert_int_equal(inside, slice_starts(s, p));
        arena_reset(&arena);
    }
}

static void test_the_key_after(void **state)
{
    (void)state;
    assert_true(slice_eq(keybytes_after(&arena, SLICE("a")), SLICE("b")));
    assert_true(slice_eq(keybytes_after(&arena, SLICE("a\xff")), SLICE("b")));
    assert_true(slice_eq(keybytes_after(&arena, SLICE("a\xff\x01")), SLICE("a\xff\x02")));
    assert_int_equal(keybytes_after(&arena, SLICE("\xff\xff")).n, 0);
    assert_int_equal(keybytes_after(&arena, SLICE("")).n, 0);
}

static void test_bytes_that_are_no_part_are_refused(void **state)
{
    (void)state;
    static const struct slice bad[] = { { (const uint8_t *)"a", 1 },
                                        { (const uint8_t *)"a\0", 2 },
                                        { (const uint8_t *)"a\0\x02", 3 },
                                        { (const uint8_t *)"\0\xff", 2 },
                                        { (const uint8_t *)"\0\xff\0", 3 } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct slice at = bad[i], v;
        assert_false(keybytes_take(&arena, TYPE_S, &at, &v));
        assert_false(keybytes_take(&arena, TYPE_B, &at, &v));
    }
    struct slice at = SLICE("\xc1\x01\x00"), v;
    assert_false(keybytes_take(&arena, TYPE_N, &at, &v));
    at = SLICE("\xc1\x02");
    assert_false(keybytes_take(&arena, TYPE_N, &at, &v));
    at = SLICE("\xc1");
    assert_false(keybytes_take(&arena, TYPE_N, &at, &v));
    assert_false(keybytes_take(&arena, TYPE_M, &at, &v));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_order_of_keys_is_order_of_values),
        TEST(test_keys_are_read_back),
        TEST(test_a_prefix_bounds_exactly_the_strings_that_begin_with_it),
        TEST(test_the_key_after),
        TEST(test_bytes_that_are_no_part_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
