/* test_expr_env.c: reserved words, ExpressionAttributeNames and ExpressionAttributeValues. */
#include "test_expr_util.h"

static const char *const words[] = {
#define W(word) word,
#include "expr/reserved_words.inc"
#undef W
};

static void test_all_573_reserved_words_are_known_in_any_case(void **state)
{
    (void)state;
    size_t n = sizeof(words) / sizeof(words[0]);
    assert_int_equal(n, 573);
    for (size_t i = 0; i < n; i++) {
        assert_true(expr_is_reserved(slice_str(words[i])));
        if (i) assert_true(strcmp(words[i - 1], words[i]) < 0);
    }
    assert_true(expr_is_reserved(SLICE("abOrT")));
    assert_true(expr_is_reserved(SLICE("zone")));
    assert_false(expr_is_reserved(SLICE("zones")));
    assert_false(expr_is_reserved(SLICE("abor")));
    assert_false(expr_is_reserved(SLICE("")));
    assert_false(expr_is_reserved(SLICE("a_word_that_is_longer_than_any_reserved_word_is")));
}

static const char *init(const char *names, const char *values)
{
    struct expr_env env;
    int rc = expr_env_init(&env, &arena, json(names), json(values), &error);
    return rc ? failed(rc) : OK;
}

static void test_what_placeholders_may_be(void **state)
{
    (void)state;
    const char *big = (const char *)arena_printf(&arena, "{\"#a\":\"%065536d\"}", 0).p;
    const char *fits = (const char *)arena_printf(&arena, "{\"#a\":\"%065535d\"}", 0).p;
    const char *long_key = (const char *)arena_printf(&arena, "{\"#-%0254d\":\"x\"}", 0).p;
    const char *long_fits = (const char *)arena_printf(&arena, "{\"#%0254d\":\"x\"}", 0).p;
    const char *long_value =
        (const char *)arena_printf(&arena, "{\":%0255d\":{\"S\":\"x\"}}", 0).p;
    const char *const cases[][3] = {
        { NULL, NULL, OK },
        { long_fits, NULL, OK },
        { long_key, NULL,
          "ExpressionAttributeNames contains invalid key: The expression attribute map contains a "
          "key that is too long; size of key: 256" },
        { NULL, long_value,
          "ExpressionAttributeValues contains invalid key: The expression attribute map contains a "
          "key that is too long;" },
        { "{\"#a\":\"x\",\"#0\":\"y\",\"#_\":\"z\"}", "{\":a\":{\"S\":\"\"}}", OK },
        { "{}", NULL, "ExpressionAttributeNames must not be empty" },
        { NULL, "{}", "ExpressionAttributeValues must not be empty" },
        { "{\"a\":\"a\"}", "{}",
          "ExpressionAttributeNames contains invalid key: Syntax error; key: \"a\"" },
        { "{\"#\":\"a\"}", NULL,
          "ExpressionAttributeNames contains invalid key: Syntax error; key: \"#\"" },
        { "{\"#hi-there\":\"a\"}", NULL,
          "ExpressionAttributeNames contains invalid key: Syntax error; key: \"#hi-there\"" },
        { NULL, "{\":b\":{\"a\":\"\"},\"b\":{\"S\":\"a\"}}",
          "ExpressionAttributeValues contains invalid key: Syntax error; key: \"b\"" },
        { NULL, "{\":b\":{}}",
          "ExpressionAttributeValues contains invalid value: Supplied AttributeValue is empty, "
          "must "
          "contain exactly one of the supported datatypes for key :b" },
        { NULL, "{\":b\":{\"SS\":[]}}",
          "ExpressionAttributeValues contains invalid value: One or more parameter values were "
          "invalid: An string set  may not be empty for key :b" },
        { NULL, "{\":b\":{\"N\":\"b\"}}",
          "ExpressionAttributeValues contains invalid value: The parameter cannot be converted to "
          "a "
          "numeric value: b for key :b" },
        { "{\"#a\":\"\"}", NULL,
          "ExpressionAttributeNames contains invalid value: Empty attribute name for key #a" },
        { big, NULL,
          "ExpressionAttributeNames contains invalid value: Attribute name is too large, must be "
          "less than 65536 bytes for key #a" },
        { fits, NULL, OK },
        { "{\"#a\":1}", NULL, "SerializationException" },
        { NULL, "{\":a\":\"x\"}", "SerializationException" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_string_equal(init(cases[i][0], cases[i][1]), cases[i][2]);
}

static void test_names_and_values_hold_2_MB_at_most(void **state)
{
    (void)state;
    size_t most = (size_t)2 << 20;
    const char *names = "{\"#ab\":\"x\"}"; /* 4 bytes */
    for (size_t over = 0; over < 2; over++) {
        int n = (int)(most - 4 - 2 + over);
        const char *values =
            (const char *)arena_printf(&arena, "{\":a\":{\"S\":\"%0*d\"}}", n, 0).p;
        assert_int_equal(strcmp(init(names, values), OK) != 0, over);
    }
}

static void test_unused_placeholders_are_named(void **state)
{
    (void)state;
    struct expr_env env = env_of("{\"#b\":\"x\",\"#a\":\"x\",\"#c\":\"y\"}",
                                 "{\":b\":{\"N\":\"1\"},\":a\":{\"N\":\"1\"}}");
    struct cond *c;
    assert_string_equal(failed(expr_env_check_unused(&env, &error)),
                        "Value provided in ExpressionAttributeNames unused in expressions: keys: "
                        "{#a, #b, #c}");
    assert_int_equal(
        cond_parse(&env, "FilterExpression", SLICE("#a = :a OR #c.#b = :a"), &c, &error), 0);
    assert_string_equal(failed(expr_env_check_unused(&env, &error)),
                        "Value provided in ExpressionAttributeValues unused in expressions: keys: "
                        "{:b}");
    assert_int_equal(cond_parse(&env, "FilterExpression", SLICE("#a = :b"), &c, &error), 0);
    assert_int_equal(expr_env_check_unused(&env, &error), 0);
}

static void test_a_name_may_hold_anything(void **state)
{
    (void)state;
    struct expr_env env = env_of("{\"#a\":\"#a\",\"#b\":\"a.b[0] :x\"}", "{\":v\":{\"N\":\"1\"}}");
    struct cond *c;
    assert_int_equal(cond_parse(&env, "FilterExpression", SLICE("#a.#b = :v"), &c, &error), 0);
    assert_true(cond_eval(c, item("{\"#a\":{\"M\":{\"a.b[0] :x\":{\"N\":\"1\"}}}}")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        T(test_all_573_reserved_words_are_known_in_any_case),
        T(test_what_placeholders_may_be),
        T(test_names_and_values_hold_2_MB_at_most),
        T(test_unused_placeholders_are_named),
        T(test_a_name_may_hold_anything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
