/* test_jobs.c: the work behind the calls. An index added to a table that is in use: what it holds
 * when it is ACTIVE, and that its counters are exact, with writes under way, after a restart in the
 * middle, after being dropped. What dropped tables and expired tokens leave. That damaged data keeps
 * only its own work. */
#include "engine_fixture.h"
#include "failing_store.h"
#include "moved_clock.h"
#include "engine/engine_impl.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ITEMS 3000

static void create_named(struct fixture *f, const char *name)
{
    assert_holds(q(f, "CreateTable",
                   "{'TableName':'%s','BillingMode':'PAY_PER_REQUEST',"
                   "'AttributeDefinitions':[{'AttributeName':'p','AttributeType':'S'}],"
                   "'KeySchema':[{'AttributeName':'p','KeyType':'HASH'}]}",
                   name),
                 "TableDescription");
}

static void create_table(struct fixture *f)
{
    create_named(f, "shop");
}

/* Every third item is in the index; others lack x, or have one that cannot be a key. */
static void put(struct fixture *f, int i, int version)
{
    const char *x = i % 3 == 0 ? "'S':'x'" : i % 3 == 1 ? "'N':'1'" : "'S':''";
    q(f, "PutItem", "{'TableName':'shop','Item':{'p':{'S':'%d'},'x':{%s},'v':{'N':'%d'}}}", i, x,
      version);
}

static void add_index_to(struct fixture *f, const char *name)
{
    const char *answer = q(f, "UpdateTable",
                           "{'TableName':'%s',"
                           "'AttributeDefinitions':[{'AttributeName':'x','AttributeType':'S'}],"
                           "'GlobalSecondaryIndexUpdates':[{'Create':{'IndexName':'byx',"
                           "'KeySchema':[{'AttributeName':'x','KeyType':'HASH'}],"
                           "'Projection':{'ProjectionType':'ALL'}}}]}",
                           name);
    assert_holds(answer, "\"TableStatus\":\"UPDATING\"");
    assert_holds(answer, "\"IndexStatus\":\"CREATING\"");
}

static void add_index(struct fixture *f)
{
    add_index_to(f, "shop");
}

static void wait_until_of(struct fixture *f, const char *name, const char *part, bool there)
{
    for (int i = 0; i < 20000; i++) {
        const char *answer = q(f, "DescribeTable", "{'TableName':'%s'}", name);
        if ((strstr(answer, part) != NULL) == there) return;
        usleep(1000);
    }
    fail_msg("waited too long for %s", part);
}

static void wait_until(struct fixture *f, const char *part, bool there)
{
    wait_until_of(f, "shop", part, there);
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
    add_index(&f); /* other work of its own kind */
    wait_until(&f, "\"IndexStatus\":\"ACTIVE\"", true);
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

/* ---- damaged data ---- */

static void wait_told(struct fixture *f, uint64_t wanted)
{
    uint64_t told = 0;
    for (int i = 0; i < 5000 && told < wanted; i++) {
        told = __atomic_load_n(&f->engine->damaged, __ATOMIC_RELAXED);
        usleep(1000);
    }
    assert_int_equal(told, wanted);
}

struct spoilt {
    uint8_t key[100], record[200];
    size_t key_n, n;
};

/* The first item of all: that of the table that was created first. */
static int spoil_item(struct store_txn *txn, void *ctx)
{
    struct spoilt *s = ctx;
    struct store_range range = { .space = SPACE_ITEM };
    struct store_cursor *cursor;
    struct slice key, record;
    int status = store_range_open(txn, &range, &cursor);
    if (!status) status = store_range_next(cursor, &key, &record);
    if (status || key.n > sizeof s->key || record.n > sizeof s->record) return STORE_INVALID;
    memcpy(s->key, key.p, s->key_n = key.n);
    memcpy(s->record, record.p, s->n = record.n);
    return store_put(txn, SPACE_ITEM, slice_of(s->key, s->key_n), SLICE("no record"));
}

static int heal_item(struct store_txn *txn, void *ctx)
{
    const struct spoilt *s = ctx;
    return store_put(txn, SPACE_ITEM, slice_of(s->key, s->key_n), slice_of(s->record, s->n));
}

/* The engine's threads are at the store as soon as it is open: what fails is put there before. */
static void open_again(struct fixture *f)
{
    char message[256];
    assert_int_equal(engine_open(&f->engine, f->store, NULL, message, sizeof message), STORE_OK);
}

/* It is not left out either: who would ask the index for it would be told that it is not there. */
static void test_a_damaged_item_keeps_only_its_own_index(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    struct spoilt spoilt;
    const int calls = 1 << 30;
    fixture_open(&f, &(struct store_options){ 0 });
    engine_close(f.engine);
    failing_set_up(f.store);
    open_again(&f);
    create_named(&f, "hurt");
    q(&f, "PutItem", "{'TableName':'hurt','Item':{'p':{'S':'1'},'x':{'S':'x'}}}");
    fill(&f);
    assert_int_equal(store_update(f.store, spoil_item, &spoilt), STORE_OK);
    add_index_to(&f, "hurt");
    add_index(&f);
    wait_until(&f, "\"IndexStatus\":\"ACTIVE\"", true);
    assert_int_equal(scan_index(&f), ITEMS / 3);
    assert_item_count(&f, ITEMS / 3);
    wait_told(&f, 1);
    /* It is tried again, and not all the time; and told once. */
    fail_at(FAIL_OTHER_THREADS, calls, STORE_IO);
    usleep(2200000);
    int made = calls - atomic_load(&failing.left);
    assert_false(failing_end());
    assert_in_range(made, 1, 100);
    wait_told(&f, 1);
    assert_holds(q(&f, "DescribeTable", "{'TableName':'hurt'}"), "\"IndexStatus\":\"CREATING\"");
    assert_int_equal(store_update(f.store, heal_item, &spoilt), STORE_OK);
    wait_until_of(&f, "hurt", "\"IndexStatus\":\"ACTIVE\"", true);
    assert_holds(q(&f, "Scan", "{'TableName':'hurt','IndexName':'byx','Select':'COUNT'}"), "\"Count\":1");
    fixture_close(&f);
}

enum { MANY_DROPS = 128 }; /* two rounds, to the last one */

/* Before all that there will be: ids rise. */
static int put_drops(struct store_txn *txn, void *ctx)
{
    int status = STORE_OK;
    for (uint32_t id = 1; id <= MANY_DROPS && !status; id++) {
        uint8_t bytes[5];
        status = store_put(txn, SPACE_META, catalog_id_key(bytes, 'D', id), *(const struct slice *)ctx);
    }
    return status ? status : store_put(txn, SPACE_META, SLICE("N"), slice_of("\0\0\1\0", 4));
}

static void test_damaged_drops_keep_no_other(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    fixture_open(&f, &(struct store_options){ 0 });
    assert_int_equal(store_update(f.store, put_drops, &SLICE("neither")), STORE_OK);
    create_table(&f);
    for (int i = 0; i < 10; i++)
        put(&f, i, 0);
    assert_holds(q(&f, "DeleteTable", "{'TableName':'shop'}"), "\"TableStatus\":\"DELETING\"");
    wait_for_keys(&f, SPACE_ITEM, 0);
    wait_told(&f, 1);
    wait_for_keys(&f, SPACE_META, MANY_DROPS + 1);
    assert_int_equal(store_update(f.store, put_drops, &SLICE("I")), STORE_OK);
    wait_for_keys(&f, SPACE_META, 1);
    fixture_close(&f);
}

static int get_all_but_one(struct store_txn *t, enum store_space space, struct slice key, struct slice *value)
{
    if (space == SPACE_TOKEN && slice_eq(key, SLICE("t1700"))) return STORE_CORRUPT;
    return failing.real->get(t, space, key, value);
}

/* All but so many, where reading is done by this. */
static void expect_old_tokens_to_go(struct fixture *f, int (*get)(struct store_txn *, enum store_space, struct slice, struct slice *), int left)
{
    fixture_open(f, &(struct store_options){ 0 });
    engine_close(f->engine);
    assert_int_equal(store_update(f->store, put_old_tokens, NULL), STORE_OK);
    failing_set_up(f->store);
    failing.own.get = get;
    open_again(f);
    wait_for_keys(f, SPACE_TOKEN, left);
    wait_told(f, 1);
}

static void test_a_damaged_token_keeps_no_other(void **state)
{
    struct fixture f;
    (void)state;
    expect_old_tokens_to_go(&f, get_all_but_one, 1);
    fixture_close(&f);
}

/* ---- the end of a copy that fails ---- */

/* What the jobs' thread meets at records of backups: STORE_OK, or this. */
static _Atomic int put_status, get_status;
static atomic_int failures;

static int fails_at_backups(enum store_space space, struct slice key, int status)
{
    bool fails = status && space == SPACE_META && slice_starts(key, SLICE("K")) && !pthread_equal(pthread_self(), failing.owner);
    if (fails) failures++;
    return fails ? status : STORE_OK;
}

static int put_no_backup(struct store_txn *t, enum store_space space, struct slice key, struct slice value)
{
    int status = fails_at_backups(space, key, put_status);
    return status ? status : failing.real->put(t, space, key, value);
}

static int get_no_backup(struct store_txn *t, enum store_space space, struct slice key, struct slice *value)
{
    int status = fails_at_backups(space, key, get_status);
    return status ? status : failing.real->get(t, space, key, value);
}

/* It is tried again every second, and not all the time. */
static void wait_and_expect_rest(void)
{
    for (int i = 0; i < 5000 && !failures; i++)
        usleep(1000);
    assert_int_not_equal(failures, 0);
    usleep(2200000);
    assert_in_range(failures, 1, 10);
}

static void test_a_copy_that_cannot_end_is_tried_at_rest(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    fixture_open(&f, &(struct store_options){ 0 });
    engine_close(f.engine);
    failing_set_up(f.store);
    failing.own.put = put_no_backup;
    failing.own.get = get_no_backup;
    open_again(&f);
    create_table(&f);
    put(&f, 0, 0);
    for (int damaged = 0; damaged < 2; damaged++) {
        failures = 0;
        put_status = damaged ? STORE_OK : STORE_FULL;
        get_status = damaged ? STORE_CORRUPT : STORE_OK;
        const char *answer = q(&f, "CreateBackup", "{'TableName':'shop','BackupName':'kept'}");
        for (int i = 0; i < 1000 && !strstr(answer, "CREATING"); i++) { /* run by the store's thread, because that was at work */
            usleep(1000);
            answer = q(&f, "CreateBackup", "{'TableName':'shop','BackupName':'kept'}");
        }
        assert_holds(answer, "CREATING");
        failures = 0;
        wait_and_expect_rest();
        put_status = get_status = STORE_OK;
        for (int i = 0; i < 5000 && strstr(q(&f, "ListBackups", "{}"), "CREATING"); i++)
            usleep(1000);
        assert_lacks(q(&f, "ListBackups", "{}"), "CREATING");
    }
    fixture_close(&f);
}

/* 1111 of them, nearly the first in the order of keys: more than a step looks at. */
static int get_no_ones(struct store_txn *t, enum store_space space, struct slice key, struct slice *value)
{
    if (space == SPACE_TOKEN && slice_starts(key, SLICE("t1"))) return STORE_CORRUPT;
    return failing_get(t, space, key, value);
}

static void test_many_damaged_tokens_keep_no_other(void **state)
{
    struct fixture f;
    const int calls = 1 << 30;
    (void)state;
    expect_old_tokens_to_go(&f, get_no_ones, 1111);
    bool rests = false;
    for (int i = 0; i < 20 && !rests; i++) {
        fail_at(FAIL_OTHER_THREADS, calls, STORE_IO);
        usleep(200000);
        rests = atomic_load(&failing.left) == calls;
    }
    assert_true(rests);
    assert_false(failing_end());
    fixture_close(&f);
}

/* Two uses of a token that are forgotten at once have one record: that it is not there any more cannot be said beside a damaged one, and an
 * update that asked is not committed. */
static int get_beside_a_damaged_one(struct store_txn *t, enum store_space space, struct slice key, struct slice *value)
{
    if (space != SPACE_TOKEN || (!slice_eq(key, SLICE("t1700")) && !slice_eq(key, SLICE("t1701")))) return failing.real->get(t, space, key, value);
    if (slice_eq(key, SLICE("t1701")) && t->writable) store_refuse(t, STORE_CORRUPT);
    return STORE_CORRUPT;
}

static void test_a_token_that_fails_its_step_keeps_no_other(void **state)
{
    struct fixture f;
    (void)state;
    expect_old_tokens_to_go(&f, get_beside_a_damaged_one, 2);
    fixture_close(&f);
}

enum { SPOILT = 450 }; /* items: more than two steps look at */

static int spoil_all_items(struct store_txn *txn, void *ctx)
{
    static uint8_t keys[SPOILT][100];
    size_t lengths[SPOILT], n = 0;
    struct store_range range = { .space = SPACE_ITEM };
    struct store_cursor *cursor;
    struct slice key;
    (void)ctx;
    int status = store_range_open(txn, &range, &cursor);
    for (; !status && !(status = store_range_next(cursor, &key, NULL)); n++) {
        if (n == SPOILT || key.n > sizeof *keys) return STORE_INVALID;
        memcpy(keys[n], key.p, lengths[n] = key.n);
    }
    if (status != STORE_END) return status;
    status = STORE_OK;
    for (size_t i = 0; i < n && !status; i++)
        status = store_put(txn, SPACE_ITEM, slice_of(keys[i], lengths[i]), SLICE("no record"));
    return status;
}

static void put_expiring(struct fixture *f, const char *p, long long second)
{
    assert_string_equal(q(f, "PutItem", "{'TableName':'shop','Item':{'p':{'S':'%s'},'expires':{'N':'%lld'}}}", p, second), "{}");
}

/* Items that are damaged when their time has come. After that the clock is that on the wall, which is looked at once a second. */
static void open_with_spoilt_items(struct fixture *f, long long second)
{
    char name[16];
    fixture_open(f, &(struct store_options){ 0 });
    engine_close(f->engine);
    clock_ms = 1700000000000;
    open_with_clock(f);
    create_table(f);
    q(f, "UpdateTimeToLive", "{'TableName':'shop','TimeToLiveSpecification':{'AttributeName':'expires','Enabled':true}}");
    for (int i = 0; i < 5000 && !strstr(q(f, "DescribeTimeToLive", "{'TableName':'shop'}"), "\"ENABLED\""); i++) usleep(1000);
    for (int i = 0; i < SPOILT; i++) {
        snprintf(name, sizeof name, "spoilt%d", i);
        put_expiring(f, name, second + i / 150);
    }
    engine_close(f->engine);
    assert_int_equal(store_update(f->store, spoil_all_items, NULL), STORE_OK);
    failing_set_up(f->store);
}

static void test_many_damaged_items_keep_no_other_from_expiring(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    const int calls = 1 << 30;
    long long now = time(NULL);
    open_with_spoilt_items(&f, now - 1000);
    open_again(&f);
    put_expiring(&f, "sound", now - 500);
    put_expiring(&f, "longer due", now - 2000);
    wait_for_keys(&f, SPACE_ITEM, SPOILT);
    fail_at(FAIL_OTHER_THREADS, calls, STORE_IO);
    usleep(2200000);
    int made = calls - atomic_load(&failing.left);
    assert_false(failing_end());
    assert_in_range(made, SPOILT, 20000); /* all are tried again, and not all the time */
    wait_for_keys(&f, SPACE_ITEM, SPOILT);
    fixture_close(&f);
}

/* What an update reads of a damaged page fails all of it. */
static int get_none_of_a_page(struct store_txn *t, enum store_space space, struct slice key, struct slice *value)
{
    int status = failing.real->get(t, space, key, value);
    if (status || space != SPACE_ITEM || !memmem(key.p, key.n, "spoilt77", 8)) return status;
    if (t->writable) store_refuse(t, STORE_CORRUPT);
    return STORE_CORRUPT;
}

static void test_an_item_that_fails_its_step_keeps_no_other(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    long long now = time(NULL);
    open_with_spoilt_items(&f, now - 1000);
    failing.own.get = get_none_of_a_page;
    open_again(&f);
    put_expiring(&f, "sound", now - 500);
    wait_for_keys(&f, SPACE_ITEM, SPOILT);
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
        cmocka_unit_test(test_a_damaged_item_keeps_only_its_own_index),
        cmocka_unit_test(test_damaged_drops_keep_no_other),
        cmocka_unit_test(test_a_damaged_token_keeps_no_other),
        cmocka_unit_test(test_a_copy_that_cannot_end_is_tried_at_rest),
        cmocka_unit_test(test_many_damaged_tokens_keep_no_other),
        cmocka_unit_test(test_a_token_that_fails_its_step_keeps_no_other),
        cmocka_unit_test(test_many_damaged_items_keep_no_other_from_expiring),
        cmocka_unit_test(test_an_item_that_fails_its_step_keeps_no_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
