/* test_store_failures.c: the store fails at its N-th call, for every N, below every operation and below the work behind them; and an operation
 * has too little memory. A request then gets an error that says it was not its fault, and nothing is changed; work behind the calls comes
 * to its end all the same. */
#include "engine_fixture.h"
#include "failing_store.h"
#include "moved_clock.h"
#include "repeat.h"
#include "engine/check.h"
#include "engine/engine_impl.h"
#include <stdlib.h>

#define MOST_CALLS 5000 /* of one request: more would be a loop */
#define SHOP       "arn:aws:dynamodb:us-east-1:000000000000:table/shop"

/* The text of a policy as the member of a request. */
#define POLICY(action)                                                                                                                            \
    "'Policy':'{\\'Version\\':\\'2012-10-17\\',\\'Statement\\':[{\\'Effect\\':\\'Allow\\',\\'Principal\\':{\\'AWS\\':\\'000000000000\\'},\\'Action\\':\\'dynamodb:" action \
    "\\',\\'Resource\\':\\'" SHOP "\\'}]}'"

static char dir[64];

/* ---- what is in the store ---- */

static uint64_t mix(uint64_t hash, struct slice s)
{
    for (size_t i = 0; i < s.n; i++) hash = (hash ^ s.p[i]) * 0x100000001b3u;
    return (hash ^ s.n) * 0x100000001b3u;
}

static int add_spaces(struct store_txn *txn, void *ctx)
{
    uint64_t *hash = ctx;
    *hash = 0xcbf29ce484222325u;
    for (int space = 0; space < SPACE_END; space++) {
        struct store_range all = { .space = (enum store_space)space };
        struct store_cursor *cursor;
        struct slice key, value;
        assert_int_equal(store_range_open(txn, &all, &cursor), 0);
        while (!store_range_next(cursor, &key, &value)) *hash = mix(mix(*hash, key), value);
        store_range_close(cursor);
    }
    return 0;
}

static uint64_t print_of(struct fixture *f)
{
    uint64_t hash;
    assert_int_equal(store_view(f->store, add_spaces, &hash), 0);
    return hash;
}

/* 1, or more where everything takes longer. */
static int fewer_under_valgrind(void)
{
    return 20 / repeated(20);
}

/* Until the work behind the calls has nothing left to do. */
static void settle_for(struct fixture *f, int quiet)
{
    uint64_t last = print_of(f);
    for (int same = 0, i = 0; same < quiet; i++) {
        jobs_wake(f->engine->jobs);
        usleep(fewer_under_valgrind() > 4 ? 5000 : 2000);
        uint64_t now = print_of(f);
        same = now == last ? same + 1 : 0;
        last = now;
        if (i > 5000) fail_msg("the work never ends");
    }
}

static void settle(struct fixture *f)
{
    settle_for(f, 4);
}

/* ---- a database with something of everything ---- */

static void open_shop(struct fixture *f)
{
    snprintf(dir, sizeof dir, "/tmp/onefold-failures-XXXXXX");
    assert_non_null(mkdtemp(dir));
    clock_ms = 1700000000000;
    fixture_open_with(f, &(struct store_options){ .dir = dir, .durability = DURABILITY_RELAXED, .map_size = 1 << 26 },
                      &(struct engine_options){ .now_ms = read_clock });
    failing_set_up(f->store);
    assert_holds(q(f, "CreateTable",
                   "{'TableName':'shop','BillingMode':'PAY_PER_REQUEST','AttributeDefinitions':[{'AttributeName':'p','AttributeType':'S'},"
                   "{'AttributeName':'r','AttributeType':'N'},{'AttributeName':'s','AttributeType':'S'}],"
                   "'KeySchema':[{'AttributeName':'p','KeyType':'HASH'},{'AttributeName':'r','KeyType':'RANGE'}],"
                   "'LocalSecondaryIndexes':[{'IndexName':'lsi','KeySchema':[{'AttributeName':'p','KeyType':'HASH'},"
                   "{'AttributeName':'s','KeyType':'RANGE'}],'Projection':{'ProjectionType':'KEYS_ONLY'}}],"
                   "'GlobalSecondaryIndexes':[{'IndexName':'gsi','KeySchema':[{'AttributeName':'s','KeyType':'HASH'}],"
                   "'Projection':{'ProjectionType':'ALL'}}],"
                   "'StreamSpecification':{'StreamEnabled':true,'StreamViewType':'NEW_AND_OLD_IMAGES'},'Tags':[{'Key':'k','Value':'v'}]}"),
                 "TableDescription");
    assert_holds(q(f, "CreateTable",
                   "{'TableName':'plain','AttributeDefinitions':[{'AttributeName':'p','AttributeType':'S'}],"
                   "'KeySchema':[{'AttributeName':'p','KeyType':'HASH'}],"
                   "'ProvisionedThroughput':{'ReadCapacityUnits':5,'WriteCapacityUnits':5}}"),
                 "TableDescription");
    assert_holds(q(f, "UpdateTimeToLive", "{'TableName':'shop','TimeToLiveSpecification':{'AttributeName':'e','Enabled':true}}"), "true");
    assert_holds(q(f, "UpdateContinuousBackups",
                   "{'TableName':'shop','PointInTimeRecoverySpecification':{'PointInTimeRecoveryEnabled':true}}"),
                 "ENABLED");
    assert_holds(q(f, "PutResourcePolicy", "{'ResourceArn':'" SHOP "'," POLICY("GetItem") "}"), "RevisionId");
    clock_ms += 60000;
    for (int i = 0; i < 12; i++)
        assert_lacks(q(f, "PutItem", "{'TableName':'shop','Item':{'p':{'S':'p%d'},'r':{'N':'%d'},'s':{'S':'s%d'},'e':{'N':'99999999%02d'}}}", i % 3,
                       i, i % 2, i),
                     "Exception");
    assert_holds(q(f, "CreateBackup", "{'TableName':'shop','BackupName':'then'}"), "BackupArn");
    clock_ms += 600000;
    settle(f);
}

static void close_shop(struct fixture *f)
{
    fixture_close(f);
    remove_directory(dir);
}

/* The text of a member of the last answer. */
static const char *member(struct fixture *f, const char *answer, const char *name)
{
    const char *at = strstr(answer, name);
    if (!at) fail_msg("no %s in %.500s", name, answer);
    at += strlen(name) + strlen("\":\"");
    struct slice text = arena_dup(&f->text, slice_of(at, strcspn(at, "\"")));
    return (const char *)arena_printf(&f->text, "%.*s%c", SLICE_ARG(text), 0).p;
}

static const char *stream_of(struct fixture *f)
{
    return member(f, q(f, "DescribeTable", "{'TableName':'shop'}"), "LatestStreamArn");
}

static const char *shard_of(struct fixture *f)
{
    return member(f, q(f, "DescribeStream", "{'StreamArn':'%s'}", stream_of(f)), "ShardId");
}

static const char *iterator_of(struct fixture *f)
{
    return member(f, q(f, "GetShardIterator", "{'StreamArn':'%s','ShardId':'%s','ShardIteratorType':'TRIM_HORIZON'}", stream_of(f), shard_of(f)),
                  "ShardIterator");
}

static const char *backup_of(struct fixture *f)
{
    return member(f, q(f, "ListBackups", "{'TableName':'shop'}"), "BackupArn");
}

/* ---- requests ---- */

struct request {
    const char *operation, *body;               /* one %s of the body, if any, is what a function finds: */
    const char *(*found)(struct fixture *f);
};

#define KEY(p, r) "{'p':{'S':'" p "'},'r':{'N':'" r "'}}"
#define ITEM(p, r, s) "{'p':{'S':'" p "'},'r':{'N':'" r "'},'s':{'S':'" s "'}}"

static const struct request requests[] = {
    /* What changes nothing. */
    { "GetItem", "{'TableName':'shop','Key':" KEY("p0", "0") "}" },
    { "GetItem", "{'TableName':'shop','Key':" KEY("none", "0") ",'ReturnConsumedCapacity':'INDEXES'}" },
    { "BatchGetItem", "{'RequestItems':{'shop':{'Keys':[" KEY("p0", "0") "," KEY("p1", "1") "]},'plain':{'Keys':[{'p':{'S':'x'}}]}}}" },
    { "TransactGetItems", "{'TransactItems':[{'Get':{'TableName':'shop','Key':" KEY("p0", "0") "}}]}" },
    { "Query", "{'TableName':'shop','KeyConditionExpression':'p = :p','ExpressionAttributeValues':{':p':{'S':'p0'}}}" },
    { "Query", "{'TableName':'shop','KeyConditionExpression':'p = :p','ScanIndexForward':false,'FilterExpression':'e > :e',"
               "'ExpressionAttributeValues':{':p':{'S':'p0'},':e':{'N':'3'}}}" },
    { "Query", "{'TableName':'shop','IndexName':'gsi','KeyConditionExpression':'s = :s','ExpressionAttributeValues':{':s':{'S':'s0'}}}" },
    { "Query", "{'TableName':'shop','IndexName':'lsi','Select':'ALL_ATTRIBUTES','KeyConditionExpression':'p = :p',"
               "'ExpressionAttributeValues':{':p':{'S':'p0'}}}" },
    { "Scan", "{'TableName':'shop'}" },
    { "Scan", "{'TableName':'shop','IndexName':'gsi','Segment':0,'TotalSegments':2,'Limit':3}" },
    { "ExecuteStatement", "{'Statement':\"SELECT * FROM shop WHERE p = 'p0'\"}" },
    { "ExecuteStatement", "{'Statement':\"SELECT * FROM shop.gsi WHERE s IN ['s0', 's1']\"}" },
    { "BatchExecuteStatement", "{'Statements':[{'Statement':\"SELECT * FROM shop WHERE p = 'p0' AND r = 0\"}]}" },
    { "ExecuteTransaction", "{'TransactStatements':[{'Statement':\"SELECT * FROM shop WHERE p = 'p0' AND r = 0\"}]}" },
    { "DescribeTable", "{'TableName':'shop'}" },
    { "DescribeTimeToLive", "{'TableName':'shop'}" },
    { "DescribeContinuousBackups", "{'TableName':'shop'}" },
    { "ListBackups", "{}" },
    { "DescribeBackup", "{'BackupArn':'%s'}", backup_of },
    { "ListTagsOfResource", "{'ResourceArn':'" SHOP "'}" },
    { "GetResourcePolicy", "{'ResourceArn':'" SHOP "'}" },
    { "DescribeContributorInsights", "{'TableName':'shop'}" },
    { "ListContributorInsights", "{}" },
    { "ListStreams", "{}" },
    { "DescribeStream", "{'StreamArn':'%s'}", stream_of },
    { "GetRecords", "{'ShardIterator':'%s'}", iterator_of },
    { "ListExports", "{}" },
    { "ListImports", "{}" },
    /* Items. */
    { "PutItem", "{'TableName':'shop','Item':" ITEM("new", "1", "s0") "}" },
    { "PutItem", "{'TableName':'shop','Item':" ITEM("p0", "0", "s9") ",'ConditionExpression':'attribute_exists(p)','ReturnValues':'ALL_OLD'}" },
    { "UpdateItem", "{'TableName':'shop','Key':" KEY("p0", "3") ",'UpdateExpression':'SET s = :s, n = :n REMOVE e',"
                    "'ExpressionAttributeValues':{':s':{'S':'s7'},':n':{'N':'1'}},'ReturnValues':'ALL_NEW'}" },
    { "UpdateItem", "{'TableName':'shop','Key':" KEY("made", "1") ",'UpdateExpression':'ADD n :n','ExpressionAttributeValues':{':n':{'N':'1'}}}" },
    { "DeleteItem", "{'TableName':'shop','Key':" KEY("p0", "6") ",'ReturnValues':'ALL_OLD'}" },
    { "BatchWriteItem", "{'RequestItems':{'shop':[{'PutRequest':{'Item':" ITEM("b", "1", "s0") "}},{'DeleteRequest':{'Key':" KEY("p1", "1") "}}],"
                        "'plain':[{'PutRequest':{'Item':{'p':{'S':'x'}}}}]}}" },
    { "TransactWriteItems", "{'ClientRequestToken':'once','TransactItems':[{'Put':{'TableName':'shop','Item':" ITEM("t", "1", "s1") "}},"
                            "{'Update':{'TableName':'shop','Key':" KEY("p1", "4") ",'UpdateExpression':'SET n = :n','ExpressionAttributeValues':{':n':{'N':'1'}}}},"
                            "{'Delete':{'TableName':'shop','Key':" KEY("p1", "7") "}},"
                            "{'ConditionCheck':{'TableName':'shop','Key':" KEY("p2", "2") ",'ConditionExpression':'attribute_exists(p)'}}]}" },
    { "TransactWriteItems", "{'ClientRequestToken':'once','TransactItems':[{'Put':{'TableName':'shop','Item':" ITEM("t", "1", "s1") "}},"
                            "{'Update':{'TableName':'shop','Key':" KEY("p1", "4") ",'UpdateExpression':'SET n = :n','ExpressionAttributeValues':{':n':{'N':'1'}}}},"
                            "{'Delete':{'TableName':'shop','Key':" KEY("p1", "7") "}},"
                            "{'ConditionCheck':{'TableName':'shop','Key':" KEY("p2", "2") ",'ConditionExpression':'attribute_exists(p)'}}]}" },
    { "ExecuteStatement", "{'Statement':\"INSERT INTO shop VALUE {'p': 'q', 'r': 1, 's': 's0'}\"}" },
    { "ExecuteStatement", "{'Statement':\"UPDATE shop SET n = 1 WHERE p = 'q' AND r = 1 RETURNING ALL NEW *\"}" },
    { "ExecuteStatement", "{'Statement':\"DELETE FROM shop WHERE p = 'q' AND r = 1\"}" },
    { "BatchExecuteStatement", "{'Statements':[{'Statement':\"INSERT INTO shop VALUE {'p': 'bq', 'r': 1}\"},{'Statement':\"DELETE FROM shop WHERE p = 'p2' AND r = 5\"}]}" },
    { "ExecuteTransaction", "{'TransactStatements':[{'Statement':\"INSERT INTO shop VALUE {'p': 'tq', 'r': 1}\"}],'ClientRequestToken':'two'}" },
    /* Tables and what belongs to them. */
    { "TagResource", "{'ResourceArn':'" SHOP "','Tags':[{'Key':'a','Value':'b'}]}" },
    { "UntagResource", "{'ResourceArn':'" SHOP "','TagKeys':['a']}" },
    { "PutResourcePolicy", "{'ResourceArn':'" SHOP "'," POLICY("Query") "}" },
    { "DeleteResourcePolicy", "{'ResourceArn':'" SHOP "'}" },
    { "UpdateContributorInsights", "{'TableName':'shop','ContributorInsightsAction':'ENABLE'}" },
    { "UpdateTable", "{'TableName':'plain','ProvisionedThroughput':{'ReadCapacityUnits':6,'WriteCapacityUnits':5}}" },
    { "UpdateTable", "{'TableName':'plain','StreamSpecification':{'StreamEnabled':true,'StreamViewType':'KEYS_ONLY'}}" },
    { "UpdateTable", "{'TableName':'plain','StreamSpecification':{'StreamEnabled':false}}" },
    { "UpdateTable", "{'TableName':'shop','AttributeDefinitions':[{'AttributeName':'n','AttributeType':'N'}],'GlobalSecondaryIndexUpdates':[{'Create':"
                     "{'IndexName':'byn','KeySchema':[{'AttributeName':'n','KeyType':'HASH'}],'Projection':{'ProjectionType':'KEYS_ONLY'}}}]}" },
    { "UpdateTable", "{'TableName':'shop','GlobalSecondaryIndexUpdates':[{'Delete':{'IndexName':'byn'}}]}" },
    { "UpdateTimeToLive", "{'TableName':'shop','TimeToLiveSpecification':{'AttributeName':'e','Enabled':false}}" },
    { "CreateTable", "{'TableName':'late','BillingMode':'PAY_PER_REQUEST','AttributeDefinitions':[{'AttributeName':'p','AttributeType':'S'}],"
                     "'KeySchema':[{'AttributeName':'p','KeyType':'HASH'}]}" },
    { "CreateBackup", "{'TableName':'shop','BackupName':'now'}" },
    { "RestoreTableFromBackup", "{'TargetTableName':'back','BackupArn':'%s'}", backup_of },
    { "RestoreTableToPointInTime", "{'SourceTableName':'shop','TargetTableName':'then','UseLatestRestorableTime':true}" },
    { "UpdateContinuousBackups", "{'TableName':'shop','PointInTimeRecoverySpecification':{'PointInTimeRecoveryEnabled':false}}" },
    { "DeleteBackup", "{'BackupArn':'%s'}", backup_of },
    { "DeleteTable", "{'TableName':'plain'}" },
    { "DeleteTable", "{'TableName':'shop'}" },
};

/* ' for ", but in statements, which stand in " and have ' of their own. */
static struct slice body_of(struct fixture *f, const struct request *r)
{
    const char *found = r->found ? r->found(f) : NULL;
    struct buf b;
    bool statement = false;
    buf_init(&b, &f->text, 65536);
    for (const char *p = r->body; *p; p++) {
        if (p[0] == '%' && p[1] == 's') {
            buf_slice(&b, slice_str(found));
            p++;
        } else {
            if (*p == '"') statement = !statement;
            buf_u8(&b, (uint8_t)(*p == '\'' && !statement ? '"' : *p));
        }
    }
    return buf_view(&b);
}

static bool is_our_fault(const char *answer)
{
    return strstr(answer, "InternalServerError") || strstr(answer, "ServiceUnavailable");
}

/* The first call fails, the second ... until none does. How many there were. */
static int fail_each_call(struct fixture *f, const struct request *r, int step)
{
    static const int statuses[] = { STORE_IO, STORE_CORRUPT, STORE_FULL, STORE_NO_MEMORY };
    struct slice body = body_of(f, r);
    uint64_t before = print_of(f);
    int failures = 0;
    for (int n = 1; n < MOST_CALLS; n += step) {
        fail_at(FAIL_THIS_THREAD, n, statuses[n % 4]);
        const char *answer = ask_slice(f, r->operation, body);
        if (!failing_end()) {
            if (strstr(answer, "__type")) fail_msg("%s %s: %.500s", r->operation, r->body, answer);
            return failures;
        }
        failures++;
        if (!is_our_fault(answer)) fail_msg("%s %s: the store's call %d failed, and the answer is %.500s", r->operation, r->body, n, answer);
        if (print_of(f) != before) fail_msg("%s %s: the store's call %d failed, and something is changed", r->operation, r->body, n);
    }
    fail_msg("%s: never without a failure", r->operation);
    return 0;
}

static void test_requests(void **state)
{
    struct fixture f;
    int failures = 0;
    (void)state;
    open_shop(&f);
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        failures += fail_each_call(&f, &requests[i], fewer_under_valgrind());
        settle_for(&f, 12); /* a restore may be slow */
    }
    assert_true(failures > 40);
    close_shop(&f);
}

/* ---- little memory ---- */

static const char *ask_with(struct fixture *f, size_t bytes, const char *operation, struct slice body)
{
    struct call call = { 0 };
    struct arena little;
    arena_init(&little, bytes);
    arena_reset(&f->arena);
    if (!call_prepare(&call, f->engine, &little, (struct caller){ 0 }, slice_str(operation), body)) call_run(&call);
    struct slice answer = call_answer(&call);
    const char *text = (const char *)arena_printf(&f->arena, "%.*s", SLICE_ARG(answer)).p;
    call_end(&call);
    arena_free(&little);
    return text;
}

static int give_more_each_time(struct fixture *f, const struct request *r)
{
    struct slice body = body_of(f, r);
    uint64_t before = print_of(f);
    int failures = 0;
    for (size_t bytes = 200; bytes < 1 << 20; bytes += bytes / 32 * (size_t)fewer_under_valgrind() + 40) {
        const char *answer = ask_with(f, bytes, r->operation, body);
        if (!strstr(answer, "__type")) return failures;
        failures++;
        if (!is_our_fault(answer)) fail_msg("%s with %zu bytes: %.500s", r->operation, bytes, answer);
        if (print_of(f) != before) fail_msg("%s %s: with %zu bytes it failed, and something is changed", r->operation, r->body, bytes);
    }
    fail_msg("%s: a megabyte does not do", r->operation);
    return 0;
}

static void test_little_memory(void **state)
{
    struct fixture f;
    int failures = 0;
    (void)state;
    open_shop(&f);
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        failures += give_more_each_time(&f, &requests[i]);
        settle_for(&f, 12); /* a restore may be slow */
    }
    assert_true(failures > 40);
    close_shop(&f);
}

/* ---- the work behind them ---- */

/* A request that may meet the failure itself, where the writer's thread runs it. */
static void insist(struct fixture *f, const char *operation, const char *body)
{
    const char *answer = q(f, operation, "%s", body);
    if (is_our_fault(answer)) answer = q(f, operation, "%s", body);
    if (strstr(answer, "__type")) fail_msg("%s %s: %.500s", operation, body, answer);
}

static void wait_for(struct fixture *f, const char *operation, const char *body, const char *part, bool there)
{
    for (int i = 0; i < 10000; i++) {
        jobs_wake(f->engine->jobs);
        if ((strstr(q(f, operation, "%s", body), part) != NULL) == there) return;
        usleep(300);
    }
    fail_msg("%s %s: waited too long for %s", operation, body, part);
}

/* An index is filled, a table copied from a backup and another from its history, items expire, all of it is removed. */
static bool work_with_failure(struct fixture *f, int n, int status)
{
    fail_at(FAIL_OTHER_THREADS, n, status);
    insist(f, "UpdateTable", "{'TableName':'shop','AttributeDefinitions':[{'AttributeName':'r','AttributeType':'N'}],'GlobalSecondaryIndexUpdates':"
                             "[{'Create':{'IndexName':'byr','KeySchema':[{'AttributeName':'r','KeyType':'HASH'}],'Projection':{'ProjectionType':'ALL'}}}]}");
    wait_for(f, "DescribeTable", "{'TableName':'shop'}", "CREATING", false);
    assert_holds(q(f, "Scan", "{'TableName':'shop','IndexName':'byr','Select':'COUNT'}"), "\"Count\":12,");
    insist(f, "UpdateTable", "{'TableName':'shop','GlobalSecondaryIndexUpdates':[{'Delete':{'IndexName':'byr'}}]}");
    const char *from_backup = (const char *)arena_printf(&f->text, "{'TargetTableName':'back','BackupArn':'%s'}%c", backup_of(f), 0).p;
    insist(f, "RestoreTableFromBackup", from_backup);
    insist(f, "RestoreTableToPointInTime", "{'SourceTableName':'shop','TargetTableName':'then','UseLatestRestorableTime':true}");
    wait_for(f, "DescribeTable", "{'TableName':'back'}", "\"TableStatus\":\"ACTIVE\"", true);
    wait_for(f, "DescribeTable", "{'TableName':'then'}", "\"TableStatus\":\"ACTIVE\"", true);
    assert_holds(q(f, "Scan", "{'TableName':'back','Select':'COUNT'}"), "\"Count\":12,");
    assert_holds(q(f, "Scan", "{'TableName':'then','IndexName':'gsi','Select':'COUNT'}"), "\"Count\":12,");
    insist(f, "PutItem", "{'TableName':'shop','Item':{'p':{'S':'old'},'r':{'N':'1'},'e':{'N':'1699999999'}}}");
    wait_for(f, "GetItem", "{'TableName':'shop','Key':{'p':{'S':'old'},'r':{'N':'1'}}}", "old", false);
    insist(f, "DeleteTable", "{'TableName':'back'}");
    insist(f, "DeleteTable", "{'TableName':'then'}");
    settle(f);
    return failing_end();
}

static void tell_finding(void *ctx, const struct check_finding *found)
{
    (void)ctx;
    print_error("%s: %.*s\n", found->space, SLICE_ARG(found->what));
}

static void test_work_behind_the_calls(void **state)
{
    struct fixture f;
    struct check_report report = { 0 };
    char message[300] = "";
    int n = 1;
    (void)state;
    open_shop(&f);
    while (work_with_failure(&f, n, n % 2 ? STORE_IO : STORE_FULL)) {
        n += fewer_under_valgrind();
        assert_true(n < MOST_CALLS);
    }
    assert_true(n > 50);
    fixture_close(&f);
    assert_int_equal(check_store(&(struct check_options){ .dir = dir, .tell = tell_finding }, &report, message, sizeof message), 0);
    assert_int_equal(report.findings, 0);
    remove_directory(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_requests),
        cmocka_unit_test(test_little_memory),
        cmocka_unit_test(test_work_behind_the_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
