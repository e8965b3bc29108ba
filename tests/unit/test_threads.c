/* test_threads.c: one database used by many threads at once, reading and writing with and without requests, while tables come and
 * go: nobody sees another's item, and nothing is left over at the end. For ThreadSanitizer most of all. */
#include <onefold.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define THREADS 12 /* more than a database has rooms (lib/room.c) */
#define ROUNDS  60
#define ITEMS   5

struct worker {
    of_db *db;
    int number;
    pthread_t thread;
    const char *wrong; /* cmocka's asserts are for the main thread */
};

static const char table_text[] =
    "{\"TableName\":\"%s\",\"BillingMode\":\"PAY_PER_REQUEST\",\"KeySchema\":[{\"AttributeName\":\"PK\",\"KeyType\":\"HASH\"},"
    "{\"AttributeName\":\"SK\",\"KeyType\":\"RANGE\"}],\"AttributeDefinitions\":[{\"AttributeName\":\"PK\",\"AttributeType\":\"S\"},"
    "{\"AttributeName\":\"SK\",\"AttributeType\":\"N\"}]}";

static int status_of(of_db *db, const char *operation, const char *body)
{
    of_answer *answer;
    if (of_call(db, operation, -1, body, -1, &answer, NULL)) return 0;
    int status = of_answer_status(answer);
    of_answer_free(answer);
    return status;
}

static int create(of_db *db, const char *name)
{
    char body[1024];
    snprintf(body, sizeof body, table_text, name);
    return status_of(db, "CreateTable", body);
}

static bool holds(const of_item *item, const char *name, const char *text)
{
    of_value v;
    size_t n;
    if (!item || !of_item_get(item, name, -1, &v)) return false;
    const char *got = of_value_bytes(v, &n);
    return n == strlen(text) && memcmp(got, text, n) == 0;
}

/* The worker's partition, which holds ITEMS items of this text. */
static const char *read_all(struct worker *w, const of_item *values, const char *pk, const char *text, bool request)
{
    of_query_options o = { .condition = "PK = :p", .values = values, .filter = request ? "attribute_exists(words)" : NULL };
    const of_item *item;
    of_query *query;
    int n = 0, code;
    if (of_query_open(&query, w->db, "steady", &o, NULL)) return "no query";
    while ((code = of_query_next(query, &item, NULL)) == OF_OK) n += holds(item, "PK", pk) && holds(item, "words", text);
    of_query_close(query);
    return code == OF_END && n == ITEMS ? NULL : "a query gave something else";
}

static const char *go_round(struct worker *w, of_item *item, of_item *key, const of_item *values, int round)
{
    char pk[16], text[32];
    of_item *found = NULL, *names = round % 3 ? NULL : of_item_new(); /* with them it is a request */
    const char *wrong = NULL;
    snprintf(pk, sizeof pk, "p%d", w->number);
    snprintf(text, sizeof text, "%d of %d", round, w->number);
    of_item_set_string(item, "words", -1, text, -1);
    for (int i = 0; i < ITEMS && !wrong; i++) {
        of_item_set_int(item, "SK", -1, i);
        of_item_set_int(key, "SK", -1, i);
        if (of_put(w->db, "steady", item, NULL, NULL, NULL)) wrong = "a put failed";
        else if (of_get(w->db, "steady", key, NULL, names, &found, NULL)) wrong = "a get failed";
        else if (!holds(found, "words", text)) wrong = "a get gave something else";
        of_item_free(found);
        found = NULL;
    }
    of_item_free(names);
    if (!wrong) wrong = read_all(w, values, pk, text, round % 2);
    int code = of_get(w->db, "fleeting", key, NULL, NULL, &found, NULL);
    if (!wrong && code && code != OF_NOT_FOUND) wrong = "a get of a table that comes and goes failed";
    of_item_free(found);
    return wrong;
}

static void *work(void *ctx)
{
    struct worker *w = ctx;
    char pk[16];
    of_item *item = of_item_new(), *key = of_item_new(), *values = of_item_new();
    snprintf(pk, sizeof pk, "p%d", w->number);
    of_item_set_string(item, "PK", -1, pk, -1);
    of_item_set_string(key, "PK", -1, pk, -1);
    of_item_set_string(values, ":p", -1, pk, -1);
    for (int i = 0; i < ROUNDS && !w->wrong; i++) w->wrong = go_round(w, item, key, values, i);
    of_item_free(values);
    of_item_free(key);
    of_item_free(item);
    return NULL;
}

static void many_threads_share_a_database(void **state)
{
    (void)state;
    static struct worker workers[THREADS];
    of_db *db;
    assert_int_equal(of_open(&db, NULL, NULL), OF_OK);
    assert_int_equal(create(db, "steady"), 200);
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){ .db = db, .number = i };
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < 20; i++) {
        assert_int_equal(create(db, "fleeting"), 200);
        assert_int_equal(status_of(db, "DeleteTable", "{\"TableName\":\"fleeting\"}"), 200);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        if (workers[i].wrong) fail_msg("thread %d: %s", i, workers[i].wrong);
    }
    of_close(db);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(many_threads_share_a_database) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
