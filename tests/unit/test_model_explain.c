/* test_model_explain.c: the JSON of explain: seed 000's table of access patterns, and one that is
 * not answered. */
#include "plan_fixture.h"
#include "model/report.h"

static struct buf out;
static struct err error;

static const struct json *explain(struct model *m, const char *pattern)
{
    buf_init(&out, &arena, 8 << 20);
    error = (struct err){ .arena = &arena };
    struct reporter r = { m, &model_env_system, &arena, &out, &error };
    if (report_explain(&r, slice_str(pattern))) return NULL;
    const struct json *n = json_parse(&arena, buf_view(&out), 32, NULL);
    assert_non_null(n);
    return n;
}

static void assert_member(const struct json *n, const char *name, const char *expected)
{
    const struct json *v = json_get(n, slice_str(name));
    if (!v) fail_msg("there is no %s", name);
    assert_slice(v->text, expected);
}

static void test_every_pattern_is_listed(void **state)
{
    (void)state;
    struct model *m =
        model_of(SEED_000_TOP "  byStatus: { of: Order, by: [status], about: \"by status\" }\n");
    const struct json *n = explain(m, "");
    assert_member(n, "table", "shop");
    assert_member(n, "answered", "6");
    assert_member(n, "unanswered", "1");
    const struct json *list = JSON_GET(n, "patterns");
    assert_int_equal(list->count, 7);
    const struct json *p = list->first->next;
    assert_member(p, "pattern", "ordersOfCustomer");
    assert_member(p, "operation", "Query");
    assert_member(p, "index", "GSI1");
    assert_member(p, "keyCondition", "GSI1PK = CUST#<customerId>, GSI1SK begins_with ORDER#");
    assert_member(p, "order", "newest");
    assert_int_equal(JSON_GET(p, "items")->type, JSON_NULL); /* neither sample data nor expect */
    assert_int_equal(JSON_GET(p, "readUnits")->type, JSON_NULL);
    while (p->next)
        p = p->next;
    assert_member(p, "about", "by status");
    assert_member(p, "operation", "none");
    const struct json *proposal = JSON_GET(p, "proposals")->first;
    assert_member(proposal, "kind", "new index");
    assert_member(proposal, "index", "GSI2");
    assert_non_null(JSON_GET(proposal, "yaml"));
    model_free(m);
}

static void test_one_pattern_and_a_wrong_name(void **state)
{
    (void)state;
    struct model *m = model_of(SEED_000_TOP);
    const struct json *n = explain(m, "product");
    assert_int_equal(JSON_GET(n, "patterns")->count, 1);
    assert_null(explain(m, "produkt"));
    assert_contains(error.message, "did you mean product?");
    model_free(m);
}

static void test_expectations_give_figures(void **state)
{
    (void)state;
    struct model *m =
        model_of(SEED_000_TOP
                 "  many: { of: Order, by: [customerId], expect: { items: 20, bytes: 400 } }\n");
    const struct json *p = JSON_GET(explain(m, "many"), "patterns")->first;
    assert_member(p, "items", "20");
    assert_member(p, "readUnits", "1"); /* 8,000 bytes, half a unit for each 4 KB */
    assert_member(p, "from", "expect");
    model_free(m);
}

static void test_a_plan_alone(void **state)
{
    (void)state;
    struct model *m = model_of(SEED_003(", shards: { of: gsi1pk, by: orderId, count: 10 }"));
    struct buf b;
    buf_init(&b, &arena, 1 << 20);
    plan_to_json(&b, plan_of(m, "ap7"));
    const struct json *n = json_parse(&arena, buf_view(&b), 32, NULL);
    assert_non_null(n);
    assert_member(n, "streams", "50");
    const struct json *fan = JSON_GET(n, "fans")->first;
    assert_member(fan, "over", "status");
    assert_member(fan, "count", "5");
    assert_int_equal(JSON_GET(fan->next, "shards")->type, JSON_TRUE);
    model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_pattern_is_listed),
        cmocka_unit_test(test_one_pattern_and_a_wrong_name),
        cmocka_unit_test(test_expectations_give_figures),
        cmocka_unit_test(test_a_plan_alone),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
