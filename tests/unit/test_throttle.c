/* test_throttle.c: capacity that ends, by a clock of the test's: buckets, burst, partitions, what batches and transactions say. */
#include "engine_fixture.h"
#include "moved_clock.h"
#include "engine/partition_count.h"
#include "engine/throttle_impl.h"
#include "engine/watch.h"
#include <stdio.h>

#define UNIT 2000 /* of a bucket's level */

static void test_a_bucket(void **state)
{
    (void)state;
    struct bucket b = { 0 };
    bucket_fill(&b, 5, 300, 1000, 1000);
    assert_int_equal(b.level, 5 * UNIT); /* one second's to begin with */
    b.level -= 8 * UNIT;
    bucket_fill(&b, 5, 300, 1000, 1500);
    assert_int_equal(b.level, -UNIT / 2);
    bucket_fill(&b, 5, 300, 1000, 1501);
    assert_int_equal(b.level, -UNIT / 2 + 10);
    bucket_fill(&b, 5, 300, 1000, 900); /* a clock that was put back gives and takes nothing */
    assert_int_equal(b.level, -UNIT / 2 + 10);
    bucket_fill(&b, 5, 300, 1000, INT64_C(4000000000000));
    assert_int_equal(b.level, 5 * 300 * UNIT);
    bucket_fill(&b, 1, 300, 1000, INT64_C(4000000000000)); /* less was given since */
    assert_int_equal(b.level, 300 * UNIT);
    struct bucket old = { 0 };
    bucket_fill(&old, 5, 300, 1000, 11000);
    assert_int_equal(old.level, 55 * UNIT);
    struct bucket huge = { 0 };
    int64_t most = (int64_t)PARTITIONS_MAX * PARTITION_READ_UNITS;
    bucket_fill(&huge, most, 300, 0, 0);
    bucket_fill(&huge, most, 300, 0, INT64_MAX);
    assert_int_equal(huge.level, most * 300 * UNIT);
}

static struct throughput given(int64_t read, int64_t write, int64_t warm_read, int64_t warm_write)
{
    return (struct throughput){ .read = read, .write = write, .warm_read = warm_read, .warm_write = warm_write };
}

static void test_partitions_by_the_rule(void **state)
{
    (void)state;
    static const struct {
        enum billing_mode billing;
        int64_t read, write, warm_read, warm_write;
        uint32_t partitions;
    } rows[] = {
        { BILLING_PROVISIONED, 1, 1, 0, 0, 1 },         { BILLING_PROVISIONED, 3000, 0, 0, 0, 1 },
        { BILLING_PROVISIONED, 3000, 1, 0, 0, 2 },      { BILLING_PROVISIONED, 1500, 500, 0, 0, 1 },
        { BILLING_PROVISIONED, 1501, 500, 0, 0, 2 },    { BILLING_PROVISIONED, 9000, 2000, 0, 0, 5 },
        { BILLING_PROVISIONED, 5, 5, 12000, 4000, 4 },  { BILLING_PAY_PER_REQUEST, 0, 0, 0, 0, 4 },
        { BILLING_PAY_PER_REQUEST, 0, 0, 12000, 4000, 4 }, { BILLING_PAY_PER_REQUEST, 0, 0, 12001, 4000, 5 },
        { BILLING_PAY_PER_REQUEST, 0, 0, 0, 40000, 40 }, { BILLING_PROVISIONED, INT64_MAX, INT64_MAX, INT64_MAX, 1, PARTITIONS_MAX },
        { BILLING_PROVISIONED, -1, -1, -1, -1, 1 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct throughput t = given(rows[i].read, rows[i].write, rows[i].warm_read, rows[i].warm_write);
        if (throughput_partitions(rows[i].billing, &t) != rows[i].partitions) fail_msg("row %zu", i);
    }
    assert_int_equal(partition_of_hash(0, 4), 0);
    assert_int_equal(partition_of_hash(0x3fffffff, 4), 0);
    assert_int_equal(partition_of_hash(0x40000000, 4), 1);
    assert_int_equal(partition_of_hash(UINT32_MAX, 4), 3);
    assert_int_equal(partition_of_hash(UINT32_MAX, 1), 0);
}

/* ---- an engine whose clock stands still unless it is moved ---- */

static void open_throttled(struct fixture *f)
{
    clock_ms = INT64_C(1700000000000);
    fixture_open_with(f, &(struct store_options){ 0 }, &(struct engine_options){ .now_ms = read_clock, .throttle = true });
}

static void create(struct fixture *f, const char *name, int read, int write, const char *more)
{
    assert_holds(q(f, "CreateTable",
                   "{'TableName':'%s','KeySchema':[{'AttributeName':'p','KeyType':'HASH'},{'AttributeName':'s','KeyType':'RANGE'}],"
                   "'AttributeDefinitions':[{'AttributeName':'p','AttributeType':'S'},{'AttributeName':'s','AttributeType':'S'}%s],"
                   "'ProvisionedThroughput':{'ReadCapacityUnits':%d,'WriteCapacityUnits':%d}%s}",
                   name, *more ? ",{'AttributeName':'g','AttributeType':'S'}" : "", read, write, more),
                 "CREATING");
}

#define THROTTLED "#ProvisionedThroughputExceededException"
#define PUT(name, sort) q(&f, "PutItem", "{'TableName':'" name "','Item':{'p':{'S':'x'},'s':{'S':'" sort "'}}}")
#define GET(name) q(&f, "GetItem", "{'TableName':'" name "','Key':{'p':{'S':'x'},'s':{'S':'1'}},'ConsistentRead':true}")

static void test_writes_and_reads_have_their_own(void **state)
{
    (void)state;
    struct fixture f;
    open_throttled(&f);
    create(&f, "tab", 2, 1, "");
    assert_string_equal(PUT("tab", "1"), "{}");
    const char *answer = PUT("tab", "2");
    assert_holds(answer, THROTTLED);
    assert_holds(answer, "The level of configured provisioned throughput for the table was exceeded.");
    assert_holds(answer, "\"ThrottlingReasons\":[{\"reason\":\"TableWriteProvisionedThroughputExceeded\","
                         "\"resource\":\"arn:aws:dynamodb:us-east-1:000000000000:table/tab\"}]");
    assert_holds(GET("tab"), "Item");
    assert_holds(GET("tab"), "Item");
    assert_holds(GET("tab"), "TableReadProvisionedThroughputExceeded");
    clock_ms += 499;
    assert_holds(GET("tab"), "Item"); /* almost one unit is more than none */
    assert_holds(GET("tab"), THROTTLED);
    clock_ms += 1;
    assert_holds(PUT("tab", "2"), "{}");
    assert_holds(PUT("tab", "2"), THROTTLED);
    clock_ms += 300000; /* all of the burst, and not more */
    for (int i = 0; i < 300; i++) assert_string_equal(PUT("tab", "3"), "{}");
    assert_holds(PUT("tab", "3"), THROTTLED);
    fixture_close(&f);
}

static void test_what_was_refused_changed_nothing(void **state)
{
    (void)state;
    struct fixture f;
    open_throttled(&f);
    create(&f, "tab", 100, 1, "");
    assert_string_equal(PUT("tab", "1"), "{}");
    assert_holds(PUT("tab", "2"), THROTTLED);
    assert_holds(q(&f, "DeleteItem", "{'TableName':'tab','Key':{'p':{'S':'x'},'s':{'S':'1'}}}"), THROTTLED);
    assert_holds(q(&f, "UpdateItem", "{'TableName':'tab','Key':{'p':{'S':'x'},'s':{'S':'1'}},'UpdateExpression':'SET a = p'}"), THROTTLED);
    /* What is wrong with a request is said first, a condition is not looked at. */
    assert_holds(q(&f, "DeleteItem", "{'TableName':'tab','Key':{'p':{'S':'x'}}}"), "ValidationException");
    assert_holds(q(&f, "DeleteItem", "{'TableName':'tab','Key':{'p':{'S':'x'},'s':{'S':'1'}},'ConditionExpression':'attribute_exists(nothere)'}"), THROTTLED);
    assert_holds(q(&f, "Scan", "{'TableName':'tab'}"), "\"Count\":1");
    clock_ms += 1000;
    /* A condition that fails is paid for. */
    assert_holds(q(&f, "DeleteItem", "{'TableName':'tab','Key':{'p':{'S':'x'},'s':{'S':'1'}},'ConditionExpression':'attribute_exists(nothere)'}"),
                 "ConditionalCheckFailed");
    assert_holds(PUT("tab", "2"), THROTTLED);
    fixture_close(&f);
}

/* The developer guide, "Conditional writes: capacity units consumed": of the item that is there and the one that would have
 * been, the larger is paid for. */
static void test_a_condition_that_fails_is_paid_by_the_larger_image(void **state)
{
    (void)state;
    static const char *const writes[][2] = {
        { "PutItem", "{'TableName':'tab','Item':{'p':{'S':'x'},'s':{'S':'1'},'b':{'S':'%010200d'}},'ConditionExpression':'attribute_exists(nothere)'}" },
        { "UpdateItem", "{'TableName':'tab','Key':{'p':{'S':'x'},'s':{'S':'1'}},'UpdateExpression':'SET b = :b',"
                        "'ExpressionAttributeValues':{':b':{'S':'%010200d'}},'ConditionExpression':'attribute_exists(nothere)'}" },
    };
    for (size_t i = 0; i < 2; i++) {
        struct fixture f;
        open_throttled(&f);
        create(&f, "tab", 1, 1, "");
        struct slice text = arena_printf(&f.text, writes[i][1], 0);
        assert_holds(q(&f, writes[i][0], "%.*s", SLICE_ARG(text)), "ConditionalCheckFailed");
        clock_ms += 9000; /* ten units: one was there, nine are owed */
        assert_holds(PUT("tab", "1"), THROTTLED);
        clock_ms += 1;
        assert_string_equal(PUT("tab", "1"), "{}");
        fixture_close(&f);
    }
}

static void test_queries_and_scans_may_owe(void **state)
{
    (void)state;
    struct fixture f;
    open_throttled(&f);
    create(&f, "tab", 1, 1000, "");
    for (int i = 0; i < 10; i++) {
        assert_string_equal(q(&f, "PutItem", "{'TableName':'tab','Item':{'p':{'S':'x'},'s':{'S':'%d'},'b':{'S':'%04000d'}}}", i, 0), "{}");
    }
    const char *const query = "{'TableName':'tab','KeyConditionExpression':'p = :p','ExpressionAttributeValues':{':p':{'S':'x'}},"
                              "'ReturnConsumedCapacity':'TOTAL'}";
    assert_holds(q(&f, "Query", "%s", query), "\"CapacityUnits\":5.0");
    assert_holds(q(&f, "Query", "%s", query), THROTTLED);
    clock_ms += 4000;
    assert_holds(q(&f, "Scan", "{'TableName':'tab'}"), THROTTLED);
    clock_ms += 1;
    assert_holds(q(&f, "Scan", "{'TableName':'tab'}"), "\"Count\":10");
    assert_holds(q(&f, "Scan", "{'TableName':'tab'}"), THROTTLED);
    fixture_close(&f);
}

static void test_batches_hand_back(void **state)
{
    (void)state;
    struct fixture f;
    open_throttled(&f);
    create(&f, "tab", 1, 2, "");
    const char *const writes = "{'RequestItems':{'tab':[{'PutRequest':{'Item':{'p':{'S':'x'},'s':{'S':'1'}}}},"
                               "{'PutRequest':{'Item':{'p':{'S':'x'},'s':{'S':'2'}}}},{'DeleteRequest':{'Key':{'p':{'S':'x'},'s':{'S':'3'}}}}]}}";
    assert_string_equal(q(&f, "BatchWriteItem", "%s", writes),
                        "{\"UnprocessedItems\":{\"tab\":[{\"DeleteRequest\":{\"Key\":{\"p\":{\"S\":\"x\"},\"s\":{\"S\":\"3\"}}}}]}}");
    assert_holds(q(&f, "BatchWriteItem", "%s", writes), THROTTLED);
    const char *const reads = "{'RequestItems':{'tab':{'Keys':[{'p':{'S':'x'},'s':{'S':'1'}},{'p':{'S':'x'},'s':{'S':'2'}},"
                              "{'p':{'S':'x'},'s':{'S':'3'}}],'ProjectionExpression':'s'}}}";
    const char *answer = q(&f, "BatchGetItem", "%s", reads);
    assert_holds(answer, "\"Responses\":{\"tab\":[{\"s\":{\"S\":\"1\"}},{\"s\":{\"S\":\"2\"}}]}");
    assert_holds(answer, "\"UnprocessedKeys\":{\"tab\":{\"Keys\":[{\"p\":{\"S\":\"x\"},\"s\":{\"S\":\"3\"}}],\"ProjectionExpression\":\"s\"}}");
    assert_holds(q(&f, "BatchGetItem", "%s", reads), "TableReadProvisionedThroughputExceeded");
    clock_ms += 500;
    assert_holds(q(&f, "BatchGetItem", "%s", reads), "\"UnprocessedKeys\":{\"tab\":{\"Keys\":[{\"p\":{\"S\":\"x\"},\"s\":{\"S\":\"2\"}}");
    fixture_close(&f);
}

static void test_transactions_are_cancelled(void **state)
{
    (void)state;
    struct fixture f;
    open_throttled(&f);
    create(&f, "full", 1, 1, "");
    create(&f, "free", 100, 100, "");
    assert_string_equal(PUT("full", "1"), "{}");
    const char *answer = q(&f, "TransactWriteItems", "{'TransactItems':[{'Put':{'TableName':'free','Item':{'p':{'S':'x'},'s':{'S':'1'}}}},"
                                                     "{'Put':{'TableName':'full','Item':{'p':{'S':'x'},'s':{'S':'2'}}}}]}");
    assert_holds(answer, "TransactionCanceledException");
    assert_holds(answer, "[None, ProvisionedThroughputExceeded]");
    assert_holds(answer, "\"CancellationReasons\":[{\"Code\":\"None\"},{\"Code\":\"ProvisionedThroughputExceeded\",\"Message\":\"The level of "
                         "configured provisioned throughput for the table was exceeded. Consider increasing your provisioning level with the "
                         "UpdateTable API.\"}]}");
    assert_holds(GET("full"), "Item");
    answer = q(&f, "TransactGetItems", "{'TransactItems':[{'Get':{'TableName':'full','Key':{'p':{'S':'x'},'s':{'S':'1'}}}}]}");
    assert_holds(answer, "[ProvisionedThroughputExceeded]");
    assert_string_equal(GET("free"), "{}");
    fixture_close(&f);
}

#define INDEX(write) ",'GlobalSecondaryIndexes':[{'IndexName':'inx','KeySchema':[{'AttributeName':'g','KeyType':'HASH'}]," \
                     "'Projection':{'ProjectionType':'KEYS_ONLY'},'ProvisionedThroughput':{'ReadCapacityUnits':1,'WriteCapacityUnits':" write "}}]"

static void test_an_index_presses_back(void **state)
{
    (void)state;
    struct fixture f;
    open_throttled(&f);
    create(&f, "tab", 100, 100, INDEX("1"));
    assert_string_equal(PUT("tab", "1"), "{}"); /* not in the index */
    assert_string_equal(q(&f, "PutItem", "{'TableName':'tab','Item':{'p':{'S':'x'},'s':{'S':'2'},'g':{'S':'a'}}}"), "{}");
    const char *answer = PUT("tab", "3");
    assert_holds(answer, "for one or more global secondary indexes of the table was exceeded");
    assert_holds(answer, "\"reason\":\"IndexWriteProvisionedThroughputExceeded\",\"resource\":\"arn:aws:dynamodb:us-east-1:000000000000:table/tab/index/inx\"");
    const char *const query = "{'TableName':'tab','IndexName':'inx','KeyConditionExpression':'g = :g','ExpressionAttributeValues':{':g':{'S':'a'}}}";
    assert_holds(q(&f, "Query", "%s", query), "\"Count\":1");
    assert_holds(q(&f, "Query", "%s", query), "\"Count\":1");
    assert_holds(q(&f, "Query", "%s", query), "IndexReadProvisionedThroughputExceeded");
    assert_holds(GET("tab"), "Item");
    clock_ms += 1000;
    assert_string_equal(PUT("tab", "3"), "{}");
    fixture_close(&f);
}

static void test_a_partition_has_its_own_limit(void **state)
{
    (void)state;
    struct fixture f;
    open_throttled(&f);
    create(&f, "tab", 100000, 20000, ""); /* 54 partitions */
    clock_ms += 300000;
    for (int i = 0; i < 100; i++) {
        assert_string_equal(q(&f, "PutItem", "{'TableName':'tab','Item':{'p':{'S':'x'},'s':{'S':'%d'},'b':{'S':'%010200d'}}}", i, 0), "{}");
    }
    assert_holds(PUT("tab", "1"), "TableWriteKeyRangeThroughputExceeded");
    assert_string_equal(q(&f, "PutItem", "{'TableName':'tab','Item':{'p':{'S':'another partition'},'s':{'S':'1'}}}"), "{}");
    clock_ms += 10000;
    for (int i = 0; i < 10; i++) { /* nothing was kept of the other nine seconds */
        q(&f, "PutItem", "{'TableName':'tab','Item':{'p':{'S':'x'},'s':{'S':'a%d'},'b':{'S':'%0102200d'}}}", i, 0);
    }
    assert_holds(PUT("tab", "1"), "TableWriteKeyRangeThroughputExceeded");
    /* 3,000 units of reads: a thousand of the items of 10 KB. */
    const char *get = "{'TableName':'tab','Key':{'p':{'S':'x'},'s':{'S':'1'}},'ConsistentRead':true}";
    for (int i = 0; i < 1000; i++) assert_holds(q(&f, "GetItem", "%s", get), "\"Item\"");
    assert_holds(q(&f, "GetItem", "%s", get), "TableReadKeyRangeThroughputExceeded");
    fixture_close(&f);
}

static void test_on_demand(void **state)
{
    (void)state;
    struct fixture f;
    open_throttled(&f);
    assert_holds(q(&f, "CreateTable",
                   "{'TableName':'tab','KeySchema':[{'AttributeName':'p','KeyType':'HASH'},{'AttributeName':'s','KeyType':'RANGE'}],"
                   "'AttributeDefinitions':[{'AttributeName':'p','AttributeType':'S'},{'AttributeName':'s','AttributeType':'S'}],"
                   "'BillingMode':'PAY_PER_REQUEST','OnDemandThroughput':{'MaxReadRequestUnits':1}}"),
                 "CREATING");
    for (int i = 0; i < 3; i++) {
        assert_string_equal(q(&f, "PutItem", "{'TableName':'tab','Item':{'p':{'S':'x'},'s':{'S':'1'},'b':{'S':'%0400000d'}}}", 0), "{}");
    }
    const char *answer = PUT("tab", "1");
    assert_holds(answer, "com.amazon.coral.availability#ThrottlingException");
    assert_holds(answer, "Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling");
    assert_holds(answer, "\"throttlingReasons\":[{\"reason\":\"TableWriteKeyRangeThroughputExceeded\"");
    assert_holds(GET("tab"), "Item");
    answer = GET("tab");
    assert_holds(answer, "Throughput exceeds the maximum OnDemandThroughput configured on table or index");
    assert_holds(answer, "TableReadMaxOnDemandThroughputExceeded");
    answer = q(&f, "TransactWriteItems", "{'TransactItems':[{'Put':{'TableName':'tab','Item':{'p':{'S':'x'},'s':{'S':'1'}}}}]}");
    assert_holds(answer, "[ThrottlingError]");
    fixture_close(&f);
}

static void test_more_is_given_at_once(void **state)
{
    (void)state;
    struct fixture f;
    open_throttled(&f);
    create(&f, "tab", 1, 1, "");
    PUT("tab", "1");
    assert_holds(PUT("tab", "1"), THROTTLED);
    assert_holds(q(&f, "UpdateTable", "{'TableName':'tab','ProvisionedThroughput':{'ReadCapacityUnits':1,'WriteCapacityUnits':1000}}"), "UPDATING");
    clock_ms += 1;
    assert_string_equal(PUT("tab", "1"), "{}");
    assert_holds(PUT("tab", "1"), THROTTLED);
    clock_ms += 1;
    assert_string_equal(PUT("tab", "1"), "{}");
    fixture_close(&f);
}

static uint64_t throttled(struct fixture *f, const char *operation)
{
    struct watch w;
    struct counters_row row = { 0 };
    engine_watch(f->engine, &f->text, &w);
    for (size_t i = 0; i < w.n_operations; i++) {
        if (!strcmp(watch_operation(i), operation)) counters_total(engine_counters(f->engine), i, w.second, &row, NULL);
    }
    return row.failures[FAILURE_THROTTLED];
}

static void test_it_is_counted_as_throttled(void **state)
{
    (void)state;
    struct fixture f;
    open_throttled(&f);
    create(&f, "tab", 1, 1, "");
    PUT("tab", "1");
    PUT("tab", "1");
    assert_int_equal(throttled(&f, "PutItem"), 1);
    q(&f, "TransactWriteItems", "{'TransactItems':[{'Put':{'TableName':'tab','Item':{'p':{'S':'x'},'s':{'S':'1'}}}}]}");
    assert_int_equal(throttled(&f, "TransactWriteItems"), 1);
    q(&f, "BatchWriteItem", "{'RequestItems':{'tab':[{'PutRequest':{'Item':{'p':{'S':'x'},'s':{'S':'1'}}}}]}}");
    assert_int_equal(throttled(&f, "BatchWriteItem"), 1);
    fixture_close(&f);
}

static void test_tables_beyond_the_meters(void **state)
{
    (void)state;
    struct fixture f;
    open_throttled(&f);
    for (int i = 0; i < THROTTLE_METERS + 20; i++) {
        char name[16];
        snprintf(name, sizeof name, "tab%d", i);
        create(&f, name, 1, 1, "");
        assert_string_equal(q(&f, "PutItem", "{'TableName':'%s','Item':{'p':{'S':'x'},'s':{'S':'1'}}}", name), "{}");
        assert_holds(q(&f, "PutItem", "{'TableName':'%s','Item':{'p':{'S':'x'},'s':{'S':'1'}}}", name), THROTTLED);
    }
    assert_string_equal(PUT("tab0", "1"), "{}"); /* forgotten, so it begins anew */
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_bucket),
        cmocka_unit_test(test_partitions_by_the_rule),
        cmocka_unit_test(test_writes_and_reads_have_their_own),
        cmocka_unit_test(test_what_was_refused_changed_nothing),
        cmocka_unit_test(test_a_condition_that_fails_is_paid_by_the_larger_image),
        cmocka_unit_test(test_queries_and_scans_may_owe),
        cmocka_unit_test(test_batches_hand_back),
        cmocka_unit_test(test_transactions_are_cancelled),
        cmocka_unit_test(test_an_index_presses_back),
        cmocka_unit_test(test_a_partition_has_its_own_limit),
        cmocka_unit_test(test_on_demand),
        cmocka_unit_test(test_more_is_given_at_once),
        cmocka_unit_test(test_it_is_counted_as_throttled),
        cmocka_unit_test(test_tables_beyond_the_meters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
