/* test_api.c: requests against the shapes of the API. The expected texts were recorded from the
 * service. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "engine/api/api.h"
#include "engine/api/params.h"
#include "engine/ops.h"

struct sample {
    const char *op, *body, *message; /* no message: the request is fine */
};

static int validate(struct arena *a, const char *op_name, const char *body, struct err *e)
{
    const struct api_op *op = api_find(slice_str(op_name));
    assert_non_null(op);
    const struct json *node = json_parse(a, slice_str(body), 64, NULL);
    assert_non_null(node);
    *e = (struct err){ .arena = a };
    return api_validate(op, node, a, e);
}

static void expect_all(const struct sample *samples, size_t n, enum err_code code)
{
    for (size_t i = 0; i < n; i++) {
        struct arena a;
        struct err e;
        arena_init(&a, 16 << 20);
        int rc = validate(&a, samples[i].op, samples[i].body, &e);
        if (!samples[i].message) {
            if (rc)
                print_message("%s %s: %.*s\n", samples[i].op, samples[i].body,
                              SLICE_ARG(e.message));
            assert_int_equal(rc, 0);
        } else {
            if (rc != (int)code || !slice_eq(e.message, slice_str(samples[i].message)))
                print_message("%s %s\n  wanted: %s\n  got:    %.*s\n", samples[i].op,
                              samples[i].body, samples[i].message, rc ? (int)e.message.n : 0,
                              (const char *)e.message.p);
            assert_int_equal(rc, code);
            assert_true(slice_eq(e.message, slice_str(samples[i].message)));
        }
        arena_free(&a);
    }
}

#define EXPECT_ALL(samples, code)                                                                  \
    expect_all((samples), sizeof(samples) / sizeof((samples)[0]), (code))

static void test_every_operation_is_found_by_its_name(void **state)
{
    (void)state;
    static const char *const there[] = { "BatchExecuteStatement", "PutItem",
                                         "UpdateTimeToLive",      "GetRecords",
                                         "ListStreams",           "ImportTable" };
    for (size_t i = 0; i < sizeof(there) / sizeof(there[0]); i++) {
        const struct api_op *op = api_find(slice_str(there[i]));
        assert_non_null(op);
        assert_true(slice_eq(op->name, slice_str(there[i])));
    }
    assert_string_equal(api_find(SLICE("GetRecords"))->target, "DynamoDBStreams_20120810");
    assert_null(api_find(SLICE("PutItems")));
    assert_null(api_find(SLICE("putItem")));
    assert_null(api_find(SLICE("")));
}

static void test_every_operation_stands_where_the_api_has_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < op_count(); i++) {
        const struct api_op *op = api_find(slice_str(op_at(i)->name));
        assert_non_null(op);
        assert_int_equal(api_number(op), i);
    }
    assert_int_equal(api_number(api_find(SLICE("UpdateTimeToLive"))), op_count() - 1);
}

static void test_a_body_that_is_no_object_is_refused_without_a_message(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        { "ListTables", "null", "" },
        { "ListTables", "[]", "" },
        { "PutItem", "7", "" },
    };
    EXPECT_ALL(samples, ERR_SerializationException);
}

#define CAST                                                                                       \
    "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to class "  \
    "java.lang.Class (sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and "           \
    "java.lang.Class are in module java.base of loader 'bootstrap')"

static void test_wrong_types_in_the_words_of_the_deserializer(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        { "PutItem", "{\"TableName\":true}", "TRUE_VALUE cannot be converted to String" },
        { "PutItem", "{\"TableName\":23}", "NUMBER_VALUE cannot be converted to String" },
        { "PutItem", "{\"TableName\":34.56}", "DECIMAL_VALUE cannot be converted to String" },
        { "PutItem", "{\"TableName\":[]}", "Unrecognized collection type class java.lang.String" },
        { "PutItem", "{\"TableName\":{}}", "Start of structure or map found where not expected" },
        { "Scan", "{\"Limit\":\"23\"}", "STRING_VALUE cannot be converted to Integer" },
        { "Scan", "{\"Limit\":false}", "FALSE_VALUE cannot be converted to Integer" },
        { "Scan", "{\"Limit\":[]}", "Unrecognized collection type class java.lang.Integer" },
        { "CreateTable", "{\"ProvisionedThroughput\":{\"ReadCapacityUnits\":\"1\"}}",
          "STRING_VALUE cannot be converted to Long" },
        { "GetItem", "{\"ConsistentRead\":\"23\"}", "Unexpected token received from parser" },
        { "GetItem", "{\"ConsistentRead\":23}", "NUMBER_VALUE cannot be converted to Boolean" },
        { "GetItem", "{\"ConsistentRead\":[]}",
          "Unrecognized collection type class java.lang.Boolean" },
        { "CreateTable", "{\"KeySchema\":\"x\"}", "Unexpected field type" },
        { "CreateTable", "{\"KeySchema\":{}}",
          "Start of structure or map found where not expected" },
        { "CreateTable", "{\"KeySchema\":[1]}", "Unexpected value type in payload" },
        { "CreateTable", "{\"KeySchema\":[[]]}",
          "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.KeySchemaElement" },
        { "CreateTable", "{\"ProvisionedThroughput\":1}", "Unexpected field type" },
        { "CreateTable", "{\"ProvisionedThroughput\":[]}",
          "Unrecognized collection type class "
          "com.amazonaws.dynamodb.v20120810.ProvisionedThroughput" },
        { "PutItem", "{\"Item\":\"x\"}", "Unexpected field type" },
        { "PutItem", "{\"Item\":[]}",
          "Unrecognized collection type java.util.Map<java.lang.String, "
          "com.amazonaws.dynamodb.v20120810.AttributeValue>" },
        { "PutItem", "{\"Item\":{\"a\":\"x\"}}", "Unexpected value type in payload" },
        { "PutItem", "{\"Item\":{\"a\":[]}}",
          "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue" },
        { "PutItem", "{\"Expected\":{\"a\":{\"Value\":3}}}", "Unexpected field type" },
        { "PutItem", "{\"Item\":{\"a\":{\"M\":{\"b\":{\"N\":3}}}}}",
          "NUMBER_VALUE cannot be converted to String" },
        { "PutItem", "{\"ExpressionAttributeNames\":[]}",
          "Unrecognized collection type java.util.Map<java.lang.String, java.lang.String>" },
        { "PutItem", "{\"ExpressionAttributeNames\":{\"#a\":7}}",
          "NUMBER_VALUE cannot be converted to String" },
        { "BatchGetItem", "{\"RequestItems\":{\"abc\":{\"Keys\":[1]}}}", CAST },
        { "BatchWriteItem", "{\"RequestItems\":{\"abc\":1}}", CAST },
        { "BatchWriteItem", "{\"RequestItems\":[]}",
          "Unrecognized collection type java.util.Map<java.lang.String, "
          "java.util.List<com.amazonaws.dynamodb.v20120810.WriteRequest>>" },
    };
    EXPECT_ALL(samples, ERR_SerializationException);
}

static void test_what_is_fine(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        { "ListTables", "{}", NULL },
        { "ListTables", "{\"Limit\":null,\"Unknown\":[1,{\"x\":2}]}", NULL },
        { "GetItem",
          "{\"TableName\":\"abc\",\"Key\":{\"a\":{\"S\":\"x\"}},\"ConsistentRead\":\"Yes\"}",
          NULL },
        { "PutItem",
          "{\"TableName\":\"arn:aws:dynamodb:us-east-1:000000000000:table/abc\",\"Item\":{}}",
          NULL },
        { "Scan", "{\"TableName\":\"abc\",\"Limit\":1.9,\"Segment\":0,\"TotalSegments\":1e6}",
          NULL },
        { "BatchGetItem", "{\"RequestItems\":{\"abc\":{\"Keys\":[{}]}}}", NULL },
        { "TransactWriteItems", "{\"TransactItems\":[{}]}", NULL },
        { "CreateTable",
          "{\"TableName\":\"abc\",\"AttributeDefinitions\":[],\"KeySchema\":[{\"AttributeName\":"
          "\"a\","
          "\"KeyType\":\"HASH\"}],\"GlobalSecondaryIndexes\":[{\"IndexName\":\"gsi\","
          "\"Projection\":{},"
          "\"KeySchema\":[{\"AttributeName\":\"a\",\"KeyType\":\"HASH\"},{\"AttributeName\":\"b\","
          "\"KeyType\":\"RANGE\"},{\"AttributeName\":\"c\",\"KeyType\":\"RANGE\"}]}]}",
          NULL },
        /* Attribute values are the item layer's. */
        { "PutItem", "{\"TableName\":\"abc\",\"Item\":{\"a\":null,\"b\":{\"dog\":3}}}", NULL },
    };
    EXPECT_ALL(samples, ERR_NONE);
}

#define AT(value, path, rule) "Value " value " at '" path "' failed to satisfy constraint: " rule
#define NOT_NULL(path)        AT("null", path, "Member must not be null")
#define PATTERN               "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
#define LONGER(n)             "Member must have length greater than or equal to " #n
#define SHORTER(n)            "Member must have length less than or equal to " #n
#define ENUM(list)            "Member must satisfy enum value set: [" list "]"
#define CAPACITY              AT("'hi'", "returnConsumedCapacity", ENUM("INDEXES, TOTAL, NONE"))
#define METRICS               AT("'hi'", "returnItemCollectionMetrics", ENUM("SIZE, NONE"))
#define ONE                   "1 validation error detected: "
#define N(n)                  #n " validation errors detected: "

static void test_tables_are_created_with_every_error_at_once(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        { "CreateTable", "{}",
          "The parameter 'TableName' is required but was not present in the request" },
        { "DescribeTable", "{\"TableName\":null}",
          "The parameter 'TableName' is required but was not present in the request" },
        { "DescribeTable", "{\"TableName\":\"ab\"}", ONE AT("'ab'", "tableName", LONGER(3)) },
        { "DeleteTable", "{\"TableName\":\"abc;\"}", ONE AT("'abc;'", "tableName", PATTERN) },
        { "CreateTable", "{\"TableName\":\"abc;\"}",
          N(3) NOT_NULL("attributeDefinitions") "; " AT("'abc;'", "tableName",
                                                        PATTERN) "; " NOT_NULL("keySchema") },
        { "CreateTable",
          "{\"TableName\":\"abc\",\"AttributeDefinitions\":[],\"KeySchema\":[],"
          "\"BillingMode\":\"A\","
          "\"ProvisionedThroughput\":{\"ReadCapacityUnits\":-1,\"WriteCapacityUnits\":-1}}",
          N(4) AT("'A'", "billingMode", ENUM("PROVISIONED, PAY_PER_REQUEST")) "; " AT(
              "'-1'",
              "provisionedThroughput."
              "writeCapacityUnits",
              "Member must have value "
              "greater than or equal to "
              "1") "; " AT("'-1'",
                           "provisionedTh"
                           "roughput."
                           "readCapacityU"
                           "nits",
                           "Member must "
                           "have value "
                           "greater than "
                           "or equal to "
                           "1") "; " AT("'[]'", "keySchema", LONGER(1)) },
        { "CreateTable",
          "{\"TableName\":\"abc\",\"AttributeDefinitions\":[{\"AttributeType\":\"SS\"}],"
          "\"KeySchema\":["
          "{\"KeyType\":\"HASH\",\"AttributeName\":\"pk\"},{\"AttributeName\":\"a\"},"
          "{\"KeyType\":\"Woop\",\"AttributeName\":\"b\"}]}",
          N(5) NOT_NULL("attributeDefinitions.1.member.attributeName") "; " AT(
              "'SS'", "attributeDefinitions.1.member.attributeType",
              ENUM("B, N, S")) "; " AT("'[KeySchemaElement(attributeName=pk, keyType=HASH), "
                                       "KeySchemaElement(attributeName=a, keyType=null), "
                                       "KeySchemaElement(attributeName=b, keyType=Woop)]'",
                                       "keySchema",
                                       SHORTER(2)) "; " NOT_NULL("keySchema.2.member."
                                                                 "keyType") "; " AT("'Woop'",
                                                                                    "keySche"
                                                                                    "ma.3."
                                                                                    "member."
                                                                                    "keyTyp"
                                                                                    "e",
                                                                                    ENUM("HAS"
                                                                                         "H, "
                                                                                         "RAN"
                                                                                         "G"
                                                                                         "E")) },
        { "CreateTable",
          "{\"TableName\":\"abc\",\"AttributeDefinitions\":[],\"KeySchema\":[{"
          "\"AttributeName\":\"a\","
          "\"KeyType\":\"HASH\"}],\"LocalSecondaryIndexes\":[{\"IndexName\":\"l1\","
          "\"Projection\":{},"
          "\"KeySchema\":[{\"AttributeName\":\"a\",\"KeyType\":\"HASH\"}]}],"
          "\"GlobalSecondaryIndexes\":["
          "{\"IndexName\":\"g1\",\"KeySchema\":[{\"AttributeName\":\"a\",\"KeyType\":"
          "\"HASH\"}],"
          "\"Projection\":{\"ProjectionType\":\"abc\",\"NonKeyAttributes\":[]}}]}",
          N(4) AT("'g1'", "globalSecondaryIndexes.1.member.indexName", LONGER(3)) "; " AT(
              "'abc'", "globalSecondaryIndexes.1.member.projection.projectionType",
              ENUM("ALL, INCLUDE, KEYS_ONLY")) "; " AT("'[]'",
                                                       "globalSecondaryIndexes.1.member."
                                                       "projection.nonKeyAttributes",
                                                       LONGER(1)) "; " AT("'l1'",
                                                                          "localSecondaryIn"
                                                                          "dexes.1.member."
                                                                          "indexName",
                                                                          LONGER(3)) },
        { "UpdateTable",
          "{\"TableName\":\"abc\",\"GlobalSecondaryIndexUpdates\":[{\"Update\":{}}]}",
          ONE NOT_NULL("globalSecondaryIndexUpdates.1.member.update.indexName") },
        { "ListTables", "{\"ExclusiveStartTableName\":\"a;\",\"Limit\":500}",
          N(3) AT("'a;'", "exclusiveStartTableName", PATTERN) "; " AT(
              "'a;'", "exclusiveStartTableName",
              LONGER(3)) "; " AT("'500'", "limit",
                                 "Member must have value less than or equal to 100") },
        { "GetRecords", "{\"ShardIterator\":\"x\",\"Limit\":1001}",
          ONE AT("'1001'", "limit", "Member must have value less than or equal to 1000") },
    };
    EXPECT_ALL(samples, ERR_ValidationException);
}

static void test_no_more_than_ten_errors_are_listed(void **state)
{
    (void)state;
    struct arena a;
    struct err e;
    arena_init(&a, 1 << 20);
    int rc =
        validate(&a, "CreateTable",
                 "{\"TableName\":\"abc\",\"AttributeDefinitions\":[{},{},{},{},{},{},{}]}", &e);
    assert_int_equal(rc, ERR_ValidationException);
    assert_true(slice_starts(e.message, SLICE("10 validation errors detected: ")));
    assert_null(memmem(e.message.p, e.message.n, "definitions.6", 13));
    assert_null(memmem(e.message.p, e.message.n, "keySchema", 9));
    arena_free(&a);
}

#define RETURN_VALUES                                                                              \
    AT("'hi'", "returnValues", ENUM("ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW"))

static void test_item_operations_list_every_error(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        { "PutItem", "{}", N(2) NOT_NULL("tableName") "; " NOT_NULL("item") },
        { "GetItem", "{\"TableName\":\"abc\"}", ONE NOT_NULL("key") },
        { "UpdateItem", "{\"TableName\":\"\"}",
          N(2) AT("''", "tableName", LONGER(1)) "; " NOT_NULL("key") },
        { "UpdateItem",
          "{\"TableName\":\"\",\"ReturnConsumedCapacity\":\"hi\",\"ReturnValues\":\"hi\"}",
          N(4) CAPACITY "; " AT("''", "tableName",
                                LONGER(1)) "; " RETURN_VALUES "; " NOT_NULL("key") },
        { "UpdateItem", "{\"TableName\":\"abc\",\"ConditionalOperator\":\"XOR\"}",
          N(2) AT("'XOR'", "conditionalOperator", ENUM("OR, AND")) "; " NOT_NULL("key") },
        { "PutItem", "{\"TableName\":\"bad table!@#\",\"Item\":{}}",
          ONE AT("'bad table!@#'", "tableName", PATTERN) },
        { "PutItem", "{\"TableName\":\"xx\",\"Item\":{}}", ONE AT("'xx'", "tableName", LONGER(3)) },
        { "PutItem",
          "{\"TableName\":\"abc\",\"Item\":{},\"ReturnConsumedCapacity\":\"hi\",\"ReturnValues\":"
          "\"hi\","
          "\"ReturnItemCollectionMetrics\":\"hi\"}",
          N(3) CAPACITY "; " RETURN_VALUES "; " METRICS },
        { "GetItem", "{\"TableName\":\"abc\",\"Key\":{},\"AttributesToGet\":[]}",
          ONE AT("'[]'", "attributesToGet", LONGER(1)) },
    };
    EXPECT_ALL(samples, ERR_ValidationException);
}

static void test_queries_and_batch_gets_look_at_lengths_first(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        { "Query", "{\"TableName\":\"abc\",\"Limit\":0,\"Select\":\"hi\"}",
          ONE "Value at 'Limit' failed to satisfy constraint: "
              "Member must have value greater than or equal to 1" },
        { "Query", "{\"Limit\":0}",
          N(2) NOT_NULL("tableName") "; " AT(
              "'0'", "limit", "Member must have value greater than or equal to 1") },
        { "Query", "{\"TableName\":\"abc\",\"Select\":\"hi\"}",
          ONE AT("'hi'", "select",
                 ENUM("SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES")) },
        { "BatchGetItem", "{\"RequestItems\":{}}",
          "The requestItems parameter is required for BatchGetItem" },
        { "BatchGetItem", "{\"RequestItems\":{\"abc\":{\"Keys\":[]}}}",
          ONE "Value at 'RequestItems.abc.member.Keys' failed to satisfy constraint: " LONGER(1) },
    };
    EXPECT_ALL(samples, ERR_ValidationException);
}

static void test_scans_batch_writes_and_transactions_list_every_error(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        { "Scan", "{\"TableName\":\"abc\",\"Limit\":0}",
          ONE AT("'0'", "limit", "Member must have value greater than or equal to 1") },
        { "Scan", "{\"TableName\":\"abc\",\"Segment\":-1,\"TotalSegments\":1000001}",
          N(2) AT(
              "'1000001'", "totalSegments",
              "Member must have value less than or equal to 1000000") "; " AT("'-1'", "segment",
                                                                              "Member must have "
                                                                              "value greater than "
                                                                              "or equal to 0") },
        { "Scan",
          "{\"TableName\":\"abc\",\"ScanFilter\":{\"a\":{},\"b\":{\"ComparisonOperator\":\"\"}}}",
          N(2) NOT_NULL("scanFilter.a.member.comparisonOperator") "; " AT(
              "''", "scanFilter.b.member.comparisonOperator",
              ENUM(
                  "IN, NULL, BETWEEN, LT, NOT_CONTAINS, EQ, GT, NOT_NULL, NE, LE, BEGINS_WITH, GE, "
                  "CONTAINS")) },
        { "BatchWriteItem", "{}", ONE NOT_NULL("requestItems") },
        { "BatchWriteItem", "{\"RequestItems\":{}}",
          "The requestItems parameter is required for BatchWriteItem" },
        { "BatchWriteItem", "{\"RequestItems\":{\"abc\":[]}}",
          ONE AT("'{abc=[]}'", "requestItems",
                 "Map value must satisfy constraint: [" SHORTER(25) ", " LONGER(1) "]") },
        { "BatchWriteItem", "{\"RequestItems\":{\"a!b\":[{}]},\"ReturnConsumedCapacity\":\"hi\"}",
          ONE CAPACITY },
        { "BatchWriteItem",
          "{\"RequestItems\":{\"a!b\":[{\"DeleteRequest\":{\"Key\":{\"k\":{\"L\":[{\"N\":\"1\"}]}}}"
          "}]}}",
          ONE AT(
              "'{a!b=[WriteRequest(putRequest=null, deleteRequest=DeleteRequest(key={k="
              "AttributeValue(s=null, n=null, b=null, iNT=null, dECIMAL=null, dOUBLE=null, "
              "sS=null, "
              "nS=null, bS=null, iNTSET=null, dECIMALSET=null, dOUBLESET=null, m=null, l=["
              "AttributeValue(s=null, n=1, b=null, iNT=null, dECIMAL=null, dOUBLE=null, sS=null, "
              "nS=null, bS=null, iNTSET=null, dECIMALSET=null, dOUBLESET=null, m=null, l=null, "
              "nULL=null, bOOL=null)], nULL=null, bOOL=null)}))]}'",
              "requestItems",
              "Map keys must satisfy constraint: [" SHORTER(255) ", " LONGER(3) ", " PATTERN "]") },
        { "BatchWriteItem", "{\"RequestItems\":{\"abc\":null}}",
          ONE NOT_NULL("requestItems.abc.member") },
        { "BatchWriteItem", "{\"RequestItems\":{\"abc\":[{\"PutRequest\":{}}]}}",
          ONE NOT_NULL("requestItems.abc.member.1.member.putRequest.item") },
        { "TransactWriteItems", "{\"TransactItems\":[]}",
          ONE AT("'[]'", "transactItems", LONGER(1)) },
        { "TransactWriteItems",
          "{\"TransactItems\":[{\"ConditionCheck\":{\"TableName\":\"abc\",\"Key\":{}}}]}",
          ONE NOT_NULL("transactItems.1.member.conditionCheck.conditionExpression") },
        { "TransactWriteItems",
          "{\"TransactItems\":[{}],\"ReturnItemCollectionMetrics\":\"hi\","
          "\"ReturnConsumedCapacity\":\"hi\"}",
          N(2) CAPACITY "; " METRICS },
        { "TransactGetItems", "{\"TransactItems\":[null]}",
          ONE NOT_NULL("transactItems.1.member") },
    };
    EXPECT_ALL(samples, ERR_ValidationException);
}

static void test_a_long_value_is_cut_in_its_error(void **state)
{
    (void)state;
    static const struct {
        const char *op, *before, *after;
    } samples[] = {
        { "DescribeTable", "{\"TableName\":\"", "\"}" },
        { "BatchWriteItem", "{\"RequestItems\":{\"", "\":[{\"PutRequest\":{}}]}}" },
        { "BatchWriteItem", "{\"RequestItems\":{\"a!b\":[{\"PutRequest\":{\"Item\":{\"",
          "\":{}}}}]}}" },
        { "BatchGetItem", "{\"RequestItems\":{\"\\n", "\":{\"Keys\":[{}]}}}" },
        { "Scan", "{\"TableName\":\"abc\",\"ScanFilter\":{\"", "\":{}}}" },
    };
    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
        struct arena a;
        struct err e;
        struct buf b;
        arena_init(&a, 64 << 20);
        buf_init(&b, &a, 16 << 20);
        buf_slice(&b, slice_str(samples[i].before));
        for (int n = 0; n < 1 << 20; n++)
            BUF_LIT(&b, "\xc3\xa9");
        buf_slice(&b, slice_str(samples[i].after));
        buf_u8(&b, 0);
        int rc = validate(&a, samples[i].op, (const char *)b.p, &e);
        assert_int_equal(rc, ERR_ValidationException);
        assert_true(e.message.n < 1 << 20);
        arena_free(&a);
    }
}

static void test_parameters_are_read_as_the_service_reads_them(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, 1 << 20);
    const struct json *req = json_parse(
        &a,
        SLICE(
            "{\"S\":\"x\",\"E\":\"\",\"Null\":null,\"T\":true,\"Yes\":\"YES\",\"No\":\"0\","
            "\"I\":12,\"F\":12.99,\"Neg\":-1.5,\"Exp\":1.25e2,\"Small\":125e-2,\"Zero\":0.0e99999,"
            "\"Big\":1e400,\"Low\":-1e400,\"Max\":9223372036854775807,\"Over\":9223372036854775808,"
            "\"Min\":-9223372036854775808,\"Mode\":\"B\","
            "\"Arn\":\"arn:aws:dynamodb:us-east-1:000000000000:table/abc\"}"),
        64, NULL);
    assert_non_null(req);
    assert_true(slice_eq(param_string(req, SLICE("S")), SLICE("x")));
    assert_true(param_string(req, SLICE("E")).p != NULL);
    assert_null(param_string(req, SLICE("Null")).p);
    assert_false(param_present(req, SLICE("Null")));
    assert_true(param_present(req, SLICE("E")));
    assert_true(param_bool(req, SLICE("T"), false));
    assert_true(param_bool(req, SLICE("Yes"), false));
    assert_false(param_bool(req, SLICE("No"), true));
    assert_true(param_bool(req, SLICE("None"), true));
    static const struct {
        const char *name;
        int64_t want;
    } numbers[] = { { "I", 12 },           { "F", 12 },          { "Neg", -1 },
                    { "Exp", 125 },        { "Small", 1 },       { "Zero", 0 },
                    { "Big", INT64_MAX },  { "Low", INT64_MIN }, { "Max", INT64_MAX },
                    { "Over", INT64_MAX }, { "Min", INT64_MIN } };
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        int64_t n = 77;
        assert_true(param_int(req, slice_str(numbers[i].name), &n));
        assert_true(n == numbers[i].want);
    }
    int64_t n = 77;
    assert_false(param_int(req, SLICE("Null"), &n));
    assert_int_equal(n, 77);
    assert_int_equal(param_number(JSON_GET(req, "Over"), INT32_MIN, INT32_MAX), INT32_MAX);
    static const char *const modes[] = { "A", "B" };
    assert_int_equal(param_enum(req, SLICE("Mode"), modes, 2, 0), 1);
    assert_int_equal(param_enum(req, SLICE("None"), modes, 2, 0), 0);
    assert_true(slice_eq(param_table(req, SLICE("Arn")), SLICE("abc")));
    assert_true(slice_eq(param_table(req, SLICE("S")), SLICE("x")));
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_operation_is_found_by_its_name),
        cmocka_unit_test(test_every_operation_stands_where_the_api_has_it),
        cmocka_unit_test(test_a_body_that_is_no_object_is_refused_without_a_message),
        cmocka_unit_test(test_wrong_types_in_the_words_of_the_deserializer),
        cmocka_unit_test(test_what_is_fine),
        cmocka_unit_test(test_tables_are_created_with_every_error_at_once),
        cmocka_unit_test(test_no_more_than_ten_errors_are_listed),
        cmocka_unit_test(test_item_operations_list_every_error),
        cmocka_unit_test(test_queries_and_batch_gets_look_at_lengths_first),
        cmocka_unit_test(test_scans_batch_writes_and_transactions_list_every_error),
        cmocka_unit_test(test_a_long_value_is_cut_in_its_error),
        cmocka_unit_test(test_parameters_are_read_as_the_service_reads_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
