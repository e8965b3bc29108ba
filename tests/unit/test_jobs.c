/* test_jobs.c: the work behind the calls. An index added to a table that is in use: what it holds
 * when it is ACTIVE, and that its counters are exact, with writes under way, after a restart in the
 * middle, after being dropped. What dropped tables and expired tokens leave. */
#include "engine_fixture.h"
#include "moved_clock.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ITEMS 3000

static void create_table(struct fixture *f)
{
    assert_holds(q(f, "CreateTable",
                   "{'TableName':'shop','BillingMode':'PAY_PER_REQUEST',"
                   "'AttributeDefinitions':[{'AttributeName':'p','AttributeType':'S'}],"
                   "'KeySchema':[{'AttributeName':'p','KeyType':'HASH'}]}"),
                 "TableDescription");
}

/* Every third item is in the index; others lack x, or have one that cannot be a key. */
static void put(struct fixture *f, int i, int version)
{
    const char *x = i % 3 == 0 ? "'S':'x'" : i % 3 == 1 ? "'N':'1'" : "'S':''";
    q(f, "PutItem", "{'TableName':'shop','Item':{'p':{'S':'%d'},'x':{%s},'v':{'N':'%d'}}}", i, x,
      version);
}

static void add_index(struct fixture *f)
{
    const char *answer = q(f, "UpdateTable",
                           "{'TableName':'shop',"
                           "'AttributeDefinitions':[{'AttributeName':'x','AttributeType':'S'}],"
                           "'GlobalSecondaryIndexUpdates':[{'Create':{'IndexName':'byx',"
                           "'KeySchema':[{'AttributeName':'x','KeyType':'HASH'}],"
                           "'Projection':{'ProjectionType':'ALL'}}}]}");
    assert_holds(answer, "\"TableStatus\":\"UPDATING\"");
    assert_holds(answer, "\"IndexStatus\":\"CREATING\"");
}

static void wait_until(struct fixture *f, const char *part, bool there)
{
    for (int i = 0; i < 20000; i++) {
        const char *answer = q(f, "DescribeTable", "{'TableName':'shop'}");
        if ((strstr(answer, part) != NULL) == there) return;
        usleep(1000);
    }
    fail_msg("waited too long for %s", part);
}

/* How many entries a Scan of the index finds. */
static int scan_index(struct fixture *f)
{
    const char *answer = q(f, "Scan", "{'TableName':'shop','IndexName':'byx','Select':'COUNT'}");
    const char *count = strstr(answer, "\"Count\":");
    if (!count) fail_msg("no Count in %.500s", answer);
    assert_lacks(answer, "LastEvaluatedKey");
    return (int)strtol(count + 8, NULL, 10);
}

static void assert_item_count(struct fixture *f, int n)
{
    const char *answer = q(f, "DescribeTable", "{'TableName':'shop'}");
    const char *indexes = strstr(answer, "GlobalSecondaryIndexes");
    char wanted[40];
    snprintf(wanted, sizeof wanted, "\"ItemCount\":%d,", n);
    assert_non_null(indexes);
    assert_holds(indexes, wanted);
}

static void fill(struct fixture *f)
{
    create_table(f);
    for (int i = 0; i < ITEMS; i++)
        put(f, i, 0);
}

static void test_what_was_there_is_indexed(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    fixture_open(&f, &(struct store_options){ 0 });
    fill(&f);
    add_index(&f);
    wait_until(&f, "\"IndexStatus\":\"ACTIVE\"", true);
    assert_lacks(q(&f, "DescribeTable", "{'TableName':'shop'}"), "Backfilling");
    assert_int_equal(scan_index(&f), ITEMS / 3);
    assert_item_count(&f, ITEMS / 3);
    fixture_close(&f);
}

struct writer {
    struct fixture f; /* its own arenas on the shared engine */
    unsigned seed;
    atomic_bool stop;
};

/* Puts, moves and deletes all over the table. */
static void *write_all_over(void *arg)
{
    struct writer *w = arg;
    for (int n = 1; !w->stop; n++) {
        int i = rand_r(&w->seed) % ITEMS;
        switch (rand_r(&w->seed) % 4) {
        case 0:
            put(&w->f, i, n);
            break;
        case 1:
            q(&w->f, "DeleteItem", "{'TableName':'shop','Key':{'p':{'S':'%d'}}}", i);
            break;
        case 2:
            q(&w->f, "UpdateItem",
              "{'TableName':'shop','Key':{'p':{'S':'%d'}},'UpdateExpression':'SET x = :x',"
              "'ExpressionAttributeValues':{':x':{'S':'moved%d'}}}",
              i, n % 5);
            break;
        default:
            q(&w->f, "UpdateItem",
              "{'TableName':'shop','Key':{'p':{'S':'%d'}},'UpdateExpression':'REMOVE x'}", i);
        }
        arena_reset(&w->f.text);
    }
    return NULL;
}

static void writer_start(struct writer *w, const struct fixture *f, pthread_t *thread)
{
    memset(w, 0, sizeof *w);
    w->seed = 42;
    w->f.store = f->store;
    w->f.engine = f->engine;
    arena_init(&w->f.arena, (size_t)64 << 20);
    arena_init(&w->f.text, (size_t)64 << 20);
    pthread_create(thread, NULL, write_all_over, w);
}

static void writer_stop(struct writer *w, pthread_t thread)
{
    w->stop = true;
    pthread_join(thread, NULL);
    arena_free(&w->f.arena);
    arena_free(&w->f.text);
}

/* Items that belong in the index, counted on the table itself. */
static int count_indexable(struct fixture *f)
{
    const char *answer = q(f, "Scan",
                           "{'TableName':'shop','Select':'COUNT',"
                           "'FilterExpression':'attribute_type(x, :s) and size(x) > :zero',"
                           "'ExpressionAttributeValues':{':s':{'S':'S'},':zero':{'N':'0'}}}");
    const char *count = strstr(answer, "\"Count\":");
    assert_non_null(count);
    return (int)strtol(count + 8, NULL, 10);
}

static void test_writes_go_on_meanwhile(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    struct writer w;
    pthread_t thread;
    setenv("ONEFOLD_TEST_BACKFILL_DELAY_MS", "30", 1);
    fixture_open(&f, &(struct store_options){ 0 });
    fill(&f);
    writer_start(&w, &f, &thread);
    add_index(&f);
    assert_holds(q(&f, "DescribeTable", "{'TableName':'shop'}"), "\"Backfilling\":true");
    wait_until(&f, "\"IndexStatus\":\"ACTIVE\"", true);
    usleep(20000);
    writer_stop(&w, thread);
    int n = count_indexable(&f);
    assert_true(n > 0);
    assert_int_equal(scan_index(&f), n);
    assert_item_count(&f, n);
    fixture_close(&f);
    unsetenv("ONEFOLD_TEST_BACKFILL_DELAY_MS");
}

static void test_a_restart_goes_on_where_it_was(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    char path[] = "/tmp/onefold-backfill-XXXXXX";
    assert_non_null(mkdtemp(path));
    struct store_options o = { .dir = path, .durability = DURABILITY_RELAXED };
    setenv("ONEFOLD_TEST_BACKFILL_DELAY_MS", "100", 1);
    fixture_open(&f, &o);
    fill(&f);
    add_index(&f);
    usleep(150000);
    assert_holds(q(&f, "DescribeTable", "{'TableName':'shop'}"), "\"Backfilling\":true");
    fixture_close(&f);
    unsetenv("ONEFOLD_TEST_BACKFILL_DELAY_MS");
    fixture_open(&f, &o);
    wait_until(&f, "\"IndexStatus\":\"ACTIVE\"", true);
    assert_int_equal(scan_index(&f), ITEMS / 3);
    assert_item_count(&f, ITEMS / 3);
    fixture_close(&f);
    remove_directory(path);
}

static int count_left(struct store_txn *txn, void *ctx)
{
    int *left = ctx;
    const enum store_space spaces[] = { SPACE_ITEM, SPACE_INDEX, SPACE_META };
    for (size_t i = 0; i < 3; i++) {
        struct store_range range = { .space = spaces[i] };
        struct store_cursor *cursor;
        struct slice key;
        int status = store_range_open(txn, &range, &cursor);
        if (status) return status;
        while (!(status = store_range_next(cursor, &key, NULL))) {
            if (spaces[i] != SPACE_META || key.p[0] != 'N') ++*left;
        }
        store_range_close(cursor);
        if (status != STORE_END) return status;
    }
    return STORE_OK;
}

static void assert_nothing_left(struct fixture *f)
{
    int left = -1;
    for (int i = 0; i < 5000 && left != 0; i++) {
        left = 0;
        assert_int_equal(store_view(f->store, count_left, &left), STORE_OK);
        usleep(1000);
    }
    assert_int_equal(left, 0);
}

static void test_dropping_an_index_while_it_is_filled(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    setenv("ONEFOLD_TEST_BACKFILL_DELAY_MS", "50", 1);
    fixture_open(&f, &(struct store_options){ 0 });
    fill(&f);
    add_index(&f);
    assert_holds(q(&f, "UpdateTable",
                   "{'TableName':'shop',"
                   "'AttributeDefinitions':[{'AttributeName':'v','AttributeType':'N'}],"
                   "'GlobalSecondaryIndexUpdates':[{'Create':{'IndexName':'byv',"
                   "'KeySchema':[{'AttributeName':'v','KeyType':'HASH'}],"
                   "'Projection':{'ProjectionType':'ALL'}}}]}"),
                 "LimitExceededException");
    assert_holds(q(&f, "UpdateTable",
                   "{'TableName':'shop',"
                   "'GlobalSecondaryIndexUpdates':[{'Delete':{'IndexName':'byx'}}]}"),
                 "\"IndexStatus\":\"DELETING\"");
    const char *answer = q(&f, "DescribeTable", "{'TableName':'shop'}");
    assert_lacks(answer, "GlobalSecondaryIndexes");
    assert_lacks(answer, "\"AttributeName\":\"x\"");
    /* The name can be had again, and the new index owes nothing to the old. */
    add_index(&f);
    wait_until(&f, "\"IndexStatus\":\"ACTIVE\"", true);
    assert_int_equal(scan_index(&f), ITEMS / 3);
    assert_item_count(&f, ITEMS / 3);
    fixture_close(&f);
    unsetenv("ONEFOLD_TEST_BACKFILL_DELAY_MS");
}

static void test_dropping_the_table_leaves_nothing(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    setenv("ONEFOLD_TEST_BACKFILL_DELAY_MS", "20", 1);
    fixture_open(&f, &(struct store_options){ 0 });
    fill(&f);
    add_index(&f);
    assert_holds(q(&f, "DeleteTable", "{'TableName':'shop'}"), "\"TableStatus\":\"DELETING\"");
    create_table(&f);
    assert_holds(q(&f, "Scan", "{'TableName':'shop','Select':'COUNT'}"), "\"Count\":0");
    assert_holds(q(&f, "DeleteTable", "{'TableName':'shop'}"), "\"TableStatus\":\"DELETING\"");
    assert_nothing_left(&f);
    fixture_close(&f);
    unsetenv("ONEFOLD_TEST_BACKFILL_DELAY_MS");
}

static int put_stuck_backfill(struct store_txn *txn, void *ctx)
{
    (void)ctx;
    return store_put(txn, SPACE_META, slice_of("B\0\0\0\1", 5), slice_of("\0\0\0\x63", 4));
}

static int remove_stuck_backfill(struct store_txn *txn, void *ctx)
{
    (void)ctx;
    return store_delete(txn, SPACE_META, slice_of("B\0\0\0\1", 5));
}

struct count {
    enum store_space space;
    int n;
};

static int count_keys(struct store_txn *txn, void *ctx)
{
    struct count *c = ctx;
    struct store_range range = { .space = c->space };
    struct store_cursor *cursor;
    int status = store_range_open(txn, &range, &cursor);
    if (status) return status;
    for (c->n = 0; !(status = store_range_next(cursor, NULL, NULL)); c->n++) continue;
    store_range_close(cursor);
    return status == STORE_END ? STORE_OK : status;
}

/* Background work is given three seconds to get there. */
static void wait_for_keys(struct fixture *f, enum store_space space, int wanted)
{
    struct count c = { .space = space, .n = -1 };
    for (int i = 0; i < 3000 && c.n != wanted; i++) {
        assert_int_equal(store_view(f->store, count_keys, &c), STORE_OK);
        usleep(1000);
    }
    assert_int_equal(c.n, wanted);
}

static void test_work_that_fails_keeps_no_other(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    fixture_open(&f, &(struct store_options){ 0 });
    create_table(&f);
    for (int i = 0; i < 10; i++)
        put(&f, i, 0);
    assert_int_equal(store_update(f.store, put_stuck_backfill, NULL), 0);
    assert_holds(q(&f, "DeleteTable", "{'TableName':'shop'}"), "\"TableStatus\":\"DELETING\"");
    wait_for_keys(&f, SPACE_ITEM, 0);
    assert_int_equal(store_update(f.store, remove_stuck_backfill, NULL), 0);
    fixture_close(&f);
}

static void open_with_clock(struct fixture *f)
{
    char message[256];
    struct engine_options eo = { .now_ms = read_clock };
    assert_int_equal(engine_open(&f->engine, f->store, &eo, message, sizeof message), 0);
}

static void put_with_token(struct fixture *f, const char *token, const char *value)
{
    assert_lacks(q(f, "TransactWriteItems",
                   "{'ClientRequestToken':'%s','TransactItems':[{'Put':{'TableName':'shop',"
                   "'Item':{'p':{'S':'%s'}}}}]}",
                   token, value),
                 "Exception");
}

static void test_tokens_are_forgotten_after_ten_minutes(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    fixture_open(&f, &(struct store_options){ 0 });
    create_table(&f);
    engine_close(f.engine);
    clock_ms = 1700000000000;
    open_with_clock(&f);
    put_with_token(&f, "first", "a");
    put_with_token(&f, "again", "b");
    clock_ms += 6 * 60 * 1000;
    put_with_token(&f, "third", "c");
    wait_for_keys(&f, SPACE_TOKEN, 6);
    engine_close(f.engine);
    /* The first two have expired; one of them is used again before anybody looks. */
    clock_ms += 5 * 60 * 1000;
    open_with_clock(&f);
    wait_for_keys(&f, SPACE_TOKEN, 2);
    put_with_token(&f, "again", "d");
    wait_for_keys(&f, SPACE_TOKEN, 4);
    fixture_close(&f);
}

enum { OLD_TOKENS = 2500 };

static int put_old_tokens(struct store_txn *txn, void *ctx)
{
    (void)ctx;
    for (int i = 0; i < OLD_TOKENS; i++) {
        char key[32] = "e"; /* and eight zero bytes: expired in 1970 */
        int n = snprintf(key + 9, sizeof key - 9, "%d", i);
        int status = store_put(txn, SPACE_TOKEN, slice_of(key, 9 + (size_t)n), SLICE(""));
        if (status) return status;
    }
    return STORE_OK;
}

/* Those that have expired go at once, however many they are: whoever uses more tokens in a minute than one step removes would
 * otherwise never get rid of them. */
static void test_many_tokens_are_forgotten_at_once(void **state)
{
    struct fixture f;
    char message[256];
    (void)state;
    fixture_open(&f, &(struct store_options){ 0 });
    engine_close(f.engine);
    assert_int_equal(store_update(f.store, put_old_tokens, NULL), STORE_OK);
    assert_int_equal(engine_open(&f.engine, f.store, NULL, message, sizeof message), STORE_OK);
    wait_for_keys(&f, SPACE_TOKEN, 0);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_was_there_is_indexed),
        cmocka_unit_test(test_writes_go_on_meanwhile),
        cmocka_unit_test(test_a_restart_goes_on_where_it_was),
        cmocka_unit_test(test_dropping_an_index_while_it_is_filled),
        cmocka_unit_test(test_dropping_the_table_leaves_nothing),
        cmocka_unit_test(test_work_that_fails_keeps_no_other),
        cmocka_unit_test(test_tokens_are_forgotten_after_ten_minutes),
        cmocka_unit_test(test_many_tokens_are_forgotten_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
