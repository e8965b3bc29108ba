/* test_resource_policy.c: the policy of a stream, which is not that of its table and goes by the stream's label; and the
 * endpoint of a caller that came by no network. */
#include "engine_fixture.h"
#include "engine/catalog.h"
#include "engine/ops.h"

#define ARN    "arn:aws:dynamodb:us-east-1:000000000000:table/shop"
#define STREAM ARN "/stream/2023-11-14T22:13:20.123"
#define POLICY(action)                                                                             \
    "{\\'Version\\':\\'2012-10-17\\',\\'Statement\\':[{\\'Effect\\':\\'Deny\\',"                        \
    "\\'Principal\\':\\'*\\',\\'Action\\':\\'" action "\\',\\'Resource\\':\\'*\\'}]}"

/* As if a stream had been switched on at a known time. */
static int begin_stream(struct store_txn *txn, void *ctx)
{
    struct arena *a = ctx;
    struct slice record;
    int status;
    struct table *t = catalog_read(txn, a, SLICE("shop"), &status);
    if (status) return status;
    t->stream_view = SLICE("KEYS_ONLY");
    t->stream_created_ms = 1700000000123;
    return catalog_write(txn, a, t, &record);
}

static void open_with_stream(struct fixture *f)
{
    fixture_open(f, &(struct store_options){ 0 });
    assert_holds(q(f, "CreateTable",
                   "{'TableName':'shop','BillingMode':'PAY_PER_REQUEST','AttributeDefinitions':[{"
                   "'AttributeName':'p','AttributeType':'S'}],'KeySchema':[{'AttributeName':'p',"
                   "'KeyType':'HASH'}]}"),
                 "CREATING");
    assert_int_equal(store_update(f->store, begin_stream, &f->text), 0);
}

static void test_a_stream_has_a_policy_of_its_own(void **state)
{
    (void)state;
    struct fixture f;
    open_with_stream(&f);
    assert_holds(q(&f, "PutResourcePolicy", "{'ResourceArn':'" STREAM "','Policy':'%s'}",
                   POLICY("dynamodb:GetRecords")),
                 "RevisionId");
    assert_holds(q(&f, "GetResourcePolicy", "{'ResourceArn':'" STREAM "'}"), "GetRecords");
    assert_holds(q(&f, "GetResourcePolicy", "{'ResourceArn':'" ARN "'}"),
                 "PolicyNotFoundException");
    assert_holds(q(&f, "PutResourcePolicy", "{'ResourceArn':'" ARN "','Policy':'%s'}",
                   POLICY("dynamodb:GetItem")),
                 "RevisionId");
    assert_holds(q(&f, "PutResourcePolicy",
                   "{'ResourceArn':'" STREAM "','ExpectedRevisionId':'7','Policy':'%s'}",
                   POLICY("dynamodb:GetRecords")),
                 "associated to target stream 2023-11-14T22:13:20.123 has revision id");
    assert_holds(q(&f, "DeleteResourcePolicy", "{'ResourceArn':'" STREAM "'}"), "RevisionId");
    assert_holds(q(&f, "GetResourcePolicy", "{'ResourceArn':'" STREAM "'}"),
                 "PolicyNotFoundException");
    assert_holds(q(&f, "GetResourcePolicy", "{'ResourceArn':'" ARN "'}"), "GetItem");
    fixture_close(&f);
}

static void test_a_stream_goes_by_its_label(void **state)
{
    (void)state;
    struct fixture f;
    open_with_stream(&f);
    assert_holds(q(&f, "GetResourcePolicy", "{'ResourceArn':'" ARN "/stream/2023-11-14T22:13:20.124'}"),
                 "Stream: 2023-11-14T22:13:20.124 not found for Table: shop");
    fixture_close(&f);
}

static void test_without_a_network_there_is_no_endpoint(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f, &(struct store_options){ 0 });
    assert_string_equal(q(&f, "DescribeEndpoints", "{}"), "{\"Endpoints\":[]}");
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_stream_has_a_policy_of_its_own),
        cmocka_unit_test(test_a_stream_goes_by_its_label),
        cmocka_unit_test(test_without_a_network_there_is_no_endpoint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
