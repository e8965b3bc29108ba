/* count_embedded.c [ROUNDS]: a fixed number of calls of the library, which bench/instructions counts under callgrind: of_get, of_put and
 * a query of 50 items, on a database in memory. Each round stands between two calls of mark(), where callgrind writes its counts; a
 * line of output for each series tells how many calls a round of it has. */
#include <onefold.h>

#include <stdio.h>
#include <stdlib.h>

#define ITEMS      500
#define COLLECTION 50

static of_error error;

static void must(int code)
{
    if (!code) return;
    printf("%s: %s\n", error.type, error.message);
    exit(1);
}

/* Neither inlined nor left out: callgrind looks for its name. */
__attribute__((noinline)) void mark(void);
void mark(void)
{
    __asm__ volatile("");
}

static void set(of_item *item, const char *name, const char *text)
{
    must(of_item_set_string(item, name, -1, text, -1));
}

static of_item *key_of(int n)
{
    char text[32];
    of_item *key = of_item_new();
    snprintf(text, sizeof text, "CUSTOMER#%06d", n / COLLECTION);
    set(key, "PK", text);
    snprintf(text, sizeof text, "ORDER#%06d", n);
    set(key, "SK", text);
    return key;
}

/* About 200 bytes. */
static of_item *item_of(int n)
{
    of_item *item = key_of(n);
    set(item, "name", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
    must(of_item_set_int(item, "total", -1, n));
    set(item, "status", "pending");
    set(item, "email", "someone@example.com");
    set(item, "when", "2026-11-16T10:00:00Z");
    return item;
}

static void get(of_db *db, int n)
{
    of_item *key = key_of(n), *item;
    must(of_get(db, "plain", key, NULL, NULL, &item, &error));
    if (!item) exit(1);
    of_item_free(item);
    of_item_free(key);
}

static void put(of_db *db, int n)
{
    of_item *item = item_of(n);
    must(of_put(db, "plain", item, NULL, NULL, &error));
    of_item_free(item);
}

static void query(of_db *db, int n)
{
    char text[32];
    of_item *values = of_item_new();
    of_query *rows;
    const of_item *item;
    int count = 0;
    snprintf(text, sizeof text, "CUSTOMER#%06d", n / COLLECTION);
    set(values, ":p", text);
    must(of_query_open(&rows, db, "plain", &(of_query_options){ .condition = "PK = :p", .values = values }, &error));
    while (of_query_next(rows, &item, &error) == OF_OK) count++;
    if (count != COLLECTION) exit(1);
    of_query_close(rows);
    of_item_free(values);
}

static void series(of_db *db, void (*call)(of_db *, int), int rounds, int calls)
{
    for (int i = 0; i < 10; i++) call(db, i * 37 % ITEMS);
    for (int round = 0; round < rounds; round++) {
        mark();
        for (int i = 0; i < calls; i++) call(db, i * 37 % ITEMS);
    }
    mark();
    printf("%d\n", calls);
}

int main(int argc, char **argv)
{
    static const char table[] =
        "{\"TableName\":\"plain\",\"BillingMode\":\"PAY_PER_REQUEST\","
        "\"KeySchema\":[{\"AttributeName\":\"PK\",\"KeyType\":\"HASH\"},{\"AttributeName\":\"SK\",\"KeyType\":\"RANGE\"}],"
        "\"AttributeDefinitions\":[{\"AttributeName\":\"PK\",\"AttributeType\":\"S\"},"
        "{\"AttributeName\":\"SK\",\"AttributeType\":\"S\"}]}";
    int rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 1;
    of_db *db;
    of_answer *answer;
    must(of_open(&db, &(of_options){ .dir = NULL }, &error));
    must(of_call(db, "CreateTable", -1, table, -1, &answer, &error));
    if (of_answer_status(answer) != 200) exit(1);
    of_answer_free(answer);
    for (int n = 0; n < ITEMS; n++) put(db, n);
    series(db, get, rounds, 200);
    series(db, put, rounds, 200);
    series(db, query, rounds, 50);
    mark();
    of_close(db);
    return 0;
}
