/* test_model_template.c: templates: what is accepted, what is rendered, keys taken apart again, templates compared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include "model/template.h"
#include "arena_fixture.h"
#include "repeat.h"

static struct slice delimiter;
static bool escape;

static bool parse(const char *text, struct template *out)
{
    struct problems ps;
    problems_init(&ps, &arena);
    bool ok = template_parse(&ps, slice_str(text), (struct place){ .line = 3, .column = 9 }, delimiter, escape, out);
    assert_int_equal(ok, ps.n == 0);
    if (!ok) assert_int_equal(ps.first->place.line, 3);
    return ok;
}

static struct template make(const char *text)
{
    struct template t;
    assert_true(parse(text, &t));
    return t;
}

static int defaults(void **state)
{
    (void)state;
    delimiter = SLICE("#");
    escape = false;
    return 0;
}

static struct slice encode(char type, const char *text)
{
    struct buf b;
    struct num n;
    buf_init(&b, &arena, 1 << 20);
    switch (type) {
    case 'S': val_put_string(&b, slice_str(text)); break;
    case 'N':
        assert_int_equal(num_parse(slice_str(text), &n), NUM_OK);
        val_put_number(&b, slice_of(n.bytes, n.n));
        break;
    case 'B': val_put_binary(&b, slice_str(text)); break;
    case 'T': val_put_bool(&b, text[0] == 't'); break;
    case 'L': val_put_list(&b, NULL, 0); break;
    default: val_put_null(&b); break;
    }
    return buf_view(&b);
}

static struct slice item_of(const char *const *triples)
{
    struct attr attrs[8];
    size_t n = 0;
    for (; triples[0]; triples += 3) attrs[n++] = (struct attr){ slice_str(triples[0]), encode(triples[1][0], triples[2]) };
    struct buf b;
    buf_init(&b, &arena, 1 << 20);
    val_put_map(&b, attrs, n);
    return buf_view(&b);
}
#define ITEM(...) item_of((const char *const[]){ __VA_ARGS__, NULL })

static void assert_slice(struct slice s, const char *expected)
{
    char got[256];
    snprintf(got, sizeof got, "%.*s", SLICE_ARG(s));
    assert_string_equal(got, expected);
}

static void assert_renders(const char *text, struct slice item, const char *expected)
{
    struct template t = make(text);
    struct rendered r = template_render(&arena, &t, item);
    assert_int_equal(r.status, RENDER_OK);
    assert_int_equal(val_type(r.value), TYPE_S);
    assert_slice(val_content(r.value), expected);
}

static void assert_refuses(const char *text, struct slice item, enum render_status status, const char *reason)
{
    struct template t = make(text);
    struct rendered r = template_render(&arena, &t, item);
    assert_int_equal(r.status, status);
    assert_slice(render_reason(&arena, r), reason);
}

static void test_parts_of_a_template(void **state)
{
    (void)state;
    struct template t = make("A#${b:06.2}#$${c}${d}");
    assert_int_equal(t.n, 4);
    assert_slice(t.parts[0].text, "A#");
    assert_true(t.parts[1].hole);
    assert_slice(t.parts[1].text, "b");
    assert_int_equal(t.parts[1].digits, 6);
    assert_int_equal(t.parts[1].decimals, 2);
    assert_slice(t.parts[2].text, "#${c}");
    assert_slice(t.parts[3].text, "d");
    assert_false(t.whole);
    assert_true(make("${a}").whole);
    assert_false(make("${a:04}").whole);
    assert_int_equal(make("${a:038}").parts[0].digits, 38);
    assert_int_equal(template_holes(&t), 2);
}

static void test_templates_that_are_none_are_refused_with_their_place(void **state)
{
    (void)state;
    static const char *const bad[] = { "",        "A#${b",    "${}",       "${a}${b}", "${a:4}",    "${a:0}",   "${a:}",
                                       "${a:039}", "${a:04.}", "${a:04.0}", "${a:04x}", "${a:020.20}", "${ a}", "${:04}" };
    struct template t;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(parse(bad[i], &t));
    assert_true(parse("${a:04}${b}", &t)); /* the first has a known width */
    assert_true(parse("$ {a} $x }", &t));
}

static void test_values_in_holes(void **state)
{
    (void)state;
    struct slice item = ITEM("s", "S", "x y", "n", "N", "29.990", "i", "N", "7", "t", "T", "true", "e", "S", "", "l", "L", "",
                             "z", "0", "");
    assert_renders("ORDER#${s}", item, "ORDER#x y");
    assert_renders("${n}#${i}", item, "29.99#7");
    assert_renders("A${t}", item, "Atrue");
    assert_renders("${t}", item, "true");
    assert_renders("${i:04}", item, "0007");
    assert_renders("P#${n:06.2}", item, "P#000029.99");
    assert_renders("P#${i:02.3}", item, "P#07.000");
    assert_refuses("A#${gone}", item, RENDER_MISSING, "gone is missing");
    assert_refuses("A#${z}", item, RENDER_MISSING, "z is missing");
    assert_refuses("${z}", item, RENDER_MISSING, "z is missing");
    assert_refuses("A#${e}", item, RENDER_EMPTY, "e is empty");
    assert_refuses("${e}", item, RENDER_EMPTY, "e is empty");
    assert_refuses("A#${l}", item, RENDER_TYPE, "l is of a type that cannot stand in a key");
    assert_refuses("${l}", item, RENDER_TYPE, "l is of a type that cannot stand in a key");
    assert_refuses("${s:04}", item, RENDER_TYPE, "s is of a type that cannot stand in a key");
    assert_int_equal(template_render(&arena, &(struct template){ 0 }, item).status, RENDER_OK);
}

static void test_padding_refuses_what_does_not_fit(void **state)
{
    (void)state;
    static const char *const bad[][2] = { { "${n:02}", "100" },   { "${n:02}", "-1" },      { "${n:02}", "1.5" },
                                          { "${n:02.1}", "1.25" }, { "${n:02.1}", "-0.5" }, { "${n:02}", "1E+30" } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct template t = make(bad[i][0]);
        assert_int_equal(template_render(&arena, &t, ITEM("n", "N", bad[i][1])).status, RENDER_WIDE);
    }
    assert_renders("${n:02}", ITEM("n", "N", "99"), "99");
    assert_renders("${n:02}", ITEM("n", "N", "0"), "00");
    assert_renders("${n:01.2}", ITEM("n", "N", "0.05"), "0.05");
}

static void test_whole_template_takes_the_value_with_its_type(void **state)
{
    (void)state;
    struct template t = make("${v}");
    assert_int_equal(val_type(template_render(&arena, &t, ITEM("v", "N", "5")).value), TYPE_N);
    assert_int_equal(val_type(template_render(&arena, &t, ITEM("v", "B", "\1#")).value), TYPE_B);
    assert_renders("${v}", ITEM("v", "S", "a#b"), "a#b");
    size_t used;
    assert_slice(val_content(template_render_prefix(&arena, &t, 1, ITEM("v", "N", "5"), &used).value), "5");
}

static void test_delimiter_in_a_value_is_refused_or_escaped(void **state)
{
    (void)state;
    struct slice item = ITEM("v", "S", "a#b%c", "n", "N", "-1");
    assert_refuses("X#${v}", item, RENDER_DELIMITER, "v contains the delimiter");
    escape = true;
    assert_renders("X#${v}", item, "X#a%23b%25c");
    delimiter = SLICE("-");
    assert_renders("X-${n}", item, "X-%2D1");
    escape = false;
    assert_refuses("X-${n}", item, RENDER_DELIMITER, "n contains the delimiter");
    delimiter = SLICE("::");
    assert_renders("X::${v}", ITEM("v", "S", ":a:b"), "X:::a:b");
    /* "a:" and then "::" would come apart as "a" and ":...". */
    assert_refuses("X::${v}", ITEM("v", "S", "a:"), RENDER_DELIMITER, "v contains the delimiter");
    escape = true;
    assert_renders("X::${v}::y", ITEM("v", "S", "a:::b:"), "X::a%3A%3A:b%3A::y");
}

static void test_prefix_stops_at_the_first_hole_that_is_missing(void **state)
{
    (void)state;
    struct template t = make("A#${a}#B#${b}#C");
    size_t used = 0;
    struct rendered r = template_render_prefix(&arena, &t, t.n, ITEM("a", "S", "1"), &used);
    assert_int_equal(r.status, RENDER_MISSING);
    assert_int_equal(used, 3);
    assert_slice(val_content(r.value), "A#1#B#");
    assert_slice(r.attribute, "b");
    r = template_render_prefix(&arena, &t, 2, ITEM("a", "S", "1"), &used);
    assert_int_equal(r.status, RENDER_OK);
    assert_slice(val_content(r.value), "A#1");
}

static void test_matching(void **state)
{
    (void)state;
    struct slice v[4];
    struct template t = make("ORDER#${a}#LINE#${n:03}");
    assert_true(template_match(&arena, &t, SLICE("ORDER#o1#LINE#007"), v));
    assert_slice(v[0], "o1");
    assert_slice(v[1], "007");
    static const char *const no[] = { "", "ORDER#", "ORDER#o1", "ORDER#o1#LINE#07", "ORDER#o1#LINE#0071", "ORDER##LINE#007",
                                      "ORDER#o1#x#LINE#007", "order#o1#LINE#007", "ORDER#o1#LINE#00a" };
    for (size_t i = 0; i < sizeof no / sizeof *no; i++) assert_false(template_match(&arena, &t, slice_str(no[i]), v));
    t = make("${a}-${n:02}.json");
    assert_true(template_match(&arena, &t, SLICE("x-y-01-02.json"), v));
    assert_slice(v[0], "x-y-01");
    assert_slice(v[1], "02");
    t = make("${a:02}${b}");
    assert_true(template_match(&arena, &t, SLICE("1234"), v));
    assert_slice(v[1], "34");
    t = make("${a}");
    assert_true(template_match(&arena, &t, SLICE("a#b"), v));
    escape = true;
    t = make("A#${a}");
    assert_true(template_match(&arena, &t, SLICE("A#x%23y"), v));
    assert_slice(v[0], "x#y");
    assert_false(template_match(&arena, &t, SLICE("A#x%2"), v));
    assert_false(template_match(&arena, &t, SLICE("A#x%zz"), v));
}

/* Many literals that occur everywhere: must not take exponential time. */
static void test_matching_is_not_exponential(void **state)
{
    (void)state;
    struct slice v[40];
    char text[301];
    memset(text, 'a', 300);
    text[300] = 0;
    struct template t = make("${b}a${b}a${b}a${b}a${b}a${b}a${b}a${b}a${b}a${b}a${b}a${b}a${b}a${b}a${b}a${b}z");
    assert_false(template_match(&arena, &t, slice_str(text), v));
}

/* Random templates whose holes lie between delimiters, random values: what goes in comes out. */
static void test_what_is_rendered_comes_apart_again(void **state)
{
    (void)state;
    static const char *const delimiters[] = { "#", "::", "|", "-#-" };
    static const char letters[] = "ab#:|-%x.";
    for (int round = 0; round < repeated(20000); round++) {
        char text[128], names[4][2];
        size_t n = 0, holes = 1 + rnd(3);
        delimiter = slice_str(delimiters[rnd(4)]);
        escape = rnd(2);
        n += (size_t)snprintf(text, sizeof text, "X%.*s", SLICE_ARG(delimiter));
        struct attr attrs[4];
        for (size_t i = 0; i < holes; i++) {
            char value[8];
            size_t len = 1 + rnd(6);
            for (size_t k = 0; k < len; k++) value[k] = letters[rnd(sizeof letters - 1)];
            names[i][0] = (char)('a' + i);
            attrs[i] = (struct attr){ slice_of(names[i], 1), val_make_string(&arena, slice_of(value, len)) };
            n += (size_t)snprintf(text + n, sizeof text - n, "%.*s${%c}", i ? (int)delimiter.n : 0,
                                  (const char *)delimiter.p, names[i][0]);
        }
        struct template t = make(text);
        struct buf b;
        buf_init(&b, &arena, 1 << 20);
        val_put_map(&b, attrs, holes);
        struct rendered r = template_render(&arena, &t, buf_view(&b));
        if (r.status == RENDER_DELIMITER) {
            assert_false(escape);
            continue;
        }
        assert_int_equal(r.status, RENDER_OK);
        struct slice values[4];
        assert_true(template_match(&arena, &t, val_content(r.value), values));
        for (size_t i = 0; i < holes; i++) assert_true(slice_eq(values[i], val_content(attrs[i].value)));
        if (round % 1000 == 0) arena_reset(&arena);
    }
}

/* Does the template, with holes for texts of 1 to 3 letters, give this text (or a text that this begins)? */
static bool gives(const struct template *t, size_t parts, struct slice text, bool prefix)
{
    if (!parts) return prefix || !text.n;
    struct template first = *t;
    first.n = parts;
    struct slice v[8];
    if (t->whole) return text.n > 0;
    if (!prefix) return template_match(&arena, &first, text, v);
    for (size_t n = 0; n <= text.n; n++) {
        if (template_match(&arena, &first, slice_of(text.p, n), v)) return true;
    }
    return false;
}

static void test_meeting_agrees_with_brute_force(void **state)
{
    (void)state;
    static const char *const pieces[] = { "a", "#", "${x}", "b", "${y:01}", "1", "#a", "${z:01.1}" };
    static const char letters[] = "ab#1.";
    int met = 0, rounds = repeated(3000);
    for (int round = 0; round < rounds; round++) {
        struct template t[2];
        for (int k = 0; k < 2; k++) {
            for (;;) {
                char text[64] = "";
                size_t n = 0, count = 1 + rnd(4);
                struct problems ps;
                problems_init(&ps, &arena);
                for (size_t i = 0; i < count; i++)
                    n += (size_t)snprintf(text + n, sizeof text - n, "%s", pieces[rnd(8)]);
                if (template_parse(&ps, arena_dup(&arena, slice_of(text, n)), (struct place){ 0 }, delimiter, false, &t[k])) break;
            }
        }
        size_t parts = rnd(2) ? t[0].n : rnd(t[0].n + 1);
        bool prefix = parts < t[0].n, expected = false;
        size_t total = 1;
        for (size_t length = 1; length <= 6 && !expected; length++) {
            total *= 5;
            for (size_t number = 0; number < total && !expected; number++) {
                char text[8];
                size_t rest = number;
                for (size_t i = 0; i < length; i++, rest /= 5) text[i] = letters[rest % 5];
                struct slice s = slice_of(text, length);
                expected = gives(&t[1], t[1].n, s, false) && gives(&t[0], parts, s, prefix);
            }
        }
        bool got = template_may_meet(&t[0], parts, &t[1]);
        if (expected) assert_true(got);
        if (got && !expected) {
            /* Only where the shortest common text is longer than was tried. */
            size_t shortest = 0;
            for (size_t i = 0; i < t[1].n; i++)
                shortest += !t[1].parts[i].hole ? t[1].parts[i].text.n : t[1].parts[i].decimals ? 3 : 1;
            for (size_t i = 0; i < parts; i++)
                shortest += !t[0].parts[i].hole ? t[0].parts[i].text.n : t[0].parts[i].decimals ? 3 : 1;
            if (shortest <= 6) print_message("%.*s (%zu) and %.*s\n", SLICE_ARG(t[0].source), parts, SLICE_ARG(t[1].source));
            assert_true(shortest > 6);
        }
        met += got;
        arena_reset(&arena);
    }
    assert_in_range(met, rounds / 20, rounds * 19 / 20);
}

static void test_meeting(void **state)
{
    (void)state;
    static const struct {
        const char *a;
        size_t parts;
        const char *b;
        bool meet;
    } cases[] = {
        { "COMMENT#${a}", 9, "COMMENT#${a}#REACTION#${b}", false },
        { "COMMENT#${a}", 1, "COMMENT#${a}#REACTION#${b}", true },
        { "COMMENT#${a}#X", 2, "COMMENT#${a}#REACTION#${b}", true },
        { "ORDER#${a}", 9, "ORDER#${b}", true },
        { "ORDER#${a}", 9, "ITEM#${b}", false },
        { "ORDER#${a}", 0, "ITEM#${b}", true },
        { "#METADATA", 9, "${sk}", true },
        { "A#${n:04}", 9, "A#META", false },
        { "A#${n:04}", 9, "A#2024", true },
        { "${a}#X", 9, "Y#${b}", true },
        { "${a}#X", 9, "${b}#Y", false },
        { "ORDER#${a}", 9, "ORDER", false },
        { "ORDERS", 9, "ORDER#${a}", false },
        { "P${a}", 9, "PROFILE", true },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct template a = make(cases[i].a), b = make(cases[i].b);
        assert_int_equal(template_may_meet(&a, cases[i].parts, &b), cases[i].meet);
    }
    delimiter = SLICE("::");
    struct template a = make("A::${x}"), b = make("A::${x}::B"), c = make("A:${y}");
    assert_false(template_may_meet(&a, 9, &b));
    assert_true(template_may_meet(&a, 1, &b));
    assert_false(template_may_meet(&a, 9, &c));
}

static void test_same_shape(void **state)
{
    (void)state;
    struct template a = make("A#${x}#B"), b = make("A#${y}#B"), c = make("A#${y}#C"), d = make("A#${y}");
    assert_true(template_same_shape(&a, &b));
    assert_false(template_same_shape(&a, &c));
    assert_false(template_same_shape(&a, &d));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_parts_of_a_template, defaults),
        cmocka_unit_test_setup(test_templates_that_are_none_are_refused_with_their_place, defaults),
        cmocka_unit_test_setup(test_values_in_holes, defaults),
        cmocka_unit_test_setup(test_padding_refuses_what_does_not_fit, defaults),
        cmocka_unit_test_setup(test_whole_template_takes_the_value_with_its_type, defaults),
        cmocka_unit_test_setup(test_delimiter_in_a_value_is_refused_or_escaped, defaults),
        cmocka_unit_test_setup(test_prefix_stops_at_the_first_hole_that_is_missing, defaults),
        cmocka_unit_test_setup(test_matching, defaults),
        cmocka_unit_test_setup(test_matching_is_not_exponential, defaults),
        cmocka_unit_test_setup(test_what_is_rendered_comes_apart_again, defaults),
        cmocka_unit_test_setup(test_meeting, defaults),
        cmocka_unit_test_setup(test_meeting_agrees_with_brute_force, defaults),
        cmocka_unit_test_setup(test_same_shape, defaults),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
