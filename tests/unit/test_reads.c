/* test_reads.c: Query, Scan, BatchGetItem and TransactGetItems as a client sees them: pages,
 * indexes, what is refused. */
#include "engine_fixture.h"
#include <stdio.h>
#include <time.h>

static int set_up(void **state)
{
    static struct fixture f;
    const struct store_options o = { 0 };
    fixture_open(&f, &o);
    assert_holds(
        q(&f, "CreateTable",
          "{'TableName':'shop','BillingMode':'PAY_PER_REQUEST',"
          "'AttributeDefinitions':[{'AttributeName':'pk','AttributeType':'S'},"
          "{'AttributeName':'sk','AttributeType':'N'},{'AttributeName':'l','AttributeType':'S'},"
          "{'AttributeName':'g','AttributeType':'S'}],"
          "'KeySchema':[{'AttributeName':'pk','KeyType':'HASH'},"
          "{'AttributeName':'sk','KeyType':'RANGE'}],"
          "'LocalSecondaryIndexes':[{'IndexName':'local','KeySchema':["
          "{'AttributeName':'pk','KeyType':'HASH'},{'AttributeName':'l','KeyType':'RANGE'}],"
          "'Projection':{'ProjectionType':'KEYS_ONLY'}}],"
          "'GlobalSecondaryIndexes':[{'IndexName':'global','KeySchema':["
          "{'AttributeName':'g','KeyType':'HASH'}],"
          "'Projection':{'ProjectionType':'INCLUDE','NonKeyAttributes':['n']}}]}"),
        "TableDescription");
    assert_holds(q(&f, "CreateTable",
                   "{'TableName':'plain','BillingMode':'PAY_PER_REQUEST',"
                   "'AttributeDefinitions':[{'AttributeName':'pk','AttributeType':'S'}],"
                   "'KeySchema':[{'AttributeName':'pk','KeyType':'HASH'}]}"),
                 "TableDescription");
    for (int i = 0; i < 10; i++) {
        q(&f, "PutItem",
          "{'TableName':'shop','Item':{'pk':{'S':'p'},'sk':{'N':'%d'},'l':{'S':'%c'},"
          "'g':{'S':'x'},'n':{'N':'%d'},'more':{'S':'m%d'}}}",
          i, 'j' - i, i % 2, i);
    }
    q(&f, "PutItem", "{'TableName':'plain','Item':{'pk':{'S':'only'},'a':{'S':'1'}}}");
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture_close(*state);
    return 0;
}

#define QUERY "{'TableName':'shop','KeyConditionExpression':'pk = :p',"
#define P     "'ExpressionAttributeValues':{':p':{'S':'p'}}"

static void test_pages_follow_each_other_in_both_directions(void **state)
{
    struct fixture *f = *state;
    const char *a = q(f, "Query", QUERY P ",'Limit':4,'ProjectionExpression':'sk'}");
    assert_string_equal(a, "{\"Items\":[{\"sk\":{\"N\":\"0\"}},{\"sk\":{\"N\":\"1\"}},"
                           "{\"sk\":{\"N\":\"2\"}},{\"sk\":{\"N\":\"3\"}}],\"Count\":4,"
                           "\"ScannedCount\":4,\"LastEvaluatedKey\":{\"pk\":{\"S\":\"p\"},"
                           "\"sk\":{\"N\":\"3\"}}}");
    a = q(f, "Query",
          QUERY P ",'Limit':2,'ProjectionExpression':'sk','ScanIndexForward':false,"
                  "'ExclusiveStartKey':{'pk':{'S':'p'},'sk':{'N':'3'}}}");
    assert_holds(a, "\"Items\":[{\"sk\":{\"N\":\"2\"}},{\"sk\":{\"N\":\"1\"}}]");
    /* The last page ends with its range, unless the Limit ends it. */
    a = q(f, "Query", QUERY P ",'ExclusiveStartKey':{'pk':{'S':'p'},'sk':{'N':'8'}}}");
    assert_lacks(a, "LastEvaluatedKey");
    a = q(f, "Query", QUERY P ",'Limit':1,'ExclusiveStartKey':{'pk':{'S':'p'},'sk':{'N':'8'}}}");
    assert_holds(a, "LastEvaluatedKey");
}

static void test_the_filter_comes_after_the_limit(void **state)
{
    struct fixture *f = *state;
    const char *a = q(f, "Query",
                      QUERY "'FilterExpression':'n = :n','Select':'COUNT','Limit':5,"
                            "'ExpressionAttributeValues':{':p':{'S':'p'},':n':{'N':'1'}}}");
    assert_holds(a, "{\"Count\":2,\"ScannedCount\":5,\"LastEvaluatedKey\"");
}

static void test_a_local_index_is_completed_from_the_table(void **state)
{
    struct fixture *f = *state;
    const char *a = q(f, "Query",
                      QUERY P ",'IndexName':'local','Limit':2,'Select':'ALL_ATTRIBUTES',"
                              "'ReturnConsumedCapacity':'INDEXES'}");
    assert_holds(a, "\"more\":{\"S\":\"m9\"}");
    assert_holds(a, "\"CapacityUnits\":1.5,\"Table\":{\"CapacityUnits\":1.0},"
                    "\"LocalSecondaryIndexes\":{\"local\":{\"CapacityUnits\":0.5}}");
    assert_holds(a, "\"LastEvaluatedKey\":{\"l\":{\"S\":\"b\"},\"pk\":{\"S\":\"p\"},"
                    "\"sk\":{\"N\":\"8\"}}");
    a = q(f, "Query", QUERY P ",'IndexName':'local','Limit':2}");
    assert_lacks(a, "more");
    a = q(f, "Query", QUERY P ",'IndexName':'local','Limit':1,'ProjectionExpression':'more'}");
    assert_holds(a, "\"Items\":[{\"more\":{\"S\":\"m9\"}}]");
}

static void test_a_page_of_fetched_items_ends_at_1_mb(void **state)
{
    struct fixture *f = *state;
    struct buf b;
    buf_init(&b, &f->text, 1 << 20);
    memset(buf_reserve(&b, 300000), 'x', 300000);
    b.n = 300000;
    for (int i = 0; i < 6; i++) {
        q(f, "PutItem",
          "{'TableName':'shop','Item':{'pk':{'S':'big'},'sk':{'N':'%d'},'l':{'S':'%d'},'v':{'S':'%."
          "*s'}}}",
          i, i, (int)b.n, (const char *)b.p);
    }
    const char *request = "{'TableName':'shop','KeyConditionExpression':'pk = :p',"
                          "'ExpressionAttributeValues':{':p':{'S':'big'}}%s}";
    char text[400];
    snprintf(text, sizeof text, request, ",'IndexName':'local','Select':'ALL_ATTRIBUTES'");
    const char *a = q(f, "Query", "%s", text);
    assert_holds(a, "\"Count\":4,\"ScannedCount\":4,\"LastEvaluatedKey\"");
    snprintf(text, sizeof text, request, "");
    assert_holds(q(f, "Query", "%s", text), "\"Count\":4,\"ScannedCount\":4,\"LastEvaluatedKey\"");
    snprintf(text, sizeof text, request, ",'IndexName':'local','Select':'COUNT'");
    assert_holds(q(f, "Query", "%s", text), "{\"Count\":6,\"ScannedCount\":6}");
}

static void test_what_an_index_does_not_hold_is_refused(void **state)
{
    struct fixture *f = *state;
    const char *global =
        "{'TableName':'shop','IndexName':'global','KeyConditionExpression':'g = :g',"
        "'ExpressionAttributeValues':{':g':{'S':'x'}%s},%s}";
    char text[600];
    snprintf(text, sizeof text, global, "", "'Select':'ALL_ATTRIBUTES'");
    assert_holds(
        q(f, "Query", "%s", text),
        "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not "
        "supported for global secondary index global because its projection type is not ALL");
    snprintf(text, sizeof text, global, "", "'ProjectionExpression':'pk, more, n'");
    assert_holds(q(f, "Query", "%s", text),
                 "Global secondary index global does not project [more]");
    snprintf(text, sizeof text, global, ",':m':{'S':'m'}", "'FilterExpression':'more = :m'");
    assert_holds(q(f, "Query", "%s", text),
                 "Secondary index global does not project one or more filter attributes: [more]");
    snprintf(text, sizeof text, global, "", "'ConsistentRead':true");
    assert_holds(q(f, "Query", "%s", text),
                 "Consistent reads are not supported on global secondary indexes");
    snprintf(text, sizeof text, global, ",':m':{'S':'m'}", "'FilterExpression':'g = :m'");
    assert_holds(q(f, "Query", "%s", text),
                 "Filter Expression can only contain non-primary key attributes: Primary key "
                 "attribute: g");
}

static void test_select_and_projections_exclude_each_other(void **state)
{
    struct fixture *f = *state;
    assert_holds(q(f, "Query", QUERY P ",'Select':'COUNT','ProjectionExpression':'n'}"),
                 "\"Cannot specify the ProjectionExpression when choosing to get only the Count\"");
    assert_holds(q(f, "Scan", "{'TableName':'shop','Select':'COUNT','AttributesToGet':['n']}"),
                 "\"Cannot specify the AttributesToGet when choosing to get only the Count\"");
    assert_holds(q(f, "Scan", "{'TableName':'shop','Select':'ALL_PROJECTED_ATTRIBUTES'}"),
                 "\"ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName\"");
    assert_holds(q(f, "Scan", "{'TableName':'shop','Select':'SPECIFIC_ATTRIBUTES'}"),
                 "\"Must specify the AttributesToGet or ProjectionExpression when choosing to get "
                 "SPECIFIC_ATTRIBUTES\"");
}

static void test_start_keys_that_fit_nowhere_are_refused(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *key, *text;
    } cases[] = {
        { "{}", "\"The provided starting key is invalid\"" },
        { "{'pk':{'S':'p'}}", "\"The provided starting key is invalid\"" },
        { "{'pk':{'S':'p'},'sk':{'N':'1'},'z':{'N':'1'}}",
          "\"The provided starting key is invalid\"" },
        { "{'pk':{'S':'p'},'sk':{'S':'1'}}",
          "\"The provided key element does not match the schema\"" },
        { "{'pk':{'S':'other'},'sk':{'N':'1'}}", "\"The provided starting key is outside query "
                                                 "boundaries based on provided conditions\"" },
        { "{'pk':{},'sk':{'N':'1'}}",
          "\"The provided starting key is invalid: Supplied AttributeValue is empty, must contain "
          "exactly one of the supported datatypes\"" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_holds(q(f, "Query", QUERY P ",'ExclusiveStartKey':%s}", cases[i].key),
                     cases[i].text);
    }
    assert_holds(q(f, "Query",
                   "{'TableName':'plain','KeyConditionExpression':'pk = :p',"
                   "'ExpressionAttributeValues':{':p':{'S':'only'}},"
                   "'ExclusiveStartKey':{'pk':{'S':'only'}}}"),
                 "The provided exclusive start key is invalid: ExclusiveStartKey: "
                 "{pk=AttributeValue: {S:only}}");
    assert_holds(q(f, "Scan", "{'TableName':'shop','ExclusiveStartKey':{'pk':{'S':'p'}}}"),
                 "\"The provided starting key is invalid: The provided key element does not match "
                 "the schema\"");
}

static void test_a_query_of_one_row_has_no_next_page(void **state)
{
    struct fixture *f = *state;
    assert_string_equal(q(f, "Query",
                          "{'TableName':'plain','KeyConditionExpression':'pk = :p','Limit':1,"
                          "'ExpressionAttributeValues':{':p':{'S':'only'}}}"),
                        "{\"Items\":[{\"a\":{\"S\":\"1\"},\"pk\":{\"S\":\"only\"}}],\"Count\":1,"
                        "\"ScannedCount\":1}");
}

static void test_segments_are_checked(void **state)
{
    struct fixture *f = *state;
    assert_holds(q(f, "Scan", "{'TableName':'shop','Segment':0}"),
                 "The TotalSegments parameter is required but was not present in the request when "
                 "Segment parameter is present");
    assert_holds(q(f, "Scan", "{'TableName':'shop','TotalSegments':4}"),
                 "The Segment parameter is required but was not present in the request when "
                 "parameter TotalSegments is present");
    assert_holds(q(f, "Scan", "{'TableName':'shop','Segment':5,'TotalSegments':5}"),
                 "The Segment parameter is zero-based and must be less than parameter "
                 "TotalSegments: Segment: 5 is not less than TotalSegments: 5");
    assert_holds(q(f, "Scan",
                   "{'TableName':'shop','Segment':0,'TotalSegments':1000000,"
                   "'ExclusiveStartKey':{'pk':{'S':'p'},'sk':{'N':'1'}}}"),
                 "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use "
                 "ExclusiveStartKey with correct Segment. TotalSegments: 1000000 Segment: 0");
}

static void test_batch_get_hands_back_what_passes_16_mb(void **state)
{
    struct fixture *f = *state;
    struct buf b, keys;
    buf_init(&b, &f->text, 1 << 20);
    buf_init(&keys, &f->text, 1 << 20);
    memset(buf_reserve(&b, 400000), 'y', 400000);
    b.n = 400000;
    for (int i = 0; i < 50; i++) {
        q(f, "PutItem", "{'TableName':'plain','Item':{'pk':{'S':'y%02d'},'v':{'S':'%.*s'}}}", i,
          (int)b.n, (const char *)b.p);
        buf_printf(&keys, "%s{'pk':{'S':'y%02d'}}", i ? "," : "", i);
    }
    const char *a = q(f, "BatchGetItem",
                      "{'RequestItems':{'plain':{'Keys':[%.*s],'ConsistentRead':true,"
                      "'ProjectionExpression':'#k','ExpressionAttributeNames':{'#k':'pk'}}}}",
                      (int)keys.n, (const char *)keys.p);
    /* 16 MB hold 41 items of 400,011 bytes. */
    assert_holds(a, "{\"pk\":{\"S\":\"y40\"}}]");
    assert_holds(a, "\"UnprocessedKeys\":{\"plain\":{\"Keys\":[{\"pk\":{\"S\":\"y41\"}},");
    assert_holds(a, "{\"pk\":{\"S\":\"y49\"}}],\"ConsistentRead\":true,"
                    "\"ProjectionExpression\":\"#k\",\"ExpressionAttributeNames\":"
                    "{\"#k\":\"pk\"}}}");
}

static void test_batch_get_refuses_duplicates(void **state)
{
    struct fixture *f = *state;
    assert_holds(q(f, "BatchGetItem",
                   "{'RequestItems':{'shop':{'Keys':[{'pk':{'S':'p'},'sk':{'N':'10'}},"
                   "{'pk':{'S':'p'},'sk':{'N':'1e1'}}]}}}"),
                 "Provided list of item keys contains duplicates");
}

static void test_transact_get_answers_in_order(void **state)
{
    struct fixture *f = *state;
    const char *a = q(f, "TransactGetItems",
                      "{'ReturnConsumedCapacity':'TOTAL','TransactItems':["
                      "{'Get':{'TableName':'plain','Key':{'pk':{'S':'only'}}}},"
                      "{'Get':{'TableName':'plain','Key':{'pk':{'S':'absent'}}}},"
                      "{'Get':{'TableName':'shop','Key':{'pk':{'S':'p'},'sk':{'N':'2'}},"
                      "'ProjectionExpression':'n'}}]}");
    assert_string_equal(a,
                        "{\"Responses\":[{\"Item\":{\"a\":{\"S\":\"1\"},\"pk\":{\"S\":\"only\"}}},"
                        "{},{\"Item\":{\"n\":{\"N\":\"0\"}}}],\"ConsumedCapacity\":["
                        "{\"TableName\":\"plain\",\"CapacityUnits\":4.0,"
                        "\"ReadCapacityUnits\":4.0},{\"TableName\":\"shop\","
                        "\"CapacityUnits\":2.0,\"ReadCapacityUnits\":2.0}]}");
    a = q(f, "TransactGetItems",
          "{'TransactItems':[{'Get':{'TableName':'plain','Key':{'pk':{'S':'only'}}}},"
          "{'Get':{'TableName':'plain','Key':{}}}]}");
    assert_holds(a, "[None, ValidationError]");
    assert_holds(a, "\"CancellationReasons\":[{\"Code\":\"None\"},{\"Code\":\"ValidationError\","
                    "\"Message\":\"The provided key element does not match the schema\"}]");
    a = q(f, "TransactGetItems",
          "{'TransactItems':[{'Get':{'TableName':'plain','Key':{'pk':{'S':'only'}}}},"
          "{'Get':{'TableName':'plain','Key':{'pk':{'S':'only'}}}}]}");
    assert_holds(a, "Transaction request cannot include multiple operations on one item");
}

/* ---- what a page costs ---- */

static double microseconds(struct fixture *f, const char *pk, bool forward)
{
    double best = 1e9;
    for (int i = 0; i < 200; i++) {
        struct timespec from, to;
        clock_gettime(CLOCK_MONOTONIC, &from);
        q(f, "Query",
          "{'TableName':'shop','KeyConditionExpression':'pk = :p','Limit':20,"
          "'ScanIndexForward':%s,'ExpressionAttributeValues':{':p':{'S':'%s'}}}",
          forward ? "true" : "false", pk);
        clock_gettime(CLOCK_MONOTONIC, &to);
        double us =
            (double)(to.tv_sec - from.tv_sec) * 1e6 + (double)(to.tv_nsec - from.tv_nsec) / 1e3;
        if (us < best) best = us;
    }
    return best;
}

static void fill(struct fixture *f, const char *pk, int items)
{
    for (int i = 0; i < items; i += 25) {
        struct buf b;
        arena_reset(&f->text);
        buf_init(&b, &f->text, 1 << 20);
        for (int k = i; k < i + 25; k++) {
            buf_printf(&b, "%s{'PutRequest':{'Item':{'pk':{'S':'%s'},'sk':{'N':'%d'}}}}",
                       k > i ? "," : "", pk, k);
        }
        q(f, "BatchWriteItem", "{'RequestItems':{'shop':[%.*s]}}", (int)b.n, (const char *)b.p);
    }
}

static void test_a_page_of_a_large_collection_costs_as_that_of_a_small_one(void **state)
{
    struct fixture *f = *state;
    fill(f, "small", 100);
    fill(f, "large", 100000);
    for (int forward = 0; forward < 2; forward++) {
        double small = microseconds(f, "small", forward);
        double large = microseconds(f, "large", forward);
        if (large > 3 * small + 20) fail_msg("%.1f us against %.1f us", large, small);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pages_follow_each_other_in_both_directions),
        cmocka_unit_test(test_the_filter_comes_after_the_limit),
        cmocka_unit_test(test_a_local_index_is_completed_from_the_table),
        cmocka_unit_test(test_a_page_of_fetched_items_ends_at_1_mb),
        cmocka_unit_test(test_what_an_index_does_not_hold_is_refused),
        cmocka_unit_test(test_select_and_projections_exclude_each_other),
        cmocka_unit_test(test_start_keys_that_fit_nowhere_are_refused),
        cmocka_unit_test(test_a_query_of_one_row_has_no_next_page),
        cmocka_unit_test(test_segments_are_checked),
        cmocka_unit_test(test_batch_get_hands_back_what_passes_16_mb),
        cmocka_unit_test(test_batch_get_refuses_duplicates),
        cmocka_unit_test(test_transact_get_answers_in_order),
        cmocka_unit_test(test_a_page_of_a_large_collection_costs_as_that_of_a_small_one),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
