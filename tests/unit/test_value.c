/* test_value.c: encoded values: building, walking, sizes, and that val_check knows them from other
 * bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include "arena_fixture.h"
#include "item/item_json.h"
#include "repeat.h"


static struct slice value(const char *text)
{
    struct slice v;
    struct err e = { .arena = &arena };
    const struct json *j = json_parse(&arena, slice_str(text), 100, NULL);
    assert_non_null(j);
    if (val_from_json(&arena, j, &v, &e)) fail_msg("%s: %.*s", text, SLICE_ARG(e.message));
    return v;
}

static void assert_slice(struct slice s, struct slice expected)
{
    if (!slice_eq(s, expected)) fail_msg("got %.*s", SLICE_ARG(s));
}

static void test_types_and_their_names(void **state)
{
    (void)state;
    static const char *const values[] = { "{\"S\":\"\"}",     "{\"N\":\"0\"}",    "{\"B\":\"\"}",
                                          "{\"SS\":[\"a\"]}", "{\"NS\":[\"1\"]}", "{\"BS\":[\"\"]}",
                                          "{\"M\":{}}",       "{\"L\":[]}",       "{\"NULL\":true}",
                                          "{\"BOOL\":false}" };
    for (int t = TYPE_S; t <= TYPE_BOOL; t++) {
        struct slice v = value(values[t - 1]);
        assert_int_equal(val_type(v), t);
        assert_int_equal(val_type_from_name(slice_str(val_type_name((enum val_type)t))), t);
        assert_int_equal(val_encoded_length(v.p), v.n);
    }
    assert_int_equal(val_type_from_name(SLICE("X")), TYPE_NONE);
    assert_int_equal(val_type_from_name(SLICE("")), TYPE_NONE);
    assert_int_equal(val_type_from_name(SLICE("s")), TYPE_NONE);
    assert_int_equal(val_type(slice_of(NULL, 0)), TYPE_NONE);
    assert_int_equal(val_type(SLICE("\xff")), TYPE_NONE);
    assert_int_equal(val_type(value("{\"S\":\"\\n\"}")), TYPE_S);
}

static void test_walking(void **state)
{
    (void)state;
    struct slice v = value("{\"M\":{\"b\":{\"L\":[{\"N\":\"1\"},{\"S\":\"two\"}]},\"a\":{\"SS\":["
                           "\"y\",\"x\"]},\"c\":{\"BOOL\":true}}}");
    struct slice name, member, out;
    struct val_iter it;
    val_iter_init(&it, v);
    const char *names = "abc";
    for (int i = 0; i < 3; i++) {
        assert_true(val_next(&it, &name, &member));
        assert_slice(name, slice_of(names + i, 1));
        assert_true(val_get(v, name, &out));
        assert_slice(out, member);
    }
    assert_false(val_next(&it, &name, &member));
    assert_int_equal(val_count(v), 3);
    assert_false(val_get(v, SLICE("aa"), &out));
    assert_false(val_get(v, SLICE(""), &out));
    assert_false(val_get(v, SLICE("d"), &out));
    assert_true(val_get(v, SLICE("c"), &out));
    assert_true(val_bool(out));
    assert_false(val_get(out, SLICE("c"), &out));

    assert_true(val_get(v, SLICE("b"), &v));
    assert_true(val_at(v, 1, &out));
    assert_slice(val_content(out), SLICE("two"));
    assert_true(val_at(v, 0, &out));
    assert_false(val_at(v, 2, &out));
    assert_false(val_at(out, 0, &out));
    assert_int_equal(val_count(out), 0);
    val_iter_init(&it, out);
    assert_false(val_next(&it, &name, &member));
}

static void test_sets(void **state)
{
    (void)state;
    struct slice ss = value("{\"SS\":[\"b\",\"a\",\"\"]}"),
                 ns = value("{\"NS\":[\"2\",\"-1\",\"10\"]}");
    assert_true(val_set_has(ss, SLICE("a")));
    assert_true(val_set_has(ss, SLICE("")));
    assert_false(val_set_has(ss, SLICE("c")));
    assert_true(val_set_has(ns, val_content(val_make_number(&arena, 10))));
    assert_false(val_set_has(ns, val_content(val_make_number(&arena, 1))));
    assert_false(val_set_has(value("{\"L\":[{\"S\":\"a\"}]}"), SLICE("a")));
    assert_true(val_equal(ns, value("{\"NS\":[\"10.0\",\"2e0\",\"-1\"]}")));
    struct slice twice[] = { SLICE("a"), SLICE("b"), SLICE("a") };
    struct buf b;
    buf_init(&b, &arena, 1000);
    assert_false(val_put_set(&b, TYPE_SS, twice, 3));
}

static void test_comparison_is_by_value(void **state)
{
    (void)state;
    assert_true(val_compare(value("{\"N\":\"9\"}"), value("{\"N\":\"10\"}")) < 0);
    assert_true(val_compare(value("{\"N\":\"-9\"}"), value("{\"N\":\"-10\"}")) > 0);
    assert_true(val_compare(value("{\"S\":\"9\"}"), value("{\"S\":\"10\"}")) > 0);
    assert_true(val_compare(value("{\"S\":\"a\"}"), value("{\"S\":\"a\\u0000\"}")) < 0);
    assert_true(val_compare(value("{\"S\":\"\\n\"}"), value("{\"S\":\"a\"}")) < 0);
    assert_true(val_compare(value("{\"B\":\"/w==\"}"), value("{\"B\":\"AAAA\"}")) > 0);
    assert_int_equal(val_compare(value("{\"N\":\"1\"}"), value("{\"N\":\"1.00\"}")), 0);
}

static void test_sizes_follow_dynamodbs_rule(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t size;
    } cases[] = {
        { "{\"S\":\"\"}", 0 },
        { "{\"S\":\"abc\"}", 3 },
        { "{\"S\":\"\xc3\xa9\\n\"}", 3 },
        { "{\"B\":\"AAEC\"}", 3 },
        { "{\"N\":\"0\"}", 1 },
        { "{\"N\":\"123\"}", 3 },
        { "{\"N\":\"-123\"}", 4 },
        { "{\"BOOL\":true}", 1 },
        { "{\"NULL\":true}", 1 },
        { "{\"SS\":[\"a\",\"bcd\"]}", 4 },
        { "{\"BS\":[\"AAEC\",\"AA==\"]}", 4 },
        { "{\"NS\":[\"0\",\"123\",\"-1\"]}", 7 },
        { "{\"L\":[]}", 3 },
        { "{\"M\":{}}", 3 },
        { "{\"L\":[{\"S\":\"abc\"},{\"NULL\":true}]}", 3 + (1 + 3) + (1 + 1) },
        { "{\"M\":{\"key\":{\"S\":\"abc\"}}}", 3 + 1 + 3 + 3 },
        { "{\"L\":[{\"M\":{\"k\":{\"L\":[]}}}]}", 3 + 1 + (3 + 1 + 1 + 3) },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(val_size(value(cases[i].text)), cases[i].size);
    assert_int_equal(val_item_size(value(
                         "{\"M\":{\"pk\":{\"S\":\"abc\"},\"n\":{\"N\":\"12\"},\"l\":{\"L\":[]}}}")),
                     2 + 3 + 1 + 2 + 1 + 3);
    assert_int_equal(val_item_size(value("{\"M\":{}}")), 0);
}

static void test_empty_slices_need_no_address(void **state)
{
    (void)state;
    struct slice none = { NULL, 0 }, out;
    struct attr attr = { none, val_make_string(&arena, none) };
    struct num num;
    struct buf b;
    buf_init(&b, &arena, 1000);
    val_put_binary(&b, none);
    val_put_list(&b, NULL, 0);
    val_put_map(&b, &attr, 1);
    val_put_map(&b, NULL, 0);
    assert_true(val_put_set(&b, TYPE_SS, &none, 1));
    base64_put(&b, none);
    assert_true(base64_decode(&arena, none, &out));
    assert_false(val_check(none));
    assert_int_equal(val_count(none), 0);
    assert_int_equal(val_size(none), 0);
    assert_int_equal(val_depth(none), 0);
    assert_false(val_get(none, none, &out));
    assert_int_equal(num_parse(none, &num), NUM_NOT_A_NUMBER);
}

static void test_depth(void **state)
{
    (void)state;
    assert_int_equal(val_depth(value("{\"S\":\"x\"}")), 0);
    assert_int_equal(val_depth(value("{\"SS\":[\"x\"]}")), 0);
    assert_int_equal(val_depth(value("{\"L\":[]}")), 1);
    assert_int_equal(
        val_depth(value("{\"M\":{\"a\":{\"L\":[{\"S\":\"x\"}]},\"b\":{\"S\":\"x\"}}}")), 2);
}

/* ---- random values ---- */

static struct slice random_text(void)
{
    static const char *const letters[] = { "a",  "b", "\n", "\"", "\xc3\xa9", "\xf0\x9f\x98\x80",
                                           "\\", "z" };
    struct buf b;
    buf_init(&b, &arena, 1 << 16);
    for (uint64_t n = rnd(rnd(20) ? 12 : 300); n; n--)
        buf_slice(&b, slice_str(letters[rnd(rnd(2) ? 8 : 2)]));
    return buf_view(&b);
}

static struct slice random_name(void)
{
    struct slice text = random_text();
    return text.n ? text : SLICE("empty");
}

/* Different for each i. */
static struct slice numbered_text(size_t i)
{
    struct slice text = random_text();
    return arena_printf(&arena, "%.*s%zu", SLICE_ARG(text), i);
}

static struct slice random_value(unsigned depth)
{
    struct buf b;
    struct slice parts[40];
    struct attr attrs[40];
    struct num *num;
    size_t n = (size_t)rnd(rnd(10) ? 5 : 40);
    buf_init(&b, &arena, 1 << 26);
    switch (rnd(depth ? 10 : 8)) {
    case 0:
        val_put_null(&b);
        break;
    case 1:
        val_put_bool(&b, rnd(2));
        break;
    case 2:
        num = arena_alloc(&arena, sizeof *num);
        num_from_int64((int64_t)(rnd(UINT64_MAX) << 11) >> rnd(63), num);
        val_put_number(&b, slice_of(num->bytes, num->n));
        break;
    case 3:
        val_put_string(&b, random_text());
        break;
    case 4:
        val_put_binary(&b, random_text());
        break;
    case 5:
        for (size_t i = 0; i <= n; i++) {
            num = arena_alloc(&arena, sizeof *num);
            num_from_int64((int64_t)(rnd(1000) * 1000 + i), num);
            parts[i] = slice_of(num->bytes, num->n);
        }
        assert_true(val_put_set(&b, TYPE_NS, parts, n + 1));
        break;
    case 6:
    case 7:
        for (size_t i = 0; i <= n; i++)
            parts[i] = numbered_text(i);
        assert_true(val_put_set(&b, rnd(2) ? TYPE_SS : TYPE_BS, parts, n + 1));
        break;
    case 8:
        for (size_t i = 0; i < n; i++)
            parts[i] = random_value(depth - 1);
        val_put_list(&b, parts, n);
        break;
    default:
        for (size_t i = 0; i < n; i++)
            attrs[i] = (struct attr){ random_name(), random_value(depth - 1) };
        val_put_map(&b, attrs, n);
    }
    return buf_view(&b);
}

static void test_random_values_survive_json_and_check(void **state)
{
    (void)state;
    for (int i = 0; i < repeated(3000); i++) {
        struct slice v = random_value(3), back;
        struct err e = { .arena = &arena };
        struct buf b;
        assert_true(val_check(v));
        assert_int_equal(val_encoded_length(v.p), v.n);
        buf_init(&b, &arena, 1 << 26);
        val_to_json(&b, v);
        const struct json *j = json_parse(&arena, buf_view(&b), 100, NULL);
        assert_non_null(j);
        assert_int_equal(val_from_json(&arena, j, &back, &e), 0);
        assert_true(val_equal(v, back));
        arena_reset(&arena);
    }
}

static void test_maps_are_equal_in_whatever_order_they_were_built(void **state)
{
    (void)state;
    for (int i = 0; i < repeated(3000); i++) {
        struct attr attrs[100];
        size_t n = (size_t)rnd(rnd(2) ? 10 : 100);
        for (size_t k = 0; k < n; k++)
            attrs[k] = (struct attr){ numbered_text(k), random_value(1) };
        struct buf a, b;
        buf_init(&a, &arena, 1 << 26);
        buf_init(&b, &arena, 1 << 26);
        val_put_map(&a, attrs, n);
        for (size_t k = n; k > 1; k--) {
            size_t other = (size_t)rnd(k);
            struct attr swap = attrs[k - 1];
            attrs[k - 1] = attrs[other];
            attrs[other] = swap;
        }
        val_put_map(&b, attrs, n);
        assert_true(slice_eq(buf_view(&a), buf_view(&b)));
        assert_true(val_check(buf_view(&a)));
        for (size_t k = 0; k < n; k++) {
            struct slice v;
            assert_true(val_get(buf_view(&a), attrs[k].name, &v));
            assert_true(val_equal(v, attrs[k].value));
        }
        arena_reset(&arena);
    }
}

static void test_of_equal_names_the_later_stays(void **state)
{
    (void)state;
    for (size_t n = 2; n < 60; n++) {
        struct attr attrs[60];
        for (size_t k = 0; k < n; k++)
            attrs[k] = (struct attr){ arena_printf(&arena, "%zu", k % 7 * 3 % 7),
                                      val_make_number(&arena, (int64_t)k) };
        struct buf b;
        buf_init(&b, &arena, 1 << 20);
        val_put_map(&b, attrs, n);
        assert_true(val_check(buf_view(&b)));
        assert_int_equal(val_count(buf_view(&b)), n < 7 ? n : 7);
        for (size_t k = n < 7 ? 0 : n - 7; k < n; k++) {
            struct slice v;
            int64_t got;
            assert_true(val_get(buf_view(&b), arena_printf(&arena, "%zu", k % 7 * 3 % 7), &v));
            assert_true(num_to_int64(val_content(v), &got));
            assert_int_equal(got, k);
        }
    }
}

static void test_long_containers_have_long_lengths(void **state)
{
    (void)state;
    for (size_t n = 0; n < 40000; n = n * 2 + 1) {
        struct buf text, b;
        buf_init(&text, &arena, 1 << 26);
        BUF_LIT(&text, "{\"M\":{\"x\":{\"L\":[");
        for (size_t i = 0; i < n; i++)
            buf_slice(&text, i ? SLICE(",{\"S\":\"abc\"}") : SLICE("{\"S\":\"abc\"}"));
        BUF_LIT(&text, "]}}}");
        buf_u8(&text, 0);
        struct slice v = value((char *)text.p);
        assert_true(val_check(v));
        buf_init(&b, &arena, 1 << 26);
        val_to_json(&b, v);
        assert_slice(buf_view(&b), slice_of(text.p, text.n - 1));
    }
}

static void test_check_refuses_what_is_not_canonical(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t n;
        bool good;
    } cases[] = {
        { "", 0, false },
        { "\x00", 1, false },
        { "\x01", 1, true },
        { "\x01\x01", 2, false },
        { "\x0d", 1, false },
        { "\x04\xc1\x02\x00", 4, true },
        { "\x04\xc1\x02", 3, false },
        { "\x04\xc1\x01\x00", 4, false },
        { "\x05\x01"
          "a",
          3, true },
        { "\x05\x02"
          "a",
          3, false },
        { "\x05\x81\x00"
          "a",
          4, false }, /* length in two bytes */
        { "\x05\x80\x00", 3, false },
        { "\x05\x01\"", 3, false }, /* needs an escape, says it does not */
        { "\x06\x01\"", 3, true },
        { "\x06\x01"
          "a",
          3, false },
        { "\x05\x01\xff", 3, false }, /* not UTF-8 */
        { "\x07\x01\xff", 3, true },
        { "\x08\x01\x00", 3, false }, /* empty set */
        { "\x08\x03\x01\x01"
          "a",
          5, true },
        { "\x08\x05\x02\x01"
          "a\x01"
          "b",
          7, true },
        { "\x08\x05\x02\x01"
          "b\x01"
          "a",
          7, false }, /* out of order */
        { "\x08\x05\x02\x01"
          "a\x01"
          "a",
          7, false },
        { "\x08\x05\x03\x01"
          "a\x01"
          "b",
          7, false }, /* wrong count */
        { "\x0b\x01\x00", 3, true },
        { "\x0b\x02\x01\x01", 4, true },
        { "\x0b\x02\x02\x01", 4, false },
        { "\x0b\x03\x01\x01\x01", 5, false },
        { "\x0c\x01\x00", 3, true },
        { "\x0c\x04\x01\x02"
          "a\x01",
          6, true },
        { "\x0c\x04\x01\x03"
          "a\x01",
          6, false }, /* marked for escapes */
        { "\x0c\x07\x02\x02"
          "a\x01\x02"
          "b\x01",
          9, true },
        { "\x0c\x07\x02\x02"
          "b\x01\x02"
          "a\x01",
          9, false },
        { "\x0c\x07\x02\x02"
          "a\x01\x02"
          "a\x01",
          9, false },
        { "\x05\xff\xff\xff\xff\xff\xff\xff\xff\x7f"
          "a",
          11, false },
        { "\x05\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
          "a",
          12, false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (val_check(slice_of(cases[i].bytes, cases[i].n)) != cases[i].good)
            fail_msg("case %zu", i);
}

static void test_check_survives_any_damage(void **state)
{
    (void)state;
    for (int i = 0; i < repeated(3000); i++) {
        struct slice v = random_value(2);
        uint8_t *copy = malloc(v.n);
        assert_non_null(copy);
        for (int k = 0; k < 20; k++) {
            memcpy(copy, v.p, v.n);
            copy[rnd(v.n)] = (uint8_t)rnd(256);
            size_t n = rnd(4) ? v.n : (size_t)rnd(v.n);
            if (!val_check(slice_of(copy, n))) continue;
            /* What passes must also be safe to walk and must be the only form of what it says. */
            struct buf b;
            struct slice back;
            struct err e = { .arena = &arena };
            buf_init(&b, &arena, 1 << 26);
            val_to_json(&b, slice_of(copy, n));
            val_size(slice_of(copy, n));
            const struct json *j = json_parse(&arena, buf_view(&b), 100, NULL);
            assert_non_null(j);
            if (val_from_json(&arena, j, &back, &e) == 0)
                assert_true(slice_eq(back, slice_of(copy, n)));
            else /* val_check lets it pass, requests do not */
                assert_slice(e.message, SLICE("One or more parameter values were invalid: Empty "
                                              "attribute name"));
        }
        free(copy);
        arena_reset(&arena);
    }
}

static void test_check_bounds_depth(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b, &arena, 1 << 20);
    val_put_list(&b, NULL, 0);
    struct slice v = buf_view(&b);
    for (int depth = 1; depth < 200; depth++) {
        assert_int_equal(val_check(v), depth <= VAL_MAX_DEPTH);
        assert_int_equal(val_depth(v), depth);
        buf_init(&b, &arena, 1 << 20);
        val_put_list(&b, &v, 1);
        v = buf_view(&b);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_types_and_their_names),
        TEST(test_walking),
        TEST(test_sets),
        TEST(test_comparison_is_by_value),
        TEST(test_sizes_follow_dynamodbs_rule),
        TEST(test_empty_slices_need_no_address),
        TEST(test_depth),
        TEST(test_random_values_survive_json_and_check),
        TEST(test_maps_are_equal_in_whatever_order_they_were_built),
        TEST(test_of_equal_names_the_later_stays),
        TEST(test_long_containers_have_long_lengths),
        TEST(test_check_refuses_what_is_not_canonical),
        TEST(test_check_survives_any_damage),
        TEST(test_check_bounds_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
