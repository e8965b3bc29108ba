/* test_table_ops.c: CreateTable, DescribeTable, ListTables, UpdateTable and DeleteTable: what they
 * refuse, in which words, and what they show. */
#include "engine_fixture.h"
#include <stdio.h>
#include <string.h>

#define INVALID                   "\"One or more parameter values were invalid: "
#define ON_DEMAND                 "'TableName':'shop','BillingMode':'PAY_PER_REQUEST'"
#define P                         "{'AttributeName':'p','AttributeType':'S'}"
#define S                         "{'AttributeName':'s','AttributeType':'N'}"
#define X                         "{'AttributeName':'x','AttributeType':'S'}"
#define HASH(a)                   "{'AttributeName':'" a "','KeyType':'HASH'}"
#define RANGE(a)                  "{'AttributeName':'" a "','KeyType':'RANGE'}"
#define ALL                       "'Projection':{'ProjectionType':'ALL'}"
#define INDEX(name, schema, rest) "{'IndexName':'" name "','KeySchema':[" schema "]," rest "}"
#define TABLE_P                   ON_DEMAND ",'AttributeDefinitions':[" P "],'KeySchema':[" HASH("p") "]"
#define TABLE_PX                  ON_DEMAND ",'AttributeDefinitions':[" P "," X "],'KeySchema':[" HASH("p") "]"
#define TABLE_PSX                                                                                  \
    ON_DEMAND ",'AttributeDefinitions':[" P "," S "," X                                            \
              "],'KeySchema':[" HASH("p") "," RANGE("s") "]"
#define GLOBAL(list) ",'GlobalSecondaryIndexes':[" list "]"
#define LOCAL(list)  ",'LocalSecondaryIndexes':[" list "]"

static int set_up(void **state)
{
    static struct fixture f;
    memset(&f, 0, sizeof f);
    fixture_open(&f, &(struct store_options){ 0 });
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture_close(*state);
    return 0;
}

struct refusal {
    const char *request, *text;
};

static void assert_refused(struct fixture *f, const char *operation, const struct refusal *r,
                           size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *answer = q(f, operation, "{%s}", r[i].request);
        if (!strstr(answer, r[i].text)) {
            fail_msg("%s\n  gave   %.800s\n  wanted %s", r[i].request, answer, r[i].text);
        }
    }
}

static void test_create_table_refuses(void **state)
{
    static const struct refusal refusals[] = {
        { "'TableName':'shop','AttributeDefinitions':[" P "],'KeySchema':[" HASH("p") "]", INVALID
          "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode "
          "is PROVISIONED\"" },
        { TABLE_P ",'ProvisionedThroughput':{'ReadCapacityUnits':1,'WriteCapacityUnits':1}",
          INVALID "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when "
                  "BillingMode is PAY_PER_REQUEST\"" },
        { "'TableName':'shop','AttributeDefinitions':[" P
          "],'KeySchema':[" HASH("p") "],"
                                      "'ProvisionedThroughput':{'ReadCapacityUnits':1000000000001,'"
                                      "WriteCapacityUnits':1}",
          "\"Given value 1000000000001 for ReadCapacityUnits is out of bounds\"" },
        { ON_DEMAND ",'AttributeDefinitions':[" P "," P "],'KeySchema':[" HASH("p") "]",
          "Attribute Name is duplicated: p" },
        { ON_DEMAND ",'AttributeDefinitions':[" P "],'KeySchema':[" HASH("p") "," RANGE("s") "]",
          "\"Invalid KeySchema: Some index key attribute have no definition\"" },
        { ON_DEMAND ",'AttributeDefinitions':[" X "],'KeySchema':[" HASH("p") "]",
          INVALID "Some index key attributes are not defined in AttributeDefinitions. Keys: [p], "
                  "AttributeDefinitions: [x]\"" },
        { ON_DEMAND ",'AttributeDefinitions':[" P "," S
                    "],'KeySchema':[" HASH("p") "," RANGE("p") "]",
          "\"Both the Hash Key and the Range Key element in the KeySchema have the same name\"" },
        { ON_DEMAND ",'AttributeDefinitions':[" P "],'KeySchema':[" RANGE("p") "]",
          "\"Invalid KeySchema: The first KeySchemaElement is not a HASH key type\"" },
        { ON_DEMAND ",'AttributeDefinitions':[" P "," S
                    "],'KeySchema':[" HASH("p") "," HASH("s") "]",
          "\"Invalid KeySchema: The second KeySchemaElement is not a RANGE key type\"" },
        { TABLE_PX, INVALID "Number of attributes in KeySchema does not exactly match number of "
                            "attributes defined in AttributeDefinitions\"" },
        { TABLE_PSX GLOBAL(INDEX("gsi", HASH("s"), ALL)),
          INVALID "Some AttributeDefinitions are not used. AttributeDefinitions: [p, s, x], keys "
                  "used: [p, s]\"" },
        { TABLE_P LOCAL(""), INVALID "List of LocalSecondaryIndexes is empty\"" },
        { TABLE_P GLOBAL(""), INVALID "List of GlobalSecondaryIndexes is empty\"" },
        { TABLE_PX LOCAL(INDEX("lsi", HASH("p") "," RANGE("x"), ALL)),
          INVALID "Table KeySchema does not have a range key, which is required when specifying a "
                  "LocalSecondaryIndex\"" },
        { TABLE_PSX LOCAL(INDEX("lsi", HASH("p"), ALL)),
          INVALID "Index KeySchema does not have a range key for index: lsi\"" },
        { TABLE_PSX LOCAL(INDEX("lsi", HASH("x") "," RANGE("s"), ALL)),
          INVALID "Index KeySchema does not have the same leading hash key as table KeySchema for "
                  "index: lsi. index hash key: x, table hash key: p\"" },
        { TABLE_PX GLOBAL(INDEX("gsi", HASH("x"), "'Projection':{}")),
          INVALID "Unknown ProjectionType: null\"" },
        { TABLE_PX GLOBAL(INDEX("gsi", HASH("x"),
                                "'Projection':{'ProjectionType':'ALL','NonKeyAttributes':['a']}")),
          INVALID "ProjectionType is ALL, but NonKeyAttributes is specified\"" },
        { TABLE_PX GLOBAL(INDEX("gsi", HASH("x"), "'Projection':{'ProjectionType':'INCLUDE'}")),
          INVALID "ProjectionType is INCLUDE, but NonKeyAttributes is not specified\"" },
        { TABLE_PX GLOBAL(INDEX("gsi", HASH("x"),
                                "'Projection':{'ProjectionType':'INCLUDE',"
                                "'NonKeyAttributes':['a','b','a']}")),
          INVALID "Duplicate element in NonKeyAttributes: a\"" },
        { TABLE_PX GLOBAL(INDEX("gsi", HASH("x"), ALL) "," INDEX("gsi", HASH("p"), ALL)),
          INVALID "Duplicate index name: gsi\"" },
        { TABLE_PX GLOBAL(INDEX("gsi", HASH("x"),
                                ALL ",'ProvisionedThroughput':{'ReadCapacityUnits':1,"
                                    "'WriteCapacityUnits':1}")),
          INVALID
          "ProvisionedThroughput should not be specified for index: gsi when BillingMode is "
          "PAY_PER_REQUEST\"" },
        { "'TableName':'shop','AttributeDefinitions':[" P "],'KeySchema':[" HASH(
              "p") "],"
                   "'ProvisionedThroughput':{'ReadCapacityUnits':1,'WriteCapacityUnits':1}" GLOBAL(
                       INDEX("gsi", HASH("p"), ALL)),
          INVALID "ProvisionedThroughput is not specified for index: gsi\"" },
        { TABLE_PX GLOBAL(INDEX("gsi", HASH("x") "," RANGE("p") "," HASH("p"), ALL)),
          "the same name\"" },
        { TABLE_PSX GLOBAL(INDEX("gsi", HASH("x") "," RANGE("p") "," HASH("s"), ALL)),
          "\"Invalid KeySchema: All HASH key attributes must precede RANGE key attributes in the "
          "KeySchema\"" },
        { TABLE_P ",'OnDemandThroughput':{'MaxReadRequestUnits':0}",
          INVALID "Requested MaxReadRequestUnits for OnDemandThroughput for table is outside of "
                  "valid range\"" },
        { TABLE_P ",'StreamSpecification':{'StreamEnabled':true}",
          INVALID "Table is being created with a stream enabled, UpdateViewType is required\"" },
        { TABLE_P ",'StreamSpecification':{'StreamEnabled':false,'StreamViewType':'KEYS_ONLY'}",
          INVALID "Table is being created with a stream disabled, UpdateViewType should not be "
                  "specified\"" },
        { TABLE_P ",'ResourcePolicy':'{}'", "Syntax error at position (1,3)" },
        { TABLE_P ",'GlobalTableSourceArn':'arn:aws:dynamodb:us-east-1:000000000000:table/other'",
          "GlobalTableSourceArn is not supported" },
    };
    assert_refused(*state, "CreateTable", refusals, sizeof refusals / sizeof *refusals);
    assert_holds(q(*state, "ListTables", "{}"), "{\"TableNames\":[]}");
}

/* A table of n global indexes, each including m attributes. */
static const char *create_many(struct fixture *f, int n, int m)
{
    char indexes[40000] = "";
    size_t at = 0;
    for (int i = 0; i < n; i++) {
        at += (size_t)snprintf(
            indexes + at, sizeof indexes - at,
            "%s{'IndexName':'gsi%d','KeySchema':[" HASH("p") "],'Projection':"
                                                             "{'ProjectionType':'%s",
            i ? "," : "", i, m ? "INCLUDE','NonKeyAttributes':[" : "ALL'");
        for (int k = 0; k < m; k++) {
            at += (size_t)snprintf(indexes + at, sizeof indexes - at, "%s'a%d'", k ? "," : "", k);
        }
        at += (size_t)snprintf(indexes + at, sizeof indexes - at, "%s}}", m ? "]" : "");
    }
    return q(f, "CreateTable", "{" TABLE_P ",'GlobalSecondaryIndexes':[%s]}", indexes);
}

static void test_limits_of_indexes(void **state)
{
    struct fixture *f = *state;
    assert_holds(create_many(f, 21, 0),
                 "GlobalSecondaryIndex count exceeds the per-table limit of 20");
    assert_holds(create_many(f, 20, 0), "\"CREATING\"");
    q(f, "DeleteTable", "{'TableName':'shop'}");
    assert_holds(create_many(f, 6, 17), "NonKeyAttributes count exceeds");
    assert_holds(create_many(f, 5, 20), "\"CREATING\"");
}

static void test_description_follows_creation(void **state)
{
    struct fixture *f = *state;
    const char *answer =
        q(f, "CreateTable",
          "{" TABLE_PSX LOCAL(
              INDEX("lsi", HASH("p") "," RANGE("x"), "'Projection':{'ProjectionType':'KEYS_ONLY'}"))
              GLOBAL(INDEX("gsi", HASH("x") "," HASH("s") "," RANGE("p"), ALL)) "}");
    assert_holds(answer, "\"TableStatus\":\"CREATING\"");
    assert_holds(answer, "\"IndexStatus\":\"CREATING\"");
    assert_lacks(answer, "Backfilling");
    assert_holds(answer, "\"BillingModeSummary\":{\"BillingMode\":\"PAY_PER_REQUEST\"}");
    answer = q(f, "DescribeTable", "{'TableName':'shop'}");
    assert_holds(answer, "\"TableStatus\":\"ACTIVE\"");
    assert_holds(answer, "\"IndexStatus\":\"ACTIVE\"");
    assert_holds(answer, "\"LastUpdateToPayPerRequestDateTime\":");
    assert_holds(answer, "\"TableArn\":\"arn:aws:dynamodb:us-east-1:000000000000:table/shop\"");
    assert_holds(answer,
                 "\"IndexArn\":\"arn:aws:dynamodb:us-east-1:000000000000:table/shop/index/gsi\"");
    assert_holds(answer, "\"KeySchema\":[{\"AttributeName\":\"x\",\"KeyType\":\"HASH\"},"
                         "{\"AttributeName\":\"s\",\"KeyType\":\"HASH\"},"
                         "{\"AttributeName\":\"p\",\"KeyType\":\"RANGE\"}]");
    assert_holds(answer, "\"Projection\":{\"ProjectionType\":\"KEYS_ONLY\"}");
    assert_lacks(answer, "StreamSpecification");
    assert_lacks(answer, "SSEDescription");
    /* By its ARN as well. */
    assert_holds(
        q(f, "DescribeTable", "{'TableName':'arn:aws:dynamodb:us-east-1:000000000000:table/shop'}"),
        "\"TableName\":\"shop\"");
    assert_holds(q(f, "CreateTable", "{" TABLE_P "}"), "\"Table already exists: shop\"");
    assert_holds(q(f, "DescribeTable", "{'TableName':'shopping'}"),
                 "\"Requested resource not found: Table: shopping not found\"");
}

static void test_deletion(void **state)
{
    struct fixture *f = *state;
    q(f, "CreateTable", "{" TABLE_P ",'DeletionProtectionEnabled':true}");
    assert_holds(
        q(f, "DeleteTable", "{'TableName':'shop'}"),
        "ValidationException\",\"message\":\"Resource cannot be deleted as it is currently "
        "protected against deletion. Disable deletion protection first.\"");
    assert_holds(q(f, "UpdateTable", "{'TableName':'shop','DeletionProtectionEnabled':false}"),
                 "\"DeletionProtectionEnabled\":false");
    const char *answer = q(f, "DeleteTable", "{'TableName':'shop'}");
    assert_holds(answer, "\"TableStatus\":\"DELETING\"");
    assert_lacks(answer, "KeySchema");
    assert_lacks(answer, "CreationDateTime");
    assert_holds(q(f, "DeleteTable", "{'TableName':'shop'}"),
                 "\"Requested resource not found: Table: shop not found\"");
    assert_holds(q(f, "CreateTable", "{" TABLE_P "}"), "\"CREATING\"");
}

static void test_list_tables_pages(void **state)
{
    struct fixture *f = *state;
    for (int i = 0; i < 5; i++) {
        q(f, "CreateTable",
          "{'TableName':'t%02d','BillingMode':'PAY_PER_REQUEST','AttributeDefinitions':[" P "],"
          "'KeySchema':[" HASH("p") "]}",
          i);
    }
    assert_string_equal(q(f, "ListTables", "{'Limit':2}"),
                        "{\"TableNames\":[\"t00\",\"t01\"],\"LastEvaluatedTableName\":\"t01\"}");
    assert_string_equal(q(f, "ListTables", "{'Limit':3,'ExclusiveStartTableName':'t01'}"),
                        "{\"TableNames\":[\"t02\",\"t03\",\"t04\"]}");
    assert_string_equal(q(f, "ListTables", "{'ExclusiveStartTableName':'t03x'}"),
                        "{\"TableNames\":[\"t04\"]}");
}

static void test_update_table_refuses(void **state)
{
    static const struct refusal refusals[] = {
        { "'TableName':'shop','GlobalSecondaryIndexUpdates':[]",
          "\"At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
          "GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, "
          "ReplicaTransitRoleArn, MultiRegionConsistency, DeletionProtectionEnabled, OnDemandThroughput, "
          "WarmThroughput or TableClass is required\"" },
        { "'TableName':'none','BillingMode':'PAY_PER_REQUEST'",
          "\"Requested resource not found: Table: none not found\"" },
        { "'TableName':'shop','BillingMode':'PROVISIONED'",
          INVALID "ProvisionedThroughput must be specified when BillingMode is PROVISIONED\"" },
        { "'TableName':'shop','ProvisionedThroughput':{'ReadCapacityUnits':1,'WriteCapacityUnits':"
          "1}",
          INVALID "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when "
                  "BillingMode is PAY_PER_REQUEST\"" },
        { "'TableName':'shop','GlobalSecondaryIndexUpdates':[{}]",
          INVALID "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
                  "GlobalSecondaryIndexUpdate.Delete must not be null\"" },
        { "'TableName':'shop','GlobalSecondaryIndexUpdates':[{'Delete':{'IndexName':'abc'}},"
          "{'Delete':{'IndexName':'abc'}}]",
          INVALID "Only one global secondary index update per index is allowed simultaneously. "
                  "Index: abc\"" },
        { "'TableName':'shop','GlobalSecondaryIndexUpdates':[{'Delete':{'IndexName':'abc'}},"
          "{'Delete':{'IndexName':'def'}}]",
          "LimitExceededException" },
        { "'TableName':'shop','GlobalSecondaryIndexUpdates':[{'Delete':{'IndexName':'abc'}}]",
          "ResourceNotFoundException" },
        { "'TableName':'shop','GlobalSecondaryIndexUpdates':[{'Delete':{'IndexName':'lsi'}}]",
          "Cannot delete an index that is not a GlobalSecondaryIndex: " },
        { "'TableName':'shop','AttributeDefinitions':[" X
          "],'GlobalSecondaryIndexUpdates':[{'Create':" INDEX("gsi", HASH("x"), ALL) "}]",
          "already exists" },
        { "'TableName':'shop','GlobalSecondaryIndexUpdates':[{'Create':" INDEX("more", HASH("x"),
                                                                               ALL) "}]",
          "AttributeDefinitions is not specified for index: more" },
        { "'TableName':'shop','AttributeDefinitions':[{'AttributeName':'x','AttributeType':'N'}],"
          "'GlobalSecondaryIndexUpdates':[{'Create':" INDEX("more", HASH("x"), ALL) "}]",
          "Existing schema: Schema:[SchemaElement: key{p:S:HASH}, SchemaElement: key{x:S:RANGE}] "
          "New "
          "schema: Schema:[SchemaElement: key{x:N:HASH}]" },
        { "'TableName':'shop','StreamSpecification':{'StreamEnabled':false}",
          "\"Table has no stream to disable: TableName: shop\"" },
        { "'TableName':'shop','StreamSpecification':{'StreamEnabled':true}",
          INVALID "If stream is being enabled then UpdateViewType is required\"" },
        { "'TableName':'shop','StreamSpecification':{'StreamEnabled':false,'StreamViewType':'KEYS_ONLY'}",
          INVALID "If stream is being disabled, then UpdateViewType must not be specified\"" },
        { "'TableName':'shop','StreamSpecification':{'StreamEnabled':true,'StreamViewType':'KEYS_ONLY'},"
          "'BillingMode':'PROVISIONED','ProvisionedThroughput':{'ReadCapacityUnits':1,'WriteCapacityUnits':1}",
          INVALID "You cannot modify stream status while updating table IOPS\"" },
        { "'TableName':'shop','StreamSpecification':{'StreamEnabled':true,'StreamViewType':'KEYS_ONLY'},"
          "'GlobalSecondaryIndexUpdates':[{'Delete':{'IndexName':'gsi'}}]",
          INVALID "You cannot create or delete index while changing stream status\"" },
        { "'TableName':'shop','ReplicaUpdates':[{'Create':{'RegionName':'eu-west-1'}}]",
          "ReplicaUpdates is not supported" },
    };
    struct fixture *f = *state;
    assert_holds(q(f, "CreateTable",
                   "{" TABLE_PSX LOCAL(INDEX("lsi", HASH("p") "," RANGE("x"), ALL))
                       GLOBAL(INDEX("gsi", HASH("x"), ALL)) "}"),
                 "\"CREATING\"");
    assert_refused(f, "UpdateTable", refusals, sizeof refusals / sizeof *refusals);
}

static void test_throughput_and_billing_change(void **state)
{
    struct fixture *f = *state;
    q(f, "CreateTable",
      "{'TableName':'shop','AttributeDefinitions':[" P "],'KeySchema':[" HASH(
          "p") "],"
               "'ProvisionedThroughput':{'ReadCapacityUnits':5,'WriteCapacityUnits':6}" GLOBAL(
                   INDEX("gsi", HASH("p"),
                         ALL ",'ProvisionedThroughput':{'ReadCapacityUnits':1,"
                             "'WriteCapacityUnits':2}")) "}");
    const char *answer = q(f, "DescribeTable", "{'TableName':'shop'}");
    assert_lacks(answer, "BillingModeSummary");
    assert_holds(answer, "{\"NumberOfDecreasesToday\":0,\"ReadCapacityUnits\":5,"
                         "\"WriteCapacityUnits\":6}");
    assert_holds(q(f, "UpdateTable",
                   "{'TableName':'shop','ProvisionedThroughput':"
                   "{'ReadCapacityUnits':5,'WriteCapacityUnits':6}}"),
                 "The provisioned throughput for the table will not change.");
    /* The answer shows the change under way, with the old numbers. */
    answer = q(f, "UpdateTable",
               "{'TableName':'shop','ProvisionedThroughput':"
               "{'ReadCapacityUnits':3,'WriteCapacityUnits':9}}");
    assert_holds(answer, "\"ReadCapacityUnits\":5,\"WriteCapacityUnits\":6");
    answer = q(f, "DescribeTable", "{'TableName':'shop'}");
    assert_holds(answer, "{\"NumberOfDecreasesToday\":1,\"LastIncreaseDateTime\":");
    assert_holds(answer, "\"ReadCapacityUnits\":3,\"WriteCapacityUnits\":9");

    q(f, "UpdateTable", "{'TableName':'shop','BillingMode':'PAY_PER_REQUEST'}");
    answer = q(f, "DescribeTable", "{'TableName':'shop'}");
    assert_holds(answer, "\"BillingModeSummary\":{\"BillingMode\":\"PAY_PER_REQUEST\","
                         "\"LastUpdateToPayPerRequestDateTime\":");
    assert_lacks(answer, "\"ReadCapacityUnits\":3");
    assert_holds(q(f, "UpdateTable",
                   "{'TableName':'shop','BillingMode':'PROVISIONED',"
                   "'ProvisionedThroughput':{'ReadCapacityUnits':7,"
                   "'WriteCapacityUnits':8}}"),
                 INVALID "ProvisionedThroughput must be specified for index: gsi\"");
    q(f, "UpdateTable",
      "{'TableName':'shop','BillingMode':'PROVISIONED',"
      "'ProvisionedThroughput':{'ReadCapacityUnits':7,'WriteCapacityUnits':8},"
      "'GlobalSecondaryIndexUpdates':[{'Update':{'IndexName':'gsi','ProvisionedThroughput':"
      "{'ReadCapacityUnits':70,'WriteCapacityUnits':80}}}]}");
    answer = q(f, "DescribeTable", "{'TableName':'shop'}");
    assert_holds(answer, "\"BillingMode\":\"PROVISIONED\"");
    assert_holds(answer, "\"ReadCapacityUnits\":7,\"WriteCapacityUnits\":8");
    assert_holds(answer, "\"ReadCapacityUnits\":70,\"WriteCapacityUnits\":80");
}

static void test_settings_are_kept(void **state)
{
    struct fixture *f = *state;
    const char *answer = q(f, "CreateTable",
      "{" TABLE_P ",'TableClass':'STANDARD_INFREQUENT_ACCESS','SSESpecification':{'Enabled':true},"
      "'OnDemandThroughput':{'MaxReadRequestUnits':10},'Tags':[{'Key':'k','Value':'v'}],"
      "'WarmThroughput':{'ReadUnitsPerSecond':20000,'WriteUnitsPerSecond':5000}}");
    assert_holds(answer, "\"WarmThroughput\":{\"ReadUnitsPerSecond\":20000,"
                         "\"WriteUnitsPerSecond\":5000,\"Status\":\"UPDATING\"}");
    answer = q(f, "DescribeTable", "{'TableName':'shop'}");
    assert_holds(answer, "\"TableClassSummary\":{\"TableClass\":\"STANDARD_INFREQUENT_ACCESS\"}");
    assert_holds(answer, "\"SSEDescription\":{\"Status\":\"ENABLED\",\"SSEType\":\"KMS\"");
    assert_holds(answer, "\"OnDemandThroughput\":{\"MaxReadRequestUnits\":10}");
    assert_holds(answer, "\"WarmThroughput\":{\"ReadUnitsPerSecond\":20000,"
                         "\"WriteUnitsPerSecond\":5000,\"Status\":\"ACTIVE\"}");
    q(f, "UpdateTable", "{'TableName':'shop','TableClass':'STANDARD'}");
    q(f, "UpdateTable",
      "{'TableName':'shop','OnDemandThroughput':{'MaxReadRequestUnits':-1}}");
    answer = q(f, "DescribeTable", "{'TableName':'shop'}");
    assert_holds(answer, "\"TableClass\":\"STANDARD\",\"LastUpdateDateTime\":");
    assert_lacks(answer, "OnDemandThroughput");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_create_table_refuses),
        TEST(test_limits_of_indexes),
        TEST(test_description_follows_creation),
        TEST(test_deletion),
        TEST(test_list_tables_pages),
        TEST(test_update_table_refuses),
        TEST(test_throughput_and_billing_change),
        TEST(test_settings_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
