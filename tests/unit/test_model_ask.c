/* test_model_ask.c: of_model_query_explain: the plan of a question, the pattern that asks the same, what a scan would cost. */
#include "model_fixture.h"

static const char shop[] =
    "onefold: 1\n"
    "table: shop\n"
    "indexes:\n"
    "  GSI1: { hash: GSI1PK, sort: GSI1SK }\n"
    "entities:\n"
    "  Customer:\n"
    "    key: { PK: 'CUST#${customerId}', SK: '#META' }\n"
    "    attributes: { customerId: { required: true } }\n"
    "  Order:\n"
    "    key: { PK: 'CUST#${customerId}', SK: 'ORDER#${day}#${orderId}' }\n"
    "    index: { GSI1: { GSI1PK: 'STATUS#${status}', GSI1SK: '${day}' } }\n"
    "    attributes:\n"
    "      customerId: { required: true }\n"
    "      orderId: { required: true }\n"
    "      day: { required: true, format: date }\n"
    "      status: { enum: [open, paid], default: open }\n"
    "      total: number\n"
    "patterns:\n"
    "  latest: { of: Order, by: [customerId], order: newest }\n"
    "  oldest: { of: Order, by: [customerId] }\n"
    "  since: { of: Order, by: [customerId], where: { day: { since: $from } } }\n"
    "  between: { of: Order, by: [customerId], where: { day: { during: [$from, $to] } } }\n"
    "  dear: { of: Order, by: [customerId], filter: { total: { atLeast: $least } } }\n"
    "  unpaid: { of: Order, by: { status: open } }\n"
    "  byStatus: { of: Order, by: [status] }\n"
    "  everything: { of: Order, across: [status], order: newest }\n"
    "  file: { collection: Customer, by: [customerId] }\n"
    "  customer: { of: Customer, by: [customerId] }\n";

static struct world w;
static of_error error;
static char text[1 << 16];

static int set_up(void **state)
{
    (void)state;
    world_open(&w, shop);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    world_close(&w);
    return 0;
}

static const char *ask(const char *entity, const char *where, of_run_options o)
{
    of_answer *answer;
    if (of_model_query_explain(w.model, w.db, entity, where, &o, &answer, &error)) return error.message;
    snprintf(text, sizeof text, "%s", of_answer_body(answer, NULL));
    of_answer_free(answer);
    return text;
}

static void holds(const char *told, const char *part)
{
    if (!strstr(told, part)) fail_msg("no %s in %s", part, told);
}

/* The name, or "null". */
static const char *match(const char *entity, const char *where, of_run_options o)
{
    static char name[64];
    const char *at = strstr(ask(entity, where, o), "\"match\":");
    if (!at) fail_msg("%s", ask(entity, where, o));
    at += strlen("\"match\":");
    at += *at == '"';
    snprintf(name, sizeof name, "%.*s", (int)strcspn(at, "\","), at);
    return name;
}

static void test_the_pattern_that_asks_the_same(void **state)
{
    (void)state;
    of_run_options up = { 0 }, down = { .descending = true };
    assert_string_equal(match("Order", "customerId = c1", down), "latest");
    assert_string_equal(match("Order", "customerId = c1", up), "oldest");
    assert_string_equal(match("Customer", "customerId = c1", up), "customer");
    assert_string_equal(match("Customer", "customerId = c1", down), "customer"); /* one item has no direction */
    assert_string_equal(match("Order", "customerId = c1 and day = 2026-01-01", up), "null");
    assert_string_equal(match("Order", "customerId = c1 and day since 2026-01-01", down), "null");
}

static void test_ranges_match_by_attribute_and_rather_by_operator(void **state)
{
    (void)state;
    of_run_options up = { 0 };
    assert_string_equal(match("Order", "customerId = c1 and day since 2026-01-01", up), "since");
    assert_string_equal(match("Order", "customerId = c1 and day during 2026-01 and 2026-02", up), "between");
    assert_string_equal(match("Order", "customerId = c1 and day on 2026-01", up), "since");
    assert_string_equal(match("Order", "customerId = c1 and orderId > x", up), "null");
}

static void test_a_filter_is_part_of_the_question(void **state)
{
    (void)state;
    assert_string_equal(match("Order", "customerId = c1", (of_run_options){ .filter = "total >= 5" }), "dear");
    assert_string_equal(match("Order", "customerId = c1", (of_run_options){ .filter = "total = 5" }), "null");
    assert_string_equal(match("Order", "customerId = c1", (of_run_options){ .filter = "total > 5 or total < 1" }), "null");
    holds(ask("Order", "customerId = c1", (of_run_options){ .filter = "totl > 5" }), "totl");
}

static void test_constants_match_themselves(void **state)
{
    (void)state;
    of_run_options up = { 0 };
    assert_string_equal(match("Order", "status = open", up), "unpaid");
    assert_string_equal(match("Order", "status = paid", up), "byStatus");
}

static void test_an_index_that_is_asked_for(void **state)
{
    (void)state;
    assert_string_equal(match("Order", "status = paid", (of_run_options){ .index = "GSI1" }), "byStatus");
    assert_string_equal(match("Order", "status = paid", (of_run_options){ .index = "table" }), "null");
}

static void test_key_conditions_match_by_their_templates(void **state)
{
    (void)state;
    of_run_options up = { .raw = true }, down = { .raw = true, .descending = true };
    of_run_options gsi = { .raw = true, .index = "GSI1" };
    assert_string_equal(match(NULL, "PK = 'CUST#c1' and begins_with(SK, 'ORDER#')", down), "latest");
    assert_string_equal(match(NULL, "PK = 'CUST#c1' and begins_with(SK, 'ORDER#')", up), "oldest");
    assert_string_equal(match(NULL, "PK = 'CUST#c1' and begins_with(SK, 'ORDER#2')", up), "null");
    assert_string_equal(match(NULL, "PK = 'CUST#c1'", up), "file");
    assert_string_equal(match("Order", "PK = 'CUST#c1'", up), "null");
    assert_string_equal(match(NULL, "PK = 'CUST#c1' and SK >= 'ORDER#2026-01-01'", up), "since");
    assert_string_equal(match(NULL, "PK = 'CUST#c1' and SK >= 'ODER#2026-01-01'", up), "null");
    assert_string_equal(match(NULL, "PK = 'CUST#c1' and SK = '#META'", up), "customer");
    assert_string_equal(match(NULL, "PK = 'CUST#' and SK = '#META'", up), "null");
    assert_string_equal(match(NULL, "GSI1PK = 'STATUS#open'", gsi), "unpaid");
    assert_string_equal(match(NULL, "GSI1PK = 'STATUS#paid'", gsi), "byStatus");
    assert_string_equal(match(NULL, "GSI1PK = 'STATUS#paid' and GSI1SK = x", gsi), "null");
    holds(ask(NULL, "PK = 'CUST#c1' and SK between a and b", up),
          "{\"plan\":{\"operation\":\"Query\",\"index\":null,\"keyCondition\":\"PK = CUST#c1, SK between a and b\"");
}

static void test_what_no_key_answers_is_a_scan(void **state)
{
    (void)state;
    of_run_options up = { 0 };
    holds(ask("Order", "total > 5", up), "{\"plan\":null,\"match\":null,\"scan\":{\"items\":0,\"bytes\":0,\"units\":");
    holds(ask("Order", "total > 5", up), "\"filter\":\"total > 5\",\"proposals\":[{\"kind\":");
    holds(ask("Order", "total > 5 or day = 2026-01-01", up), "comparisons joined by and");
    holds(ask("Order", "total > 5", (of_run_options){ .filter = "day = 2026-01-01" }),
          "\"filter\":\"(total > 5) and (day = 2026-01-01)\"");
    holds(ask("Order", NULL, (of_run_options){ .descending = true }), "\"match\":\"everything\",\"scan\":{");
    holds(ask(NULL, NULL, (of_run_options){ .raw = true }), "gives no value of the hash key");
    holds(ask(NULL, "SK = x", (of_run_options){ .raw = true }), "gives no value of the hash key");
    holds(ask(NULL, "customerId = c1", up), "a query needs an entity");
}

static void test_a_table_that_is_not_there_has_no_figures(void **state)
{
    (void)state;
    of_db *db;
    of_answer *answer;
    assert_int_equal(of_open(&db, NULL, &error), 0);
    assert_int_equal(of_model_query_explain(w.model, db, "Order", "total > 5", NULL, &answer, &error), 0);
    holds(of_answer_body(answer, NULL), "\"scan\":{\"items\":null,\"bytes\":null,\"units\":null,");
    of_answer_free(answer);
    of_close(db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_pattern_that_asks_the_same),
        cmocka_unit_test(test_ranges_match_by_attribute_and_rather_by_operator),
        cmocka_unit_test(test_a_filter_is_part_of_the_question),
        cmocka_unit_test(test_constants_match_themselves),
        cmocka_unit_test(test_an_index_that_is_asked_for),
        cmocka_unit_test(test_key_conditions_match_by_their_templates),
        cmocka_unit_test(test_what_no_key_answers_is_a_scan),
        cmocka_unit_test(test_a_table_that_is_not_there_has_no_figures),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
