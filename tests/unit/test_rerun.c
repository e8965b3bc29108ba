/* test_rerun.c: calls that the store runs again: what a run left behind must not reach the next one. */
#include "engine_fixture.h"
#include "moved_clock.h"
#include "engine/history.h"
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A job that keeps the writer until it is let go, so that what is submitted meanwhile becomes one batch. */
struct gate {
    struct store_job job;
    sem_t reached, open, done;
};

static int wait_at_gate(struct store_txn *txn, void *ctx)
{
    struct gate *g = ctx;
    (void)txn;
    sem_post(&g->reached);
    while (sem_wait(&g->open)) continue;
    sem_post(&g->open); /* it may be run again, too */
    return 0;
}

static void gate_done(struct store_job *job)
{
    sem_post(&((struct gate *)job->ctx)->done);
}

static void close_gate(struct fixture *f, struct gate *g)
{
    sem_init(&g->reached, 0, 0);
    sem_init(&g->open, 0, 0);
    sem_init(&g->done, 0, 0);
    g->job = (struct store_job){ .fn = wait_at_gate, .ctx = g, .done = gate_done };
    store_submit(f->store, &g->job);
    while (sem_wait(&g->reached)) continue;
}

/* A job that fails after it has written: those before it in the batch are run again. */
struct spoiler {
    struct store_job job;
    sem_t done;
};

static int write_and_fail(struct store_txn *txn, void *ctx)
{
    (void)ctx;
    assert_int_equal(store_put(txn, SPACE_META, SLICE("zz"), SLICE("x")), STORE_OK);
    return 1;
}

static void spoiler_done(struct store_job *job)
{
    sem_post(&((struct spoiler *)job->ctx)->done);
}

static void call_done(struct call *call)
{
    sem_post(call->user);
}

static void create(struct fixture *f, const char *name)
{
    assert_holds(q(f, "CreateTable",
                   "{'TableName':'%s','BillingMode':'PAY_PER_REQUEST',"
                   "'AttributeDefinitions':[{'AttributeName':'p','AttributeType':'S'}],"
                   "'KeySchema':[{'AttributeName':'p','KeyType':'HASH'}]}",
                   name),
                 "TableDescription");
}

/* The table is gone when the call is run: binding it again fails, and has to fail again in the run after that. The call must
 * not go on with what it knew of the table, which nobody holds any more. */
static void test_binding_that_failed(void **state)
{
    struct fixture f;
    struct gate gate;
    struct spoiler spoiler;
    struct arena arena;
    sem_t done;
    (void)state;
    fixture_open_with(&f, &(struct store_options){ 0 }, &(struct engine_options){ .conflicts = CONFLICTS_DYNAMODB });
    arena_init(&arena, 1u << 20);
    create(&f, "shop");

    sem_init(&done, 0, 0);
    sem_init(&spoiler.done, 0, 0);
    struct call call = { .done = call_done, .user = &done };
    assert_int_equal(call_prepare(&call, f.engine, &arena, (struct caller){ 0 }, SLICE("PutItem"),
                                  SLICE("{\"TableName\":\"shop\",\"Item\":{\"p\":{\"S\":\"1\"}}}")),
                     0);
    assert_holds(q(&f, "DeleteTable", "{'TableName':'shop'}"), "DELETING");

    close_gate(&f, &gate);
    call_start(&call);
    spoiler.job = (struct store_job){ .fn = write_and_fail, .ctx = &spoiler, .done = spoiler_done };
    store_submit(f.store, &spoiler.job);
    sem_post(&gate.open);
    while (sem_wait(&gate.done)) continue;
    while (sem_wait(&done)) continue;
    while (sem_wait(&spoiler.done)) continue;

    struct store_stats stats;
    store_get_stats(f.store, &stats);
    assert_true(stats.reruns > 0); /* otherwise this tests nothing */
    assert_int_equal(call.err.code, ERR_ResourceNotFoundException);
    call_end(&call);
    arena_free(&arena);
    fixture_close(&f);
}

/* ---- everything at once ---- */

#define START   1700000000000
#define HOUR_MS ((int64_t)60 * 60 * 1000)

enum { WRITERS = 3, KEYS = 12, ROUNDS = 1500 };

static atomic_int at_work;

struct worker {
    struct fixture *f;
    struct arena arena;
    unsigned seed;
};

/* The answer stays until the worker's next question. */
static const char *tell(struct worker *w, const char *operation, const char *fmt, ...)
{
    struct call call = { 0 };
    va_list ap;
    arena_reset(&w->arena);
    va_start(ap, fmt);
    struct slice body = arena_vprintf(&w->arena, fmt, ap);
    va_end(ap);
    for (size_t i = 0; i < body.n; i++) {
        uint8_t *p = (uint8_t *)(uintptr_t)body.p + i;
        if (*p == '\'') *p = '"';
    }
    if (!call_prepare(&call, w->f->engine, &w->arena, (struct caller){ 0 }, slice_str(operation), body)) call_run(&call);
    struct slice answer = call_answer(&call);
    char *text = (char *)arena_bytes(&w->arena, answer.n + 1);
    if (answer.n) memcpy(text, answer.p, answer.n);
    text[answer.n] = 0;
    call_end(&call);
    if (strstr(text, "InternalServerError")) fail_msg("%s: %s", operation, text);
    return text;
}

static void *write_items(void *ctx)
{
    struct worker *w = ctx;
    for (int i = 0; i < ROUNDS; i++) {
        int key = rand_r(&w->seed) % KEYS, other = (key + 1) % KEYS, value = rand_r(&w->seed);
        long long expires = clock_ms / 1000 + rand_r(&w->seed) % 3 * 1800;
        switch (rand_r(&w->seed) % 5) {
        case 0:
            tell(w, "DeleteItem", "{'TableName':'kept','Key':{'p':{'S':'%d'}}}", key);
            break;
        case 1:
            tell(w, "TransactWriteItems",
                 "{'ClientRequestToken':'%d','TransactItems':[{'Put':{'TableName':'kept','Item':{'p':{'S':'%d'},'v':{'N':'%d'}}}},"
                 "{'Delete':{'TableName':'kept','Key':{'p':{'S':'%d'}}}}]}",
                 value, key, value, other);
            break;
        case 2:
            tell(w, "BatchWriteItem",
                 "{'RequestItems':{'kept':[{'PutRequest':{'Item':{'p':{'S':'%d'},'e':{'N':'%lld'}}}}],"
                 "'toggled':[{'PutRequest':{'Item':{'p':{'S':'%d'}}}}]}}",
                 key, expires, other);
            break;
        case 3:
            tell(w, "PutItem", "{'TableName':'toggled','Item':{'p':{'S':'%d'},'e':{'N':'%lld'}}}", key, expires);
            break;
        default:
            tell(w, "UpdateItem",
                 "{'TableName':'kept','Key':{'p':{'S':'%d'}},'UpdateExpression':'SET v = :v',"
                 "'ExpressionAttributeValues':{':v':{'N':'%d'}}}",
                 key, value);
        }
    }
    at_work--;
    return NULL;
}

static void make_toggled(struct worker *w)
{
    tell(w, "CreateTable",
         "{'TableName':'toggled','BillingMode':'PAY_PER_REQUEST',"
         "'AttributeDefinitions':[{'AttributeName':'p','AttributeType':'S'}],"
         "'KeySchema':[{'AttributeName':'p','KeyType':'HASH'}],"
         "'StreamSpecification':{'StreamEnabled':true,'StreamViewType':'KEYS_ONLY'}}");
}

/* Changes the tables under the writers: a table goes and comes, the other one's history is split, time passes. */
static void *change_tables(void *ctx)
{
    struct worker *w = ctx;
    for (int i = 0; at_work; i++) {
        tell(w, "UpdateTimeToLive", "{'TableName':'toggled','TimeToLiveSpecification':{'AttributeName':'e','Enabled':%s}}",
             i % 2 ? "false" : "true");
        tell(w, "UpdateTable", "{'TableName':'toggled','StreamSpecification':{'StreamEnabled':false}}");
        tell(w, "TagResource", "{'ResourceArn':'arn:aws:dynamodb:us-east-1:000000000000:table/kept','Tags':[{'Key':'k','Value':'%d'}]}", i);
        if (i % 3 == 0) {
            tell(w, "DeleteTable", "{'TableName':'toggled'}");
            make_toggled(w);
        }
        if (i < 20) {
            tell(w, "UpdateTable", "{'TableName':'kept','WarmThroughput':{'WriteUnitsPerSecond':%d}}", 4000 + i * 1000);
            clock_ms += HOUR_MS;
        }
        tell(w, "ListStreams", "{}");
        usleep(500);
    }
    return NULL;
}

static int count_and_fail(struct store_txn *txn, void *ctx)
{
    (void)ctx;
    int status = store_put(txn, SPACE_META, SLICE("zz"), SLICE("x"));
    return status ? status : 1;
}

static void *spoil(void *ctx)
{
    struct worker *w = ctx;
    while (at_work) {
        store_update(w->f->store, count_and_fail, NULL);
        usleep(200);
    }
    return NULL;
}

struct chain {
    struct arena arena;
    struct slice now[KEYS]; /* the last image of each item; empty: not there */
    size_t changes;
};

static int key_of(struct slice item)
{
    struct slice v;
    assert_true(val_get(item, SLICE("p"), &v));
    int key = 0;
    for (size_t i = 0; i < val_content(v).n; i++)
        key = key * 10 + val_content(v).p[i] - '0';
    return key;
}

/* Whoever reads the segments by number, each by sequence, sees every item's changes in their order. */
static int follow(struct store_txn *txn, void *ctx)
{
    struct chain *chain = ctx;
    struct slice key, value;
    struct store_cursor *cursor;
    struct store_range range = { .space = SPACE_STREAM, .from = slice_of("\0\0\0\1", 4), .to = slice_of("\0\0\0\2", 4) };
    int status = store_range_open(txn, &range, &cursor);
    while (!status && !(status = store_range_next(cursor, &key, &value))) {
        struct history_change c;
        assert_true(history_read(key, value, &c));
        struct slice *now = &chain->now[key_of(c.key)];
        if (!val_equal(*now, c.old_item)) fail_msg("change %zu does not follow from the one before it", chain->changes);
        *now = arena_dup(&chain->arena, c.new_item);
        chain->changes++;
    }
    return status == STORE_END ? STORE_OK : status;
}

static void create_kept(struct fixture *f)
{
    assert_holds(q(f, "CreateTable",
                   "{'TableName':'kept','BillingMode':'PAY_PER_REQUEST',"
                   "'AttributeDefinitions':[{'AttributeName':'p','AttributeType':'S'}],"
                   "'KeySchema':[{'AttributeName':'p','KeyType':'HASH'}],"
                   "'StreamSpecification':{'StreamEnabled':true,'StreamViewType':'NEW_AND_OLD_IMAGES'}}"),
                 "TableDescription");
    q(f, "UpdateTimeToLive", "{'TableName':'kept','TimeToLiveSpecification':{'AttributeName':'e','Enabled':true}}");
}

static void test_everything_at_once(void **state)
{
    struct fixture f;
    struct worker workers[WRITERS + 2] = { 0 };
    pthread_t threads[WRITERS + 2];
    struct chain chain = { 0 };
    (void)state;
    clock_ms = START;
    fixture_open_with(&f, &(struct store_options){ 0 },
                      &(struct engine_options){ .now_ms = read_clock, .conflicts = CONFLICTS_DYNAMODB, .throttle = true });
    create_kept(&f);
    at_work = WRITERS;
    for (unsigned i = 0; i < WRITERS + 2; i++) {
        workers[i] = (struct worker){ .f = &f, .seed = i + 1 };
        arena_init(&workers[i].arena, (size_t)64 << 20);
    }
    make_toggled(&workers[0]);
    for (unsigned i = 0; i < WRITERS + 2; i++) {
        void *(*run)(void *) = i < WRITERS ? write_items : i == WRITERS ? change_tables : spoil;
        assert_int_equal(pthread_create(&threads[i], NULL, run, &workers[i]), 0);
    }
    for (unsigned i = 0; i < WRITERS + 2; i++) {
        pthread_join(threads[i], NULL);
        arena_free(&workers[i].arena);
    }
    struct store_stats stats;
    store_get_stats(f.store, &stats);
    engine_close(f.engine); /* nothing expires any more */
    f.engine = NULL;
    arena_init(&chain.arena, (size_t)256 << 20);
    assert_int_equal(store_view(f.store, follow, &chain), STORE_OK);
    assert_true(chain.changes > ROUNDS);
    print_message("%zu changes, %llu reruns\n", chain.changes, (unsigned long long)stats.reruns);
    arena_free(&chain.arena);
    fixture_close(&f);
}

/* A history is split, an item expires and is put again, all in one batch: the put still goes to the segment that is closed. The
 * expiry, which came before it, must not be in the heir. */
static void test_an_expiry_in_the_batch_that_splits_the_history(void **state)
{
    struct fixture f;
    struct gate gate;
    struct arena arenas[2];
    struct chain chain = { 0 };
    sem_t done;
    (void)state;
    clock_ms = START;
    fixture_open_with(&f, &(struct store_options){ 0 }, &(struct engine_options){ .now_ms = read_clock });
    create_kept(&f);
    q(&f, "PutItem", "{'TableName':'kept','Item':{'p':{'S':'1'},'e':{'N':'%lld'}}}", (long long)START / 1000 + 60);

    sem_init(&done, 0, 0);
    struct call calls[2] = { { .done = call_done, .user = &done }, { .done = call_done, .user = &done } };
    static const char *const operations[] = { "UpdateTable", "PutItem" };
    static const char *const bodies[] = { "{\"TableName\":\"kept\",\"WarmThroughput\":{\"WriteUnitsPerSecond\":8000}}",
                                          "{\"TableName\":\"kept\",\"Item\":{\"p\":{\"S\":\"1\"}}}" };
    for (int i = 0; i < 2; i++) {
        arena_init(&arenas[i], 1u << 20);
        assert_int_equal(call_prepare(&calls[i], f.engine, &arenas[i], (struct caller){ 0 }, slice_str(operations[i]),
                                      slice_str(bodies[i])),
                         0);
    }
    usleep(200000); /* for what the new time to live has to look through */
    close_gate(&f, &gate);
    call_start(&calls[0]);
    clock_ms += 60 * 1000;
    usleep(200000); /* for the work behind the calls to find it due. Where these are too short, this cannot fail */
    call_start(&calls[1]);
    sem_post(&gate.open);
    while (sem_wait(&gate.done)) continue;
    for (int i = 0; i < 2; i++) {
        while (sem_wait(&done)) continue;
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(calls[i].err.code, 0);
        call_end(&calls[i]);
        arena_free(&arenas[i]);
    }
    assert_holds(q(&f, "GetItem", "{'TableName':'kept','Key':{'p':{'S':'1'}}}"), "\"Item\"");
    arena_init(&chain.arena, 1u << 20);
    assert_int_equal(store_view(f.store, follow, &chain), STORE_OK);
    assert_true(chain.now[1].n);
    arena_free(&chain.arena);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_binding_that_failed),
        cmocka_unit_test(test_everything_at_once),
        cmocka_unit_test(test_an_expiry_in_the_batch_that_splits_the_history),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
