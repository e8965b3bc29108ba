/* test_expiry.c: time to live, by a clock that the test moves: which items expire and when, that their entries are always
 * those of the items, what follows a deletion (indexes, counters, history), switching it off and on, restarts. */
#include "engine_fixture.h"
#include "moved_clock.h"
#include "engine/history.h"
#include "engine/engine_impl.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOW        1700000000LL
#define DAY        86400LL
#define FIVE_YEARS (5 * 365 * DAY)
#define DELAY      "ONEFOLD_TEST_BACKFILL_DELAY_MS"

static void open_engine(struct fixture *f)
{
    char message[256];
    struct engine_options eo = { .now_ms = read_clock };
    assert_int_equal(engine_open(&f->engine, f->store, &eo, message, sizeof message), 0);
}

static void open_at_now(struct fixture *f, const struct store_options *o)
{
    fixture_open(f, o);
    engine_close(f->engine);
    clock_ms = NOW * 1000;
    open_engine(f);
}

static void create_table(struct fixture *f)
{
    assert_holds(q(f, "CreateTable",
                   "{'TableName':'shop','BillingMode':'PAY_PER_REQUEST',"
                   "'AttributeDefinitions':[{'AttributeName':'p','AttributeType':'S'}],"
                   "'KeySchema':[{'AttributeName':'p','KeyType':'HASH'}]}"),
                 "TableDescription");
}

static const char *switch_ttl(struct fixture *f, const char *attribute, const char *enabled)
{
    return q(f, "UpdateTimeToLive", "{'TableName':'shop','TimeToLiveSpecification':{'AttributeName':'%s','Enabled':%s}}",
             attribute, enabled);
}

static void put(struct fixture *f, const char *p, const char *value)
{
    assert_lacks(q(f, "PutItem", "{'TableName':'shop','Item':{'p':{'S':'%s'},'expires':%s}}", p, value), "Exception");
}

static void put_second(struct fixture *f, const char *p, long long second)
{
    char value[64];
    snprintf(value, sizeof value, "{'N':'%lld'}", second);
    put(f, p, value);
}

static bool is_there(struct fixture *f, const char *p)
{
    return strstr(q(f, "GetItem", "{'TableName':'shop','Key':{'p':{'S':'%s'}}}", p), "\"Item\"") != NULL;
}

static void wait_gone(struct fixture *f, const char *p)
{
    for (int i = 0; i < 20000; i++) {
        if (!is_there(f, p)) return;
        usleep(1000);
    }
    fail_msg("%s is still there", p);
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

static int keys_in(struct fixture *f, enum store_space space)
{
    struct count c = { .space = space };
    assert_int_equal(store_view(f->store, count_keys, &c), STORE_OK);
    return c.n;
}

static void wait_for_keys(struct fixture *f, enum store_space space, int wanted)
{
    for (int i = 0; i < 30000; i++) {
        if (keys_in(f, space) == wanted) return;
        usleep(1000);
    }
    fail_msg("%d keys, wanted %d", keys_in(f, space), wanted);
}

static void wait_status(struct fixture *f, const char *status)
{
    for (int i = 0; i < 20000; i++) {
        if (strstr(q(f, "DescribeTimeToLive", "{'TableName':'shop'}"), status)) return;
        usleep(1000);
    }
    fail_msg("never %s", status);
}

static void assert_item_count(struct fixture *f, int n)
{
    char wanted[40];
    snprintf(wanted, sizeof wanted, "\"ItemCount\":%d,", n);
    assert_holds(q(f, "DescribeTable", "{'TableName':'shop'}"), wanted);
}

/* ---- which items, and when ---- */

static void test_only_numbers_of_seconds_that_have_come_expire(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        bool entry, expires;
    } cases[] = {
        { "{'N':'1700000000'}", true, true },
        { "{'N':'1699999999'}", true, true },
        { "{'N':'17e8'}", true, true },
        { "{'N':'1699999999.999'}", true, true },
        { "{'N':'1700000000.001'}", true, false },
        { "{'N':'1700000001'}", true, false },
        { "{'N':'253402300799'}", true, false },
        { "{'N':'253402300800'}", false, false },
        { "{'N':'1700000000000'}", false, false },
        { "{'N':'9.99e125'}", false, false },
        { "{'N':'0'}", false, false },
        { "{'N':'0.5'}", true, false },
        { "{'N':'1e-130'}", true, false },
        { "{'N':'-1'}", false, false },
        { "{'N':'-1700000000'}", false, false },
        { "{'N':'-9.99e125'}", false, false },
        { "{'S':'1700000000'}", false, false },
        { "{'NS':['1700000000']}", false, false },
        { "{'L':[{'N':'1700000000'}]}", false, false },
        { "{'M':{'expires':{'N':'1700000000'}}}", false, false },
        { "{'NULL':true}", false, false },
        { "{'BOOL':true}", false, false },
    };
    const size_t n = sizeof cases / sizeof *cases;
    struct fixture f = { 0 };
    open_at_now(&f, &(struct store_options){ 0 });
    create_table(&f);
    clock_ms = (NOW - DAY) * 1000;
    switch_ttl(&f, "expires", "true");
    int entries = 0, due = 0;
    char p[16];
    for (size_t i = 0; i < n; i++) {
        snprintf(p, sizeof p, "%zu", i);
        put(&f, p, cases[i].value);
        entries += cases[i].entry;
        due += cases[i].expires;
    }
    assert_int_equal(keys_in(&f, SPACE_INDEX), entries);
    clock_ms = NOW * 1000;
    wait_for_keys(&f, SPACE_INDEX, entries - due);
    for (size_t i = 0; i < n; i++) {
        snprintf(p, sizeof p, "%zu", i);
        if (is_there(&f, p) == cases[i].expires) fail_msg("%s: wrong", cases[i].value);
    }
    assert_item_count(&f, (int)n - due);
    fixture_close(&f);
}

static void test_not_a_millisecond_before_the_second(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    open_at_now(&f, &(struct store_options){ 0 });
    create_table(&f);
    switch_ttl(&f, "expires", "true");
    put_second(&f, "early", NOW);
    put_second(&f, "late", NOW + 1);
    clock_ms = NOW * 1000 + 999;
    wait_gone(&f, "early");
    assert_true(is_there(&f, "late"));
    clock_ms = (NOW + 1) * 1000;
    wait_gone(&f, "late");
    fixture_close(&f);
}

static void test_more_than_five_years_ago_never(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    open_at_now(&f, &(struct store_options){ 0 });
    create_table(&f);
    switch_ttl(&f, "expires", "true");
    put_second(&f, "over", NOW - FIVE_YEARS - 1);
    put_second(&f, "just", NOW - FIVE_YEARS);
    wait_gone(&f, "just");
    assert_true(is_there(&f, "over"));
    /* Also not when it is changed and when it is looked at again; a time that counts makes it go. */
    assert_lacks(q(&f, "UpdateItem", "{'TableName':'shop','Key':{'p':{'S':'over'}},'UpdateExpression':'SET v = :v',"
                                     "'ExpressionAttributeValues':{':v':{'N':'1'}}}"), "Exception");
    put_second(&f, "mark", NOW);
    wait_gone(&f, "mark");
    assert_true(is_there(&f, "over"));
    assert_int_equal(keys_in(&f, SPACE_INDEX), 1);
    put_second(&f, "over", NOW - FIVE_YEARS + 1);
    wait_gone(&f, "over");
    assert_int_equal(keys_in(&f, SPACE_INDEX), 0);
    fixture_close(&f);
}

static void test_day_after_day(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    open_at_now(&f, &(struct store_options){ 0 });
    create_table(&f);
    switch_ttl(&f, "expires", "true");
    char p[32];
    for (int day = 1; day <= 35; day++) {
        for (int i = 0; i < 3; i++) {
            snprintf(p, sizeof p, "%d.%d", day, i);
            put_second(&f, p, NOW + day * DAY);
        }
    }
    for (int day = 1; day <= 35; day++) {
        clock_ms = (NOW + day * DAY) * 1000 - 1;
        assert_int_equal(keys_in(&f, SPACE_ITEM), (36 - day) * 3);
        clock_ms = (NOW + day * DAY) * 1000;
        wait_for_keys(&f, SPACE_ITEM, (35 - day) * 3);
        assert_int_equal(keys_in(&f, SPACE_INDEX), (35 - day) * 3);
    }
    assert_item_count(&f, 0);
    fixture_close(&f);
}

/* ---- changes ---- */

static void update(struct fixture *f, const char *p, const char *expression, const char *value)
{
    assert_lacks(q(f, "UpdateItem", "{'TableName':'shop','Key':{'p':{'S':'%s'}},'UpdateExpression':'%s'%s}", p, expression,
                   value), "Exception");
}

static void test_whoever_moves_or_takes_the_time_keeps_the_item(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    open_at_now(&f, &(struct store_options){ 0 });
    create_table(&f);
    switch_ttl(&f, "expires", "true");
    const char *names[] = { "moved", "removed", "other type", "put again", "deleted", "same", "transacted" };
    for (size_t i = 0; i < 7; i++)
        put_second(&f, names[i], NOW + 10);
    assert_int_equal(keys_in(&f, SPACE_INDEX), 7);
    update(&f, "moved", "SET expires = expires + :v", ",'ExpressionAttributeValues':{':v':{'N':'90'}}");
    update(&f, "removed", "REMOVE expires", "");
    update(&f, "other type", "SET expires = :v", ",'ExpressionAttributeValues':{':v':{'S':'1700000010'}}");
    update(&f, "same", "SET v = :v", ",'ExpressionAttributeValues':{':v':{'N':'1'}}");
    put_second(&f, "put again", NOW + 100);
    q(&f, "DeleteItem", "{'TableName':'shop','Key':{'p':{'S':'deleted'}}}");
    assert_lacks(q(&f, "TransactWriteItems",
                   "{'TransactItems':[{'Put':{'TableName':'shop','Item':{'p':{'S':'transacted'},'expires':{'N':'1700000100'}}}}]}"),
                 "Exception");
    assert_int_equal(keys_in(&f, SPACE_INDEX), 4); /* moved, put again, same, transacted */
    clock_ms = (NOW + 99) * 1000;
    wait_gone(&f, "same");
    assert_int_equal(keys_in(&f, SPACE_INDEX), 3);
    assert_item_count(&f, 5);
    clock_ms = (NOW + 100) * 1000;
    wait_for_keys(&f, SPACE_INDEX, 0);
    assert_true(is_there(&f, "removed"));
    assert_true(is_there(&f, "other type"));
    assert_item_count(&f, 2);
    fixture_close(&f);
}

static int put_strange_entries(struct store_txn *txn, void *ctx)
{
    struct fixture *f = ctx;
    const struct catalog *catalog = catalog_acquire(f->engine->catalogs);
    const struct table *t = catalog_find(catalog, SLICE("shop"));
    struct slice key;
    struct arena a;
    uint8_t bytes[40] = { 0 };
    arena_init(&a, 1 << 20);
    struct slice item = { 0 };
    struct attr attr = { SLICE("p"), val_make_string(&a, SLICE("stays")) };
    struct buf b;
    buf_init(&b, &a, 1 << 16);
    val_put_map(&b, &attr, 1);
    item = buf_view(&b);
    key = key_item(&a, t, item);
    /* One of an item that never expires, one of an item that is not there. */
    for (int i = 0; i < 4; i++) bytes[i] = (uint8_t)(t->ttl_id >> (24 - 8 * i));
    bytes[4] = key.p[4] & 0xF0;
    bytes[12] = 0x65; /* a second in 2023 */
    memcpy(bytes + 16, key.p + 4, key.n - 4);
    int status = store_put(txn, SPACE_INDEX, slice_of(bytes, 16 + key.n - 4), SLICE(""));
    bytes[15 + key.n - 4]++;
    if (!status) status = store_put(txn, SPACE_INDEX, slice_of(bytes, 16 + key.n - 4), SLICE(""));
    catalog_release(f->engine->catalogs, catalog);
    arena_free(&a);
    return status;
}

static void test_an_entry_that_is_not_its_items_does_nothing_and_goes(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    open_at_now(&f, &(struct store_options){ 0 });
    create_table(&f);
    switch_ttl(&f, "expires", "true");
    put_second(&f, "stays", NOW + 10);
    assert_int_equal(store_update(f.store, put_strange_entries, &f), STORE_OK);
    wait_for_keys(&f, SPACE_INDEX, 1);
    assert_true(is_there(&f, "stays"));
    assert_item_count(&f, 1);
    fixture_close(&f);
}

static int delete_entries(struct store_txn *txn, void *ctx)
{
    struct arena *a = ctx;
    struct store_range range = { .space = SPACE_INDEX };
    struct store_cursor *cursor;
    struct slice key;
    int status = store_range_open(txn, &range, &cursor);
    if (!status) status = store_range_next(cursor, &key, NULL);
    if (status) return status;
    key = arena_dup(a, key);
    return store_delete(txn, SPACE_INDEX, key);
}

/* Nobody goes through the table: an item that is due, but whose entry was taken away, is not found. */
static int spoil_items(struct store_txn *txn, void *ctx)
{
    struct store_range range = { .space = SPACE_ITEM };
    struct store_cursor *cursor;
    struct slice key;
    uint8_t bytes[100];
    (void)ctx;
    int status = store_range_open(txn, &range, &cursor);
    if (!status) status = store_range_next(cursor, &key, NULL);
    if (status || key.n > sizeof bytes) return STORE_INVALID;
    memcpy(bytes, key.p, key.n);
    return store_put(txn, SPACE_ITEM, slice_of(bytes, key.n), SLICE("no record"));
}

static void test_damaged_items_stay_and_keep_no_others(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    uint64_t before = 0;
    open_at_now(&f, &(struct store_options){ 0 });
    create_table(&f);
    switch_ttl(&f, "expires", "true");
    put_second(&f, "spoilt", NOW + 1);
    assert_int_equal(store_update(f.store, spoil_items, NULL), STORE_OK);
    for (long long i = 0; i < 3; i++) {
        put_second(&f, "sound", NOW + 10 + i);
        clock_ms = (NOW + 10 + i) * 1000;
        wait_gone(&f, "sound");
        uint64_t told; /* by whoever looks for old items, too, where that is not done yet */
        for (int waits = 0; !(told = __atomic_load_n(&f.engine->damaged, __ATOMIC_RELAXED)) && waits < 5000; waits++) usleep(1000);
        assert_true(told > 0 && (!i || told == before));
        before = told;
    }
    assert_int_equal(keys_in(&f, SPACE_ITEM), 1);
    assert_int_equal(keys_in(&f, SPACE_INDEX), 1);
    fixture_close(&f);
}

static void test_only_entries_are_looked_at(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    open_at_now(&f, &(struct store_options){ 0 });
    create_table(&f);
    put(&f, "there before", "{'S':'never'}");
    switch_ttl(&f, "expires", "true");
    wait_status(&f, "\"ENABLED\"");
    put_second(&f, "overlooked", NOW + 10);
    assert_int_equal(store_update(f.store, delete_entries, &f.text), STORE_OK);
    assert_int_equal(keys_in(&f, SPACE_INDEX), 0);
    put_second(&f, "found", NOW + 10);
    clock_ms = (NOW + 20) * 1000;
    wait_gone(&f, "found");
    assert_true(is_there(&f, "overlooked"));
    fixture_close(&f);
}

/* ---- what follows ---- */

static void test_index_entries_and_counters_follow(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    open_at_now(&f, &(struct store_options){ 0 });
    assert_holds(q(&f, "CreateTable",
                   "{'TableName':'shop','BillingMode':'PAY_PER_REQUEST','AttributeDefinitions':["
                   "{'AttributeName':'p','AttributeType':'S'},{'AttributeName':'s','AttributeType':'N'},"
                   "{'AttributeName':'g','AttributeType':'S'},{'AttributeName':'expires','AttributeType':'N'}],"
                   "'KeySchema':[{'AttributeName':'p','KeyType':'HASH'},{'AttributeName':'s','KeyType':'RANGE'}],"
                   "'LocalSecondaryIndexes':[{'IndexName':'local','KeySchema':[{'AttributeName':'p','KeyType':'HASH'},"
                   "{'AttributeName':'expires','KeyType':'RANGE'}],'Projection':{'ProjectionType':'ALL'}}],"
                   "'GlobalSecondaryIndexes':[{'IndexName':'global','KeySchema':[{'AttributeName':'g','KeyType':'HASH'}],"
                   "'Projection':{'ProjectionType':'KEYS_ONLY'}}]}"),
                 "TableDescription");
    switch_ttl(&f, "expires", "true");
    for (int i = 0; i < 300; i++) {
        assert_lacks(q(&f, "PutItem", "{'TableName':'shop','Item':{'p':{'S':'one'},'s':{'N':'%d'},'g':{'S':'g%d'},'expires':{'N':'%lld'}}}",
                       i, i % 7, NOW + (i % 3 ? 5 : 50)), "Exception");
    }
    assert_int_equal(keys_in(&f, SPACE_INDEX), 900);
    clock_ms = (NOW + 5) * 1000;
    wait_for_keys(&f, SPACE_INDEX, 300);
    const char *answer = q(&f, "DescribeTable", "{'TableName':'shop'}");
    size_t seen = 0;
    for (const char *at = answer; (at = strstr(at, "\"ItemCount\":100,")); at++) seen++;
    assert_int_equal(seen, 3);
    clock_ms = (NOW + 50) * 1000;
    wait_for_keys(&f, SPACE_INDEX, 0);
    answer = q(&f, "DescribeTable", "{'TableName':'shop'}");
    assert_holds(answer, "\"TableSizeBytes\":0");
    assert_lacks(answer, "\"ItemCount\":1");
    fixture_close(&f);
}

static int begin_history(struct store_txn *txn, void *ctx)
{
    struct fixture *f = ctx;
    struct slice record;
    int status;
    struct table *t = catalog_read(txn, &f->text, SLICE("shop"), &status);
    if (!t) return status;
    t->recovery_since_ms = 1;
    t->recovery_days = 35;
    status = history_settle(txn, &f->text, f->engine, t);
    return status ? status : catalog_write(txn, &f->text, t, &record);
}

struct seen {
    int expired, removed, put;
};

static int read_history(struct store_txn *txn, void *ctx)
{
    struct seen *seen = ctx;
    struct store_range range = { .space = SPACE_STREAM };
    struct store_cursor *cursor;
    struct slice key, value, p;
    int status = store_range_open(txn, &range, &cursor);
    *seen = (struct seen){ 0 };
    while (!status && !(status = store_range_next(cursor, &key, &value))) {
        struct history_change c;
        assert_true(history_read(key, value, &c));
        assert_true(val_get(c.key, SLICE("p"), &p));
        if (c.event != HISTORY_REMOVE) seen->put++;
        else if (c.expired) seen->expired++;
        else seen->removed++;
        if (c.event != HISTORY_REMOVE) assert_false(c.expired);
    }
    return status == STORE_END ? STORE_OK : status;
}

static void test_the_history_tells_an_expiry_from_a_deletion(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    struct seen seen;
    open_at_now(&f, &(struct store_options){ 0 });
    create_table(&f);
    switch_ttl(&f, "expires", "true");
    assert_int_equal(store_update(f.store, begin_history, &f), STORE_OK);
    engine_close(f.engine);
    open_engine(&f);
    put_second(&f, "runs out", NOW + 10);
    put_second(&f, "deleted", NOW + 10);
    q(&f, "DeleteItem", "{'TableName':'shop','Key':{'p':{'S':'deleted'}}}");
    clock_ms = (NOW + 10) * 1000;
    wait_gone(&f, "runs out");
    assert_int_equal(store_view(f.store, read_history, &seen), STORE_OK);
    assert_int_equal(seen.put, 2);
    assert_int_equal(seen.removed, 1);
    assert_int_equal(seen.expired, 1);
    fixture_close(&f);
}

/* ---- off and on ---- */

static void fill(struct fixture *f, int n, long long second)
{
    for (int i = 0; i < n; i += 25) {
        struct buf b;
        buf_init(&b, &f->text, 1 << 20);
        for (int k = i; k < i + 25; k++) {
            buf_printf(&b, "%s{\"PutRequest\":{\"Item\":{\"p\":{\"S\":\"%d\"},\"expires\":{\"N\":\"%lld\"},\"then\":{\"N\":\"%lld\"}}}}",
                       k == i ? "" : ",", k, second, second + 100);
        }
        struct slice list = buf_view(&b);
        assert_holds(ask(f, "BatchWriteItem", "{\"RequestItems\":{\"shop\":[%.*s]}}", SLICE_ARG(list)), "\"UnprocessedItems\":{}");
    }
}

static void test_items_that_were_there_before_expire_too(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    setenv(DELAY, "200", 1);
    open_at_now(&f, &(struct store_options){ 0 });
    create_table(&f);
    fill(&f, 600, NOW + 10);
    switch_ttl(&f, "expires", "true");
    assert_holds(q(&f, "DescribeTimeToLive", "{'TableName':'shop'}"),
                 "{\"TimeToLiveDescription\":{\"TimeToLiveStatus\":\"ENABLING\",\"AttributeName\":\"expires\"}}");
    /* Changes under way, on both sides of where the backfill is. */
    for (int i = 0; i < 600; i += 10) {
        char p[16];
        snprintf(p, sizeof p, "%d", i);
        put_second(&f, p, NOW + 20);
    }
    wait_status(&f, "\"ENABLED\"");
    assert_int_equal(keys_in(&f, SPACE_INDEX), 600);
    assert_int_equal(keys_in(&f, SPACE_ITEM), 600);
    clock_ms = (NOW + 10) * 1000;
    wait_for_keys(&f, SPACE_ITEM, 60);
    assert_int_equal(keys_in(&f, SPACE_INDEX), 60);
    fixture_close(&f);
    unsetenv(DELAY);
}

static int count_work(struct store_txn *txn, void *ctx)
{
    struct store_range range = { .space = SPACE_META, .from = SLICE("B"), .to = SLICE("E") };
    struct store_cursor *cursor;
    int status = store_range_open(txn, &range, &cursor);
    if (status) return status;
    for (*(int *)ctx = 0; !(status = store_range_next(cursor, NULL, NULL)); ++*(int *)ctx) continue;
    store_range_close(cursor);
    return status == STORE_END ? STORE_OK : status;
}

static void wait_for_no_work(struct fixture *f)
{
    int left = -1;
    for (int i = 0; i < 20000 && left; i++) {
        assert_int_equal(store_view(f->store, count_work, &left), STORE_OK);
        usleep(1000);
    }
    assert_int_equal(left, 0);
}

static void test_off_and_on_again_by_another_attribute(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    open_at_now(&f, &(struct store_options){ 0 });
    create_table(&f);
    fill(&f, 500, NOW + 10);
    switch_ttl(&f, "expires", "true");
    wait_for_no_work(&f);
    assert_int_equal(keys_in(&f, SPACE_INDEX), 500);
    assert_holds(switch_ttl(&f, "expires", "false"), "{\"TimeToLiveSpecification\":{\"Enabled\":false,\"AttributeName\":\"expires\"}}");
    assert_holds(q(&f, "DescribeTimeToLive", "{'TableName':'shop'}"), "{\"TimeToLiveDescription\":{\"TimeToLiveStatus\":\"DISABLED\"}}");
    wait_for_no_work(&f);
    assert_int_equal(keys_in(&f, SPACE_INDEX), 0);
    clock_ms = (NOW + 20) * 1000;
    put_second(&f, "later", NOW + 10);
    assert_holds(switch_ttl(&f, "then", "true"), "\"Enabled\":true");
    wait_for_no_work(&f);
    assert_int_equal(keys_in(&f, SPACE_INDEX), 500);
    assert_int_equal(keys_in(&f, SPACE_ITEM), 501); /* those of before were due by the other attribute */
    clock_ms = (NOW + 110) * 1000;
    wait_for_keys(&f, SPACE_ITEM, 1);
    assert_true(is_there(&f, "later"));
    fixture_close(&f);
}

static void test_off_in_the_middle_of_the_backfill_and_the_table_dropped(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    setenv(DELAY, "10", 1);
    open_at_now(&f, &(struct store_options){ 0 });
    create_table(&f);
    fill(&f, 1000, NOW + 10);
    switch_ttl(&f, "expires", "true");
    assert_holds(switch_ttl(&f, "expires", "false"), "\"Enabled\":false");
    wait_for_no_work(&f);
    assert_int_equal(keys_in(&f, SPACE_INDEX), 0);
    switch_ttl(&f, "expires", "true");
    assert_holds(q(&f, "DeleteTable", "{'TableName':'shop'}"), "DELETING");
    create_table(&f);
    assert_holds(q(&f, "DescribeTimeToLive", "{'TableName':'shop'}"), "DISABLED");
    wait_for_no_work(&f);
    assert_int_equal(keys_in(&f, SPACE_INDEX), 0);
    assert_int_equal(keys_in(&f, SPACE_ITEM), 0);
    fixture_close(&f);
    unsetenv(DELAY);
}

static void test_words(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    open_at_now(&f, &(struct store_options){ 0 });
    assert_holds(switch_ttl(&f, "expires", "true"), "ResourceNotFoundException\",\"message\":\"Requested resource not found: Table: shop not found\"");
    assert_holds(q(&f, "DescribeTimeToLive", "{'TableName':'shop'}"), "Requested resource not found: Table: shop not found");
    create_table(&f);
    assert_holds(switch_ttl(&f, "expires", "false"), "ValidationException\",\"message\":\"TimeToLive is already disabled\"");
    assert_holds(switch_ttl(&f, "expires", "true"), "{\"TimeToLiveSpecification\":{\"Enabled\":true,\"AttributeName\":\"expires\"}}");
    assert_holds(switch_ttl(&f, "expires", "true"), "\"TimeToLive is already enabled\"");
    const char *different = "\"TimeToLive is active on a different AttributeName: current AttributeName is expires\"";
    assert_holds(switch_ttl(&f, "other", "true"), different);
    assert_holds(switch_ttl(&f, "other", "false"), different);
    assert_holds(q(&f, "DescribeTimeToLive", "{'TableName':'shop'}"),
                 "{\"TimeToLiveDescription\":{\"TimeToLiveStatus\":\"ENABLED\",\"AttributeName\":\"expires\"}}");
    fixture_close(&f);
}

/* ---- many, and restarts ---- */

#define MANY 20000

struct writer {
    struct fixture f; /* its own arenas on the shared engine */
    atomic_int kept;
};

/* Moves every hundredth item out of reach, one after the other, and puts some of its own. */
static void *write_meanwhile(void *arg)
{
    struct writer *w = arg;
    for (int i = 0; i < MANY; i += 100) {
        const char *answer = q(&w->f, "UpdateItem",
                               "{'TableName':'shop','Key':{'p':{'S':'%d'}},'UpdateExpression':'SET expires = :v',"
                               "'ConditionExpression':'attribute_exists(p)','ExpressionAttributeValues':{':v':{'N':'%lld'}}}",
                               i, NOW + 1000);
        w->kept += strstr(answer, "Exception") == NULL;
        w->kept += strstr(q(&w->f, "PutItem", "{'TableName':'shop','Item':{'p':{'S':'own%d'}}}", i), "Exception") == NULL;
        arena_reset(&w->f.text);
    }
    return NULL;
}

static void test_many_at_once_while_writes_go_on(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    struct writer w = { 0 };
    pthread_t thread;
    open_at_now(&f, &(struct store_options){ 0 });
    create_table(&f);
    switch_ttl(&f, "expires", "true");
    fill(&f, MANY, NOW + 10);
    w.f.store = f.store;
    w.f.engine = f.engine;
    arena_init(&w.f.arena, (size_t)64 << 20);
    arena_init(&w.f.text, (size_t)64 << 20);
    pthread_create(&thread, NULL, write_meanwhile, &w);
    while (w.kept < 20) usleep(100); /* ten of them are moved in time for sure */
    clock_ms = (NOW + 10) * 1000;
    pthread_join(thread, NULL);
    assert_true(w.kept >= MANY / 100 + 10);
    wait_for_keys(&f, SPACE_ITEM, w.kept);
    assert_int_equal(keys_in(&f, SPACE_INDEX), w.kept - MANY / 100);
    assert_item_count(&f, w.kept);
    arena_free(&w.f.arena);
    arena_free(&w.f.text);
    fixture_close(&f);
}

static void test_a_restart_goes_on_where_it_was(void **state)
{
    (void)state;
    struct fixture f = { 0 };
    char path[] = "/tmp/onefold-expiry-XXXXXX";
    assert_non_null(mkdtemp(path));
    struct store_options o = { .dir = path, .durability = DURABILITY_RELAXED };
    setenv(DELAY, "50", 1);
    open_at_now(&f, &o);
    create_table(&f);
    switch_ttl(&f, "expires", "true");
    fill(&f, 2000, NOW + 10);
    clock_ms = (NOW + 10) * 1000;
    for (int i = 0; i < 20000 && keys_in(&f, SPACE_ITEM) == 2000; i++) usleep(1000);
    fixture_close(&f);
    unsetenv(DELAY);
    fixture_open(&f, &o);
    engine_close(f.engine); /* by the system's clock they are overdue, but no more than five years */
    int left = keys_in(&f, SPACE_ITEM);
    assert_true(left < 2000);
    open_engine(&f);
    wait_for_keys(&f, SPACE_ITEM, 0);
    wait_status(&f, "\"ENABLED\"");
    assert_int_equal(keys_in(&f, SPACE_INDEX), 0);
    assert_item_count(&f, 0);
    fixture_close(&f);
    remove_directory(path);
}

/* Large items in as many indexes as a table can have: one step must not take on more than its memory holds. */
static void test_large_items_in_many_indexes_expire(void **state)
{
    enum { GLOBAL = 20, LOCAL = 5, ITEMS = 4, BYTES = 390 << 10 };
    struct fixture f;
    struct buf b;
    (void)state;
    open_at_now(&f, &(struct store_options){ 0 });
    buf_init(&b, &f.text, 1u << 20);
    buf_printf(&b, "{'TableName':'shop','BillingMode':'PAY_PER_REQUEST','AttributeDefinitions':["
                   "{'AttributeName':'p','AttributeType':'S'},{'AttributeName':'s','AttributeType':'S'}],"
                   "'KeySchema':[{'AttributeName':'p','KeyType':'HASH'},{'AttributeName':'s','KeyType':'RANGE'}]");
    for (int i = 0; i < GLOBAL + LOCAL; i++) {
        if (i == 0) buf_printf(&b, ",'LocalSecondaryIndexes':[");
        if (i == LOCAL) buf_printf(&b, "],'GlobalSecondaryIndexes':[");
        buf_printf(&b, "%s{'IndexName':'index%d','KeySchema':[{'AttributeName':'p','KeyType':'HASH'},"
                       "{'AttributeName':'s','KeyType':'RANGE'}],"
                       "'Projection':{'ProjectionType':'INCLUDE','NonKeyAttributes':['large']}}",
                   i && i != LOCAL ? "," : "", i);
    }
    buf_printf(&b, "]}");
    buf_u8(&b, 0);
    assert_holds(q(&f, "CreateTable", "%s", (const char *)b.p), "TableDescription");
    switch_ttl(&f, "expires", "true");
    char *large = (char *)arena_bytes(&f.text, BYTES + 1);
    memset(large, 'x', BYTES);
    large[BYTES] = 0;
    for (int i = 0; i < ITEMS; i++) {
        assert_string_equal(q(&f, "PutItem",
                              "{'TableName':'shop','Item':{'p':{'S':'%d'},'s':{'S':'s'},'large':{'S':'%s'},'expires':{'N':'%lld'}}}",
                              i, large, NOW + 10),
                            "{}");
    }
    clock_ms = (NOW + 10) * 1000;
    wait_for_keys(&f, SPACE_ITEM, 0);
    assert_int_equal(keys_in(&f, SPACE_INDEX), 0);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_only_numbers_of_seconds_that_have_come_expire),
        cmocka_unit_test(test_not_a_millisecond_before_the_second),
        cmocka_unit_test(test_more_than_five_years_ago_never),
        cmocka_unit_test(test_day_after_day),
        cmocka_unit_test(test_whoever_moves_or_takes_the_time_keeps_the_item),
        cmocka_unit_test(test_an_entry_that_is_not_its_items_does_nothing_and_goes),
        cmocka_unit_test(test_damaged_items_stay_and_keep_no_others),
        cmocka_unit_test(test_only_entries_are_looked_at),
        cmocka_unit_test(test_index_entries_and_counters_follow),
        cmocka_unit_test(test_the_history_tells_an_expiry_from_a_deletion),
        cmocka_unit_test(test_items_that_were_there_before_expire_too),
        cmocka_unit_test(test_off_and_on_again_by_another_attribute),
        cmocka_unit_test(test_off_in_the_middle_of_the_backfill_and_the_table_dropped),
        cmocka_unit_test(test_large_items_in_many_indexes_expire),
        cmocka_unit_test(test_many_at_once_while_writes_go_on),
        cmocka_unit_test(test_a_restart_goes_on_where_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
