/* request.c: operations as the JSON that of_call takes. */
#include "request.h"
#include <stdlib.h>
#include <string.h>

const char *const operation_names[] = { "PutItem", "UpdateItem", "DeleteItem", "GetItem", "ConditionCheck", "BatchWriteItem", "BatchGetItem",
                                        "TransactWriteItems", "TransactGetItems", "Query", "Scan" };

static void add_member(struct text *t, const char *name, struct text *value)
{
    if (value->n) add(t, ",\"%s\":\"%s\"", name, value->p);
    free(value->p);
}

static void add_names(struct text *t, struct names *names)
{
    if (names->names.n) add(t, ",\"ExpressionAttributeNames\":{%s}", names->names.p);
    if (names->values.n) add(t, ",\"ExpressionAttributeValues\":{%s}", names->values.p);
    free(names->names.p);
    free(names->values.p);
}

static void add_action(struct text *t, const struct action *a)
{
    static const char *const returned[] = { "NONE", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW" };
    struct names names = { 0 };
    struct text cond = { 0 }, update = { 0 }, projection = { 0 };
    add(t, "{\"TableName\":\"%s\",\"%s\":", table_defs[a->table].name, a->kind == PUT ? "Item" : "Key");
    add_item(t, a->kind == PUT ? a->item : a->key);
    if (a->cond) add_cond(&cond, &names, a->cond);
    if (a->update) add_update(&update, &names, a->update);
    if (a->projection) add_projection(&projection, &names, a->projection);
    add_member(t, "ConditionExpression", &cond);
    add_member(t, "UpdateExpression", &update);
    add_member(t, "ProjectionExpression", &projection);
    add_names(t, &names);
    if (a->returns) add(t, ",\"ReturnValues\":\"%s\"", returned[a->returns]);
    if (a->show_on_failure) add(t, ",\"ReturnValuesOnConditionCheckFailure\":\"ALL_OLD\"");
    add(t, "}");
}

static void add_transaction(struct text *t, const struct op *op)
{
    static const char *const words[] = { "Put", "Update", "Delete", "Get", "ConditionCheck" };
    add(t, "{\"TransactItems\":[");
    for (size_t i = 0; i < op->n; i++) {
        add(t, "%s{\"%s\":", i ? "," : "", words[op->actions[i].kind]);
        add_action(t, &op->actions[i]);
        add(t, "}");
    }
    add(t, "]}");
}

static void add_batch(struct text *t, const struct op *op)
{
    bool begun = false;
    add(t, "{\"RequestItems\":{");
    for (int table = 0; table < TABLES; table++) {
        bool any = false;
        for (size_t i = 0; i < op->n; i++) {
            const struct action *a = &op->actions[i];
            if (a->table != table) continue;
            if (any) add(t, ",");
            else add(t, "%s\"%s\":%s", begun ? "," : "", table_defs[table].name, op->kind == BATCH_GET ? "{\"Keys\":[" : "[");
            any = begun = true;
            if (a->kind != GET) add(t, a->kind == PUT ? "{\"PutRequest\":{\"Item\":" : "{\"DeleteRequest\":{\"Key\":");
            add_item(t, a->kind == PUT ? a->item : a->key);
            if (a->kind != GET) add(t, "}}");
        }
        if (any) add(t, op->kind == BATCH_GET ? "]}" : "]");
    }
    add(t, "}}");
}

void add_request(struct text *t, const struct op *op)
{
    if (op->kind == TRANSACT_WRITE || op->kind == TRANSACT_GET) add_transaction(t, op);
    else if (op->kind == BATCH_WRITE || op->kind == BATCH_GET) add_batch(t, op);
    else add_action(t, &op->actions[0]);
}

static void add_key_condition(struct text *t, struct names *names, const struct range *r)
{
    static const char *const signs[] = { "=", "<>", "<", "<=", ">", ">=" };
    const struct table_def *def = &table_defs[r->table];
    const struct index_def *ix = r->index < 0 ? NULL : &def->indexes[r->index];
    struct path hash = { .top = ix ? ix->hash : def->hash }, sort = { .top = ix ? ix->range : def->range };
    add_path(t, names, &hash);
    add(t, " = ");
    add_value(t, names, r->hash);
    if (!r->lo) return;
    add(t, r->begins ? " AND begins_with(" : " AND ");
    add_path(t, names, &sort);
    if (r->begins) add(t, ", ");
    else if (r->between) add(t, " BETWEEN ");
    else add(t, " %s ", signs[r->compare]);
    add_value(t, names, r->lo);
    if (r->begins) add(t, ")");
    if (r->between) {
        add(t, " AND ");
        add_value(t, names, r->hi);
    }
}

void add_page_request(struct text *t, const struct range *r, int segment, const struct val *start)
{
    const struct table_def *def = &table_defs[r->table];
    struct names names = { 0 };
    struct text keys = { 0 }, filter = { 0 }, projection = { 0 };
    add(t, "{\"TableName\":\"%s\"", def->name);
    if (r->index >= 0) add(t, ",\"IndexName\":\"%s\"", def->indexes[r->index].name);
    if (r->hash) add_key_condition(&keys, &names, r);
    if (r->filter) add_cond(&filter, &names, r->filter);
    if (r->projection) add_projection(&projection, &names, r->projection);
    add_member(t, "KeyConditionExpression", &keys);
    add_member(t, "FilterExpression", &filter);
    add_member(t, "ProjectionExpression", &projection);
    add_names(t, &names);
    if (r->limit) add(t, ",\"Limit\":%d", r->limit);
    if (r->backward) add(t, ",\"ScanIndexForward\":false");
    if (r->consistent) add(t, ",\"ConsistentRead\":true");
    if (r->count || r->all) add(t, ",\"Select\":\"%s\"", r->count ? "COUNT" : "ALL_ATTRIBUTES");
    if (r->segments) add(t, ",\"Segment\":%d,\"TotalSegments\":%d", segment, r->segments);
    if (start) {
        add(t, ",\"ExclusiveStartKey\":");
        add_item(t, start);
    }
    add(t, "}");
}

/* ---- tables ---- */

static void add_schema(struct text *t, const char *hash, const char *range)
{
    add(t, "\"KeySchema\":[{\"AttributeName\":\"%s\",\"KeyType\":\"HASH\"}", hash);
    if (range) add(t, ",{\"AttributeName\":\"%s\",\"KeyType\":\"RANGE\"}", range);
    add(t, "]");
}

static void add_indexes(struct text *t, const struct table_def *table, bool global)
{
    bool begun = false;
    for (size_t i = 0; i < table->n; i++) {
        const struct index_def *ix = &table->indexes[i];
        if (ix->global != global) continue;
        if (begun) add(t, ",");
        else add(t, ",\"%sSecondaryIndexes\":[", global ? "Global" : "Local");
        begun = true;
        add(t, "{\"IndexName\":\"%s\",", ix->name);
        add_schema(t, ix->hash, ix->range);
        add(t, ",\"Projection\":{\"ProjectionType\":\"%s\"", ix->projection == 'A' ? "ALL" : ix->projection == 'K' ? "KEYS_ONLY" : "INCLUDE");
        if (ix->include) add(t, ",\"NonKeyAttributes\":[\"%s\"]", ix->include);
        add(t, "}}");
    }
    if (begun) add(t, "]");
}

/* Is the attribute a key of an index? */
static bool is_used(const struct table_def *table, const char *attribute)
{
    for (size_t i = 0; i < table->n; i++) {
        const struct index_def *ix = &table->indexes[i];
        if (!strcmp(ix->hash, attribute) || (ix->range && !strcmp(ix->range, attribute))) return true;
    }
    return false;
}

void add_create_table(struct text *t, const struct table_def *table)
{
    add(t, "{\"TableName\":\"%s\",\"BillingMode\":\"PAY_PER_REQUEST\",", table->name);
    add_schema(t, table->hash, table->range);
    add(t, ",\"AttributeDefinitions\":[{\"AttributeName\":\"%s\",\"AttributeType\":\"%s\"}", table->hash, type_name(table->hash_type));
    if (table->range) add(t, ",{\"AttributeName\":\"%s\",\"AttributeType\":\"%s\"}", table->range, type_name(table->range_type));
    if (is_used(table, "a")) add(t, ",{\"AttributeName\":\"a\",\"AttributeType\":\"S\"}");
    if (is_used(table, "b")) add(t, ",{\"AttributeName\":\"b\",\"AttributeType\":\"N\"}");
    add(t, "]");
    add_indexes(t, table, false);
    add_indexes(t, table, true);
    add(t, "}");
}
