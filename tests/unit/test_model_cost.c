/* test_model_cost.c: what a model costs a month: figures worked out by hand beside each. */
#include "report_fixture.h"
#include <math.h>

#define MONTH 2628000.0 /* seconds */

static const struct json *cost(struct cost_options o)
{
    struct reporter r = reporter();
    return report_json(report_cost(&r, &o));
}

static const char expected[] =
    "onefold: 1\n"
    "table: shop\n"
    "indexes: { GSI1: { hash: GSI1PK, sort: GSI1SK } }\n"
    "entities:\n"
    "  Customer:\n"
    "    key: { PK: \"CUSTOMER#${customerId}\", SK: PROFILE }\n"
    "    attributes: { customerId: { required: true } }\n"
    "    expect: { items: 1000, bytes: 1000 }\n"
    "    rate: { put: 1/s }\n"
    "  Order:\n"
    "    key: { PK: \"ORDER#${orderId}\", SK: PROFILE }\n"
    "    index: { GSI1: { GSI1PK: \"S#${status}\", GSI1SK: \"${orderId}\" } }\n"
    "    copies: [{ key: { PK: \"CUSTOMER#${customerId}\", SK: \"ORDER#${orderId}\" } }]\n"
    "    attributes: { orderId: { required: true }, customerId: { required: true }, status: string }\n"
    "    expect: { items: 1000000, bytes: 1500 }\n"
    "    rate: { put: 10/s, update: 10/s, delete: 10/s }\n"
    "patterns:\n"
    "  customer: { of: Customer, by: [customerId], rate: 100/s }\n"
    "  page: { collection: Customer, by: [customerId], limit: 20, rate: 10/s, expect: { items: 20, bytes: 1000 } }\n"
    "  mystery: { of: Order, by: [customerId], limit: 20, rate: 1/s }\n";

static void test_reads_are_units_times_rate_times_price(void **state)
{
    (void)state;
    read_model(expected);
    const struct json *n = cost((struct cost_options){ 0 });
    assert_number(n, "patterns.0.readUnits", 0.5);
    assert_number(n, "patterns.0.requests", 1);
    assert_number(n, "patterns.0.runsPerMonth", 100 * MONTH);
    assert_number(n, "patterns.0.onDemand", 16.425); /* 131.4 million units at 0.125 */
    assert_number(n, "patterns.0.price", 16.425);
    /* 50 units a second at 70 % are 71.43 units for 730 hours at 0.00013 */
    assert_number(n, "patterns.0.provisioned", 6.7786);
    assert_number(n, "patterns.1.readUnits", 2.5); /* 20,000 bytes: five blocks, halved */
}

static void test_writes_count_copies_twice_and_entries_once(void **state)
{
    (void)state;
    read_model(expected);
    const struct json *n = cost((struct cost_options){ 0 });
    assert_number(n, "entities.0.put.writeUnits", 1);
    /* 1,500 bytes are 2 units; item and copy in a transaction 2 x 2 x 2; the index entry 2 */
    assert_number(n, "entities.1.put.writeUnits", 10);
    assert_number(n, "entities.1.update.writeUnits", 10);
    assert_number(n, "entities.1.delete.writeUnits", 10);
    assert_number(n, "entities.1.itemsPerPut", 2);
    assert_number(n, "entities.1.put.onDemand", 164.25); /* 262.8 million units at 0.625 */
    /* item, copy and entry, each with 100 bytes more: 4,800 bytes a million times, at 0.25 a GB */
    assert_number(n, "entities.1.storage.bytes", 4.8e9);
    assert_number(n, "entities.1.storage.price", 1.1176);
}

static void test_the_mode_chooses_the_price(void **state)
{
    (void)state;
    read_model(expected);
    const struct json *n = cost((struct cost_options){ .provisioned = true });
    assert_number(n, "patterns.0.price", 6.7786);
    assert_number(n, "totals.total", number_at(n, "totals.provisioned.total"));
    n = cost((struct cost_options){ 0 });
    assert_number(n, "totals.total", number_at(n, "totals.onDemand.total"));
}

static void test_totals_are_the_sum_of_what_is_known(void **state)
{
    (void)state;
    read_model(expected);
    const struct json *n = cost((struct cost_options){ 0 });
    double reads = number_at(n, "patterns.0.onDemand") + number_at(n, "patterns.1.onDemand");
    assert_number(n, "totals.onDemand.reads", reads);
    assert_number(n, "totals.onDemand.total",
                  reads + number_at(n, "totals.onDemand.writes") + number_at(n, "totals.onDemand.storage"));
}

static void test_what_is_unknown_stays_null_and_says_what_to_state(void **state)
{
    (void)state;
    read_model(expected);
    const struct json *n = cost((struct cost_options){ 0 });
    assert_number(n, "patterns.2.readUnits", -1);
    assert_number(n, "patterns.2.price", -1);
    assert_int_equal(JSON_GET(n, "complete")->type, JSON_FALSE);
    assert_int_equal(JSON_GET(n, "unknown")->count, 1);
    assert_holds((const char *)report_buf.p, "{\"on\":\"mystery\",\"state\":\"sample data that answers it, or expect:");
}

static void test_sample_data_tells_sizes(void **state)
{
    (void)state;
    static const char sampled[] =
        "onefold: 1\n"
        "table: shop\n"
        "data: data.yaml\n"
        "entities:\n"
        "  User:\n"
        "    key: { PK: \"U#${id}\", SK: P }\n"
        "    unique: [email]\n"
        "    attributes: { id: { required: true }, email: { required: true } }\n"
        "    rate: { put: 1/s, update: 1/s }\n"
        "patterns:\n"
        "  user: { of: User, by: [id], rate: 1/s }\n";
    read_model_with(sampled, "User:\n  - { id: u1, email: a@x }\n  - { id: u2, email: b@x }\n");
    const struct json *n = cost((struct cost_options){ 0 });
    /* PK U#u1, SK P, entity_type User, email a@x, id u1 */
    assert_number(n, "entities.0.bytes", 2 + 4 + 2 + 1 + 11 + 4 + 5 + 3 + 2 + 2);
    assert_number(n, "entities.0.itemsPerPut", 2);
    assert_number(n, "entities.0.put.writeUnits", 4); /* the item and its sentinel, twice each */
    assert_number(n, "entities.0.update.writeUnits", 1);
    assert_number(n, "patterns.0.items", 1);
    assert_number(n, "entities.0.storage.price", -1); /* nobody said how many */
}

static void test_one_table_per_entity_takes_more_round_trips_and_fewer_writes(void **state)
{
    (void)state;
    read_model(expected);
    const struct json *n = cost((struct cost_options){ .against_tables = true });
    assert_number(n, "patterns.0.tables.requests", 1);
    assert_number(n, "patterns.1.requests", 1);
    assert_number(n, "patterns.1.tables.requests", 2); /* customer and orders */
    assert_number(n, "patterns.1.tables.readUnits", 3); /* 10,000 bytes from each: three blocks, halved, twice */
    /* item 2, an index entry in place of the copy 2, the entry 2; no transaction */
    assert_number(n, "entities.1.tables.put.writeUnits", 6);
    assert_true(number_at(n, "tables.onDemand.writes") < number_at(n, "totals.onDemand.writes"));
    n = cost((struct cost_options){ 0 });
    assert_null(JSON_GET(n, "tables"));
}

static void test_rates_and_items_are_scaled_and_what_a_run_reads_is_not(void **state)
{
    (void)state;
    read_model(expected);
    const struct json *n = cost((struct cost_options){ .scale = 10 });
    assert_number(n, "scale", 10);
    assert_number(n, "patterns.0.readUnits", 0.5);
    assert_number(n, "patterns.0.runsPerMonth", 1000 * MONTH);
    assert_number(n, "patterns.0.onDemand", 164.25);
    assert_number(n, "entities.1.put.writeUnits", 10);
    assert_number(n, "entities.1.put.onDemand", 1642.5);
    assert_number(n, "entities.1.storage.items", 1e7);
    assert_number(n, "entities.1.storage.price", 11.1759);
    assert_null(JSON_GET(n, "growth"));
}

static void test_growth_is_what_each_scale_would_report(void **state)
{
    (void)state;
    static const double scales[] = { 0.1, 1, 250 };
    static const char *const sums[] = { "onDemand.reads", "onDemand.writes", "onDemand.storage", "onDemand.total",
                                        "provisioned.reads", "provisioned.writes", "provisioned.storage",
                                        "provisioned.total" };
    double alone[3][8];
    char path[64];
    read_model(expected);
    for (size_t i = 0; i < 3; i++) {
        const struct json *n = cost((struct cost_options){ .scale = scales[i] });
        for (size_t k = 0; k < 8; k++) {
            snprintf(path, sizeof path, "totals.%s", sums[k]);
            alone[i][k] = number_at(n, path);
        }
    }
    /* Of what the model states, whatever the report itself is scaled by. */
    const struct json *n = cost((struct cost_options){ .scale = 5, .scales = scales, .n_scales = 3 });
    assert_int_equal(JSON_GET(n, "growth")->count, 3);
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "growth.%d.scale", i);
        assert_number(n, path, scales[i]);
        for (size_t k = 0; k < 8; k++) {
            snprintf(path, sizeof path, "growth.%d.%s", i, sums[k]);
            assert_number(n, path, alone[i][k]);
        }
    }
}

static void test_a_scale_that_is_none_is_refused(void **state)
{
    (void)state;
    static const double bad[] = { -1, 1e7, NAN, INFINITY };
    read_model(expected);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct reporter r = reporter();
        assert_int_equal(report_cost(&r, &(struct cost_options){ .scale = bad[i] }), ERR_ValidationException);
        r = reporter();
        assert_int_equal(report_cost(&r, &(struct cost_options){ .scales = &bad[i], .n_scales = 1 }), ERR_ValidationException);
    }
}

static void test_prices_come_from_a_file(void **state)
{
    (void)state;
    char path[128];
    read_model_with(expected, "");
    write_file("prices.yaml", "name: eu-west-1\ndate: 2026-05-01\ncurrency: EUR\nonDemand: { read: 1, write: 2 }\nstorage: 3\n",
               path);
    const struct json *n = cost((struct cost_options){ .prices = slice_str(path) });
    assert_number(n, "patterns.0.onDemand", 131.4);
    assert_true(slice_eq(JSON_GET(JSON_GET(n, "prices"), "currency")->text, SLICE("EUR")));
    assert_true(slice_eq(JSON_GET(JSON_GET(n, "prices"), "source")->text, slice_str(path)));
}

static void test_a_wrong_price_list_is_told_with_its_place(void **state)
{
    (void)state;
    static const struct { const char *text, *part; } bad[] = {
        { "onDemnd: { read: 1 }\n", "prices.yaml:1:1: onDemnd is not a name of a price list; did you mean onDemand?" },
        { "storage: lots\n", "storage is not a price" },
        { "utilization: 2\n", "utilization is more than 0 and at most 1" },
        { "[1]\n", "prices are a map" },
    };
    char path[128];
    read_model_with(expected, "");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_file("prices.yaml", bad[i].text, path);
        struct reporter r = reporter();
        assert_int_equal(report_cost(&r, &(struct cost_options){ .prices = slice_str(path) }), ERR_ValidationException);
        assert_holds((const char *)arena_printf(&arena, "%.*s", SLICE_ARG(error.message)).p, bad[i].part);
    }
    struct reporter r = reporter();
    assert_int_equal(report_cost(&r, &(struct cost_options){ .prices = SLICE("/no/such/file") }), ERR_ValidationException);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_are_units_times_rate_times_price),
        cmocka_unit_test(test_writes_count_copies_twice_and_entries_once),
        cmocka_unit_test(test_the_mode_chooses_the_price),
        cmocka_unit_test(test_totals_are_the_sum_of_what_is_known),
        cmocka_unit_test(test_what_is_unknown_stays_null_and_says_what_to_state),
        cmocka_unit_test(test_sample_data_tells_sizes),
        cmocka_unit_test(test_one_table_per_entity_takes_more_round_trips_and_fewer_writes),
        cmocka_unit_test(test_rates_and_items_are_scaled_and_what_a_run_reads_is_not),
        cmocka_unit_test(test_growth_is_what_each_scale_would_report),
        cmocka_unit_test(test_a_scale_that_is_none_is_refused),
        cmocka_unit_test(test_prices_come_from_a_file),
        cmocka_unit_test(test_a_wrong_price_list_is_told_with_its_place),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
