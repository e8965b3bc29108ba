/* test_partiql.c: PartiQL statements read: what the parts of the grammar become, and that no damaged statement does harm. Texts of
 * errors are tested through the API (tests/api/test_partiql_words.py). */
#include "expr/partiql.h"
#include "test_expr_util.h"
#include "repeat.h"
#include <stdio.h>

static struct slice params[4];

static uint64_t dice = 1;

/* 0 .. n-1; the same numbers in every run. */
static size_t pick(size_t n)
{
    dice ^= dice << 13;
    dice ^= dice >> 7;
    dice ^= dice << 17;
    return (size_t)(dice % n);
}

/* A statement that is well formed and has no fault. */
static const struct partiql *fine(const char *text)
{
    struct partiql *p = NULL;
    if (partiql_parse(&arena, slice_str(text), params, 4, &p, &error)) fail_msg("%s: %s", text, failed((int)error.code));
    if (p->fault.code) fail_msg("%s: %s", text, cstr(p->fault.message));
    return p;
}

static const char *refused(const char *text)
{
    struct partiql *p = NULL;
    int rc = partiql_parse(&arena, slice_str(text), params, 4, &p, &error);
    if (rc) return failed(rc);
    return p->fault.code ? cstr(p->fault.message) : "fine";
}

static int set_up(void **state)
{
    setup(state);
    for (int i = 0; i < 4; i++) params[i] = val_make_number(&arena, i + 1);
    return 0;
}

static const char *shown(struct slice v)
{
    struct buf b;
    buf_init(&b, &arena, 1u << 20);
    item_to_json(&b, v);
    return cstr(buf_view(&b));
}

static void test_the_kinds_of_statements(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum partiql_kind kind;
        enum partiql_returning returning;
    } cases[] = {
        { "SELECT * FROM t", PARTIQL_SELECT, PARTIQL_RETURNING_NONE },
        { "select a from \"t\";", PARTIQL_SELECT, PARTIQL_RETURNING_NONE },
        { "INSERT INTO t VALUE {'a': 1}", PARTIQL_INSERT, PARTIQL_RETURNING_NONE },
        { "UPDATE t SET a = 1 WHERE b = 2 RETURNING MODIFIED NEW *", PARTIQL_UPDATE, PARTIQL_RETURNING_MODIFIED_NEW },
        { "UPDATE t REMOVE a WHERE b = 2 RETURNING ALL OLD *", PARTIQL_UPDATE, PARTIQL_RETURNING_ALL_OLD },
        { "FROM t WHERE b = 2 SET a = 1 REMOVE c returning all new *", PARTIQL_UPDATE, PARTIQL_RETURNING_ALL_NEW },
        { "DELETE FROM t WHERE a = 1 RETURNING ALL OLD *", PARTIQL_DELETE, PARTIQL_RETURNING_ALL_OLD },
        { "EXISTS(SELECT * FROM t WHERE a = 1)", PARTIQL_EXISTS, PARTIQL_RETURNING_NONE },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct partiql *p = fine(cases[i].text);
        assert_int_equal(p->kind, cases[i].kind);
        assert_int_equal(p->returning, cases[i].returning);
        assert_string_equal(cstr(p->table), "t");
        assert_null(p->index.p);
    }
}

static void test_tables_and_columns(void **state)
{
    (void)state;
    const struct partiql *p = fine("SELECT a, m.b, l[1], \"x y\".\"count\"[0] FROM \"my.table\".\"my-index\" ORDER BY a DESC, b");
    assert_string_equal(cstr(p->table), "my.table");
    assert_string_equal(cstr(p->index), "my-index");
    assert_int_equal(p->n_order, 2);
    assert_true(p->order[0].descending && !p->order[1].descending);
    struct slice whole = item("{\"a\":{\"N\":\"1\"},\"m\":{\"M\":{\"b\":{\"S\":\"x\"},\"c\":{\"S\":\"y\"}}},\"l\":{\"L\":[{\"N\":\"1\"},"
                              "{\"N\":\"2\"}]},\"x y\":{\"M\":{\"count\":{\"L\":[{\"S\":\"z\"}]}}},\"w\":{\"N\":\"9\"}}");
    assert_string_equal(shown(projection_apply(p->columns, &arena, whole)),
                        "{\"a\":{\"N\":\"1\"},\"b\":{\"S\":\"x\"},\"count[0]\":{\"S\":\"z\"},\"l[1]\":{\"N\":\"2\"}}");
    assert_string_equal(shown(projection_apply(p->columns, &arena, item("{\"w\":{\"N\":\"1\"}}"))), "{}");
    struct slice *names;
    assert_int_equal(projection_names(p->columns, &arena, &names), 4);
    assert_string_equal(cstr(names[3]), "x y");
    assert_null(fine("SELECT * FROM t")->columns);
}

static void test_items(void **state)
{
    (void)state;
    const struct partiql *p = fine("INSERT INTO t VALUE {'s': 'it''s', 'n': -1e2, 't': true, 'z': null, 'l': [1, []], 'm': {'k': {}}, "
                                   "'ss': <<'b', 'a'>>, 'ns': <<1>>, 'p': ?, 'q': ?}");
    assert_string_equal(shown(p->item),
                        "{\"l\":{\"L\":[{\"N\":\"1\"},{\"L\":[]}]},\"m\":{\"M\":{\"k\":{\"M\":{}}}},\"n\":{\"N\":\"-100\"},"
                        "\"ns\":{\"NS\":[\"1\"]},\"p\":{\"N\":\"1\"},\"q\":{\"N\":\"2\"},\"s\":{\"S\":\"it's\"},"
                        "\"ss\":{\"SS\":[\"a\",\"b\"]},\"t\":{\"BOOL\":true},\"z\":{\"NULL\":true}}");
    assert_true(val_check(p->item));
    assert_string_equal(refused("INSERT INTO t VALUE {'a': 1, 'a': 2}"), "Duplicate keys in a tuple are not supported: a");
}

static void test_updates(void **state)
{
    (void)state;
    const struct partiql *p = fine("UPDATE t SET a = a + 1 - ?, b = list_append(b, [2]) REMOVE c SET d = set_add(d, <<'x'>>) "
                                   "SET e = set_delete(e, <<'x'>>), f = if_not_exists(f, 7) WHERE k = 1");
    struct slice before = item("{\"a\":{\"N\":\"5\"},\"b\":{\"L\":[]},\"c\":{\"N\":\"1\"},\"e\":{\"SS\":[\"x\"]}}"), after;
    assert_int_equal(update_apply(p->update, &arena, before, &after, &error), 0);
    assert_string_equal(shown(after), "{\"a\":{\"N\":\"5\"},\"b\":{\"L\":[{\"N\":\"2\"}]},\"d\":{\"SS\":[\"x\"]},\"f\":{\"N\":\"7\"}}");
}

static void test_conditions(void **state)
{
    (void)state;
    struct slice one = item("{\"a\":{\"N\":\"1\"},\"s\":{\"S\":\"abc\"},\"t\":{\"BOOL\":true},\"z\":{\"NULL\":true},"
                            "\"l\":{\"L\":[{\"N\":\"1\"}]}}");
    static const struct {
        const char *text;
        bool holds;
    } cases[] = {
        { "a = 1", true }, { "a <> 1", false }, { "nope <> 1", true }, { "nope = 1", false }, { "NOT nope = 1", true },
        { "a = 1 AND s = 'x' OR t = true", true }, { "a = 1 AND (s = 'x' OR t = false)", false }, { "NOT a = 2 AND a = 1", true },
        { "a IN [2, 1]", true }, { "a NOT IN (1)", false }, { "a BETWEEN 0 AND 1", true }, { "a = ?", true }, { "a < 'x'", false },
        { "z IS NULL", true }, { "nope IS NULL", false }, { "nope IS NOT NULL", true }, { "nope IS MISSING", true },
        { "l IS LIST", true }, { "t IS BOOLEAN", true }, { "a IS STRING", false }, { "l[0] = 1", true }, { "size(s) = 3", true },
        { "attribute_exists(a) = t", true }, { "(a = 1) = (s = 'abc')", true }, { "((a = 2) = false) = true", true },
        { "attribute_exists(nope) <> t", true }, { "contains(s, 'b')", true }, { "begins_with(s, 'b')", false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct partiql *p = fine(cstr(arena_printf(&arena, "SELECT * FROM t WHERE %s", cases[i].text)));
        if (cond_eval(p->where, one) != cases[i].holds) fail_msg("%s", cases[i].text);
    }
}

static void test_size_is_no_condition(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "size(s)", "NOT size(s)", "a = 1 AND size(s)", "t = (size(s) AND a = 1)", "t = (a = 1 OR size(s))", "t = (NOT size(s))",
        "attribute_exists(a) = (t = (NOT size(s)))", "a = 1 OR t IN [1, (NOT size(s))]", "contains(s, (NOT size(s)))",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *told = refused(cstr(arena_printf(&arena, "SELECT * FROM t WHERE %s", cases[i])));
        if (strcmp(told, "Unsupported token in expression: size") != 0) fail_msg("%s: %s", cases[i], told);
    }
}

static void test_faults_come_after_the_table_is_known(void **state)
{
    (void)state;
    struct partiql *p = NULL;
    assert_int_equal(partiql_parse(&arena, SLICE("SELECT COUNT(*) FROM t WHERE x < true"), NULL, 0, &p, &error), 0);
    assert_string_equal(cstr(p->table), "t");
    assert_string_equal(cstr(p->fault.message), "Unexpected path component at 1:8:5");
    assert_int_equal(partiql_parse(&arena, SLICE("SELECT * FROM t WHERE x = ?"), NULL, 0, &p, &error), 0);
    assert_string_equal(cstr(p->fault.message), "Number of parameters in request and statement don't match.");
}

static const char *const seeds[] = {
    "SELECT a, m.b[0] FROM \"t\".\"i\" WHERE k = 'it''s' AND (n IN [1, 2.5e3, -.5] OR NOT size(x) >= ?) ORDER BY k DESC, n",
    "INSERT INTO \"t\" VALUE {'a': 1, 'l': [1, {'x': null}], 's': <<'a', 'b'>>, 'p': ?, 't': true}",
    "UPDATE t SET a = a + 1 - 2, b.c[0] = list_append(b.c[0], [?]) REMOVE d SET e = set_add(e, <<1>>) WHERE k = 1 RETURNING ALL NEW *",
    "FROM t WHERE k = 1 AND attribute_exists(a) = (b BETWEEN 1 AND 2) SET c = if_not_exists(c, 'x') -- done",
    "DELETE FROM t WHERE k = 1 AND x IS NOT MISSING /* c */ RETURNING ALL OLD *;",
    "EXISTS(SELECT * FROM t WHERE k = 1 AND begins_with(a, 'x') AND b <> 2)",
};

/* One byte changed, taken out or put in, many times over: an answer comes, and an error has words. */
static void test_damaged_statements(void **state)
{
    (void)state;
    static const char bytes[] = " '\"()[]{}<>=,.:;?*+-/%|!#aA1e\n\t";
    for (int round = 0; round < repeated(60000); round++) {
        char text[400];
        snprintf(text, sizeof text, "%s", seeds[pick(6)]);
        for (int edits = 1 + pick(3); edits; edits--) {
            size_t n = strlen(text), at = pick(n);
            char c = bytes[pick(sizeof bytes - 1)];
            if (pick(3) == 0) {
                text[at] = c;
            } else if (pick(2)) {
                memmove(text + at, text + at + 1, n - at);
            } else if (n + 2 < sizeof text) {
                memmove(text + at + 1, text + at, n - at + 1);
                text[at] = c;
            }
        }
        struct partiql *p = NULL;
        error = (struct err){ .arena = &arena };
        int rc = partiql_parse(&arena, slice_str(text), params, pick(5), &p, &error);
        assert_int_equal(rc, error.code);
        if (rc) assert_true(error.message.n > 0);
        if (!rc && !p->fault.code && p->where) cond_eval(p->where, slice_of(NULL, 0));
        if (round % 500 == 0) {
            arena_reset(&arena);
            for (int i = 0; i < 4; i++) params[i] = val_make_number(&arena, i + 1);
        }
    }
}

/* What nests is bounded by the parser, not by the stack. */
static void test_depth(void **state)
{
    (void)state;
    static const char *const parts[] = { "(", "NOT ", "-", "[", "a=", "1+", "{'a':", "<<", "a[", "f(", "a IN [" };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct buf b;
        buf_init(&b, &arena, 1u << 16);
        BUF_LIT(&b, "SELECT * FROM t WHERE ");
        while (b.n < 8180) buf_slice(&b, slice_str(parts[i]));
        buf_u8(&b, 0);
        assert_string_not_equal(refused((const char *)b.p), "fine");
    }
}

static void test_long_chains_are_flat(void **state)
{
    (void)state;
    for (int or = 0; or < 2; or ++) {
        struct buf b;
        buf_init(&b, &arena, 1u << 16);
        BUF_LIT(&b, "SELECT * FROM t WHERE a=1");
        while (b.n < 8170) buf_slice(&b, or ? SLICE(" OR a=2") : SLICE(" AND a=1"));
        buf_u8(&b, 0);
        assert_true(cond_eval(fine((const char *)b.p)->where, item("{\"a\":{\"N\":\"1\"}}")));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_the_kinds_of_statements, set_up, teardown),
        cmocka_unit_test_setup_teardown(test_tables_and_columns, set_up, teardown),
        cmocka_unit_test_setup_teardown(test_items, set_up, teardown),
        cmocka_unit_test_setup_teardown(test_updates, set_up, teardown),
        cmocka_unit_test_setup_teardown(test_conditions, set_up, teardown),
        cmocka_unit_test_setup_teardown(test_size_is_no_condition, set_up, teardown),
        cmocka_unit_test_setup_teardown(test_faults_come_after_the_table_is_known, set_up, teardown),
        cmocka_unit_test_setup_teardown(test_damaged_statements, set_up, teardown),
        cmocka_unit_test_setup_teardown(test_depth, set_up, teardown),
        cmocka_unit_test_setup_teardown(test_long_chains_are_flat, set_up, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
