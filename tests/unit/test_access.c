/* test_access.c: policies at the engine's door: every operation has a row and is denied to who is allowed nothing; keys, attributes, resource
 * policies, and what a refusal may tell. tests/api/test_access.py tries all of it with own and foreign keys. */
#include "engine_fixture.h"
#include "auth/policy.h"
#include "engine/ops.h"

#define ARN "arn:aws:dynamodb:us-east-1:123456789012:table/"

static struct arena kept; /* policies */
static const struct identity_tag tags[] = { { { (const uint8_t *)"tenant", 6 }, { (const uint8_t *)"acme", 4 } } };

static struct slice quoted(struct arena *a, const char *text)
{
    struct slice s = arena_dup(a, slice_str(text));
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '\'') ((uint8_t *)(uintptr_t)s.p)[i] = '"';
    }
    return s;
}

/* policy NULL: everything is allowed. */
static struct identity identity_with(const char *policy)
{
    struct identity who = { .user = SLICE("alice"), .account = SLICE("123456789012"), .tags = tags, .n_tags = 1 };
    struct err e = { .arena = &kept };
    if (policy && policy_read(&kept, POLICY_OF_IDENTITY, quoted(&kept, policy), &who.policy, &e)) fail_msg("%.*s", SLICE_ARG(e.message));
    return who;
}

/* As q, but asked by somebody. */
static const char *ask_as(struct fixture *f, const struct identity *who, const char *operation, const char *body)
{
    struct call call = { 0 };
    struct buf b;
    struct caller caller = { .account = SLICE("123456789012"), .identity = who };
    arena_reset(&f->arena);
    if (!call_prepare(&call, f->engine, &f->arena, caller, slice_str(operation), quoted(&f->text, body))) call_run(&call);
    buf_init(&b, &f->arena, (size_t)64 << 20);
    buf_slice(&b, call_answer(&call));
    buf_u8(&b, 0);
    call_end(&call);
    return (const char *)b.p;
}

static void make_table(struct fixture *f)
{
    struct store_options memory = { 0 };
    fixture_open(f, &memory);
    assert_holds(q(f, "CreateTable",
                   "{'TableName':'app','AttributeDefinitions':[{'AttributeName':'PK','AttributeType':'S'},{'AttributeName':'SK','AttributeType':'S'},"
                   "{'AttributeName':'G','AttributeType':'S'}],'KeySchema':[{'AttributeName':'PK','KeyType':'HASH'},{'AttributeName':'SK','KeyType':'RANGE'}],"
                   "'GlobalSecondaryIndexes':[{'IndexName':'gsi','KeySchema':[{'AttributeName':'G','KeyType':'HASH'}],'Projection':{'ProjectionType':'ALL'}}],"
                   "'BillingMode':'PAY_PER_REQUEST','StreamSpecification':{'StreamEnabled':true,'StreamViewType':'NEW_AND_OLD_IMAGES'}}"),
                 "TableDescription");
    static const char *const tenants[] = { "acme", "bravo" };
    for (size_t i = 0; i < 2; i++) {
        assert_string_equal(q(f, "PutItem", "{'TableName':'app','Item':{'PK':{'S':'%s'},'SK':{'S':'1'},'G':{'S':'%s'},'pay':{'N':'7'},'name':{'S':'n'}}}",
                              tenants[i], tenants[i]), "{}");
    }
}

/* A request of each operation that is well formed and would work, or would be refused by what it finds. */
static const struct {
    const char *operation, *body;
} requests[] = {
    { "BatchGetItem", "{'RequestItems':{'app':{'Keys':[{'PK':{'S':'a'},'SK':{'S':'1'}}]}}}" },
    { "BatchWriteItem", "{'RequestItems':{'app':[{'DeleteRequest':{'Key':{'PK':{'S':'a'},'SK':{'S':'1'}}}}]}}" },
    { "CreateBackup", "{'TableName':'app','BackupName':'one'}" },
    { "CreateTable", "{'TableName':'new','AttributeDefinitions':[{'AttributeName':'PK','AttributeType':'S'}],'KeySchema':[{'AttributeName':'PK','KeyType':'HASH'}],'BillingMode':'PAY_PER_REQUEST'}" },
    { "DeleteBackup", "{'BackupArn':'" ARN "app/backup/01234567890123-abcdef12'}" },
    { "DeleteItem", "{'TableName':'app','Key':{'PK':{'S':'a'},'SK':{'S':'1'}}}" },
    { "DeleteResourcePolicy", "{'ResourceArn':'" ARN "app'}" },
    { "DeleteTable", "{'TableName':'app'}" },
    { "DescribeBackup", "{'BackupArn':'" ARN "app/backup/01234567890123-abcdef12'}" },
    { "DescribeContinuousBackups", "{'TableName':'app'}" },
    { "DescribeContributorInsights", "{'TableName':'app'}" },
    { "DescribeEndpoints", "{}" },
    { "DescribeExport", "{'ExportArn':'" ARN "app/export/01234567890123-abcdef12'}" },
    { "DescribeImport", "{'ImportArn':'" ARN "app/import/01234567890123-abcdef12'}" },
    { "DescribeKinesisStreamingDestination", "{'TableName':'app'}" },
    { "DescribeLimits", "{}" },
    { "DescribeStream", "{'StreamArn':'" ARN "app/stream/2026-11-16T10:00:00.000'}" },
    { "DescribeTable", "{'TableName':'app'}" },
    { "DescribeTimeToLive", "{'TableName':'app'}" },
    { "DisableKinesisStreamingDestination", "{'TableName':'app','StreamArn':'arn:aws:kinesis:us-east-1:123456789012:stream/x'}" },
    { "EnableKinesisStreamingDestination", "{'TableName':'app','StreamArn':'arn:aws:kinesis:us-east-1:123456789012:stream/x'}" },
    { "ExecuteStatement", "{'Statement':'SELECT * FROM app'}" },
    { "ExecuteStatement", "{'Statement':'DELETE FROM app WHERE PK=\\u0027a\\u0027 AND SK=\\u00271\\u0027'}" },
    { "ExecuteTransaction", "{'TransactStatements':[{'Statement':'SELECT * FROM app WHERE PK=\\u0027a\\u0027 AND SK=\\u00271\\u0027'}]}" },
    { "ExecuteTransaction", "{'TransactStatements':[{'Statement':'DELETE FROM app WHERE PK=\\u0027a\\u0027 AND SK=\\u00271\\u0027'}]}" },
    { "GetItem", "{'TableName':'app','Key':{'PK':{'S':'a'},'SK':{'S':'1'}}}" },
    { "GetResourcePolicy", "{'ResourceArn':'" ARN "app'}" },
    { "GetShardIterator", "{'StreamArn':'" ARN "app/stream/2026-11-16T10:00:00.000','ShardId':'shardId-00000001600000000000-00000001','ShardIteratorType':'LATEST'}" },
    { "ListBackups", "{}" },
    { "ListContributorInsights", "{}" },
    { "ListExports", "{}" },
    { "ListGlobalTables", "{}" },
    { "ListImports", "{}" },
    { "ListStreams", "{}" },
    { "ListTables", "{}" },
    { "ListTagsOfResource", "{'ResourceArn':'" ARN "app'}" },
    { "PutItem", "{'TableName':'app','Item':{'PK':{'S':'a'},'SK':{'S':'1'}}}" },
    { "PutResourcePolicy", "{'ResourceArn':'" ARN "app','Policy':'{\\u0022Statement\\u0022:[{\\u0022Effect\\u0022:\\u0022Deny\\u0022,\\u0022Principal\\u0022:\\u0022*\\u0022,\\u0022Action\\u0022:\\u0022dynamodb:ReadDataForReplication\\u0022,\\u0022Resource\\u0022:\\u0022*\\u0022}]}'}" },
    { "Query", "{'TableName':'app','KeyConditionExpression':'PK=:p','ExpressionAttributeValues':{':p':{'S':'a'}}}" },
    { "RestoreTableFromBackup", "{'TargetTableName':'new','BackupArn':'" ARN "app/backup/01234567890123-abcdef12'}" },
    { "RestoreTableToPointInTime", "{'SourceTableName':'app','TargetTableName':'new','UseLatestRestorableTime':true}" },
    { "Scan", "{'TableName':'app'}" },
    { "TagResource", "{'ResourceArn':'" ARN "app','Tags':[{'Key':'a','Value':'b'}]}" },
    { "TransactGetItems", "{'TransactItems':[{'Get':{'TableName':'app','Key':{'PK':{'S':'a'},'SK':{'S':'1'}}}}]}" },
    { "TransactWriteItems", "{'TransactItems':[{'Delete':{'TableName':'app','Key':{'PK':{'S':'a'},'SK':{'S':'1'}}}}]}" },
    { "UntagResource", "{'ResourceArn':'" ARN "app','TagKeys':['a']}" },
    { "UpdateContinuousBackups", "{'TableName':'app','PointInTimeRecoverySpecification':{'PointInTimeRecoveryEnabled':true}}" },
    { "UpdateContributorInsights", "{'TableName':'app','ContributorInsightsAction':'ENABLE'}" },
    { "UpdateItem", "{'TableName':'app','Key':{'PK':{'S':'a'},'SK':{'S':'1'}}}" },
    { "UpdateKinesisStreamingDestination", "{'TableName':'app','StreamArn':'arn:aws:kinesis:us-east-1:123456789012:stream/x'}" },
    { "UpdateTable", "{'TableName':'app','BillingMode':'PAY_PER_REQUEST'}" },
    { "UpdateTimeToLive", "{'TableName':'app','TimeToLiveSpecification':{'AttributeName':'t','Enabled':true}}" },
};
/* Tried elsewhere: BatchExecuteStatement answers per statement; GetRecords needs an iterator; exports and imports need buckets; there are neither
 * vectors nor global tables, which is said before anything else. */
static const char *const elsewhere[] = { "BatchExecuteStatement", "GetRecords", "ExportTableToPointInTime", "ImportTable", "SearchVectors",
                                         "CreateGlobalTable", "DescribeGlobalTable", "DescribeGlobalTableSettings", "UpdateGlobalTable",
                                         "UpdateGlobalTableSettings", "DescribeTableReplicaAutoScaling", "UpdateTableReplicaAutoScaling" };

static bool is_tried(const char *operation)
{
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        if (!strcmp(requests[i].operation, operation)) return true;
    }
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++) {
        if (!strcmp(elsewhere[i], operation)) return true;
    }
    return false;
}

static void test_every_operation_has_a_row(void **state)
{
    (void)state;
    for (size_t i = 0; i < op_count(); i++) {
        const struct op *op = op_at(i);
        const struct access_rule *rule = access_rule(i, op->name);
        if (!rule) fail_msg("%s has no row in access_rules.c", op->name);
        if (rule->of == OF_ITEMS && !op->access) fail_msg("%s has no access step", op->name);
        if (rule->of != OF_ITEMS && op->access) fail_msg("the access step of %s is never asked", op->name);
        if (rule->of != OF_ITEMS && policy_action_of(slice_str(op->name)) == ACTION_COUNT) fail_msg("%s is no action", op->name);
        if (!is_tried(op->name)) fail_msg("%s is not tried in this test", op->name);
    }
    assert_null(access_rule(op_count(), "GetItem"));
    assert_null(access_rule(0, "GetItem"));
}

static void test_who_is_allowed_nothing_gets_nothing(void **state)
{
    (void)state;
    struct fixture f;
    make_table(&f);
    struct identity nobody = identity_with("{'Statement':[]}"), root = identity_with(NULL);
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        const char *answer = ask_as(&f, &nobody, requests[i].operation, requests[i].body);
        assert_holds(answer, "AccessDeniedException");
        assert_holds(answer, "User: arn:aws:iam::123456789012:user/alice is not authorized to perform: dynamodb:");
        assert_holds(answer, "because no identity-based policy allows the dynamodb:");
    }
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        if (!strcmp(requests[i].operation, "DeleteTable")) continue;
        assert_lacks(ask_as(&f, &root, requests[i].operation, requests[i].body), "is not authorized");
    }
    fixture_close(&f);
}

/* An action more or less is the action asked for: with every action but its own allowed it is denied. */
static void test_each_operation_asks_for_its_own_action(void **state)
{
    (void)state;
    struct fixture f;
    make_table(&f);
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        char policy[400];
        const char *op = requests[i].operation, *action = op;
        if (strstr(requests[i].body, "SELECT")) action = "PartiQLSelect";
        else if (strstr(requests[i].body, "DELETE FROM")) action = "PartiQLDelete";
        else if (!strcmp(op, "TransactGetItems")) action = "GetItem";
        else if (!strcmp(op, "TransactWriteItems")) action = "DeleteItem";
        snprintf(policy, sizeof policy, "{'Statement':[{'Effect':'Allow','NotAction':'dynamodb:%s','Resource':'*'}]}", action);
        struct identity others = identity_with(policy);
        assert_holds(ask_as(&f, &others, op, requests[i].body), "AccessDeniedException");
    }
    fixture_close(&f);
}

#define TENANT(action)                                                                                                                  \
    "{'Version':'2012-10-17','Statement':[{'Effect':'Allow','Action':'" action "','Resource':'*','Condition':{'ForAllValues:StringEquals':" \
    "{'dynamodb:LeadingKeys':['${aws:PrincipalTag/tenant}']}}}]}"

/* With every action under the condition: what names no keys and would touch items is denied, what only tells of tables is not. */
static void test_what_names_no_keys_is_denied_under_leading_keys(void **state)
{
    (void)state;
    struct fixture f;
    make_table(&f);
    struct identity tenant = identity_with(TENANT("dynamodb:*"));
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        const char *op = requests[i].operation;
        bool tells = !strncmp(op, "Describe", 8) || !strncmp(op, "List", 4) || !strcmp(op, "GetResourcePolicy");
        const char *answer = ask_as(&f, &tenant, op, requests[i].body); /* of a tenant "a" */
        if (tells) assert_lacks(answer, "is not authorized");
        else assert_holds(answer, "AccessDeniedException");
    }
    assert_holds(ask_as(&f, &tenant, "GetItem", "{'TableName':'app','Key':{'PK':{'S':'acme'},'SK':{'S':'1'}}}"), "\"pay\"");
    fixture_close(&f);
}

static void test_a_refusal_does_not_tell_what_tables_there_are(void **state)
{
    (void)state;
    struct fixture f;
    make_table(&f);
    struct identity other = identity_with("{'Statement':[{'Effect':'Allow','Action':'*','Resource':'" ARN "mine'}]}");
    static const char *const bodies[][2] = {
        { "GetItem", "{'TableName':'none','Key':{'PK':{'S':'a'}}}" },
        { "GetItem", "{'TableName':'app','Key':{'PK':{'N':'1'}}}" },
        { "Query", "{'TableName':'app','IndexName':'none','KeyConditionExpression':'x=:p','ExpressionAttributeValues':{':p':{'S':'a'}}}" },
        { "PutItem", "{'TableName':'app','Item':{'x':{'S':'a'}}}" },
        { "BatchGetItem", "{'RequestItems':{'none':{'Keys':[{'x':{'S':'a'}}]}}}" },
        { "TransactWriteItems", "{'TransactItems':[{'Delete':{'TableName':'app','Key':{'x':{'S':'a'}}}}]}" },
        { "TransactGetItems", "{'TransactItems':[{'Get':{'TableName':'app','Key':{'x':{'S':'a'}}}}]}" },
        { "ExecuteStatement", "{'Statement':'SELECT * FROM none'}" },
        { "ExecuteStatement", "{'Statement':'DELETE FROM app WHERE x=1'}" },
        { "ExecuteTransaction", "{'TransactStatements':[{'Statement':'SELECT * FROM none WHERE x=1'}]}" },
        { "ExecuteTransaction", "{'TransactStatements':[{'Statement':'DELETE FROM none WHERE x=1'}]}" },
        { "DescribeTable", "{'TableName':'none'}" },
        { "DeleteTable", "{'TableName':'none'}" },
        { "UpdateTimeToLive", "{'TableName':'none','TimeToLiveSpecification':{'AttributeName':'t','Enabled':true}}" },
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        assert_holds(ask_as(&f, &other, bodies[i][0], bodies[i][1]), "AccessDeniedException");
    }
    assert_holds(ask_as(&f, &other, "BatchExecuteStatement", "{'Statements':[{'Statement':'SELECT * FROM none WHERE x=1'},{'Statement':'SELECT * FROM app WHERE x=1'}]}"),
                 "{\"Responses\":[{\"Error\":{\"Code\":\"AccessDenied\"");
    /* Who may have the table is told what is wrong. */
    assert_holds(ask_as(&f, &other, "GetItem", "{'TableName':'mine','Key':{'PK':{'S':'a'}}}"), "ResourceNotFoundException");
    fixture_close(&f);
}

static void test_attributes(void **state)
{
    (void)state;
    struct fixture f;
    make_table(&f);
    struct identity clerk = identity_with(
        "{'Version':'2012-10-17','Statement':[{'Effect':'Allow','Action':'dynamodb:*','Resource':'*','Condition':{"
        "'ForAllValues:StringEquals':{'dynamodb:Attributes':['PK','SK','G','name']}}}]}");
#define KEY "'Key':{'PK':{'S':'acme'},'SK':{'S':'1'}}"
    static const struct {
        const char *operation, *body;
        bool allowed;
    } cases[] = {
        { "GetItem", "{'TableName':'app'," KEY ",'ProjectionExpression':'SK,#n','ExpressionAttributeNames':{'#n':'name'}}", true },
        { "GetItem", "{'TableName':'app'," KEY ",'ProjectionExpression':'SK,pay'}", false },
        { "GetItem", "{'TableName':'app'," KEY ",'ProjectionExpression':'pay.x'}", false },
        { "GetItem", "{'TableName':'app'," KEY ",'AttributesToGet':['pay']}", false },
        { "GetItem", "{'TableName':'app'," KEY "}", false },
        { "Query", "{'TableName':'app','KeyConditionExpression':'PK=:p','ExpressionAttributeValues':{':p':{'S':'acme'}},'ProjectionExpression':'SK'}", true },
        { "Query", "{'TableName':'app','KeyConditionExpression':'PK=:p','ExpressionAttributeValues':{':p':{'S':'acme'}},'Select':'COUNT'}", true },
        { "Query", "{'TableName':'app','KeyConditionExpression':'PK=:p','FilterExpression':'pay=:p','ExpressionAttributeValues':{':p':{'S':'acme'}},'Select':'COUNT'}", false },
        { "Query", "{'TableName':'app','KeyConditionExpression':'PK=:p','ExpressionAttributeValues':{':p':{'S':'acme'}}}", false },
        { "Scan", "{'TableName':'app','ProjectionExpression':'SK'}", true },
        { "Scan", "{'TableName':'app','ProjectionExpression':'SK','FilterExpression':'attribute_exists(pay)'}", false },
        { "PutItem", "{'TableName':'app','Item':{'PK':{'S':'x'},'SK':{'S':'1'},'name':{'S':'y'}}}", true },
        { "PutItem", "{'TableName':'app','Item':{'PK':{'S':'x'},'SK':{'S':'1'},'pay':{'S':'y'}}}", false },
        { "PutItem", "{'TableName':'app','Item':{'PK':{'S':'x'},'SK':{'S':'1'}},'ReturnValues':'ALL_OLD'}", false },
        { "PutItem", "{'TableName':'app','Item':{'PK':{'S':'x'},'SK':{'S':'1'}},'ConditionExpression':'attribute_not_exists(pay)'}", false },
        { "UpdateItem", "{'TableName':'app'," KEY ",'UpdateExpression':'SET #n=:v','ExpressionAttributeNames':{'#n':'name'},'ExpressionAttributeValues':{':v':{'S':'z'}},'ReturnValues':'UPDATED_NEW'}", true },
        { "UpdateItem", "{'TableName':'app'," KEY ",'UpdateExpression':'SET #n=:v','ExpressionAttributeNames':{'#n':'name'},'ExpressionAttributeValues':{':v':{'S':'z'}},'ReturnValues':'ALL_NEW'}", false },
        { "UpdateItem", "{'TableName':'app'," KEY ",'UpdateExpression':'SET #n=pay','ExpressionAttributeNames':{'#n':'name'}}", false },
        { "UpdateItem", "{'TableName':'app'," KEY ",'UpdateExpression':'SET #n=if_not_exists(pay,:v)','ExpressionAttributeNames':{'#n':'name'},'ExpressionAttributeValues':{':v':{'S':'z'}}}", false },
        { "UpdateItem", "{'TableName':'app'," KEY ",'UpdateExpression':'REMOVE pay'}", false },
        { "UpdateItem", "{'TableName':'app'," KEY ",'AttributeUpdates':{'pay':{'Action':'DELETE'}}}", false },
        { "DeleteItem", "{'TableName':'app','Key':{'PK':{'S':'x'},'SK':{'S':'1'}}}", true },
        { "DeleteItem", "{'TableName':'app','Key':{'PK':{'S':'x'},'SK':{'S':'1'}},'ReturnValues':'ALL_OLD'}", false },
        { "DeleteItem", "{'TableName':'app','Key':{'PK':{'S':'x'},'SK':{'S':'1'}},'ConditionExpression':'SK=:v','ExpressionAttributeValues':{':v':{'S':'2'}},'ReturnValuesOnConditionCheckFailure':'ALL_OLD'}", false },
        { "TransactWriteItems", "{'TransactItems':[{'ConditionCheck':{'TableName':'app'," KEY ",'ConditionExpression':'attribute_exists(pay)'}}]}", false },
        { "BatchWriteItem", "{'RequestItems':{'app':[{'PutRequest':{'Item':{'PK':{'S':'x'},'SK':{'S':'1'},'pay':{'N':'1'}}}}]}}", false },
        { "BatchGetItem", "{'RequestItems':{'app':{'Keys':[{'PK':{'S':'a'},'SK':{'S':'1'}}]}}}", false },
        { "BatchGetItem", "{'RequestItems':{'app':{'Keys':[{'PK':{'S':'a'},'SK':{'S':'1'}}],'ProjectionExpression':'SK'}}}", true },
        { "PutItem", "{'TableName':'app','Item':{'PK':{'S':'x'},'SK':{'S':'1'}},'Expected':{'pay':{'Exists':false}}}", false },
        { "Query", "{'TableName':'app','KeyConditionExpression':'PK=:p','ExpressionAttributeValues':{':p':{'S':'acme'}},'Select':'COUNT',"
                   "'FilterExpression':'size(#p)>:p','ExpressionAttributeNames':{'#p':'pay'}}", false },
        { "Query", "{'TableName':'app','KeyConditions':{'PK':{'ComparisonOperator':'EQ','AttributeValueList':[{'S':'acme'}]}},'Select':'COUNT',"
                   "'QueryFilter':{'pay':{'ComparisonOperator':'NOT_NULL'}}}", false },
        { "Scan", "{'TableName':'app','AttributesToGet':['SK'],'ScanFilter':{'pay':{'ComparisonOperator':'NOT_NULL'}}}", false },
        { "TransactWriteItems", "{'TransactItems':[{'ConditionCheck':{'TableName':'app'," KEY ",'ConditionExpression':'attribute_exists(SK)',"
                                "'ReturnValuesOnConditionCheckFailure':'ALL_OLD'}}]}", false },
        { "TransactWriteItems", "{'TransactItems':[{'ConditionCheck':{'TableName':'app'," KEY ",'ConditionExpression':'attribute_exists(SK)'}}]}", true },
        { "TransactGetItems", "{'TransactItems':[{'Get':{'TableName':'app'," KEY "}}]}", false },
        { "ExecuteTransaction", "{'TransactStatements':[{'Statement':'EXISTS(SELECT * FROM app WHERE PK=\\u0027acme\\u0027 AND SK=\\u00271\\u0027 AND pay=7)'}]}", false },
        { "ExecuteTransaction", "{'TransactStatements':[{'Statement':'SELECT pay FROM app WHERE PK=\\u0027acme\\u0027 AND SK=\\u00271\\u0027'}]}", false },
        { "ExecuteStatement", "{'Statement':'SELECT SK FROM app WHERE PK=\\u0027acme\\u0027'}", true },
        { "ExecuteStatement", "{'Statement':'SELECT pay FROM app WHERE PK=\\u0027acme\\u0027'}", false },
        { "ExecuteStatement", "{'Statement':'SELECT * FROM app WHERE PK=\\u0027acme\\u0027'}", false },
        { "ExecuteStatement", "{'Statement':'SELECT SK FROM app WHERE PK=\\u0027acme\\u0027 AND pay=1'}", false },
        { "ExecuteStatement", "{'Statement':'UPDATE app SET pay=1 WHERE PK=\\u0027acme\\u0027 AND SK=\\u00271\\u0027'}", false },
        { "ExecuteStatement", "{'Statement':'UPDATE app SET name=\\u00271\\u0027 WHERE PK=\\u0027acme\\u0027 AND SK=\\u00271\\u0027 RETURNING ALL NEW *'}", false },
        { "ExecuteStatement", "{'Statement':'INSERT INTO app VALUE {\\u0027PK\\u0027:\\u0027z\\u0027,\\u0027SK\\u0027:\\u00271\\u0027,\\u0027pay\\u0027:1}'}", false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *answer = ask_as(&f, &clerk, cases[i].operation, cases[i].body);
        if (cases[i].allowed == !!strstr(answer, "Exception")) fail_msg("%s %s: %s", cases[i].operation, cases[i].body, answer);
        if (!cases[i].allowed) assert_holds(answer, "AccessDeniedException");
    }
    fixture_close(&f);
}

/* As the developer guide has it: who may not have old items does not get one out of a condition that fails. */
static void test_return_values(void **state)
{
    (void)state;
    struct fixture f;
    make_table(&f);
    struct identity clerk = identity_with("{'Statement':[{'Effect':'Allow','Action':'dynamodb:*','Resource':'*','Condition':{"
                                          "'StringEqualsIfExists':{'dynamodb:ReturnValues':['NONE','UPDATED_NEW']}}}]}");
#define FAILS "'ConditionExpression':'attribute_not_exists(SK)','ReturnValuesOnConditionCheckFailure':'ALL_OLD'"
#define UPDATE "'UpdateExpression':'SET x=:v','ExpressionAttributeValues':{':v':{'S':'z'}}"
    static const struct {
        const char *operation, *body;
        bool allowed;
    } cases[] = {
        { "PutItem", "{'TableName':'app','Item':{'PK':{'S':'x'},'SK':{'S':'1'}}}", true },
        { "PutItem", "{'TableName':'app','Item':{'PK':{'S':'x'},'SK':{'S':'1'}},'ReturnValues':'ALL_OLD'}", false },
        { "UpdateItem", "{'TableName':'app'," KEY "," UPDATE ",'ReturnValues':'UPDATED_NEW'}", true },
        { "UpdateItem", "{'TableName':'app'," KEY "," UPDATE ",'ReturnValues':'UPDATED_NEW'," FAILS "}", false },
        { "DeleteItem", "{'TableName':'app'," KEY "," FAILS "}", false },
        { "TransactWriteItems", "{'TransactItems':[{'Delete':{'TableName':'app'," KEY "," FAILS "}}]}", false },
        { "ExecuteStatement", "{'Statement':'DELETE FROM app WHERE PK=\\u0027acme\\u0027 AND SK=\\u00271\\u0027 AND x=1',"
                              "'ReturnValuesOnConditionCheckFailure':'ALL_OLD'}", false },
        { "GetItem", "{'TableName':'app'," KEY "}", true },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *answer = ask_as(&f, &clerk, cases[i].operation, cases[i].body);
        if (cases[i].allowed == !!strstr(answer, "AccessDeniedException")) fail_msg("%s %s: %s", cases[i].operation, cases[i].body, answer);
    }
    fixture_close(&f);
}

static void test_statements_that_do_not_scan(void **state)
{
    (void)state;
    struct fixture f;
    make_table(&f);
    struct identity who = identity_with("{'Statement':[{'Effect':'Allow','Action':'dynamodb:PartiQL*','Resource':'*','Condition':{"
                                        "'Bool':{'dynamodb:FullTableScan':'false'}}}]}");
#define ONE "SELECT * FROM app WHERE PK=\\u0027acme\\u0027 AND SK=\\u00271\\u0027"
    assert_holds(ask_as(&f, &who, "ExecuteStatement", "{'Statement':'" ONE "'}"), "\"pay\"");
    assert_holds(ask_as(&f, &who, "BatchExecuteStatement", "{'Statements':[{'Statement':'" ONE "'}]}"), "\"pay\"");
    assert_holds(ask_as(&f, &who, "ExecuteTransaction", "{'TransactStatements':[{'Statement':'" ONE "'}]}"), "\"pay\"");
    assert_holds(ask_as(&f, &who, "ExecuteTransaction", "{'TransactStatements':[{'Statement':'EXISTS(" ONE " AND pay=7)'}]}"), "Responses");
    assert_holds(ask_as(&f, &who, "ExecuteStatement", "{'Statement':'SELECT * FROM app WHERE pay=7'}"), "AccessDeniedException");
    fixture_close(&f);
}

/* Whoever takes it apart must find the same table in it as whoever judges by it. */
static void test_an_arn_is_of_one_table(void **state)
{
    (void)state;
    struct fixture f;
    make_table(&f);
    struct identity other = identity_with("{'Statement':[{'Effect':'Allow','Action':'*','Resource':'arn:aws:dynamodb:*:*:table/mine*'}]}");
    static const char *const arns[] = { "arn:aws:dynamodb:table/mine:123456789012:table/app", "arn:aws:dynamodb::123456789012:table/app",
                                        "arn:aws:dynamodb:x/:table/mine:123456789012:table/app", ARN "app", ARN "app/stream/:table/mine" };
    static const char *const operations[][2] = { { "GetResourcePolicy", "" },
                                                 { "DeleteResourcePolicy", "" },
                                                 { "PutResourcePolicy", ",'Policy':'{}'" },
                                                 { "ListTagsOfResource", "" },
                                                 { "UntagResource", ",'TagKeys':['a']" },
                                                 { "TagResource", ",'Tags':[{'Key':'a','Value':'b'}]" } };
    for (size_t i = 0; i < sizeof arns / sizeof *arns; i++) {
        for (size_t k = 0; k < sizeof operations / sizeof *operations; k++) {
            char body[400];
            snprintf(body, sizeof body, "{'ResourceArn':'%s'%s}", arns[i], operations[k][1]);
            const char *answer = ask_as(&f, &other, operations[k][0], body);
            if (!strstr(answer, "Exception")) fail_msg("%s %s: %s", operations[k][0], body, answer);
            assert_lacks(answer, "ResourceNotFoundException");
            assert_lacks(answer, "PolicyNotFoundException");
        }
        char get[400];
        snprintf(get, sizeof get, "{'TableName':'%s','Key':{'PK':{'S':'acme'},'SK':{'S':'1'}}}", arns[i]);
        assert_holds(ask_as(&f, &other, "GetItem", get), "Exception");
    }
    fixture_close(&f);
}

static void test_a_table_with_extras_takes_the_right_to_them(void **state)
{
    (void)state;
    struct fixture f;
    make_table(&f);
    struct identity maker = identity_with("{'Statement':[{'Effect':'Allow','Action':'dynamodb:CreateTable','Resource':'*'}]}");
#define NEW "{'TableName':'new','AttributeDefinitions':[{'AttributeName':'PK','AttributeType':'S'}]," \
            "'KeySchema':[{'AttributeName':'PK','KeyType':'HASH'}],'BillingMode':'PAY_PER_REQUEST'"
    assert_holds(ask_as(&f, &maker, "CreateTable", NEW ",'Tags':[{'Key':'tenant','Value':'acme'}]}"), "dynamodb:TagResource");
    assert_holds(ask_as(&f, &maker, "CreateTable", NEW ",'ResourcePolicy':'{\\u0022Statement\\u0022:[{\\u0022Effect\\u0022:\\u0022Deny\\u0022,"
                                                       "\\u0022Principal\\u0022:\\u0022*\\u0022,\\u0022Action\\u0022:\\u0022dynamodb:ReadDataForReplication\\u0022,"
                                                       "\\u0022Resource\\u0022:\\u0022*\\u0022}]}'}"),
                 "dynamodb:PutResourcePolicy");
    assert_holds(ask_as(&f, &maker, "CreateTable", NEW "}"), "TableDescription");
    fixture_close(&f);
}

static void put_policy(struct fixture *f, const char *statement)
{
    struct identity root = identity_with(NULL);
    struct buf b;
    buf_init(&b, &f->text, 1u << 16);
    buf_printf(&b, "{\"ResourceArn\":\"" ARN "app\",\"Policy\":");
    json_put_string(&b, quoted(&f->text, statement));
    buf_u8(&b, '}');
    buf_u8(&b, 0);
    assert_holds(ask_as(f, &root, "PutResourcePolicy", (const char *)b.p), "RevisionId");
}

#define BY_RESOURCE(effect, who, action) \
    "{'Version':'2012-10-17','Statement':[{'Effect':'" effect "','Principal':{'AWS':'arn:aws:iam::123456789012:" who "'},'Action':'" action "','Resource':'" ARN "app'}]}"

static void test_policies_of_tables(void **state)
{
    (void)state;
    struct fixture f;
    make_table(&f);
    const char *get = "{'TableName':'app','Key':{'PK':{'S':'acme'},'SK':{'S':'1'}}}";
    struct identity nobody = identity_with("{'Statement':[]}"), root = identity_with(NULL);
    struct identity denied = identity_with("{'Statement':[{'Effect':'Deny','Action':'dynamodb:GetItem','Resource':'*'}]}");
    put_policy(&f, BY_RESOURCE("Allow", "user/alice", "dynamodb:GetItem"));
    assert_holds(ask_as(&f, &nobody, "GetItem", get), "\"Item\"");
    assert_holds(ask_as(&f, &nobody, "Scan", "{'TableName':'app'}"), "AccessDeniedException");
    assert_holds(ask_as(&f, &denied, "GetItem", get), "with an explicit deny in an identity-based policy");
    put_policy(&f, BY_RESOURCE("Allow", "user/bob", "dynamodb:GetItem"));
    assert_holds(ask_as(&f, &nobody, "GetItem", get), "no identity-based policy allows");
    put_policy(&f, BY_RESOURCE("Deny", "root", "dynamodb:GetItem"));
    assert_holds(ask_as(&f, &root, "GetItem", get), "with an explicit deny in a resource-based policy");
    assert_holds(q(&f, "GetItem", "%s", get), "\"Item\""); /* nobody is asked for */
    fixture_close(&f);
}

#define WITHOUT_TLS(resource)                                                                                            \
    "{'Version':'2012-10-17','Statement':[{'Effect':'Deny','Principal':'*','Action':'dynamodb:*Item','Resource':'" resource "'," \
    "'Condition':{'Bool':{'aws:SecureTransport':'false'}}}]}"

/* The studio's calls are nobody's: whom a table's policy keeps from something has none of them. */
static void test_guests(void **state)
{
    (void)state;
    struct fixture f;
    struct err err = { .arena = &f.text };
    make_table(&f);
    struct identity root = identity_with(NULL);
    struct caller caller = { .identity = &root, .account = root.account, .address = SLICE("10.0.0.1") }, secure = caller;
    secure.secure = true;
    assert_int_equal(engine_check_guest(f.engine, &caller, &err), 0);
    put_policy(&f, BY_RESOURCE("Deny", "user/bob", "dynamodb:GetItem"));
    assert_int_equal(engine_check_guest(f.engine, &caller, &err), 0);
    put_policy(&f, BY_RESOURCE("Deny", "user/alice", "dynamodb:DeleteTable"));
    assert_int_equal(engine_check_guest(f.engine, &caller, &err), 0);
    put_policy(&f, BY_RESOURCE("Deny", "user/alice", "dynamodb:GetItem"));
    assert_int_equal(engine_check_guest(f.engine, &caller, &err), ERR_AccessDeniedException);
    char said[300];
    snprintf(said, sizeof said, "%.*s", SLICE_ARG(err.message));
    assert_holds(said, "the policy of table app denies it something");
    put_policy(&f, WITHOUT_TLS("*"));
    assert_int_equal(engine_check_guest(f.engine, &caller, &err), ERR_AccessDeniedException);
    assert_int_equal(engine_check_guest(f.engine, &secure, &err), 0);
    put_policy(&f, WITHOUT_TLS(ARN "app/index/*"));
    assert_int_equal(engine_check_guest(f.engine, &caller, &err), ERR_AccessDeniedException);
    put_policy(&f, WITHOUT_TLS(ARN "other"));
    assert_int_equal(engine_check_guest(f.engine, &caller, &err), 0);
    fixture_close(&f);
}

static void test_the_name_in_a_backup_arn_counts(void **state)
{
    (void)state;
    struct fixture f;
    char body[400];
    make_table(&f);
    const char *made = strstr(q(&f, "CreateBackup", "{'TableName':'app','BackupName':'one'}"), "/backup/");
    assert_non_null(made);
    struct identity other = identity_with("{'Statement':[{'Effect':'Allow','Action':'*','Resource':'" ARN "mine*'}]}");
    snprintf(body, sizeof body, "{'BackupArn':'" ARN "mine/backup/%.23s'}", made + 8);
    assert_holds(ask_as(&f, &other, "DescribeBackup", body), "BackupNotFoundException");
    fixture_close(&f);
}

static void test_records_of_a_stream(void **state)
{
    (void)state;
    struct fixture f;
    char arn[200], body[600];
    make_table(&f);
    struct identity root = identity_with(NULL), tenant = identity_with(TENANT("dynamodb:*")), nobody = identity_with("{'Statement':[]}");
    const char *at = strstr(ask_as(&f, &root, "ListStreams", "{}"), "\"StreamArn\":\"");
    assert_non_null(at);
    snprintf(arn, sizeof arn, "%.*s", (int)strcspn(at + 13, "\""), at + 13);
    snprintf(body, sizeof body, "{'StreamArn':'%s'}", arn);
    at = strstr(ask_as(&f, &root, "DescribeStream", body), "\"ShardId\":\"");
    snprintf(body, sizeof body, "{'StreamArn':'%s','ShardId':'%.*s','ShardIteratorType':'TRIM_HORIZON'}", arn, (int)strcspn(at + 11, "\""), at + 11);
    assert_holds(ask_as(&f, &tenant, "GetShardIterator", body), "AccessDeniedException");
    at = strstr(ask_as(&f, &root, "GetShardIterator", body), "\"ShardIterator\":\"");
    snprintf(body, sizeof body, "{'ShardIterator':'%.*s'}", (int)strcspn(at + 17, "\""), at + 17);
    assert_holds(ask_as(&f, &root, "GetRecords", body), "Records");
    assert_holds(ask_as(&f, &tenant, "GetRecords", body), "AccessDeniedException");
    assert_holds(ask_as(&f, &nobody, "GetRecords", body), "AccessDeniedException");
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_operation_has_a_row),
        cmocka_unit_test(test_who_is_allowed_nothing_gets_nothing),
        cmocka_unit_test(test_each_operation_asks_for_its_own_action),
        cmocka_unit_test(test_what_names_no_keys_is_denied_under_leading_keys),
        cmocka_unit_test(test_a_refusal_does_not_tell_what_tables_there_are),
        cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_return_values),
        cmocka_unit_test(test_statements_that_do_not_scan),
        cmocka_unit_test(test_an_arn_is_of_one_table),
        cmocka_unit_test(test_a_table_with_extras_takes_the_right_to_them),
        cmocka_unit_test(test_policies_of_tables),
        cmocka_unit_test(test_guests),
        cmocka_unit_test(test_the_name_in_a_backup_arn_counts),
        cmocka_unit_test(test_records_of_a_stream),
    };
    arena_init(&kept, (size_t)64 << 20);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&kept);
    return failed;
}
