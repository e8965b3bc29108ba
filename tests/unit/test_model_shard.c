/* test_model_shard.c: the worked values of docs/shards.md, which never change; the lists of shards; how even they are.
 * tests/model/test_shards.py checks that every worked value of the document stands here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include "base/ulid.h"
#include "model/shard.h"
#include "model/shard_private.h"
#include "arena_fixture.h"

static void assert_slice(struct slice s, const char *expected)
{
    char got[256];
    snprintf(got, sizeof got, "%.*s", SLICE_ARG(s));
    assert_string_equal(got, expected);
}

static struct slice string(const char *text)
{
    return val_make_string(&arena, slice_str(text));
}

static struct slice number(const char *text)
{
    struct num n;
    struct buf b;
    assert_int_equal(num_parse(slice_str(text), &n), NUM_OK);
    buf_init(&b, &arena, 256);
    val_put_number(&b, slice_of(n.bytes, n.n));
    return buf_view(&b);
}

static void assert_shard(const struct shards *s, struct slice value, const char *expected)
{
    struct slice out;
    assert_true(shard_of(&arena, s, value, &out));
    assert_slice(out, expected);
}

static void test_hashes_of_the_document(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t hash;
    } worked[] = {
        { "a", 3826002220u },
        { "o100", 3016095493u },
        { "o101", 2999317874u },
        { "01ARZ3NDEKTSV4RRFFQ69G5FAV", 1543523712u },
        { "alice@example.com", 2493822278u },
        { "Zoë", 3265445340u },
        { "日本", 2670128721u },
        { "a#b", 1118607213u },
        { "42", 2279835011u },
        { "1.5", 3896645433u },
        { "-0.5", 531341845u },
        { "1000", 580373188u },
        { "true", 1303515621u },
    };
    struct shards ten = { .kind = SHARD_HASH, .count = 10 }, sixteen = { .kind = SHARD_HASH, .count = 16 };
    for (size_t i = 0; i < sizeof worked / sizeof *worked; i++) {
        char expected[16];
        assert_int_equal(shard_hash(slice_str(worked[i].text)), worked[i].hash);
        snprintf(expected, sizeof expected, "%u", worked[i].hash % 10);
        assert_shard(&ten, string(worked[i].text), expected);
        snprintf(expected, sizeof expected, "%u", worked[i].hash % 16);
        assert_shard(&sixteen, string(worked[i].text), expected);
    }
    assert_shard(&ten, number("1.50"), "3");
    assert_shard(&ten, number("1e3"), "8");
    assert_shard(&ten, slice_of("\3", 1), "1"); /* VAL_TRUE */
}

static void test_letters_of_the_document(void **state)
{
    (void)state;
    static const char *const worked[][3] = {
        { "Alice", "a", "al" }, { "7up", "7", "7u" }, { "Zoë", "z", "zo" },     { "Éa", "_", "_a" },
        { "日本", "_", "__" },  { "B", "b", "b_" },   { "x-ray", "x", "x_" },
    };
    for (size_t i = 0; i < sizeof worked / sizeof *worked; i++) {
        for (unsigned n = 1; n <= 2; n++)
            assert_shard(&(struct shards){ .kind = SHARD_LETTERS, .letters = n }, string(worked[i][0]), worked[i][n]);
    }
}

static void test_months_of_the_document(void **state)
{
    (void)state;
    static const struct {
        const char *text, *month;
        enum time_format format;
    } worked[] = {
        { "2026-05-10T14:23:01Z", "2026-05", TIME_DATE_TIME },
        { "2026-12-31T23:59:59.999Z", "2026-12", TIME_DATE_TIME },
        { "2024-02-29", "2024-02", TIME_DATE },
        { "01ARZ3NDEKTSV4RRFFQ69G5FAV", "2016-07", TIME_ULID },
        { "1778423381", "2026-05", TIME_EPOCH },
        { "1778423381123", "2026-05", TIME_EPOCH_MS },
    };
    for (size_t i = 0; i < sizeof worked / sizeof *worked; i++) {
        struct attribute by = { .time = worked[i].format };
        struct shards s = { .kind = SHARD_MONTH, .by_attribute = &by };
        bool is_number = by.time == TIME_EPOCH || by.time == TIME_EPOCH_MS;
        assert_shard(&s, is_number ? number(worked[i].text) : string(worked[i].text), worked[i].month);
    }
}

static void test_values_that_give_no_shard(void **state)
{
    (void)state;
    struct attribute by = { .time = TIME_DATE };
    struct shards hash = { .kind = SHARD_HASH, .count = 4 };
    struct shards month = { .kind = SHARD_MONTH, .by_attribute = &by, .since = INT64_C(1704067200000) }; /* 2024-01 */
    struct slice out;
    struct buf list;
    buf_init(&list, &arena, 64);
    val_put_list(&list, NULL, 0);
    assert_false(shard_of(&arena, &hash, string(""), &out));
    assert_false(shard_of(&arena, &hash, buf_view(&list), &out));
    assert_false(shard_of(&arena, &hash, (struct slice){ 0 }, &out));
    assert_false(shard_of(&arena, &month, string("last May"), &out));
    assert_false(shard_of(&arena, &month, string("2023-12-31"), &out));
    assert_shard(&month, string("2024-01-01"), "2024-01");
}

static void test_lists(void **state)
{
    (void)state;
    const struct slice *list;
    struct slice regions[2];
    assert_int_equal(shard_list(&arena, &(struct shards){ .kind = SHARD_HASH, .count = 12 }, 0, &list), 12);
    assert_slice(list[0], "0");
    assert_slice(list[11], "11");
    assert_int_equal(shard_list(&arena, &(struct shards){ .kind = SHARD_LETTERS, .letters = 1 }, 0, &list), 37);
    for (size_t i = 1; i < 37; i++) assert_true(slice_cmp(list[i - 1], list[i]) < 0);
    assert_int_equal(shard_list(&arena, &(struct shards){ .kind = SHARD_LETTERS, .letters = 2 }, 0, &list), 37 * 37);
    for (size_t i = 1; i < 37 * 37; i++) assert_true(slice_cmp(list[i - 1], list[i]) < 0);
    struct shards month = { .kind = SHARD_MONTH, .since = INT64_C(1698796800000) }; /* 2023-11 */
    assert_int_equal(shard_list(&arena, &month, INT64_C(1706745600000), &list), 4); /* 2024-02-01, its first instant */
    assert_slice(list[0], "2023-11");
    assert_slice(list[1], "2023-12");
    assert_slice(list[2], "2024-01");
    assert_slice(list[3], "2024-02");
    assert_int_equal(shard_list(&arena, &month, 0, &list), 0);
    regions[0] = string("us");
    regions[1] = string("eu");
    struct attribute by = { .enumeration = regions, .n_enumeration = 2 };
    assert_int_equal(shard_list(&arena, &(struct shards){ .kind = SHARD_VALUE, .by_attribute = &by }, 0, &list), 2);
    assert_slice(list[0], "us");
    assert_slice(list[1], "eu");
}

static void test_a_shard_is_taken_off_its_key(void **state)
{
    (void)state;
    struct slice regions[2] = { string("eu"), string("eu#west") };
    struct attribute by = { .enumeration = regions, .n_enumeration = 2 };
    struct shards hash = { .kind = SHARD_HASH, .count = 100 }, letters = { .kind = SHARD_LETTERS, .letters = 2 },
                  month = { .kind = SHARD_MONTH }, value = { .kind = SHARD_VALUE, .by_attribute = &by };
    const struct {
        const struct shards *s;
        const char *delimiter, *key, *rest; /* NULL: there is no shard */
    } cases[] = {
        { &hash, "#", "STATUS#new#42", "STATUS#new" }, { &hash, "#", "STATUS#new", NULL }, { &hash, "#", "STATUS42", NULL },
        { &hash, "::", "a::7", "a" },                  { &letters, "#", "N#ab", "N" },     { &letters, "#", "N#a", NULL },
        { &month, "-", "N-2026-05", "N" },             { &month, "#", "N#2026-05", "N" },  { &value, "#", "R#eu", "R" },
        { &value, "#", "R#eu#west", "R" },             { &value, "#", "R#us", NULL },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct slice rest;
        bool found = shard_strip(cases[i].s, slice_str(cases[i].delimiter), slice_str(cases[i].key), &rest);
        assert_int_equal(found, cases[i].rest != NULL);
        if (found) assert_slice(rest, cases[i].rest);
    }
}

static void count_in(struct slice text, unsigned *counts)
{
    struct slice out;
    assert_true(shard_of(&arena, &(struct shards){ .kind = SHARD_HASH, .count = 10 }, val_make_string(&arena, text), &out));
    counts[out.p[0] - '0']++;
}

static void some_bytes(void *ctx, uint8_t *p, size_t n)
{
    (void)ctx;
    for (size_t i = 0; i < n; i++) p[i] = (uint8_t)rnd(256);
}

/* No shard is off by more than 15% of the mean, for the identifiers people use. */
static void test_shards_are_even(void **state)
{
    (void)state;
    struct ulid_source source = ULID_SOURCE_INIT;
    for (int kind = 0; kind < 4; kind++) {
        unsigned counts[10] = { 0 };
        for (int i = 0; i < 10000; i++) {
            char ulid[ULID_LENGTH];
            /* A few in one millisecond, which then differ in the last letters only. */
            ulid_next(&source, INT64_C(1778423381123) + i / (kind == 1 ? 50 : 1), some_bytes, NULL, ulid);
            if (kind <= 1) count_in(slice_of(ulid, ULID_LENGTH), counts);
            else count_in(arena_printf(&arena, kind == 2 ? "%d" : "order-%06d", i), counts);
        }
        for (int i = 0; i < 10; i++) assert_in_range(counts[i], 850, 1150);
        arena_reset(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hashes_of_the_document),
        cmocka_unit_test(test_letters_of_the_document),
        cmocka_unit_test(test_months_of_the_document),
        cmocka_unit_test(test_values_that_give_no_shard),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_a_shard_is_taken_off_its_key),
        cmocka_unit_test(test_shards_are_even),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
