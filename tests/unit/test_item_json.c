/* test_item_json.c: DynamoDB-JSON in and out, and DynamoDB's words for what is wrong with it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include "arena_fixture.h"
#include "item/item_json.h"


static void assert_slice(struct slice s, struct slice expected)
{
    if (!slice_eq(s, expected)) fail_msg("got %.*s", SLICE_ARG(s));
}

static const struct json *json(const char *text)
{
    const struct json *j = json_parse(&arena, slice_str(text), 1000, NULL);
    if (!j) fail_msg("not JSON: %s", text);
    return j;
}

static struct slice value(const char *text)
{
    struct slice v;
    struct err e = { .arena = &arena };
    if (val_from_json(&arena, json(text), &v, &e)) fail_msg("%s: %.*s", text, SLICE_ARG(e.message));
    assert_true(val_check(v));
    return v;
}

static void assert_writes(const char *text, const char *expected)
{
    struct buf b;
    buf_init(&b, &arena, 1 << 20);
    val_to_json(&b, value(text));
    assert_slice(buf_view(&b), slice_str(expected));
}

static void test_values_come_back_in_normal_form(void **state)
{
    (void)state;
    static const char *const same[] = {
        "{\"S\":\"x\"}",
        "{\"S\":\"\"}",
        "{\"S\":\"a\\\"b\\\\c\\nd\\u0000\"}",
        "{\"S\":\"\xc3\xa9\"}",
        "{\"N\":\"-12.5\"}",
        "{\"B\":\"\"}",
        "{\"B\":\"AA==\"}",
        "{\"B\":\"AAE=\"}",
        "{\"B\":\"AAEC\"}",
        "{\"BOOL\":true}",
        "{\"BOOL\":false}",
        "{\"NULL\":true}",
        "{\"SS\":[\"a\",\"b\"]}",
        "{\"SS\":[\"\\\"\"]}",
        "{\"BS\":[\"AA==\",\"AQ==\"]}",
        "{\"L\":[]}",
        "{\"M\":{}}",
        "{\"L\":[{\"S\":\"x\"},{\"N\":\"1\"},{\"L\":[{\"NULL\":true}]}]}",
        "{\"M\":{\"a\":{\"S\":\"x\"},\"b\":{\"M\":{\"\\\"\":{\"BOOL\":true}}}}}",
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        assert_writes(same[i], same[i]);
    assert_writes(" { \"N\" : \"1E+2\" } ", "{\"N\":\"100\"}");
    assert_writes("{\"S\":\"\\u0041\\/\"}", "{\"S\":\"A/\"}");
    assert_writes("{\"M\":{\"b\":{\"N\":\"1\"},\"a\":{\"N\":\"2\"},\"b\":{\"N\":\"3\"}}}",
                  "{\"M\":{\"a\":{\"N\":\"2\"},\"b\":{\"N\":\"3\"}}}");
    assert_writes("{\"NS\":[\"1\",\"-2.5\",\"10\",\"9\"]}",
                  "{\"NS\":[\"10\",\"9\",\"1\",\"-2.5\"]}");
    assert_writes("{\"SS\":[\"b\",\"a\",\"\"]}", "{\"SS\":[\"\",\"a\",\"b\"]}");
    /* What AWS's deserialiser also takes. */
    assert_writes("{\"BOOL\":\"True\"}", "{\"BOOL\":true}");
    assert_writes("{\"BOOL\":\"0\"}", "{\"BOOL\":false}");
    assert_writes("{\"NULL\":\"yes\"}", "{\"NULL\":true}");
    assert_writes("{\"S\":null,\"N\":\"1\",\"X\":[]}", "{\"N\":\"1\"}");
    assert_writes("{\"S\":\"a\",\"S\":\"b\"}", "{\"S\":\"b\"}");
}

static void test_wrong_values_get_dynamodbs_words(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "{}",
          "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes" },
        { "null",
          "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes" },
        { "{\"S\":null}",
          "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes" },
        { "{\"a\":\"b\"}",
          "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes" },
        { "{\"s\":\"b\"}",
          "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes" },
        { "{\"S\":\"a\",\"N\":\"1\"}", "Supplied AttributeValue has more than one datatypes set, "
                                       "must contain exactly one of the supported "
                                       "datatypes" },
        { "{\"S\":\"a\",\"N\":\"\"}", "The parameter cannot be converted to a numeric value" },
        { "{\"S\":\"a\",\"N\":\"b\"}", "The parameter cannot be converted to a numeric value: b" },
        { "{\"N\":\"\"}", "The parameter cannot be converted to a numeric value" },
        { "{\"N\":\"dog\"}", "The parameter cannot be converted to a numeric value: dog" },
        { "{\"N\":\"1e126\"}", "Number overflow. Attempting to store a number with magnitude "
                               "larger than supported range" },
        { "{\"N\":\"1e-131\"}", "Number underflow. Attempting to store a number with magnitude "
                                "smaller than supported range" },
        { "{\"N\":\"123456789012345678901234567890123456789\"}",
          "Attempting to store more than 38 significant digits in a Number" },
        { "{\"NS\":[\"1\",\"b\"]}", "The parameter cannot be converted to a numeric value: b" },
        { "{\"NULL\":false}", "One or more parameter values were invalid: Null attribute value "
                              "types must have the value of true" },
        { "{\"NULL\":\"no\"}", "One or more parameter values were invalid: Null attribute value "
                               "types must have the value of true" },
        { "{\"SS\":[]}",
          "One or more parameter values were invalid: An string set  may not be empty" },
        { "{\"NS\":[]}",
          "One or more parameter values were invalid: An number set  may not be empty" },
        { "{\"BS\":[]}",
          "One or more parameter values were invalid: Binary sets should not be empty" },
        { "{\"SS\":[\"a\",\"a\"]}", "One or more parameter values were invalid: Input collection "
                                    "[a, a] contains duplicates." },
        { "{\"SS\":[\"b\",\"a\",\"b\"]}", "One or more parameter values were invalid: Input "
                                          "collection [b, a, b] contains duplicates." },
        { "{\"BS\":[\"Yg==\",\"Yg==\"]}", "One or more parameter values were invalid: Input "
                                          "collection [Yg==, Yg==]of type BS contains "
                                          "duplicates." },
        { "{\"NS\":[\"1\",\"1.0\"]}", "Input collection contains duplicates" },
        { "{\"M\":{\"\":{\"S\":\"x\"}}}",
          "Empty attribute name" },
        { "{\"L\":[{\"S\":\"x\"},{}]}",
          "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes" },
        { "{\"M\":{\"a\":{\"N\":\"x\"}}}",
          "The parameter cannot be converted to a numeric value: x" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err e = { .arena = &arena };
        struct slice v;
        assert_int_equal(val_from_json(&arena, json(cases[i][0]), &v, &e), ERR_ValidationException);
        assert_int_equal(e.code, ERR_ValidationException);
        assert_slice(e.message, slice_str(cases[i][1]));
    }
}

static void test_wrong_json_types_get_awss_words(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "\"x\"", "Unexpected value type in payload" },
        { "1", "Unexpected value type in payload" },
        { "true", "Unexpected value type in payload" },
        { "[]",
          "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue" },
        { "{\"S\":1}", "NUMBER_VALUE cannot be converted to String" },
        { "{\"S\":1.5}", "DECIMAL_VALUE cannot be converted to String" },
        { "{\"N\":1}", "NUMBER_VALUE cannot be converted to String" },
        { "{\"S\":true}", "TRUE_VALUE cannot be converted to String" },
        { "{\"S\":false}", "FALSE_VALUE cannot be converted to String" },
        { "{\"S\":[]}", "Unrecognized collection type class java.lang.String" },
        { "{\"S\":{}}", "Start of structure or map found where not expected" },
        { "{\"BOOL\":1}", "NUMBER_VALUE cannot be converted to Boolean" },
        { "{\"BOOL\":\"23\"}", "Unexpected token received from parser" },
        { "{\"BOOL\":[]}", "Unrecognized collection type class java.lang.Boolean" },
        { "{\"NULL\":{}}", "Start of structure or map found where not expected" },
        { "{\"B\":1}", "only base-64-encoded strings are convertible to bytes" },
        { "{\"B\":true}", "only base-64-encoded strings are convertible to bytes" },
        { "{\"B\":[]}", "Unrecognized collection type class java.nio.ByteBuffer" },
        { "{\"B\":{}}", "Start of structure or map found where not expected" },
        { "{\"B\":\"23456\"}",
          "Base64 encoded length is expected a multiple of 4 bytes but found: 5" },
        { "{\"B\":\"=+/=\"}", "Invalid last non-pad Base64 character dectected" },
        { "{\"B\":\"+/+=\"}", "Invalid last non-pad Base64 character dectected" },
        { "{\"SS\":\"a\"}", "Unexpected field type" },
        { "{\"SS\":{}}", "Start of structure or map found where not expected" },
        { "{\"SS\":[1]}", "NUMBER_VALUE cannot be converted to String" },
        { "{\"NS\":[1]}", "NUMBER_VALUE cannot be converted to String" },
        { "{\"BS\":[\"abc\"]}",
          "Base64 encoded length is expected a multiple of 4 bytes but found: 3" },
        { "{\"L\":\"a\"}", "Unexpected field type" },
        { "{\"L\":[1]}", "Unexpected value type in payload" },
        { "{\"M\":1}", "Unexpected field type" },
        { "{\"M\":[]}", "Unrecognized collection type java.util.Map<java.lang.String, "
                        "com.amazonaws.dynamodb.v20120810.AttributeValue>" },
        { "{\"M\":{\"a\":1}}", "Unexpected value type in payload" },
        /* Types anywhere come before values anywhere. */
        { "{\"L\":[{\"N\":\"x\"},{\"S\":1}]}", "NUMBER_VALUE cannot be converted to String" },
        { "{\"S\":\"a\",\"N\":1}", "NUMBER_VALUE cannot be converted to String" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err e = { .arena = &arena };
        struct slice v;
        assert_int_equal(val_from_json(&arena, json(cases[i][0]), &v, &e),
                         ERR_SerializationException);
        assert_slice(e.message, slice_str(cases[i][1]));
        struct err shape = { .arena = &arena };
        assert_int_equal(val_json_shape(json(cases[i][0]), &shape), ERR_SerializationException);
    }
}

/* wraps maps or lists around a string. */
static const struct json *nested(unsigned wraps, bool lists)
{
    struct buf b;
    buf_init(&b, &arena, 1 << 20);
    for (unsigned i = 0; i < wraps; i++)
        buf_slice(&b, lists ? SLICE("{\"L\":[") : SLICE("{\"M\":{\"a\":"));
    BUF_LIT(&b, "{\"S\":\"x\"}");
    for (unsigned i = 0; i < wraps; i++)
        buf_slice(&b, lists ? SLICE("]}") : SLICE("}}"));
    const struct json *j = json_parse(&arena, buf_view(&b), 100000, NULL);
    assert_non_null(j);
    return j;
}

static void test_nesting_ends_at_32_levels(void **state)
{
    (void)state;
    for (int lists = 0; lists < 2; lists++) {
        struct err e = { .arena = &arena };
        struct slice v;
        assert_int_equal(val_from_json(&arena, nested(31, lists), &v, &e), 0);
        assert_int_equal(val_depth(v), 31);
        assert_true(val_check(v));
        assert_int_equal(val_from_json(&arena, nested(32, lists), &v, &e), ERR_ValidationException);
        assert_slice(
            e.message,
            SLICE("Nesting Levels have exceeded supported limits: Attributes in the item have "
                  "nested levels beyond supported limit"));
        assert_int_equal(val_from_json(&arena, nested(10000, lists), &v, &e),
                         ERR_ValidationException);
    }
}

static void test_ready_values_in_a_tree_are_taken(void **state)
{
    (void)state;
    struct err e = { .arena = &arena };
    struct slice deep, item, v;
    assert_int_equal(val_from_json(&arena, nested(31, true), &deep, &e), 0);
    struct json whole = { .type = JSON_ENCODED, .text = deep };
    struct json member = { .type = JSON_ENCODED, .name = SLICE("a"), .text = deep };
    struct json object = { .type = JSON_OBJECT, .count = 1, .first = &member };
    assert_int_equal(val_json_shape(&whole, &e), 0);
    assert_int_equal(item_json_shape(&object, &e), 0);
    assert_int_equal(val_from_json(&arena, &whole, &v, &e), 0);
    assert_slice(v, deep);
    assert_int_equal(item_from_json(&arena, &object, &item, &e), 0);
    assert_true(val_check(item));
    assert_true(val_get(item, SLICE("a"), &v));
    assert_slice(v, deep);
    whole.text = item;
    assert_int_equal(item_from_json(&arena, &whole, &v, &e), 0);
    assert_int_equal(val_from_json(&arena, &whole, &v, &e), ERR_ValidationException);
    member.text = item;
    assert_int_equal(item_from_json(&arena, &object, &v, &e), ERR_ValidationException);
}

static void test_items(void **state)
{
    (void)state;
    struct err e = { .arena = &arena };
    struct slice item, v;
    assert_int_equal(
        item_from_json(&arena,
                       json("{\"b\":{\"N\":\"1\"},\"a\":{\"S\":\"x\"},\"\\n\":{\"NULL\":true}}"),
                       &item, &e),
        0);
    assert_true(val_check(item));
    assert_int_equal(val_type(item), TYPE_M);
    assert_int_equal(val_count(item), 3);
    assert_true(val_get(item, SLICE("b"), &v));
    struct buf b;
    buf_init(&b, &arena, 1 << 20);
    item_to_json(&b, item);
    assert_slice(buf_view(&b),
                 SLICE("{\"\\n\":{\"NULL\":true},\"a\":{\"S\":\"x\"},\"b\":{\"N\":\"1\"}}"));
    assert_int_equal(item_from_json(&arena, json("{}"), &item, &e), 0);
    buf_init(&b, &arena, 1 << 20);
    item_to_json(&b, item);
    assert_slice(buf_view(&b), SLICE("{}"));
    assert_int_equal(item_from_json(&arena, json("[]"), &item, &e), ERR_SerializationException);
    assert_int_equal(item_from_json(&arena, json("1"), &item, &e), ERR_SerializationException);
    assert_slice(e.message, SLICE("Unexpected field type"));
    assert_int_equal(item_from_json(&arena, json("null"), &item, &e), ERR_SerializationException);
    assert_int_equal(item_from_json(&arena, json("{\"a\":{\"N\":\"q\"},\"b\":7}"), &item, &e),
                     ERR_SerializationException);
}

static void test_names_have_up_to_65535_bytes(void **state)
{
    (void)state;
    for (size_t n = 65535; n <= 65536; n++) {
        for (int nested = 0; nested < 2; nested++) {
            struct buf b;
            struct slice item;
            struct err e = { .arena = &arena };
            buf_init(&b, &arena, 1 << 20);
            if (nested) BUF_LIT(&b, "{\"m\":{\"M\":");
            BUF_LIT(&b, "{\"");
            memset(buf_reserve(&b, n), 'x', n);
            b.n += n;
            BUF_LIT(&b, "\":{\"S\":\"\"}}");
            if (nested) BUF_LIT(&b, "}}");
            int rc = item_from_json(&arena, json_parse(&arena, buf_view(&b), 10, NULL), &item, &e);
            assert_int_equal(rc, n == 65535 ? 0 : ERR_ValidationException);
            if (rc)
                assert_slice(e.message,
                             SLICE("Attribute name is too large, must be less than 65536 bytes"));
        }
    }
}

static void test_base64(void **state)
{
    (void)state;
    uint8_t bytes[70];
    for (size_t n = 0; n < sizeof bytes; n++) {
        for (size_t i = 0; i < n; i++)
            bytes[i] = (uint8_t)(i * 37 + n * 11);
        struct buf b;
        struct slice back;
        buf_init(&b, &arena, 1000);
        base64_put(&b, slice_of(bytes, n));
        assert_int_equal(b.n, (n + 2) / 3 * 4);
        assert_true(base64_decode(&arena, buf_view(&b), &back));
        assert_slice(back, slice_of(bytes, n));
    }
    static const char *const bad[] = {
        "A",    "AA",   "AAA",      "AAAAA", "A===", "====",  "AB==",    "AAB=",      "AA=A",
        "=AAA", "A=AA", "AA==AAAA", "AA-_",  "AA A", "AAA\n", "\377AAA", "YWJj?\?!!", "ZmVmZQ=!"
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct slice out;
        assert_false(base64_decode(&arena, slice_str(bad[i]), &out));
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_values_come_back_in_normal_form),
        TEST(test_wrong_values_get_dynamodbs_words),
        TEST(test_wrong_json_types_get_awss_words),
        TEST(test_nesting_ends_at_32_levels),
        TEST(test_names_have_up_to_65535_bytes),
        TEST(test_ready_values_in_a_tree_are_taken),
        TEST(test_items),
        TEST(test_base64),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
