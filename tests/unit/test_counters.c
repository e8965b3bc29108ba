/* test_counters.c: what the counters say of calls, by operation, second, table and key; and that several threads may count. */
#include "engine_fixture.h"
#include "engine/watch.h"
#include "item/item_json.h"
#include <pthread.h>
#include <stdio.h>

#define OPERATIONS 3

/* ---- the counters by themselves, with a clock of the test's ---- */

/* A key of the store as keys.h has it: id, hash, length, text. The hash is the text's number. */
static struct slice key_of(struct arena *a, uint32_t id, uint32_t hash, const char *text)
{
    struct buf b;
    buf_init(&b, a, 4096);
    buf_u32be(&b, id);
    buf_u32be(&b, hash);
    buf_varint(&b, strlen(text));
    buf_bytes(&b, text, strlen(text));
    buf_bytes(&b, "sort key", 8);
    return buf_view(&b);
}

static void count_touch(struct counters *c, size_t row, int64_t second, uint64_t us, struct touch touch)
{
    struct tally t = { .touches = &touch, .n = 1, .returned = 1 };
    counters_count(c, &(struct counted){ .row = row, .microseconds = us, .second = second, .tally = &t });
}

static void count_plain(struct counters *c, size_t row, int64_t second, uint64_t us, enum failure failure)
{
    struct tally t = { 0 };
    counters_count(c, &(struct counted){ .row = row, .microseconds = us, .second = second, .failure = failure, .tally = &t });
}

static void test_totals_and_seconds(void **state)
{
    (void)state;
    struct counters *c = counters_open(OPERATIONS, 1000);
    struct counters_row total;
    struct counters_second s;
    for (int i = 0; i < 10; i++) count_plain(c, 1, 1000, 100, i < 3 ? FAILURE_CONDITION : FAILURE_NONE);
    count_plain(c, 2, 1000, 5, FAILURE_NONE);
    assert_false(counters_at(c, 1000, 1, &s)); /* not over yet */
    count_plain(c, 1, 1004, 9000, FAILURE_USER);
    assert_true(counters_at(c, 1000, 1, &s));
    assert_int_equal(s.calls, 10);
    assert_int_equal(s.failures, 3);
    assert_true(s.p50 >= 96 && s.p50 < 128);
    assert_false(counters_at(c, 1000, 0, &s));
    assert_false(counters_at(c, 1002, 1, &s)); /* nobody called */
    assert_true(counters_at(c, 1000, counters_guest_row(c) + 1, &s));
    assert_int_equal(s.calls, 11);
    counters_total(c, 1, 1005, &total, NULL);
    assert_int_equal(total.calls, 11);
    assert_int_equal(total.failures[FAILURE_CONDITION], 3);
    assert_int_equal(total.failures[FAILURE_USER], 1);
    assert_int_equal(total.microseconds, 10000);
    assert_true(counters_at(c, 1004, 1, &s)); /* asking ended it */
    counters_turn(c, 1004 + COUNTERS_SECONDS);
    assert_true(counters_at(c, 1004, 1, &s));
    count_plain(c, 1, 1004 + COUNTERS_SECONDS, 1, FAILURE_NONE);
    counters_turn(c, 1005 + COUNTERS_SECONDS);
    assert_false(counters_at(c, 1004, 1, &s)); /* its place in the ring is taken */
    counters_close(c);
}

static void test_the_guest_is_apart(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, 1 << 24);
    struct counters *c = counters_open(OPERATIONS, 5);
    struct busy_place *places;
    struct counters_second s;
    struct counters_row total;
    struct touch touch = { .key = key_of(&a, 1, 1, "k"), .parts = 1, .halves = 2 };
    count_touch(c, counters_guest_row(c), 5, 10, touch);
    counters_total(c, counters_guest_row(c), 6, &total, NULL);
    assert_int_equal(total.calls, 1);
    assert_int_equal(total.read_halves, 2);
    assert_true(counters_at(c, 5, counters_guest_row(c), &s));
    assert_false(counters_at(c, 5, counters_guest_row(c) + 1, &s));
    assert_int_equal(counters_places(c, &a, 6, &places), 0);
    counters_close(c);
    arena_free(&a);
}

static void test_buckets_and_percentiles(void **state)
{
    (void)state;
    assert_int_equal(counters_bucket_end(0), 2);
    assert_int_equal(counters_bucket_end(1), 3);
    assert_int_equal(counters_bucket_end(2), 4);
    assert_int_equal(counters_bucket_end(3), 6);
    assert_true(counters_bucket_end(COUNTERS_BUCKETS - 1) == UINT64_MAX);
    struct counters *c = counters_open(OPERATIONS, 0);
    struct counters_row total;
    uint64_t recent[COUNTERS_BUCKETS];
    /* Every time lies in the bucket whose ends surround it. */
    for (uint64_t us = 1; us < 100000000; us = us * 3 / 2 + 1) {
        struct counters *one = counters_open(OPERATIONS, 0);
        count_plain(one, 0, 0, us, FAILURE_NONE);
        counters_total(one, 0, 0, &total, NULL);
        for (size_t i = 0; i < COUNTERS_BUCKETS; i++) {
            if (!total.latency[i]) continue;
            assert_true(us < counters_bucket_end(i));
            assert_true(i == 0 || us >= counters_bucket_end(i - 1));
        }
        counters_close(one);
    }
    for (int i = 0; i < 98; i++) count_plain(c, 0, 0, 50, FAILURE_NONE);
    for (int i = 0; i < 2; i++) count_plain(c, 0, 0, 5000, FAILURE_NONE);
    counters_total(c, 0, 0, &total, recent);
    assert_true(counters_percentile(total.latency, 0.5) >= 48 && counters_percentile(total.latency, 0.5) < 64);
    assert_true(counters_percentile(total.latency, 0.99) >= 4096);
    assert_memory_equal(recent, total.latency, sizeof recent);
    assert_true(counters_percentile(recent, 0.5) > 0);
    counters_turn(c, 60);
    counters_turn(c, 130); /* two minutes later nothing is recent */
    counters_total(c, 0, 130, &total, recent);
    assert_true(counters_percentile(recent, 0.5) == 0);
    assert_true(counters_percentile(total.latency, 0.5) > 0);
    counters_close(c);
}

/* One key with a fifth of the traffic among a hundred thousand others that come once each. */
static void test_a_busy_key_among_many(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, (size_t)1 << 28);
    struct counters *c = counters_open(OPERATIONS, 0);
    struct slice hot = key_of(&a, 7, 0x12345678, "STATUS#open");
    uint32_t random = 1;
    char text[32];
    for (int i = 0; i < 100000; i++) {
        int64_t second = i / 5000;
        random = random * 1664525 + 1013904223;
        snprintf(text, sizeof text, "ORDER#%d", i);
        count_touch(c, 0, second, 10, (struct touch){ .key = key_of(&a, 7, random, text), .parts = 1, .halves = 2, .write = true });
        if (i % 4 == 0) count_touch(c, 0, second, 10, (struct touch){ .key = hot, .parts = 1, .halves = 2, .write = true });
    }
    struct busy_place *places;
    assert_int_equal(counters_places(c, &a, 20, &places), 1);
    assert_int_equal(places->id, 7);
    assert_int_equal(places->write_halves, 250000);
    const struct busy_key *first = &places->keys[0];
    assert_memory_equal(first->key.bytes + 1, "STATUS#open", 11);
    assert_int_equal(first->key.length, 12);
    assert_true(first->rates.writes > 1100 && first->rates.writes < 1300); /* 1,250 a second */
    assert_true(first->last == 3 * 1250); /* exactly */
    assert_true(rates_load(&places->keys[1].rates) < rates_load(&first->rates) / 10);
    /* A minute later it is long over. */
    counters_places(c, &a, 90, &places);
    assert_true(places->keys[0].rates.writes < 20);
    assert_true(places->keys[0].last == 0);
    counters_close(c);
    arena_free(&a);
}

static void test_long_keys_and_numbers_of_places(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, (size_t)1 << 28);
    struct counters *c = counters_open(OPERATIONS, 0);
    char one[1500], other[1500];
    memset(one, 'x', sizeof one);
    one[sizeof one - 1] = 0;
    memcpy(other, one, sizeof one);
    other[1000] = 'y'; /* differs only beyond what is kept */
    for (int i = 0; i < 3; i++) count_touch(c, 0, 0, 1, (struct touch){ .key = key_of(&a, 1, 9, one), .parts = 1, .halves = 1 });
    count_touch(c, 0, 0, 1, (struct touch){ .key = key_of(&a, 1, 9, other), .parts = 1, .halves = 1 });
    struct busy_place *places;
    assert_int_equal(counters_places(c, &a, 0, &places), 1);
    assert_int_equal(places->n_keys, 2);
    assert_true(places->keys[0].rates.reads == 3);
    /* More tables than it keeps: the longest unused goes. */
    for (uint32_t id = 2; id < 2 + COUNTERS_PLACES; id++) {
        count_touch(c, 0, id, 1, (struct touch){ .key = key_of(&a, id, id, "k"), .parts = 1, .halves = 1 });
    }
    size_t n = counters_places(c, &a, 100, &places);
    assert_int_equal(n, COUNTERS_PLACES);
    for (size_t i = 0; i < n; i++) assert_int_not_equal(places[i].id, 1);
    counters_close(c);
    arena_free(&a);
}

/* ---- several threads ---- */

enum { THREADS = 8, EACH = 20000 };

struct crowd {
    struct counters *c;
    unsigned number;
    struct arena arena;
};

static void *count_much(void *ctx)
{
    struct crowd *me = ctx;
    struct slice own = key_of(&me->arena, 1 + me->number % 2, me->number << 28, "own");
    struct slice hot = key_of(&me->arena, 1, 77, "hot");
    for (int i = 0; i < EACH; i++) {
        struct touch touches[2] = { { .key = own, .parts = 1, .halves = 1 }, { .key = hot, .parts = 1, .halves = 2, .write = true } };
        struct tally t = { .touches = touches, .n = 2, .returned = 1, .written = 1 };
        counters_count(me->c, &(struct counted){ .row = me->number % OPERATIONS, .microseconds = (uint64_t)i % 100,
                                                 .second = i / 1000, .tally = &t });
    }
    return NULL;
}

static bool is_first(void *ctx, uint32_t id)
{
    (void)ctx;
    return id == 1;
}

static void *ask_much(void *ctx)
{
    struct crowd *me = ctx;
    struct busy_place *places;
    struct counters_row total;
    struct counters_second s;
    for (int i = 0; i < 200; i++) {
        arena_reset(&me->arena);
        counters_places(me->c, &me->arena, i / 10, &places);
        counters_total(me->c, 0, i / 10, &total, NULL);
        counters_at(me->c, i / 10, 0, &s);
        if (i % 50 == 0) counters_prune(me->c, is_first, NULL);
    }
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    struct counters *c = counters_open(OPERATIONS, 0);
    static struct crowd crowd[THREADS + 1];
    pthread_t threads[THREADS + 1];
    for (unsigned i = 0; i <= THREADS; i++) {
        crowd[i] = (struct crowd){ .c = c, .number = i };
        arena_init(&crowd[i].arena, (size_t)1 << 26);
        assert_int_equal(pthread_create(&threads[i], NULL, i < THREADS ? count_much : ask_much, &crowd[i]), 0);
    }
    for (unsigned i = 0; i <= THREADS; i++) pthread_join(threads[i], NULL);
    uint64_t calls = 0, returned = 0, halves = 0;
    for (size_t row = 0; row < OPERATIONS; row++) {
        struct counters_row total;
        counters_total(c, row, 100, &total, NULL);
        calls += total.calls;
        returned += total.returned;
        halves += total.read_halves + total.write_halves;
    }
    assert_int_equal(calls, THREADS * EACH);
    assert_int_equal(returned, THREADS * EACH);
    assert_int_equal(halves, 3 * THREADS * EACH);
    struct busy_place *places;
    size_t n = counters_places(c, &crowd[0].arena, 20, &places);
    for (size_t i = 0; i < n; i++) {
        if (places[i].id != 1) continue;
        assert_int_equal(places[i].write_halves, 2 * THREADS * EACH);
        assert_memory_equal(places[i].keys[0].key.bytes + 1, "hot", 3);
    }
    for (unsigned i = 0; i <= THREADS; i++) arena_free(&crowd[i].arena);
    counters_close(c);
}

/* ---- through the engine ---- */

static int set_up(void **state)
{
    static struct fixture f;
    fixture_open(&f, &(struct store_options){ 0 });
    *state = &f;
    assert_holds(q(&f, "CreateTable",
                   "{'TableName':'shop','BillingMode':'PAY_PER_REQUEST','AttributeDefinitions':[{'AttributeName':'PK','AttributeType':'S'},"
                   "{'AttributeName':'SK','AttributeType':'S'},{'AttributeName':'G','AttributeType':'N'}],"
                   "'KeySchema':[{'AttributeName':'PK','KeyType':'HASH'},{'AttributeName':'SK','KeyType':'RANGE'}],"
                   "'GlobalSecondaryIndexes':[{'IndexName':'byG','KeySchema':[{'AttributeName':'G','KeyType':'HASH'}],"
                   "'Projection':{'ProjectionType':'ALL'}}]}"), "CREATING");
    return 0;
}

static int tear_down(void **state)
{
    fixture_close(*state);
    return 0;
}

static struct watch look(struct fixture *f)
{
    struct watch w;
    engine_watch(f->engine, &f->text, &w);
    return w;
}

static struct counters_row row_of(struct fixture *f, const char *operation)
{
    struct counters_row row = { 0 };
    struct watch w = look(f);
    for (size_t i = 0; i < w.n_operations; i++) {
        if (!strcmp(watch_operation(i), operation)) counters_total(engine_counters(f->engine), i, w.second, &row, NULL);
    }
    return row;
}

static const char *key_text(struct fixture *f, const struct watched_key *k)
{
    struct buf b;
    buf_init(&b, &f->text, 65536);
    item_to_json(&b, k->value);
    buf_u8(&b, 0);
    return (const char *)b.p;
}

static const char *text_of(struct fixture *f, struct slice s)
{
    return (const char *)arena_printf(&f->text, "%.*s%c", (int)s.n, (const char *)s.p, 0).p;
}

static void test_calls_are_counted(void **state)
{
    struct fixture *f = *state;
    q(f, "PutItem", "{'TableName':'shop','Item':{'PK':{'S':'a'},'SK':{'S':'1'},'G':{'N':'4'}}}");
    q(f, "PutItem", "{'TableName':'shop','Item':{'PK':{'S':'a'},'SK':{'S':'1'}},'ConditionExpression':'attribute_not_exists(PK)'}");
    q(f, "PutItem", "{'TableName':'shop','Item':{'SK':{'S':'1'}}}");
    q(f, "PutItem", "no JSON");
    struct counters_row put = row_of(f, "PutItem");
    assert_int_equal(put.calls, 4);
    assert_int_equal(put.failures[FAILURE_CONDITION], 1);
    assert_int_equal(put.failures[FAILURE_USER], 2);
    assert_int_equal(put.written, 1);
    assert_int_equal(put.write_halves, 2 + 2 + 2); /* item, entry, and the refused one all the same */

    q(f, "GetItem", "{'TableName':'shop','Key':{'PK':{'S':'a'},'SK':{'S':'1'}}}");
    q(f, "GetItem", "{'TableName':'shop','Key':{'PK':{'S':'a'},'SK':{'S':'2'}},'ConsistentRead':true}");
    struct counters_row get = row_of(f, "GetItem");
    assert_int_equal(get.read_halves, 1 + 2);
    assert_int_equal(get.returned, 1);

    q(f, "Query", "{'TableName':'shop','KeyConditionExpression':'PK=:p','ExpressionAttributeValues':{':p':{'S':'a'}}}");
    q(f, "Query", "{'TableName':'shop','IndexName':'byG','KeyConditionExpression':'G=:p','ExpressionAttributeValues':{':p':{'N':'4'}}}");
    assert_int_equal(row_of(f, "Query").read_halves, 2);
    q(f, "Scan", "{'TableName':'shop'}");
    assert_int_equal(row_of(f, "Scan").read_halves, 4); /* four partitions, as ConsumedCapacity has it */
    q(f, "BatchGetItem", "{'RequestItems':{'shop':{'Keys':[{'PK':{'S':'a'},'SK':{'S':'1'}},{'PK':{'S':'b'},'SK':{'S':'1'}}]}}}");
    assert_int_equal(row_of(f, "BatchGetItem").read_halves, 2);
    q(f, "TransactWriteItems", "{'TransactItems':[{'Put':{'TableName':'shop','Item':{'PK':{'S':'t'},'SK':{'S':'1'}}}}]}");
    assert_int_equal(row_of(f, "TransactWriteItems").write_halves, 4);
    q(f, "TransactGetItems", "{'TransactItems':[{'Get':{'TableName':'shop','Key':{'PK':{'S':'t'},'SK':{'S':'1'}}}}]}");
    assert_int_equal(row_of(f, "TransactGetItems").read_halves, 4);
}

static void test_tables_indexes_and_keys(void **state)
{
    struct fixture *f = *state;
    for (int i = 0; i < 20; i++) {
        q(f, "PutItem", "{'TableName':'shop','Item':{'PK':{'S':'p%d'},'SK':{'S':'1'},'G':{'N':'-1.5'}}}", i);
    }
    struct watch w = look(f);
    assert_int_equal(w.n_places, 2);
    assert_int_equal(w.places[0].index.n, 0);
    assert_int_equal(w.places[0].write_halves, 40);
    assert_int_equal(w.places[0].n_keys, COUNTERS_TOP);
    assert_true(slice_eq(w.places[1].index, SLICE("byG")));
    assert_int_equal(w.places[1].n_keys, 1);
    assert_string_equal(key_text(f, &w.places[1].keys[0]), "{\"G\":{\"N\":\"-1.5\"}}");
    assert_false(w.places[1].keys[0].hot); /* of twenty requests nothing follows */
    q(f, "DeleteTable", "{'TableName':'shop'}");
    assert_int_equal(look(f).n_places, 0);
    struct busy_place *places; /* not only not shown */
    assert_int_equal(counters_places(engine_counters(f->engine), &f->text, w.second, &places), 0);
}

static void test_a_hot_key(void **state)
{
    struct fixture *f = *state;
    char key[200];
    memset(key, 'k', sizeof key - 1);
    key[sizeof key - 1] = 0;
    for (int i = 0; i < 900; i++) {
        q(f, "GetItem", "{'TableName':'shop','Key':{'PK':{'S':'%s'},'SK':{'S':'%d'}}}", i % 3 ? key : "other", i);
    }
    struct watch w = look(f);
    assert_int_equal(w.n_places, 1);
    const struct watched_key *hot = &w.places[0].keys[0];
    assert_true(hot->cut);
    assert_true(hot->hot);
    assert_true(hot->share > 0.6 && hot->share < 0.7);
    assert_true(hot->load < 1.0 / 3);
    assert_holds(text_of(f, hot->advice), " % of what is asked of the table goes to this one partition");
    assert_int_equal(strlen(key_text(f, hot)), strlen("{\"PK\":{\"S\":\"\"}}") + TOP_KEY_BYTES - 2); /* which hold its length, too */
}

/* A third of what DynamoDB gives one partition is hot whatever its share is: 40 times 350 write units, over about fifteen seconds. */
static void test_a_key_near_the_limit(void **state)
{
    struct fixture *f = *state;
    static char large[350 * 1024 - 100];
    memset(large, 'x', sizeof large - 1);
    for (int i = 0; i < 40; i++) q(f, "PutItem", "{'TableName':'shop','Item':{'PK':{'S':'a'},'SK':{'S':'1'},'T':{'S':'%s'}}}", large);
    struct watch w = look(f);
    const struct watched_key *hot = &w.places[0].keys[0];
    assert_true(hot->hot);
    assert_true(hot->load > 1.0 / 3);
    assert_holds(text_of(f, hot->advice), "This partition takes 0 read and ");
    assert_holds(text_of(f, hot->advice), " of the 3,000 and 1,000 that DynamoDB gives one partition");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_totals_and_seconds),
        cmocka_unit_test(test_the_guest_is_apart),
        cmocka_unit_test(test_buckets_and_percentiles),
        cmocka_unit_test(test_a_busy_key_among_many),
        cmocka_unit_test(test_long_keys_and_numbers_of_places),
        cmocka_unit_test(test_threads),
        cmocka_unit_test_setup_teardown(test_calls_are_counted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_tables_indexes_and_keys, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_hot_key, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_key_near_the_limit, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
