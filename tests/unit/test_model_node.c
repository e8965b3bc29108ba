/* test_model_node.c: YAML and JSON texts as nodes that know their place; complaints in order; names that are near. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include "arena_fixture.h"
#include "model/node.h"

static struct problems ps;

/* Reads a copy that ends where its allocation ends, so that the tools see reading past it. */
static const struct node *read_text(struct slice text)
{
    uint8_t *exact = malloc(text.n ? text.n : 1);
    assert_non_null(exact);
    if (text.n) memcpy(exact, text.p, text.n);
    problems_init(&ps, &arena);
    const struct node *n = node_read(&ps, SLICE("f.yaml"), slice_of(exact, text.n));
    free(exact); /* nodes hold no part of it */
    assert_true(n ? ps.n == 0 : ps.n > 0);
    return n;
}

static const struct node *read_str(const char *text)
{
    return read_text(slice_str(text));
}

static void assert_text(struct slice s, const char *expected)
{
    if (!slice_eq(s, slice_str(expected))) fail_msg("\"%.*s\" is not \"%s\"", SLICE_ARG(s), expected);
}

static void nodes_know_their_places(void **state)
{
    (void)state;
    const struct node *n = read_str("# c\na: 1\nb:\n  - x\n  - { c: \"y z\", d: }\n");
    assert_int_equal(n->kind, NODE_MAP);
    assert_int_equal(n->count, 2);
    assert_int_equal(n->place.line, 2);
    const struct node *b = NODE_GET(n, "b");
    assert_int_equal(b->kind, NODE_LIST);
    assert_int_equal(b->name_place.line, 3);
    assert_int_equal(b->name_place.column, 1);
    assert_int_equal(b->first->place.line, 4);
    assert_int_equal(b->first->place.column, 5);
    const struct node *c = NODE_GET(b->first->next, "c");
    assert_text(c->text, "y z");
    assert_true(c->quoted);
    assert_int_equal(c->place.line, 5);
    assert_int_equal(c->place.column, 10);
    assert_int_equal(c->name_place.column, 7);
    assert_text(c->place.file, "f.yaml");
    assert_true(node_is_null(NODE_GET(b->first->next, "d")));
    assert_null(NODE_GET(n, "zzz"));
    assert_null(NODE_GET(b, "a"));
    assert_null(NODE_GET(NULL, "a"));
}

static void json_is_yaml(void **state)
{
    (void)state;
    const struct node *n = read_str("{\"a\": [1, true, null, \"1\"],\n \"b\": {\"c\": \"\\u00e9\"}}");
    struct num num;
    bool b;
    const struct node *x = NODE_GET(n, "a")->first;
    assert_true(node_number(x, &num));
    assert_true(node_bool(x->next, &b));
    assert_true(b);
    assert_true(node_is_null(x->next->next));
    assert_false(node_number(x->next->next->next, &num));
    assert_text(NODE_GET(NODE_GET(n, "b"), "c")->text, "\xc3\xa9");
}

static void scalars_follow_the_core_schema(void **state)
{
    (void)state;
    static const struct {
        const char *text, *is;
    } cases[] = { { "no", "text" },    { "yes", "text" },  { "on", "text" },     { "true", "bool" }, { "False", "bool" },
                  { "'true'", "text" }, { "~", "null" },   { "null", "null" },   { "'null'", "text" }, { "0", "number" },
                  { "-1.5e3", "number" }, { "007", "text" }, { "1_000", "text" }, { "+5", "text" },  { ".5", "text" },
                  { "5.", "text" },    { "0x10", "text" }, { "1e", "text" },     { "-", "list" },    { "2026-05", "text" },
                  { "1:30", "text" },  { "nan", "text" },  { "\"5\"", "text" },  { "1e999", "text" }, { "|\n  5", "text" } };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct node *n = read_str(cases[i].text);
        struct num num;
        bool b;
        assert_non_null(n);
        const char *is = n->kind == NODE_LIST    ? "list"
                         : node_is_null(n)       ? "null"
                         : node_bool(n, &b)      ? "bool"
                         : node_number(n, &num)  ? "number"
                                                 : "text";
        if (strcmp(is, cases[i].is) != 0) fail_msg("%s is %s", cases[i].text, is);
    }
}

static void aliases_stand_for_what_they_name(void **state)
{
    (void)state;
    const struct node *n = read_str("a: &x { k: [1, 2] }\nb: *x\nc: [*x, *x]\n");
    const struct node *b = NODE_GET(n, "b");
    assert_text(b->name, "b");
    assert_int_equal(NODE_GET(b, "k")->count, 2);
    assert_null(NODE_GET(n, "a")->first->next);
    assert_int_equal(NODE_GET(n, "c")->count, 2);
    assert_int_equal(NODE_GET(NODE_GET(n, "c")->first->next, "k")->count, 2);
}

static void a_byte_order_mark_and_crlf_are_skipped(void **state)
{
    (void)state;
    const struct node *n = read_str("\xef\xbb\xbf" "a: 1\r\nb: x\r\n");
    assert_text(NODE_GET(n, "b")->text, "x");
    assert_int_equal(NODE_GET(n, "a")->name_place.column, 1);
    assert_int_equal(NODE_GET(n, "b")->name_place.line, 2);
}

/* ---- what is refused ---- */

#define LIT(s) { (const uint8_t *)("" s), sizeof(s) - 1 }

static void what_is_refused_is_refused_at_its_place(void **state)
{
    (void)state;
    static const struct {
        struct slice text;
        unsigned line, column;
        const char *says;
    } cases[] = {
        { LIT(""), 1, 1, "the file is empty" },
        { LIT("# only a comment\n"), 1, 1, "the file is empty" },
        { LIT("a: 1\nb: 2\na: 3\n"), 3, 1, "\"a\" is there twice" },
        { LIT("a: { x: 1, y: 2, x: 3 }"), 1, 18, "\"x\" is there twice" },
        { LIT("a: !!str 1"), 1, 4, "tags (!name) are not supported" },
        { LIT("a: !x [1]"), 1, 4, "tags (!name) are not supported" },
        { LIT("a: &x { k: 1 }\nb:\n  <<: *x\n"), 3, 3, "merge keys (<<) are not supported" },
        { LIT("a: 1\n---\nb: 2\n"), 2, 1, "a second document begins here" },
        { LIT("a: *nobody\n"), 1, 4, "this alias names no anchor" },
        { LIT("a: &x [*x]\n"), 1, 8, "this alias names no anchor" },
        { LIT("? [a, b]\n: 1\n"), 1, 3, "a list or map stands where a name is expected" },
        { LIT("a: 1\nb: \xff\n"), 2, 4, "this is not text" },
        { LIT("a: 1\n\xff\xfe"), 2, 1, "this is not text" },
        { LIT("\xff\xfe" "a\0:\0 \0001\0"), 1, 1, "this is not text" },
        { LIT("a: 1\0\n"), 1, 5, "this is not text" },
        { LIT("a: [1, 2\nb: 3\n"), 2, 2, "this is not YAML" },
        { LIT("a: 1\n\tb: 2\n"), 2, 1, "this is not YAML" },
        { LIT("a: b: c\n"), 1, 5, "this is not YAML" },
        { LIT("a: 'x\n"), 2, 1, "this is not YAML" },
        { LIT("a: @x\n"), 1, 4, "this is not YAML" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (read_text(cases[i].text)) fail_msg("case %zu was taken", i);
        const struct problem *p = ps.first;
        if (p->place.line != cases[i].line || p->place.column != cases[i].column ||
            !slice_starts(p->message, slice_str(cases[i].says)))
            fail_msg("case %zu: %u:%u %.*s", i, p->place.line, p->place.column, SLICE_ARG(p->message));
    }
}

static void depth_is_bounded_with_aliases_too(void **state)
{
    (void)state;
    char text[400];
    memset(text, '[', 64), memset(text + 64, ']', 64), text[128] = 0;
    assert_non_null(read_str(text));
    memset(text, '[', 65), memset(text + 65, ']', 65), text[130] = 0;
    assert_null(read_str(text));
    assert_int_equal(ps.first->place.column, 65);
    /* 32 levels inside 32 others are as many as can be; one more is refused. */
    memset(text, 0, sizeof(text));
    for (int more = 0; more < 2; more++) {
        size_t n = (size_t)snprintf(text, sizeof(text), "a: &x ");
        memset(text + n, '[', 33), memset(text + n + 33, ']', 33), n += 66;
        n += (size_t)snprintf(text + n, sizeof(text) - n, "\nb: ");
        size_t around = (size_t)(30 + more);
        memset(text + n, '[', around), n += around;
        n += (size_t)snprintf(text + n, sizeof(text) - n, "*x");
        memset(text + n, ']', around), n += around;
        text[n] = 0;
        const struct node *read = read_str(text);
        assert_true(more ? read == NULL : read != NULL);
    }
}

static void aliases_of_aliases_are_counted_as_what_they_stand_for(void **state)
{
    (void)state;
    char text[2000];
    size_t n = (size_t)snprintf(text, sizeof(text), "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n");
    for (int i = 1; i < 9; i++) {
        n += (size_t)snprintf(text + n, sizeof(text) - n, "a%d: &a%d [", i, i);
        for (int k = 0; k < 10; k++) n += (size_t)snprintf(text + n, sizeof(text) - n, "%s*a%d", k ? "," : "", i - 1);
        n += (size_t)snprintf(text + n, sizeof(text) - n, "]\n");
    }
    assert_null(read_str(text));
    assert_true(slice_starts(ps.first->message, SLICE("the file holds too much")));
}

static void every_prefix_of_a_text_is_taken_or_refused_with_a_place(void **state)
{
    (void)state;
    static const char text[] = "a: &x { b: [1, 'two', \"thr\\u00e9e\"] }\nc: |\n  block\nd: *x # end\n";
    for (size_t n = 0; n < sizeof(text); n++)
        if (!read_text(slice_of(text, n))) assert_true(ps.first->place.line >= 1 && ps.first->place.column >= 1);
}

/* ---- problems ---- */

static void problems_are_sorted_by_place_and_become_json(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b, &arena, 1 << 20);
    problems_init(&ps, &arena);
    struct slice f = SLICE("f");
    problem_add(&ps, (struct place){ f, 3, 1 }, SLICE(""), "third");
    problem_add(&ps, (struct place){ f, 1, 9 }, SLICE("do \"this\""), "second %d", 2);
    problem_add(&ps, (struct place){ f, 1, 2 }, SLICE(""), "first");
    problem_add(&ps, (struct place){ f, 3, 1 }, SLICE(""), "fourth");
    problems_sort(&ps);
    problems_to_json(&b, &ps);
    assert_text(buf_view(&b),
                "{\"problems\":[{\"file\":\"f\",\"line\":1,\"column\":2,\"message\":\"first\"},"
                "{\"file\":\"f\",\"line\":1,\"column\":9,\"message\":\"second 2\",\"hint\":\"do \\\"this\\\"\"},"
                "{\"file\":\"f\",\"line\":3,\"column\":1,\"message\":\"third\"},"
                "{\"file\":\"f\",\"line\":3,\"column\":1,\"message\":\"fourth\"}]}");
    assert_text(ps.last->message, "fourth");
}

static void problems_beyond_the_most_are_only_counted(void **state)
{
    (void)state;
    struct buf b;
    size_t n = 0;
    buf_init(&b, &arena, 1 << 20);
    problems_init(&ps, &arena);
    for (unsigned i = 0; i < PROBLEMS_MAX + 7; i++)
        problem_add(&ps, (struct place){ SLICE("f"), 500 - i, 1 }, SLICE(""), "p");
    problems_sort(&ps);
    for (const struct problem *p = ps.first; p; p = p->next) n++;
    assert_int_equal(n, PROBLEMS_MAX);
    assert_int_equal(ps.n, PROBLEMS_MAX + 7);
    problems_to_json(&b, &ps);
    static const char end[] = "],\"more\":7}";
    assert_memory_equal(b.p + b.n - sizeof(end) + 1, end, sizeof(end) - 1);
}

static void the_near_name_is_found(void **state)
{
    (void)state;
    static const struct slice list[] = { LIT("customerId"), LIT("orderId"), LIT("status"), LIT("PK"), LIT("") };
    static const struct {
        const char *name, *near;
    } cases[] = { { "custmerId", "customerId" }, { "orderid", "orderId" }, { "ordreId", "orderId" }, { "statsu", "status" },
                  { "Status", "status" },        { "pk", "PK" },           { "xyz", "" },           { "", "" },
                  { "total", "" },               { "custId", "" } };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_text(near_name(slice_str(cases[i].name), list, 5), cases[i].near);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_know_their_places),
        cmocka_unit_test(json_is_yaml),
        cmocka_unit_test(scalars_follow_the_core_schema),
        cmocka_unit_test(aliases_stand_for_what_they_name),
        cmocka_unit_test(a_byte_order_mark_and_crlf_are_skipped),
        cmocka_unit_test(what_is_refused_is_refused_at_its_place),
        cmocka_unit_test(depth_is_bounded_with_aliases_too),
        cmocka_unit_test(aliases_of_aliases_are_counted_as_what_they_stand_for),
        cmocka_unit_test(every_prefix_of_a_text_is_taken_or_refused_with_a_place),
        cmocka_unit_test(problems_are_sorted_by_place_and_become_json),
        cmocka_unit_test(problems_beyond_the_most_are_only_counted),
        cmocka_unit_test(the_near_name_is_found),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
