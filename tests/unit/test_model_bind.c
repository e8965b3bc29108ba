/* test_model_bind.c: from a plan and its inputs to the exact requests: bounds, prefixes, shards,
 * filters, errors. */
#include "plan_fixture.h"
#include "model/plan_impl.h"
#include "model/shard.h"
#include "model/where.h"

static void assert_request(const struct model *m, const char *pattern, const char *inputs,
                           const char *expected)
{
    struct bound_plan b = bind(m, pattern, inputs);
    assert_int_equal(b.n, 1);
    assert_slice(request(m, &b, 0), expected);
}

static void test_get_item(void **state)
{
    (void)state;
    struct model *m = model_of(SEED_000_TOP);
    assert_request(
        m, "customer", "{\"id\":{\"S\":\"c1\"}}",
        "{\"TableName\":\"shop\",\"Key\":{\"PK\":{\"S\":\"CUST#c1\"},\"SK\":{\"S\":\"METADATA\"}},"
        "\"ReturnConsumedCapacity\":\"TOTAL\"}");
    model_free(m);
}

static void test_query_of_an_index_newest_first(void **state)
{
    (void)state;
    struct model *m = model_of(SEED_000_TOP);
    assert_request(
        m, "ordersOfCustomer", "{\"customerId\":{\"S\":\"c1\"}}",
        "{\"TableName\":\"shop\",\"IndexName\":\"GSI1\","
        "\"KeyConditionExpression\":\"#k0 = :k0 AND begins_with(#s0, :s0)\","
        "\"ExpressionAttributeNames\":{\"#k0\":\"GSI1PK\",\"#s0\":\"GSI1SK\"},"
        "\"ExpressionAttributeValues\":{\":k0\":{\"S\":\"CUST#c1\"},\":s0\":{\"S\":\"ORDER#\"}},"
        "\"ScanIndexForward\":false,\"ReturnConsumedCapacity\":\"TOTAL\"}");
    model_free(m);
}

static void test_page_start_and_consistency(void **state)
{
    (void)state;
    struct model *m = model_of(SEED_000_TOP);
    struct bound_plan b = bind(m, "order", "{\"orderId\":{\"S\":\"o1\"}}");
    struct buf out;
    buf_init(&out, &arena, 1 << 16);
    plan_request(&out, m, &b, &b.ranges[0], 7, item("{\"PK\":{\"S\":\"x\"},\"SK\":{\"S\":\"y\"}}"),
                 true);
    assert_contains(
        buf_view(&out),
        ",\"Limit\":7,\"ExclusiveStartKey\":{\"PK\":{\"S\":\"x\"},\"SK\":{\"S\":\"y\"}},"
        "\"ConsistentRead\":true,");
    model_free(m);
}

static void test_neighbours_are_filtered_out(void **state)
{
    (void)state;
    struct model *m = model_of(SEED_002);
    assert_request(
        m, "commentsOfPost", "{\"postId\":{\"S\":\"1\"}}",
        "{\"TableName\":\"blog\",\"KeyConditionExpression\":\"#k0 = :k0 AND begins_with(#s0, "
        ":s0)\","
        "\"FilterExpression\":\"#e0 = :e0\","
        "\"ExpressionAttributeNames\":{\"#k0\":\"PK\",\"#s0\":\"SK\",\"#e0\":\"entity_type\"},"
        "\"ExpressionAttributeValues\":{\":k0\":{\"S\":\"POST#1\"},\":s0\":{\"S\":\"COMMENT#\"},"
        "\":e0\":{\"S\":\"Comment\"}},\"ReturnConsumedCapacity\":\"TOTAL\"}");
    model_free(m);
}

static void test_a_subtree_is_the_item_and_what_continues_it(void **state)
{
    (void)state;
    struct model *m = model_of(SEED_002);
    struct bound_plan b =
        bind(m, "commentThread",
             "{\"postId\":{\"S\":\"1\"},\"commentId\":{\"S\":\"01ARZ3NDEKTSV4RRFFQ69G5FAV\"}}");
    assert_slice(val_content(b.ranges[0].low), "COMMENT#01ARZ3NDEKTSV4RRFFQ69G5FAV");
    assert_slice(val_content(b.ranges[0].high), "COMMENT#01ARZ3NDEKTSV4RRFFQ69G5FAV$");
    assert_true(b.ranges[0].high_open);
    model_free(m);
}

static void test_a_month_of_ulids_is_half_open(void **state)
{
    (void)state;
    struct model *m = model_of(SEED_003(""));
    struct bound_plan b =
        bind(m, "ap8", "{\"status\":{\"S\":\"delivered\"},\"month\":{\"S\":\"2026-02\"}}");
    const struct key_range *r = &b.ranges[0];
    struct slice from = when_bound(&arena, TIME_ULID, INT64_C(1769904000000)); /* 2026-02-01 */
    struct slice to = when_bound(&arena, TIME_ULID, INT64_C(1772323200000));   /* 2026-03-01 */
    assert_slice(val_content(r->low),
                 (const char *)arena_printf(&arena, "ORDER#%.*s", SLICE_ARG(from)).p);
    assert_slice(val_content(r->high),
                 (const char *)arena_printf(&arena, "ORDER#%.*s", SLICE_ARG(to)).p);
    assert_false(r->low_open);
    assert_true(r->high_open);
    assert_contains(request(m, &b, 0), "#k0 = :k0 AND #s0 BETWEEN :s0 AND :t0");
    model_free(m);
}

static void test_shards_and_enum_values_become_streams(void **state)
{
    (void)state;
    struct model *m = model_of(SEED_003(", shards: { of: gsi1pk, by: orderId, count: 10 }"));
    struct bound_plan b = bind(m, "ap3", "{\"status\":{\"S\":\"pending\"}}");
    assert_int_equal(b.n, 10);
    assert_slice(val_content(b.ranges[0].hash[0]), "STATUS#pending#0");
    assert_slice(val_content(b.ranges[9].hash[0]), "STATUS#pending#9");
    b = bind(m, "ap7", "{}");
    assert_int_equal(b.n, 50);
    assert_slice(val_content(b.ranges[0].hash[0]), "STATUS#pending#0");
    assert_slice(val_content(b.ranges[49].hash[0]), "STATUS#cancelled#9");
    model_free(m);
}

#define ORDER_TOP                                                                                  \
    "onefold: 1\ntable: ttt\nindexes: { GSI1: { hash: GSI1PK, sort: GSI1SK } }\nentities:\n"       \
    "  O:\n    key: { PK: \"C#${c}\", SK: \"O#${t}#${id}\" }\n"                                    \
    "    attributes:\n      c: string\n      id: { type: string, min: 2 }\n      t: { format: "    \
    "date-time }\n"                                                                                \
    "      n: number\n      s: { enum: [a, b] }\n      at: { type: number, format: epoch }\n"

static void assert_range(const char *where, const char *inputs, const char *low, bool low_open,
                         const char *high, bool high_open)
{
    const char *text =
        (const char *)arena_printf(
            &arena, ORDER_TOP "patterns:\n  p: { of: O, by: { c: x }, where: %s }\n", where)
            .p;
    struct model *m = model_of(text);
    struct bound_plan b = bind(m, "p", inputs);
    assert_int_equal(b.n, 1);
    assert_slice(val_content(b.ranges[0].low), low);
    assert_slice(val_content(b.ranges[0].high), high);
    assert_int_equal(b.ranges[0].low_open, low_open);
    assert_int_equal(b.ranges[0].high_open, high_open);
    model_free(m);
}

static void test_bounds_of_each_comparison_inside_a_prefix(void **state)
{
    (void)state;
    assert_range("{ t: { since: 2026-05-01 } }", "{}", "O#2026-05", false, "O$", true);
    assert_range("{ t: { until: 2026-05-01 } }", "{}", "O#", false, "O#2026-05", true);
    assert_range("{ t: { on: 2026-05 } }", "{}", "O#2026-05", false, "O#2026-06", true);
    assert_range("{ t: { on: today } }", "{}", "O#2026-05-10", false, "O#2026-05-11", true);
    assert_range("{ t: { since: -30d, until: $to } }", "{\"to\":{\"S\":\"2026-05-01\"}}",
                 "O#2026-04-10", false, "O#2026-05", true);
    assert_range("{ t: { during: [$a, $b] } }", "{\"a\":{\"N\":\"2025\"},\"b\":{\"S\":\"2026\"}}",
                 "O#2025", false, "O#2026", true);
    assert_range("{ t: { atLeast: $x } }", "{\"x\":{\"S\":\"2026\"}}", "O#2026", false, "O$", true);
    assert_range("{ t: { above: $x } }", "{\"x\":{\"S\":\"2026\"}}", "O#2026$", false, "O$", true);
    assert_range("{ t: { atMost: $x } }", "{\"x\":{\"S\":\"2026\"}}", "O#", false, "O#2026$", true);
    assert_range("{ t: { below: $x } }", "{\"x\":{\"S\":\"2026\"}}", "O#", false, "O#2026", true);
    assert_range("{ t: { between: [$x, $y] } }", "{\"x\":{\"S\":\"2025\"},\"y\":{\"S\":\"2026\"}}",
                 "O#2025", false, "O#2026$", true);
}

static void test_a_prefix_of_the_hole(void **state)
{
    (void)state;
    struct model *m =
        model_of(ORDER_TOP "patterns:\n  p: { of: O, by: [c], where: { t: { prefix: $x } } }\n");
    struct bound_plan b = bind(m, "p", "{\"c\":{\"S\":\"1\"},\"x\":{\"S\":\"2026-0\"}}");
    assert_slice(val_content(b.ranges[0].prefix), "O#2026-0");
    assert_int_equal(b.ranges[0].low.n, 0);
    model_free(m);
}

static void test_a_range_in_which_nothing_can_lie_has_no_streams(void **state)
{
    (void)state;
    struct model *m = model_of(
        ORDER_TOP "patterns:\n  p: { of: O, by: [c], where: { t: { since: $a, until: $b } } }\n");
    struct bound_plan b =
        bind(m, "p", "{\"c\":{\"S\":\"1\"},\"a\":{\"S\":\"2026\"},\"b\":{\"S\":\"2025\"}}");
    assert_int_equal(b.n, 0);
    b = bind(m, "p", "{\"c\":{\"S\":\"1\"},\"a\":{\"S\":\"2026\"},\"b\":{\"S\":\"2026\"}}");
    assert_int_equal(b.n, 0);
    model_free(m);
}

static void test_number_keys_keep_their_type_and_exact_operators(void **state)
{
    (void)state;
    static const char text[] =
        "onefold: 1\ntable: ttt\nkeys: { hash: device, sort: { name: at, type: number } "
        "}\nentities:\n"
        "  R: { key: {}, attributes: { device: string, at: { type: number, format: epoch } } }\n"
        "patterns:\n  after: { of: R, by: [device], where: { at: { above: $x } }, order: newest }\n"
        "  day: { of: R, by: [device], where: { at: { on: 2026-05-10 } } }\n";
    struct model *m = model_of(text);
    struct bound_plan b = bind(m, "after", "{\"device\":{\"S\":\"d\"},\"x\":{\"N\":\"5\"}}");
    assert_contains(request(m, &b, 0), "#k0 = :k0 AND #s0 > :s0");
    assert_contains(request(m, &b, 0), "\":s0\":{\"N\":\"5\"}");
    b = bind(m, "day", "{\"device\":{\"S\":\"d\"}}");
    assert_contains(request(m, &b, 0),
                    "\":s0\":{\"N\":\"1778371200\"},\":t0\":{\"N\":\"1778457600\"}");
    assert_true(b.ranges[0].high_open);
    model_free(m);
}

static void test_filters_become_expressions(void **state)
{
    (void)state;
    struct model *m = model_of(ORDER_TOP "patterns:\n  p: { of: O, by: [c], filter: { n: { "
                                         "atLeast: $n }, s: a, at: { since: 2026-05-10 } } }\n"
                                         "  one: { of: O, by: [c, t, id], filter: [s] }\n");
    struct bound_plan b = bind(m, "p", "{\"c\":{\"S\":\"1\"},\"n\":{\"N\":\"3\"}}");
    struct slice r = request(m, &b, 0);
    assert_contains(r, "\"FilterExpression\":\"#f0 >= :f0 AND #f1 = :f1 AND #f2 >= :f2\"");
    assert_contains(r,
                    "\":f0\":{\"N\":\"3\"},\":f1\":{\"S\":\"a\"},\":f2\":{\"N\":\"1778371200\"}");
    b = bind(m, "one",
             "{\"c\":{\"S\":\"1\"},\"t\":{\"S\":\"2026-05-10T00:00:00Z\"},\"id\":{\"S\":\"xy\"},"
             "\"s\":{\"S\":\"a\"}}");
    assert_contains(request(m, &b, 0), "#k0 = :k0 AND #s0 = :s0"); /* GetItem has no filter */
    model_free(m);
}

static void test_a_filter_of_the_caller_is_joined(void **state)
{
    (void)state;
    struct model *m = model_of(SEED_002);
    struct bound_plan b = bind(m, "commentsOfPost", "{\"postId\":{\"S\":\"1\"}}");
    const struct where *w;
    struct err e = { .arena = &arena };
    struct expression x;
    assert_int_equal(where_parse(&arena, b.plan->path->entity,
                                 SLICE("username = a or username = b"), NOW, &w, &e),
                     0);
    expression_init(&x, &arena);
    where_to_expression(&arena, w, &x);
    b.filter = &x;
    struct slice r = request(m, &b, 0);
    assert_contains(r, "\"FilterExpression\":\"#e0 = :e0 AND (");
    assert_contains(r, "\"#w0\":\"username\"");
    assert_contains(r, "\":w0\":{\"S\":\"a\"}");
    model_free(m);
}

static void test_errors_say_what_to_give(void **state)
{
    (void)state;
    struct model *m = model_of(
        ORDER_TOP "patterns:\n  p: { of: O, by: [c, t] }\n  e: { of: O, by: [c], filter: [s] }\n"
                  "  d: { of: O, by: [c], where: { t: { since: $from } } }\n  one: { of: O, by: "
                  "[c, t, id] }\n  none: { of: O, by: [s] }\n");
    assert_bind_fails(m, "p", "{\"c\":{\"S\":\"1\"}}", "p needs the input t");
    assert_bind_fails(m, "d", "{\"c\":{\"S\":\"1\"},\"from\":{\"S\":\"soon\"}}",
                      "soon is not a date");
    assert_bind_fails(m, "d", "{\"c\":{\"S\":\"1\"},\"fron\":{\"S\":\"2026\"}}",
                      "did you mean from?");
    assert_bind_fails(m, "d", "{\"c\":{\"S\":\"1#2\"},\"from\":{\"S\":\"2026\"}}", "delimiter");
    assert_bind_fails(m, "p", "{\"c\":{\"N\":\"1\"},\"t\":{\"S\":\"2026-05-10T00:00:00Z\"}}",
                      "must be a string");
    assert_bind_fails(
        m, "one",
        "{\"c\":{\"S\":\"1\"},\"t\":{\"S\":\"2026-05-10T00:00:00Z\"},\"id\":{\"S\":\"x\"}}",
        "O.id");
    assert_bind_fails(m, "none", "{\"s\":{\"S\":\"a\"}}",
                      "cannot be answered: it needs s in a hash key");
    model_free(m);
}

static void test_months_are_listed_when_bound_and_only_those_in_range(void **state)
{
    (void)state;
    static const char text[] =
        "onefold: 1\ntable: ttt\nindexes: { GSI1: { hash: GSI1PK, sort: GSI1SK } }\nentities:\n"
        "  E:\n    key: { PK: \"E#${id}\", SK: M }\n"
        "    index: { GSI1: { GSI1PK: ALL, GSI1SK: \"${t}#${id}\", shards: { of: GSI1PK, by: t, "
        "month: 2025-01 } } }\n"
        "    attributes: { id: string, t: { format: date-time, required: true } }\n"
        "patterns:\n  all: { of: E, order: newest }\n  some: { of: E, where: { t: { since: "
        "2026-03-15, until: 2026-05-01 } } }\n  ahead: { of: E, where: { t: { on: $when } } }\n";
    struct model *m = model_of(text);
    assert_slice(plan_of(m, "all")->operation, "Query per month");
    struct bound_plan b = bind(m, "all", "{}");
    assert_int_equal(b.n, 17);
    assert_slice(val_content(b.ranges[16].hash[0]), "ALL#2026-05");
    b = bind(m, "some", "{}");
    assert_int_equal(b.n, 2);
    assert_slice(val_content(b.ranges[0].hash[0]), "ALL#2026-03");
    assert_slice(val_content(b.ranges[1].hash[0]), "ALL#2026-04");
    /* What is dated ahead lies in months to come: they are asked where the question says so. */
    b = bind(m, "ahead", "{\"when\":{\"S\":\"2026-07\"}}");
    assert_int_equal(b.n, 1);
    assert_slice(val_content(b.ranges[0].hash[0]), "ALL#2026-07");
    b = bind(m, "ahead", "{\"when\":{\"S\":\"9000\"}}");
    assert_int_equal(b.n, 0); /* not a Query for every month until then */
    model_free(m);
}

static void test_a_known_shard_attribute_asks_one_shard(void **state)
{
    (void)state;
    struct model *m = model_of(SEED_003(
        ", shards: { of: gsi1pk, by: orderId, count: 10 }") "  one: { of: Order, by: [status, "
                                                            "orderId], index: GSI1 }\n");
    struct bound_plan b =
        bind(m, "one",
             "{\"status\":{\"S\":\"pending\"},\"orderId\":{\"S\":\"01ARZ3NDEKTSV4RRFFQ69G5FAV\"}}");
    assert_int_equal(b.n, 1);
    unsigned shard = shard_hash(SLICE("01ARZ3NDEKTSV4RRFFQ69G5FAV")) % 10;
    assert_slice(val_content(b.ranges[0].hash[0]),
                 (const char *)arena_printf(&arena, "STATUS#pending#%u", shard).p);
    model_free(m);
}

static void test_the_text_behind_a_prefix(void **state)
{
    (void)state;
    assert_slice(text_after(&arena, SLICE("ORDER#")), "ORDER$");
    assert_slice(text_after(&arena, SLICE("a\x7f")), "a\xc2\x80");
    assert_slice(text_after(&arena, SLICE("\xed\x9f\xbf")), "\xee\x80\x80");
    assert_slice(text_after(&arena, SLICE("b\xf4\x8f\xbf\xbf")), "c");
    assert_int_equal(text_after(&arena, SLICE("\xf4\x8f\xbf\xbf")).n, 0);
    for (int i = 0; i < 2000; i++) { /* valid, and behind everything that begins so */
        struct buf b;
        buf_init(&b, &arena, 64);
        for (uint64_t n = 1 + rnd(4); n; n--) {
            static const char *const some[] = {
                "a", "#", "\x7f", "\xc3\xbf", "\xdf\xbf", "\xef\xbf\xbf", "\xf4\x8f\xbf\xbf"
            };
            buf_slice(&b, slice_str(some[rnd(7)]));
        }
        struct slice after = text_after(&arena, buf_view(&b));
        if (!after.n) continue;
        assert_true(utf8_valid(after));
        struct slice prefix = arena_dup(&arena, buf_view(&b));
        buf_slice(&b, SLICE("\xf4\x8f\xbf\xbf"));
        assert_true(slice_cmp(after, buf_view(&b)) > 0);
        assert_true(slice_cmp(after, prefix) > 0);
    }
}

/* ---- ranges against what they mean ---- */

static struct slice word(void)
{
    static const char letters[] = "abyz-09";
    uint8_t text[4];
    size_t n = 1 + rnd(4);
    for (size_t i = 0; i < n; i++)
        text[i] = (uint8_t)letters[rnd(7)];
    return arena_dup(&arena, slice_of(text, n));
}

static bool holds(enum compare op, struct slice v, struct slice x, struct slice y)
{
    int c = slice_cmp(v, x);
    switch (op) {
    case COMPARE_PREFIX:
        return slice_starts(v, x);
    case COMPARE_AT_LEAST:
        return c >= 0;
    case COMPARE_ABOVE:
        return c > 0;
    case COMPARE_AT_MOST:
        return c <= 0;
    case COMPARE_BELOW:
        return c < 0;
    default:
        return c >= 0 && slice_cmp(v, y) <= 0;
    }
}

static bool in_range(const struct bound_plan *b, struct slice key)
{
    if (!b->n) return false;
    const struct key_range *r = &b->ranges[0];
    if (r->prefix.n) return slice_starts(key, val_content(r->prefix));
    if (r->low.n) {
        int c = slice_cmp(key, val_content(r->low));
        if (r->low_open ? c <= 0 : c < 0) return false;
    }
    if (r->high.n) {
        int c = slice_cmp(key, val_content(r->high));
        if (r->high_open ? c >= 0 : c > 0) return false;
    }
    return true;
}

static void test_a_key_is_in_the_range_exactly_if_its_value_fulfils_the_condition(void **state)
{
    (void)state;
    static const char *const sorts[] = { "V#${v}#${id}", "V#${v}", "${v}", "${v}#${id}",
                                         "V#${v}#end" };
    static const char *const ops[] = { "prefix", "atLeast", "above", "atMost", "below", "between" };
    size_t inside = 0, outside = 0;
    for (size_t s = 0; s < 5; s++) {
        for (size_t o = 0; o < 6; o++) {
            const char *text =
                (const char *)arena_printf(
                    &arena,
                    "onefold: 1\ntable: ttt\nentities:\n  E: { key: { PK: \"E#${p}\", SK: \"%s\" "
                    "}, "
                    "attributes: { p: string, v: string, id: string } }\n"
                    "patterns:\n  q: { of: E, by: { p: x }, where: { v: { %s: %s } } }\n",
                    sorts[s], ops[o], o == 5 ? "[$x, $y]" : "$x")
                    .p;
            struct model *m = model_of(text);
            for (int i = 0; i < 200; i++) {
                struct slice x = word(), y = word(), v = rnd(4) ? word() : x;
                struct slice in =
                    arena_printf(&arena,
                                 o == 5 ? "{\"x\":{\"S\":\"%.*s\"},\"y\":{\"S\":\"%.*s\"}}"
                                        : "{\"x\":{\"S\":\"%.*s\"}}",
                                 SLICE_ARG(x), SLICE_ARG(y));
                struct bound_plan b = bind(m, "q", (const char *)in.p);
                struct slice attrs = arena_printf(
                    &arena, "{\"v\":{\"S\":\"%.*s\"},\"id\":{\"S\":\"1\"}}", SLICE_ARG(v));
                struct rendered key = template_render(&arena, &m->entities[0].key->sort[0].template,
                                                      item((const char *)attrs.p));
                assert_int_equal(key.status, RENDER_OK);
                bool want = holds((enum compare)(COMPARE_PREFIX + o), v, x, y);
                if (in_range(&b, val_content(key.value)) != want) {
                    fail_msg("%s %s: %.*s with %.*s, %.*s", sorts[s], ops[o], SLICE_ARG(v),
                             SLICE_ARG(x), SLICE_ARG(y));
                }
                want ? inside++ : outside++;
            }
            model_free(m);
        }
    }
    assert_true(inside > 1000 && outside > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_get_item),
        cmocka_unit_test(test_query_of_an_index_newest_first),
        cmocka_unit_test(test_page_start_and_consistency),
        cmocka_unit_test(test_neighbours_are_filtered_out),
        cmocka_unit_test(test_a_subtree_is_the_item_and_what_continues_it),
        cmocka_unit_test(test_a_month_of_ulids_is_half_open),
        cmocka_unit_test(test_shards_and_enum_values_become_streams),
        cmocka_unit_test(test_bounds_of_each_comparison_inside_a_prefix),
        cmocka_unit_test(test_a_prefix_of_the_hole),
        cmocka_unit_test(test_a_range_in_which_nothing_can_lie_has_no_streams),
        cmocka_unit_test(test_number_keys_keep_their_type_and_exact_operators),
        cmocka_unit_test(test_filters_become_expressions),
        cmocka_unit_test(test_a_filter_of_the_caller_is_joined),
        cmocka_unit_test(test_errors_say_what_to_give),
        cmocka_unit_test(test_months_are_listed_when_bound_and_only_those_in_range),
        cmocka_unit_test(test_a_known_shard_attribute_asks_one_shard),
        cmocka_unit_test(test_the_text_behind_a_prefix),
        cmocka_unit_test(test_a_key_is_in_the_range_exactly_if_its_value_fulfils_the_condition),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
