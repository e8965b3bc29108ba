/* test_bulk.c: many items put at once end as the same items put one by one: the items, both kinds of index, counters, what the
 * stream tells of each key; one that is refused is refused in BatchWriteItem's words, and those before it are there. */
#include "engine_fixture.h"
#include "engine/bulk.h"
#include "item/item_json.h"
#include <stdlib.h>
#include <string.h>

#define ITEMS 3000

static void create_table(struct fixture *f)
{
    assert_holds(q(f, "CreateTable",
                   "{'TableName':'shop','BillingMode':'PAY_PER_REQUEST',"
                   "'AttributeDefinitions':[{'AttributeName':'p','AttributeType':'S'},"
                   "{'AttributeName':'s','AttributeType':'N'},{'AttributeName':'v','AttributeType':'N'},"
                   "{'AttributeName':'x','AttributeType':'S'}],"
                   "'KeySchema':[{'AttributeName':'p','KeyType':'HASH'},{'AttributeName':'s','KeyType':'RANGE'}],"
                   "'StreamSpecification':{'StreamEnabled':true,'StreamViewType':'NEW_IMAGE'},"
                   "'LocalSecondaryIndexes':[{'IndexName':'byv','KeySchema':[{'AttributeName':'p','KeyType':'HASH'},"
                   "{'AttributeName':'v','KeyType':'RANGE'}],'Projection':{'ProjectionType':'KEYS_ONLY'}}],"
                   "'GlobalSecondaryIndexes':[{'IndexName':'byx','KeySchema':[{'AttributeName':'x','KeyType':'HASH'}],"
                   "'Projection':{'ProjectionType':'ALL'}}]}"),
                 "TableDescription");
}

static void open_shop(struct fixture *f)
{
    fixture_open(f, &(struct store_options){ 0 });
    create_table(f);
}

/* Item number n: few keys, so that most come many times. */
static const char *item_text(struct fixture *f, int n)
{
    unsigned r = (unsigned)n * 2654435761u >> 16;
    const char *x = r % 5 ? "" : ",\"x\":{\"S\":\"gone\"}"; /* in and out of the index */
    return (const char *)arena_printf(&f->text, "{\"p\":{\"S\":\"p%u\"},\"s\":{\"N\":\"%u\"},\"v\":{\"N\":\"%d\"}%s}", r % 40,
                                      r % 7, n, x).p;
}

static struct slice encoded(struct fixture *f, const char *text)
{
    struct err e = { .arena = &f->text };
    struct slice out;
    const struct json *n = json_parse(&f->text, slice_str(text), 100, NULL);
    assert_non_null(n);
    assert_int_equal(item_from_json(&f->text, n, &out, &e), 0);
    return out;
}

/* The words of the refusal, or "". */
static const char *put_bulk(struct fixture *f, const char *table, const struct slice *items, size_t n, size_t *put)
{
    struct bulk b = { .table = slice_str(table), .items = items, .n = n };
    struct err e = { .arena = &f->arena };
    arena_reset(&f->arena);
    int code = bulk_put(f->engine, &f->arena, NULL, &b, &e);
    *put = b.put;
    assert_int_equal(code, (int)e.code);
    return code ? (const char *)arena_printf(&f->text, "%.*s", SLICE_ARG(e.message)).p : "";
}

static void put_all_at_once(struct fixture *f, size_t piece)
{
    struct slice *items = calloc(ITEMS, sizeof *items);
    size_t put;
    for (int i = 0; i < ITEMS; i++) items[i] = encoded(f, item_text(f, i));
    for (size_t at = 0; at < ITEMS; at += piece) {
        size_t n = ITEMS - at < piece ? ITEMS - at : piece;
        assert_string_equal(put_bulk(f, "shop", items + at, n, &put), "");
        assert_int_equal(put, n);
    }
    free(items);
}

/* A member's text in an answer, to be freed. */
static char *member_after(const char *answer, const char *name)
{
    const char *at = strstr(answer, name);
    assert_non_null(at);
    at += strlen(name) + 3;
    return strndup(at, strcspn(at, "\""));
}

/* "s:v " of each record of the partition in a shard. */
static void add_records(struct fixture *f, const char *arn, const char *shard, const char *p, char *out, size_t size)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, "\"NewImage\":{\"p\":{\"S\":\"%s\"}", p);
    char *iterator = member_after(q(f, "GetShardIterator",
                                    "{'StreamArn':'%s','ShardId':'%s','ShardIteratorType':'TRIM_HORIZON'}", arn, shard),
                                  "\"ShardIterator");
    for (bool more = true; more;) {
        const char *answer = q(f, "GetRecords", "{'ShardIterator':'%s'}", iterator), *hit = answer;
        while ((hit = strstr(hit, wanted))) {
            const char *s = strstr(hit, "\"s\":{\"N\":\"") + 10, *v = strstr(hit, "\"v\":{\"N\":\"") + 10;
            size_t at = strlen(out);
            assert_true(at + 32 < size);
            snprintf(out + at, size - at, "%.*s:%.*s ", (int)strcspn(s, "\""), s, (int)strcspn(v, "\""), v);
            hit++;
        }
        more = strstr(answer, "\"eventID\"") && strstr(answer, "\"NextShardIterator");
        free(iterator);
        iterator = more ? member_after(answer, "\"NextShardIterator") : NULL;
    }
}

/* What the stream tells of a partition, which is in one of its shards. */
static void history_of(struct fixture *f, const char *p, char *out, size_t size)
{
    out[0] = 0;
    char *arn = member_after(q(f, "DescribeTable", "{'TableName':'shop'}"), "\"LatestStreamArn");
    char *shards = strdup(q(f, "DescribeStream", "{'StreamArn':'%s'}", arn));
    for (const char *at = shards; (at = strstr(at, "\"ShardId\"")); at++) {
        char *shard = member_after(at, "\"ShardId");
        add_records(f, arn, shard, p, out, size);
        free(shard);
    }
    free(shards);
    free(arn);
}

/* Only the changes of one key have an order that must be kept. */
static void same_history(struct fixture *a, struct fixture *b)
{
    static char x[1 << 16], y[1 << 16];
    size_t compared = 0;
    history_of(a, "p3", x, sizeof x);
    history_of(b, "p3", y, sizeof y);
    assert_int_equal(strlen(x), strlen(y));
    for (int s = 0; s < 7; s++) {
        char mark[8];
        snprintf(mark, sizeof mark, "%d:", s);
        const char *p = x, *q = y;
        for (;; p++, q++) {
            while ((p = strstr(p, mark)) && p != x && p[-1] != ' ') p++;
            while ((q = strstr(q, mark)) && q != y && q[-1] != ' ') q++;
            assert_true(!p == !q);
            if (!p) break;
            assert_memory_equal(p, q, strcspn(p, " "));
            compared++;
        }
    }
    assert_true(compared > 20);
}

static void test_as_one_by_one(void **state)
{
    (void)state;
    static const char *const questions[][2] = {
        { "Scan", "{'TableName':'shop'}" },
        { "Scan", "{'TableName':'shop','IndexName':'byx'}" },
        { "Scan", "{'TableName':'shop','IndexName':'byv'}" },
    };
    struct fixture one, many;
    for (size_t piece = 1; piece <= ITEMS; piece = piece * 50 + 7) {
        open_shop(&one);
        open_shop(&many);
        for (int i = 0; i < ITEMS; i++)
            assert_string_equal(ask(&one, "PutItem", "{\"TableName\":\"shop\",\"Item\":%s}", item_text(&one, i)), "{}");
        put_all_at_once(&many, piece);
        for (size_t i = 0; i < 3; i++) {
            char *answer = strdup(q(&one, questions[i][0], "%s", questions[i][1]));
            assert_lacks(answer, "LastEvaluatedKey");
            assert_string_equal(q(&many, questions[i][0], "%s", questions[i][1]), answer);
            free(answer);
        }
        const char *sizes[2] = { q(&one, "DescribeTable", "{'TableName':'shop'}"), q(&many, "DescribeTable", "{'TableName':'shop'}") };
        for (const char *p = sizes[0], *r = sizes[1]; (p = strstr(p, "\"ItemCount\":")); p++, r++) {
            assert_non_null(r = strstr(r, "\"ItemCount\":"));
            assert_memory_equal(p, r, strcspn(p, ",}"));
        }
        same_history(&one, &many);
        fixture_close(&one);
        fixture_close(&many);
    }
}

static void test_a_refused_item_ends_it(void **state)
{
    (void)state;
    static const char *const bad[] = { "{\"p\":{\"S\":\"no sort key\"}}", "{\"p\":{\"S\":\"\"},\"s\":{\"N\":\"1\"}}",
                                       "{\"p\":{\"S\":\"a\"},\"s\":{\"S\":\"1\"}}",
                                       "{\"p\":{\"S\":\"a\"},\"s\":{\"N\":\"1\"},\"x\":{\"N\":\"1\"}}" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct fixture f;
        struct slice items[5];
        size_t put;
        open_shop(&f);
        const char *words = strdup(ask(&f, "BatchWriteItem", "{\"RequestItems\":{\"shop\":[{\"PutRequest\":{\"Item\":%s}}]}}", bad[i]));
        for (int k = 0; k < 5; k++) items[k] = encoded(&f, item_text(&f, k));
        items[3] = encoded(&f, bad[i]);
        const char *said = put_bulk(&f, "shop", items, 5, &put);
        assert_true(said[0] != 0);
        assert_holds(words, said);
        assert_int_equal(put, 3);
        assert_holds(q(&f, "Scan", "{'TableName':'shop','Select':'COUNT'}"), "\"Count\":3,");
        assert_true(put_bulk(&f, "shop", items + 3, 2, &put)[0] != 0);
        assert_int_equal(put, 0);
        free((void *)(uintptr_t)words);
        fixture_close(&f);
    }
}

struct joint {
    struct fixture *fixture;
    struct slice items[5];
    struct slice last_words;
};

static int put_in(struct joint *j, struct store_txn *txn, const struct slice *items, size_t n)
{
    struct bulk b = { .table = SLICE("shop"), .items = items, .n = n };
    struct err e = { .arena = &j->fixture->text };
    int code = bulk_put(j->fixture->engine, &j->fixture->arena, txn, &b, &e);
    j->last_words = e.message;
    return code;
}

/* The items are put, one of them is damaged, and they are put again: that ends in the middle. The caller makes nothing of it. */
static int put_and_damage(struct store_txn *txn, void *ctx)
{
    struct joint *j = ctx;
    struct store_cursor *cursor;
    struct slice key = { 0 };
    assert_int_equal(put_in(j, txn, j->items, 5), 0);
    assert_int_equal(store_range_open(txn, &(struct store_range){ .space = SPACE_ITEM, .reverse = true }, &cursor), STORE_OK);
    assert_int_equal(store_range_next(cursor, &key, NULL), STORE_OK);
    key = arena_dup(&j->fixture->text, key);
    store_range_close(cursor);
    assert_int_equal(store_put(txn, SPACE_ITEM, key, SLICE("no item")), STORE_OK);
    assert_int_equal(put_in(j, txn, j->items, 5), ERR_InternalServerError);
    return 0;
}

static void test_what_ends_in_the_middle_is_not_committed(void **state)
{
    (void)state;
    struct fixture f;
    open_shop(&f);
    struct joint j = { .fixture = &f };
    for (int i = 0; i < 5; i++) j.items[i] = encoded(&f, item_text(&f, i));
    assert_int_equal(store_update(f.store, put_and_damage, &j), STORE_CORRUPT);
    assert_true(slice_eq(j.last_words, SLICE("Stored data is damaged: a checksum does not match")));
    assert_holds(q(&f, "Scan", "{'TableName':'shop','Select':'COUNT'}"), "\"Count\":0,");
    fixture_close(&f);
}

static void test_no_table_and_no_items(void **state)
{
    (void)state;
    struct fixture f;
    size_t put;
    open_shop(&f);
    struct slice item = encoded(&f, item_text(&f, 1));
    assert_string_equal(put_bulk(&f, "none", &item, 1, &put), "Requested resource not found");
    assert_int_equal(put, 0);
    assert_string_equal(put_bulk(&f, "shop", &item, 0, &put), "");
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_one_by_one),
        cmocka_unit_test(test_a_refused_item_ends_it),
        cmocka_unit_test(test_what_ends_in_the_middle_is_not_committed),
        cmocka_unit_test(test_no_table_and_no_items),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
