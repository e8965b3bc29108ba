/* program.c: a C program outside the tree that uses Onefold as a library. Built by test_embed.py through
 * pkg-config against an installed copy, under AddressSanitizer; prints "ok" and the number of checks. */
#include <onefold.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int checks;

#define CHECK(what)                                                                  \
    do {                                                                             \
        checks++;                                                                    \
        if (!(what)) {                                                               \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #what);     \
            exit(1);                                                                 \
        }                                                                            \
    } while (0)

/* A name of our own that the library has inside as well: they must not meet. */
int buf_init(int x);
int buf_init(int x)
{
    return x + 1;
}

static const char create[] =
    "{\"TableName\":\"shop\",\"BillingMode\":\"PAY_PER_REQUEST\","
    "\"KeySchema\":[{\"AttributeName\":\"PK\",\"KeyType\":\"HASH\"},"
    "{\"AttributeName\":\"SK\",\"KeyType\":\"RANGE\"}],"
    "\"AttributeDefinitions\":[{\"AttributeName\":\"PK\",\"AttributeType\":\"S\"},"
    "{\"AttributeName\":\"SK\",\"AttributeType\":\"S\"},"
    "{\"AttributeName\":\"GSI1PK\",\"AttributeType\":\"S\"}],"
    "\"GlobalSecondaryIndexes\":[{\"IndexName\":\"GSI1\",\"KeySchema\":["
    "{\"AttributeName\":\"GSI1PK\",\"KeyType\":\"HASH\"},{\"AttributeName\":\"SK\",\"KeyType\":\"RANGE\"}],"
    "\"Projection\":{\"ProjectionType\":\"ALL\"}}]}";

static of_item *key(const char *pk, const char *sk)
{
    of_item *k = of_item_new();
    CHECK(k && !of_item_set_string(k, "PK", -1, pk, -1));
    CHECK(!of_item_set_string(k, "SK", -1, sk, -1));
    return k;
}

static void json_level(of_db *db)
{
    of_answer *answer;
    of_error err;
    size_t len;
    CHECK(of_call(db, "CreateTable", -1, create, -1, &answer, &err) == OF_OK);
    CHECK(of_answer_status(answer) == 200);
    CHECK(strstr(of_answer_body(answer, &len), "\"TableStatus\":\"CREATING\""));
    of_answer_free(answer);
    CHECK(of_call(db, "CreateTable", -1, create, -1, &answer, &err) == OF_OK);
    CHECK(of_answer_status(answer) == 400);
    CHECK(strstr(of_answer_body(answer, NULL), "ResourceInUseException"));
    of_answer_free(answer);
    CHECK(of_call(db, "Nonsense", -1, "{", 1, &answer, &err) == OF_OK);
    CHECK(of_answer_status(answer) == 400);
    of_answer_free(answer);
}

/* Every type in, every type out. */
static void all_types(of_db *db)
{
    of_error err;
    of_item *item = key("TYPES", "1"), *map = of_item_new(), *got;
    of_list *list = of_list_new(), *set = of_list_new();
    of_value v, w;
    int64_t n;
    char text[OF_NUMBER_TEXT_MAX];
    size_t len;

    of_list_add_string(list, "one", -1);
    of_list_add_int(list, 2);
    of_list_add_number(set, "3", -1);
    of_list_add_number(set, "1e2", -1);
    of_item_set_bool(map, "inner", -1, true);
    CHECK(!of_item_set_number(item, "pi", -1, "3.1415926535897932384626433832795028841", -1));
    CHECK(of_item_set_number(item, "bad", -1, "three", -1) == OF_INVALID);
    CHECK(!of_item_set_int(item, "int", -1, INT64_MIN));
    CHECK(!of_item_set_binary(item, "bin", -1, "\0\1\2", 3));
    CHECK(!of_item_set_null(item, "null", -1));
    CHECK(!of_item_set_list(item, "list", -1, list));
    CHECK(!of_item_set_set(item, "set", -1, set));
    CHECK(!of_item_set_map(item, "map", -1, map));
    CHECK(!of_item_set_string(item, "gone", -1, "x", -1));
    CHECK(of_item_remove(item, "gone", -1) == OF_OK);
    CHECK(of_item_remove(item, "gone", -1) == OF_NOT_FOUND);
    CHECK(of_item_size(item) > 50);
    CHECK(of_put(db, "shop", item, NULL, NULL, &err) == OF_OK);

    of_item *k = key("TYPES", "1");
    CHECK(of_get(db, "shop", k, NULL, NULL, &got, &err) == OF_OK && got);
    CHECK(of_item_get(got, "pi", -1, &v) && of_value_type(v) == OF_NUMBER);
    CHECK(of_value_number(v, text) && !strcmp(text, "3.1415926535897932384626433832795028841"));
    CHECK(of_item_get(got, "int", -1, &v) && of_value_int(v, &n) && n == INT64_MIN);
    CHECK(of_item_get(got, "bin", -1, &v) && !memcmp(of_value_bytes(v, &len), "\0\1\2", 3) && len == 3);
    CHECK(of_item_get(got, "null", -1, &v) && of_value_type(v) == OF_NULL);
    CHECK(of_item_get(got, "list", -1, &v) && of_value_count(v) == 2);
    CHECK(of_value_at(v, 1, &w) && of_value_int(w, &n) && n == 2);
    CHECK(of_item_get(got, "map", -1, &v) && of_value_get(v, "inner", -1, &w) && of_value_bool(w));
    CHECK(of_item_get(got, "set", -1, &v) && of_value_count(v) == 2);
    int64_t sum = 0;
    for (of_iter it = of_iter_of(v); of_iter_next(&it);) {
        CHECK(of_value_int(it.value, &n));
        sum += n;
    }
    CHECK(sum == 103);
    CHECK(!of_item_get(got, "gone", -1, &v));
    of_item_free(got);

    CHECK(of_get(db, "shop", k, "pi, #n", NULL, &got, &err) == OF_INVALID);
    CHECK(!strcmp(err.type, "ValidationException") && strstr(err.message, "#n"));
    of_item_free(k);
    k = key("TYPES", "2");
    CHECK(of_get(db, "shop", k, NULL, NULL, &got, &err) == OF_OK && !got);
    CHECK(of_get(db, "nowhere", k, NULL, NULL, &got, &err) == OF_NOT_FOUND);
    of_item_free(k);
    of_item_free(item);
    of_item_free(map);
    of_list_free(list);
    of_list_free(set);
}

static void conditions_and_updates(of_db *db)
{
    of_error err;
    of_item *k = key("COUNTER", "1"), *one = of_item_new(), *now, *old;
    of_value v;
    int64_t n = 0;
    of_item_set_int(one, ":one", -1, 1);
    of_write_options o = { .values = one };
    for (int i = 1; i <= 5; i++) {
        CHECK(of_update(db, "shop", k, "ADD hits :one", &o, &now, &err) == OF_OK);
        CHECK(of_item_get(now, "hits", -1, &v) && of_value_int(v, &n) && n == i);
        of_item_free(now);
    }
    of_write_options absent = { .condition = "attribute_not_exists(PK)" };
    CHECK(of_put(db, "shop", k, &absent, NULL, &err) == OF_CONDITION_FAILED);
    CHECK(!strcmp(err.type, "ConditionalCheckFailedException"));
    CHECK(of_delete(db, "shop", k, NULL, &old, &err) == OF_OK && old);
    CHECK(of_item_get(old, "hits", -1, &v) && of_value_int(v, &n) && n == 5);
    of_item_free(old);
    CHECK(of_delete(db, "shop", k, NULL, &old, &err) == OF_OK && !old);
    of_item_free(k);
    of_item_free(one);
}

/* More than a page of them, so that the cursor has to page by itself. */
static void paged_queries(of_db *db)
{
    enum { ORDERS = 400, TEXT = 8000 };
    of_error err;
    char sk[32], *text = malloc(TEXT);
    memset(text, 'x', TEXT);
    for (int i = 0; i < ORDERS; i++) {
        snprintf(sk, sizeof sk, "ORDER#%05d", i);
        of_item *item = key("CUSTOMER#1", sk);
        of_item_set_int(item, "n", -1, i);
        of_item_set_string(item, "text", -1, text, TEXT);
        of_item_set_string(item, "GSI1PK", -1, i % 2 ? "odd" : "even", -1);
        CHECK(of_put(db, "shop", item, NULL, NULL, &err) == OF_OK);
        of_item_free(item);
    }
    free(text);

    of_item *values = of_item_new();
    of_item_set_string(values, ":pk", -1, "CUSTOMER#1", -1);
    of_item_set_string(values, ":sk", -1, "ORDER#", -1);
    of_query *q;
    const of_item *item;
    of_value v;
    int64_t n;
    int seen = 0, code;
    of_query_options all = { .condition = "PK = :pk AND begins_with(SK, :sk)", .values = values };
    CHECK(of_query_open(&q, db, "shop", &all, &err) == OF_OK);
    while ((code = of_query_next(q, &item, &err)) == OF_OK) {
        CHECK(of_item_get(item, "n", -1, &v) && of_value_int(v, &n) && n == seen);
        seen++;
    }
    CHECK(code == OF_END && seen == ORDERS);
    of_query_close(q);

    of_query_options newest = all;
    newest.descending = true;
    newest.limit = 3;
    CHECK(of_query_open(&q, db, "shop", &newest, &err) == OF_OK);
    for (seen = 0; of_query_next(q, &item, &err) == OF_OK; seen++) {
        CHECK(of_item_get(item, "n", -1, &v) && of_value_int(v, &n) && n == ORDERS - 1 - seen);
    }
    CHECK(seen == 3);
    of_query_close(q);

    of_item *odd = of_item_new();
    of_item_set_string(odd, ":g", -1, "odd", -1);
    of_query_options by_index = { .index = "GSI1", .condition = "GSI1PK = :g", .values = odd,
                                  .projection = "n" };
    CHECK(of_query_open(&q, db, "shop", &by_index, &err) == OF_OK);
    for (seen = 0; of_query_next(q, &item, &err) == OF_OK; seen++) {
        CHECK(of_item_get(item, "n", -1, &v) && of_value_int(v, &n) && n % 2 == 1);
        CHECK(!of_item_get(item, "text", -1, &v));
    }
    CHECK(seen == ORDERS / 2);
    of_query_close(q);

    of_item *small = of_item_new();
    of_item_set_int(small, ":n", -1, 10);
    of_query_options scan = { .filter = "n < :n", .values = small, .limit = 4 };
    CHECK(of_query_open(&q, db, "shop", &scan, &err) == OF_OK);
    for (seen = 0; of_query_next(q, &item, &err) == OF_OK; seen++) continue;
    CHECK(seen == 4);
    of_query_close(q);

    of_query_options wrong = { .condition = "PK = :nope" };
    CHECK(of_query_open(&q, db, "shop", &wrong, &err) == OF_OK);
    CHECK(of_query_next(q, &item, &err) == OF_INVALID && strstr(err.message, ":nope"));
    of_query_close(q);
    of_item_free(values);
    of_item_free(odd);
    of_item_free(small);
}

static int transfer(of_db *db, int amount, const char *token, of_error *err)
{
    of_transaction *t = of_transaction_new(db);
    of_item *a = key("ACCOUNT", "a"), *b = key("ACCOUNT", "b"), *values = of_item_new();
    of_item_set_int(values, ":x", -1, amount);
    of_write_options enough = { .condition = "balance >= :x", .values = values };
    of_write_options plain = { .values = values };
    CHECK(!of_transaction_update(t, "shop", a, "SET balance = balance - :x", &enough));
    CHECK(!of_transaction_update(t, "shop", b, "SET balance = balance + :x", &plain));
    int code = of_transaction_commit(t, token, err);
    of_item_free(a);
    of_item_free(b);
    of_item_free(values);
    of_transaction_free(t);
    return code;
}

static int64_t balance(of_db *db, const char *account)
{
    of_error err;
    of_item *k = key("ACCOUNT", account), *got;
    of_value v;
    int64_t n = -1;
    CHECK(of_get(db, "shop", k, "balance", NULL, &got, &err) == OF_OK && got);
    CHECK(of_item_get(got, "balance", -1, &v) && of_value_int(v, &n));
    of_item_free(got);
    of_item_free(k);
    return n;
}

static void transactions(of_db *db)
{
    of_error err;
    for (int i = 0; i < 2; i++) {
        of_item *item = key("ACCOUNT", i ? "b" : "a");
        of_item_set_int(item, "balance", -1, 100);
        CHECK(of_put(db, "shop", item, NULL, NULL, &err) == OF_OK);
        of_item_free(item);
    }
    CHECK(transfer(db, 60, "token-1", &err) == OF_OK);
    CHECK(transfer(db, 60, "token-1", &err) == OF_OK); /* a repeat does nothing */
    CHECK(balance(db, "a") == 40 && balance(db, "b") == 160);
    CHECK(transfer(db, 61, "token-1", &err) == OF_TOKEN_MISMATCH);
    CHECK(transfer(db, 60, NULL, &err) == OF_TRANSACTION_CANCELED);
    CHECK(strstr(err.message, "[ConditionalCheckFailed, None]"));
    CHECK(balance(db, "a") == 40 && balance(db, "b") == 160);
}

/* What cannot be stored is refused when it is set, not found later by whoever reads it. */
static void what_an_item_cannot_hold(void)
{
    of_item *item = of_item_new();
    of_list *list = of_list_new();
    of_value none = { NULL, 0, 0 };
    char *name = malloc(65536);
    memset(name, 'n', 65536);
    CHECK(of_item_set_string(item, "a", -1, "\xff\xfe", 2) == OF_INVALID);
    CHECK(of_item_set_string(item, "a", -1, "\xed\xa0\x80", 3) == OF_INVALID);
    CHECK(of_item_set_string(item, "\xc3", 1, "a", -1) == OF_INVALID);
    CHECK(of_item_set_string(item, "", -1, "a", -1) == OF_INVALID);
    CHECK(of_item_set_null(item, name, 65536) == OF_INVALID);
    CHECK(of_item_set_null(item, name, 65535) == OF_OK);
    CHECK(of_item_set_value(item, "a", -1, none) == OF_INVALID);
    CHECK(of_list_add_value(list, none) == OF_INVALID);
    CHECK(of_list_add_string(list, "\x80", 1) == OF_INVALID);
    CHECK(of_value_count(of_item_value(item)) == 1);
    of_list_free(list);
    of_item_free(item);
    free(name);
}

/* One item object, changed and put for ever: its memory must not run out. */
static void an_item_that_is_used_again(of_db *db)
{
    of_error err;
    of_item *item = key("AGAIN", "1");
    of_value v;
    int64_t n;
    static char filler[20000];
    memset(filler, 'f', sizeof filler);
    CHECK(!of_item_set_string(item, "filler", -1, filler, sizeof filler));
    for (int i = 0; i < 3000; i++) {
        CHECK(!of_item_set_int(item, "n", -1, i));
        CHECK(of_item_get(item, "n", -1, &v) && of_value_int(v, &n) && n == i);
        if (i % 100 == 0) CHECK(!of_put(db, "shop", item, NULL, NULL, &err));
    }
    CHECK(of_item_get(item, "filler", -1, &v));
    CHECK(!of_item_set_value(item, "copy", -1, v));
    for (int i = 0; i < 3000; i++) {
        CHECK(!of_item_set_null(item, "gone", -1));
        CHECK(of_item_size(item) > 0 && !of_item_remove(item, "gone", -1));
    }
    CHECK(of_item_get(item, "copy", -1, &v) && of_value_type(v) == OF_STRING);
    of_item_free(item);
}

static void a_request_that_is_too_large(of_db *db)
{
    size_t n = ((size_t)16 << 20) + 1;
    char *body = malloc(n);
    of_answer *answer;
    of_error err;
    memset(body, ' ', n);
    memcpy(body, "{}", 2);
    CHECK(of_call(db, "ListTables", -1, body, (ptrdiff_t)n - 1, &answer, &err) == OF_OK);
    of_answer_free(answer);
    CHECK(of_call(db, "ListTables", -1, body, (ptrdiff_t)n, &answer, &err) == OF_INVALID);
    free(body);
}

int main(int argc, char **argv)
{
    of_error err;
    of_db *db, *second;
    of_options o = { .dir = argc > 1 ? argv[1] : NULL, .durability = OF_RELAXED };
    CHECK(buf_init(1) == 2);
    CHECK(strlen(of_version()) > 0);
    CHECK(of_open(&db, &o, &err) == OF_OK);
    json_level(db);
    all_types(db);
    conditions_and_updates(db);
    paged_queries(db);
    transactions(db);
    what_an_item_cannot_hold();
    an_item_that_is_used_again(db);
    a_request_that_is_too_large(db);
    if (o.dir) {
        CHECK(of_open(&second, &o, &err) == OF_IO && strlen(err.message) > 10);
        of_close(db);
        CHECK(of_open(&db, &o, &err) == OF_OK);
        CHECK(balance(db, "a") == 40);
    }
    of_close(db);
    printf("ok %d\n", checks);
    return 0;
}
