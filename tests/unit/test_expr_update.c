/* test_expr_update.c: update expressions: errors in DynamoDB's words and order, and what they make
 * of items. The errors were recorded from the service by dynalite's and ScyllaDB Alternator's
 * tests. */
#include "test_expr_util.h"
#include <time.h>

static const char *const types =
    "{\":a\":{\"S\":\"a\"},\":b\":{\"N\":\"1\"},\":c\":{\"B\":\"YQ==\"},\":d\":{\"BOOL\":false},"
    "\":e\":{\"NULL\":true},\":f\":{\"SS\":[\"a\"]},\":g\":{\"NS\":[\"1\"]},\":h\":{\"BS\":[\"YQ=="
    "\"]},"
    "\":i\":{\"M\":{}},\":j\":{\"L\":[]}}";

static const char *parse(const char *text, const char *names, const char *values)
{
    struct expr_env env = env_of(names, values);
    struct update *u = NULL;
    int rc = update_parse(&env, slice_str(text), &u, &error);
    return rc ? failed(rc) : OK;
}

#define PREFIX "Invalid UpdateExpression: "

static void check_all(const char *const cases[][2], size_t n, const char *names, const char *values)
{
    for (size_t i = 0; i < n; i++) {
        const char *expected = strcmp(cases[i][1], OK)
                                   ? (const char *)arena_printf(&arena, PREFIX "%s", cases[i][1]).p
                                   : OK;
        assert_string_equal(parse(cases[i][0], names, values), expected);
    }
}
#define CHECK_ALL(cases, names, values)                                                            \
    check_all(cases, sizeof(cases) / sizeof(cases[0]), names, values)

static void test_syntax_errors(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "", "The expression can not be empty;" },
        { "INVALID SYNTAX HERE", "Syntax error; token: \"INVALID\", near: \"INVALID SYNTAX\"" },
        { "whatever", "Syntax error; token: \"whatever\", near: \"whatever\"" },
        { "set a", "Syntax error; token: \"<EOF>\", near: \"a\"" },
        { "ADD hits : incr", "Syntax error; token: \":\", near: \"hits : incr\"" },
        { "SET _123 = :a", "Syntax error; token: \"_\", near: \"SET _123\"" },
        { "SET 123a = :a", "Syntax error; token: \"123\", near: \"SET 123a\"" },
        { "SET a = :a, #, b = :b", "Syntax error; token: \"#\", near: \", #,\"" },
        { "set a=set", "Syntax error; token: \"set\", near: \"=set\"" },
        { "remove a = b", "Syntax error; token: \"=\", near: \"a = b\"" },
        { "add a = b", "Syntax error; token: \"=\", near: \"a = b\"" },
        { "delete a b", "Syntax error; token: \"b\", near: \"a b\"" },
        { "delete a if_not_exist(b)",
          "Syntax error; token: \"if_not_exist\", near: \"a if_not_exist(\"" },
        { "remove a b", "Syntax error; token: \"b\", near: \"a b\"" },
        { "set a b", "Syntax error; token: \"b\", near: \"a b\"" },
        { "set :a = b", "Syntax error; token: \":a\", near: \"set :a =\"" },
        { "remove :a", "Syntax error; token: \":a\", near: \"remove :a\"" },
        { "set a = b / c", "Syntax error; token: \"/\", near: \"b / c\"" },
        { "set a[1] = \"eight\"", "Syntax error; token: \"\"\", near: \"= \"eight\"" },
        { "set a[1] = 1", "Syntax error; token: \"1\", near: \"= 1\"" },
        { "set a[-1] = :a", "Syntax error; token: \"-\", near: \"[-1\"" },
        { "set a[] = :a", "Syntax error; token: \"]\", near: \"[] =\"" },
        { "set a[#xyz] = :a", "Syntax error; token: \"#xyz\", near: \"[#xyz]\"" },
        { "SET a = if_not_exist(a, 100)", "Syntax error; token: \"100\", near: \", 100)\"" },
        { "SET if_not_exist(a, b) = a", "Syntax error; token: \"(\", near: \"if_not_exist(a\"" },
        { "set (a = (b + c))", "Syntax error; token: \"(\", near: \"set (a\"" },
        { "set a = (b.c).d + e", "Syntax error; token: \".\", near: \").d\"" },
        { "set a = (b.c)[0] + e", "Syntax error; token: \"[\", near: \")[0\"" },
        { "set a = b + c + d", "Syntax error; token: \"+\", near: \"c + d\"" },
        { "set a = (b + c) + d", "Syntax error; token: \"+\", near: \") + d\"" },
        { "set a = b + (c + d)", "Syntax error; token: \"+\", near: \"c + d\"" },
        { "set c = if_not_exists(c, :a+:b)", "Syntax error; token: \"+\", near: \":a+:b\"" },
        { "SET a = _f(b,c,d)", "Syntax error; token: \"_\", near: \"= _f\"" },
        { "SET a = :a,", "Syntax error; token: \"<EOF>\", near: \",\"" },
        { "SET", "Syntax error; token: \"<EOF>\", near: \"SET\"" },
        { "set a = ((b.c.d)+(e))", OK },
        { "set a = (b + c)", OK },
        { "set a = if_not_exists(a, :b) + b", OK },
        { "  sEt  a=:a  REMOVE b , c", OK },
        { "set a = ((b))", "The expression has redundant parentheses;" },
    };
    CHECK_ALL(cases, NULL, types);
}

static void test_the_order_of_errors(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { " set #c = :zz set abOrt = true ",
          "Attribute name is a reserved keyword; reserved keyword: abOrt" },
        { " remove Absolute ", "Attribute name is a reserved keyword; reserved keyword: Absolute" },
        { "set #c = if_not_exist(:zz) set c = d", "Invalid function name; function: if_not_exist" },
        { "SET a = LIST_APPEND(:j, :j)", "Invalid function name; function: LIST_APPEND" },
        { "set a = #c set c = :zz",
          "The \"SET\" section can only be used once in an update expression;" },
        { "remove #d set a = b remove e",
          "The \"REMOVE\" section can only be used once in an update expression;" },
        { "add #d :zz set a = b add e :zz",
          "The \"ADD\" section can only be used once in an update expression;" },
        { "delete #d :zz set a = b delete #e :zz",
          "The \"DELETE\" section can only be used once in an update expression;" },
        { "SET #zz = if_not_exists(:zz)",
          "An expression attribute name used in the document path is not defined; attribute name: "
          "#zz" },
        { "SET #c = if_not_exists(:zz)",
          "An expression attribute value used in expression is not defined; attribute value: :zz" },
#define OVERLAP                                                                                    \
    "Two document paths overlap with each other; must remove or rewrite one of these paths; "
#define CONFLICT                                                                                   \
    "Two document paths conflict with each other; must remove or rewrite one of these paths; "
        { "set d[1] = a, d.b = a, c[1].a = a, #c = if_not_exists(a)",
          OVERLAP "path one: [c, [1], a], path two: [c]" },
        { "set #c[3].#d = a, #c[3] = a", OVERLAP "path one: [c, [3], [3]], path two: [c, [3]]" },
        { "SET a = :a REMOVE a", OVERLAP "path one: [a], path two: [a]" },
        { "SET a = :a, a.b = :b", OVERLAP "path one: [a], path two: [a, b]" },
        { "SET a[1][1] = :a, a[1][1][1][1] = :b",
          OVERLAP "path one: [a, [1], [1]], path two: [a, [1], [1], [1], [1]]" },
        { "set #c[3].#d = a, #c.#d[3] = if_not_exists(a)",
          CONFLICT "path one: [c, [3], [3]], path two: [c, [3], [3]]" },
        { "remove a.#c set a[1] = #d", CONFLICT "path one: [a, c], path two: [a, [1]]" },
        { "set b = list_append(:a, a), c = if_not_exists(a) add a.b :a",
          "Incorrect operand type for operator or function; operator: ADD, operand type: STRING" },
        { "set a = if_not_exists(c)",
          "Incorrect number of operands for operator or function; "
          "operator or function: if_not_exists, number of operands: 1" },
        { "set a = list_append(:j, :j, :j)",
          "Incorrect number of operands for operator or function; operator or function: "
          "list_append, number of operands: 3" },
#define PATH "Operator or function requires a document path; operator or function: if_not_exists"
        { "set a = if_not_exists(:a, c)", PATH },
        { "set a = if_not_exists(if_not_exists(a, b), c)", PATH },
#define PLACE "The function is not allowed to be used this way in an expression; function: "
        { "set a = list_append(list_append(:j, :j), :j)", PLACE "list_append" },
        { "set a = size(b)", PLACE "size" },
        { "set a = if_not_exists(b, contains(c, d))", PLACE "contains" },
        { "set a = list_append(if_not_exists(a, :j), :j)", OK },
        { "set a = if_not_exists(b, if_not_exists(c, :a))", OK },
        { "add a.b :a", "Incorrect operand type for operator or function; operator: ADD, operand "
                        "type: STRING" },
        { "add a.b :j", "Incorrect operand type for operator or function; operator: ADD, operand "
                        "type: LIST" },
        { "add a.b :i",
          "Incorrect operand type for operator or function; operator: ADD, operand type: MAP" },
        { "add a.b :e",
          "Incorrect operand type for operator or function; operator: ADD, operand type: NULL" },
        { "add a.b :d", "Incorrect operand type for operator or function; operator: ADD, operand "
                        "type: BOOLEAN" },
        { "add a.b :c", "Incorrect operand type for operator or function; operator: ADD, operand "
                        "type: BINARY" },
        { "delete a.b :b", "Incorrect operand type for operator or function; operator: DELETE, "
                           "operand type: NUMBER" },
        { "add a :b, b :f, c :g, d :h delete e :f", OK },
#define TYPE "Incorrect operand type for operator or function; operator or function: "
        { "set a = list_append(:a, a)", TYPE "list_append, operand type: S" },
        { "set a = list_append(a, :b)", TYPE "list_append, operand type: N" },
        { "set a = list_append(:i, a)", TYPE "list_append, operand type: M" },
        { "set a = a + :a", TYPE "+, operand type: S" },
        { "set a = :a + :c", TYPE "+, operand type: S" },
        { "set a = :c - a", TYPE "-, operand type: B" },
        { "set a = a - :j", TYPE "-, operand type: L" },
    };
    CHECK_ALL(cases, "{\"#c\":\"c\",\"#d\":\"[3]\"}", types);
}

/* ---- applying ---- */

static struct update *update_of(const char *text, const char *values)
{
    struct expr_env env = env_of(NULL, values);
    struct update *u;
    if (update_parse(&env, slice_str(text), &u, &error))
        fail_msg("%s: %s", text, failed(error.code));
    return u;
}

static const char *apply(const char *text, const char *values, const char *on)
{
    struct update *u = update_of(text, values);
    struct slice out;
    int rc = update_apply(u, &arena, item(on), &out, &error);
    if (rc) return failed(rc);
    const char *result = item_text(out);
    /* What was written by hand must be what the encoder would have written. */
    assert_true(val_equal(out, item(result)));
    return result;
}

/* Both given as JSON; compared as items. */
static void expect(const char *text, const char *values, const char *on, const char *result)
{
    const char *got = apply(text, values, on);
    if (got[0] != '{' || !val_equal(item(got), item(result)))
        fail_msg("%s on %s: %s", text, on, got);
}

static void test_set_and_remove(void **state)
{
    (void)state;
    const char *v = "{\":v\":{\"N\":\"7\"}}";
    expect("SET b = :v", v, "{\"p\":{\"S\":\"x\"}}", "{\"p\":{\"S\":\"x\"},\"b\":{\"N\":\"7\"}}");
    expect("SET z = :v, a = :v, m = p", v, "{\"m\":{\"S\":\"old\"},\"p\":{\"S\":\"x\"}}",
           "{\"a\":{\"N\":\"7\"},\"m\":{\"S\":\"x\"},\"p\":{\"S\":\"x\"},\"z\":{\"N\":\"7\"}}");
    expect("REMOVE a SET b = a", NULL, "{\"a\":{\"S\":\"x\"},\"c\":{\"S\":\"y\"}}",
           "{\"b\":{\"S\":\"x\"},\"c\":{\"S\":\"y\"}}");
    expect("REMOVE a, b, c", NULL, "{\"a\":{\"S\":\"x\"},\"b\":{\"S\":\"y\"},\"c\":{\"S\":\"z\"}}",
           "{}");
    expect("REMOVE q", NULL, "{\"a\":{\"S\":\"x\"}}", "{\"a\":{\"S\":\"x\"}}");
    expect("SET a = b, b = a", NULL, "{\"a\":{\"S\":\"x\"},\"b\":{\"N\":\"1\"}}",
           "{\"a\":{\"N\":\"1\"},\"b\":{\"S\":\"x\"}}");
    expect(
        "SET a.b = :v, a.c.d = :v, b.x = :v REMOVE a.x, b.y", v,
        "{\"a\":{\"M\":{\"x\":{\"N\":\"3\"},\"y\":{\"N\":\"4\"},\"c\":{\"M\":{\"y\":{\"N\":\"3\"}}}"
        "}"
        "},\"b\":{\"M\":{\"x\":{\"N\":\"1\"},\"y\":{\"N\":\"2\"}}}}",
        "{\"a\":{\"M\":{\"y\":{\"N\":\"4\"},\"b\":{\"N\":\"7\"},\"c\":{\"M\":{\"y\":{\"N\":\"3\"},"
        "\"d\":{\"N\":\"7\"}}}}},\"b\":{\"M\":{\"x\":{\"N\":\"7\"}}}}");
    expect("REMOVE a.b", NULL, "{\"a\":{\"M\":{\"b\":{\"N\":\"1\"}}}}", "{\"a\":{\"M\":{}}}");
    expect("REMOVE a[0]", NULL, "{\"a\":{\"L\":[{\"N\":\"1\"}]}}", "{\"a\":{\"L\":[]}}");
}

#define LIST(...) "{\"a\":{\"L\":[" __VA_ARGS__ "]}}"
#define N(x)      "{\"N\":\"" #x "\"}"

static void test_lists(void **state)
{
    (void)state;
    const char *six = LIST(N(2) "," N(3) "," N(4) "," N(5) "," N(6) "," N(7));
    const char *v = "{\":v\":{\"N\":\"17\"}}";
    expect("REMOVE a[1] SET a[3] = :v", v, six, LIST(N(2) "," N(4) "," N(17) "," N(6) "," N(7)));
    expect("SET a[3] = :v REMOVE a[1]", v, six, LIST(N(2) "," N(4) "," N(17) "," N(6) "," N(7)));
    expect("REMOVE a[5], a[0], a[17], a[2]", NULL, six, LIST(N(3) "," N(5) "," N(6)));
    expect("SET a[84] = :v, a[37] = :w, a[1] = :x",
           "{\":v\":{\"N\":\"1\"},\":w\":{\"N\":\"2\"},\":x\":{\"N\":\"3\"}}", LIST(N(0) "," N(0)),
           LIST(N(0) "," N(3) "," N(2) "," N(1)));
    expect("SET a[7] = :v REMOVE a[0]", v, LIST(N(0) "," N(5)), LIST(N(5) "," N(17)));
    expect("SET a[0].b[1] = :v", v, LIST("{\"M\":{\"b\":{\"L\":[" N(1) "," N(2) "]}}}," N(3)),
           LIST("{\"M\":{\"b\":{\"L\":[" N(1) "," N(17) "]}}}," N(3)));
    expect("ADD a[1] :v, a[9] :v", v, LIST(N(1) "," N(2)), LIST(N(1) "," N(19) "," N(17)));
    expect("SET a = list_append(a, :l)", "{\":l\":{\"L\":[{\"N\":\"2\"}]}}", LIST(N(1)),
           LIST(N(1) "," N(2)));
    expect("SET a = list_append(:l, a)", "{\":l\":{\"L\":[{\"N\":\"2\"}]}}", LIST(N(1)),
           LIST(N(2) "," N(1)));
    expect("SET a = list_append(if_not_exists(q, :e), :l)",
           "{\":l\":{\"L\":[{\"N\":\"2\"}]},\":e\":{\"L\":[]}}", LIST(N(1)), LIST(N(2)));
}

static void test_sums_and_sets(void **state)
{
    (void)state;
    const char *on = "{\"n\":{\"N\":\"5\"},\"s\":{\"SS\":[\"a\",\"b\",\"c\"]},\"m\":{\"M\":{\"x\":"
                     "{\"NS\":[\"1\"]}}}}";
    const char *v =
        "{\":n\":{\"N\":\"2.5\"},\":s\":{\"SS\":[\"b\",\"c\",\"d\"]},\":x\":{\"NS\":[\"1\","
        "\"2\"]}}";
    expect("SET n = n + :n", "{\":n\":{\"N\":\"2.5\"}}", "{\"n\":{\"N\":\"5\"}}",
           "{\"n\":{\"N\":\"7.5\"}}");
    expect("SET m = :n - n", "{\":n\":{\"N\":\"2.5\"}}", "{\"n\":{\"N\":\"5\"}}",
           "{\"m\":{\"N\":\"-2.5\"},\"n\":{\"N\":\"5\"}}");
    expect("SET b = if_not_exists(b, :n) + n", "{\":n\":{\"N\":\"2.5\"}}", "{\"n\":{\"N\":\"5\"}}",
           "{\"b\":{\"N\":\"7.5\"},\"n\":{\"N\":\"5\"}}");
    expect("ADD n :n, s :s, m.x :x, q :n", v, on,
           "{\"n\":{\"N\":\"7.5\"},\"q\":{\"N\":\"2.5\"},\"s\":{\"SS\":[\"a\",\"b\",\"c\",\"d\"]},"
           "\"m\":"
           "{\"M\":{\"x\":{\"NS\":[\"1\",\"2\"]}}}}");
    expect("DELETE s :s, m.x :x, q :s SET n = :n", v, on,
           "{\"n\":{\"N\":\"2.5\"},\"s\":{\"SS\":[\"a\"]},\"m\":{\"M\":{}}}");
    expect("DELETE s :s", "{\":s\":{\"SS\":[\"z\"]}}", "{\"s\":{\"SS\":[\"a\"]}}",
           "{\"s\":{\"SS\":[\"a\"]}}");
}

#define BAD_PATH "The document path provided in the update expression is invalid for update"
#define BAD_TYPE "An operand in the update expression has an incorrect data type"
#define ABSENT   "The provided expression refers to an attribute that does not exist in the item"

static void test_what_the_item_does_not_allow(void **state)
{
    (void)state;
    const char *on =
        "{\"a\":{\"S\":\"hi\"},\"b\":{\"L\":[{\"S\":\"x\"}]},\"c\":{\"M\":{\"k\":{\"N\":"
        "\"1\"}}},\"d\":{\"NS\":[\"1\"]},\"n\":{\"N\":\"1\"}}";
    static const char *const cases[][3] = {
        { "SET a.c = :v", "{\":v\":{\"N\":\"7\"}}", BAD_PATH },
        { "SET b.c = :v", "{\":v\":{\"N\":\"7\"}}", BAD_PATH },
        { "SET q.c = :v", "{\":v\":{\"N\":\"7\"}}", BAD_PATH },
        { "SET a[0] = :v", "{\":v\":{\"N\":\"7\"}}", BAD_PATH },
        { "SET c[0] = :v", "{\":v\":{\"N\":\"7\"}}", BAD_PATH },
        { "SET c.k.j = :v", "{\":v\":{\"N\":\"7\"}}", BAD_PATH },
        { "SET b[1].j = :v", "{\":v\":{\"N\":\"7\"}}", BAD_PATH },
        { "REMOVE a.c", NULL, BAD_PATH },
        { "REMOVE q[0]", NULL, BAD_PATH },
        { "ADD q.r :v", "{\":v\":{\"N\":\"7\"}}", BAD_PATH },
        { "DELETE q.r :v", "{\":v\":{\"NS\":[\"7\"]}}", BAD_PATH },
        { "SET e = q", NULL, ABSENT },
        { "SET e = q, q.r = a", NULL, ABSENT },
        { "SET x = :v, y = x", "{\":v\":{\"N\":\"7\"}}", ABSENT },
        { "SET e = n + q", NULL, ABSENT },
        { "SET e = list_append(b, q)", NULL, ABSENT },
        { "SET e = a + n", NULL, BAD_TYPE },
        { "SET e = list_append(d, b)", NULL, BAD_TYPE },
        { "ADD a :v", "{\":v\":{\"N\":\"7\"}}", BAD_TYPE },
        { "ADD d :v", "{\":v\":{\"N\":\"7\"}}", BAD_TYPE },
        { "ADD b :v", "{\":v\":{\"NS\":[\"7\"]}}", BAD_TYPE },
        { "DELETE d :v", "{\":v\":{\"SS\":[\"7\"]}}", BAD_TYPE },
        { "DELETE n :v", "{\":v\":{\"NS\":[\"7\"]}}", BAD_TYPE },
        { "SET n = :v + :v", "{\":v\":{\"N\":\"9E125\"}}",
          "Number overflow. Attempting to store a number with magnitude larger than supported "
          "range" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_string_equal(apply(cases[i][0], cases[i][1], on), cases[i][2]);
}

static void test_an_item_that_is_not_there(void **state)
{
    (void)state;
    const char *key = "{\"p\":{\"S\":\"x\"}}";
    struct update *u = update_of("REMOVE x.y, z[0]", NULL);
    struct slice out;
    assert_int_equal(update_apply_new(u, &arena, item(key), &out, &error), 0);
    assert_string_equal(item_text(out), key);
    assert_true(update_only_removes(u));
    assert_int_equal(update_apply(u, &arena, item(key), &out, &error), ERR_ValidationException);
    u = update_of("SET x.y = p", NULL);
    assert_int_equal(update_apply_new(u, &arena, item(key), &out, &error), ERR_ValidationException);
    assert_string_equal(failed(error.code), BAD_PATH);
    assert_false(update_only_removes(u));
    assert_true(update_only_removes(update_of("REMOVE a DELETE b :v", "{\":v\":{\"SS\":[\"x\"]}}")));
}

static const char *touched(const char *text, const char *values, const char *on)
{
    return item_text(update_touched(update_of(text, values), &arena, item(on)));
}

static void test_what_was_touched(void **state)
{
    (void)state;
    const char *v = "{\":v\":{\"N\":\"1\"}}";
    const char *on =
        "{\"a\":{\"M\":{\"b\":{\"S\":\"dog\"},\"c\":{\"L\":[{\"N\":\"1\"},{\"N\":\"2\"}]}}},"
        "\"d\":{\"S\":\"cat\"},\"p\":{\"S\":\"x\"}}";
    assert_string_equal(touched("SET a.b = :v", v, on), "{\"a\":{\"M\":{\"b\":{\"S\":\"dog\"}}}}");
    assert_string_equal(touched("SET a.c[1] = :v, a.b = :v", v, on),
                        "{\"a\":{\"M\":{\"b\":{\"S\":\"dog\"},\"c\":{\"L\":[{\"N\":\"2\"}]}}}}");
    assert_string_equal(touched("REMOVE a.c[1], a.c[3], d", NULL, on),
                        "{\"a\":{\"M\":{\"c\":{\"L\":[{\"N\":\"2\"}]}}},\"d\":{\"S\":\"cat\"}}");
    assert_string_equal(touched("SET a.x1 = :v, a.c[100] = :v, q.r = :v", v, on), "{}");
    assert_string_equal(touched("ADD d :v", v, NULL), "{}");
}

static void test_names_of_changed_attributes(void **state)
{
    (void)state;
    struct slice *names;
    size_t n =
        update_names(update_of("SET b.c = a, b.d = a, z = a REMOVE q[1]", NULL), &arena, &names);
    assert_int_equal(n, 3);
    assert_true(slice_eq(names[0], SLICE("b")));
    assert_true(slice_eq(names[1], SLICE("q")));
    assert_true(slice_eq(names[2], SLICE("z")));
}

static bool gather(struct slice name, void *ctx)
{
    buf_slice(ctx, name);
    BUF_LIT((struct buf *)ctx, " ");
    return true;
}

static void test_what_the_text_alone_tells(void **state)
{
    (void)state;
    struct update *u =
        update_of("SET a = :v, b = c.d + :v, e = list_append(f[0], g), h = i, j.k = :v, "
                  "l = if_not_exists(l, :v) ADD m :s REMOVE n, o.p",
                  "{\":v\":{\"N\":\"1\"},\":s\":{\"SS\":[\"x\"]}}");
    struct buf b;
    buf_init(&b, &arena, 1000);
    assert_true(update_each_nested(u, gather, &b));
    assert_string_equal(cstr(buf_view(&b)), "j o c f ");
    assert_int_equal(update_type_of(u, SLICE("a")), TYPE_N);
    assert_int_equal(update_type_of(u, SLICE("b")), TYPE_N);
    assert_int_equal(update_type_of(u, SLICE("e")), TYPE_L);
    assert_int_equal(update_type_of(u, SLICE("h")), TYPE_NONE);
    assert_int_equal(update_type_of(u, SLICE("j")), TYPE_NONE);
    assert_int_equal(update_type_of(u, SLICE("l")), TYPE_N);
    assert_int_equal(update_type_of(u, SLICE("m")), TYPE_SS);
    assert_int_equal(update_type_of(u, SLICE("n")), TYPE_NONE);
}

static void test_nesting_stays_within_32_levels(void **state)
{
    (void)state;
    struct buf v, path;
    buf_init(&v, &arena, 10000);
    buf_init(&path, &arena, 10000);
    BUF_LIT(&v, "{\"a\":");
    BUF_LIT(&path, "SET a");
    for (int i = 0; i < 30; i++)
        BUF_LIT(&v, "{\"M\":{\"a\":");
    BUF_LIT(&v, "{\"M\":{}}");
    for (int i = 0; i < 30; i++)
        BUF_LIT(&v, "}}");
    BUF_LIT(&v, "}");
    for (int i = 0; i < 31; i++)
        BUF_LIT(&path, ".a");
    BUF_LIT(&path, " = :v");
    const char *on = cstr(buf_view(&v)), *text = cstr(buf_view(&path));
    assert_memory_equal(apply(text, "{\":v\":{\"N\":\"1\"}}", on), "{\"a\"", 4);
    assert_string_equal(
        apply(text, "{\":v\":{\"L\":[]}}", on),
        "Nesting Levels have exceeded supported limits: Attributes in the item have "
        "nested levels beyond supported limit");
}

/* first, first + step ... as a set. */
static struct slice numbers(unsigned first, unsigned step, unsigned n)
{
    struct slice *members = ARENA_ARRAY(&arena, struct slice, n);
    struct buf b;
    for (unsigned i = 0; i < n; i++) {
        struct num *num = ARENA_NEW(&arena, struct num);
        num_from_int64((int64_t)first + (int64_t)step * i, num);
        members[i] = slice_of(num->bytes, num->n);
    }
    buf_init(&b, &arena, 4 << 20);
    assert_true(val_put_set(&b, TYPE_NS, members, n));
    return buf_view(&b);
}

static size_t members_after(const char *text, struct slice old, struct slice operand)
{
    struct json value = { .type = JSON_ENCODED, .name = SLICE(":v"), .text = operand };
    struct json values = { .type = JSON_OBJECT, .count = 1, .first = &value };
    struct expr_env env;
    struct update *u;
    struct attr attr = { SLICE("s"), old };
    struct slice out, set;
    struct buf b;
    buf_init(&b, &arena, 4 << 20);
    val_put_map(&b, &attr, 1);
    assert_int_equal(expr_env_init(&env, &arena, NULL, &values, &error), 0);
    assert_int_equal(update_parse(&env, slice_str(text), &u, &error), 0);
    assert_int_equal(update_apply(u, &arena, buf_view(&b), &out, &error), 0);
    assert_true(val_check(out));
    return val_get(out, SLICE("s"), &set) ? val_count(set) : 0;
}

/* An update runs on the writer's thread: comparing each member with each would stop all writes, for
 * minutes with the largest sets that fit a request. */
static void test_large_sets_take_no_longer_than_their_size(void **state)
{
    (void)state;
    const unsigned n = 60000;
    clock_t began = clock();
    struct slice old = numbers(0, 3, n), half = numbers(0, 6, n), other = numbers(1, 3, n);
    assert_int_equal(members_after("ADD s :v", old, other), 2 * n);
    assert_int_equal(members_after("ADD s :v", old, half), n + n / 2);
    assert_int_equal(members_after("DELETE s :v", old, other), n);
    assert_int_equal(members_after("DELETE s :v", old, half), n / 2);
    assert_int_equal(members_after("DELETE s :v", old, old), 0);
    assert_true((double)(clock() - began) / CLOCKS_PER_SEC < 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        T(test_syntax_errors),
        T(test_the_order_of_errors),
        T(test_set_and_remove),
        T(test_lists),
        T(test_sums_and_sets),
        T(test_what_the_item_does_not_allow),
        T(test_an_item_that_is_not_there),
        T(test_what_was_touched),
        T(test_names_of_changed_attributes),
        T(test_what_the_text_alone_tells),
        T(test_nesting_stays_within_32_levels),
        T(test_large_sets_take_no_longer_than_their_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
