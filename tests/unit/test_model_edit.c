/* test_model_edit.c: edits of a model's text: what they make of it, what they leave alone, what they refuse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "arena_fixture.h"
#include "model/edit.h"

/* ---- tables of cases ---- */

struct edit_case {
    const char *before, *edits, *after;
};

static int run(const char *text, const char *edits, struct slice *out, struct err *e)
{
    struct buf b;
    buf_init(&b, &arena, 1 << 24);
    *e = (struct err){ .arena = &arena };
    struct reporter r = { .arena = &arena, .out = &b, .err = e };
    struct model_files none = { NULL, 0 };
    struct edit_input in = { .name = SLICE("m"), .text = slice_str(text), .files = &none, .edits = slice_str(edits) };
    int rc = report_edit(&r, &in);
    *out = rc ? slice_of(NULL, 0) : JSON_GET(json_parse(&arena, buf_view(&b), 3, NULL), "text")->text;
    return rc;
}

static void assert_edits(const struct edit_case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct slice out;
        struct err e;
        if (run(cases[i].before, cases[i].edits, &out, &e))
            fail_msg("case %zu: %.*s\n%s", i, SLICE_ARG(e.message), cases[i].before);
        if (!slice_eq(out, slice_str(cases[i].after)))
            fail_msg("case %zu, %s\n--- got\n%.*s\n--- expected\n%s", i, cases[i].edits, SLICE_ARG(out), cases[i].after);
    }
}
#define ASSERT_EDITS(cases) assert_edits((cases), sizeof(cases) / sizeof *(cases))

/* after: what the message must hold. */
static void assert_refused(const struct edit_case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct slice out;
        struct err e;
        if (!run(cases[i].before, cases[i].edits, &out, &e)) fail_msg("case %zu was made:\n%.*s", i, SLICE_ARG(out));
        if (!memmem(e.message.p, e.message.n, cases[i].after, strlen(cases[i].after)))
            fail_msg("case %zu: \"%.*s\" does not hold \"%s\"", i, SLICE_ARG(e.message), cases[i].after);
    }
}
#define ASSERT_REFUSED(cases) assert_refused((cases), sizeof(cases) / sizeof *(cases))

/* One set or remove. */
#define SET(path, value) "[{\"Op\":\"set\",\"Path\":" path ",\"Value\":" value "}]"
#define REMOVE(path)     "[{\"Op\":\"remove\",\"Path\":" path "}]"
#define EMPTY_MODEL      "onefold: 1\ntable: my-table\nkeys: { hash: PK, sort: SK }\n"

static void test_a_scalar_is_replaced_in_place(void **state)
{
    (void)state;
    static const struct edit_case cases[] = {
        { "a: 1 # one\nb: 2\n", SET("[\"a\"]", "5"), "a: 5 # one\nb: 2\n" },
        { "a: 'x' # one\n", SET("[\"a\"]", "\"it's\""), "a: it's # one\n" },
        { "a: {b: 1, c: 2} # c\n", SET("[\"a\",\"b\"]", "\"x, y\""), "a: {b: \"x, y\", c: 2} # c\n" },
        { "a:\nb: 1\n", SET("[\"a\"]", "true"), "a: true\nb: 1\n" },
        { "a: # why\nb: 1\n", SET("[\"a\"]", "true"), "a: true # why\nb: 1\n" },
        { "a: |\n  one\n  two\n\n# c\nb: 1\n", SET("[\"a\"]", "\"x\""), "a: x\n\n# c\nb: 1\n" },
        { "a: one\n  two # c\nb: 1\n", SET("[\"a\"]", "\"x\""), "a: x # c\nb: 1\n" },
        { "l:\n  - 1 # a\n  - 2 # b\n", SET("[\"l\",\"1\"]", "3"), "l:\n  - 1 # a\n  - 3 # b\n" },
        { "l: [a, b, c]\n", SET("[\"l\",1]", "\"x\""), "l: [a, x, c]\n" },
        { "a: 1\n", SET("[\"a\"]", "1"), "a: 1\n" },
        { "a: {x: 1}   # odd\n", SET("[\"a\"]", "{\"x\":1}"), "a: {x: 1}   # odd\n" },
        { "\xef\xbb\xbf" "a: 1\nb: 2\n", SET("[\"b\"]", "3"), "\xef\xbb\xbf" "a: 1\nb: 3\n" },
        { "\xc3\xa4: \xf0\x9f\x98\x80 # \xc3\xb6\nb: 2 # \xe2\x82\xac\n", SET("[\"b\"]", "3"),
          "\xc3\xa4: \xf0\x9f\x98\x80 # \xc3\xb6\nb: 3 # \xe2\x82\xac\n" },
    };
    ASSERT_EDITS(cases);
}

static void test_text_is_quoted_where_yaml_needs_it(void **state)
{
    (void)state;
    static const char *const values[][2] = {
        { "\"plain text, with [brackets]\"", "plain text, with [brackets]" },
        { "\"true\"", "\"true\"" }, { "\"1.5\"", "\"1.5\"" }, { "\"007\"", "007" }, { "\"null\"", "\"null\"" },
        { "\"\"", "\"\"" }, { "\"- x\"", "\"- x\"" }, { "\"-30d\"", "-30d" }, { "\"a: b\"", "\"a: b\"" },
        { "\"a #b\"", "\"a #b\"" }, { "\"a#b\"", "a#b" }, { "\"#a\"", "\"#a\"" }, { "\"x \"", "\"x \"" },
        { "\"ORDER#${orderId}\"", "\"ORDER#${orderId}\"" }, { "\"$from\"", "$from" }, { "\"a\\nb\\tc\"", "\"a\\nb\\tc\"" },
        { "\"say \\\"x\\\\\"", "say \"x\\" }, { "\"\\u0000\\u007f\\u0085\\u2028\\ufeff\"", "\"\\u0000\\u007f\\u0085\\u2028\\ufeff\"" },
        { "\"gr\xc3\xbc\xc3\x9f\"", "gr\xc3\xbc\xc3\x9f" }, { "\"*a\"", "\"*a\"" }, { "\"it's\"", "it's" }, { "\"a:\"", "\"a:\"" },
        { "\"--- x\"", "\"--- x\"" }, { "null", "null" }, { "1.50", "1.50" }, { "[]", "[]" }, { "{}", "{}" },
        { "{\"a b\":[\"x:y\",\"a,b\",\"$x\"],\"c:d\":{\"e\":false}}", "{ a b: [\"x:y\", \"a,b\", $x], \"c:d\": { e: false } }" },
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct edit_case c = { "a: 1\n", (const char *)arena_printf(&arena, SET("[\"a\"]", "%s"), values[i][0]).p,
                               (const char *)arena_printf(&arena, "a: %s\n", values[i][1]).p };
        struct edit_case json = { "{\"a\": 1}", c.edits, "" };
        struct slice out;
        struct err e;
        assert_edits(&c, 1);
        /* In JSON it is that JSON, up to how it is spaced. */
        if (run(json.before, json.edits, &out, &e)) fail_msg("%s: %.*s", values[i][0], SLICE_ARG(e.message));
        const struct json *read = json_parse(&arena, out, 8, NULL);
        assert_non_null(read);
        assert_true(tree_equal(tree_of_json(&arena, JSON_GET(read, "a")),
                               tree_of_json(&arena, json_parse(&arena, slice_str(values[i][0]), 8, NULL))));
    }
}

static void test_values_have_the_style_of_the_house(void **state)
{
    (void)state;
    static const struct edit_case cases[] = {
        { EMPTY_MODEL,
          SET("[\"entities\",\"Order\"]",
              "{\"about\":\"What was bought.\",\"key\":{\"PK\":\"ORDER#${orderId}\",\"SK\":\"#METADATA\"},"
              "\"attributes\":{\"orderId\":{\"type\":\"string\",\"generate\":\"ulid\"},\"note\":\"string\"}}"),
          EMPTY_MODEL "\nentities:\n  Order:\n    about: What was bought.\n"
                      "    key: { PK: \"ORDER#${orderId}\", SK: \"#METADATA\" }\n    attributes:\n"
                      "      orderId: { type: string, generate: ulid }\n      note: string\n" },
        { EMPTY_MODEL "entities: {}\n", SET("[\"entities\",\"A\",\"attributes\",\"id\"]", "{\"type\":\"string\",\"required\":true}"),
          EMPTY_MODEL "entities:\n  A:\n    attributes:\n      id: { type: string, required: true }\n" },
        { EMPTY_MODEL "entities: # all\n", SET("[\"entities\",\"A\",\"unique\",\"-\"]", "\"x\""),
          EMPTY_MODEL "entities: # all\n  A:\n    unique: [x]\n" },
        { EMPTY_MODEL "\nentities:\n  A:\n    key: x\n    # of A\n\ndata: d.yaml\n",
          SET("[\"patterns\",\"p\"]", "{\"of\":\"A\",\"by\":[\"id\"],\"limit\":20}"),
          EMPTY_MODEL "\nentities:\n  A:\n    key: x\n    # of A\n\npatterns:\n  p:\n    of: A\n    by: [id]\n    limit: 20\n\n"
                      "data: d.yaml\n" },
        { "onefold: 1\npatterns:\n  q: { of: A }\n", SET("[\"patterns\",\"p\"]", "{\"of\":\"B\",\"by\":[\"id\"]}"),
          "onefold: 1\npatterns:\n  q: { of: A }\n  p: { of: B, by: [id] }\n" },
        { EMPTY_MODEL, SET("[\"indexes\",\"GSI1\"]", "{\"hash\":\"GSI1PK\",\"sort\":\"GSI1SK\"}"),
          EMPTY_MODEL "indexes:\n  GSI1: { hash: GSI1PK, sort: GSI1SK }\n" },
        { "entities:\n  A:\n    key: { PK: x }\n    attributes:\n      a: string\n", SET("[\"entities\",\"A\",\"index\",\"G\"]", "{\"P\":\"y\"}"),
          "entities:\n  A:\n    key: { PK: x }\n    index:\n      G: { P: y }\n    attributes:\n      a: string\n" },
        { "entities:\n  A:\n    key: x\n", SET("[\"entities\",\"A\",\"copies\",\"-\"]", "{\"key\":{\"PK\":\"x\"},\"only\":[\"a\",\"b\"]}"),
          "entities:\n  A:\n    key: x\n    copies:\n      - { key: { PK: x }, only: [a, b] }\n" },
        { "entities:\n  A:\n    copies:\n      - { key: k }\n",
          SET("[\"entities\",\"A\",\"copies\",1]", "{\"name\":\"ofTheOtherCustomer\",\"key\":{\"pk\":\"CUSTOMER#${customerId}\",\"sk\":"
              "\"ORDER#${orderId}\"},\"only\":[\"orderId\",\"status\",\"total\"]}"),
          "entities:\n  A:\n    copies:\n      - { key: k }\n      - name: ofTheOtherCustomer\n"
          "        key: { pk: \"CUSTOMER#${customerId}\", sk: \"ORDER#${orderId}\" }\n        only: [orderId, status, total]\n" },
    };
    ASSERT_EDITS(cases);
}

static void test_lines_and_brackets_give_way_to_each_other(void **state)
{
    (void)state;
    static const struct edit_case cases[] = {
        { "a: # c\n  # d\n  x: 1\n  y: 2 # e\nb: 1\n", SET("[\"a\"]", "[1]"), "a: [1] # c\nb: 1\n" },
        { "entities: 1 # c\nb: 1\n", SET("[\"entities\"]", "{\"A\":{\"key\":\"x\"}}"), "entities: # c\n  A:\n    key: x\nb: 1\n" },
        { "entities:\n    # first\n    A: {}\nb: 1\n", SET("[\"entities\"]", "{\"B\":{\"key\":\"x\"}}"),
          "entities:\n    # first\n    B:\n      key: x\nb: 1\n" },
        { "silence:\n- a\n- b\nb: 1\n", SET("[\"silence\"]", "[{\"rule\":\"x\"}]"), "silence:\n- { rule: x }\nb: 1\n" },
        { "indexes:\n- a # x\nb: 1\n", SET("[\"indexes\"]", "{\"G\":{\"hash\":\"x\"}}"), "indexes:\n  G: { hash: x } # x\nb: 1\n" },
        { "l:\n  - a: 1 # x\n    b: 2\n  - 3\n", SET("[\"l\",0]", "{\"c\":3}"), "l:\n  - { c: 3 }\n  - 3\n" },
        { "l:\n  - a: 1\n    b: 2\n", SET("[\"l\",0,\"c\"]", "{\"d\":4}"), "l:\n  - a: 1\n    b: 2\n    c: { d: 4 }\n" },
        { "a: { x: 1 }\n", SET("[\"a\",\"y\",\"z\"]", "2"), "a: { x: 1, y: { z: 2 } }\n" },
        { "a: { x: }\n", SET("[\"a\",\"x\",\"z\"]", "2"), "a: { x: { z: 2 } }\n" },
    };
    ASSERT_EDITS(cases);
}

static void test_json_stays_json(void **state)
{
    (void)state;
    static const struct edit_case cases[] = {
        { "{\"a\": {}}", SET("[\"a\",\"b\"]", "{\"c\":\"x\"}"), "{\"a\": { \"b\": { \"c\": \"x\" } }}" },
        { "{\n  \"a\": 1\n}\n", SET("[\"b\"]", "[true,\"x\"]"), "{\n  \"a\": 1,\n  \"b\": [true, \"x\"]\n}\n" },
        { "{\n  \"a\": 1,\n  \"b\": 2\n}\n", REMOVE("[\"b\"]"), "{\n  \"a\": 1\n}\n" },
        { "{\n  \"a\": 1,\n  \"b\": 2\n}\n", REMOVE("[\"a\"]"), "{\n  \"b\": 2\n}\n" },
        { "{\"a\": 1, \"b\": [1, 2, 3]}", REMOVE("[\"b\",2]"), "{\"a\": 1, \"b\": [1, 2]}" },
        { "{\"onefold\": 1, \"data\": 2}", SET("[\"table\"]", "\"t\""), "{\"onefold\": 1, \"table\": \"t\", \"data\": 2}" },
        { "{\n  \"onefold\": 1,\n  \"data\": 2\n}", SET("[\"table\"]", "\"t\""), "{\n  \"onefold\": 1,\n  \"table\": \"t\",\n  \"data\": 2\n}" },
    };
    ASSERT_EDITS(cases);
}

static void test_whole_lines_are_removed(void **state)
{
    (void)state;
    static const struct edit_case cases[] = {
        { "a: 1\n# of b\nb: 2 # x\n\n# of c\nc: 3\n", REMOVE("[\"b\"]"), "a: 1\n\n# of c\nc: 3\n" },
        { "# file\na: 1\nb: 2\n", REMOVE("[\"a\"]"), "# file\nb: 2\n" },
        { "# file\n\n# of a\na: 1\nb: 2\n", REMOVE("[\"a\"]"), "# file\n\nb: 2\n" },
        { "e:\n  A:\n    k: 1\n    # end of A\n  # of B\n  B: 1\n", REMOVE("[\"e\",\"A\"]"), "e:\n  # of B\n  B: 1\n" },
        { "e:\n  A:\n    x:\n      y: 1\nb: 1\n", REMOVE("[\"e\",\"A\",\"x\",\"y\"]"), "b: 1\n" },
        { "a: 1\n\ne:\n  A: 1\n\nb: 1\n", REMOVE("[\"e\",\"A\"]"), "a: 1\n\nb: 1\n" },
        { "a: 1\n\nb: 1\n", REMOVE("[\"b\"]"), "a: 1\n" },
        { "b: 1\nl: [1]", REMOVE("[\"l\",0]"), "b: 1" },
        { "a: 1\nb: 2", REMOVE("[\"b\"]"), "a: 1" },
        { "a: 1\r\nb: 2\r\nc: 3\r\n", REMOVE("[\"b\"]"), "a: 1\r\nc: 3\r\n" },
        { "l:\n  - 1\n  # two\n  - 2\n  - 3\n", REMOVE("[\"l\",1]"), "l:\n  - 1\n  - 3\n" },
        { "l:\n  - a: 1\n    b: 2\n  - 3\n", REMOVE("[\"l\",0,\"a\"]"), "l:\n  - b: 2\n  - 3\n" },
        { "l:\n  - a: 1\n    b: 2\n  - 3\n", REMOVE("[\"l\",0]"), "l:\n  - 3\n" },
        { "a: { x: 1, y: 2, z: 3 } # c\n", REMOVE("[\"a\",\"x\"]"), "a: { y: 2, z: 3 } # c\n" },
        { "a: { x: 1, y: 2, z: 3 } # c\n", REMOVE("[\"a\",\"y\"]"), "a: { x: 1, z: 3 } # c\n" },
        { "a: { x: 1, y: 2, z: 3 } # c\n", REMOVE("[\"a\",\"z\"]"), "a: { x: 1, y: 2 } # c\n" },
        { "a: {\n  x: 1, # of x\n  y: 2, # of y\n  z: 3 # of z\n}\n", REMOVE("[\"a\",\"z\"]"), "a: {\n  x: 1, # of x\n  y: 2 # of y\n}\n" },
        { "a: {\n  x: 1, # of x\n  y: 2, # of y\n  z: 3 # of z\n}\n", REMOVE("[\"a\",\"y\"]"), "a: {\n  x: 1, # of x\n  z: 3 # of z\n}\n" },
        { "a: 1\nt: |\n  x\n\n  y\n\nb: 2\n", REMOVE("[\"t\"]"), "a: 1\n\nb: 2\n" },
    };
    ASSERT_EDITS(cases);
}

static void test_line_ends_stay_as_they_are(void **state)
{
    (void)state;
    static const struct edit_case cases[] = {
        { "onefold: 1\r\ndata: d\r\n", SET("[\"entities\",\"A\",\"key\"]", "\"x\""),
          "onefold: 1\r\n\r\nentities:\r\n  A:\r\n    key: x\r\ndata: d\r\n" },
        { "a: 1", SET("[\"b\"]", "2"), "a: 1\nb: 2" },
        { "---\na: 1\n...\n", SET("[\"b\"]", "2"), "---\na: 1\nb: 2\n...\n" },
        { "a:\n        deep:\n                x: 1\n", SET("[\"a\",\"deep\",\"y\"]", "2"), "a:\n        deep:\n                x: 1\n                y: 2\n" },
    };
    ASSERT_EDITS(cases);
}

static void test_edits_are_made_one_after_the_other(void **state)
{
    (void)state;
    static const struct edit_case cases[] = {
        { EMPTY_MODEL, "[]", EMPTY_MODEL },
        { EMPTY_MODEL,
          "[{\"Op\":\"set\",\"Path\":[\"entities\",\"A\",\"key\"],\"Value\":{\"PK\":\"A\"}},"
          "{\"Op\":\"set\",\"Path\":[\"entities\",\"A\",\"attributes\",\"x\"],\"Value\":\"string\"},"
          "{\"Op\":\"set\",\"Path\":[\"entities\",\"A\",\"attributes\",\"y\"],\"Value\":\"number\"},"
          "{\"Op\":\"remove\",\"Path\":[\"entities\",\"A\",\"attributes\",\"x\"]}]",
          EMPTY_MODEL "\nentities:\n  A:\n    key: { PK: A }\n    attributes:\n      y: number\n" },
    };
    ASSERT_EDITS(cases);
}

static void test_what_cannot_be_done_safely_is_refused(void **state)
{
    (void)state;
    static const struct edit_case cases[] = {
        { "a: &x { k: 1 }\nb: *x\n", SET("[\"b\",\"k\"]", "2"), "alias" },
        { "a: &x { k: 1 }\nb: *x\n", SET("[\"a\",\"k\"]", "2"), "by hand at line 1" },
        { "a: &x 1\nb: *x\n", SET("[\"a\"]", "2"), "by hand at line 1" },
        { "a: &x 1\nb: *x\n", REMOVE("[\"a\"]"), "by hand at line 1" },
        { "a: 1\n", SET("[\"a\",\"b\"]", "2"), "a is text" },
        { "a: [1]\n", SET("[\"a\",\"5\"]", "2"), "a is a list of 1" },
        { "a: [1]\n", SET("[\"a\",\"x\"]", "2"), "a is a list of 1" },
        { "a: 1\n", REMOVE("[\"b\",\"c\"]"), "has no b" },
        { "a: 1\n", REMOVE("[\"a\"]"), "cannot be removed" },
        { "a: 1\n", SET("[]", "2"), "Path is empty" },
        { "a: 1\n", SET("[\"b\"]", "{\"x\":1,\"x\":2}"), "by hand" },
        { "a: [1\n", SET("[\"a\"]", "2"), "m:" },
        { "- 1\n", SET("[\"a\"]", "2"), "not a map" },
        { "a: 1\n", "{}", "must be a list" },
        { "a: 1\n", "[5]", "an object with Op" },
        { "a: 1\n", "[{\"Op\":\"put\"}]", "Op must be" },
        { "a: 1\n", "[{\"Op\":\"set\",\"Path\":[\"a\"]}]", "Value must be there" },
        { "a: 1\n", "[{\"Op\":\"set\",\"Path\":\"a\",\"Value\":1}]", "Path must be a list" },
        { "a: 1\n", "[{\"Op\":\"remove\",\"Path\":[\"a\"],\"Value\":1}]", "has no member Value" },
        { EMPTY_MODEL, "[{\"Op\":\"accept\",\"Pattern\":\"p\",\"Proposal\":0}]", "once the model has no problems" },
    };
    ASSERT_REFUSED(cases);
    /* An alias itself may give way to a value, and an anchor that nobody uses to another. */
    static const struct edit_case made[] = {
        { "a: &x { k: 1 }\nb: *x # c\n", SET("[\"b\"]", "2"), "a: &x { k: 1 }\nb: 2 # c\n" },
        { "a: &x 1 # c\n", SET("[\"a\"]", "2"), "a: 2 # c\n" },
        { "a: &x 1\nb: *x\nc: 2\n", REMOVE("[\"b\"]"), "a: &x 1\nc: 2\n" },
    };
    ASSERT_EDITS(made);
}

#define SHOP                                                                                                                     \
    "onefold: 1\ntable: shop\nindexes:\n  GS1: { hash: P1, sort: S1, project: [note, status] } # one\nttl: gone\nentities:\n"          \
    "  Order: # what is bought\n    key: { PK: \"ORDER#${id}\", SK: 'ORDER' }\n    index:\n"                                        \
    "      GS1: { P1: \"STATUS#${status}#$${status}\", S1: \"${seq:08}#${statusOf}\", shards: { of: P1, by: status, count: 4 } }\n"      \
    "    copies:\n      - { key: { PK: \"S#${status}\", SK: \"${id}\" }, only: [status, note] }\n"                                     \
    "    unique: [note, [status, id]]\n    attributes:\n      id: string\n"                                                          \
    "      status: { enum: [status, open], required: true, about: the status } # status\n      seq: { type: number, required: true }\n"  \
    "      statusOf: { type: string, required: true }\n      note: { type: string, required: true }\n      gone: { type: number, format: epoch }\n"  \
    "  Other: { key: { PK: \"OTHER#${id}\", SK: \"${status}\" }, attributes: { id: string, status: string } }\npatterns:\n"               \
    "  Order: { of: Order, by: { status: $status, seq: 1 }, index: GS1 }\n  q: { of: [Order], across: [status], order: ascending }\n"       \
    "  r: { of: Other, by: [id, status] }\n  s: { collection: Order, by: [id] }\n"                                                    \
    "silence:\n  - { rule: hot-partition, on: Other, reason: x }\n  - { rule: hot-partition, on: Order, reason: x }\n"

/* Each line of the table: a path, the new name, and what SHOP becomes by replacing pieces of text, in pairs. */
struct rename_case {
    const char *path, *to, *pieces[24];
};

static struct slice replaced(struct slice text, const char *from, const char *to)
{
    const uint8_t *at = memmem(text.p, text.n, from, strlen(from));
    if (!at) fail_msg("there is no %s", from);
    size_t head = (size_t)(at - text.p), tail = head + strlen(from);
    return arena_printf(&arena, "%.*s%s%.*s", (int)head, (const char *)text.p, to, (int)(text.n - tail), (const char *)text.p + tail);
}

static void test_a_name_is_changed_wherever_it_is_used(void **state)
{
    (void)state;
    static const struct rename_case cases[] = {
        { "[\"entities\",\"Order\"]", "Purchase",
          { "Order: # what", "Purchase: # what", "of: Order, by", "of: Purchase, by", "of: [Order]", "of: [Purchase]", "collection: Order",
            "collection: Purchase" } },
        { "[\"entities\",\"Other\"]", "Another", { "Other:", "Another:", "of: Other", "of: Another", "on: Other", "on: Another" } },
        { "[\"entities\",\"Order\",\"attributes\",\"status\"]", "state",
          { "STATUS#${status}#$${status}", "STATUS#${state}#$${status}", "by: status, count", "by: state, count", "S#${status}", "S#${state}",
            "only: [status", "only: [state", "[status, id]", "[state, id]", "status: { enum", "state: { enum", "by: { status: $status",
            "by: { state: $status", "across: [status]", "across: [state]" } },
        { "[\"entities\",\"Order\",\"attributes\",\"gone\"]", "expires", { "ttl: gone", "ttl: expires", "gone: {", "expires: {" } },
        { "[\"entities\",\"Order\",\"attributes\",\"note\"]", "remark",
          { "project: [note", "project: [remark", ", note] }\n    unique: [note", ", remark] }\n    unique: [remark", "note: {", "remark: {" } },
        { "[\"indexes\",\"GS1\"]", "byStatus", { "GS1: { hash", "byStatus: { hash", "GS1: { P1", "byStatus: { P1", "index: GS1", "index: byStatus" } },
        { "[\"patterns\",\"q\"]", "questions", { "  q:", "  questions:" } },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct slice after = slice_str(SHOP);
        for (const char *const *p = cases[i].pieces; *p; p += 2) after = replaced(after, p[0], p[1]);
        struct edit_case c = { SHOP, (const char *)arena_printf(&arena, "[{\"Op\":\"rename\",\"Path\":%s,\"To\":\"%s\"}]", cases[i].path, cases[i].to).p,
                               (const char *)after.p };
        assert_edits(&c, 1);
    }
}

static void test_a_name_that_cannot_be_is_refused(void **state)
{
    (void)state;
#define RENAME(path, to) "[{\"Op\":\"rename\",\"Path\":" path ",\"To\":\"" to "\"}]"
    static const struct edit_case cases[] = {
        { SHOP, RENAME("[\"entities\",\"Order\",\"attributes\",\"seq\"]", "a}b"), "a}b does not do as its name: m:" },
        { SHOP, RENAME("[\"entities\",\"Order\"]", "Other"), "there is a Other already" },
        { SHOP, RENAME("[\"entities\",\"Orders\"]", "X"), "has no entities.Orders" },
        { SHOP, RENAME("[\"table\"]", "X"), "only entities" },
        { SHOP, RENAME("[\"entities\",\"Order\",\"key\"]", "X"), "only entities" },
        { SHOP, RENAME("[\"entities\",\"Order\",\"attributes\",\"seq\"]", "P1"), "P1 is a key attribute" },
        { SHOP, RENAME("[\"entities\",\"Order\",\"attributes\",\"seq\"]", "entity_type"), "entity_type" },
    };
    ASSERT_REFUSED(cases);
}

#define RELATE(from, to, kind) "[{\"Op\":\"relate\",\"From\":\"" from "\",\"To\":\"" to "\",\"Kind\":\"" kind "\"}]"
#define PEOPLE                                                                                                                   \
    "onefold: 1\ntable: shop\nentities:\n  Customer:\n    key: { PK: \"CUST#${customerId}\", SK: \"#METADATA\" }\n    attributes:\n" \
    "      customerId: { type: string, required: true }\n"
#define THINGS                                                                                                                   \
    "  Thing: # any\n    key: { PK: \"THING#${id}\", SK: THING }\n    attributes:\n      id: { type: string, generate: ulid }\n"

static void test_entities_are_related(void **state)
{
    (void)state;
    static const struct edit_case cases[] = {
        { PEOPLE THINGS, RELATE("Customer", "Thing", "one-to-many"),
          PEOPLE THINGS "      customerId: { type: string, required: true }\n\npatterns:\n  thingsOfCustomer:\n    of: Thing\n"
                        "    by: [customerId]\n" },
        { PEOPLE THINGS, RELATE("Thing", "Customer", "one-to-many"),
          PEOPLE "      thingId: { type: string, format: ulid, required: true }\n" THINGS
                 "\npatterns:\n  customersOfThing:\n    of: Customer\n    by: [thingId]\n" },
        /* What is there already is not made again. */
        { PEOPLE "  Thing: { key: { PK: \"T#${id}\", SK: T }, attributes: { id: string, customerId: string } }\npatterns:\n"
                 "  mine: { of: Thing, by: { customerId: $me } } # mine\n",
          RELATE("Customer", "Thing", "one-to-many"),
          PEOPLE "  Thing: { key: { PK: \"T#${id}\", SK: T }, attributes: { id: string, customerId: string } }\npatterns:\n"
                 "  mine: { of: Thing, by: { customerId: $me } } # mine\n" },
        { PEOPLE THINGS, RELATE("Customer", "Thing", "many-to-many"),
          "onefold: 1\ntable: shop\nindexes:\n  GSI1: { hash: GSI1PK, sort: GSI1SK }\nentities:\n  Customer:\n"
          "    key: { PK: \"CUST#${customerId}\", SK: \"#METADATA\" }\n    attributes:\n"
          "      customerId: { type: string, required: true }\n" THINGS
          "  CustomerThing:\n    key: { PK: \"CUST#${customerId}\", SK: \"THING#${thingId}\" }\n    index:\n"
          "      GSI1: { GSI1PK: \"THING#${thingId}\", GSI1SK: \"CUST#${customerId}\" }\n    attributes:\n"
          "      customerId: { type: string, required: true }\n      thingId: { type: string, format: ulid, required: true }\n\npatterns:\n"
          "  thingsOfCustomer:\n    of: CustomerThing\n    by: [customerId]\n  customersOfThing:\n    of: CustomerThing\n    by: [thingId]\n" },
        /* Where a copy of the things lies under such keys already, its own name keeps it apart. */
        { PEOPLE "  Thing: { key: { PK: \"T#${id}\", SK: T }, attributes: { id: string, customerId: string },\n"
                 "    copies: [{ key: { PK: \"CUST#${customerId}\", SK: \"T#${id}\" } }] }\nindexes: { GSX: { hash: X, sort: Y } }\n",
          RELATE("Customer", "Thing", "many-to-many"),
          PEOPLE "  Thing: { key: { PK: \"T#${id}\", SK: T }, attributes: { id: string, customerId: string },\n"
                 "    copies: [{ key: { PK: \"CUST#${customerId}\", SK: \"T#${id}\" } }] }\n"
                 "  CustomerThing:\n    key: { PK: \"CUST#${customerId}\", SK: \"CUSTOMERTHING#${thingId}\" }\n    index:\n"
                 "      GSX: { X: \"T#${thingId}\", Y: \"CUST#${customerId}\" }\n    attributes:\n"
                 "      customerId: { type: string, required: true }\n      thingId: { type: string, required: true }\n"
                 "indexes: { GSX: { hash: X, sort: Y } }\n\npatterns:\n"
                 "  thingsOfCustomer:\n    of: CustomerThing\n    by: [customerId]\n  customersOfThing:\n    of: CustomerThing\n    by: [thingId]\n" },
        /* Half a model will do for one-to-many. */
        { "entities:\n  A: { key: { PK: \"A#${aId}\" } }\n  B: {}\n", RELATE("A", "B", "one-to-many"),
          "entities:\n  A: { key: { PK: \"A#${aId}\" } }\n  B: { attributes: { aId: { type: string, required: true } } }\n\npatterns:\n"
          "  bsOfA:\n    of: B\n    by: [aId]\n" },
    };
    ASSERT_EDITS(cases);
    static const struct edit_case refused[] = {
        { PEOPLE, RELATE("Customer", "Customer", "one-to-many"), "itself" },
        { PEOPLE, RELATE("Customer", "Nobody", "one-to-many"), "no entity Nobody" },
        { PEOPLE, RELATE("Nobody", "Customer", "one-to-many"), "no entity Nobody" },
        { PEOPLE THINGS, RELATE("Customer", "Thing", "some"), "Kind must be" },
        { PEOPLE "  B: {}\n", RELATE("B", "Customer", "one-to-many"), "B has no attribute in its key" },
        { PEOPLE "  B: {}\n", RELATE("Customer", "B", "many-to-many"), "B has no attribute in its key" },
        { PEOPLE "  Line: { key: { PK: \"CUST#${customerId}\", SK: \"LINE#${line}\" }, attributes: { customerId: string, line: string } }\n",
          RELATE("Customer", "Line", "many-to-many"), "one-to-many" },
        { PEOPLE THINGS "  CustomerThing: {}\n", RELATE("Customer", "Thing", "many-to-many"), "already" },
    };
    ASSERT_REFUSED(refused);
}

static void test_a_proposal_is_accepted(void **state)
{
    (void)state;
    static const char before[] =
        "onefold: 1\ntable: shop # ours\nentities:\n  Order:\n    key: { PK: \"ORDER#${id}\", SK: ORDER }\n    attributes:\n"
        "      id: string\n      status: { type: string, required: true }\npatterns:\n  byStatus: { of: Order, by: [status] }\n";
    static const char accept[] = "[{\"Op\":\"accept\",\"Pattern\":\"byStatus\",\"Proposal\":%d}]";
    struct slice out;
    struct err e;
    assert_int_equal(run(before, (const char *)arena_printf(&arena, accept, 0).p, &out, &e), 0);
    static const char index[] = "table: shop # ours\nindexes:\n  GSI1: { hash: GSI1PK, sort: GSI1SK }\nentities:";
    assert_true(memmem(out.p, out.n, index, sizeof index - 1));
    struct edit_case refused[] = {
        { before, (const char *)arena_printf(&arena, accept, 99).p, "there is no 99" },
        { (const char *)arena_printf(&arena, "%.*s", SLICE_ARG(out)).p, (const char *)arena_printf(&arena, accept, 0).p, "answered already" },
        { before, "[{\"Op\":\"accept\",\"Pattern\":\"byStatu\",\"Proposal\":0}]", "did you mean byStatus?" },
        { before, "[{\"Op\":\"accept\",\"Pattern\":\"byStatus\",\"Proposal\":-1}]", "whole number" },
    };
    ASSERT_REFUSED(refused);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_scalar_is_replaced_in_place),
        cmocka_unit_test(test_text_is_quoted_where_yaml_needs_it),
        cmocka_unit_test(test_values_have_the_style_of_the_house),
        cmocka_unit_test(test_lines_and_brackets_give_way_to_each_other),
        cmocka_unit_test(test_json_stays_json),
        cmocka_unit_test(test_whole_lines_are_removed),
        cmocka_unit_test(test_line_ends_stay_as_they_are),
        cmocka_unit_test(test_edits_are_made_one_after_the_other),
        cmocka_unit_test(test_what_cannot_be_done_safely_is_refused),
        cmocka_unit_test(test_a_name_is_changed_wherever_it_is_used),
        cmocka_unit_test(test_a_name_that_cannot_be_is_refused),
        cmocka_unit_test(test_entities_are_related),
        cmocka_unit_test(test_a_proposal_is_accepted),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
