/* definition.c: see definition.h. */
#include "definition.h"
#include "../../engine/census.h"
#include "../../engine/own_names.h"
#include "../../engine/tags.h"

#define TEXT_MAX ((size_t)8 << 20)

/* ---- writing ---- */

static void put_name(struct buf *b, const char *name)
{
    if (b->n && b->p[b->n - 1] != '{' && b->p[b->n - 1] != '[') buf_u8(b, ',');
    buf_printf(b, "\"%s\":", name);
}

static void put_text(struct buf *b, const char *name, struct slice text)
{
    put_name(b, name);
    json_put_string(b, text);
}

/* A member as it is, where it is there. */
static void copy(struct buf *b, const struct json *from, const char *name)
{
    const struct json *value = json_get(from, slice_str(name));
    if (!value) return;
    put_name(b, name);
    json_put(b, value);
}

/* Units are 0 where they are not provisioned. */
static void put_units(struct buf *b, const struct json *from)
{
    const struct json *units = JSON_GET(from, "ProvisionedThroughput");
    if (json_double(units, "ReadCapacityUnits", 0) > 0) {
        put_name(b, "ProvisionedThroughput");
        buf_u8(b, '{');
        copy(b, units, "ReadCapacityUnits");
        copy(b, units, "WriteCapacityUnits");
        buf_u8(b, '}');
    }
    copy(b, from, "OnDemandThroughput");
}

static void put_index(struct buf *b, const struct json *index)
{
    if (b->p[b->n - 1] == '}') buf_u8(b, ',');
    buf_u8(b, '{');
    copy(b, index, "IndexName");
    copy(b, index, "KeySchema");
    copy(b, index, "Projection");
    put_units(b, index);
    buf_u8(b, '}');
}

static void put_indexes(struct buf *b, const struct json *table, const char *name)
{
    const struct json *list = json_get(table, slice_str(name));
    bool any = false;
    for (const struct json *i = list ? list->first : NULL; i; i = i->next) {
        if (slice_eq(json_text(i, "IndexStatus"), SLICE("DELETING"))) continue;
        if (!any) {
            put_name(b, name);
            buf_u8(b, '[');
        }
        any = true;
        put_index(b, i);
    }
    if (any) buf_u8(b, ']');
}

static void put_encryption(struct buf *b, const struct json *described)
{
    if (!described) return;
    put_name(b, "SSESpecification");
    BUF_LIT(b, "{\"Enabled\":true");
    copy(b, described, "SSEType");
    if (JSON_GET(described, "KMSMasterKeyArn")) put_text(b, "KMSMasterKeyId", json_text(described, "KMSMasterKeyArn"));
    buf_u8(b, '}');
}

static void put_create(struct buf *b, const struct json *t, const struct json *tags)
{
    struct slice mode = json_text(JSON_GET(t, "BillingModeSummary"), "BillingMode");
    struct slice class = json_text(JSON_GET(t, "TableClassSummary"), "TableClass");
    put_name(b, "CreateTable");
    buf_u8(b, '{');
    copy(b, t, "TableName");
    copy(b, t, "AttributeDefinitions");
    copy(b, t, "KeySchema");
    put_indexes(b, t, "LocalSecondaryIndexes");
    put_indexes(b, t, "GlobalSecondaryIndexes");
    put_text(b, "BillingMode", mode.n ? mode : SLICE("PROVISIONED"));
    put_units(b, t);
    put_encryption(b, JSON_GET(t, "SSEDescription"));
    if (class.n) put_text(b, "TableClass", class);
    copy(b, t, "StreamSpecification");
    if (json_flag(t, "DeletionProtectionEnabled")) copy(b, t, "DeletionProtectionEnabled");
    if (tags && tags->count) {
        put_name(b, "Tags");
        json_put(b, tags);
    }
    buf_u8(b, '}');
}

static int ask_tags(struct service *s, struct arena *a, struct slice arn, const struct json **out)
{
    const struct json *answer;
    int code = service_call(s, a, "ListTagsOfResource", service_text(a, "ResourceArn", arn), &answer);
    *out = code ? NULL : JSON_GET(answer, "Tags");
    return code;
}

static int ask_time_to_live(struct service *s, struct arena *a, struct slice table, struct buf *b)
{
    const struct json *answer;
    int code = service_call(s, a, "DescribeTimeToLive", service_text(a, "TableName", table), &answer);
    const struct json *told = code ? NULL : JSON_GET(answer, "TimeToLiveDescription");
    struct slice status = json_text(told, "TimeToLiveStatus");
    if (!slice_eq(status, SLICE("ENABLED")) && !slice_eq(status, SLICE("ENABLING"))) return code;
    put_name(b, "UpdateTimeToLive");
    BUF_LIT(b, "{\"TimeToLiveSpecification\":{\"Enabled\":true");
    copy(b, told, "AttributeName");
    BUF_LIT(b, "}}");
    return code;
}

static int ask_recovery(struct service *s, struct arena *a, struct slice table, struct buf *b)
{
    const struct json *answer;
    int code = service_call(s, a, "DescribeContinuousBackups", service_text(a, "TableName", table), &answer);
    const struct json *told = code ? NULL : JSON_GET(JSON_GET(answer, "ContinuousBackupsDescription"), "PointInTimeRecoveryDescription");
    if (!slice_eq(json_text(told, "PointInTimeRecoveryStatus"), SLICE("ENABLED"))) return code;
    put_name(b, "UpdateContinuousBackups");
    BUF_LIT(b, "{\"PointInTimeRecoverySpecification\":{\"PointInTimeRecoveryEnabled\":true");
    copy(b, told, "RecoveryPeriodInDays");
    BUF_LIT(b, "}}");
    return code;
}

static int ask_policy(struct service *s, struct arena *a, struct slice arn, struct buf *b)
{
    const struct json *answer;
    struct err e;
    int code = service_try(s, a, "GetResourcePolicy", service_text(a, "ResourceArn", arn), &answer, &e);
    if (code && e.code == ERR_PolicyNotFoundException) return 0;
    if (code && e.code) fail_error("GetResourcePolicy: %.*s", SLICE_ARG(e.message));
    if (code) return code;
    put_name(b, "PutResourcePolicy");
    buf_u8(b, '{');
    copy(b, answer, "Policy");
    buf_u8(b, '}');
    return 0;
}

int definition_ask(struct service *s, struct arena *a, const struct json *t, struct slice *out)
{
    struct slice name = json_text(t, "TableName"), arn = json_text(t, "TableArn");
    const struct json *tags;
    struct buf b;
    int code = ask_tags(s, a, arn, &tags);
    if (code) return code;
    buf_init(&b, a, TEXT_MAX);
    buf_u8(&b, '{');
    put_create(&b, t, tags);
    code = ask_time_to_live(s, a, name, &b);
    if (!code) code = ask_recovery(s, a, name, &b);
    if (!code) code = ask_policy(s, a, arn, &b);
    buf_u8(&b, '}');
    *out = buf_view(&b);
    return code;
}

/* ---- what comes first ---- */

/* DynamoDB refuses definitions of attributes that no key has. */
static void put_definitions(struct buf *b, const struct json *create, const struct census *c)
{
    const struct json *list = JSON_GET(create, "AttributeDefinitions");
    put_name(b, "AttributeDefinitions");
    buf_u8(b, '[');
    for (const struct json *i = list ? list->first : NULL; i; i = i->next) {
        if (!census_needs_first(c, json_text(i, "AttributeName"))) continue;
        if (b->p[b->n - 1] == '}') buf_u8(b, ',');
        json_put(b, i);
    }
    buf_u8(b, ']');
}

bool definition_policy_first(const struct service *s, const struct json *definition, struct slice name)
{
    return !s->api->is_aws && slice_eq(name, json_text(JSON_GET(definition, "CreateTable"), "TableName"));
}

/* DynamoDB has no room for a mark beside all the tags that it allows. */
static void put_tags(struct buf *b, const struct service *s, const struct json *tags, struct slice mark)
{
    bool marked = !s->api->is_aws || !tags || tags->count < TAGS_MAX;
    put_name(b, "Tags");
    buf_u8(b, '[');
    for (const struct json *i = tags ? tags->first : NULL; i; i = i->next) {
        json_put(b, i);
        if (i->next || marked) buf_u8(b, ',');
    }
    if (marked) {
        BUF_LIT(b, "{\"Key\":\"" UNFINISHED_TAG "\",\"Value\":");
        json_put_string(b, mark);
        buf_u8(b, '}');
    }
    buf_u8(b, ']');
}

struct slice definition_first(struct service *s, const struct json *definition, struct slice name, struct slice mark)
{
    struct arena *a = s->kept;
    const struct json *create = JSON_GET(definition, "CreateTable"), *policy = JSON_GET(JSON_GET(definition, "PutResourcePolicy"), "Policy");
    static const char *const as_they_are[] = { "KeySchema", "LocalSecondaryIndexes", "BillingMode", "ProvisionedThroughput",
                                               "OnDemandThroughput", "SSESpecification", "TableClass" };
    struct buf b;
    buf_init(&b, a, TEXT_MAX);
    buf_u8(&b, '{');
    put_text(&b, "TableName", name);
    put_definitions(&b, create, census_begin(a, create));
    for (size_t i = 0; i < COUNT(as_they_are); i++) copy(&b, create, as_they_are[i]);
    put_tags(&b, s, JSON_GET(create, "Tags"), mark);
    if (policy && definition_policy_first(s, definition, name)) put_text(&b, "ResourcePolicy", policy->text);
    buf_u8(&b, '}');
    return buf_view(&b);
}

/* ---- what an index needs ---- */

static bool has_key(const struct json *index, struct slice attribute)
{
    const struct json *keys = JSON_GET(index, "KeySchema");
    for (const struct json *i = keys ? keys->first : NULL; i; i = i->next) {
        if (slice_eq(json_text(i, "AttributeName"), attribute)) return true;
    }
    return false;
}

void definition_put_attributes(struct buf *b, const struct json *create, const struct json *index)
{
    const struct json *list = JSON_GET(create, "AttributeDefinitions");
    buf_u8(b, '[');
    for (const struct json *i = list ? list->first : NULL; i; i = i->next) {
        if (!has_key(index, json_text(i, "AttributeName"))) continue;
        if (b->p[b->n - 1] == '}') buf_u8(b, ',');
        json_put(b, i);
    }
    buf_u8(b, ']');
}
