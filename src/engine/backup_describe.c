/* backup_describe.c: backups in answers, member for member as DynamoDB gives them. */
#include "backup.h"
#include "table_put.h"

#define FEATURES_MAX ((size_t)1 << 20)

static const char *status_of(const struct backup *k)
{
    return k->creating ? "CREATING" : "AVAILABLE";
}

void backup_put_arn(struct buf *b, const struct caller *who, struct slice table_name, struct slice id)
{
    table_put_arn(b, who, table_name);
    buf_printf(b, "/backup/%.*s", SLICE_ARG(id));
}

/* What details and summaries both hold, without the braces. */
static void put_members(struct buf *b, const struct caller *who, const struct backup *k, const char *status)
{
    BUF_LIT(b, "\"BackupArn\":\"");
    backup_put_arn(b, who, k->table->name, k->id);
    BUF_LIT(b, "\",\"BackupName\":");
    json_put_string(b, k->name);
    buf_printf(b, ",\"BackupSizeBytes\":%lld,\"BackupStatus\":\"%s\",\"BackupType\":\"%s\"", (long long)k->bytes,
               status, k->type == BACKUP_SYSTEM ? "SYSTEM" : "USER");
    describe_time(b, "BackupCreationDateTime", k->created_ms);
    if (k->expires_ms) describe_time(b, "BackupExpiryDateTime", k->expires_ms);
}

static void put_details(struct buf *b, const struct caller *who, const struct backup *k, const char *status)
{
    BUF_LIT(b, "\"BackupDetails\":{");
    put_members(b, who, k, status);
    buf_u8(b, '}');
}

void backup_put_details(struct buf *b, const struct caller *who, const struct backup *k)
{
    put_details(b, who, k, status_of(k));
}

static void put_table_names(struct buf *b, const struct caller *who, const struct table *t)
{
    BUF_LIT(b, "\"TableName\":");
    json_put_string(b, t->name);
    describe_string(b, "TableId", t->uuid);
    BUF_LIT(b, ",\"TableArn\":\"");
    table_put_arn(b, who, t->name);
    buf_u8(b, '"');
}

void backup_put_summary(struct buf *b, const struct caller *who, const struct backup *k)
{
    buf_u8(b, '{');
    put_table_names(b, who, k->table);
    buf_u8(b, ',');
    put_members(b, who, k, status_of(k));
    buf_u8(b, '}');
}

static void put_units(struct buf *b, const struct throughput *t)
{
    buf_printf(b, ",\"ProvisionedThroughput\":{\"ReadCapacityUnits\":%lld,\"WriteCapacityUnits\":%lld}",
               (long long)t->read, (long long)t->write);
    describe_on_demand(b, t);
}

static void put_source(struct buf *b, const struct caller *who, const struct backup *k)
{
    const struct table *t = k->table;
    BUF_LIT(b, ",\"SourceTableDetails\":{");
    put_table_names(b, who, t);
    describe_int(b, "TableSizeBytes", k->bytes);
    table_put_key_schema(b, &t->key);
    describe_time(b, "TableCreationDateTime", t->created_ms);
    put_units(b, &t->throughput);
    describe_int(b, "ItemCount", k->count);
    buf_printf(b, ",\"BillingMode\":\"%s\"}",
               t->billing == BILLING_PAY_PER_REQUEST ? "PAY_PER_REQUEST" : "PROVISIONED");
}

static void put_indexes(struct buf *b, const struct table *t, enum index_kind kind, const char *member)
{
    bool any = false;
    for (size_t i = 0; i < t->n_indexes; i++) {
        const struct index *ix = &t->indexes[i];
        if (ix->kind != kind) continue;
        if (any) {
            buf_u8(b, ',');
        } else {
            buf_printf(b, ",\"%s\":[", member);
        }
        any = true;
        BUF_LIT(b, "{\"IndexName\":");
        json_put_string(b, ix->name);
        table_put_key_schema(b, &ix->key);
        describe_projection(b, ix);
        if (kind == INDEX_GLOBAL) put_units(b, &ix->throughput);
        buf_u8(b, '}');
    }
    if (any) buf_u8(b, ']');
}

/* Only what was switched on has a member; each begins with a comma. */
static void put_feature_members(struct buf *b, const struct caller *who, const struct table *t)
{
    put_indexes(b, t, INDEX_LOCAL, "LocalSecondaryIndexes");
    put_indexes(b, t, INDEX_GLOBAL, "GlobalSecondaryIndexes");
    if (t->stream_view.n) {
        buf_printf(b, ",\"StreamDescription\":{\"StreamEnabled\":true,\"StreamViewType\":\"%.*s\"}",
                   SLICE_ARG(t->stream_view));
    }
    if (t->ttl_attribute.n) {
        BUF_LIT(b, ",\"TimeToLiveDescription\":{\"TimeToLiveStatus\":\"ENABLED\"");
        describe_string(b, "AttributeName", t->ttl_attribute);
        buf_u8(b, '}');
    }
    describe_encryption(b, who, t);
}

/* Of a deleted table DynamoDB tells nothing here. */
static void put_features(struct buf *b, const struct caller *who, const struct backup *k)
{
    struct buf members;
    buf_init(&members, b->arena, FEATURES_MAX);
    if (k->type == BACKUP_USER) put_feature_members(&members, who, k->table);
    BUF_LIT(b, ",\"SourceTableFeatureDetails\":{");
    if (members.n) buf_bytes(b, members.p + 1, members.n - 1);
    buf_u8(b, '}');
}

void backup_put_description(struct buf *b, const struct caller *who, const struct backup *k, bool deleted)
{
    BUF_LIT(b, "\"BackupDescription\":{");
    put_details(b, who, k, deleted ? "DELETED" : status_of(k));
    put_source(b, who, k);
    put_features(b, who, k);
    buf_u8(b, '}');
}
