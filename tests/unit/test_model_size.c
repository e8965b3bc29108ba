/* test_model_size.c: the item-size and capacity calculator. */
#include "report_fixture.h"

static const struct json *size_of(const char *item)
{
    struct reporter r = reporter();
    return report_json(report_size(&r, slice_str(item)));
}

static void test_bytes_of_names_and_values_are_counted(void **state)
{
    (void)state;
    /* PK 2 + 6, n 1 + 2 (one pair of digits and one more byte), b 1 + 1 */
    const struct json *n = size_of("{\"PK\":{\"S\":\"USER#1\"},\"n\":{\"N\":\"42\"},\"b\":{\"BOOL\":true}}");
    assert_number(n, "bytes", 8 + 3 + 2);
    assert_number(n, "attributes.0.bytes", 8);
    assert_number(n, "attributes.0.nameBytes", 2);
    assert_number(n, "attributes.0.valueBytes", 6);
    assert_number(n, "limit", 409600);
    assert_true(slice_eq(JSON_GET(n, "form")->text, SLICE("dynamodb")));
}

static void test_plain_json_is_the_same_item(void **state)
{
    (void)state;
    const struct json *n = size_of("{\"PK\":\"USER#1\",\"n\":42,\"b\":true}");
    assert_number(n, "bytes", 13);
    assert_true(slice_eq(JSON_GET(n, "form")->text, SLICE("plain")));
}

static void test_a_map_that_looks_typed_beside_one_that_does_not_is_plain(void **state)
{
    (void)state;
    const struct json *n = size_of("{\"a\":{\"S\":\"x\"},\"b\":\"y\"}");
    assert_true(slice_eq(JSON_GET(n, "form")->text, SLICE("plain")));
}

static const struct json *size_of_text(size_t bytes)
{
    struct buf b;
    buf_init(&b, &arena, (size_t)2 << 20);
    BUF_LIT(&b, "{\"a\":\"");
    for (size_t i = 1; i < bytes; i++) buf_u8(&b, 'x'); /* the name is one byte */
    BUF_LIT(&b, "\"}");
    buf_u8(&b, 0);
    return size_of((const char *)b.p);
}

static void test_units_are_rounded_up_at_their_borders(void **state)
{
    (void)state;
    const struct json *n = size_of_text(4096);
    assert_number(n, "read.strong", 1);
    assert_number(n, "read.eventual", 0.5);
    assert_number(n, "read.transactional", 2);
    assert_number(n, "write.standard", 4);
    assert_number(n, "write.transactional", 8);
    n = size_of_text(4097);
    assert_number(n, "read.strong", 2);
    assert_number(n, "write.standard", 5);
}

static void test_the_limit_is_400_kb(void **state)
{
    (void)state;
    assert_int_equal(JSON_GET(size_of_text(409600), "fits")->type, JSON_TRUE);
    assert_int_equal(JSON_GET(size_of_text(409601), "fits")->type, JSON_FALSE);
    assert_number(size_of_text(204800), "percent", 50);
}

static void test_a_query_rounds_its_sum_and_not_each_item(void **state)
{
    (void)state;
    const struct json *n = size_of_text(500);
    assert_number(n, "query.1.items", 10);
    assert_number(n, "query.1.strong", 2); /* 5,000 bytes */
    assert_number(n, "query.1.requests", 1);
    n = size_of_text(2048);
    assert_number(n, "query.3.bytes", 2048000);
    assert_number(n, "query.3.requests", 2); /* 512 to a page of a megabyte */
    assert_number(n, "query.3.strong", 500);
}

static void test_what_is_no_item_is_refused(void **state)
{
    (void)state;
    static const struct { const char *text, *part; } bad[] = {
        { "{\"a\":", "not JSON" },
        { "[1]", "an item is a JSON object" },
        { "{\"a\":{\"N\":\"x\"}}", "cannot be converted to a numeric value" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct reporter r = reporter();
        assert_int_equal(report_size(&r, slice_str(bad[i].text)), ERR_ValidationException);
        assert_holds((const char *)arena_printf(&arena, "%.*s", SLICE_ARG(error.message)).p, bad[i].part);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes_of_names_and_values_are_counted),
        cmocka_unit_test(test_plain_json_is_the_same_item),
        cmocka_unit_test(test_a_map_that_looks_typed_beside_one_that_does_not_is_plain),
        cmocka_unit_test(test_units_are_rounded_up_at_their_borders),
        cmocka_unit_test(test_the_limit_is_400_kb),
        cmocka_unit_test(test_a_query_rounds_its_sum_and_not_each_item),
        cmocka_unit_test(test_what_is_no_item_is_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
