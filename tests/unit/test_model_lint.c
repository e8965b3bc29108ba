/* test_model_lint.c: each rule of lint: one model that triggers it and one, close to it, that does not; silencing. */
#include "report_fixture.h"

#define HEAD "onefold: 1\ntable: shop\n"
#define GSI1 "indexes: { GSI1: { hash: GSI1PK, sort: GSI1SK } }\n"
#define ID(name) name ": { type: string, required: true }"
/* A neighbour, so that an entity of interest is not lonely. */
#define CUSTOMER "  Customer: { key: { PK: \"CUSTOMER#${customerId}\", SK: PROFILE }, attributes: { " ID("customerId") " } }\n"
#define ORDER(rest) \
    "  Order:\n    key: { PK: \"CUSTOMER#${customerId}\", SK: \"ORDER#${orderId}\" }\n" rest
#define ORDER_ATTRIBUTES(rest) "    attributes: { " ID("customerId") ", " ID("orderId") rest " }\n"
#define ONE_ORDER "  order: { of: Order, by: [customerId, orderId] }\n"

static const struct rule_case {
    const char *rule, *on;
    const char *bad, *good;
    const char *bad_data, *good_data; /* NULL: none */
} cases[] = {
    { "prefix-mixed", "Order",
      HEAD "entities:\n" CUSTOMER
           "  Order: { key: { PK: \"CUST#${customerId}\", SK: \"ORDER#${orderId}\" }, attributes: { " ID("customerId")
           ", " ID("orderId") " } }\n",
      HEAD "entities:\n" CUSTOMER ORDER(ORDER_ATTRIBUTES("")), NULL, NULL },
    { "prefix-mixed", "Note",
      HEAD "entities:\n" CUSTOMER
           "  Note: { key: { PK: \"Customer#${customerId}\", SK: \"NOTE#${noteId}\" }, attributes: { " ID("customerId")
           ", " ID("noteId") " } }\n",
      HEAD "entities:\n" CUSTOMER
           "  Note: { key: { PK: \"CUSTOMER#${customerId}\", SK: \"NOTE#${noteId}\" }, attributes: { " ID("customerId")
           ", " ID("noteId") " } }\n", NULL, NULL },
    { "keys-clash", "Note",
      HEAD "entities:\n" CUSTOMER ORDER(ORDER_ATTRIBUTES(""))
           "  Note: { key: { PK: \"CUSTOMER#${customerId}\", SK: \"ORDER#${noteId}\" }, attributes: { " ID("customerId")
           ", " ID("noteId") " } }\n",
      HEAD "entities:\n" CUSTOMER ORDER(ORDER_ATTRIBUTES(""))
           "  Note: { key: { PK: \"CUSTOMER#${customerId}\", SK: \"ORDER#${orderId}#NOTE#${noteId}\" }, attributes: { "
           ID("customerId") ", " ID("orderId") ", " ID("noteId") " } }\n", NULL, NULL },
    /* Copies of two of one entity under one key. */
    { "keys-clash", "Read",
      HEAD "entities:\n  Read: { key: { PK: \"DEVICE#${device}\", SK: \"READ#${n:04}\" }, copies: [ { key: { PK: "
           "\"TENANT#${tenant}\", SK: \"READ#${n:04}\" } } ], attributes: { " ID("device") ", " ID("tenant")
           ", n: { type: number, required: true } } }\n",
      HEAD "entities:\n  Read: { key: { PK: \"DEVICE#${device}\", SK: \"READ#${n:04}\" }, copies: [ { key: { PK: "
           "\"TENANT#${tenant}\", SK: \"READ#${n:04}#${device}\" } } ], attributes: { " ID("device") ", " ID("tenant")
           ", n: { type: number, required: true } } }\n", NULL, NULL },
    { "keys-clash", "Read",
      HEAD "entities:\n  Read: { key: { PK: \"DEVICE#${device}\", SK: \"READ#${id}\" }, copies: [ { key: { PK: "
           "\"ID#${id}\", SK: READ } } ], attributes: { " ID("device") ", " ID("id") " } }\n",
      HEAD "entities:\n  Read: { key: { PK: \"DEVICE#${device}\", SK: \"READ#${id}\" }, copies: [ { key: { PK: "
           "\"ID#${id}\", SK: READ } } ], attributes: { " ID("device") ", id: { generate: ulid } } }\n", NULL, NULL },
    { "keys-clash", "Read",
      HEAD "entities:\n  Read: { key: { PK: \"DEVICE#${device}\", SK: \"READ#${id}\" }, copies: [ { key: { PK: "
           "\"ID#${id}\", SK: READ } } ], attributes: { " ID("device") ", " ID("id") " } }\n",
      HEAD "entities:\n  Read: { key: { PK: \"DEVICE#${device}\", SK: \"READ#${id}\" }, copies: [ { key: { PK: "
           "\"ID#${id}\", SK: READ } } ], unique: [id], attributes: { " ID("device") ", " ID("id") " } }\n", NULL, NULL },
    /* An edge whose other end looks as an edge the other way round does. */
    { "keys-clash", "Follow",
      HEAD "entities:\n  Follow: { key: { PK: \"USER#${who}\", SK: \"FOLLOW#${whom}\" }, copies: [ { key: { PK: "
           "\"USER#${whom}\", SK: \"FOLLOW#${who}\" } } ], attributes: { " ID("who") ", " ID("whom") " } }\n",
      HEAD "entities:\n  Follow: { key: { PK: \"USER#${who}\", SK: \"FOLLOW#${whom}\" }, copies: [ { key: { PK: "
           "\"USER#${whom}\", SK: \"FOLLOWER#${who}\" } } ], attributes: { " ID("who") ", " ID("whom") " } }\n", NULL, NULL },
    { "needs-scan", "byTotal",
      HEAD "entities:\n" ORDER(ORDER_ATTRIBUTES(", total: number"))
           "patterns:\n  byTotal: { of: Order, by: [total], limit: 10 }\n",
      HEAD "entities:\n" ORDER(ORDER_ATTRIBUTES(", total: number")) "patterns:\n" ONE_ORDER, NULL, NULL },
    { "filter-on-key", "open",
      HEAD "entities:\n  Order: { key: { PK: \"C#${customerId}\", SK: \"ORDER#${day}#${orderId}\" }, attributes: { "
           ID("customerId") ", " ID("orderId") ", day: { type: string, format: date, required: true } } }\n"
           "patterns:\n  open: { of: Order, by: [customerId], filter: [day], limit: 10 }\n",
      HEAD "entities:\n  Order: { key: { PK: \"C#${customerId}\", SK: \"ORDER#${day}#${orderId}\" }, attributes: { "
           ID("customerId") ", " ID("orderId") ", day: { type: string, format: date, required: true } } }\n"
           "patterns:\n  open: { of: Order, by: [customerId, day], limit: 10 }\n", NULL, NULL },
    { "filter-on-key", "open",
      HEAD "keys: { hash: customerId, sort: day }\n"
           "entities:\n  Order: { key: {}, attributes: { " ID("customerId")
           ", day: { type: string, format: date, required: true } } }\n"
           "patterns:\n  open: { of: Order, by: [customerId], filter: [day], limit: 10 }\n",
      HEAD "keys: { hash: customerId, sort: day }\n"
           "entities:\n  Order: { key: {}, attributes: { " ID("customerId")
           ", day: { type: string, format: date, required: true }, total: number } }\n"
           "patterns:\n  open: { of: Order, by: [customerId], filter: [total], limit: 10 }\n", NULL, NULL },
    { "prefixed-value", "first",
      HEAD "entities:\n" ORDER(ORDER_ATTRIBUTES(""))
           "patterns:\n  first: { of: Order, by: { customerId: $customerId, orderId: \"ORDER#1\" } }\n",
      HEAD "entities:\n" ORDER(ORDER_ATTRIBUTES(""))
           "patterns:\n  first: { of: Order, by: { customerId: $customerId, orderId: \"1\" } }\n", NULL, NULL },
    { "prefixed-value", "Order",
      HEAD "data: data.yaml\nentities:\n" ORDER(ORDER_ATTRIBUTES("")),
      HEAD "data: data.yaml\nentities:\n" ORDER(ORDER_ATTRIBUTES("")),
      "Order:\n  - { customerId: c1, orderId: \"ORDER#1\" }\n", "Order:\n  - { customerId: c1, orderId: \"1\" }\n" },
    { "sort-unpadded", "Line",
      HEAD "entities:\n  Line: { key: { PK: \"ORDER#${orderId}\", SK: \"LINE#${seq}\" }, attributes: { " ID("orderId")
           ", seq: { type: number, required: true } } }\n",
      HEAD "entities:\n  Line: { key: { PK: \"ORDER#${orderId}\", SK: \"LINE#${seq:04}\" }, attributes: { " ID("orderId")
           ", seq: { type: number, required: true } } }\n", NULL, NULL },
    { "sort-date", "Log",
      HEAD "entities:\n  Log: { key: { PK: \"C#${c}\", SK: \"LOG#${writtenAt}\" }, attributes: { " ID("c") ", "
           ID("writtenAt") " } }\n",
      HEAD "entities:\n  Log: { key: { PK: \"C#${c}\", SK: \"LOG#${writtenAt}\" }, attributes: { " ID("c")
           ", writtenAt: { type: string, format: date-time, required: true } } }\n", NULL, NULL },
    { "sort-date", "Log",
      HEAD "data: data.yaml\nentities:\n  Log: { key: { PK: \"C#${c}\", SK: \"LOG#${w}\" }, attributes: { " ID("c") ", "
           ID("w") " } }\n",
      HEAD "data: data.yaml\nentities:\n  Log: { key: { PK: \"C#${c}\", SK: \"LOG#${w}\" }, attributes: { " ID("c") ", "
           ID("w") " } }\n",
      "Log:\n  - { c: c1, w: 10/05/2026 }\n", "Log:\n  - { c: c1, w: \"2026-05-10\" }\n" },
    { "mutable-key", "Order",
      HEAD "entities:\n  Order: { key: { PK: \"C#${c}\", SK: \"ORDER#${status}#${id}\" }, attributes: { " ID("c") ", "
           ID("id") ", status: { enum: [open, done], required: true } } }\n",
      HEAD "entities:\n  Order: { key: { PK: \"C#${c}\", SK: \"ORDER#${status}#${id}\" }, attributes: { " ID("c") ", "
           ID("id") ", status: { enum: [open, done], required: true, readOnly: true } } }\n", NULL, NULL },
    { "hot-partition", "Order",
      HEAD GSI1 "entities:\n" ORDER("    index: { GSI1: { GSI1PK: \"STATUS#${status}\", GSI1SK: \"${orderId}\" } }\n"
                                    ORDER_ATTRIBUTES(", status: { enum: [open, done] }")),
      HEAD GSI1 "entities:\n"
           ORDER("    index: { GSI1: { GSI1PK: \"STATUS#${status}\", GSI1SK: \"${orderId}\", "
                 "shards: { of: GSI1PK, by: orderId, count: 10 } } }\n"
                 ORDER_ATTRIBUTES(", status: { enum: [open, done] }")), NULL, NULL },
    { "hot-partition", "Post",
      HEAD "entities:\n  Post: { key: { PK: \"GLOBAL#POSTS\", SK: \"${id}\" }, attributes: { " ID("id") " } }\n",
      HEAD "entities:\n  Settings: { key: { PK: \"GLOBAL\", SK: SETTINGS }, attributes: { mode: string } }\n", NULL,
      NULL },
    { "unused-index", "GSI1",
      HEAD GSI1 "entities:\n" ORDER("    index: { GSI1: { GSI1PK: \"O#${orderId}\", GSI1SK: A } }\n"
                                    ORDER_ATTRIBUTES("")) "patterns:\n" ONE_ORDER,
      HEAD GSI1 "entities:\n" ORDER("    index: { GSI1: { GSI1PK: \"O#${orderId}\", GSI1SK: A } }\n"
                                    ORDER_ATTRIBUTES(""))
           "patterns:\n  byId: { of: Order, by: [orderId], expect: { items: 1 } }\n", NULL, NULL },
    { "many-indexes", "GSI2",
      HEAD "indexes: { GSI1: { hash: A, sort: B }, GSI2: { hash: C, sort: D } }\nentities:\n"
           ORDER("    index: { GSI1: { A: \"O#${orderId}\", B: X } }\n" ORDER_ATTRIBUTES(""))
           "  Note: { key: { PK: \"CUSTOMER#${customerId}\", SK: \"NOTE#${noteId}\" }, index: { GSI2: { C: \"N#${noteId}\", "
           "D: X } }, attributes: { " ID("customerId") ", " ID("noteId") " } }\n",
      HEAD "indexes: { GSI1: { hash: A, sort: B }, GSI2: { hash: C, sort: D } }\nentities:\n"
           ORDER("    index: { GSI1: { A: \"O#${orderId}\", B: X }, GSI2: { C: \"P#${orderId}\", D: X } }\n"
                 ORDER_ATTRIBUTES(""))
           "  Note: { key: { PK: \"CUSTOMER#${customerId}\", SK: \"NOTE#${noteId}\" }, index: { GSI2: { C: \"N#${noteId}\", "
           "D: X } }, attributes: { " ID("customerId") ", " ID("noteId") " } }\n", NULL, NULL },
    { "many-indexes", "shop",
      HEAD "indexes: { AA1: { hash: a }, AA2: { hash: b }, AA3: { hash: c }, AA4: { hash: d }, AA5: { hash: e }, AA6: { hash: "
           "f } }\nentities:\n"
           ORDER("    index: { AA1: {}, AA2: {}, AA3: {}, AA4: {}, AA5: {}, AA6: {} }\n"
                 ORDER_ATTRIBUTES(", a: string, b: string, c: string, d: string, e: string, f: string")),
      HEAD "indexes: { AA1: { hash: a }, AA2: { hash: b }, AA3: { hash: c }, AA4: { hash: d }, AA5: { hash: e } }\nentities:\n"
           ORDER("    index: { AA1: {}, AA2: {}, AA3: {}, AA4: {}, AA5: {} }\n"
                 ORDER_ATTRIBUTES(", a: string, b: string, c: string, d: string, e: string")), NULL, NULL },
    { "projection-all", "GSI1",
      HEAD GSI1 "entities:\n" ORDER("    index: { GSI1: { GSI1PK: \"O#${orderId}\", GSI1SK: A } }\n"
                                    ORDER_ATTRIBUTES(""))
           "  Note: { key: { PK: \"CUSTOMER#${customerId}\", SK: \"NOTE#${noteId}\" }, index: { GSI1: { GSI1PK: "
           "\"N#${noteId}\", GSI1SK: X } }, attributes: { " ID("customerId") ", " ID("noteId") " } }\n"
           "patterns:\n  byId: { of: Order, by: [orderId], expect: { items: 1 } }\n",
      HEAD GSI1 "entities:\n" ORDER("    index: { GSI1: { GSI1PK: \"O#${orderId}\", GSI1SK: A } }\n"
                                    ORDER_ATTRIBUTES(""))
           "  Note: { key: { PK: \"CUSTOMER#${customerId}\", SK: \"NOTE#${noteId}\" }, attributes: { " ID("customerId")
           ", " ID("noteId") " } }\n"
           "patterns:\n  byId: { of: Order, by: [orderId], expect: { items: 1 } }\n", NULL, NULL },
    { "unbounded-read", "orders",
      HEAD "entities:\n" ORDER(ORDER_ATTRIBUTES("")) "patterns:\n  orders: { of: Order, by: [customerId] }\n",
      HEAD "entities:\n" ORDER(ORDER_ATTRIBUTES("")) "patterns:\n  orders: { of: Order, by: [customerId], limit: 20 }\n",
      NULL, NULL },
    { "unbounded-read", "orders",
      HEAD "entities:\n" ORDER(ORDER_ATTRIBUTES(""))
           "patterns:\n  orders: { of: Order, by: [customerId], expect: { items: 5000 } }\n",
      HEAD "entities:\n" ORDER(ORDER_ATTRIBUTES(""))
           "patterns:\n  orders: { of: Order, by: [customerId], expect: { items: 10 } }\n", NULL, NULL },
    { "item-size", "Order",
      HEAD "entities:\n" ORDER("    expect: { bytes: 390000 }\n" ORDER_ATTRIBUTES("")),
      HEAD "entities:\n" ORDER("    expect: { bytes: 39000 }\n" ORDER_ATTRIBUTES("")), NULL, NULL },
    { "item-size", "Order",
      HEAD "entities:\n" ORDER(ORDER_ATTRIBUTES(", text: { type: string, max: 400000 }")),
      HEAD "entities:\n" ORDER(ORDER_ATTRIBUTES(", text: { type: string, max: 4000 }")), NULL, NULL },
    { "lonely-entity", "Audit",
      HEAD "entities:\n" CUSTOMER ORDER(ORDER_ATTRIBUTES(""))
           "  Audit: { key: { PK: \"AUDIT#${auditId}\", SK: EVENT }, attributes: { " ID("auditId") " } }\n",
      HEAD "entities:\n" CUSTOMER ORDER(ORDER_ATTRIBUTES(""))
           "  Audit: { key: { PK: \"CUSTOMER#${customerId}\", SK: \"AUDIT#${auditId}\" }, attributes: { " ID("customerId")
           ", " ID("auditId") " } }\n", NULL, NULL },
    { "escape-order", "Tag",
      HEAD "escape: percent\nentities:\n  Tag: { key: { PK: \"P#${p}\", SK: \"TAG#${tag}\" }, attributes: { " ID("p") ", "
           ID("tag") " } }\n",
      HEAD "entities:\n  Tag: { key: { PK: \"P#${p}\", SK: \"TAG#${tag}\" }, attributes: { " ID("p") ", " ID("tag")
           " } }\n", NULL, NULL },
    { "escape-order", "Tag",
      HEAD "escape: percent\nentities:\n  Tag: { key: { PK: \"P#${p}\", SK: \"TAG#${tag}\" }, attributes: { " ID("p") ", "
           ID("tag") " } }\n",
      HEAD "escape: percent\nentities:\n  Tag: { key: { PK: \"P#${p}\", SK: \"TAG#${tag}\" }, attributes: { " ID("p")
           ", tag: { type: string, generate: ulid } } }\n", NULL, NULL },
    { "range-shared", "comments",
      HEAD "entities:\n"
           "  Comment: { key: { PK: \"POST#${p}\", SK: \"COMMENT#${c}\" }, attributes: { " ID("p") ", " ID("c") " } }\n"
           "  Reaction: { key: { PK: \"POST#${p}\", SK: \"COMMENT#${c}#REACTION#${r}\" }, attributes: { " ID("p") ", "
           ID("c") ", " ID("r") " } }\n"
           "patterns:\n  comments: { of: Comment, by: [p], limit: 10 }\n",
      HEAD "entities:\n"
           "  Comment: { key: { PK: \"POST#${p}\", SK: \"COMMENT#${c}\" }, attributes: { " ID("p") ", " ID("c") " } }\n"
           "  Reaction: { key: { PK: \"POST#${p}\", SK: \"REACTION#${c}#${r}\" }, attributes: { " ID("p") ", "
           ID("c") ", " ID("r") " } }\n"
           "patterns:\n  comments: { of: Comment, by: [p], limit: 10 }\n", NULL, NULL },
    { "data-wrong", "shop",
      HEAD "data: data.yaml\nentities:\n" ORDER(ORDER_ATTRIBUTES("")),
      HEAD "data: data.yaml\nentities:\n" ORDER(ORDER_ATTRIBUTES("")),
      "Order:\n  - { customerId: c1 }\n", "Order:\n  - { customerId: c1, orderId: o1 }\n" },
    { "silence-unused", "orders",
      HEAD "silence: [{ rule: unbounded-read, on: orders, reason: small }]\nentities:\n" ORDER(ORDER_ATTRIBUTES(""))
           "patterns:\n  orders: { of: Order, by: [customerId], limit: 20 }\n",
      HEAD "silence: [{ rule: unbounded-read, on: orders, reason: small }]\nentities:\n" ORDER(ORDER_ATTRIBUTES(""))
           "patterns:\n  orders: { of: Order, by: [customerId] }\n", NULL, NULL },
};
#define N_CASES (sizeof cases / sizeof *cases)

static const struct json *lint(const char *text, const char *data)
{
    if (data) read_model_with(text, data);
    else read_model(text);
    struct reporter r = reporter();
    return report_json(report_lint(&r));
}

static const struct json *finding(const struct json *report, const char *rule, const char *on)
{
    for (const struct json *f = JSON_GET(report, "findings")->first; f; f = f->next) {
        if (slice_eq(JSON_GET(f, "rule")->text, slice_str(rule)) && slice_eq(JSON_GET(f, "on")->text, slice_str(on))) {
            return f;
        }
    }
    return NULL;
}

static void test_each_rule_finds_what_it_is_for_and_nothing_else(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_CASES; i++) {
        const struct rule_case *c = &cases[i];
        const struct json *f = finding(lint(c->bad, c->bad_data), c->rule, c->on);
        if (!f) fail_msg("case %zu: %s does not find %s: %s", i, c->rule, c->on, (const char *)report_buf.p);
        if (number_at(f, "line") < 1) fail_msg("case %zu: %s has no place", i, c->rule);
        if (!JSON_GET(f, "hint")->text.n) fail_msg("case %zu: %s does not say what to do", i, c->rule);
        f = finding(lint(c->good, c->good_data), c->rule, c->on);
        if (f) fail_msg("case %zu: %s: false alarm: %.*s", i, c->rule, SLICE_ARG(JSON_GET(f, "message")->text));
    }
}

static void test_every_rule_has_a_case_and_a_page(void **state)
{
    (void)state;
    size_t n = 0;
    for (; lint_rule_id(n); n++) {
        size_t i = 0;
        while (i < N_CASES && strcmp(cases[i].rule, lint_rule_id(n)) != 0) i++;
        if (i == N_CASES) fail_msg("no case for %s", lint_rule_id(n));
        char path[256];
        snprintf(path, sizeof path, "%s/docs/lint/%s.md", SOURCE_ROOT, lint_rule_id(n));
        if (access(path, R_OK)) fail_msg("no page %s", path);
    }
    assert_true(n > 15);
}

static void test_a_clean_model_has_no_findings(void **state)
{
    (void)state;
    const struct json *r = lint(HEAD "entities:\n" CUSTOMER ORDER(ORDER_ATTRIBUTES(", total: number"))
                                "patterns:\n" ONE_ORDER "  orders: { of: Order, by: [customerId], limit: 20 }\n", NULL);
    if (JSON_GET(r, "findings")->count) fail_msg("%s", (const char *)report_buf.p);
    assert_number(r, "silenced", 0);
}

static void test_a_silence_counts_what_it_hides(void **state)
{
    (void)state;
    static const char body[] = "entities:\n" ORDER(ORDER_ATTRIBUTES(""))
        "patterns:\n  orders: { of: Order, by: [customerId] }\n  all: { collection: Order, by: [customerId] }\n";
    struct slice text = arena_printf(&arena, HEAD "silence: [{ rule: unbounded-read, on: orders, reason: r }]\n%s", body);
    const struct json *r = lint((const char *)text.p, NULL);
    assert_number(r, "silenced", 1);
    assert_null(finding(r, "unbounded-read", "orders"));
    assert_non_null(finding(r, "unbounded-read", "all"));
    text = arena_printf(&arena, HEAD "silence: [{ rule: unbounded-read, reason: r }]\n%s", body);
    r = lint((const char *)text.p, NULL);
    assert_number(r, "silenced", 2);
    assert_int_equal(JSON_GET(r, "findings")->count, 0);
}

static void test_a_silence_of_no_rule_is_told(void **state)
{
    (void)state;
    lint(HEAD "silence: [{ rule: no-such, reason: r }]\nentities:\n" CUSTOMER, NULL);
    assert_holds((const char *)report_buf.p, "there is no rule no-such");
}

static void test_hints_hold_what_to_write(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_CASES; i++) {
        const struct json *f = finding(lint(cases[i].bad, cases[i].bad_data), cases[i].rule, cases[i].on);
        const char *hint = (const char *)arena_printf(&arena, "%.*s", SLICE_ARG(JSON_GET(f, "hint")->text)).p;
        if (!strcmp(cases[i].rule, "hot-partition") && !strcmp(cases[i].on, "Order")) {
            assert_holds(hint, "GSI1: { ..., shards: { of: GSI1PK, by: customerId, count: 10 } }");
        }
        if (!strcmp(cases[i].rule, "sort-unpadded")) assert_holds(hint, "${seq:06}");
        if (!strcmp(cases[i].rule, "prefixed-value")) assert_holds(hint, "write \"1\"");
    }
}

/* An attribute of the entity's own cannot be spread: check refuses it, so no hint asks for it. */
static void test_no_hint_asks_for_what_check_refuses(void **state)
{
    (void)state;
    const struct json *f = finding(lint(HEAD "indexes: { REGIONS: { hash: region, sort: id } }\nentities:\n"
                                             "  Note: { key: { PK: \"NOTE#${id}\", SK: NOTE }, index: { REGIONS: {} }, "
                                             "attributes: { " ID("id") ", region: { enum: [eu, us] } } }\n", NULL),
                                   "hot-partition", "Note");
    assert_non_null(f);
    const char *hint = (const char *)arena_printf(&arena, "%.*s", SLICE_ARG(JSON_GET(f, "hint")->text)).p;
    assert_holds(hint, "region is the attribute itself and cannot be spread: give the key a name of its own");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_rule_finds_what_it_is_for_and_nothing_else),
        cmocka_unit_test(test_every_rule_has_a_case_and_a_page),
        cmocka_unit_test(test_a_clean_model_has_no_findings),
        cmocka_unit_test(test_a_silence_counts_what_it_hides),
        cmocka_unit_test(test_a_silence_of_no_rule_is_told),
        cmocka_unit_test(test_hints_hold_what_to_write),
        cmocka_unit_test(test_no_hint_asks_for_what_check_refuses),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
