/* test_expr_legacy.c: Expected, QueryFilter, ScanFilter, ConditionalOperator and AttributeUpdates.
 */
#include "test_expr_util.h"

static const char *const thing = "{\"a\":{\"N\":\"1\"},\"s\":{\"S\":\"hello\"},\"ns\":{\"NS\":["
                                 "\"2\",\"4\"]},\"l\":{\"L\":[{\"N\":\"2\"},"
                                 "{\"BOOL\":true}]},\"z\":{\"NULL\":true}}";

/* "true", "false", "none" or the error. */
static const char *answer(int rc, const struct cond *c)
{
    if (rc) return failed(rc);
    if (!c) return "none";
    return cond_eval(c, item(thing)) ? "true" : "false";
}

static const char *expected(const char *text, const char *op)
{
    struct cond *c;
    int rc =
        legacy_expected(&arena, json(text), op ? slice_str(op) : slice_of(NULL, 0), &c, &error);
    return answer(rc, c);
}

static const char *filter(const char *text, const char *op)
{
    struct cond *c;
    int rc = legacy_filter(&arena, "QueryFilter", json(text),
                           op ? slice_str(op) : slice_of(NULL, 0), &c, &error);
    return answer(rc, c);
}

#define ON(name, op, list)                                                                         \
    "\"" name "\":{\"ComparisonOperator\":\"" op "\",\"AttributeValueList\":[" list "]}"
#define N(x)    "{\"N\":\"" #x "\"}"
#define S(x)    "{\"S\":\"" #x "\"}"
#define INVALID "One or more parameter values were invalid: "
#define ARGS    INVALID "Invalid number of argument(s) for the "

static void test_operators(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { ON("a", "EQ", N(1.0)), "true" },
        { ON("a", "EQ", S(1)), "false" },
        { ON("a", "NE", S(1)), "true" },
        { ON("q", "NE", S(1)), "true" },
        { ON("q", "EQ", S(1)), "false" },
        { ON("a", "LE", N(1)), "true" },
        { ON("a", "LT", N(1)), "false" },
        { ON("a", "GE", N(0)), "true" },
        { ON("l", "GT", N(0)), "false" },
        { ON("z", "NOT_NULL", ""), "true" },
        { ON("z", "NULL", ""), "false" },
        { "\"q\":{\"ComparisonOperator\":\"NULL\"}", "true" },
        { ON("s", "CONTAINS", S(ell)), "true" },
        { ON("ns", "CONTAINS", N(4)), "true" },
        { ON("l", "CONTAINS", "{\"BOOL\":true}"), "true" },
        { ON("s", "NOT_CONTAINS", N(4)), "true" },
        { ON("ns", "NOT_CONTAINS", N(4)), "false" },
        { ON("q", "NOT_CONTAINS", N(4)), "false" },
        { ON("s", "BEGINS_WITH", S(hel)), "true" },
        { ON("a", "BEGINS_WITH", S(hel)), "false" },
        { ON("a", "IN", N(3) "," N(1)), "true" },
        { ON("ns", "IN", N(2)), "false" },
        { ON("a", "BETWEEN", N(1) "," N(2)), "true" },
        { ON("l", "EQ", "{\"L\":[" N(2) ",{\"BOOL\":true}]}"), "true" },
        { ON("a", "EQ", ""), ARGS "EQ ComparisonOperator" },
        { ON("a", "EQ", N(1) "," N(1)), ARGS "EQ ComparisonOperator" },
        { ON("a", "NULL", N(1)), ARGS "NULL ComparisonOperator" },
        { ON("a", "IN", ""), ARGS "IN ComparisonOperator" },
        { ON("a", "BETWEEN", N(1)), ARGS "BETWEEN ComparisonOperator" },
        { ON("a", "IN", N(1) "," S(1)),
          INVALID "AttributeValues inside AttributeValueList must be of same type" },
        { ON("a", "BETWEEN", N(2) "," N(1)), "The BETWEEN condition was provided a range where the "
                                             "lower bound is greater than the upper bound" },
        { ON("a", "LE", "{\"L\":[]}"),
          INVALID "ComparisonOperator LE is not valid for L AttributeValue type" },
        { ON("a", "CONTAINS", "{\"L\":[]}"),
          INVALID "ComparisonOperator CONTAINS is not valid for L AttributeValue type" },
        { ON("a", "BEGINS_WITH", N(1)),
          INVALID "ComparisonOperator BEGINS_WITH is not valid for N AttributeValue type" },
        { ON("a", "IN", "{\"BOOL\":true}"),
          INVALID "ComparisonOperator IN is not valid for BOOL AttributeValue type" },
        { ON("a", "BETWEEN", "{\"NS\":[\"1\"]},{\"NS\":[\"2\"]}"),
          INVALID "ComparisonOperator BETWEEN is not valid for NS AttributeValue type" },
        { ON("a", "EQ", "{}"),
          "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *text = (const char *)arena_printf(&arena, "{%s}", cases[i][0]).p;
        assert_string_equal(expected(text, NULL), cases[i][1]);
        assert_string_equal(filter(text, NULL), cases[i][1]);
    }
    assert_string_equal(
        filter("{" ON("i", "DOG", N(3)) "}", NULL),
        "1 validation error detected: Value 'DOG' at 'queryFilter.i.member.comparisonOperator' "
        "failed "
        "to satisfy constraint: Member must satisfy enum value set: [IN, NULL, BETWEEN, LT, "
        "NOT_CONTAINS, EQ, GT, NOT_NULL, NE, LE, BEGINS_WITH, GE, CONTAINS]");
    assert_string_equal(filter("{\"i\":{}}", NULL),
                        "1 validation error detected: Value null at "
                        "'queryFilter.i.member.comparisonOperator' failed to satisfy constraint: "
                        "Member must not be null");
}

static void test_expected_value_and_exists(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "{\"a\":{\"Value\":" N(1) "}}", "true" },
        { "{\"a\":{\"Value\":" N(2) "}}", "false" },
        { "{\"q\":{\"Value\":" N(2) "}}", "false" },
        { "{\"a\":{\"Value\":" N(1) ",\"Exists\":true}}", "true" },
        { "{\"q\":{\"Exists\":false}}", "true" },
        { "{\"a\":{\"Exists\":false}}", "false" },
        { "{\"a\":{\"Value\":" N(1) ",\"ComparisonOperator\":\"EQ\"}}", "true" },
        { "{\"a\":{}}", INVALID "Value must be provided when Exists is null for Attribute: a" },
        { "{\"a\":{\"Exists\":true}}",
          INVALID "Value must be provided when Exists is true for Attribute: a" },
        { "{\"a\":{\"Exists\":false,\"Value\":" S(a) "}}",
          INVALID "Value cannot be used when Exists is false for Attribute: a" },
        { "{\"a\":{\"ComparisonOperator\":\"LT\"}}",
          INVALID "Value or AttributeValueList must be used with ComparisonOperator: LT for "
                  "Attribute: a" },
        { "{\"a\":{\"ComparisonOperator\":\"LT\",\"Exists\":true}}",
          INVALID "Exists and ComparisonOperator cannot be used together for Attribute: a" },
        { "{\"a\":{\"AttributeValueList\":[" S(a) "],\"Value\":" S(
              a) ",\"ComparisonOperator\":\"LT\"}}",
          INVALID "Value and AttributeValueList cannot be used together for Attribute: a" },
        { "{\"a\":{\"AttributeValueList\":[" S(a) "]}}", INVALID
          "AttributeValueList can only be used with a ComparisonOperator for Attribute: a" },
        { "{\"a\":{\"Value\":" S(a) ",\"ComparisonOperator\":\"NULL\"}}",
          ARGS "NULL ComparisonOperator" },
        { "{\"a\":{\"Value\":" S(a) ",\"ComparisonOperator\":\"BETWEEN\"}}",
          ARGS "BETWEEN ComparisonOperator" },
        { "{}", "none" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_string_equal(expected(cases[i][0], NULL), cases[i][1]);
    assert_string_equal(expected(NULL, NULL), "none");
}

static void test_conditional_operator(void **state)
{
    (void)state;
    const char *mixed = "{" ON("a", "EQ", N(1)) "," ON("s", "EQ", N(1)) "," ON("z", "NULL", "") "}";
    assert_string_equal(expected(mixed, NULL), "false");
    assert_string_equal(expected(mixed, "AND"), "false");
    assert_string_equal(expected(mixed, "OR"), "true");
    assert_string_equal(filter(mixed, "OR"), "true");
    const char *without = "ConditionalOperator cannot be used without Filter or Expected";
    assert_string_equal(expected("{}", "OR"), without);
    assert_string_equal(expected(NULL, "AND"), without);
    assert_string_equal(
        filter("{" ON("a", "EQ", N(1)) "}", "AND"),
        "ConditionalOperator can only be used when Filter or Expected has two or more "
        "elements");
    assert_non_null(strstr(filter(mixed, "and"), "[OR, AND]"));
}

static void test_a_hundred_thousand_conditions_do_not_end_the_stack(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b, &arena, (size_t)16 << 20);
    BUF_LIT(&b, "{");
    for (int i = 0; i < 100000; i++)
        buf_printf(&b, "%s\"q%d\":{\"ComparisonOperator\":\"NULL\"}", i ? "," : "", i);
    BUF_LIT(&b, "}");
    assert_string_equal(filter(cstr(buf_view(&b)), NULL), "true");
}

/* ---- AttributeUpdates ---- */

static const char *update(const char *updates, const char *on)
{
    struct update *u;
    struct slice out;
    int rc = legacy_attribute_updates(&arena, json(updates), &u, &error);
    if (!rc) rc = update_apply(u, &arena, item(on), &out, &error);
    return rc ? failed(rc) : item_text(out);
}

static void test_attribute_updates(void **state)
{
    (void)state;
#define MISMATCH "Type mismatch for attribute to update"
    static const char *const cases[][3] = {
        { "{}", "{\"a\":{\"N\":\"7\"}}", "{\"a\":{\"N\":\"7\"}}" },
        { "{\"a\":{\"Value\":" N(1) "}}", "{}", "{\"a\":{\"N\":\"1\"}}" },
        { "{\"a.b\":{\"Action\":\"PUT\",\"Value\":" N(1) "},\"x\":{\"Action\":\"DELETE\"}}",
          "{\"x\":{\"N\":\"7\"}}", "{\"a.b\":{\"N\":\"1\"}}" },
        { "{\"a\":{\"Action\":\"ADD\",\"Value\":" N(
              -3.5) "},\"b\":{\"Action\":\"ADD\",\"Value\":" N(2) "}}",
          "{\"a\":{\"N\":\"9\"}}", "{\"a\":{\"N\":\"5.5\"},\"b\":{\"N\":\"2\"}}" },
        { "{\"a\":{\"Action\":\"ADD\",\"Value\":{\"SS\":[\"b\",\"c\"]}}}",
          "{\"a\":{\"SS\":[\"a\",\"b\"]}}", "{\"a\":{\"SS\":[\"a\",\"b\",\"c\"]}}" },
        { "{\"a\":{\"Action\":\"ADD\",\"Value\":{\"L\":[" N(3) "]}}}",
          "{\"a\":{\"L\":[{\"N\":\"3\"}]}}", "{\"a\":{\"L\":[{\"N\":\"3\"},{\"N\":\"3\"}]}}" },
        { "{\"a\":{\"Action\":\"DELETE\",\"Value\":{\"SS\":[\"b\",\"c\"]}}}",
          "{\"a\":{\"SS\":[\"a\",\"b\"]}}", "{\"a\":{\"SS\":[\"a\"]}}" },
        { "{\"a\":{\"Action\":\"DELETE\",\"Value\":{\"SS\":[\"b\",\"c\"]}}}",
          "{\"a\":{\"SS\":[\"b\"]}}", "{}" },
        { "{\"a\":{\"Action\":\"DELETE\",\"Value\":{\"NS\":[\"1\"]}}}", "{\"a\":{\"SS\":[\"b\"]}}",
          MISMATCH },
        { "{\"a\":{\"Action\":\"ADD\",\"Value\":{\"NS\":[\"1\"]}}}", "{\"a\":{\"N\":\"1\"}}",
          MISMATCH },
        { "{\"a\":{\"Action\":\"ADD\",\"Value\":" N(1) "}}", "{\"a\":{\"L\":[]}}", MISMATCH },
        { "{\"a\":{\"x\":\"whatever\"}}", "{}",
          INVALID "Only DELETE action is allowed when no attribute value is specified" },
        { "{\"a\":{\"Action\":\"DELETE\",\"Value\":{\"L\":[]}}}", "{}",
          INVALID "DELETE action with value is not supported for the type L" },
        { "{\"a\":{\"Action\":\"ADD\",\"Value\":{\"B\":\"YQ==\"}}}", "{}",
          INVALID "ADD action is not supported for the type B" },
        { "{\"a\":{\"Action\":\"NONEXISTENT\",\"Value\":" N(1) "}}", "{}",
          "1 validation error detected: Value 'NONEXISTENT' at 'attributeUpdates.a.member.action' "
          "failed to satisfy constraint: Member must satisfy enum value set: [ADD, PUT, DELETE]" },
        { "{\"\":{\"Value\":" N(1) "}}", "{}", "Empty attribute name" },
        { "{\"a\":{\"Value\":{\"SS\":[]}}}", "{}", INVALID "An string set  may not be empty" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_string_equal(update(cases[i][0], cases[i][1]), cases[i][2]);
}

static void test_updates_that_create(void **state)
{
    (void)state;
    static const struct {
        const char *updates;
        bool creates;
    } cases[] = {
        { "{}", true },
        { NULL, true },
        { "{\"a\":{\"Action\":\"DELETE\"}}", false },
        { "{\"a\":{\"Action\":\"DELETE\",\"Value\":{\"NS\":[\"1\"]}}}", false },
        { "{\"a\":{\"Action\":\"DELETE\"},\"b\":{\"Value\":" N(1) "}}", true },
        { "{\"a\":{\"Action\":\"ADD\",\"Value\":" N(1) "}}", true },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct update *u;
        assert_int_equal(legacy_attribute_updates(&arena, json(cases[i].updates), &u, &error), 0);
        assert_int_equal(update_only_removes(u), !cases[i].creates);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        T(test_operators),
        T(test_expected_value_and_exists),
        T(test_conditional_operator),
        T(test_a_hundred_thousand_conditions_do_not_end_the_stack),
        T(test_attribute_updates),
        T(test_updates_that_create),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
