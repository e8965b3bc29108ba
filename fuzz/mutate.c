/* mutate.c: changes a line, an operation, or one place in a tree of JSON: replaced, removed, doubled, another member beside it, other bytes in its text.
 * What does not read as JSON, and now and then what does, is left to libFuzzer. */
#include "mutate.h"
#include "fuzz.h"
#include "item/json.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

static const char *const operations[] = {
    "PutItem", "GetItem", "UpdateItem", "DeleteItem", "Query", "Scan", "BatchGetItem", "BatchWriteItem", "TransactGetItems", "TransactWriteItems",
    "ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction", "CreateTable", "UpdateTable", "DescribeTable", "UpdateTimeToLive",
    "TagResource", "PutResourcePolicy", "ImportTable", "RestoreTableFromBackup",
};

static const char *const members[] = {
    "TableName", "IndexName", "Key", "Item", "Keys", "KeyConditionExpression", "FilterExpression", "ConditionExpression", "UpdateExpression",
    "ProjectionExpression", "ExpressionAttributeNames", "ExpressionAttributeValues", "ReturnValues", "ReturnConsumedCapacity",
    "ReturnItemCollectionMetrics", "ReturnValuesOnConditionCheckFailure", "ConsistentRead", "Limit", "ScanIndexForward", "ExclusiveStartKey",
    "Select", "Segment", "TotalSegments", "AttributesToGet", "Expected", "AttributeUpdates", "KeyConditions", "QueryFilter", "ScanFilter",
    "ConditionalOperator", "RequestItems", "TransactItems", "Put", "Update", "Delete", "ConditionCheck", "Get", "PutRequest", "DeleteRequest",
    "ClientRequestToken", "Statement", "Statements", "Parameters", "NextToken", "TransactStatements", "a", "b", "g", "n", "s", "k", "S", "N", "B",
    "SS", "NS", "BS", "L", "M", "BOOL", "NULL", ":v", ":w", "#a", "#b", "Value", "Exists", "Action", "ComparisonOperator", "AttributeValueList",
};

static const char *const values[] = {
    "{\"S\":\"x\"}", "{\"S\":\"g\"}", "{\"S\":\"\"}", "{\"N\":\"1\"}", "{\"N\":\"-0.0e5\"}", "{\"N\":\"9.9999999999999999999999999999999999999E+125\"}",
    "{\"N\":\"1E-130\"}", "{\"B\":\"YQ==\"}", "{\"B\":\"\"}", "{\"SS\":[\"a\",\"c\"]}", "{\"NS\":[\"1\",\"1.0\"]}", "{\"NS\":[\"2\",\"1\"]}",
    "{\"BS\":[\"YQ==\"]}", "{\"L\":[]}", "{\"L\":[{\"N\":\"1\"}]}", "{\"M\":{}}", "{\"M\":{\"k\":{\"S\":\"v\"}}}", "{\"BOOL\":true}", "{\"NULL\":true}",
    "{\"a\":{\"S\":\"x\"},\"b\":{\"N\":\"1\"}}", "{\"a\":{\"S\":\"y\"},\"b\":{\"N\":\"1.0\"}}", "{\"k\":{\"B\":\"YQ==\"}}", "\"TTT\"", "\"UUU\"", "\"GGG\"",
    "\"LLL\"", "\"V\"", "true", "false", "null", "0", "1", "2", "-1", "1e400", "\"ALL_OLD\"", "\"ALL_NEW\"", "\"UPDATED_OLD\"", "\"UPDATED_NEW\"",
    "\"NONE\"", "\"TOTAL\"", "\"INDEXES\"", "\"SIZE\"", "\"COUNT\"", "\"ALL_ATTRIBUTES\"", "\"ALL_PROJECTED_ATTRIBUTES\"", "\"SPECIFIC_ATTRIBUTES\"",
    "\"attribute_exists(a)\"", "\"attribute_not_exists(#a) OR b > :v\"", "\"g = :v AND n BETWEEN :v AND :w\"", "\"a = :v AND begins_with(s, :w)\"",
    "\"a = :v\"", "\"SET l[0] = :v, #b = if_not_exists(#b, :w)\"", "\"SET n = n + :v REMOVE g\"", "\"ADD n :v, t :w\"", "\"DELETE t :v\"",
    "\"SET l = list_append(l, :v), m.k = :w\"", "\"REMOVE l[0], m.k, t\"", "\"contains(t, :v) AND size(l) < :w\"", "\"a, l[0], m.k\"",
    "\"SELECT * FROM TTT WHERE a = 'x' AND b > 0\"", "\"INSERT INTO TTT VALUE {'a': 'q', 'b': 1, 'g': 'g', 'n': 2}\"",
    "\"UPDATE TTT SET g = 'h' REMOVE n WHERE a = 'x' AND b = 1 RETURNING ALL OLD *\"", "\"DELETE FROM TTT WHERE a = ? AND b = ?\"",
    "\"EQ\"", "\"BETWEEN\"", "\"IN\"", "\"NOT_CONTAINS\"", "\"ADD\"", "\"DELETE\"", "\"PUT\"", "\"OR\"",
};

static uint32_t dice;

static uint32_t roll(uint32_t below)
{
    dice ^= dice << 13;
    dice ^= dice >> 17;
    dice ^= dice << 5;
    return below ? dice % below : 0;
}

#define PICK(list) slice_str((list)[roll(sizeof(list) / sizeof *(list))])

/* ---- one place in a tree ---- */

enum change { REPLACE, REMOVE, REPEAT, BESIDE, RENAME, TEXT, CHANGES };

struct writing {
    struct buf *out;
    size_t at, chosen; /* nodes are counted as they are written */
    enum change change;
};

static size_t count_nodes(const struct json *n)
{
    size_t count = 1;
    for (const struct json *c = n->first; c; c = c->next) count += count_nodes(c);
    return count;
}

static void put_changed_text(struct buf *b, struct slice text)
{
    uint8_t bytes[512];
    size_t n = text.n < sizeof bytes ? text.n : sizeof bytes;
    memcpy(bytes, text.p, n);
    n = LLVMFuzzerMutate(bytes, n, sizeof bytes);
    json_put_string(b, slice_of(bytes, n));
}

static void write_node(struct writing *w, const struct json *n);

static void write_children(struct writing *w, const struct json *n)
{
    bool object = n->type == JSON_OBJECT, first = true;
    for (const struct json *c = n->first; c; c = c->next) {
        bool here = w->at == w->chosen;
        if (here && w->change == REMOVE) {
            w->at += count_nodes(c);
            continue;
        }
        for (int times = here && w->change == REPEAT ? 2 : 1; times; times--) {
            if (!first) buf_u8(w->out, ',');
            first = false;
            if (object) json_put_string(w->out, here && w->change == RENAME ? PICK(members) : c->name);
            if (object) buf_u8(w->out, ':');
            write_node(w, c);
        }
        if (!here || w->change != BESIDE) continue;
        buf_u8(w->out, ',');
        if (object) json_put_string(w->out, PICK(members));
        if (object) buf_u8(w->out, ':');
        buf_slice(w->out, PICK(values));
    }
}

static void write_node(struct writing *w, const struct json *n)
{
    bool here = w->at++ == w->chosen;
    if (here && w->change == REPLACE) {
        buf_slice(w->out, PICK(values));
        w->at += count_nodes(n) - 1;
    } else if (here && w->change == TEXT && n->type == JSON_STRING) {
        put_changed_text(w->out, n->text);
    } else if (n->type == JSON_ARRAY || n->type == JSON_OBJECT) {
        buf_u8(w->out, n->type == JSON_ARRAY ? '[' : '{');
        write_children(w, n);
        buf_u8(w->out, n->type == JSON_ARRAY ? ']' : '}');
    } else {
        json_put(w->out, n);
    }
}

/* ---- lines ---- */

static void put_line(struct buf *b, struct arena *a, struct slice line)
{
    const uint8_t *blank = line.n ? memchr(line.p, ' ', line.n) : NULL;
    size_t n = blank ? (size_t)(blank - line.p) : line.n;
    const struct json *tree = json_parse(a, slice_of(line.p + n, line.n - n), 60, NULL);
    buf_slice(b, roll(8) ? slice_of(line.p, n) : PICK(operations));
    buf_u8(b, ' ');
    if (!tree) {
        BUF_LIT(b, "{\"TableName\":\"TTT\"}");
        return;
    }
    struct writing w = { .out = b, .chosen = roll((uint32_t)count_nodes(tree)), .change = (enum change)roll(CHANGES) };
    write_node(&w, tree);
}

static void mutate_lines(struct buf *b, struct arena *a, struct slice in)
{
    size_t lines = 1;
    for (size_t i = 0; i < in.n; i++) lines += in.p[i] == '\n';
    size_t chosen = roll((uint32_t)lines);
    unsigned what = roll(12);
    for (size_t i = 0; in.n; i++) {
        const uint8_t *end = memchr(in.p, '\n', in.n);
        struct slice line = fuzz_bytes(&in, end ? (size_t)(end - in.p) : in.n);
        fuzz_bytes(&in, 1);
        if (i == chosen && what == 0) continue;
        if (i == chosen) put_line(b, a, line);
        else buf_slice(b, line);
        buf_u8(b, '\n');
        if (i != chosen || what != 1) continue;
        buf_slice(b, line);
        buf_u8(b, '\n');
    }
}

size_t mutate_requests(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    static struct arena a;
    struct buf b;
    dice = seed * 2654435761u | 1;
    if (roll(5) == 0) return LLVMFuzzerMutate(data, size, max);
    a.max = (size_t)64 << 20;
    arena_reset(&a);
    buf_init(&b, &a, (size_t)16 << 20);
    for (unsigned times = 1 + roll(3); times; times--) {
        struct slice in = arena_dup(&a, b.n ? buf_view(&b) : slice_of(data, size));
        b.n = 0;
        mutate_lines(&b, &a, in);
        if (!b.n) buf_printf(&b, "%.*s {\"TableName\":\"TTT\"}\n", SLICE_ARG(PICK(operations)));
    }
    if (b.n > max) return LLVMFuzzerMutate(data, size, max);
    memcpy(data, b.p, b.n);
    return b.n;
}
