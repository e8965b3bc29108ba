/* test_expr_key.c: key conditions against simple and multi-attribute schemas, from expressions and
 * from KeyConditions. */
#include "test_expr_util.h"

static const struct key_schema hash_only = { .hash = { { { (const uint8_t *)"p", 1 }, TYPE_S } },
                                             .n_hash = 1 };
static const struct key_schema simple = { .hash = { { { (const uint8_t *)"p", 1 }, TYPE_S } },
                                          .range = { { { (const uint8_t *)"c", 1 }, TYPE_N } },
                                          .n_hash = 1,
                                          .n_range = 1 };
static const struct key_schema wide = { .hash = { { { (const uint8_t *)"h1", 2 }, TYPE_S },
                                                  { { (const uint8_t *)"h2", 2 }, TYPE_S } },
                                        .range = { { { (const uint8_t *)"r1", 2 }, TYPE_S },
                                                   { { (const uint8_t *)"r2", 2 }, TYPE_N },
                                                   { { (const uint8_t *)"r3", 2 }, TYPE_B } },
                                        .n_hash = 2,
                                        .n_range = 3 };

static void put(struct buf *b, struct slice v)
{
    if (!v.n) return;
    BUF_LIT(b, " ");
    val_to_json(b, v);
}

/* What the query selects: hash values, "/", equal range values, then the operator and its operands.
 */
static const char *describe(const struct key_query *q)
{
    static const char *const ops[] = { "", "=", "<", "<=", ">", ">=", "between", "begins" };
    struct buf b;
    buf_init(&b, &arena, 10000);
    for (size_t i = 0; i < 4; i++)
        put(&b, q->hash[i]);
    BUF_LIT(&b, " /");
    for (size_t i = 0; i < q->n_range_eq; i++)
        put(&b, q->range_eq[i]);
    if (q->op) buf_printf(&b, " %s", ops[q->op]);
    put(&b, q->lo);
    put(&b, q->hi);
    return cstr(buf_view(&b)) + 1;
}

static const char *query(const char *text, const struct key_schema *schema)
{
    struct expr_env env = env_of(
        "{\"#p\":\"p\"}", "{\":s\":{\"S\":\"x\"},\":n\":{\"N\":\"1\"},\":n2\":{\"N\":\"2\"},\":b\":"
                          "{\"B\":\"YQ==\"},\":t\":{\"S\":\"N\"}}");
    struct cond *c;
    struct key_query q;
    if (cond_parse(&env, "KeyConditionExpression", slice_str(text), &c, &error))
        return failed(error.code);
    int rc = key_query_from_cond(c, schema, &arena, &q, &error);
    return rc ? failed(rc) : describe(&q);
}

static void check_all(const char *const cases[][2], size_t n, const struct key_schema *schema)
{
    for (size_t i = 0; i < n; i++)
        assert_string_equal(query(cases[i][0], schema), cases[i][1]);
}
#define CHECK_ALL(cases, schema) check_all(cases, sizeof(cases) / sizeof(cases[0]), schema)
#define S                        "{\"S\":\"x\"}"
#define N                        "{\"N\":\"1\"}"
#define N2                       "{\"N\":\"2\"}"
#define B                        "{\"B\":\"YQ==\"}"

static void test_ranges(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "p=:s", S " /" },
        { "#p = :s AND c = :n", S " / " N },
        { "c = :n AND p = :s", S " / " N },
        { "((c=:n) AND (p=:s))", S " / " N },
        { "p=:s AND c<:n", S " / < " N },
        { "p=:s AND c<=:n", S " / <= " N },
        { ":s = p AND :n < c", S " / > " N },
        { ":s = p AND :n <= c", S " / >= " N },
        { "p=:s AND c >= :n", S " / >= " N },
        { "p=:s AND :n >= c", S " / <= " N },
        { "p=:s AnD c BeTwEeN :n aNd :n2", S " / between " N " " N2 },
    };
    CHECK_ALL(cases, &simple);
}

static void test_what_no_key_condition_may_hold(void **state)
{
    (void)state;
#define OP    "Invalid operator used in KeyConditionExpression: "
#define COND  "Invalid condition in KeyConditionExpression: "
#define FIRST " operator must have the key attribute as its first operand"
#define DEEP  "KeyConditionExpressions cannot contain nested operations"
#define MANY  COND "Multiple attribute names used in one condition"
#define INNER "KeyConditionExpressions cannot have conditions on nested attributes"
#define NONE  COND "No key attribute specified"
#define TWICE "KeyConditionExpressions must only contain one condition per key"
    static const char *const cases[][2] = {
        { "a > b and size(b) > c or a > c", OP "OR" },
        { "a in (b, size(c), d)", OP "IN" },
        { "attribute_exists(a)", OP "attribute_exists" },
        { "attribute_not_exists(a)", OP "attribute_not_exists" },
        { "attribute_type(a, :t)", OP "attribute_type" },
        { "contains(a.d, b)", OP "contains" },
        { "not a > b", OP "NOT" },
        { "not not p = :s", OP "NOT" },
        { "a <> b", OP "<>" },
        { ":s between size(b) and size(a) and b > :s", COND "BETWEEN" FIRST },
        { "begins_with(:s, b) and a > :s", COND "begins_with" FIRST },
        { "size(b) > a AND a.b > b AND b > c", DEEP },
        { "a > size(b.d)", DEEP },
        { "p = size(:s)", DEEP },
        { "a between size(b) and size(a)", DEEP },
        { "b > a.b", MANY },
        { "b between c[1] and d", MANY },
        { "a between b and size(a)", MANY },
        { "begins_with(a, b)", MANY },
        { "b.d > a AND c.d > e.f", INNER },
        { "b[0] > a", INNER },
        { ":s > :s AND a < :s", NONE },
        { ":s > b AND :s < :s", NONE },
        { "b > :s AND b < :s and c = :s and d = :s", TWICE },
        { "(a > :s and b > :s) and (b > :s and c > :s)", TWICE },
        { "p=:s AND p=:s", TWICE },
        { ":s = a and b = :s and :s = c", "Conditions can be of length 1 or 2 only" },
        { "begins_with(c, :n)", "Invalid KeyConditionExpression: Incorrect operand type for "
                                "operator or function; operator "
                                "or function: begins_with, operand type: N" },
        { "p=:s AND dog(c, :n)", "Invalid KeyConditionExpression: Invalid function name; function: "
                                 "dog" },
        { "a between :n2 and :n",
          "Invalid KeyConditionExpression: The BETWEEN operator requires upper bound to be greater "
          "than or equal to lower bound; lower bound operand: AttributeValue: {N:2}, upper bound "
          "operand: AttributeValue: {N:1}" },
    };
    CHECK_ALL(cases, &simple);
}

#define SCHEMA_TYPE                                                                                \
    "One or more parameter values were invalid: Condition parameter type does not match schema "   \
    "type"

static void test_against_the_schema(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "c=:n", "Query condition missed key schema element: p" },
        { "p=:s AND a<:n", "Query condition missed key schema element: c" },
        { "p<:s", "Query key condition not supported" },
        { "begins_with(p, :s) AND c = :n", "Query key condition not supported" },
        { "p=:n", SCHEMA_TYPE },
        { "p=:s AND c=:s", SCHEMA_TYPE },
        { "p=:s AND begins_with(c, :s)", SCHEMA_TYPE },
    };
    CHECK_ALL(cases, &simple);
    static const char *const alone[][2] = {
        { "p=:s", S " /" },
        { "p=:s AND c=:n", "Query key condition not supported" },
        { "c=:n", "Query condition missed key schema element: p" },
    };
    CHECK_ALL(alone, &hash_only);
}

static void test_multi_attribute_keys(void **state)
{
    (void)state;
    static const char *const good[][2] = {
        { "h1=:s AND h2=:s", S " " S " /" },
        { "h2=:s AND r1=:s AND h1=:s", S " " S " / " S },
        { "h1=:s AND h2=:s AND r2=:n AND r1=:s", S " " S " / " S " " N },
        { "h1=:s AND r1=:s AND r2>:n AND h2=:s", S " " S " / " S " > " N },
        { "h1=:s AND h2=:s AND r1=:s AND r2=:n AND begins_with(r3,:b)",
          S " " S " / " S " " N " begins " B },
        { "h1=:s AND h2=:s AND r1 BETWEEN :s AND :s", S " " S " / between " S " " S },
        { "h1=:s AND h2=:s AND r1=:n", SCHEMA_TYPE },
        { "h1=:s AND h2=:s AND r1=:s AND begins_with(r2,:s)", SCHEMA_TYPE },
        { "h1=:n AND h2=:s", SCHEMA_TYPE },
        { "h1=:s AND h2=:s AND q=:s", "Query key condition not supported" },
    };
    CHECK_ALL(good, &wide);
    static const char *const hash[] = { "h1=:s", "h1=:s AND h2>:s", "r1=:s AND r2=:n",
                                        "h1=:s AND h2 BETWEEN :s AND :s",
                                        "h1=:s AND begins_with(h2,:s)" };
    for (size_t i = 0; i < sizeof(hash) / sizeof(hash[0]); i++) {
        const char *got = query(hash[i], &wide);
        assert_non_null(strstr(got, "HASH"));
        assert_non_null(strstr(strstr(got, "HASH"), "equality"));
    }
    static const char *const range[] = { "h1=:s AND h2=:s AND r2=:n",
                                         "h1=:s AND h2=:s AND r1=:s AND r3=:b",
                                         "h1=:s AND h2=:s AND r1>:s AND r2=:n",
                                         "h1=:s AND h2=:s AND r1>:s AND r2>:n",
                                         "h1=:s AND h2=:s AND begins_with(r1,:s) AND r2=:n" };
    for (size_t i = 0; i < sizeof(range) / sizeof(range[0]); i++) {
        const char *got = query(range[i], &wide);
        assert_non_null(strstr(got, "RANGE"));
        assert_non_null(strstr(strstr(got, "RANGE"), "equality"));
    }
}

/* ---- KeyConditions ---- */

static const char *legacy(const char *conditions, const struct key_schema *schema)
{
    struct cond *c;
    struct key_query q;
    if (legacy_key_conditions(&arena, json(conditions), &c, &error)) return failed(error.code);
    int rc = key_query_from_cond(c, schema, &arena, &q, &error);
    return rc ? failed(rc) : describe(&q);
}

#define ON(name, op, list)                                                                         \
    "\"" name "\":{\"ComparisonOperator\":\"" op "\",\"AttributeValueList\":[" list "]}"

static void test_key_conditions(void **state)
{
    (void)state;
#define ARGS       "One or more parameter values were invalid: Invalid number of argument(s) for the "
#define CONSTRAINT "Attempted conditional constraint is not an indexable operation"
    static const char *const cases[][2] = {
        { "{" ON("p", "EQ", S) "}", S " /" },
        { "{" ON("p", "EQ", S) "," ON("c", "LE", N) "}", S " / <= " N },
        { "{" ON("c", "BETWEEN", N "," N2) "," ON("p", "EQ", S) "}", S " / between " N " " N2 },
        { "{" ON("p", "LT", S) "}", "Query key condition not supported" },
        { "{" ON("p", "BETWEEN", S "," S) "}", "Query key condition not supported" },
        { "{" ON("p", "EQ", "") "}", ARGS "EQ ComparisonOperator" },
        { "{" ON("p", "EQ", S "," S) "}", ARGS "EQ ComparisonOperator" },
        { "{" ON("p", "NE", S) "}", CONSTRAINT },
        { "{" ON("p", "NULL", "") "}", CONSTRAINT },
        { "{" ON("p", "EQ", S) "," ON("c", "IN", N) "}", CONSTRAINT },
        { "{" ON("p", "EQ", S) "," ON("c", "NOT_CONTAINS", N) "}", CONSTRAINT },
        { "{" ON("c", "EQ", N) "}", "Query condition missed key schema element: p" },
        { "{" ON("p", "EQ", S) "," ON("a", "EQ", N) "}",
          "Query condition missed key schema element: c" },
        { "{" ON("p", "EQ", N) "}", SCHEMA_TYPE },
        { "{" ON("p", "EQ", S) "," ON("c", "BEGINS_WITH", N) "}",
          "One or more parameter values were invalid: ComparisonOperator BEGINS_WITH is not valid "
          "for "
          "N AttributeValue type" },
        { "{" ON("p", "EQ", S) "," ON("c", "EQ", N) "," ON("a", "EQ", N) "}",
          "Conditions can be of length 1 or 2 only" },
        { "{}", "Conditions can be of length 1 or 2 only" },
        { "{" ON("p", "eq", S) "}",
          "1 validation error detected: Value 'eq' at 'keyConditions.p.member.comparisonOperator' "
          "failed to satisfy constraint: Member must satisfy enum value set: [IN, NULL, BETWEEN, "
          "LT, "
          "NOT_CONTAINS, EQ, GT, NOT_NULL, NE, LE, BEGINS_WITH, GE, CONTAINS]" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_string_equal(legacy(cases[i][0], &simple), cases[i][1]);
    assert_string_equal(legacy("{" ON("h1", "EQ", S) "," ON("h2", "EQ", S) "," ON(
                                   "r1", "EQ", S) "," ON("r2", "LE", N) "}",
                               &wide),
                        S " " S " / " S " <= " N);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        T(test_ranges),
        T(test_what_no_key_condition_may_hold),
        T(test_against_the_schema),
        T(test_multi_attribute_keys),
        T(test_key_conditions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
