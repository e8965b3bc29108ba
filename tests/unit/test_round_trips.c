/* test_round_trips.c: how often an operation goes to the store, counted by the memory store. On a
 * backend across a network each of these is a wait. */
#include "engine_fixture.h"

static uint64_t reads(struct fixture *f)
{
    struct store_stats stats;
    store_get_stats(f->store, &stats);
    return stats.reads;
}

static int set_up(void **state)
{
    static struct fixture f;
    const struct store_options o = { .count_reads = true };
    fixture_open(&f, &o);
    assert_holds(q(&f, "CreateTable",
                   "{'TableName':'shop','BillingMode':'PAY_PER_REQUEST',"
                   "'AttributeDefinitions':[{'AttributeName':'pk','AttributeType':'S'},"
                   "{'AttributeName':'sk','AttributeType':'N'},"
                   "{'AttributeName':'g1','AttributeType':'S'},"
                   "{'AttributeName':'g2','AttributeType':'S'}],"
                   "'KeySchema':[{'AttributeName':'pk','KeyType':'HASH'},"
                   "{'AttributeName':'sk','KeyType':'RANGE'}],"
                   "'GlobalSecondaryIndexes':["
                   "{'IndexName':'one','KeySchema':[{'AttributeName':'g1','KeyType':'HASH'}],"
                   "'Projection':{'ProjectionType':'ALL'}},"
                   "{'IndexName':'two','KeySchema':[{'AttributeName':'g2','KeyType':'HASH'}],"
                   "'Projection':{'ProjectionType':'KEYS_ONLY'}}]}"),
                 "TableDescription");
    for (int i = 0; i < 200; i++) {
        q(&f, "PutItem",
          "{'TableName':'shop','Item':{'pk':{'S':'p'},'sk':{'N':'%d'},'g1':{'S':'x'},'g2':{'S':'y%"
          "d'}}}",
          i, i);
    }
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture_close(*state);
    return 0;
}

/* How many reads a request takes: the fewest of some tries, since a job in the background may read in between. */
static uint64_t fewest_reads(struct fixture *f, const char *operation, const char *request, const char *holds)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 10; i++) {
        uint64_t before = reads(f), n;
        assert_holds(q(f, operation, "%s", request), holds);
        n = reads(f) - before;
        if (n < least) least = n;
    }
    return least;
}

static void test_get_item_takes_one(void **state)
{
    assert_int_equal(fewest_reads(*state, "GetItem", "{'TableName':'shop','Key':{'pk':{'S':'p'},'sk':{'N':'7'}}}", "\"sk\":{\"N\":\"7\"}"), 1);
}

static void test_query_takes_one(void **state)
{
    const char *const requests[] = {
        "{'TableName':'shop','KeyConditionExpression':'pk = :p',"
        "'ExpressionAttributeValues':{':p':{'S':'p'}},'Limit':20}",
        "{'TableName':'shop','KeyConditionExpression':'pk = :p and sk > :s',"
        "'ExpressionAttributeValues':{':p':{'S':'p'},':s':{'N':'100'}},'Limit':20,"
        "'ScanIndexForward':false}",
        "{'TableName':'shop','IndexName':'one','KeyConditionExpression':'g1 = :p',"
        "'ExpressionAttributeValues':{':p':{'S':'x'}},'Limit':20}",
    };
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
        assert_int_equal(fewest_reads(*state, "Query", requests[i], "\"Count\":20"), 1);
}

static void test_batch_get_item_of_100_takes_at_most_two(void **state)
{
    struct fixture *f = *state;
    struct buf b;
    buf_init(&b, &f->text, 1 << 20);
    BUF_LIT(&b, "{'RequestItems':{'shop':{'Keys':[");
    for (int i = 0; i < 100; i++)
        buf_printf(&b, "%s{'pk':{'S':'p'},'sk':{'N':'%d'}}", i ? "," : "", i);
    BUF_LIT(&b, "]}}}");
    buf_u8(&b, 0);
    assert_true(fewest_reads(f, "BatchGetItem", (const char *)b.p, "\"sk\":{\"N\":\"99\"}") <= 2);
}

static void test_transact_get_items_takes_one(void **state)
{
    assert_int_equal(fewest_reads(*state, "TransactGetItems",
                                  "{'TransactItems':[{'Get':{'TableName':'shop','Key':{'pk':{'S':'p'},'sk':{'N':'1'}}}},"
                                  "{'Get':{'TableName':'shop','Key':{'pk':{'S':'p'},'sk':{'N':'2'}}}}]}",
                                  "\"sk\":{\"N\":\"2\"}"),
                     1);
}

static void test_put_item_with_two_indexes_takes_at_most_two(void **state)
{
    assert_true(fewest_reads(*state, "PutItem",
                             "{'TableName':'shop','Item':{'pk':{'S':'p'},'sk':{'N':'7'},'g1':{'S':'x'},'g2':{'S':'z'}}}", "{}") <= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_get_item_takes_one),
        cmocka_unit_test(test_query_takes_one),
        cmocka_unit_test(test_batch_get_item_of_100_takes_at_most_two),
        cmocka_unit_test(test_transact_get_items_takes_one),
        cmocka_unit_test(test_put_item_with_two_indexes_takes_at_most_two),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
