/* test_expr_cond.c: condition expressions: what is accepted, what is true, and DynamoDB's words for
 * the rest. The errors were recorded from the service by dynalite's and ScyllaDB Alternator's
 * tests. */
#include "test_expr_util.h"

static const char *const names = "{\"#a\":\"a\",\"#and\":\"and\"}";
static const char *const values =
    "{\":s\":{\"S\":\"b\"},\":s2\":{\"S\":\"c\"},\":n\":{\"N\":\"1\"},\":n2\":{\"N\":\"2.50\"},"
    "\":b\":{\"B\":\"YQ==\"},\":bool\":{\"BOOL\":true},\":null\":{\"NULL\":true},\":l\":{\"L\":[]},"
    "\":m\":{\"M\":{}},\":ss\":{\"SS\":[\"1\"]},\":ns\":{\"NS\":[\"1\"]},\":bs\":{\"BS\":[\"YQ==\"]"
    "}}";

static const char *parse(const char *text)
{
    struct expr_env env = env_of(names, values);
    struct cond *c = NULL;
    int rc = cond_parse(&env, "FilterExpression", slice_str(text), &c, &error);
    return rc ? failed(rc) : OK;
}

/* Each case: the expression, and the error without its common beginning. */
static void check_all(const char *const cases[][2], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *expected =
            strcmp(cases[i][1], OK)
                ? (const char *)arena_printf(&arena, "Invalid FilterExpression: %s", cases[i][1]).p
                : OK;
        assert_string_equal(parse(cases[i][0]), expected);
    }
}
#define CHECK_ALL(cases) check_all(cases, sizeof(cases) / sizeof(cases[0]))

static void test_syntax_errors_quote_the_token_and_its_neighbours(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "a-b", "Syntax error; token: \"-\", near: \"a-b\"" },
        { "things are not gonna be ok", "Syntax error; token: \"are\", near: \"things are not\"" },
        { "attribute_exists(a) AND NOT #a", "Syntax error; token: \"<EOF>\", near: \"#a\"" },
        { "#a attribute_not_exists :s",
          "Syntax error; token: \"attribute_not_exists\", near: \"#a attribute_not_exists :s\"" },
        { "a > 4", "Syntax error; token: \"4\", near: \"> 4\"" },
        { "!!x", "Syntax error; token: \"!\", near: \"!!\"" },
        { "contains()", "Syntax error; token: \")\", near: \"()\"" },
        { "a IN ()", "Syntax error; token: \")\", near: \"()\"" },
        { "tenantAgent:abc123-x",
          "Syntax error; token: \":abc123\", near: \"tenantAgent:abc123-\"" },
        { "a = # ", "Syntax error; token: \"#\", near: \"= #\"" },
        { "a  !=  :n", "Syntax error; token: \"!\", near: \"a  !=\"" },
        { "_a = :n", "Syntax error; token: \"_\", near: \"_a\"" },
        { "\xc3\xbc > a", "Syntax error; token: \"\xc3\xbc\", near: \"\xc3\xbc >\"" },
        { "a", "Syntax error; token: \"<EOF>\", near: \"a\"" },
        { ":n", "Syntax error; token: \"<EOF>\", near: \":n\"" },
        { "NOT a", "Syntax error; token: \"<EOF>\", near: \"a\"" },
        { "a AND :n", "Syntax error; token: \"AND\", near: \"a AND :n\"" },
        { "a = :n OR NOT :n", "Syntax error; token: \"<EOF>\", near: \":n\"" },
        { "(((", "Syntax error; token: \"<EOF>\", near: \"(\"" },
        { "attribute_exists(Pictures-RearView)",
          "Syntax error; token: \"-\", near: \"Pictures-RearView\"" },
        { "attribute_exists(asdf[a])", "Syntax error; token: \"a\", near: \"[a]\"" },
        { "a in b, c", "Syntax error; token: \"b\", near: \"in b,\"" },
        { "a > between", "Syntax error; token: \"between\", near: \"> between\"" },
        { "a in (b,c,)", "Syntax error; token: \")\", near: \",)\"" },
        { "(a)between(b.(c.d))and(c)", "Syntax error; token: \"(\", near: \".(c\"" },
        { "(a)between(b.c.d)and((c)", "Syntax error; token: \"<EOF>\", near: \")\"" },
        { "a > :s.stuff", "Syntax error; token: \".\", near: \":s.stuff\"" },
        { "b[:n] > a", "Syntax error; token: \":n\", near: \"[:n]\"" },
        { "b[#_] > a", "Syntax error; token: \"#_\", near: \"[#_]\"" },
        { "(a)between(b.c[4.5].#d)and(:n)", "Syntax error; token: \".\", near: \"4.5\"" },
        { "size(a).b > a", "Syntax error; token: \".\", near: \").b\"" },
        { "(size(a)).b > a", "Syntax error; token: \".\", near: \").b\"" },
        { "size(a)[0] > a", "Syntax error; token: \"[\", near: \")[0\"" },
        { "a = (b = c)", "Syntax error; token: \"=\", near: \"b = c\"" },
        { "(a = b) = c", "Syntax error; token: \"=\", near: \") = c\"" },
        { "", "The expression can not be empty;" },
        { "  \n\t ", "Syntax error; token: \"<EOF>\", near: \"\"" },
    };
    CHECK_ALL(cases);
}

static void test_accepted(void **state)
{
    (void)state;
    static const char *const expressions[] = {
        "a = :s",
        "(a = :s)",
        "((a = :s) AND c = :s)",
        "(a) = (:s)",
        "(a.b).c[0] = :s",
        "NOT(a=b)",
        "not not a = b",
        "a bEtWeEn :n aNd :n2 AND c IN(:s,:n, b)",
        "size (a)\n>\t:n",
        ":n = :n",
        "( ( ( size ( a )) < b.c ) AND ( d > :n ) )",
        "a = :l",
        "a <> :bool",
        "a IN (:m, :ss)",
        "contains(a, :bool)",
        "contains(:s, a)",
        "attribute_type(:n, :t) OR begins_with(:s, a)",
        "size(:l) > :n",
        "a between b and :n",
        "a <= size(b)",
        "a = b OR (c = d AND e = f)",
        "(attribute_exists (a)) AND (((b <> :n) AND (b <> :n2)) AND (c = :s))",
        "((a = :n) OR (c = :n) AND (d = :n))",
        "a = size(a)",
        "a[0][1].b = c",
    };
    const char *t = "{\":s\":{\"S\":\"b\"},\":n\":{\"N\":\"1\"},\":n2\":{\"N\":\"2.5\"},"
                    "\":t\":{\"S\":\"BOOL\"},\":l\":{\"L\":[]},\":m\":{\"M\":{}},"
                    "\":ss\":{\"SS\":[\"1\"]},\":bool\":{\"BOOL\":true}}";
    for (size_t i = 0; i < sizeof(expressions) / sizeof(expressions[0]); i++) {
        struct expr_env env = env_of(NULL, t);
        struct cond *c;
        if (cond_parse(&env, "ConditionExpression", slice_str(expressions[i]), &c, &error))
            fail_msg("%s: %s", expressions[i], failed(error.code));
    }
}

static void test_redundant_parentheses_come_first(void **state)
{
    (void)state;
    static const char *const expressions[] = {
        "a=a and a > ((views))",
        "(a)between(((b.c)).d)and(c)",
        "a > whatever((:things), ((a)))",
        "a=a AND ((a=a AND a=a)) AND a=a",
        "a=a OR ((a=a OR a=a)) OR a=a",
        "a=a AND ((a=a AND (a=a AND a=a)))",
        "((a = :s))",
        "((((a < b))))",
        "(a=b) AND ((c IN (:s, :n)))",
        "((a=:n) AND ((b=:n)))",
    };
    for (size_t i = 0; i < sizeof(expressions) / sizeof(expressions[0]); i++)
        assert_string_equal(parse(expressions[i]),
                            "Invalid FilterExpression: The expression has redundant parentheses;");
}

#define MISUSED "The function is not allowed to be used this way in an expression; function: "
#define COUNT   "Incorrect number of operands for operator or function; operator or function: "
#define TYPE    "Incorrect operand type for operator or function; operator or function: "

static void test_functions_out_of_place(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "a=a and whatever((:things)) > a", "Invalid function name; function: whatever" },
        { "attRIbute_exIsts((views), #a)", "Invalid function name; function: attRIbute_exIsts" },
        { "a=a and attribute_exists((views), (#a)) > b", MISUSED "attribute_exists" },
        { "attribute_not_exists(things) > b", MISUSED "attribute_not_exists" },
        { "attribute_type(things, :a) > b", MISUSED "attribute_type" },
        { "begins_with(things, a) > b", MISUSED "begins_with" },
        { "contains(:things, c) > b", MISUSED "contains" },
        { "size(contains(a, b)) > a", MISUSED "contains" },
        { "size(things)", MISUSED "size" },
        { "a = :n AND size(things)", MISUSED "size" },
        { "a between b and attribute_exists(things)", MISUSED "attribute_exists" },
        { "a in (b, attribute_exists(things))", MISUSED "attribute_exists" },
        { "if_not_exists(a, a) = :n", MISUSED "if_not_exists" },
        { "list_append(a, b)", MISUSED "list_append" },
        { "attribute_exists(things, a) and a=a", COUNT "attribute_exists, number of operands: 2" },
        { "attribute_type(things)", COUNT "attribute_type, number of operands: 1" },
        { "begins_with(things, size(a), b)", COUNT "begins_with, number of operands: 3" },
        { "contains(things)", COUNT "contains, number of operands: 1" },
        { "size(things, a) > b", COUNT "size, number of operands: 2" },
        { "attribute_exists(:s) and a=a",
          "Operator or function requires a document path; operator or function: attribute_exists" },
        { "attribute_not_exists(size(:s))",
          "Operator or function requires a document path; operator or function: "
          "attribute_not_exists" },
    };
    CHECK_ALL(cases);
}

static void test_words_and_placeholders(void **state)
{
    (void)state;
#define RESERVED "Attribute name is a reserved keyword; reserved keyword: "
#define NO_NAME                                                                                    \
    "An expression attribute name used in the document path is not defined; attribute name: "
#define NO_VALUE                                                                                   \
    "An expression attribute value used in expression is not defined; attribute value: "
    static const char *const cases[][2] = {
        { "attribute_exists(views, #zz)", RESERVED "views" },
        { ":zz < abOrT", RESERVED "abOrT" },
        { "a.NAME = :s", RESERVED "NAME" },
        { "set = :s", RESERVED "set" },
        { "attribute_exists(#P.RearView, :zz) and a=a", NO_NAME "#P" },
        { "begins_with(Pictures.#R)", NO_NAME "#R" },
        { "(#P between :lo and :hi) and (#PC in (:c, :d))", NO_NAME "#P" },
        { "#4g > a", NO_NAME "#4g" },
        { "#_ > a", NO_NAME "#_" },
        { "(a)between(b.c[45].#d)and(:n)", NO_NAME "#d" },
        { "begins_with(:hello, #x, #y)", NO_VALUE ":hello" },
        { ":x < :y", NO_VALUE ":x" },
    };
    CHECK_ALL(cases);
}

static void test_operand_types(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "attribute_type(a, size(a)) and a=a", TYPE "attribute_type, operand type: N" },
        { "attribute_type(a, :ns)", TYPE "attribute_type, operand type: NS" },
        { "attribute_type(a, b)",
          TYPE "attribute_type, operand type: {NS,SS,L,BS,N,M,B,BOOL,NULL,S}" },
        { "attribute_type(a, :s)", "Invalid attribute type name found; type: b, valid types: "
                                   "{B,NULL,SS,BOOL,L,BS,N,NS,S,M}" },
        { "begins_with(a, size(a)) and a=:n", TYPE "begins_with, operand type: N" },
        { "begins_with(a, :l)", TYPE "begins_with, operand type: L" },
        { "begins_with(:bs, a)", TYPE "begins_with, operand type: BS" },
        { "size(size(a)) > :n", TYPE "size, operand type: N" },
        { "attribute_not_exists(size(:n))", TYPE "size, operand type: N" },
        { "size(:bool) > a", TYPE "size, operand type: BOOL" },
        { "size(:null) > a", TYPE "size, operand type: NULL" },
        { "a < :bool", TYPE "<, operand type: BOOL" },
        { ":l >= a", TYPE ">=, operand type: L" },
        { "a > :ss", TYPE ">, operand type: SS" },
        { "a <= :m", TYPE "<=, operand type: M" },
        { "a BETWEEN :l AND :l", TYPE "BETWEEN, operand type: L" },
        { "a between :s2 and :s",
          "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; "
          "lower bound operand: AttributeValue: {S:c}, upper bound operand: AttributeValue: "
          "{S:b}" },
        { "a between :n2 and :s",
          "The BETWEEN operator requires same data type for lower and upper bounds; lower bound "
          "operand: AttributeValue: {N:2.5}, upper bound operand: AttributeValue: {S:b}" },
    };
    CHECK_ALL(cases);
}

static void test_distinct_operands(void **state)
{
    (void)state;
#define DISTINCT                                                                                   \
    "The first operand must be distinct from the remaining operands for this operator or "         \
    "function; operator: "
    static const char *const cases[][2] = {
        { "a = a AND #a = b AND :views > a", DISTINCT "=, first operand: [a]" },
        { "#a <> a", DISTINCT "<>, first operand: [a]" },
        { "((a=a) OR (a=a))", DISTINCT "=, first operand: [a]" },
        { "contains(ab.bc[1].a, ab.bc[1].#a)",
          DISTINCT "contains, first operand: [ab, bc, [1], a]" },
        { "attribute_type(ab.bc[1].#a, ab.bc[1].a)",
          DISTINCT "attribute_type, first operand: [ab, bc, [1], a]" },
        { "begins_with(x, x)", DISTINCT "begins_with, first operand: [x]" },
    };
    CHECK_ALL(cases);
}

/* part, repeated. */
static const char *repeat(const char *head, const char *part, size_t n, const char *mid,
                          const char *tail)
{
    struct buf b;
    buf_init(&b, &arena, 1 << 20);
    buf_slice(&b, slice_str(head));
    for (size_t i = 0; i < n; i++)
        buf_slice(&b, slice_str(part));
    buf_slice(&b, slice_str(mid));
    for (size_t i = 0; i < n; i++)
        buf_slice(&b, slice_str(tail));
    return cstr(buf_view(&b));
}

static void test_limits_of_size_operators_and_depth(void **state)
{
    (void)state;
#define OPERATORS                                                                                  \
    "Invalid FilterExpression: The expression contains too many operators; operator count: 301"
    assert_string_equal(parse(repeat("a<b ", "or (a<b ", 149, "", ")")), OK);
    assert_string_equal(parse(repeat("a<b ", "or (a<b ", 150, "", ")")), OPERATORS);
    assert_string_equal(parse(repeat("a<b ", "or (a<b ", 299, "", ")")), OPERATORS);
    assert_string_equal(parse(repeat("a<b ", "or a<b ", 149, "", "")), OK);
    assert_string_equal(parse(repeat("a<b ", "or a<b ", 150, "", "")), OPERATORS);
    assert_string_equal(parse(repeat("", "not ", 299, "a<b", "")), OK);
    assert_string_equal(parse(repeat("", "not ", 300, "a<b", "")), OPERATORS);
    assert_string_equal(parse(repeat("", "not ", 1000, "a<b", "")), OPERATORS);
    assert_string_equal(parse(repeat("", "(", 4096, "", "")),
                        "Invalid FilterExpression: Syntax error; token: \"<EOF>\", near: \"(\"");
    assert_string_equal(parse(repeat("", "(", 2046, "a<b", ")")),
                        "Invalid FilterExpression: The expression has redundant parentheses;");
    assert_string_equal(parse(repeat("a < ", "f(", 1355, "b", ")")),
                        "Invalid FilterExpression: Invalid function name; function: f");
    assert_non_null(strstr(parse(repeat("a < ", "size(", 680, "b", ")")), "function: size"));
    assert_string_equal(
        parse(repeat("", "(", 4097, "", "")),
        "Invalid FilterExpression: Expression size has exceeded the maximum allowed "
        "size; expression size: 4097");
    assert_string_equal(parse(repeat("a", " ", 4091, "= :n", "")), OK);
    assert_string_equal(parse(repeat("a", ".b", 31, "= :n", "")), OK);
    assert_string_equal(parse(repeat("a", ".b", 32, "= :n", "")),
                        "Invalid FilterExpression: The document path has too many nesting levels; "
                        "nesting levels: 33");
    assert_string_equal(parse("a[99999999999999] = :n"),
                        "Invalid FilterExpression: List index is not within the allowable range; "
                        "index: [99999999999999]");
    assert_string_equal(parse("a[2147483647] = :n"), OK);
    assert_string_equal(parse(repeat("a IN (", ":n,", 98, ":n)", "")), OK);
    assert_string_equal(parse(repeat("a IN (", ":n,", 99, ":n)", "")),
                        "Invalid FilterExpression: The IN operator is provided with too many "
                        "operands; number of operands: 101");
}

/* ---- evaluation ---- */

static const char *const thing =
    "{\"n\":{\"N\":\"5\"},\"n2\":{\"N\":\"5.0\"},\"s\":{\"S\":\"hello\"},\"b\":{\"B\":\"aGVsbG8=\"}"
    ","
    "\"t\":{\"BOOL\":true},\"z\":{\"NULL\":true},\"l\":{\"L\":[{\"N\":\"2\"},{\"S\":\"x\"},"
    "{\"L\":[{\"N\":\"3\"}]}]},\"m\":{\"M\":{\"k\":{\"N\":\"1\"},\"j\":{\"L\":[{\"N\":\"9\"}]}}},"
    "\"ss\":{\"SS\":[\"dog\",\"cat\"]},\"ns\":{\"NS\":[\"1\",\"2\"]},\"bs\":{\"BS\":[\"aGk=\"]}}";

static bool holds(const char *text, const char *value, const char *on)
{
    const char *v = value ? (const char *)arena_printf(&arena, "{\":v\":%s}", value).p : NULL;
    struct expr_env env = env_of(NULL, v);
    struct cond *c;
    if (cond_parse(&env, "ConditionExpression", slice_str(text), &c, &error))
        fail_msg("%s: %s", text, failed(error.code));
    return cond_eval(c, item(on));
}

static void test_true_and_false(void **state)
{
    (void)state;
    static const struct {
        const char *text, *value;
        bool holds;
    } cases[] = {
        { "n = n2", NULL, true },
        { "n = :v", "{\"N\":\"5\"}", true },
        { "n = :v", "{\"S\":\"5\"}", false },
        { "n <> :v", "{\"S\":\"5\"}", true },
        { "gone = absent", NULL, false },
        { "gone <> absent", NULL, true },
        { "gone < :v", "{\"N\":\"5\"}", false },
        { "n < :v", "{\"N\":\"10\"}", true },
        { "n >= :v", "{\"N\":\"5\"}", true },
        { ":v > n", "{\"N\":\"10\"}", true },
        { "n < :v", "{\"S\":\"9\"}", false },
        { "l < :v", "{\"N\":\"9\"}", false },
        { "NOT l < :v", "{\"N\":\"9\"}", true },
        { "b < :v", "{\"B\":\"/w==\"}", true },
        { "s between :v and s", "{\"S\":\"h\"}", true },
        { "s between :v and l", "{\"S\":\"h\"}", false },
        { "ss = :v", "{\"SS\":[\"cat\",\"dog\"]}", true },
        { "m = :v", "{\"M\":{\"j\":{\"L\":[{\"N\":\"9\"}]},\"k\":{\"N\":\"1.0\"}}}", true },
        { "m.j[0] = :v", "{\"N\":\"9\"}", true },
        { "m.j[1] = :v", "{\"N\":\"9\"}", false },
        { "m[0] = :v", "{\"N\":\"9\"}", false },
        { "s IN (n, :v)", "{\"S\":\"hello\"}", true },
        { "gone IN (absent, :v)", "{\"S\":\"hello\"}", false },
        { "attribute_exists(m.k)", NULL, true },
        { "attribute_exists(m.q)", NULL, false },
        { "attribute_not_exists(q)", NULL, true },
        { "attribute_type(z, :v)", "{\"S\":\"NULL\"}", true },
        { "attribute_type(t, :v)", "{\"S\":\"BOOL\"}", true },
        { "attribute_type(q, :v)", "{\"S\":\"BOOL\"}", false },
        { "begins_with(s, :v)", "{\"S\":\"hell\"}", true },
        { "begins_with(:v, s)", "{\"S\":\"hello there\"}", true },
        { "begins_with(b, :v)", "{\"B\":\"aGU=\"}", true },
        { "begins_with(b, :v)", "{\"S\":\"he\"}", false },
        { "begins_with(n, :v)", "{\"S\":\"5\"}", false },
        { "contains(s, :v)", "{\"S\":\"ell\"}", true },
        { "contains(s, :v)", "{\"S\":\"\"}", true },
        { "contains(b, :v)", "{\"B\":\"bGw=\"}", true },
        { "contains(ss, :v)", "{\"S\":\"dog\"}", true },
        { "contains(ss, :v)", "{\"S\":\"do\"}", false },
        { "contains(ns, :v)", "{\"N\":\"2.0\"}", true },
        { "contains(ns, :v)", "{\"S\":\"2\"}", false },
        { "contains(ns, :v)", "{\"NS\":[\"1\",\"2\"]}", false },
        { "contains(l, :v)", "{\"L\":[{\"N\":\"3\"}]}", true },
        { "contains(m, :v)", "{\"S\":\"k\"}", false },
        { "contains(t, :v)", "{\"BOOL\":true}", false },
        { "size(s) = n", NULL, true },
        { "size(b) = :v", "{\"N\":\"5\"}", true },
        { "size(l) = :v", "{\"N\":\"3\"}", true },
        { "size(m) < size(l)", NULL, true },
        { "size(ss) between :v and n", "{\"N\":\"2\"}", true },
        { "size(n) >= :v", "{\"N\":\"0\"}", false },
        { "size(n) < :v", "{\"N\":\"9\"}", false },
        { "size(s) = :v", "{\"S\":\"5\"}", false },
        { "size(:v) = n", "{\"S\":\"12345\"}", true },
        { "n = n2 OR s = n AND s = l", NULL, true },
        { "NOT n = n2 AND s = l", NULL, false },
        { "NOT NOT n = n2", NULL, true },
        { "(n = n2 OR s = n) AND (t <> z AND (s <> n OR l = m))", NULL, true },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        if (holds(cases[i].text, cases[i].value, thing) != cases[i].holds)
            fail_msg("%s with %s", cases[i].text, cases[i].value);
}

static void test_an_item_that_is_not_there(void **state)
{
    (void)state;
    assert_true(holds("attribute_not_exists(p)", NULL, NULL));
    assert_false(holds("attribute_exists(p)", NULL, NULL));
    assert_true(holds("p <> :v", "{\"S\":\"x\"}", NULL));
    assert_false(holds("p = :v", "{\"S\":\"x\"}", NULL));
    assert_false(holds("size(p) = :v", "{\"N\":\"0\"}", NULL));
}

static bool gather(struct slice name, void *ctx)
{
    buf_slice(ctx, name);
    BUF_LIT((struct buf *)ctx, " ");
    return true;
}

static void test_each_name_is_told(void **state)
{
    (void)state;
    struct expr_env env = env_of("{\"#x\":\"x.y\"}", "{\":v\":{\"N\":\"1\"}}");
    struct cond *c;
    struct buf b;
    buf_init(&b, &arena, 1000);
    struct slice text =
        SLICE("a.b = :v AND NOT (size(c) < d OR e[0] IN (:v, f)) OR contains(#x, :v)");
    assert_int_equal(cond_parse(&env, "FilterExpression", text, &c, &error), 0);
    assert_true(cond_each_name(c, gather, &b));
    assert_string_equal(cstr(buf_view(&b)), "a c d e f x.y ");
    b.n = 0;
    assert_true(cond_each_nested(c, gather, &b));
    assert_string_equal(cstr(buf_view(&b)), "a e ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        T(test_syntax_errors_quote_the_token_and_its_neighbours),
        T(test_accepted),
        T(test_redundant_parentheses_come_first),
        T(test_functions_out_of_place),
        T(test_words_and_placeholders),
        T(test_operand_types),
        T(test_distinct_operands),
        T(test_limits_of_size_operators_and_depth),
        T(test_true_and_false),
        T(test_an_item_that_is_not_there),
        T(test_each_name_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
