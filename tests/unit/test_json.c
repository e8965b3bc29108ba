/* test_json.c: what the JSON reader takes and refuses, and what it makes of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include "arena_fixture.h"
#include "item/json.h"

#define LIT(s)                                                                                     \
    {                                                                                              \
        (const uint8_t *)("" s), sizeof(s) - 1                                                     \
    }


/* Parses a copy that ends at the end of its allocation, so that reading past it is seen by the
 * tools. */
static const struct json *parse(struct slice text, size_t *at)
{
    uint8_t *exact = malloc(text.n ? text.n : 1);
    assert_non_null(exact);
    if (text.n) memcpy(exact, text.p, text.n);
    const struct json *probe = json_parse(&arena, slice_of(exact, text.n), 64, at);
    free(exact);
    return probe ? json_parse(&arena, text, 64, at) : NULL;
}

/* ---- conformance: what a strict reader must take ---- */

/* clang-format off */
static const struct slice taken[] = {
    LIT("null"), LIT("true"), LIT("false"), LIT("0"), LIT("-0"), LIT("\"\""), LIT("[]"), LIT("{}"),
    LIT(" null "), LIT("\t\n\r [ \t\n\r ] \t\n\r "), LIT("{ }"), LIT("[1]"), LIT("[1,2]"), LIT("[ 1 , 2 ]"),
    LIT("[[]]"), LIT("[[],[]]"), LIT("[{}]"), LIT("{\"a\":[]}"), LIT("{\"a\":{}}"), LIT("[null,true,false]"),
    LIT("1"), LIT("10"), LIT("-1"), LIT("123456789012345678901234567890"), LIT("0.5"), LIT("-0.5"),
    LIT("1.25e3"), LIT("1E3"), LIT("1e+3"), LIT("1e-3"), LIT("0e0"), LIT("0.0"), LIT("1e99999"), LIT("-1.5E-10"),
    LIT("\"a\""), LIT("\" \""), LIT("\"\\\"\""), LIT("\"\\\\\""), LIT("\"\\/\""), LIT("\"\\b\\f\\n\\r\\t\""),
    LIT("\"\\u0000\""), LIT("\"\\u0041\""), LIT("\"\\uABCD\""), LIT("\"\\uabcd\""), LIT("\"\\uD83D\\uDE00\""),
    LIT("\"\\ud800\\udc00\""), LIT("\"\\uDBFF\\uDFFF\""), LIT("\"\\uFFFF\""), LIT("\"\\uFFFE\""), LIT("\"\\uFDD0\""),
    LIT("\"\x7f\""), LIT("\"\xc2\x80\""), LIT("\"\xdf\xbf\""), LIT("\"\xe0\xa0\x80\""), LIT("\"\xed\x9f\xbf\""),
    LIT("\"\xee\x80\x80\""), LIT("\"\xef\xbf\xbf\""), LIT("\"\xf0\x90\x80\x80\""), LIT("\"\xf4\x8f\xbf\xbf\""),
    LIT("\"\xef\xbb\xbf\""), LIT("\"\xe2\x80\xa8\xe2\x80\xa9\""), LIT("\"/\""), LIT("\"0123456789abcdef\""),
    LIT("\"0123456\""), LIT("\"01234567\""), LIT("\"012345678\""), LIT("\"0123456\\\"\""), LIT("\"01234567\\n9\""),
    LIT("{\"a\":1,\"a\":1}"), LIT("{\"a\":1,\"a\":2}"), LIT("{\"\":0}"), LIT("{\"\\u0000\":0}"),
    LIT("{\"a\" : 1 , \"b\" : 2}"), LIT("{\"a\\nb\":1}"), LIT("[\"a\\u0012b\"]"), LIT("[\"\\\\u0000\"]"),
    LIT("[\"\\\\\\\"\"]"), LIT("{\"\xc3\xa9\":\"\xc3\xa9\"}"), LIT("[1.5,\"x\",null,{\"y\":[true]}]"),
    LIT("\"[{\"") /* a string of brackets */, LIT("[-1.0e-0]"), LIT("[\"a\",\"b\"]\n"),
};

/* ---- and what it must refuse, with the place of the trouble ---- */

static const struct {
    struct slice text;
    size_t at;
} refused[] = {
    { LIT(""), 0 }, { LIT(" "), 1 }, { LIT("\xef\xbb\xbf{}"), 0 }, { LIT("nul"), 0 }, { LIT("nulL"), 0 },
    { LIT("True"), 0 }, { LIT("truee"), 4 }, { LIT("undefined"), 0 }, { LIT("NaN"), 0 }, { LIT("Infinity"), 0 },
    { LIT("-Infinity"), 1 }, { LIT("'a'"), 0 }, { LIT("a"), 0 }, { LIT("\xff"), 0 }, { LIT("\0"), 0 },
    { LIT("1 2"), 2 }, { LIT("{}{}"), 2 }, { LIT("[][]"), 2 }, { LIT("{} x"), 3 }, { LIT("\"a\"\"b\""), 3 },
    /* numbers */
    { LIT("01"), 1 }, { LIT("-01"), 2 }, { LIT("00"), 1 }, { LIT("+1"), 0 }, { LIT("-"), 1 }, { LIT("--1"), 1 },
    { LIT(".5"), 0 }, { LIT("-.5"), 1 }, { LIT("5."), 2 }, { LIT("5.e1"), 2 }, { LIT("1e"), 2 }, { LIT("1e+"), 3 },
    { LIT("1e+-2"), 3 }, { LIT("1.2.3"), 3 }, { LIT("0x10"), 1 }, { LIT("1_000"), 1 }, { LIT("1a"), 1 },
    { LIT("- 1"), 1 }, { LIT("1 000"), 2 }, { LIT("0e"), 2 }, { LIT("\xef\xbc\x91"), 0 },
    /* arrays */
    { LIT("["), 1 }, { LIT("]"), 0 }, { LIT("[1"), 2 }, { LIT("[1,"), 3 }, { LIT("[1,]"), 3 }, { LIT("[,1]"), 1 },
    { LIT("[,]"), 1 }, { LIT("[1,,2]"), 3 }, { LIT("[1 2]"), 3 }, { LIT("[1:2]"), 2 }, { LIT("[1}"), 2 },
    { LIT("[[]"), 3 }, { LIT("[]]"), 2 }, { LIT("[\"a\""), 4 }, { LIT("[\"a"), 3 }, { LIT("[*]"), 1 },
    { LIT("[\x0b]"), 1 }, { LIT("[\f]"), 1 }, { LIT("[\xc2\xa0]"), 1 }, { LIT("[//\n1]"), 1 }, { LIT("[/**/1]"), 1 },
    /* objects */
    { LIT("{"), 1 }, { LIT("}"), 0 }, { LIT("{a:1}"), 1 }, { LIT("{'a':1}"), 1 }, { LIT("{1:1}"), 1 },
    { LIT("{null:1}"), 1 }, { LIT("{\"a\"}"), 4 }, { LIT("{\"a\":}"), 5 }, { LIT("{\"a\" 1}"), 5 },
    { LIT("{\"a\":1,}"), 7 }, { LIT("{,\"a\":1}"), 1 }, { LIT("{\"a\":1 \"b\":2}"), 7 }, { LIT("{\"a\":1"), 6 },
    { LIT("{\"a\":"), 5 }, { LIT("{\"a\""), 4 }, { LIT("{\"a"), 3 }, { LIT("{\"a\",\"b\"}"), 4 }, { LIT("{\"a\"::1}"), 5 },
    { LIT("{\"a\":1]"), 6 }, { LIT("{{}}"), 1 }, { LIT("{[]:1}"), 1 }, { LIT("{\"a\":1,,\"b\":2}"), 7 },
    /* strings */
    { LIT("\""), 1 }, { LIT("\"a"), 2 }, { LIT("\"\\"), 1 }, { LIT("\"\\\""), 3 }, { LIT("\"\\a\""), 1 },
    { LIT("\"\\x41\""), 1 }, { LIT("\"\\U0041\""), 1 }, { LIT("\"\\'\""), 1 }, { LIT("\"\\u\""), 1 },
    { LIT("\"\\u0\""), 1 }, { LIT("\"\\u004\""), 1 }, { LIT("\"\\u00g0\""), 1 }, { LIT("\"\\u 041\""), 1 },
    { LIT("\"\\u+041\""), 1 }, { LIT("\"\n\""), 1 }, { LIT("\"\t\""), 1 }, { LIT("\"\0\""), 1 }, { LIT("\"\x1f\""), 1 },
    { LIT("\"abcdefgh\x1fi\""), 9 }, { LIT("\"\\n\x01\""), 3 }, { LIT("\"\\\xc3\xa9\""), 1 }, { LIT("\"\\\0\""), 1 },
    /* surrogates that are not a pair */
    { LIT("\"\\ud800\""), 1 }, { LIT("\"\\udc00\""), 1 }, { LIT("\"\\ud800\\ud800\""), 1 }, { LIT("\"\\ud800x\""), 1 },
    { LIT("\"\\ud800\\n\""), 1 }, { LIT("\"\\ud800\\u0041\""), 1 }, { LIT("\"\\udc00\\ud800\""), 1 },
    { LIT("\"\\ud800\\"), 1 }, { LIT("\"\\ud800\\u"), 1 }, { LIT("\"\\ud800\\udc0"), 1 },
    /* bytes that are not UTF-8 */
    { LIT("\"\x80\""), 1 }, { LIT("\"\xbf\""), 1 }, { LIT("\"\xc0\x80\""), 1 }, { LIT("\"\xc1\xbf\""), 1 },
    { LIT("\"\xc2\""), 1 }, { LIT("\"\xc2"), 1 }, { LIT("\"\xe0\x80\x80\""), 1 }, { LIT("\"\xe0\x9f\xbf\""), 1 },
    { LIT("\"\xe2\x82\""), 1 }, { LIT("\"\xed\xa0\x80\""), 1 }, { LIT("\"\xed\xbf\xbf\""), 1 },
    { LIT("\"\xf0\x80\x80\x80\""), 1 }, { LIT("\"\xf0\x8f\xbf\xbf\""), 1 }, { LIT("\"\xf0\x9f\x98\""), 1 },
    { LIT("\"\xf4\x90\x80\x80\""), 1 }, { LIT("\"\xf5\x80\x80\x80\""), 1 }, { LIT("\"\xff\""), 1 },
    { LIT("\"\\n\xff\""), 3 }, { LIT("\"ab\xe2(\xa1\""), 3 }, { LIT("[\"\xfe\xff\"]"), 2 },
};

/* clang-format on */

static void test_every_valid_text_is_taken(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (!parse(taken[i], NULL)) fail_msg("refused: %.*s", SLICE_ARG(taken[i]));
}

static void test_every_invalid_text_is_refused_at_its_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        size_t at = 9999;
        if (parse(refused[i].text, &at)) fail_msg("taken: %.*s", SLICE_ARG(refused[i].text));
        if (at != refused[i].at) fail_msg("%.*s: at %zu", SLICE_ARG(refused[i].text), at);
    }
}

static void test_every_prefix_of_an_object_is_refused(void **state)
{
    (void)state;
    struct slice text = SLICE("{\"TableName\": \"t\\u00e9\", \"Item\": {\"p\": {\"N\": \"-1.5\"}, "
                              "\"b\": [true, 1.5e2]}}");
    assert_non_null(parse(text, NULL));
    for (size_t n = 0; n < text.n; n++)
        assert_null(parse(slice_of(text.p, n), NULL));
}

static const struct json *read(const char *text)
{
    const struct json *j = json_parse(&arena, slice_str(text), 64, NULL);
    assert_non_null(j);
    return j;
}

static void assert_slice(struct slice s, struct slice expected)
{
    if (!slice_eq(s, expected)) fail_msg("got %.*s", SLICE_ARG(s));
}

static void test_tree_has_children_in_order(void **state)
{
    (void)state;
    const struct json *j = read("{\"a\":[1,[2],{}],\"b\":{\"c\":null},\"d\":\"e\"}");
    assert_int_equal(j->type, JSON_OBJECT);
    assert_int_equal(j->count, 3);
    assert_null(j->next);
    const struct json *a = j->first, *b = a->next, *d = b->next;
    assert_slice(a->name, SLICE("a"));
    assert_int_equal(a->type, JSON_ARRAY);
    assert_int_equal(a->count, 3);
    assert_slice(a->first->text, SLICE("1"));
    assert_int_equal(a->first->type, JSON_NUMBER);
    assert_int_equal(a->first->next->first->type, JSON_NUMBER);
    assert_int_equal(a->first->next->next->type, JSON_OBJECT);
    assert_int_equal(a->first->next->next->count, 0);
    assert_null(a->first->next->next->first);
    assert_null(a->first->next->next->next);
    assert_int_equal(b->first->type, JSON_NULL);
    assert_slice(b->first->name, SLICE("c"));
    assert_slice(d->text, SLICE("e"));
    assert_null(d->next);
}

static void test_strings_are_unescaped(void **state)
{
    (void)state;
    assert_slice(read("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"")->text, SLICE("\"\\/\b\f\n\r\t"));
    assert_slice(read("\"x\\u0000y\"")->text, slice_of("x\0y", 3));
    assert_slice(read("\"\\u00e9\\u20AC\\uD83D\\uDE00\"")->text,
                 SLICE("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"));
    assert_slice(read("\"\xc3\xa9\"")->text, SLICE("\xc3\xa9"));
    assert_slice(read("\"long enough to be read in words\\n\xc3\xa9 and on\"")->text,
                 SLICE("long enough to be read in words\n\xc3\xa9 and on"));
    assert_slice(read("{\"a\\tb\":1}")->first->name, SLICE("a\tb"));
    assert_true(read("\"\\u0041\"")->text_escaped);
    assert_false(read("\"A\"")->text_escaped);
    assert_true(read("{\"\\u0041\":1}")->first->name_escaped);
}

static void test_get_finds_the_last_of_equal_names(void **state)
{
    (void)state;
    const struct json *j = read("{\"a\":1,\"b\":2,\"a\":3}");
    assert_int_equal(j->count, 3);
    assert_slice(JSON_GET(j, "a")->text, SLICE("3"));
    assert_slice(JSON_GET(j, "b")->text, SLICE("2"));
    assert_null(JSON_GET(j, "c"));
    assert_null(JSON_GET(NULL, "a"));
    assert_null(JSON_GET(read("[1]"), "a"));
}

static void test_depth_is_bounded_without_recursion(void **state)
{
    (void)state;
    assert_non_null(json_parse(&arena, SLICE("[[[]]]"), 3, NULL));
    assert_null(json_parse(&arena, SLICE("[[[]]]"), 2, NULL));
    assert_null(json_parse(&arena, SLICE("{\"a\":{\"b\":{}}}"), 2, NULL));
    assert_non_null(json_parse(&arena, SLICE("1"), 0, NULL));
    assert_null(json_parse(&arena, SLICE("[]"), 0, NULL));
    enum { DEEP = 100000 };
    char *text = malloc(2 * DEEP);
    assert_non_null(text);
    memset(text, '[', DEEP);
    memset(text + DEEP, ']', DEEP);
    assert_non_null(json_parse(&arena, slice_of(text, 2 * DEEP), DEEP, NULL));
    assert_null(json_parse(&arena, slice_of(text, 2 * DEEP), DEEP - 1, NULL));
    assert_null(json_parse(&arena, slice_of(text, 2 * DEEP - 1), DEEP, NULL));
    free(text);
}

static void test_written_strings_read_back_the_same(void **state)
{
    (void)state;
    uint64_t seed = 88172645463325252;
    for (int i = 0; i < 20000; i++) {
        uint8_t text[48];
        seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
        size_t n = seed % sizeof text;
        for (size_t k = 0; k < n; k++) {
            seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
            text[k] = (uint8_t)(32 + (seed >> 10) % 96);
            if (seed % 20 == 0) text[k] &= 0x1f;
            if (seed % 20 == 1) text[k] = (uint8_t) "\"\\"[seed >> 9 & 1];
        }
        struct buf b;
        buf_init(&b, &arena, 1 << 20);
        json_put_string(&b, slice_of(text, n));
        const struct json *j = json_parse(&arena, buf_view(&b), 1, NULL);
        assert_non_null(j);
        assert_slice(j->text, slice_of(text, n));
        bool needs = b.n != n + 2;
        assert_int_equal(json_needs_escape(slice_of(text, n)), needs);
        if (!needs) {
            struct buf plain;
            buf_init(&plain, &arena, 1 << 20);
            json_put_plain(&plain, slice_of(text, n));
            assert_slice(buf_view(&plain), buf_view(&b));
        }
        arena_reset(&arena);
    }
}

static void test_written_escapes_are_the_short_ones(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b, &arena, 1 << 20);
    json_put_string(&b, slice_of("\"\\/\b\f\n\r\t\0\x1f\x7f\xc3\xa9", 13));
    assert_slice(buf_view(&b), SLICE("\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001F\x7f\xc3\xa9\""));
}

static void test_an_empty_slice_needs_no_address(void **state)
{
    (void)state;
    struct slice none = { NULL, 0 };
    size_t at = 1;
    struct buf b;
    assert_null(json_parse(&arena, none, 10, &at));
    assert_int_equal(at, 0);
    assert_false(json_needs_escape(none));
    assert_true(utf8_valid(none));
    buf_init(&b, &arena, 100);
    json_put_string(&b, none);
    json_put_plain(&b, none);
    assert_slice(buf_view(&b), SLICE("\"\"\"\""));
}

static void test_utf8_is_checked_as_in_strings(void **state)
{
    (void)state;
    assert_true(utf8_valid(SLICE("")));
    assert_true(utf8_valid(SLICE("plain ascii of some length\0and a zero")));
    assert_true(utf8_valid(SLICE("\xc3\xa9 12345678 \xf0\x9f\x98\x80")));
    assert_false(utf8_valid(SLICE("12345678\xc3")));
    assert_false(utf8_valid(SLICE("\xed\xa0\x80")));
    assert_false(utf8_valid(SLICE("\xc0\xaf")));
    struct slice whole = SLICE("\xc3\xa9 a"), mended = utf8_mended(&arena, whole);
    assert_ptr_equal(mended.p, whole.p);
    mended = utf8_mended(&arena, SLICE("a\xff\xc3\xa9\xed\xa0\x80\xf0\x9f"));
    assert_true(slice_eq(mended, SLICE("a\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd")));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_every_valid_text_is_taken),
        TEST(test_every_invalid_text_is_refused_at_its_place),
        TEST(test_every_prefix_of_an_object_is_refused),
        TEST(test_tree_has_children_in_order),
        TEST(test_strings_are_unescaped),
        TEST(test_get_finds_the_last_of_equal_names),
        TEST(test_depth_is_bounded_without_recursion),
        TEST(test_written_strings_read_back_the_same),
        TEST(test_written_escapes_are_the_short_ones),
        TEST(test_an_empty_slice_needs_no_address),
        TEST(test_utf8_is_checked_as_in_strings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
