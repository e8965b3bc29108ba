/* test_partiql_select.c: random SELECTs against Scans with the same condition as FilterExpression: whichever way a statement is read, as one
 * Query, several or a Scan, whole or in pages, it finds what the Scan finds. Also what the counters are told. */
#include "engine_fixture.h"
#include "repeat.h"
#include <stdlib.h>
#include <stdio.h>

enum { PARTITIONS = 4, SORTS = 6, ROUNDS = 3000 };

static uint64_t dice = 1;

/* 0 .. n-1; the same numbers in every run. */
static unsigned pick(unsigned n)
{
    dice ^= dice << 13;
    dice ^= dice >> 7;
    dice ^= dice << 17;
    return (unsigned)(dice % n);
}

static int set_up(void **state)
{
    static struct fixture f;
    fixture_open(&f, &(struct store_options){ 0 });
    *state = &f;
    assert_holds(q(&f, "CreateTable",
                   "{'TableName':'table','KeySchema':[{'AttributeName':'p','KeyType':'HASH'},{'AttributeName':'s','KeyType':'RANGE'}],"
                   "'AttributeDefinitions':[{'AttributeName':'p','AttributeType':'S'},{'AttributeName':'s','AttributeType':'N'},"
                   "{'AttributeName':'g','AttributeType':'S'}],'GlobalSecondaryIndexes':[{'IndexName':'gsi','KeySchema':"
                   "[{'AttributeName':'g','KeyType':'HASH'},{'AttributeName':'s','KeyType':'RANGE'}],'Projection':"
                   "{'ProjectionType':'ALL'}}],'BillingMode':'PAY_PER_REQUEST'}"),
                 "TableDescription");
    for (int p = 0; p < PARTITIONS; p++) {
        for (int s = 0; s < SORTS; s++) {
            struct buf b;
            buf_init(&b, &f.text, 1u << 16);
            buf_printf(&b, "{'TableName':'table','Item':{'p':{'S':'p%d'},'s':{'N':'%d'}", p, s);
            if (pick(3)) buf_printf(&b, ",'a':{'N':'%d'}", pick(4));
            if (pick(3)) buf_printf(&b, ",'b':{'S':'b%d'}", pick(4));
            if (pick(3)) buf_printf(&b, ",'g':{'S':'p%d'}", pick(PARTITIONS));
            BUF_LIT(&b, "}}");
            assert_string_equal(q(&f, "PutItem", "%.*s", SLICE_ARG(buf_view(&b))), "{}");
        }
    }
    return 0;
}

static int tear_down(void **state)
{
    fixture_close(*state);
    return 0;
}

/* ---- a condition in both languages ---- */

struct texts {
    struct buf ql, filter, values;
    int n_values;
};

/* A value of the attribute: numbers for s and a. */
static void put_value(struct texts *t, const char *name)
{
    bool number = name[0] == 's' || name[0] == 'a';
    char text[16];
    snprintf(text, sizeof text, number ? "%d" : name[0] == 'b' ? "b%d" : "p%d", pick(5));
    buf_printf(&t->ql, number ? "%s" : "'%s'", text);
    buf_printf(&t->filter, ":v%d", t->n_values);
    buf_printf(&t->values, "%s\":v%d\":{\"%s\":\"%s\"}", t->n_values ? "," : "", t->n_values, number ? "N" : "S", text);
    t->n_values++;
}

static void put_both(struct texts *t, const char *text)
{
    buf_slice(&t->ql, slice_str(text));
    buf_slice(&t->filter, slice_str(text));
}

static void put_in(struct texts *t, const char *name)
{
    put_both(t, name);
    BUF_LIT(&t->ql, " IN [");
    BUF_LIT(&t->filter, " IN (");
    for (int n = 1 + pick(3); n; n--) {
        put_value(t, name);
        if (n > 1) put_both(t, ", ");
    }
    BUF_LIT(&t->ql, "]");
    BUF_LIT(&t->filter, ")");
}

static void put_leaf(struct texts *t)
{
    static const char *const names[] = { "p", "p", "s", "a", "b", "g" };
    static const char *const operators[] = { " = ", " = ", " <> ", " < ", " <= ", " > ", " >= " };
    const char *name = names[pick(6)];
    switch (pick(8)) {
    case 0:
        put_in(t, name);
        return;
    case 1:
        put_both(t, pick(2) ? "attribute_exists(" : "attribute_not_exists(");
        put_both(t, name);
        put_both(t, ")");
        return;
    case 2:
        if (name[0] == 's' || name[0] == 'a') break;
        put_both(t, "begins_with(");
        put_both(t, name);
        put_both(t, ", ");
        put_value(t, name);
        put_both(t, ")");
        return;
    default:
        break;
    }
    put_both(t, name);
    put_both(t, operators[pick(7)]);
    put_value(t, name);
}

static void put_condition(struct texts *t, int depth)
{
    int kind = depth ? pick(4) : 3;
    if (kind == 3) {
        put_leaf(t);
        return;
    }
    put_both(t, kind == 2 ? "NOT " : "(");
    if (kind == 2) {
        put_leaf(t);
        return;
    }
    put_condition(t, depth - 1);
    put_both(t, kind ? " AND " : " OR ");
    put_condition(t, depth - 1);
    put_both(t, ")");
}

/* ---- answers ---- */

/* The keys in an answer's Items as bits. A key that comes twice is an error. */
static uint64_t keys_of(struct fixture *f, const char *answer)
{
    uint64_t found = 0;
    const struct json *node = json_parse(&f->text, arena_dup(&f->text, slice_str(answer)), 100, NULL);
    assert_non_null(node);
    for (const struct json *item = JSON_GET(node, "Items")->first; item; item = item->next) {
        int p = JSON_GET(JSON_GET(item, "p"), "S")->text.p[1] - '0', s = JSON_GET(JSON_GET(item, "s"), "N")->text.p[0] - '0';
        uint64_t bit = (uint64_t)1 << (p * SORTS + s);
        if (found & bit) fail_msg("p%d %d comes twice in %s", p, s, answer);
        found |= bit;
    }
    return found;
}

/* All pages of the statement; UINT64_MAX where it is refused as DynamoDB refuses it. */
static uint64_t select_all(struct fixture *f, struct slice statement, int limit)
{
    uint64_t found = 0;
    struct slice token = { NULL, 0 };
    for (int pages = 0; pages < 100; pages++) {
        struct buf b;
        buf_init(&b, &f->text, 1u << 16);
        BUF_LIT(&b, "{\"Statement\":");
        json_put_string(&b, statement);
        if (limit) buf_printf(&b, ",\"Limit\":%d", limit);
        if (token.n) buf_printf(&b, ",\"NextToken\":\"%.*s\"", SLICE_ARG(token));
        BUF_LIT(&b, "}");
        const char *answer = ask_slice(f, "ExecuteStatement", buf_view(&b));
        if (strstr(answer, "Overlapping conditions")) return UINT64_MAX;
        if (!strstr(answer, "\"Items\"")) fail_msg("%.*s: %s", SLICE_ARG(statement), answer);
        uint64_t page = keys_of(f, answer);
        if (found & page) fail_msg("%.*s: an item is on two pages", SLICE_ARG(statement));
        found |= page;
        const struct json *node = json_parse(&f->text, arena_dup(&f->text, slice_str(answer)), 100, NULL);
        const struct json *next = JSON_GET(node, "NextToken");
        if (!next) return found;
        token = next->text;
    }
    fail_msg("%.*s does not end", SLICE_ARG(statement));
    return 0;
}

static void test_a_select_finds_what_a_scan_finds(void **state)
{
    struct fixture *f = *state;
    int compared = 0, rounds = repeated(ROUNDS);
    for (int round = 0; round < rounds; round++) {
        bool index = pick(3) == 0;
        struct texts t = { .n_values = 0 };
        arena_reset(&f->text);
        buf_init(&t.ql, &f->text, 1u << 16);
        buf_init(&t.filter, &f->text, 1u << 16);
        buf_init(&t.values, &f->text, 1u << 16);
        const char *source = index ? "\"table\".\"gsi\"" : "\"table\"";
        put_condition(&t, 3);
        struct slice statement = arena_printf(&f->text, "SELECT p, s FROM %s WHERE %.*s", source, (int)t.ql.n, (const char *)t.ql.p);
        struct slice extra = { NULL, 0 };
        if (t.n_values) {
            extra = arena_printf(&f->text, ",\"ExpressionAttributeValues\":{%.*s}", (int)t.values.n, (const char *)t.values.p);
        }
        const char *scan = ask(f, "Scan", "{\"TableName\":\"table\"%s,\"FilterExpression\":\"%.*s\"%.*s}",
                               index ? ",\"IndexName\":\"gsi\"" : "", (int)t.filter.n, (const char *)t.filter.p, SLICE_ARG(extra));
        if (!strstr(scan, "\"Items\"")) fail_msg("%.*s: %s", (int)t.filter.n, (const char *)t.filter.p, scan);
        uint64_t expected = keys_of(f, scan);
        for (int limit = 0; limit < 6; limit += 2) {
            uint64_t found = select_all(f, statement, limit);
            if (found == UINT64_MAX) break;
            if (found != expected) fail_msg("%.*s: %llx, not %llx", SLICE_ARG(statement), (unsigned long long)found, (unsigned long long)expected);
            compared++;
        }
    }
    assert_true(compared > rounds);
}

static void test_order_by(void **state)
{
    struct fixture *f = *state;
    assert_holds(q(f, "ExecuteStatement", "{'Statement':'SELECT s FROM table WHERE p = ? AND s >= 3 ORDER BY s DESC','Parameters':[{'S':'p1'}]}"
                   ), "Unexpected keyword"); /* table is a word of its own */
    assert_holds(q(f, "ExecuteStatement",
                   "{'Statement':'SELECT s FROM \\\"table\\\" WHERE p = ? AND s >= 3 ORDER BY s DESC','Parameters':[{'S':'p1'}]}"),
                 "[{\"s\":{\"N\":\"5\"}},{\"s\":{\"N\":\"4\"}},{\"s\":{\"N\":\"3\"}}]");
}

/* ---- counters ---- */

struct told {
    uint32_t touches, read, written, returned, changed;
};

/* What the counters are told of a call. */
static struct told tell(struct fixture *f, const char *operation, const char *body)
{
    struct call call = { 0 };
    struct told told = { 0 };
    struct slice text = arena_dup(&f->text, slice_str(body));
    uint8_t *p = (uint8_t *)(uintptr_t)text.p;
    for (size_t i = 0; i < text.n; i++) p[i] = p[i] == '`' ? '"' : p[i];
    arena_reset(&f->arena);
    if (call_prepare(&call, f->engine, &f->arena, (struct caller){ 0 }, slice_str(operation), text)) {
        fail_msg("%s %s: %.*s", operation, body, SLICE_ARG(call.err.message));
    }
    call_run(&call);
    told.touches = call.tally.n;
    for (uint32_t i = 0; i < call.tally.n; i++) {
        *(call.tally.touches[i].write ? &told.written : &told.read) += call.tally.touches[i].halves;
    }
    told.returned = call.tally.returned;
    told.changed = call.tally.written;
    call_end(&call);
    return told;
}

static void test_counters_are_told_as_by_the_equivalent_call(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *operation, *body, *partiql, *statement;
    } pairs[] = {
        { "PutItem", "{`TableName`:`table`,`Item`:{`p`:{`S`:`c`},`s`:{`N`:`1`},`g`:{`S`:`x`}}}", "ExecuteStatement",
          "{`Statement`:`INSERT INTO \\`table\\` VALUE {'p': 'd', 's': 1, 'g': 'x'}`}" },
        { "GetItem", "{`TableName`:`table`,`Key`:{`p`:{`S`:`c`},`s`:{`N`:`1`}}}", "ExecuteStatement",
          "{`Statement`:`SELECT * FROM \\`table\\` WHERE p = 'd' AND s = 1`}" },
        { "UpdateItem", "{`TableName`:`table`,`Key`:{`p`:{`S`:`c`},`s`:{`N`:`1`}},`UpdateExpression`:`SET g = :g`,"
          "`ExpressionAttributeValues`:{`:g`:{`S`:`y`}}}", "ExecuteStatement",
          "{`Statement`:`UPDATE \\`table\\` SET g = 'y' WHERE p = 'd' AND s = 1`}" },
        { "DeleteItem", "{`TableName`:`table`,`Key`:{`p`:{`S`:`c`},`s`:{`N`:`1`}},`ConditionExpression`:`g = :g`,"
          "`ExpressionAttributeValues`:{`:g`:{`S`:`z`}}}", "ExecuteStatement",
          "{`Statement`:`DELETE FROM \\`table\\` WHERE p = 'd' AND s = 1 AND g = 'z'`}" },
        { "TransactWriteItems", "{`TransactItems`:[{`Delete`:{`TableName`:`table`,`Key`:{`p`:{`S`:`c`},`s`:{`N`:`1`}}}}]}",
          "ExecuteTransaction", "{`TransactStatements`:[{`Statement`:`DELETE FROM \\`table\\` WHERE p = 'd' AND s = 1`}]}" },
        { "Query", "{`TableName`:`table`,`KeyConditionExpression`:`p = :p AND s > :s`,`ExpressionAttributeValues`:{`:p`:{`S`:`p1`},"
          "`:s`:{`N`:`2`}}}", "ExecuteStatement", "{`Statement`:`SELECT * FROM \\`table\\` WHERE p = 'p1' AND s > 2`}" },
        { "Query", "{`TableName`:`table`,`IndexName`:`gsi`,`KeyConditionExpression`:`g = :p`,`ExpressionAttributeValues`:{`:p`:{`S`:`p1`}}}",
          "ExecuteStatement", "{`Statement`:`SELECT * FROM \\`table\\`.gsi WHERE g = 'p1'`}" },
        { "Scan", "{`TableName`:`table`,`ConsistentRead`:true}", "ExecuteStatement",
          "{`Statement`:`SELECT * FROM \\`table\\``,`ConsistentRead`:true}" },
        { "TransactGetItems", "{`TransactItems`:[{`Get`:{`TableName`:`table`,`Key`:{`p`:{`S`:`p1`},`s`:{`N`:`1`}}}}]}",
          "ExecuteTransaction", "{`TransactStatements`:[{`Statement`:`SELECT * FROM \\`table\\` WHERE p = 'p1' AND s = 1`}]}" },
        { "BatchGetItem", "{`RequestItems`:{`table`:{`Keys`:[{`p`:{`S`:`p1`},`s`:{`N`:`1`}},{`p`:{`S`:`x`},`s`:{`N`:`1`}}]}}}",
          "BatchExecuteStatement", "{`Statements`:[{`Statement`:`SELECT * FROM \\`table\\` WHERE p = 'p1' AND s = 1`},"
          "{`Statement`:`SELECT * FROM \\`table\\` WHERE p = 'x' AND s = 1`}]}" },
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct told a = tell(f, pairs[i].operation, pairs[i].body), b = tell(f, pairs[i].partiql, pairs[i].statement);
        if (memcmp(&a, &b, sizeof a) != 0) {
            fail_msg("%s: %u touches, %u read, %u written, %u returned, %u changed; %s: %u, %u, %u, %u, %u", pairs[i].operation, a.touches,
                     a.read, a.written, a.returned, a.changed, pairs[i].statement, b.touches, b.read, b.written, b.returned, b.changed);
        }
        assert_true(a.read + a.written > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_select_finds_what_a_scan_finds),
        cmocka_unit_test(test_order_by),
        cmocka_unit_test(test_counters_are_told_as_by_the_equivalent_call),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
