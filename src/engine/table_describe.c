/* table_describe.c: the TableDescription object, member for member as DynamoDB gives it. Members
 * that DynamoDB leaves out (no stream, no encryption setting, never on-demand ...) are left out
 * here too. */
#include "streams.h"
#include "table_put.h"
#include <stdlib.h>

static const char *const table_statuses[] = { "CREATING", "ACTIVE", "UPDATING", "DELETING" };
static const char *const index_statuses[] = { "CREATING", "ACTIVE", "UPDATING", "DELETING" };
static const char *const projections[] = { "ALL", "KEYS_ONLY", "INCLUDE" };

void describe_string(struct buf *b, const char *member, struct slice text)
{
    buf_printf(b, ",\"%s\":", member);
    json_put_string(b, text);
}

void describe_int(struct buf *b, const char *member, int64_t v)
{
    buf_printf(b, ",\"%s\":%lld", member, (long long)v);
}

void describe_time(struct buf *b, const char *member, int64_t ms)
{
    buf_printf(b, ",\"%s\":%lld.%03d", member, (long long)(ms / 1000), (int)(ms % 1000));
}

struct slice caller_region(const struct caller *who)
{
    return who->region.n ? who->region : SLICE("us-east-1");
}

struct slice caller_account(const struct caller *who)
{
    return who->account.n ? who->account : SLICE("000000000000");
}

void table_put_arn(struct buf *b, const struct caller *who, struct slice table_name)
{
    buf_printf(b, "arn:aws:dynamodb:%.*s:%.*s:table/%.*s", SLICE_ARG(caller_region(who)),
               SLICE_ARG(caller_account(who)), SLICE_ARG(table_name));
}

/* Everything in an ARN is plain, so it needs no escaping. */
static void put_arn(struct buf *b, const char *member, const struct caller *who,
                    struct slice table_name, const char *kind, struct slice part)
{
    buf_printf(b, ",\"%s\":\"", member);
    table_put_arn(b, who, table_name);
    if (kind) buf_printf(b, "/%s/%.*s", kind, SLICE_ARG(part));
    buf_u8(b, '"');
}

static void put_key_elements(struct buf *b, const struct key_attr *attrs, size_t n,
                             const char *type, bool *first)
{
    for (size_t i = 0; i < n; i++) {
        if (!*first) buf_u8(b, ',');
        *first = false;
        BUF_LIT(b, "{\"AttributeName\":");
        json_put_string(b, attrs[i].name);
        buf_printf(b, ",\"KeyType\":\"%s\"}", type);
    }
}

void table_put_key_schema(struct buf *b, const struct key_schema *k)
{
    bool first = true;
    BUF_LIT(b, ",\"KeySchema\":[");
    put_key_elements(b, k->hash, k->n_hash, "HASH", &first);
    put_key_elements(b, k->range, k->n_range, "RANGE", &first);
    buf_u8(b, ']');
}

static int by_attribute_name(const void *a, const void *b)
{
    return slice_cmp(((const struct key_attr *)a)->name, ((const struct key_attr *)b)->name);
}

static int by_name(const void *a, const void *b)
{
    return slice_cmp(*(const struct slice *)a, *(const struct slice *)b);
}

/* By name, whatever order they were given in. */
static void put_definitions(struct buf *b, const struct table *t)
{
    struct key_attr *sorted = ARENA_ARRAY(b->arena, struct key_attr, t->n_attrs + 1);
    memcpy(sorted, t->attrs, t->n_attrs * sizeof *sorted);
    qsort(sorted, t->n_attrs, sizeof *sorted, by_attribute_name);
    BUF_LIT(b, ",\"AttributeDefinitions\":[");
    for (size_t i = 0; i < t->n_attrs; i++) {
        if (i) buf_u8(b, ',');
        BUF_LIT(b, "{\"AttributeName\":");
        json_put_string(b, sorted[i].name);
        buf_printf(b, ",\"AttributeType\":\"%s\"}", val_type_name(sorted[i].type));
    }
    buf_u8(b, ']');
}

static void put_throughput(struct buf *b, const struct throughput *t)
{
    BUF_LIT(b, ",\"ProvisionedThroughput\":{");
    buf_printf(b, "\"NumberOfDecreasesToday\":%lld", (long long)t->decreases_today);
    if (t->increased_ms) describe_time(b, "LastIncreaseDateTime", t->increased_ms);
    if (t->decreased_ms) describe_time(b, "LastDecreaseDateTime", t->decreased_ms);
    describe_int(b, "ReadCapacityUnits", t->read);
    describe_int(b, "WriteCapacityUnits", t->write);
    buf_u8(b, '}');
}

void describe_on_demand(struct buf *b, const struct throughput *t)
{
    if (!t->max_read && !t->max_write) return;
    BUF_LIT(b, ",\"OnDemandThroughput\":{");
    if (t->max_read) buf_printf(b, "\"MaxReadRequestUnits\":%lld", (long long)t->max_read);
    if (t->max_read && t->max_write) buf_u8(b, ',');
    if (t->max_write) buf_printf(b, "\"MaxWriteRequestUnits\":%lld", (long long)t->max_write);
    buf_u8(b, '}');
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

void throughput_warm(const struct throughput *t, enum billing_mode billing, int64_t *read,
                     int64_t *write)
{
    bool on_demand = billing == BILLING_PAY_PER_REQUEST;
    *read = larger(t->warm_read, on_demand ? WARM_READ_ON_DEMAND : t->read);
    *write = larger(t->warm_write, on_demand ? WARM_WRITE_ON_DEMAND : t->write);
}

static void put_warm(struct buf *b, const struct throughput *t, enum billing_mode billing, bool changes)
{
    int64_t read, write;
    throughput_warm(t, billing, &read, &write);
    buf_printf(b, ",\"WarmThroughput\":{\"ReadUnitsPerSecond\":%lld", (long long)read);
    describe_int(b, "WriteUnitsPerSecond", write);
    buf_printf(b, ",\"Status\":\"%s\"}", changes ? "UPDATING" : "ACTIVE");
}

void describe_projection(struct buf *b, const struct index *ix)
{
    buf_printf(b, ",\"Projection\":{\"ProjectionType\":\"%s\"", projections[ix->projection]);
    if (ix->n_include) {
        struct slice *sorted = ARENA_ARRAY(b->arena, struct slice, ix->n_include);
        memcpy(sorted, ix->include, ix->n_include * sizeof *sorted);
        qsort(sorted, ix->n_include, sizeof *sorted, by_name);
        BUF_LIT(b, ",\"NonKeyAttributes\":[");
        for (size_t i = 0; i < ix->n_include; i++) {
            if (i) buf_u8(b, ',');
            json_put_string(b, sorted[i]);
        }
        buf_u8(b, ']');
    }
    buf_u8(b, '}');
}

static int put_sizes(struct buf *b, struct store_txn *txn, uint32_t id, const char *bytes_member)
{
    int64_t items, bytes;
    int status = counter_sum(txn, 'C', id, &items);
    if (!status) status = counter_sum(txn, 'S', id, &bytes);
    if (status) return status;
    describe_int(b, bytes_member, bytes);
    describe_int(b, "ItemCount", items);
    return STORE_OK;
}

/* What is kept warm is shown as it was before a change. */
static void put_index_warm(struct buf *b, const struct table *t, const struct index *ix,
                           const struct table_change *change)
{
    const struct index *before = change ? table_index(change->before, ix->name) : NULL;
    bool changes = before && change->index_warm[ix - t->indexes];
    put_warm(b, before ? &before->throughput : &ix->throughput, before ? change->before->billing : t->billing,
             changes);
}

static int put_index(struct buf *b, struct store_txn *txn, const struct caller *who, const struct table *t,
                     const struct index *ix, const struct table_change *change)
{
    BUF_LIT(b, "{\"IndexName\":");
    json_put_string(b, ix->name);
    table_put_key_schema(b, &ix->key);
    describe_projection(b, ix);
    if (ix->kind == INDEX_GLOBAL) {
        /* DynamoDB leaves it out while the table is being restored. */
        if (!table_restoring(t)) buf_printf(b, ",\"IndexStatus\":\"%s\"", index_statuses[ix->status]);
        /* Only an index that was added to a table which was there before has this member. */
        if (ix->status == INDEX_CREATING && t->status != TABLE_CREATING) {
            buf_printf(b, ",\"Backfilling\":%s", ix->backfilling ? "true" : "false");
        }
        put_throughput(b, &ix->throughput);
        describe_on_demand(b, &ix->throughput);
        if (ix->status == INDEX_ACTIVE || ix->status == INDEX_UPDATING) put_index_warm(b, t, ix, change);
    }
    int status = put_sizes(b, txn, ix->id, "IndexSizeBytes");
    put_arn(b, "IndexArn", who, t->name, "index", ix->name);
    buf_u8(b, '}');
    return status;
}

static int put_indexes(struct buf *b, struct store_txn *txn, const struct caller *who, const struct table *t,
                       const struct table_change *change, enum index_kind kind, const char *member)
{
    int status = STORE_OK;
    bool any = false;
    for (size_t i = 0; !status && i < t->n_indexes; i++) {
        if (t->indexes[i].kind != kind) continue;
        if (any) {
            buf_u8(b, ',');
        } else {
            buf_printf(b, ",\"%s\":[", member);
        }
        any = true;
        status = put_index(b, txn, who, t, &t->indexes[i], change);
    }
    if (any) buf_u8(b, ']');
    return status;
}

static void put_billing(struct buf *b, const struct table *t)
{
    bool on_demand = t->billing == BILLING_PAY_PER_REQUEST;
    if (!on_demand && !t->billing_changed_ms) return;
    /* The service says it under both names; its description knows only the first. */
    static const char *const members[] = { "BillingMode", "TableThroughputMode" };
    for (size_t i = 0; i < 2; i++) {
        buf_printf(b, ",\"%sSummary\":{\"%s\":\"%s\"", members[i], members[i],
                   on_demand ? "PAY_PER_REQUEST" : "PROVISIONED");
        if (t->billing_changed_ms) {
            describe_time(b, "LastUpdateToPayPerRequestDateTime", t->billing_changed_ms);
        }
        buf_u8(b, '}');
    }
}

/* The latest stream is named also after it was disabled. */
static void put_stream(struct buf *b, const struct caller *who, const struct table *t)
{
    if (t->stream_view.n) {
        buf_printf(b, ",\"StreamSpecification\":{\"StreamEnabled\":true,\"StreamViewType\":\"%.*s\"}",
                   SLICE_ARG(t->stream_view));
    }
    if (!t->stream_created_ms) return;
    BUF_LIT(b, ",\"LatestStreamLabel\":\"");
    stream_put_label(b, t->stream_created_ms);
    BUF_LIT(b, "\",\"LatestStreamArn\":\"");
    stream_put_arn(b, who, t->name, t->stream_created_ms);
    buf_u8(b, '"');
}

static void put_encryption(struct buf *b, const struct caller *who, const struct table *t, const char *status)
{
    buf_printf(b, ",\"SSEDescription\":{\"Status\":\"%s\"", status);
    if (!t->sse) {
        buf_u8(b, '}');
        return;
    }
    describe_string(b, "SSEType", t->sse_type.n ? t->sse_type : SLICE("KMS"));
    if (slice_starts(t->sse_key, SLICE("arn:"))) {
        describe_string(b, "KMSMasterKeyArn", t->sse_key);
    } else {
        struct slice key = t->sse_key.n ? t->sse_key : t->uuid;
        describe_string(b, "KMSMasterKeyArn",
                   arena_printf(b->arena, "arn:aws:kms:%.*s:%.*s:key/%.*s",
                                SLICE_ARG(caller_region(who)), SLICE_ARG(caller_account(who)),
                                SLICE_ARG(key)));
    }
    buf_u8(b, '}');
}

void describe_encryption(struct buf *b, const struct caller *who, const struct table *t)
{
    if (t->sse) put_encryption(b, who, t, "ENABLED");
}

/* There only until the table is ACTIVE. */
static void put_restore(struct buf *b, const struct caller *who, const struct table *t)
{
    if (!table_restoring(t)) return;
    BUF_LIT(b, ",\"RestoreSummary\":{\"RestoreInProgress\":true");
    describe_time(b, "RestoreDateTime", t->restore_ms);
    if (t->restore_backup.n) put_arn(b, "SourceBackupArn", who, t->restore_table, "backup", t->restore_backup);
    put_arn(b, "SourceTableArn", who, t->restore_table, NULL, slice_of(NULL, 0));
    buf_u8(b, '}');
}

static void put_class(struct buf *b, const struct table *t)
{
    if (!t->table_class.n) return;
    buf_printf(b, ",\"TableClassSummary\":{\"TableClass\":\"%.*s\"", SLICE_ARG(t->table_class));
    if (t->table_class_ms) describe_time(b, "LastUpdateDateTime", t->table_class_ms);
    buf_u8(b, '}');
}

/* What both forms begin with. */
static int put_common(struct buf *b, struct store_txn *txn, const struct caller *who,
                      const struct table *t)
{
    BUF_LIT(b, "{\"TableName\":");
    json_put_string(b, t->name);
    buf_printf(b, ",\"TableStatus\":\"%s\"", table_statuses[t->status]);
    put_throughput(b, &t->throughput);
    int status = put_sizes(b, txn, t->id, "TableSizeBytes");
    put_arn(b, "TableArn", who, t->name, NULL, slice_of(NULL, 0));
    describe_string(b, "TableId", t->uuid);
    put_billing(b, t);
    put_class(b, t);
    buf_printf(b, ",\"DeletionProtectionEnabled\":%s", t->deletion_protection ? "true" : "false");
    return status;
}

int table_describe_deleted(struct buf *b, struct store_txn *txn, const struct caller *who,
                           const struct table *t)
{
    int status = put_common(b, txn, who, t);
    buf_u8(b, '}');
    return status;
}

int table_describe(struct buf *b, struct store_txn *txn, const struct caller *who,
                   const struct table *t)
{
    return table_describe_change(b, txn, who, t, NULL);
}

int table_describe_change(struct buf *b, struct store_txn *txn, const struct caller *who,
                          const struct table *t, const struct table_change *change)
{
    int status = put_common(b, txn, who, t);
    if (status) return status;
    put_definitions(b, t);
    table_put_key_schema(b, &t->key);
    describe_time(b, "CreationDateTime", t->created_ms);
    status = put_indexes(b, txn, who, t, change, INDEX_LOCAL, "LocalSecondaryIndexes");
    if (!status) status = put_indexes(b, txn, who, t, change, INDEX_GLOBAL, "GlobalSecondaryIndexes");
    put_stream(b, who, t);
    put_restore(b, who, t);
    if (change && change->encryption) {
        put_encryption(b, who, change->before, "UPDATING");
    } else {
        describe_encryption(b, who, t);
    }
    describe_on_demand(b, &t->throughput);
    const struct table *warm = change ? change->before : t;
    /* A table that is being made has only what was asked for. */
    if (t->status != TABLE_CREATING || t->throughput.warm_read > 0 || t->throughput.warm_write > 0) {
        put_warm(b, &warm->throughput, warm->billing, change ? change->warm : t->status == TABLE_CREATING);
    }
    buf_u8(b, '}');
    return status;
}
