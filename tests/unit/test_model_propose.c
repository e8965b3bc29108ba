/* test_model_propose.c: proposals: which are made, what they say, that each works, and that edits
 * keep the file's style. */
#include "plan_fixture.h"
#include "model/edit_text.h"

static const struct proposal *find(const struct plan *p, enum proposal_kind kind)
{
    for (size_t i = 0; i < p->n_proposals; i++) {
        if (p->proposals[i].kind == kind) return &p->proposals[i];
    }
    return NULL;
}

/* Each changed text is a model that answers the pattern, and what it says is how. */
static void assert_all_work(const struct plan *p)
{
    assert_true(p->n_proposals > 0);
    for (size_t i = 0; i < p->n_proposals; i++) {
        const struct proposal *x = &p->proposals[i];
        struct problems ps;
        problems_init(&ps, &arena);
        struct model *m = model_read(&ps, SLICE("changed.yaml"), x->model);
        assert_non_null(m);
        struct plan now;
        struct err e = { .arena = &arena };
        assert_int_equal(plan_make(&arena, m, model_pattern(m, p->pattern->name), false, &now, &e),
                         0);
        assert_int_not_equal(now.kind, PLAN_NONE);
        assert_true(slice_eq(now.key_condition, x->plan->key_condition));
        assert_true(x->writes.n && x->storage.n && x->backfill.n && x->text.n && x->yaml.n);
        if (i) assert_true(p->proposals[i - 1].kind <= x->kind);
        model_free(m);
    }
}

static void test_seed_000_orders_by_status_in_the_last_30_days(void **state)
{
    (void)state;
    struct model *m = model_of(SEED_000_TOP "  byStatus: { of: Order, by: [status], where: { "
                                            "createdAt: { since: -30d } }, order: newest }\n");
    struct plan *p = plan_with(m, "byStatus", true);
    assert_int_equal(p->kind, PLAN_NONE);
    assert_contains(p->reason, "needs status in a hash key");
    assert_contains(p->reason, "GSI1 of Order has GSI1PK = CUST#${customerId}");
    assert_all_work(p);
    assert_null(find(p, PROPOSE_INDEX_ENTRY)); /* Order uses GSI1 already */
    const struct proposal *index = find(p, PROPOSE_NEW_INDEX);
    assert_non_null(index);
    assert_slice(
        index->yaml,
        "indexes:\n  GSI2: { hash: GSI2PK, sort: GSI2SK }\nentities:\n  Order:\n    index:\n"
        "      GSI2: { GSI2PK: \"STATUS#${status}\", GSI2SK: \"ORDER#${createdAt}#${orderId}\" "
        "}\n");
    assert_slice(index->plan->index_name, "GSI2");
    assert_slice(index->plan->key_condition,
                 "GSI2PK = STATUS#<status>, GSI2SK >= ORDER#<-30d> within ORDER#");
    assert_contains(
        index->model,
        "  GSI1: { hash: GSI1PK, sort: GSI1SK }\n  GSI2: { hash: GSI2PK, sort: GSI2SK }\n");
    assert_contains(index->text, "sparse");
    assert_contains(index->backfill, "every Order");
    const struct proposal *copy = find(p, PROPOSE_COPY);
    assert_non_null(copy);
    assert_slice(copy->plan->key_condition,
                 "PK = STATUS#<status>, SK >= ORDER#<-30d> within ORDER#");
    assert_contains(copy->yaml, "copies:\n      - { key: { PK: \"STATUS#${status}\"");
    model_free(m);
}

static void test_a_free_slot_comes_before_a_new_index(void **state)
{
    (void)state;
    struct model *m =
        model_of(SEED_000_TOP "  byPrice: { of: Product, where: { price: { atMost: $most } } }\n");
    struct plan *p = plan_with(m, "byPrice", true);
    assert_all_work(p);
    assert_int_equal(p->proposals[0].kind, PROPOSE_INDEX_ENTRY);
    assert_contains(p->proposals[0].text, "GSI1");
    assert_contains(p->proposals[0].text, "shards");
    assert_contains(p->proposals[0].yaml,
                    "GSI1: { GSI1PK: \"PRODUCT\", GSI1SK: \"PRODUCT#${price:012.2}#${sku}\" }");
    assert_contains(p->proposals[0].model,
                    "    key: { PK: \"PRODUCT#${sku}\", SK: METADATA }\n    index:\n      GSI1: {");
    model_free(m);
}

static void test_an_enum_that_is_missing_is_fanned_out_over(void **state)
{
    (void)state;
    struct model *m = model_of(SEED_003("") "  recent:\n    of: Order\n    order: newest\n");
    struct plan *p = plan_with(m, "recent", true);
    assert_all_work(p);
    assert_int_equal(p->proposals[0].kind, PROPOSE_ACROSS);
    assert_slice(p->proposals[0].plan->operation, "Query x 5");
    assert_contains(p->proposals[0].model, "    across: [status]\n    order: newest\n");
    assert_contains(p->proposals[0].writes, "5 Queries");
    model_free(m);
}

static void test_a_sort_key_with_its_parts_in_another_order(void **state)
{
    (void)state;
    struct model *m =
        model_of("onefold: 1\ntable: ttt\nentities:\n"
                 "  Order:\n    key: { PK: \"USER#${user}\", SK: 'ORDER#${id}' }\n"
                 "    expect: { items: 1000000, bytes: 1500 }\n    rate: { put: 10/s }\n"
                 "    attributes: { user: string, id: { generate: ulid }, status: { enum: [a, b], "
                 "required: true } }\n"
                 "patterns: # questions\n"
                 "  mine: { of: Order, by: [user] }\n"
                 "  byStatus: { of: Order, by: [user, status], order: newest }\n");
    struct plan *p = plan_with(m, "byStatus", true);
    assert_all_work(p);
    const struct proposal *x = find(p, PROPOSE_SORT_KEY);
    assert_non_null(x);
    assert_contains(x->model, "SK: \"ORDER#${status}#${id}\" }\n");
    assert_contains(x->text, "a change of it is then a delete and a put");
    assert_contains(
        x->backfill,
        "all 1,000,000 Order items deleted and put under its new key: 4,000,000 write units");
    assert_contains(find(p, PROPOSE_NEW_INDEX)->storage, "1.5 GB");
    assert_contains(find(p, PROPOSE_NEW_INDEX)->writes, "20 more write units a second");
    const struct proposal *f = find(p, PROPOSE_FILTER);
    assert_non_null(f);
    assert_contains(f->yaml, "filter: { status: $status }");
    assert_contains(f->model, "patterns: # questions\n  mine: { of: Order, by: [user] }\n  "
                              "byStatus: { of: Order, by: { user: $user }, filter: {");
    model_free(m);
}

/* What needs no quotes in a block may need them in the one line of the proposal. */
static void test_a_filter_keeps_the_other_words_of_a_pattern(void **state)
{
    (void)state;
    struct model *m = model_of("onefold: 1\ntable: ttt\nentities:\n"
                               "  Order:\n    key: { PK: \"USER#${user}\", SK: 'ORDER#${id}' }\n"
                               "    attributes: { user: string, id: string, note: string }\n"
                               "patterns:\n  noted:\n    about: Orders, with a note [any]\n"
                               "    of: Order\n    by: [user, note]\n    limit: 5\n"
                               "    expect:\n      items: 20\n      bytes: 100\n    rate: 5/s\n");
    struct plan *p = plan_with(m, "noted", true);
    assert_all_work(p);
    const struct proposal *f = find(p, PROPOSE_FILTER);
    assert_non_null(f);
    assert_contains(f->model, "  noted:\n    of: Order\n    by: { user: $user }\n    filter: { note: $note }\n"
                              "    about: Orders, with a note [any]\n    limit: 5\n    expect: { items: 20, bytes: 100 }\n"
                              "    rate: 5/s\n");
    assert_contains(f->yaml, "about: \"Orders, with a note [any]\", limit: 5, expect: { items: 20, bytes: 100 }, rate: 5/s }");
    model_free(m);
}

static void test_a_proposal_that_breaks_another_pattern_is_not_made(void **state)
{
    (void)state;
    struct model *m = model_of("onefold: 1\ntable: ttt\nentities:\n"
                               "  Order:\n    key: { PK: \"USER#${user}\", SK: \"ORDER#${id}\" }\n"
                               "    attributes: { user: string, id: { generate: ulid }, status: { "
                               "enum: [a, b], required: true } }\n"
                               "patterns:\n"
                               "  latest: { of: Order, by: [user], order: newest }\n"
                               "  byStatus: { of: Order, by: [user, status], order: newest }\n");
    struct plan *p = plan_with(m, "byStatus", true);
    assert_all_work(p);
    assert_null(find(p, PROPOSE_SORT_KEY)); /* latest would go by status */
    model_free(m);
}

static void test_a_model_in_json_stays_json(void **state)
{
    (void)state;
    struct model *m =
        model_of("{\n  \"onefold\": 1,\n  \"table\": \"ttt\",\n  \"entities\": {\n    \"E\": {\n"
                 "      \"key\": { \"PK\": \"E#${id}\", \"SK\": \"M\" },\n"
                 "      \"attributes\": { \"id\": \"string\", \"owner\": { \"required\": true } "
                 "}\n    }\n  },\n"
                 "  \"patterns\": { \"mine\": { \"of\": \"E\", \"by\": [\"owner\"] } }\n}\n");
    struct plan *p = plan_with(m, "mine", true);
    assert_all_work(p);
    for (size_t i = 0; i < p->n_proposals; i++) {
        assert_non_null(json_parse(&arena, p->proposals[i].model, 32, NULL));
    }
    assert_non_null(find(p, PROPOSE_NEW_INDEX));
    assert_non_null(find(p, PROPOSE_COPY));
    model_free(m);
}

/* What was a good entity before is one after a proposal: no key that is always made needs what may be missing. */
static void test_an_optional_attribute_stays_optional(void **state)
{
    (void)state;
    struct model *m = model_of("onefold: 1\ntable: ttt\nentities:\n"
                               "  E:\n    key: { PK: \"U#${user}\", SK: \"E#${id}\" }\n    attributes: { user: "
                               "string, id: string, day: { format: date } }\n"
                               "  F:\n    key: { PK: \"U#${user}\", SK: \"F#${id}\" }\n    attributes: { user: "
                               "string, id: string, day: { format: date, required: true } }\n"
                               "patterns:\n  e: { of: E, by: [user], where: { day: { since: $d } } }\n"
                               "  f: { of: F, by: [user], where: { day: { since: $d } } }\n");
    struct plan *p = plan_with(m, "e", true);
    assert_all_work(p);
    assert_null(find(p, PROPOSE_SORT_KEY));
    assert_contains(find(p, PROPOSE_COPY)->yaml, "sparse: true }");
    p = plan_with(m, "f", true);
    assert_contains(find(p, PROPOSE_SORT_KEY)->text, "a change of it is then a delete and a put");
    assert_null(strstr((const char *)arena_printf(&arena, "%.*s", SLICE_ARG(find(p, PROPOSE_COPY)->yaml)).p, "sparse"));
    model_free(m);
}

static void test_a_missing_entity_is_brought_to_the_others(void **state)
{
    (void)state;
    struct model *m = model_of("onefold: 1\ntable: ttt\nentities:\n"
                               "  User:\n    key: { PK: \"USER#${user}\", SK: PROFILE }\n    "
                               "attributes: { user: string }\n"
                               "  Order:\n    key: { PK: \"ORDER#${id}\", SK: M }\n    attributes: "
                               "{ user: { required: true }, id: { generate: ulid } }\n"
                               "patterns:\n  both: { of: [User, Order], by: [user] }\n");
    struct plan *p = plan_with(m, "both", true);
    assert_contains(p->reason, "needs Order in the same partition as User");
    assert_all_work(p);
    assert_int_equal(p->proposals[0].kind, PROPOSE_COPY);
    assert_contains(p->proposals[0].yaml, "{ key: { PK: \"USER#${user}\", SK: \"ORDER#${id}\" } }");
    assert_contains(p->proposals[0].writes, "every write of Order");
    model_free(m);
}

/* ---- edits ---- */

static const struct node *parse(const char *text)
{
    struct problems ps;
    problems_init(&ps, &arena);
    const struct node *n = node_read(&ps, SLICE("x"), slice_str(text));
    assert_non_null(n);
    return n;
}

static void assert_nested(const char *text, const char *expected)
{
    struct edits e;
    const struct node *root = parse(text);
    edits_init(&e, &arena, slice_str(text), root);
    edit_nested(&e, NODE_GET(root, "a"), SLICE("m"), SLICE("new"), SLICE("{ x: 1 }"));
    struct slice out = edits_apply(&e);
    assert_slice(out, expected);
    assert_non_null(NODE_GET(NODE_GET(NODE_GET(parse(expected), "a"), "m"), "new"));
}

static void test_members_are_added_in_the_style_of_the_file(void **state)
{
    (void)state;
    assert_nested("a:\n  m:\n    old: 1\nz: 1\n",
                  "a:\n  m:\n    old: 1\n    new: { x: 1 }\nz: 1\n");
    assert_nested("a:\n  k: 1\n\n# more\nz: 1\n",
                  "a:\n  k: 1\n  m:\n    new: { x: 1 }\n\n# more\nz: 1\n");
    assert_nested("a:\n  m: {}\n", "a:\n  m: { new: { x: 1 } }\n");
    assert_nested("a:\n  m: { old: '}' } # }\n", "a:\n  m: { old: '}', new: { x: 1 } } # }\n");
    assert_nested("a: { k: 1 }\n", "a: { k: 1, m: { new: { x: 1 } } }\n");
    assert_nested("a: {\n  m: {\n    old: [1, 2],\n  }\n}\n",
                  "a: {\n  m: {\n    old: [1, 2],\n    new: { x: 1 }\n  }\n}\n");
    assert_nested("a:\n    m:\n        # first\n        \xc3\xa4\xc3\xb6: {\n          deep: 1 }",
                  "a:\n    m:\n        # first\n        \xc3\xa4\xc3\xb6: {\n          deep: 1 }\n "
                  "       new: { x: 1 }");
    assert_nested("a:\n  m:\n    old: 1\n    text: |\n      one\n\n      two\n",
                  "a:\n  m:\n    old: 1\n    text: |\n      one\n\n      two\n    new: { x: 1 }\n");
    assert_nested("a:\r\n  m:\r\n    old: 1\r\nz: 1\r\n",
                  "a:\r\n  m:\r\n    old: 1\r\n    new: { x: 1 }\r\nz: 1\r\n");
}

static void assert_element(const char *text, const char *expected)
{
    struct edits e;
    const struct node *root = parse(text);
    edits_init(&e, &arena, slice_str(text), root);
    edit_element(&e, root, SLICE("l"), SLICE("{ x: 1 }"));
    assert_slice(edits_apply(&e), expected);
    parse(expected);
}

static void test_elements_are_added_in_the_style_of_the_file(void **state)
{
    (void)state;
    assert_element("l: [1]\n", "l: [1, { x: 1 }]\n");
    assert_element("l: []\n", "l: [{ x: 1 }]\n");
    assert_element("l:\n  - 1\n  - k: 2\n    m: 3\nz: 1\n",
                   "l:\n  - 1\n  - k: 2\n    m: 3\n  - { x: 1 }\nz: 1\n");
    assert_element("l:\n- 1\n- 2\nz: 1\n", "l:\n- 1\n- 2\n- { x: 1 }\nz: 1\n");
    assert_element("z: 1\n", "z: 1\nl:\n  - { x: 1 }\n");
}

static void test_a_member_is_replaced_whole(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "p:\n  a: { x: \"}\" } # c\n  b: 1\n", "p:\n  a: NEW # c\n  b: 1\n" },
        { "p:\n  a:\n    x: 1\n    y:\n    - 2\n  b: 1\n", "p:\n  a: NEW\n  b: 1\n" },
        { "p: { \"a\": { x: 1 }, b: 1 }\n", "p: { \"a\": NEW, b: 1 }\n" },
    };
    for (size_t i = 0; i < 3; i++) {
        struct edits e;
        const struct node *root = parse(cases[i][0]);
        edits_init(&e, &arena, slice_str(cases[i][0]), root);
        edit_put(&e, NODE_GET(root, "p"), NODE_GET(NODE_GET(root, "p"), "a"), edit_inline(SLICE("NEW")));
        assert_slice(edits_apply(&e), cases[i][1]);
    }
}

/* A model with sample data of these totals. */
static struct model *model_with_totals(const char *totals, struct model_file *file)
{
    static const char text[] = "onefold: 1\ntable: ttt\nindexes: { GSI1: { hash: GSI1PK, sort: GSI1SK } }\nentities:\n"
                               "  Order:\n    key: { PK: \"ORDER#${id}\", SK: \"#${seq:04}\" }\n"
                               "    attributes: { id: string, seq: number, total: { type: number, required: true } }\n"
                               "patterns:\n  large: { of: Order, where: { total: { atLeast: $least } } }\ndata: data.yaml\n";
    struct problems ps;
    struct model_files *files = ARENA_NEW(&arena, struct model_files);
    *file = (struct model_file){ SLICE("data.yaml"), slice_str(totals) };
    *files = (struct model_files){ file, 1 };
    problems_init(&ps, &arena);
    struct model *m = model_read_with(&ps, SLICE("onefold.yaml"), slice_str(text), files);
    assert_non_null(m);
    return m;
}

static void test_numbers_are_padded_for_the_decimals_of_the_sample(void **state)
{
    (void)state;
    struct model_file file;
    struct model *m = model_with_totals("Order: [{ id: a, seq: 1, total: 94.965 }, { id: b, seq: 2, total: 7 }]\n", &file);
    struct plan *p = plan_with(m, "large", true);
    assert_int_equal(p->proposals[0].kind, PROPOSE_INDEX_ENTRY);
    /* What the model pads already keeps its padding. */
    assert_contains(p->proposals[0].yaml, "GSI1SK: \"#${total:012.3}#${id}#${seq:04}\"");
    model_free(m);
    m = model_with_totals("Order: [{ id: a, seq: 1, total: 94 }]\n", &file);
    assert_contains(plan_with(m, "large", true)->proposals[0].yaml, "${total:012}#");
    model_free(m);
}

static void test_keys_that_the_sample_cannot_have_are_not_proposed(void **state)
{
    (void)state;
    struct model_file file;
    struct model *m = model_with_totals("Order: [{ id: a, seq: 1, total: -2 }, { id: b, seq: 2, total: 7 }]\n", &file);
    struct plan *p = plan_with(m, "large", true);
    for (size_t i = 0; i < p->n_proposals; i++)
        assert_null(strstr((const char *)arena_printf(&arena, "%.*s", SLICE_ARG(p->proposals[i].yaml)).p, "${total:"));
    model_free(m);
    /* Data that does not fit the model anyway says nothing about the keys. */
    m = model_with_totals("Order: [{ id: a, seq: 1, total: -2 }, { id: b, sequence: 2, total: 7 }]\n", &file);
    assert_contains(plan_with(m, "large", true)->proposals[0].yaml, "${total:");
    model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seed_000_orders_by_status_in_the_last_30_days),
        cmocka_unit_test(test_a_free_slot_comes_before_a_new_index),
        cmocka_unit_test(test_an_enum_that_is_missing_is_fanned_out_over),
        cmocka_unit_test(test_a_sort_key_with_its_parts_in_another_order),
        cmocka_unit_test(test_a_filter_keeps_the_other_words_of_a_pattern),
        cmocka_unit_test(test_a_proposal_that_breaks_another_pattern_is_not_made),
        cmocka_unit_test(test_a_model_in_json_stays_json),
        cmocka_unit_test(test_an_optional_attribute_stays_optional),
        cmocka_unit_test(test_a_missing_entity_is_brought_to_the_others),
        cmocka_unit_test(test_members_are_added_in_the_style_of_the_file),
        cmocka_unit_test(test_elements_are_added_in_the_style_of_the_file),
        cmocka_unit_test(test_a_member_is_replaced_whole),
        cmocka_unit_test(test_numbers_are_padded_for_the_decimals_of_the_sample),
        cmocka_unit_test(test_keys_that_the_sample_cannot_have_are_not_proposed),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
