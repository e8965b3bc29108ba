/* test_policy.c: IAM's policies: a table of documents, requests and verdicts, DynamoDB's documented examples among them; and the documents
 * that are refused, with the sentence. In them ' stands for ". */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include "auth/policy.h"
#include "item/item_json.h"

#define TABLE "arn:aws:dynamodb:us-east-1:123456789012:table/Orders"
#define ALLOW(rest) "{'Version':'2012-10-17','Statement':{'Effect':'Allow'," rest "}}"
#define DENY(rest)                                                                            \
    "{'Version':'2012-10-17','Statement':[{'Effect':'Allow','Action':'*','Resource':'*'}," \
    "{'Effect':'Deny'," rest "}]}"
#define ANY "'Action':'*','Resource':'*'"
#define WHEN(condition) ANY ",'Condition':{" condition "}"

static struct arena arena;
static const struct identity_tag tags[] = { { { (const uint8_t *)"tenant", 6 }, { (const uint8_t *)"acme", 4 } },
                                            { { (const uint8_t *)"star", 4 }, { (const uint8_t *)"a*", 2 } },
                                            { { (const uint8_t *)"level", 5 }, { (const uint8_t *)"7", 1 } } };
static const struct identity alice = { .user = { (const uint8_t *)"alice", 5 },
                                       .account = { (const uint8_t *)"123456789012", 12 },
                                       .tags = tags,
                                       .n_tags = 3 };

static struct slice quoted(const char *text)
{
    struct slice s = arena_dup(&arena, slice_str(text));
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '\'') ((uint8_t *)(uintptr_t)s.p)[i] = '"';
    }
    return s;
}

/* What a case says of the request; the rest is a GetItem of alice's on TABLE at 2026-11-16T10:00:00Z. */
struct asked {
    enum policy_action action; /* 0, BatchGetItem: GetItem, unless it is_batch_get */
    bool is_batch_get;
    const char *resource, *key, *second, *select, *returns, *enclosing, *scan, *address;
    bool all_keys, all_attributes, secure, vague;
    const char *attributes[4];
};

struct verdict_case {
    const char *what, *policy;
    struct asked asked;
    enum policy_verdict verdict;
};

static struct slice maybe(const char *text)
{
    return text ? slice_str(text) : slice_of(NULL, 0);
}

static enum policy_verdict judge(enum policy_kind kind, const char *text, const struct asked *a)
{
    const struct policy *p;
    struct err e = { .arena = &arena };
    struct slice attributes[4];
    size_t n = 0;
    if (policy_read(&arena, kind, quoted(text), &p, &e)) fail_msg("%s: %.*s", text, SLICE_ARG(e.message));
    while (n < 4 && a->attributes[n]) attributes[n] = slice_str(a->attributes[n]), n++;
    struct policy_request r = { .action = a->action || a->is_batch_get ? a->action : ACTION_GetItem,
                                .resource = slice_str(a->resource ? a->resource : TABLE),
                                .who = &alice,
                                .now_ms = 1794823200000,
                                .secure = a->secure,
                                .address = a->address ? slice_str(a->address) : slice_of(NULL, 0),
                                .region = SLICE("us-east-1"),
                                .key_reach = a->all_keys ? REACH_ALL : REACH_NAMED,
                                .keys = { maybe(a->key), maybe(a->second) },
                                .n_keys = a->second ? 2 : a->key ? 1 : 0,
                                .attribute_reach = a->all_attributes ? REACH_ALL : REACH_NAMED,
                                .attributes = attributes,
                                .n_attributes = n,
                                .select = maybe(a->select),
                                .return_values = maybe(a->returns),
                                .enclosing_operation = maybe(a->enclosing),
                                .full_table_scan = maybe(a->scan),
                                .vague = a->vague };
    return policy_judge(p, &r);
}

#define OWN_KEYS "'ForAllValues:StringEquals':{'dynamodb:LeadingKeys':['${aws:PrincipalTag/tenant}']}"

#define GUARDED "'Null':{'dynamodb:LeadingKeys':'false'},'ForAnyValue:StringNotEquals':{'dynamodb:LeadingKeys':'acme'}"

/* The developer guide's: only items whose key is the user's, and only these attributes. */
#define GAME_SCORES                                                                                                       \
    ALLOW("'Sid':'AllowAccessToOnlyItemsMatchingUserID','Action':['dynamodb:GetItem','dynamodb:BatchGetItem',"            \
          "'dynamodb:Query','dynamodb:PutItem','dynamodb:UpdateItem','dynamodb:DeleteItem','dynamodb:BatchWriteItem'],"   \
          "'Resource':['arn:aws:dynamodb:us-east-1:123456789012:table/GameScores'],'Condition':{"                         \
          "'ForAllValues:StringEquals':{'dynamodb:LeadingKeys':['${aws:username}'],"                                      \
          "'dynamodb:Attributes':['UserId','GameTitle','Wins']},"                                                         \
          "'StringEqualsIfExists':{'dynamodb:Select':'SPECIFIC_ATTRIBUTES',"                                              \
          "'dynamodb:ReturnValues':['NONE','UPDATED_OLD','UPDATED_NEW']}}")
#define SCORES "arn:aws:dynamodb:us-east-1:123456789012:table/GameScores"
/* The guide's: queries on one index, with its projected attributes only. */
#define BY_INDEX                                                                                                     \
    ALLOW("'Action':'dynamodb:Query','Resource':'" TABLE "/index/TopScore','Condition':{'StringEquals':"            \
          "{'dynamodb:Select':['ALL_PROJECTED_ATTRIBUTES','COUNT']}}")
/* The guide's: in transactions only. */
#define IN_TRANSACTIONS                                                                                                     \
    ALLOW("'Action':['dynamodb:ConditionCheckItem','dynamodb:PutItem','dynamodb:GetItem'],'Resource':'" TABLE "',"           \
          "'Condition':{'ForAnyValue:StringEquals':{'dynamodb:EnclosingOperation':['TransactWriteItems','TransactGetItems']}}")
/* The guide's: PartiQL without full scans. */
#define NO_FULL_SCANS                                                                                                       \
    "{'Version':'2012-10-17','Statement':[{'Effect':'Deny','Action':['dynamodb:PartiQLSelect'],'Resource':['" TABLE "'],"    \
    "'Condition':{'Bool':{'dynamodb:FullTableScan':['true']}}},{'Effect':'Allow','Action':['dynamodb:PartiQLSelect'],"       \
    "'Resource':['" TABLE "','" TABLE "/index/ix']}]}"

static const struct verdict_case cases[] = {
    /* actions */
    { "one action", ALLOW("'Action':'dynamodb:GetItem','Resource':'*'"), { 0 }, POLICY_ALLOWS },
    { "another", ALLOW("'Action':'dynamodb:PutItem','Resource':'*'"), { 0 }, POLICY_SILENT },
    { "whatever its case", ALLOW("'Action':'DynamoDB:getitem','Resource':'*'"), { 0 }, POLICY_ALLOWS },
    { "wildcard", ALLOW("'Action':['s3:*','dynamodb:Get*'],'Resource':'*'"), { 0 }, POLICY_ALLOWS },
    { "wildcard of others", ALLOW("'Action':'dynamodb:Batch*','Resource':'*'"), { 0 }, POLICY_SILENT },
    { "question mark", ALLOW("'Action':'dynamodb:?etItem','Resource':'*'"), { 0 }, POLICY_ALLOWS },
    { "NotAction", ALLOW("'NotAction':'dynamodb:Delete*','Resource':'*'"), { 0 }, POLICY_ALLOWS },
    { "NotAction of it", ALLOW("'NotAction':'dynamodb:Get*','Resource':'*'"), { 0 }, POLICY_SILENT },
    { "the first action of the list", ALLOW("'Action':'dynamodb:BatchGetItem','Resource':'*'"), { .is_batch_get = true }, POLICY_ALLOWS },
    { "PartiQL", ALLOW("'Action':'dynamodb:PartiQL*','Resource':'*'"), { .action = ACTION_PartiQLInsert }, POLICY_ALLOWS },
    { "deny wins", DENY(ANY), { 0 }, POLICY_DENIES },
    { "deny wins in any order", "{'Statement':[{'Effect':'Deny'," ANY "},{'Effect':'Allow'," ANY "}]}", { 0 }, POLICY_DENIES },
    { "no statement", "{'Statement':[]}", { 0 }, POLICY_SILENT },
    { "AmazonDynamoDBFullAccess: a statement of others", "{'Version':'2012-10-17','Statement':[{'Effect':'Allow','Action':['dynamodb:*','dax:*'],'Resource':'*'},"
      "{'Effect':'Allow','Action':['iam:PassRole'],'Resource':'*','Condition':{'StringLike':{'iam:PassedToService':['dax.amazonaws.com']}}}]}",
      { 0 }, POLICY_ALLOWS },
    { "a statement of others alone", "{'Statement':[{'Effect':'Deny','Action':'iam:*','Resource':'*','Condition':{'Odd':{'iam:x':'y'}}}]}", { 0 }, POLICY_SILENT },
    /* resources */
    { "the table", ALLOW("'Action':'*','Resource':'" TABLE "'"), { 0 }, POLICY_ALLOWS },
    { "not its index", ALLOW("'Action':'*','Resource':'" TABLE "'"), { .resource = TABLE "/index/ix" }, POLICY_SILENT },
    { "its indexes", ALLOW("'Action':'*','Resource':'" TABLE "/index/*'"), { .resource = TABLE "/index/ix" }, POLICY_ALLOWS },
    { "a longer name", ALLOW("'Action':'*','Resource':'" TABLE "'"), { .resource = TABLE "2" }, POLICY_SILENT },
    { "any place", ALLOW("'Action':'*','Resource':'arn:aws:dynamodb:*:*:table/Ord??s'"), { 0 }, POLICY_ALLOWS },
    { "allowed in another region only", ALLOW("'Action':'*','Resource':'arn:aws:dynamodb:eu-west-1:123456789012:table/Orders'"), { 0 }, POLICY_SILENT },
    { "denied in another region", DENY("'Action':'*','Resource':'arn:aws:dynamodb:eu-west-1:999999999999:table/Orders'"), { 0 }, POLICY_DENIES },
    { "all but one in another region", ALLOW("'Action':'*','NotResource':'arn:aws:dynamodb:eu-west-1:123456789012:table/Orders'"), { 0 }, POLICY_SILENT },
    { "a region and nothing more", ALLOW("'Action':'*','Resource':'arn:aws:dynamodb:us-east-1:*'"), { 0 }, POLICY_ALLOWS },
    { "a service and nothing more", ALLOW("'Action':'*','Resource':'arn:aws:dynamodb'"), { 0 }, POLICY_ALLOWS },
    { "another service", ALLOW("'Action':'*','Resource':'arn:aws:s3'"), { 0 }, POLICY_SILENT },
    { "another region and nothing more", ALLOW("'Action':'*','Resource':'arn:aws:dynamodb:eu-*'"), { 0 }, POLICY_SILENT },
    { "denied in another region and nothing more", DENY("'Action':'*','Resource':'arn:aws:dynamodb:eu-west-1:*'"), { 0 }, POLICY_DENIES },
    { "allowed with a field too few", ALLOW("'Action':'*','Resource':'arn:aws:dynamodb:*:table/Orders'"), { 0 }, POLICY_SILENT },
    { "denied with a field too few", DENY("'Action':'*','Resource':'arn:aws:dynamodb:*:table/Orders'"), { 0 }, POLICY_DENIES },
    { "a star takes nothing of the next part", ALLOW("'Action':'*','Resource':'arn:aws:dynamodb:*:*:table/mine*'"),
      { .resource = TABLE "/stream/x:table/mine" }, POLICY_SILENT },
    { "a label has colons", ALLOW("'Action':'*','Resource':'arn:aws:dynamodb:*:*:table/Orders/stream/*'"),
      { .resource = TABLE "/stream/2026-11-16T10:00:00.000" }, POLICY_ALLOWS },
    { "nothing of a table", ALLOW("'Action':'*','Resource':'arn:aws:dynamodb:*:*:*'"), { .resource = "*" }, POLICY_SILENT },
    { "all but another", ALLOW("'Action':'*','NotResource':'arn:aws:dynamodb:*:*:table/Secret'"), { 0 }, POLICY_ALLOWS },
    { "variable", ALLOW("'Action':'*','Resource':'arn:aws:dynamodb:*:*:table/${aws:PrincipalTag/tenant}-*'"),
      { .resource = "arn:aws:dynamodb:us-east-1:123456789012:table/acme-Orders" }, POLICY_ALLOWS },
    { "a tag that is not there", ALLOW("'Action':'*','Resource':'arn:aws:dynamodb:*:*:table/${aws:PrincipalTag/none}*'"), { 0 }, POLICY_SILENT },
    { "all but a tag that is not there", ALLOW("'Action':'*','NotResource':'arn:aws:dynamodb:*:*:table/${aws:PrincipalTag/none}'"), { 0 }, POLICY_SILENT },
    { "deny of a tag that is not there", DENY("'Action':'*','Resource':'arn:aws:dynamodb:*:*:table/${aws:PrincipalTag/none}*'"), { 0 }, POLICY_DENIES },
    { "default", ALLOW("'Action':'*','Resource':'arn:aws:dynamodb:*:*:table/${aws:PrincipalTag/none, \\u0027Orders\\u0027}'"), { 0 }, POLICY_ALLOWS },
    /* leading keys */
    { "own key", ALLOW(WHEN(OWN_KEYS)), { .key = "acme" }, POLICY_ALLOWS },
    { "foreign key", ALLOW(WHEN(OWN_KEYS)), { .key = "bravo" }, POLICY_SILENT },
    { "another name of leading keys", ALLOW(WHEN("'StringEquals':{'dynamodb:FirstPartitionKeyValues':'acme'}")), { .key = "acme" }, POLICY_ALLOWS },
    { "another name of leading keys, a foreign one", ALLOW(WHEN("'StringEquals':{'dynamodb:firstpartitionkeyvalues':'acme'}")), { .key = "bravo" }, POLICY_SILENT },
    { "the second attribute", ALLOW(WHEN("'StringEquals':{'dynamodb:SecondPartitionKeyValues':'b'}")), { .key = "acme", .second = "b" }, POLICY_ALLOWS },
    { "the second attribute, foreign", ALLOW(WHEN("'StringEquals':{'dynamodb:SecondPartitionKeyValues':'b'}")), { .key = "b", .second = "acme" }, POLICY_SILENT },
    { "no second attribute", ALLOW(WHEN("'ForAllValues:StringEquals':{'dynamodb:SecondPartitionKeyValues':'b'}")), { .key = "a" }, POLICY_ALLOWS },
    { "a Scan, the second attribute", ALLOW(WHEN("'ForAllValues:StringEquals':{'dynamodb:SecondPartitionKeyValues':'b'}")), { .all_keys = true }, POLICY_SILENT },
    { "a key that begins like it", ALLOW(WHEN(OWN_KEYS)), { .key = "acme2" }, POLICY_SILENT },
    { "no key, nothing touched", ALLOW(WHEN(OWN_KEYS)), { .action = ACTION_DescribeTable }, POLICY_ALLOWS },
    { "a Scan", ALLOW(WHEN(OWN_KEYS)), { .action = ACTION_Scan, .all_keys = true }, POLICY_SILENT },
    { "a Scan, IfExists", ALLOW(WHEN("'ForAllValues:StringEqualsIfExists':{'dynamodb:LeadingKeys':'acme'}")), { .all_keys = true }, POLICY_SILENT },
    { "a Scan, denied foreign keys", DENY(WHEN("'ForAnyValue:StringNotEquals':{'dynamodb:LeadingKeys':'acme'}")), { .all_keys = true }, POLICY_DENIES },
    { "a Scan, denied a key", DENY(WHEN("'StringEquals':{'dynamodb:LeadingKeys':'secret'}")), { .all_keys = true }, POLICY_DENIES },
    { "denied another key", DENY(WHEN("'StringEquals':{'dynamodb:LeadingKeys':'secret'}")), { .key = "acme" }, POLICY_ALLOWS },
    { "a Scan where there are to be no keys", ALLOW(WHEN("'Null':{'dynamodb:LeadingKeys':'true'}")), { .all_keys = true }, POLICY_ALLOWS },
    { "keys there must be", DENY(WHEN("'Null':{'dynamodb:LeadingKeys':true}")), { .all_keys = true }, POLICY_DENIES },
    { "keys there are", DENY(WHEN("'Null':{'dynamodb:LeadingKeys':'true'}")), { .key = "x" }, POLICY_ALLOWS },
    { "a Scan where there are to be keys", ALLOW(WHEN("'Null':{'dynamodb:LeadingKeys':'false'}")), { .all_keys = true }, POLICY_SILENT },
    { "a Scan, denied foreign keys if there are any", DENY(WHEN(GUARDED)), { .all_keys = true }, POLICY_DENIES },
    { "an own key, denied foreign keys if there are any", DENY(WHEN(GUARDED)), { .key = "acme" }, POLICY_ALLOWS },
    { "nothing touched, denied foreign keys if there are any", DENY(WHEN(GUARDED)), { .action = ACTION_DescribeTable }, POLICY_ALLOWS },
    { "prefix", ALLOW(WHEN("'ForAllValues:StringLike':{'dynamodb:LeadingKeys':'T#${aws:PrincipalTag/tenant}#*'}")), { .key = "T#acme#1" }, POLICY_ALLOWS },
    { "prefix of another", ALLOW(WHEN("'ForAllValues:StringLike':{'dynamodb:LeadingKeys':'T#${aws:PrincipalTag/tenant}#*'}")), { .key = "T#acme2#1" }, POLICY_SILENT },
    { "a star in a tag", ALLOW(WHEN("'StringLike':{'dynamodb:LeadingKeys':'${aws:PrincipalTag/star}'}")), { .key = "acme" }, POLICY_SILENT },
    { "a star that is meant", ALLOW(WHEN("'StringLike':{'dynamodb:LeadingKeys':'a${*}${?}${$}*'}")), { .key = "a*?$z" }, POLICY_ALLOWS },
    { "a star that is meant, without", ALLOW(WHEN("'StringLike':{'dynamodb:LeadingKeys':'a${*}'}")), { .key = "ab" }, POLICY_SILENT },
    { "a star in StringEquals", ALLOW(WHEN("'StringEquals':{'dynamodb:LeadingKeys':'a*'}")), { .key = "ab" }, POLICY_SILENT },
    { "no tag", ALLOW(WHEN("'StringEquals':{'dynamodb:LeadingKeys':'${aws:PrincipalTag/none}'}")), { .key = "" }, POLICY_SILENT },
    { "not a tag that is not there", ALLOW(WHEN("'StringNotEquals':{'dynamodb:LeadingKeys':'${aws:PrincipalTag/none}'}")), { .key = "x" }, POLICY_SILENT },
    { "an empty key", ALLOW(WHEN(OWN_KEYS)), { .key = "" }, POLICY_SILENT },
    { "case", ALLOW(WHEN("'StringEqualsIgnoreCase':{'dynamodb:LeadingKeys':'ACME'}")), { .key = "acMe" }, POLICY_ALLOWS },
    { "not, whatever its case", ALLOW(WHEN("'StringNotEqualsIgnoreCase':{'dynamodb:LeadingKeys':'ACME'}")), { .key = "acMe" }, POLICY_SILENT },
    { "not like", ALLOW(WHEN("'StringNotLike':{'dynamodb:LeadingKeys':['a*','b*']}")), { .key = "b1" }, POLICY_SILENT },
    { "two runs", ALLOW(WHEN("'StringLike':{'dynamodb:LeadingKeys':'*aab*c'}")), { .key = "aaabxxcxc" }, POLICY_ALLOWS },
    { "two runs, in vain", ALLOW(WHEN("'StringLike':{'dynamodb:LeadingKeys':'*aab*c'}")), { .key = "aaabxxcxd" }, POLICY_SILENT },
    { "a question mark is a character", ALLOW(WHEN("'StringLike':{'dynamodb:LeadingKeys':'?x'}")), { .key = "\xc3\xa9x" }, POLICY_ALLOWS },
    { "keys not known yet", ALLOW(WHEN(OWN_KEYS)), { .vague = true }, POLICY_ALLOWS },
    { "keys not known yet, denied some", DENY(WHEN("'StringEquals':{'dynamodb:LeadingKeys':'x'}")), { .vague = true }, POLICY_ALLOWS },
    { "keys not known yet, another table", ALLOW("'Action':'*','Resource':'arn:aws:dynamodb:*:*:table/Other','Condition':{" OWN_KEYS "}"),
      { .vague = true }, POLICY_SILENT },
    { "keys not known yet, no tag to compare them with", ALLOW(WHEN("'ForAllValues:StringLike':{'dynamodb:LeadingKeys':'T#${aws:PrincipalTag/none}*'}")),
      { .vague = true }, POLICY_SILENT },
    { "keys not known yet, not those of a tag that is not there", ALLOW(WHEN("'StringNotEquals':{'dynamodb:LeadingKeys':['x','${aws:PrincipalTag/none}']}")),
      { .vague = true }, POLICY_SILENT },
    { "keys not known yet, another one without a tag", ALLOW(WHEN("'StringEquals':{'dynamodb:LeadingKeys':['${aws:PrincipalTag/none}','public']}")),
      { .vague = true }, POLICY_ALLOWS },
    { "keys not known yet, a second one that need not be there",
      ALLOW(WHEN("'StringEqualsIfExists':{'dynamodb:SecondPartitionKeyValues':'${aws:PrincipalTag/none}'}")), { .vague = true }, POLICY_ALLOWS },
    { "keys not known yet, a resource without its tag", ALLOW("'Action':'*','Resource':'arn:aws:dynamodb:*:*:table/${aws:PrincipalTag/none}*'"),
      { .vague = true }, POLICY_SILENT },
    { "keys not known yet, a condition without its tag", ALLOW(WHEN("'StringEquals':{'aws:username':'${aws:PrincipalTag/none}'}")),
      { .vague = true }, POLICY_SILENT },
    { "keys not known yet, an address not known", ALLOW(WHEN("'IpAddress':{'aws:SourceIp':'10.0.0.0/8'}," OWN_KEYS)), { .vague = true }, POLICY_SILENT },
    { "keys not known yet, denied all without a tag", DENY(WHEN("'StringNotEquals':{'dynamodb:LeadingKeys':'${aws:PrincipalTag/none}'}")),
      { .vague = true }, POLICY_DENIES },
    { "keys not known yet, denied all but one", DENY(WHEN("'StringNotEquals':{'dynamodb:LeadingKeys':['${aws:PrincipalTag/none}','public']}")),
      { .vague = true }, POLICY_ALLOWS },
    { "keys not known yet, denied who has no tag", DENY(WHEN("'StringNotEquals':{'aws:username':'${aws:PrincipalTag/none}'}")),
      { .vague = true }, POLICY_DENIES },
    /* attributes */
    { "these attributes", GAME_SCORES, { .resource = SCORES, .key = "alice", .select = "SPECIFIC_ATTRIBUTES", .attributes = { "UserId", "Wins" } }, POLICY_ALLOWS },
    { "one more", GAME_SCORES, { .resource = SCORES, .key = "alice", .select = "SPECIFIC_ATTRIBUTES", .attributes = { "UserId", "Secret" } }, POLICY_SILENT },
    { "the whole item", GAME_SCORES, { .resource = SCORES, .key = "alice", .select = "ALL_ATTRIBUTES", .all_attributes = true, .attributes = { "UserId" } }, POLICY_SILENT },
    { "of another user", GAME_SCORES, { .resource = SCORES, .key = "bob", .select = "SPECIFIC_ATTRIBUTES", .attributes = { "UserId" } }, POLICY_SILENT },
    { "an update", GAME_SCORES, { .action = ACTION_UpdateItem, .resource = SCORES, .key = "alice", .returns = "UPDATED_NEW", .attributes = { "UserId", "Wins" } }, POLICY_ALLOWS },
    { "an update that returns all", GAME_SCORES, { .action = ACTION_UpdateItem, .resource = SCORES, .key = "alice", .returns = "ALL_NEW", .attributes = { "UserId" } }, POLICY_SILENT },
    { "scan is not in it", GAME_SCORES, { .action = ACTION_Scan, .resource = SCORES, .all_keys = true }, POLICY_SILENT },
    { "any of several", DENY(WHEN("'ForAnyValue:StringEquals':{'dynamodb:Attributes':['ssn','pay']}")), { .attributes = { "name", "pay" } }, POLICY_DENIES },
    { "none of several", DENY(WHEN("'ForAnyValue:StringEquals':{'dynamodb:Attributes':['ssn','pay']}")), { .attributes = { "name" } }, POLICY_ALLOWS },
    { "all of them, one denied", DENY(WHEN("'ForAnyValue:StringEquals':{'dynamodb:Attributes':['ssn','pay']}")), { .all_attributes = true }, POLICY_DENIES },
    { "several without a word about how many", ALLOW(WHEN("'StringEquals':{'dynamodb:Attributes':'a'}")), { .attributes = { "a", "b" } }, POLICY_SILENT },
    { "the same, denied", DENY(WHEN("'StringEquals':{'dynamodb:Attributes':'a'}")), { .attributes = { "a", "b" } }, POLICY_DENIES },
    /* the request's parameters */
    { "an index, projected", BY_INDEX, { .action = ACTION_Query, .resource = TABLE "/index/TopScore", .select = "ALL_PROJECTED_ATTRIBUTES" }, POLICY_ALLOWS },
    { "an index, everything", BY_INDEX, { .action = ACTION_Query, .resource = TABLE "/index/TopScore", .select = "ALL_ATTRIBUTES" }, POLICY_SILENT },
    { "in a transaction", IN_TRANSACTIONS, { .enclosing = "TransactGetItems" }, POLICY_ALLOWS },
    { "outside", IN_TRANSACTIONS, { 0 }, POLICY_SILENT },
    { "PartiQL with a key", NO_FULL_SCANS, { .action = ACTION_PartiQLSelect, .scan = "false" }, POLICY_ALLOWS },
    { "PartiQL without", NO_FULL_SCANS, { .action = ACTION_PartiQLSelect, .scan = "true" }, POLICY_DENIES },
    { "not there: not equal", ALLOW(WHEN("'StringNotEquals':{'dynamodb:Select':'COUNT'}")), { 0 }, POLICY_ALLOWS },
    { "not there: equal", ALLOW(WHEN("'StringEquals':{'dynamodb:Select':'COUNT'}")), { 0 }, POLICY_SILENT },
    { "not there: IfExists", ALLOW(WHEN("'StringEqualsIfExists':{'dynamodb:Select':'COUNT'}")), { 0 }, POLICY_ALLOWS },
    { "not there: any", ALLOW(WHEN("'ForAnyValue:StringNotEquals':{'dynamodb:Select':'COUNT'}")), { 0 }, POLICY_SILENT },
    { "two keys, both count", ALLOW(WHEN("'StringEquals':{'aws:username':'alice','dynamodb:Select':'COUNT'}")), { 0 }, POLICY_SILENT },
    /* who and how */
    { "name", ALLOW(WHEN("'StringEquals':{'aws:username':['bob','alice']}")), { 0 }, POLICY_ALLOWS },
    { "key whatever its case", ALLOW(WHEN("'StringEquals':{'AWS:UserName':'alice'}")), { 0 }, POLICY_ALLOWS },
    { "tag", ALLOW(WHEN("'StringEquals':{'aws:PrincipalTag/tenant':'acme'}")), { 0 }, POLICY_ALLOWS },
    { "number in a tag", ALLOW(WHEN("'NumericGreaterThanEquals':{'aws:PrincipalTag/level':7}")), { 0 }, POLICY_ALLOWS },
    { "number in a tag, less", ALLOW(WHEN("'NumericLessThan':{'aws:PrincipalTag/level':'7.0'}")), { 0 }, POLICY_SILENT },
    { "a tag that is no number", ALLOW(WHEN("'NumericNotEquals':{'aws:PrincipalTag/tenant':'7'}")), { 0 }, POLICY_SILENT },
    { "ARN", ALLOW(WHEN("'ArnLike':{'aws:PrincipalArn':'arn:aws:iam::*:user/al*'}")), { 0 }, POLICY_ALLOWS },
    { "ARN, whose star keeps to its part", ALLOW(WHEN("'ArnEquals':{'aws:PrincipalArn':'arn:aws:*:user/alice:x:y'}")), { 0 }, POLICY_SILENT },
    { "not ARN", ALLOW(WHEN("'ArnNotLike':{'aws:PrincipalArn':'arn:aws:iam::123456789012:user/alice'}")), { 0 }, POLICY_SILENT },
    { "TLS", DENY(WHEN("'Bool':{'aws:SecureTransport':'false'}")), { .secure = true }, POLICY_ALLOWS },
    { "no TLS", DENY(WHEN("'Bool':{'aws:SecureTransport':false}")), { 0 }, POLICY_DENIES },
    { "before", ALLOW(WHEN("'DateLessThan':{'aws:CurrentTime':'2026-11-16T10:00:01Z'}")), { 0 }, POLICY_ALLOWS },
    { "not after", ALLOW(WHEN("'DateGreaterThan':{'aws:CurrentTime':'2026-11-16T12:00:00+02:00'}")), { 0 }, POLICY_SILENT },
    { "on the second", ALLOW(WHEN("'DateEquals':{'aws:EpochTime':'1794823200'}")), { 0 }, POLICY_ALLOWS },
    { "region", ALLOW(WHEN("'StringEquals':{'aws:RequestedRegion':'us-east-1'}")), { 0 }, POLICY_ALLOWS },
    { "from there", ALLOW(WHEN("'IpAddress':{'aws:SourceIp':['10.0.0.0/8','2001:db8::/32']}")), { .address = "10.9.8.7" }, POLICY_ALLOWS },
    { "from there, IPv6", ALLOW(WHEN("'IpAddress':{'aws:SourceIp':['10.0.0.0/8','2001:db8::/32']}")), { .address = "2001:db8::9" }, POLICY_ALLOWS },
    { "from elsewhere", ALLOW(WHEN("'IpAddress':{'aws:SourceIp':'10.0.0.0/9'}")), { .address = "10.200.8.7" }, POLICY_SILENT },
    { "not from there", ALLOW(WHEN("'NotIpAddress':{'aws:SourceIp':'10.0.0.1'}")), { .address = "10.0.0.2" }, POLICY_ALLOWS },
    { "from nobody knows where", ALLOW(WHEN("'NotIpAddress':{'aws:SourceIp':'10.0.0.1'}")), { 0 }, POLICY_SILENT },
    { "the same, denied", DENY(WHEN("'IpAddress':{'aws:SourceIp':'10.0.0.1'}")), { 0 }, POLICY_DENIES },
    { "IPv4 is in no network of IPv6", ALLOW(WHEN("'IpAddress':{'aws:SourceIp':['::1/64','::/8','::ffff:0:0/95']}")), { .address = "127.0.0.1" }, POLICY_SILENT },
    { "not even in all of it", ALLOW(WHEN("'IpAddress':{'aws:SourceIp':'::/0'}")), { .address = "127.0.0.1" }, POLICY_SILENT },
    { "nor denied by it", DENY(WHEN("'IpAddress':{'aws:SourceIp':'::/0'}")), { .address = "::ffff:10.0.0.1" }, POLICY_ALLOWS },
    { "outside of it", DENY(WHEN("'NotIpAddress':{'aws:SourceIp':'::/0'}")), { .address = "10.0.0.1" }, POLICY_DENIES },
    { "IPv6 is in all of it", ALLOW(WHEN("'IpAddress':{'aws:SourceIp':'::/0'}")), { .address = "2001:db8::9" }, POLICY_ALLOWS },
    { "and in none of IPv4", ALLOW(WHEN("'IpAddress':{'aws:SourceIp':['0.0.0.0/0','::ffff:0:0/96']}")), { .address = "::1" }, POLICY_SILENT },
    { "IPv4 written as IPv6", ALLOW(WHEN("'IpAddress':{'aws:SourceIp':'::ffff:10.0.0.0/104'}")), { .address = "10.9.8.7" }, POLICY_ALLOWS },
    { "all of IPv4 written so", ALLOW(WHEN("'IpAddress':{'aws:SourceIp':'::ffff:0:0/96'}")), { .address = "10.9.8.7" }, POLICY_ALLOWS },
    { "all of IPv4", ALLOW(WHEN("'IpAddress':{'aws:SourceIp':'0.0.0.0/0'}")), { .address = "10.9.8.7" }, POLICY_ALLOWS },
};

#define OF_PROD WHEN("'StringEquals':{'aws:ResourceTag/Environment':'prod'}")
static const struct {
    const char *tags, *policy;
    enum policy_verdict verdict;
} tagged[] = {
    { "{'Environment':{'S':'prod'}}", DENY(OF_PROD), POLICY_DENIES },
    { "{'environment':{'S':'prod'}}", DENY(OF_PROD), POLICY_DENIES },
    { "{'ENVIRONMENT':{'S':'prod'}}", ALLOW(OF_PROD), POLICY_ALLOWS },
    { "{'Environment':{'S':'PROD'}}", DENY(OF_PROD), POLICY_ALLOWS },
    { "{'Environments':{'S':'prod'}}", DENY(OF_PROD), POLICY_ALLOWS },
    { "{'Team':{'S':'a'},'environment':{'S':'prod'}}", ALLOW(OF_PROD), POLICY_ALLOWS },
    /* One that AWS does not say which it is. */
    { "{'Environment':{'S':'prod'},'environment':{'S':'test'}}", ALLOW(OF_PROD), POLICY_SILENT },
    { "{'Environment':{'S':'test'},'environment':{'S':'prod'}}", DENY(OF_PROD), POLICY_DENIES },
    { "{'Environment':{'S':'test'},'environment':{'S':'test'}}", DENY(OF_PROD), POLICY_DENIES },
    { "{'Environment':{'S':'prod'},'environment':{'S':'prod'}}", ALLOW(WHEN("'Null':{'aws:ResourceTag/environment':'true'}")), POLICY_SILENT },
};

static void test_names_of_resource_tags_are_the_same_whatever_their_case(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof tagged / sizeof *tagged; i++) {
        const struct policy *p;
        struct err e = { .arena = &arena };
        struct policy_request r = { .action = ACTION_GetItem, .resource = SLICE(TABLE), .who = &alice };
        arena_reset(&arena);
        assert_int_equal(item_from_json(&arena, json_parse(&arena, quoted(tagged[i].tags), 8, NULL), &r.tags, &e), 0);
        assert_int_equal(policy_read(&arena, POLICY_OF_IDENTITY, quoted(tagged[i].policy), &p, &e), 0);
        if (policy_judge(p, &r) != tagged[i].verdict) fail_msg("%s of %s", tagged[i].policy, tagged[i].tags);
    }
}

static void test_verdicts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        arena_reset(&arena);
        enum policy_verdict found = judge(POLICY_OF_IDENTITY, cases[i].policy, &cases[i].asked);
        if (found != cases[i].verdict) fail_msg("%s: %d, not %d", cases[i].what, (int)found, (int)cases[i].verdict);
    }
}

static const struct {
    const char *principal; /* the whole member */
    bool deny;
    enum policy_verdict verdict;
} principals[] = {
    { "'Principal':'*'", false, POLICY_ALLOWS },
    { "'Principal':{'AWS':'*'}", false, POLICY_ALLOWS },
    { "'Principal':{'AWS':'arn:aws:iam::123456789012:user/alice'}", false, POLICY_ALLOWS },
    { "'Principal':{'AWS':['arn:aws:iam::123456789012:user/bob','arn:aws:iam::123456789012:user/alice2']}", false, POLICY_SILENT },
    { "'Principal':{'AWS':'arn:aws:iam::123456789012:root'}", false, POLICY_SILENT },
    { "'Principal':{'AWS':'123456789012'}", false, POLICY_SILENT },
    { "'Principal':{'Service':'replication.dynamodb.amazonaws.com'}", false, POLICY_SILENT },
    { "'Principal':{'AWS':'arn:aws:iam::123456789012:root'}", true, POLICY_DENIES },
    { "'Principal':{'AWS':'123456789012'}", true, POLICY_DENIES },
    { "'Principal':{'AWS':'999999999999'}", true, POLICY_SILENT },
    { "'Principal':{'AWS':'arn:aws:iam::123456789012:user/alice'}", true, POLICY_DENIES },
    { "'NotPrincipal':{'AWS':'arn:aws:iam::123456789012:user/alice'}", true, POLICY_SILENT },
    { "'NotPrincipal':{'AWS':'arn:aws:iam::123456789012:user/bob'}", true, POLICY_DENIES },
};

static void test_principals(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof principals / sizeof *principals; i++) {
        char text[400];
        arena_reset(&arena);
        snprintf(text, sizeof text, "{'Version':'2012-10-17','Statement':[{'Effect':'%s'," ANY ",%s}]}", principals[i].deny ? "Deny" : "Allow",
                 principals[i].principal);
        enum policy_verdict found = judge(POLICY_OF_RESOURCE, text, &(struct asked){ 0 });
        if (found != principals[i].verdict) fail_msg("%s: %d", text, (int)found);
    }
}

static const struct {
    const char *policy, *sentence;
} refused[] = {
    { "{", "it is no JSON" },
    { "[]", "it must be a JSON object" },
    { "{'Statement':[],'Extra':1}", "unknown element \"Extra\"" },
    { "{'Version':'2020-01-01','Statement':[]}", "\"Version\" must be" },
    { "{'Version':'2012-10-17'}", "\"Statement\" is missing" },
    { "{'Statement':7}", "a statement must be an object" },
    { ALLOW("'Resource':'*'"), "statement 1: \"Action\" is missing" },
    { ALLOW("'Action':'*'"), "\"Resource\" is missing" },
    { "{'Statement':{'Effect':'allow'," ANY "}}", "\"Effect\" must be" },
    { ALLOW("'Sid':'Mine','Principal':'*'," ANY), "statement 1 (\"Mine\"): the policy of an identity has no \"Principal\"" },
    { ALLOW("'Action':'*','NotAction':'*','Resource':'*'"), "cannot stand together" },
    { ALLOW("'Action':'*','Resource':'*','Resource':'*'"), "\"Resource\" is there twice" },
    { ALLOW(ANY ",'condition':{}"), "unknown element \"condition\"" },
    { ALLOW("'Action':[],'Resource':'*'"), "\"Action\" is empty" },
    { ALLOW("'Action':[7],'Resource':'*'"), "must be a text" },
    { ALLOW("'Action':'dynamodb:GetItme','Resource':'*'"), "there is no action \"dynamodb:GetItme\"" },
    { ALLOW("'Action':'GetItem','Resource':'*'"), "there is no action \"GetItem\"" },
    { ALLOW("'Action':'*','Resource':'Orders'"), "the resource \"Orders\" is neither" },
    { ALLOW("'Action':'*','Resource':'*Orders'"), "the resource \"*Orders\" is neither" },
    { ALLOW(WHEN("'StringMatches':{'aws:username':'x'}")), "unknown condition operator \"StringMatches\"" },
    { ALLOW(WHEN("'ForSomeValues:StringEquals':{'aws:username':'x'}")), "unknown condition operator" },
    { ALLOW(WHEN("'NullIfExists':{'aws:username':'x'}")), "unknown condition operator" },
    { ALLOW(WHEN("'BinaryEquals':{'aws:username':'x'}")), "unknown condition operator" },
    { ALLOW(WHEN("'StringEquals':{'aws:SourceVpc':'x'}")), "unknown condition key \"aws:SourceVpc\"" },
    { ALLOW(WHEN("'StringEquals':{'dynamodb:LeadingKey':'x'}")), "unknown condition key \"dynamodb:LeadingKey\"" },
    { ALLOW(WHEN("'StringEquals':{'aws:PrincipalTag/':'x'}")), "unknown condition key" },
    { ALLOW(WHEN("'StringEquals':{'aws:username':'x'},'StringEquals':{'aws:username':'y'}")), "\"StringEquals\" is there twice" },
    { ALLOW(WHEN("'StringEquals':{'aws:username':'x','aws:username':'y'}")), "\"aws:username\" is there twice" },
    { ALLOW(WHEN("'StringEquals':'x'")), "must be an object" },
    { ALLOW(WHEN("'StringEquals':{}")), "\"StringEquals\" is empty" },
    { ALLOW(WHEN("'StringEquals':{'aws:username':{}}")), "must be a text" },
    { ALLOW(WHEN("'StringEquals':{'aws:username':[]}")), "is empty" },
    { ALLOW(WHEN("'StringEquals':{'dynamodb:LeadingKeys':'${www.amazon.com:user_id}'}")), "there is no variable ${www.amazon.com:user_id}" },
    { ALLOW(WHEN("'StringEquals':{'dynamodb:LeadingKeys':'${dynamodb:Select}'}")), "there is no variable" },
    { ALLOW(WHEN("'StringEquals':{'dynamodb:LeadingKeys':'${aws:username'}")), "has no }" },
    { ALLOW(WHEN("'StringEquals':{'dynamodb:LeadingKeys':'${aws:username, x}'}")), "single quotes" },
    { "{'Statement':{'Effect':'Allow'," WHEN("'StringEquals':{'dynamodb:LeadingKeys':'${aws:username}'}") "}}", "needs \"Version\"" },
    { ALLOW(WHEN("'NumericEquals':{'aws:EpochTime':'x'}")), "NumericEquals cannot compare with \"x\"" },
    { ALLOW(WHEN("'DateEquals':{'aws:CurrentTime':'2026-13-01'}")), "DateEquals cannot compare" },
    { ALLOW(WHEN("'Bool':{'aws:SecureTransport':'yes'}")), "Bool cannot compare" },
    { ALLOW(WHEN("'IpAddress':{'aws:SourceIp':'10.0.0.0/33'}")), "IpAddress cannot compare" },
    { ALLOW(WHEN("'IpAddress':{'aws:SourceIp':'10.0.0'}")), "IpAddress cannot compare" },
    { ALLOW(WHEN("'ArnLike':{'aws:PrincipalArn':'alice'}")), "is no ARN" },
};

static void test_what_cannot_be_read_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const struct policy *p;
        struct err e = { .arena = &arena };
        arena_reset(&arena);
        if (!policy_read(&arena, POLICY_OF_IDENTITY, quoted(refused[i].policy), &p, &e)) fail_msg("taken: %s", refused[i].policy);
        struct slice said = arena_printf(&arena, "%.*s", SLICE_ARG(e.message));
        if (!strstr((const char *)said.p, refused[i].sentence)) fail_msg("%s: %s", refused[i].policy, (const char *)said.p);
    }
}

static void test_principals_have_no_wildcards(void **state)
{
    (void)state;
    static const char *const whom[] = { "arn:aws:iam::123456789012:user/*", "arn:aws:iam::*:root", "12345678901?" };
    for (size_t i = 0; i < sizeof whom / sizeof *whom; i++) {
        char text[400];
        const struct policy *p;
        struct err e = { .arena = &arena };
        arena_reset(&arena);
        snprintf(text, sizeof text, "{'Statement':[{'Effect':'Deny'," ANY ",'Principal':{'AWS':['123456789012','%s']}}]}", whom[i]);
        assert_int_equal(policy_read(&arena, POLICY_OF_RESOURCE, quoted(text), &p, &e), ERR_ValidationException);
        assert_non_null(strstr((const char *)arena_printf(&arena, "%.*s", SLICE_ARG(e.message)).p, "has a wildcard in it"));
    }
}

static void test_whom_a_policy_may_deny_something(void **state)
{
    (void)state;
    static const enum policy_action reads[] = { ACTION_GetItem, ACTION_Query };
    struct policy_request r = { .resource = SLICE(TABLE), .and_below = true, .who = &alice, .now_ms = 1794823200000, .secure = true,
                                .address = SLICE("10.0.0.1"), .region = SLICE("us-east-1") };
    static const struct {
        const char *statement;
        bool may;
    } rows[] = {
        { "'Effect':'Deny','Principal':'*'," ANY, true },
        { "'Effect':'Allow','Principal':'*'," ANY, false },
        { "'Effect':'Deny','Principal':'*','Action':'dynamodb:DeleteTable','Resource':'*'", false },
        { "'Effect':'Deny','Principal':'*','Action':'dynamodb:Q*','Resource':'*'", true },
        { "'Effect':'Deny','Principal':{'AWS':'arn:aws:iam::123456789012:user/bob'}," ANY, false },
        /* What is certain of the request, whatever it is: over TLS, from 10.0.0.1, on the table that has the tag. */
        { "'Effect':'Deny','Principal':{'AWS':'123456789012'}," WHEN("'Bool':{'aws:SecureTransport':'false'}"), false },
        { "'Effect':'Deny','Principal':'*'," WHEN("'Bool':{'aws:SecureTransport':'true'}"), true },
        { "'Effect':'Deny','Principal':'*'," WHEN("'NotIpAddress':{'aws:SourceIp':'10.0.0.0/8'}"), false },
        { "'Effect':'Deny','Principal':'*'," WHEN("'NotIpAddress':{'aws:SourceIp':'10.1.0.0/16'}"), true },
        { "'Effect':'Deny','Principal':'*'," WHEN("'StringNotEquals':{'aws:username':'alice'}"), false },
        { "'Effect':'Deny','Principal':'*'," WHEN("'StringNotEquals':{'aws:PrincipalTag/tenant':'bravo'}"), true },
        { "'Effect':'Deny','Principal':'*'," WHEN("'StringEquals':{'aws:ResourceTag/env':'prod'}"), false },
        { "'Effect':'Deny','Principal':'*'," WHEN("'StringEquals':{'aws:ResourceTag/env':'test'}"), true },
        { "'Effect':'Deny','Principal':'*'," WHEN("'DateLessThan':{'aws:CurrentTime':'2026-11-16T10:00:00Z'}"), false },
        /* What depends on the items and the operation. */
        { "'Effect':'Deny','Principal':'*'," WHEN("'ForAnyValue:StringEquals':{'dynamodb:LeadingKeys':'x'}"), true },
        { "'Effect':'Deny','Principal':'*'," WHEN("'ForAllValues:StringEquals':{'dynamodb:Attributes':'x'}"), true },
        { "'Effect':'Deny','Principal':'*'," WHEN("'StringEquals':{'dynamodb:Select':'COUNT'}"), true },
        { "'Effect':'Deny','Principal':'*'," WHEN("'StringEquals':{'dynamodb:ReturnValues':'ALL_OLD'}"), true },
        { "'Effect':'Deny','Principal':'*'," WHEN("'Null':{'dynamodb:EnclosingOperation':'false'}"), true },
        { "'Effect':'Deny','Principal':'*'," WHEN("'Bool':{'dynamodb:FullTableScan':'true'}"), true },
        { "'Effect':'Deny','Principal':'*'," WHEN("'StringEquals':{'dynamodb:Select':'COUNT'},'Bool':{'aws:SecureTransport':'false'}"), false },
        /* The table, and what is below it. */
        { "'Effect':'Deny','Principal':'*','Action':'*','Resource':'" TABLE "'", true },
        { "'Effect':'Deny','Principal':'*','Action':'*','Resource':'" TABLE "/index/*'", true },
        { "'Effect':'Deny','Principal':'*','Action':'*','Resource':'arn:aws:dynamodb:*:*:table/Others'", false },
        { "'Effect':'Deny','Principal':'*','Action':'*','NotResource':'" TABLE "'", true },
        { "'Effect':'Deny','Principal':'*','Action':'*','NotResource':'arn:aws:dynamodb:*:*:table/*'", false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400];
        const struct policy *p;
        struct err e = { .arena = &arena };
        arena_reset(&arena);
        snprintf(text, sizeof text, "{'Statement':[{%s}]}", rows[i].statement);
        assert_int_equal(policy_read(&arena, POLICY_OF_RESOURCE, quoted(text), &p, &e), 0);
        assert_int_equal(item_from_json(&arena, json_parse(&arena, quoted("{'env':{'S':'test'}}"), 8, NULL), &r.tags, &e), 0);
        if (policy_may_deny(p, &r, reads, 2) != rows[i].may) fail_msg("%s", text);
    }
    assert_true(policy_may_deny(&policy_unreadable, &r, reads, 2));
}

static void test_what_could_not_be_read_denies(void **state)
{
    (void)state;
    struct policy_request r = { .action = ACTION_GetItem, .resource = SLICE(TABLE), .who = &alice };
    assert_int_equal(policy_judge(&policy_unreadable, &r), POLICY_DENIES);
    r.vague = true;
    assert_int_equal(policy_judge(&policy_unreadable, &r), POLICY_DENIES);
    r.action = ACTION_DeleteResourcePolicy; /* which mends it */
    assert_int_equal(policy_judge(&policy_unreadable, &r), POLICY_SILENT);
}

/* All objects with a prefix: allowed where each is, denied where one may be. */
static void test_objects_with_a_prefix(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *prefix;
        bool allowed, denied;
    } rows[] = {
        { "archive/*", "archive/", true, true },
        { "archive/acme/*", "archive/acme/2026/", true, true },
        { "archive/acme/*", "archive/", false, true },
        { "archive/acme/*", "archive/acme", false, true },
        { "archive/acme/*", "archive/acme2/", false, false },
        { "archive/acme/*", "archive2/acme/", false, false },
        { "archive/acme/x.json", "archive/acme/x.json", false, true },
        { "archive/acme?", "archive/acme", false, true },
        { "archive/*.json", "archive/acme/", false, true },
        { "archive/*/public/*", "archive/acme/public/", true, true },
        { "archive/${aws:PrincipalTag/tenant}/*", "archive/acme/", true, true },
        { "archive/${aws:PrincipalTag/tenant}/*", "archive/ac", false, true },
        { "archive/${aws:PrincipalTag/tenant}/*", "archive/bravo/", false, false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400];
        const struct policy *p;
        struct err e = { .arena = &arena };
        arena_reset(&arena);
        struct policy_request r = { .action = ACTION_S3_GetObject, .who = &alice, .and_below = true,
                                    .resource = arena_printf(&arena, "arn:aws:s3:::%s", rows[i].prefix) };
        snprintf(text, sizeof text, ALLOW("'Action':'s3:Get*','Resource':'arn:aws:s3:::%s'"), rows[i].pattern);
        assert_int_equal(policy_read(&arena, POLICY_OF_IDENTITY, quoted(text), &p, &e), 0);
        if ((policy_judge(p, &r) == POLICY_ALLOWS) != rows[i].allowed) fail_msg("%s of %s", rows[i].prefix, text);
        snprintf(text, sizeof text, DENY("'Action':'s3:Get*','Resource':'arn:aws:s3:::%s'"), rows[i].pattern);
        assert_int_equal(policy_read(&arena, POLICY_OF_IDENTITY, quoted(text), &p, &e), 0);
        if ((policy_judge(p, &r) == POLICY_DENIES) != rows[i].denied) fail_msg("%s of %s", rows[i].prefix, text);
    }
}

/* Every prefix and every changed byte of a document is either refused or read; nothing else happens. */
static void test_mutations(void **state)
{
    (void)state;
    static const char bytes[] = "\"{}[],:*?$'\\ x\x80";
    struct slice whole = arena_dup(&arena, quoted(GAME_SCORES));
    uint8_t *copy = test_malloc(whole.n);
    struct slice text = slice_of(copy, whole.n);
    memcpy(copy, whole.p, whole.n);
    for (size_t i = 0; i < text.n; i++) {
        for (size_t k = 0; k < sizeof bytes; k++) {
            const struct policy *p;
            struct err e = { .arena = &arena };
            uint8_t was = copy[i];
            arena_reset(&arena);
            copy[i] = (uint8_t)bytes[k];
            struct slice piece = k + 1 < sizeof bytes ? text : slice_of(copy, i);
            if (!policy_read(&arena, POLICY_OF_IDENTITY, piece, &p, &e)) {
                struct policy_request r = { .action = ACTION_GetItem, .resource = SLICE(SCORES), .who = &alice, .keys = { SLICE("bob") }, .n_keys = 1,
                                            .select = SLICE("SPECIFIC_ATTRIBUTES") };
                policy_judge(p, &r);
            } else {
                assert_true(e.message.n > 0);
            }
            copy[i] = was;
        }
    }
    test_free(copy);
}

static void test_names_of_actions(void **state)
{
    (void)state;
    assert_true(slice_eq(policy_action_name(ACTION_GetItem), SLICE("dynamodb:GetItem")));
    assert_int_equal(policy_action_of(SLICE("UpdateTimeToLive")), ACTION_UpdateTimeToLive);
    assert_int_equal(policy_action_of(SLICE("BatchExecuteStatement")), ACTION_COUNT);
    assert_true(slice_eq(policy_action_name(ACTION_S3_PutObject), SLICE("s3:PutObject")));
    assert_int_equal(policy_action_of(SLICE("PutObject")), ACTION_COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_names_of_resource_tags_are_the_same_whatever_their_case),
        cmocka_unit_test(test_principals),
        cmocka_unit_test(test_what_cannot_be_read_is_refused),
        cmocka_unit_test(test_principals_have_no_wildcards),
        cmocka_unit_test(test_whom_a_policy_may_deny_something),
        cmocka_unit_test(test_what_could_not_be_read_denies),
        cmocka_unit_test(test_objects_with_a_prefix),
        cmocka_unit_test(test_mutations),
        cmocka_unit_test(test_names_of_actions),
    };
    arena_init(&arena, (size_t)64 << 20);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&arena);
    return failed;
}
