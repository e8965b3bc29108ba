/* test_access_random.c: a tenant that tries everything. Requests of a pool are taken apart and put together anew: nodes of one in the place of
 * another's, members left out and doubled, tenants exchanged, also under the name of another operation. Whatever comes of it: no answer holds
 * what the policy withholds, and nothing of others is changed. */
#include "engine_fixture.h"
#include "auth/policy.h"
#include "repeat.h"

#define TIMES  40000
#define SEED   20261116u
#define SECRET "what only bravo knows" /* in items of others */
#define HIDDEN "what no clerk may see" /* in an attribute of all */

static struct arena kept; /* policies, the pool */
static const struct identity_tag tags[] = { { { (const uint8_t *)"tenant", 6 }, { (const uint8_t *)"acme", 4 } } };

static const char *const pool[] = {
    "GetItem {'TableName':'app','Key':{'PK':{'S':'acme'},'SK':{'S':'1'}},'ConsistentRead':true,'ReturnConsumedCapacity':'TOTAL'}",
    "GetItem {'TableName':'app','Key':{'PK':{'S':'acme'},'SK':{'S':'1'}},'ProjectionExpression':'#a','ExpressionAttributeNames':{'#a':'hidden'}}",
    "GetItem {'TableName':'app','Key':{'PK':{'S':'acme'},'SK':{'S':'1'}},'AttributesToGet':['secret']}",
    "BatchGetItem {'RequestItems':{'app':{'Keys':[{'PK':{'S':'acme'},'SK':{'S':'1'}},{'PK':{'S':'acme'},'SK':{'S':'2'}}],"
    "'ProjectionExpression':'PK,secret'}}}",
    "Query {'TableName':'app','KeyConditionExpression':'PK=:p','ExpressionAttributeValues':{':p':{'S':'acme'}},'ScanIndexForward':false}",
    "Query {'TableName':'app','IndexName':'gsi','KeyConditionExpression':'G=:p','ExpressionAttributeValues':{':p':{'S':'acme'}},"
    "'ExclusiveStartKey':{'G':{'S':'acme'},'PK':{'S':'acme'},'SK':{'S':'1'}}}",
    "Query {'TableName':'app','IndexName':'lsi','KeyConditionExpression':'PK=:p AND #l>:z','ExpressionAttributeValues':{':p':{'S':'acme'},"
    "':z':{'N':'0'}},'ExpressionAttributeNames':{'#l':'L'},'Select':'ALL_ATTRIBUTES'}",
    "Query {'TableName':'app','KeyConditions':{'PK':{'ComparisonOperator':'EQ','AttributeValueList':[{'S':'acme'}]}},"
    "'QueryFilter':{'hidden':{'ComparisonOperator':'NOT_NULL'}}}",
    "Scan {'TableName':'app','FilterExpression':'PK=:p','ExpressionAttributeValues':{':p':{'S':'acme'}},'Select':'COUNT'}",
    "Scan {'TableName':'app','IndexName':'gsi','Segment':0,'TotalSegments':1}",
    "PutItem {'TableName':'app','Item':{'PK':{'S':'acme'},'SK':{'S':'1'},'G':{'S':'acme'},'L':{'N':'1'}},'ReturnValues':'ALL_OLD'}",
    "PutItem {'TableName':'app','Item':{'PK':{'S':'acme'},'SK':{'S':'1'}},'ConditionExpression':'attribute_not_exists(SK)',"
    "'ReturnValuesOnConditionCheckFailure':'ALL_OLD'}",
    "UpdateItem {'TableName':'app','Key':{'PK':{'S':'acme'},'SK':{'S':'2'}},'UpdateExpression':'SET x=:v, y=if_not_exists(hidden,:v)',"
    "'ExpressionAttributeValues':{':v':{'S':'acme'}},'ReturnValues':'UPDATED_NEW'}",
    "UpdateItem {'TableName':'app','Key':{'PK':{'S':'acme'},'SK':{'S':'2'}},'AttributeUpdates':{'G':{'Action':'PUT','Value':{'S':'acme'}}},"
    "'Expected':{'PK':{'Exists':true,'Value':{'S':'acme'}}},'ReturnValues':'ALL_NEW'}",
    "DeleteItem {'TableName':'app','Key':{'PK':{'S':'acme'},'SK':{'S':'3'}},'ReturnValues':'ALL_OLD'}",
    "BatchWriteItem {'RequestItems':{'app':[{'PutRequest':{'Item':{'PK':{'S':'acme'},'SK':{'S':'4'}}}},"
    "{'DeleteRequest':{'Key':{'PK':{'S':'acme'},'SK':{'S':'1'}}}}]}}",
    "TransactGetItems {'TransactItems':[{'Get':{'TableName':'app','Key':{'PK':{'S':'acme'},'SK':{'S':'1'}}}},"
    "{'Get':{'TableName':'app','Key':{'PK':{'S':'acme'},'SK':{'S':'2'}},'ProjectionExpression':'SK'}}]}",
    "TransactWriteItems {'TransactItems':[{'Put':{'TableName':'app','Item':{'PK':{'S':'acme'},'SK':{'S':'5'}}}},"
    "{'ConditionCheck':{'TableName':'app','Key':{'PK':{'S':'acme'},'SK':{'S':'1'}},'ConditionExpression':'attribute_not_exists(PK)',"
    "'ReturnValuesOnConditionCheckFailure':'ALL_OLD'}}],'ClientRequestToken':'one'}",
    "TransactWriteItems {'TransactItems':[{'Update':{'TableName':'app','Key':{'PK':{'S':'acme'},'SK':{'S':'1'}},'UpdateExpression':'REMOVE x'}},"
    "{'Delete':{'TableName':'app','Key':{'PK':{'S':'acme'},'SK':{'S':'2'}}}}]}",
    "ExecuteStatement {'Statement':'SELECT * FROM app WHERE PK=`acme` AND SK=`1`'}",
    "ExecuteStatement {'Statement':'SELECT SK, secret FROM app.gsi WHERE G IN [`acme`,`acme`]','Limit':1}",
    "ExecuteStatement {'Statement':'SELECT * FROM app WHERE PK=? OR (PK=? AND SK>`0`)','Parameters':[{'S':'acme'},{'S':'acme'}]}",
    "ExecuteStatement {'Statement':'UPDATE app SET x=1 WHERE PK=`acme` AND SK=`1` RETURNING ALL OLD *'}",
    "ExecuteStatement {'Statement':'INSERT INTO app VALUE {`PK`:`acme`,`SK`:`6`,`G`:`acme`}'}",
    "ExecuteStatement {'Statement':'DELETE FROM app WHERE PK=`acme` AND SK=`1` AND x=1','ReturnValuesOnConditionCheckFailure':'ALL_OLD'}",
    "BatchExecuteStatement {'Statements':[{'Statement':'SELECT * FROM app WHERE PK=`acme` AND SK=`1`'},"
    "{'Statement':'SELECT hidden FROM app WHERE PK=? AND SK=?','Parameters':[{'S':'acme'},{'S':'2'}]}]}",
    "BatchExecuteStatement {'Statements':[{'Statement':'UPDATE app SET x=1 WHERE PK=`acme` AND SK=`1` RETURNING ALL NEW *'}]}",
    "ExecuteTransaction {'TransactStatements':[{'Statement':'SELECT * FROM app WHERE PK=`acme` AND SK=`1`'}]}",
    "ExecuteTransaction {'TransactStatements':[{'Statement':'EXISTS(SELECT * FROM app WHERE PK=`acme` AND SK=`1` AND hidden=`x`)'},"
    "{'Statement':'DELETE FROM app WHERE PK=`acme` AND SK=`3`'}]}",
    "DescribeTable {'TableName':'app'}",
    "DeleteTable {'TableName':'app'}",
    "UpdateTable {'TableName':'app','GlobalSecondaryIndexUpdates':[{'Delete':{'IndexName':'gsi'}}]}",
    "UpdateTimeToLive {'TableName':'app','TimeToLiveSpecification':{'AttributeName':'L','Enabled':true}}",
    "TagResource {'ResourceArn':'arn:aws:dynamodb:us-east-1:123456789012:table/app','Tags':[{'Key':'tenant','Value':'acme'}]}",
    "DeleteResourcePolicy {'ResourceArn':'arn:aws:dynamodb:us-east-1:123456789012:table/app'}",
};
#define N_POOL (sizeof pool / sizeof *pool)

static const char *const tenants[] = { "acme", "bravo", "acme2", "acme", "bravo", "*", "", "${aws:PrincipalTag/tenant}" };

static struct seed {
    struct slice operation;
    const struct json *body;
    size_t nodes;
} seeds[N_POOL];

static uint32_t dice;

static uint32_t roll(uint32_t below)
{
    dice ^= dice << 13;
    dice ^= dice >> 17;
    dice ^= dice << 5;
    return dice % below;
}

/* ---- requests ---- */

static size_t count_nodes(const struct json *n)
{
    size_t count = 1;
    for (const struct json *c = n->first; c; c = c->next) count += count_nodes(c);
    return count;
}

static const struct json *node_at(const struct json *n, size_t *at)
{
    const struct json *found = NULL;
    if (!(*at)--) return n;
    for (const struct json *c = n->first; c && !found; c = c->next) found = node_at(c, at);
    return found;
}

static void make_seeds(void)
{
    for (size_t i = 0; i < N_POOL; i++) {
        struct slice line = arena_dup(&kept, slice_str(pool[i]));
        for (size_t k = 0; k < line.n; k++) {
            uint8_t *c = (uint8_t *)(uintptr_t)&line.p[k];
            *c = *c == '\'' ? '"' : *c == '`' ? '\'' : *c;
        }
        size_t blank = strcspn(pool[i], " ");
        seeds[i].operation = slice_of(line.p, blank);
        seeds[i].body = json_parse(&kept, slice_of(line.p + blank, line.n - blank), 30, NULL);
        if (!seeds[i].body) fail_msg("%s", pool[i]);
        seeds[i].nodes = count_nodes(seeds[i].body);
    }
}

enum change { KEEP, REPLACE, REMOVE, REPEAT };
struct writing {
    struct buf *out;
    size_t at, chosen;
    enum change change;
    unsigned strangers; /* of ten tenants that many are another's */
};

/* A text with its tenants exchanged. */
static void put_text(struct writing *w, struct slice text)
{
    struct buf b;
    buf_init(&b, w->out->arena, 1u << 16);
    for (size_t i = 0; i < text.n;) {
        if (slice_starts(slice_of(text.p + i, text.n - i), SLICE("acme")) && roll(10) < w->strangers) {
            buf_slice(&b, slice_str(tenants[roll(sizeof tenants / sizeof *tenants)]));
            i += 4;
        } else {
            buf_u8(&b, text.p[i++]);
        }
    }
    json_put_string(w->out, buf_view(&b));
}

static void put_node(struct writing *w, const struct json *n)
{
    bool here = w->at++ == w->chosen;
    if (here && w->change == REPLACE) {
        const struct seed *from = &seeds[roll(N_POOL)];
        size_t number = roll((uint32_t)from->nodes);
        w->change = KEEP;
        put_node(w, node_at(from->body, &number));
        return;
    }
    bool object = n->type == JSON_OBJECT, first = true;
    if (n->type == JSON_STRING) put_text(w, n->text);
    else if (!object && n->type != JSON_ARRAY) json_put(w->out, n);
    if (!object && n->type != JSON_ARRAY) return;
    buf_u8(w->out, object ? '{' : '[');
    for (const struct json *c = n->first; c; c = c->next) {
        int times = w->at != w->chosen ? 1 : w->change == REMOVE ? 0 : w->change == REPEAT ? 2 : 1;
        if (!times) w->at += count_nodes(c);
        for (; times; times--) {
            if (!first) buf_u8(w->out, ',');
            first = false;
            if (object) {
                json_put_string(w->out, c->name);
                buf_u8(w->out, ':');
            }
            put_node(w, c);
        }
    }
    buf_u8(w->out, object ? '}' : ']');
}

static struct slice make_request(struct arena *a, struct slice *operation)
{
    const struct seed *s = &seeds[roll(N_POOL)];
    struct buf b;
    struct writing w = { .out = &b, .chosen = 1 + roll((uint32_t)s->nodes), .change = (enum change)roll(4), .strangers = roll(7) };
    *operation = roll(20) ? s->operation : seeds[roll(N_POOL)].operation;
    buf_init(&b, a, 1u << 20);
    put_node(&w, s->body);
    return buf_view(&b);
}

/* ---- the table ---- */

static struct identity identity_with(const char *policy)
{
    struct identity who = { .user = SLICE("alice"), .account = SLICE("123456789012"), .tags = tags, .n_tags = 1 };
    struct slice text = arena_dup(&kept, slice_str(policy));
    struct err e = { .arena = &kept };
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '\'') ((uint8_t *)(uintptr_t)text.p)[i] = '"';
    }
    if (policy_read(&kept, POLICY_OF_IDENTITY, text, &who.policy, &e)) fail_msg("%.*s", SLICE_ARG(e.message));
    return who;
}

static void fill(struct fixture *f)
{
    static const char *const partitions[] = { "acme", "acme", "acme", "bravo", "bravo", "acme2" };
    for (size_t i = 0; i < 6; i++) {
        assert_string_equal(q(f, "PutItem", "{'TableName':'app','Item':{'PK':{'S':'%s'},'SK':{'S':'%zu'},'G':{'S':'%s'},'L':{'N':'%zu'},"
                              "'hidden':{'S':'" HIDDEN "'},'secret':{'S':'%s'}}}", partitions[i], 1 + i % 3, partitions[i], i,
                              i < 3 ? "nothing" : SECRET), "{}");
    }
}

static void make_table(struct fixture *f)
{
    struct store_options memory = { 0 };
    fixture_open(f, &memory);
    assert_holds(q(f, "CreateTable",
                   "{'TableName':'app','AttributeDefinitions':[{'AttributeName':'PK','AttributeType':'S'},{'AttributeName':'SK','AttributeType':'S'},"
                   "{'AttributeName':'G','AttributeType':'S'},{'AttributeName':'L','AttributeType':'N'}],"
                   "'KeySchema':[{'AttributeName':'PK','KeyType':'HASH'},{'AttributeName':'SK','KeyType':'RANGE'}],"
                   "'GlobalSecondaryIndexes':[{'IndexName':'gsi','KeySchema':[{'AttributeName':'G','KeyType':'HASH'}],"
                   "'Projection':{'ProjectionType':'ALL'}}],'LocalSecondaryIndexes':[{'IndexName':'lsi','KeySchema':["
                   "{'AttributeName':'PK','KeyType':'HASH'},{'AttributeName':'L','KeyType':'RANGE'}],"
                   "'Projection':{'ProjectionType':'KEYS_ONLY'}}],'BillingMode':'PAY_PER_REQUEST'}"),
                 "TableDescription");
    fill(f);
}

/* All that is not acme's, as text. */
static struct slice of_others(struct fixture *f, struct arena *a)
{
    const char *answer = q(f, "Scan", "{'TableName':'app','FilterExpression':'PK<>:p','ExpressionAttributeValues':{':p':{'S':'acme'}}}");
    assert_holds(answer, "\"Items\":[");
    const char *end = strstr(answer, "],\"Count\":"); /* how many of acme's were passed over is no matter */
    struct slice items = slice_of(answer, end ? (size_t)(end - answer) : strlen(answer));
    return arena_dup(a, items);
}

static const char *ask_as(struct fixture *f, const struct identity *who, struct slice operation, struct slice body)
{
    struct call call = { 0 };
    struct buf b;
    struct caller caller = { .account = who->account, .identity = who };
    arena_reset(&f->arena);
    if (!call_prepare(&call, f->engine, &f->arena, caller, operation, body)) call_run(&call);
    buf_init(&b, &f->arena, (size_t)64 << 20);
    buf_slice(&b, call_answer(&call));
    buf_u8(&b, 0);
    call_end(&call);
    return (const char *)b.p;
}

/* withheld: a text that no answer may hold. confined: nothing of others changes. At least one request in ten must have been done and one in
 * ten denied, or this would test nothing. */
static void try_everything(const char *policy, const char *withheld, bool confined)
{
    struct fixture f;
    struct arena a;
    const int times = repeated(TIMES);
    int done = 0, refused = 0;
    make_table(&f);
    arena_init(&a, (size_t)64 << 20);
    struct identity who = identity_with(policy);
    struct slice before = arena_dup(&kept, of_others(&f, &a));
    dice = SEED;
    for (int i = 0; i < times; i++) {
        struct slice operation;
        arena_reset(&a);
        arena_reset(&f.text);
        struct slice body = make_request(&a, &operation);
        const char *answer = ask_as(&f, &who, operation, body);
        bool told = strstr(answer, withheld) != NULL, failed = strstr(answer, "\"__type\"") != NULL;
        done += !failed;
        refused += strstr(answer, "AccessDenied") != NULL;
        if (told) fail_msg("seed %u, request %d: %.*s %.*s told %s", SEED, i, SLICE_ARG(operation), SLICE_ARG(body), answer);
        if (confined && !slice_eq(of_others(&f, &a), before))
            fail_msg("seed %u, request %d: %.*s %.*s changed what is another's", SEED, i, SLICE_ARG(operation), SLICE_ARG(body));
        if (i % 50 == 0) fill(&f);
    }
    if (done < times / 10 || refused < times / 10) fail_msg("%d of %d were done, %d denied", done, times, refused);
    fixture_close(&f);
    arena_free(&a);
}

static void test_a_tenant_is_allowed_its_own(void **state)
{
    (void)state;
    try_everything("{'Version':'2012-10-17','Statement':[{'Effect':'Allow','Action':'dynamodb:*','Resource':'*','Condition':{"
                   "'ForAllValues:StringEquals':{'dynamodb:LeadingKeys':['${aws:PrincipalTag/tenant}']}}}]}", SECRET, true);
}

static void test_a_tenant_is_denied_what_is_not_its_own(void **state)
{
    (void)state;
    try_everything("{'Version':'2012-10-17','Statement':[{'Effect':'Allow','Action':'*','Resource':'*'},{'Effect':'Deny','Action':'*',"
                   "'Resource':'*','Condition':{'ForAnyValue:StringNotEquals':{'dynamodb:LeadingKeys':['${aws:PrincipalTag/tenant}']}}}]}",
                   SECRET, true);
}

static void test_a_clerk_is_allowed_some_attributes(void **state)
{
    (void)state;
    try_everything("{'Version':'2012-10-17','Statement':[{'Effect':'Allow','Action':'dynamodb:*','Resource':'*','Condition':{"
                   "'ForAllValues:StringEquals':{'dynamodb:Attributes':['PK','SK','G','L','x','y','secret']}}}]}", HIDDEN, false);
}

static void test_a_clerk_is_denied_an_attribute(void **state)
{
    (void)state;
    try_everything("{'Version':'2012-10-17','Statement':[{'Effect':'Allow','Action':'dynamodb:*','Resource':'*'},{'Effect':'Deny',"
                   "'Action':'*','Resource':'*','Condition':{'ForAnyValue:StringEquals':{'dynamodb:Attributes':'hidden'}}}]}", HIDDEN, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_tenant_is_allowed_its_own),
        cmocka_unit_test(test_a_tenant_is_denied_what_is_not_its_own),
        cmocka_unit_test(test_a_clerk_is_allowed_some_attributes),
        cmocka_unit_test(test_a_clerk_is_denied_an_attribute),
    };
    arena_init(&kept, (size_t)64 << 20);
    make_seeds();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&kept);
    return failed;
}
