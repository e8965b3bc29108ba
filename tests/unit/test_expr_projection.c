/* test_expr_projection.c: projections: errors, and which parts of an item they keep. */
#include "test_expr_util.h"

static const char *project(const char *text, const char *names, const char *on)
{
    struct expr_env env = env_of(names, NULL);
    struct projection *p;
    int rc = projection_parse(&env, slice_str(text), &p, &error);
    return rc ? failed(rc) : item_text(projection_apply(p, &arena, item(on)));
}

static void test_paths_are_kept_and_lists_closed_up(void **state)
{
    (void)state;
    const char *on =
        "{\"a\":{\"M\":{\"b\":{\"L\":[{\"N\":\"2\"},{\"N\":\"4\"},{\"M\":{\"x\":{\"S\":\"hi\"}"
        ",\"y\":{\"S\":\"yo\"}}}]},\"c\":{\"N\":\"5\"}}},\"a.b\":{\"S\":\"dot\"},\"b\":{\"S\":"
        "\"hello\"}}";
    static const char *const cases[][3] = {
        { "b", NULL, "{\"b\":{\"S\":\"hello\"}}" },
        { " b  ,\n a.c ", NULL, "{\"a\":{\"M\":{\"c\":{\"N\":\"5\"}}},\"b\":{\"S\":\"hello\"}}" },
        { "a.b[0]", NULL, "{\"a\":{\"M\":{\"b\":{\"L\":[{\"N\":\"2\"}]}}}}" },
        { "a.b[2].y", NULL, "{\"a\":{\"M\":{\"b\":{\"L\":[{\"M\":{\"y\":{\"S\":\"yo\"}}}]}}}}" },
        { "a.b[2].x,a.b[0]", NULL,
          "{\"a\":{\"M\":{\"b\":{\"L\":[{\"N\":\"2\"},{\"M\":{\"x\":{\"S\":\"hi\"}}}]}}}}" },
        { "x", NULL, "{}" },
        { "a.b[3]", NULL, "{}" },
        { "a.x.y", NULL, "{}" },
        { "a.b.x", NULL, "{}" },
        { "a[0]", NULL, "{}" },
        { "a.b[0].x", NULL, "{}" },
        { "a.x, a.b[0], x, a.b[3].x", NULL, "{\"a\":{\"M\":{\"b\":{\"L\":[{\"N\":\"2\"}]}}}}" },
        { "#n", "{\"#n\":\"a.b\"}", "{\"a.b\":{\"S\":\"dot\"}}" },
        { "#n.#m", "{\"#n\":\"a\",\"#m\":\"c\"}", "{\"a\":{\"M\":{\"c\":{\"N\":\"5\"}}}}" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_string_equal(project(cases[i][0], cases[i][1], on), cases[i][2]);
    assert_string_equal(project("a", NULL, NULL), "{}");
}

static void test_errors(void **state)
{
    (void)state;
#define P "Invalid ProjectionExpression: "
#define OVERLAP                                                                                    \
    P "Two document paths overlap with each other; must remove or rewrite one of these paths; "
#define CONFLICT                                                                                   \
    P "Two document paths conflict with each other; must remove or rewrite one of these paths; "
    static const char *const cases[][2] = {
        { "", P "The expression can not be empty;" },
        { "!!x", P "Syntax error; token: \"!\", near: \"!!\"" },
        { "a,", P "Syntax error; token: \"<EOF>\", near: \",\"" },
        { ",a", P "Syntax error; token: \",\", near: \",a\"" },
        { "a,,b", P "Syntax error; token: \",\", near: \",,b\"" },
        { "a b", P "Syntax error; token: \"b\", near: \"a b\"" },
        { "a[-1]", P "Syntax error; token: \"-\", near: \"[-1\"" },
        { "a[]", P "Syntax error; token: \"]\", near: \"[]\"" },
        { "(a)", P "Syntax error; token: \"(\", near: \"(a\"" },
        { "abort, a,a", P "Attribute name is a reserved keyword; reserved keyword: abort" },
        { "#zz, a, a", P "An expression attribute name used in the document path is not defined; "
                         "attribute name: #zz" },
        { "a,a", OVERLAP "path one: [a], path two: [a]" },
        { "b, a.b[0] ,c,a.b[0]", OVERLAP "path one: [a, b, [0]], path two: [a, b, [0]]" },
        { "a, a.b[2].c", OVERLAP "path one: [a], path two: [a, b, [2], c]" },
        { "a.b.d.e, a.b", OVERLAP "path one: [a, b, d, e], path two: [a, b]" },
        { "a.b, a[1]", CONFLICT "path one: [a, b], path two: [a, [1]]" },
        { "a.b[1], a.b.c", CONFLICT "path one: [a, b, [1]], path two: [a, b, c]" },
        { "x.a, x[0], b.c, b", OVERLAP "path one: [b, c], path two: [b]" },
        { "a[99999999999999]", P "List index is not within the allowable range; index: "
                                 "[99999999999999]" },
        { "a.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b",
          P "The document path has too many nesting levels; nesting levels: 33" },
        { "a.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b", "{}" },
        { "a.b, a.c, a.d[1], a.d[2], a.e.f", "{}" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_string_equal(project(cases[i][0], NULL, "{}"), cases[i][1]);
}

static void test_plain_names(void **state)
{
    (void)state;
    struct slice names[] = { SLICE("z"), SLICE("a.b"), SLICE("z"), SLICE("q") }, *reached;
    struct projection *p = projection_from_names(&arena, names, 4);
    const char *on = "{\"a\":{\"N\":\"1\"},\"a.b\":{\"N\":\"2\"},\"z\":{\"N\":\"3\"}}";
    assert_string_equal(item_text(projection_apply(p, &arena, item(on))),
                        "{\"a.b\":{\"N\":\"2\"},\"z\":{\"N\":\"3\"}}");
    assert_int_equal(projection_names(p, &arena, &reached), 3);
    assert_true(slice_eq(reached[0], SLICE("a.b")));
    assert_true(slice_eq(reached[2], SLICE("z")));
    p = projection_from_names(&arena, NULL, 0);
    assert_string_equal(item_text(projection_apply(p, &arena, item(on))), "{}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        T(test_paths_are_kept_and_lists_closed_up),
        T(test_errors),
        T(test_plain_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
