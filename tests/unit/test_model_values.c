/* test_model_values.c: values from JSON, YAML and text by declared type, back to JSON, and the rules of attributes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <regex.h>
#include <cmocka.h>
#include "item/item_json.h"
#include "model/values.h"
#include "arena_fixture.h"

static struct err e;

static struct attribute at(const char *name, enum val_type type)
{
    return (struct attribute){ .name = slice_str(name), .type = type };
}

static void assert_slice(struct slice s, const char *expected)
{
    char got[512];
    snprintf(got, sizeof got, "%.*s", SLICE_ARG(s));
    assert_string_equal(got, expected);
}

static void assert_value(struct slice value, const char *json)
{
    struct buf b;
    buf_init(&b, &arena, 1 << 20);
    val_to_json(&b, value);
    assert_slice(buf_view(&b), json);
    assert_true(val_check(value));
}

enum way { JSON, YAML, TEXT };

static int read(enum way way, const struct attribute *a, const char *text, struct slice *out)
{
    struct slice t = slice_str(text), name = a ? a->name : SLICE("x");
    e = (struct err){ .arena = &arena };
    if (way == TEXT) return value_from_text(&arena, a, name, t, out, &e);
    if (way == JSON) {
        const struct json *j = json_parse(&arena, t, 200, NULL);
        assert_non_null(j);
        return value_from_plain(&arena, a, name, j, out, &e);
    }
    struct problems ps;
    problems_init(&ps, &arena);
    t = arena_printf(&arena, "x: %s", text);
    const struct node *n = NODE_GET(node_read(&ps, SLICE("f"), t), "x");
    assert_non_null(n);
    return value_from_node(&arena, a, n, out, &e);
}

static void test_each_type_from_each_source(void **state)
{
    (void)state;
    static const struct {
        enum way way;
        enum val_type type; /* NONE: not declared */
        const char *text, *value;
    } cases[] = {
        { JSON, TYPE_S, "\"a\\n\"", "{\"S\":\"a\\n\"}" },
        { YAML, TYPE_S, "abc", "{\"S\":\"abc\"}" },
        { YAML, TYPE_S, "12", "{\"S\":\"12\"}" },
        { YAML, TYPE_S, "true", "{\"S\":\"true\"}" },
        { YAML, TYPE_S, "'null'", "{\"S\":\"null\"}" },
        { TEXT, TYPE_S, "12", "{\"S\":\"12\"}" },
        { TEXT, TYPE_S, "", "{\"S\":\"\"}" },
        { JSON, TYPE_N, "12345678901234567890123456789012345678", "{\"N\":\"12345678901234567890123456789012345678\"}" },
        { YAML, TYPE_N, "1.50", "{\"N\":\"1.5\"}" },
        { TEXT, TYPE_N, "-3e2", "{\"N\":\"-300\"}" },
        { JSON, TYPE_BOOL, "true", "{\"BOOL\":true}" },
        { YAML, TYPE_BOOL, "false", "{\"BOOL\":false}" },
        { TEXT, TYPE_BOOL, "true", "{\"BOOL\":true}" },
        { JSON, TYPE_B, "\"AAE=\"", "{\"B\":\"AAE=\"}" },
        { YAML, TYPE_B, "AAE=", "{\"B\":\"AAE=\"}" },
        { TEXT, TYPE_B, "AAE=", "{\"B\":\"AAE=\"}" },
        { JSON, TYPE_SS, "[\"b\",\"a\"]", "{\"SS\":[\"a\",\"b\"]}" },
        { YAML, TYPE_SS, "[b, 1]", "{\"SS\":[\"1\",\"b\"]}" },
        { TEXT, TYPE_NS, "[1, 20]", "{\"NS\":[\"20\",\"1\"]}" },
        { JSON, TYPE_BS, "[\"AAE=\"]", "{\"BS\":[\"AAE=\"]}" },
        { JSON, TYPE_L, "[1,\"a\",null]", "{\"L\":[{\"N\":\"1\"},{\"S\":\"a\"},{\"NULL\":true}]}" },
        { TEXT, TYPE_M, "{\"a\":{\"b\":[]}}", "{\"M\":{\"a\":{\"M\":{\"b\":{\"L\":[]}}}}}" },
        { YAML, TYPE_M, "{ b: 1, a: x }", "{\"M\":{\"a\":{\"S\":\"x\"},\"b\":{\"N\":\"1\"}}}" },
        { YAML, TYPE_NONE, "no", "{\"S\":\"no\"}" },
        { YAML, TYPE_NONE, "'5'", "{\"S\":\"5\"}" },
        { YAML, TYPE_NONE, "5", "{\"N\":\"5\"}" },
        { YAML, TYPE_NONE, "~", "{\"NULL\":true}" },
        { JSON, TYPE_S, "null", "{\"NULL\":true}" },
        { TEXT, TYPE_NONE, "5", "{\"N\":\"5\"}" },
        { TEXT, TYPE_NONE, "5 apples", "{\"S\":\"5 apples\"}" },
        { TEXT, TYPE_NONE, "[1]", "{\"L\":[{\"N\":\"1\"}]}" },
        { TEXT, TYPE_NONE, "true", "{\"BOOL\":true}" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct attribute a = at("x", cases[i].type);
        struct slice v;
        if (read(cases[i].way, cases[i].type ? &a : NULL, cases[i].text, &v))
            fail_msg("%s: %.*s", cases[i].text, SLICE_ARG(e.message));
        assert_value(v, cases[i].value);
    }
}

static void test_errors_name_the_attribute_and_what_was_expected(void **state)
{
    (void)state;
    static const struct {
        enum way way;
        enum val_type type;
        const char *text, *message;
    } cases[] = {
        { JSON, TYPE_N, "\"abc\"", "x: must be a number, but is \"abc\"" },
        { TEXT, TYPE_N, "abc", "x: must be a number, but is \"abc\"" },
        { YAML, TYPE_N, "abc", "x: must be a number, but is \"abc\"" },
        { JSON, TYPE_S, "5", "x: must be a string, but is 5" },
        { JSON, TYPE_S, "[]", "x: must be a string, but is a list" },
        { TEXT, TYPE_BOOL, "yes", "x: must be true or false, but is \"yes\"" },
        { JSON, TYPE_B, "\"a\"", "x: is not base64 (with padding, without blanks)" },
        { JSON, TYPE_SS, "[\"a\",5]", "x[1]: must be a string, but is 5" },
        { JSON, TYPE_SS, "[]", "x: is an empty set, which cannot be stored: leave it out" },
        { JSON, TYPE_NS, "[1,1.0]", "x: holds a value twice, which a set cannot" },
        { JSON, TYPE_N, "123456789012345678901234567890123456789",
          "x: has more than the 38 digits that a number can have" },
        { TEXT, TYPE_M, "a", "x: must be a map, written as JSON such as {\"a\": 1}, but is \"a\"" },
        { TEXT, TYPE_S, "\xff", "x: is not UTF-8" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct attribute a = at("x", cases[i].type);
        struct slice v;
        assert_int_equal(read(cases[i].way, &a, cases[i].text, &v), ERR_ValidationException);
        assert_slice(e.message, cases[i].message);
    }
    struct attribute inner = at("zip", TYPE_N), lines = at("lines", TYPE_L), map = at("x", TYPE_M);
    lines.members = &inner;
    lines.n_members = 1;
    map.members = &lines;
    map.n_members = 1;
    struct slice v;
    assert_int_equal(read(JSON, &map, "{\"lines\":[1,2,\"z\"]}", &v), ERR_ValidationException);
    assert_slice(e.message, "x.lines[2]: must be a number, but is \"z\"");
}

static void test_nesting_is_bounded(void **state)
{
    (void)state;
    char text[256];
    struct slice v;
    for (unsigned depth = 30; depth <= 33; depth++) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        text[2 * depth] = 0;
        assert_int_equal(read(JSON, NULL, text, &v) == 0, depth <= 31);
        if (!e.code) assert_true(val_depth(v) < VAL_MAX_DEPTH);
    }
}

static void test_plain_json_reads_back(void **state)
{
    (void)state;
    static const char text[] = "{\"b\":true,\"l\":[1,-0.5,\"x\\\"\"],\"m\":{\"n\":null},\"s\":\"\\u0001\"}";
    struct slice v;
    struct buf b;
    assert_int_equal(read(JSON, NULL, text, &v), 0);
    buf_init(&b, &arena, 1 << 20);
    item_to_plain(&b, v);
    assert_slice(buf_view(&b), text);
    struct attribute a = at("x", TYPE_BS);
    assert_int_equal(read(JSON, &a, "[\"AAE=\",\"AA==\"]", &v), 0);
    buf_init(&b, &arena, 1 << 20);
    value_to_plain(&b, v);
    assert_slice(buf_view(&b), "[\"AA==\",\"AAE=\"]");
}

static struct slice value(const char *json)
{
    struct slice v;
    assert_int_equal(read(JSON, NULL, json, &v), 0);
    return v;
}

static void assert_rule(const struct attribute *a, const char *json, const char *message)
{
    struct entity en = { .name = SLICE("Order") };
    e = (struct err){ .arena = &arena };
    struct slice v = value(json);
    int rc = value_check(&en, a, v, &e);
    assert_slice(rc ? e.message : SLICE(""), message);
}

static void test_rules(void **state)
{
    (void)state;
    struct attribute s = at("status", TYPE_S), n = at("total", TYPE_N), l = at("tags", TYPE_L);
    struct slice words[] = { value("\"pending\""), value("\"done\"") };
    assert_rule(&s, "5", "Order.status: must be a string, but is 5");
    assert_rule(&s, "null", "Order.status: must be a string, but is null");
    s.enumeration = words;
    s.n_enumeration = 2;
    assert_rule(&s, "\"done\"", "");
    assert_rule(&s, "\"lost\"", "Order.status: must be one of pending, done, but is \"lost\"");
    s = at("name", TYPE_S);
    s.min = value("2");
    s.max = value("3");
    assert_rule(&s, "\"\xc3\xa4\xc3\xb6\xf0\x9f\x98\x80\"", "");
    assert_rule(&s, "\"\xf0\x9f\x98\x80\"", "Order.name: must have at least 2 characters, but has 1");
    assert_rule(&s, "\"abcd\"", "Order.name: must have at most 3 characters, but has 4");
    n.min = value("0");
    n.max = value("10.5");
    assert_rule(&n, "10.5", "");
    assert_rule(&n, "-1", "Order.total: must be at least 0, but is -1");
    assert_rule(&n, "10.51", "Order.total: must be at most 10.5, but is 10.51");
    l.max = value("1");
    assert_rule(&l, "[1,2]", "Order.tags: must have at most 1 elements, but has 2");
}

static void test_pattern_matches_the_whole_value(void **state)
{
    (void)state;
    static const struct {
        const char *regex;
        int flags;
    } forms[] = { { "a|ab+", REG_EXTENDED }, { "^(a|ab+)$", REG_EXTENDED }, { "^(a|ab+)$", REG_EXTENDED | REG_NOSUB } };
    for (size_t i = 0; i < 3; i++) {
        regex_t re;
        struct attribute s = at("sku", TYPE_S);
        assert_int_equal(regcomp(&re, forms[i].regex, forms[i].flags), 0);
        s.pattern = SLICE("a|ab+");
        s.compiled_pattern = &re;
        assert_rule(&s, "\"abb\"", "");
        assert_rule(&s, "\"a\"", "");
        assert_rule(&s, "\"abc\"", "Order.sku: must match the pattern a|ab+, but is \"abc\"");
        assert_rule(&s, "\"\"", "Order.sku: must match the pattern a|ab+, but is \"\"");
        assert_rule(&s, "\"xab\"", "Order.sku: must match the pattern a|ab+, but is \"xab\"");
        regfree(&re);
    }
}

static void test_formats(void **state)
{
    (void)state;
    struct attribute s = at("at", TYPE_S), n = at("at", TYPE_N), u = at("id", TYPE_S);
    s.time = TIME_DATE_TIME;
    assert_rule(&s, "\"2026-05-10T14:23:01Z\"", "");
    assert_rule(&s, "\"yesterday\"",
                "Order.at: must be a date-time in UTC such as 2026-05-10T14:23:01Z, but is \"yesterday\"");
    n.time = TIME_EPOCH;
    assert_rule(&n, "1715000000", "");
    assert_rule(&n, "1.5", "Order.at: must be a whole number of seconds since 1970, but is 1.5");
    u.is_uuid = true;
    assert_rule(&u, "\"123e4567-e89b-42d3-a456-426614174000\"", "");
    assert_rule(&u, "\"123e4567\"",
                "Order.id: must be a UUID such as 123e4567-e89b-42d3-a456-426614174000, but is \"123e4567\"");
}

static void test_members(void **state)
{
    (void)state;
    struct attribute members[] = { at("street", TYPE_S), at("zip", TYPE_N) }, map = at("address", TYPE_M), list = at("all", TYPE_L);
    members[0].required = true;
    map.members = members;
    map.n_members = 2;
    list.members = &map;
    list.n_members = 1;
    assert_rule(&map, "{\"street\":\"a\"}", "");
    assert_rule(&map, "{\"zip\":5}", "Order.address.street: is required, but is missing");
    assert_rule(&map, "{\"street\":\"a\",\"city\":\"b\"}",
                "Order.address.city: is not declared; declare it under attributes of address, or leave it out");
    assert_rule(&list, "[{\"street\":\"a\"},{\"street\":\"a\",\"zip\":\"b\"}]",
                "Order.all[1].zip: must be a number, but is \"b\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_type_from_each_source),
        cmocka_unit_test(test_errors_name_the_attribute_and_what_was_expected),
        cmocka_unit_test(test_nesting_is_bounded),
        cmocka_unit_test(test_plain_json_reads_back),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_pattern_matches_the_whole_value),
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_members),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
