/* test_conflicts.c: the registry of items in hand: who may have what, that everything is given back, and that threads may use it
 * at once. */
#include "engine_fixture.h"
#include "engine/conflicts.h"
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

/* A call that has nothing but its footprint. */
struct fake {
    struct call call;
    struct footprint f;
    struct footprint_item items[4];
    struct arena arena;
};

static void fake_open(struct fake *k)
{
    memset(k, 0, sizeof *k);
    arena_init(&k->arena, 1u << 20);
}

/* keys: one letter each; the call is as a new one. */
static void name_items(struct fake *k, enum footprint_style style, bool write, const char *keys)
{
    arena_reset(&k->arena);
    memset(k->items, 0, sizeof k->items);
    k->call = (struct call){ .arena = &k->arena, .footprint = &k->f, .err.arena = &k->arena };
    k->f = (struct footprint){ .style = style, .items = k->items, .n = strlen(keys) };
    for (size_t i = 0; i < k->f.n; i++) {
        k->items[i].key = slice_of(keys + i, 1);
        k->items[i].write = write;
    }
}

static int claim(struct conflicts *c, struct fake *k, enum footprint_style style, bool write, const char *keys)
{
    name_items(k, style, write, keys);
    return conflicts_claim(c, &k->call, NULL);
}

static void test_who_may_have_what(void **state)
{
    (void)state;
    struct conflicts *c = conflicts_open();
    struct fake held, other;
    fake_open(&held);
    fake_open(&other);

    assert_int_equal(claim(c, &held, FOOTPRINT_TRANSACTION, true, "ab"), 0);
    assert_int_equal(claim(c, &other, FOOTPRINT_SINGLE, true, "a"), ERR_TransactionConflictException);
    assert_int_equal(claim(c, &other, FOOTPRINT_SINGLE, true, "c"), 0);
    conflicts_release(c, &other.call);
    assert_int_equal(claim(c, &other, FOOTPRINT_SINGLE, false, "a"), 0); /* a plain read */
    assert_int_equal(claim(c, &other, FOOTPRINT_TRANSACTION, true, "cb"), ERR_TransactionCanceledException);
    assert_false(other.items[0].conflict);
    assert_true(other.items[1].conflict);
    assert_int_equal(claim(c, &other, FOOTPRINT_TRANSACTION, false, "b"), ERR_TransactionCanceledException);
    assert_int_equal(claim(c, &other, FOOTPRINT_BATCH, true, "acb"), 0);
    assert_true(other.items[0].refused && !other.items[1].refused && other.items[2].refused);
    conflicts_release(c, &other.call);
    conflicts_release(c, &held.call);
    conflicts_release(c, &held.call); /* as often as one likes */
    assert_int_equal(claim(c, &other, FOOTPRINT_TRANSACTION, true, "ab"), 0);
    conflicts_release(c, &other.call);

    assert_int_equal(claim(c, &held, FOOTPRINT_SINGLE, true, "a"), 0);
    assert_int_equal(claim(c, &other, FOOTPRINT_TRANSACTION, false, "ab"), ERR_TransactionCanceledException);
    assert_int_equal(claim(c, &other, FOOTPRINT_TRANSACTION, true, "ab"), 0); /* it follows the write */
    conflicts_release(c, &other.call);
    assert_int_equal(claim(c, &other, FOOTPRINT_SINGLE, true, "a"), 0);
    conflicts_release(c, &other.call);
    conflicts_release(c, &held.call);
    assert_int_equal(claim(c, &other, FOOTPRINT_TRANSACTION, false, "ab"), 0);

    conflicts_close(c);
    arena_free(&held.arena);
    arena_free(&other.arena);
}

static void test_tokens_are_apart_from_items(void **state)
{
    (void)state;
    struct conflicts *c = conflicts_open();
    struct fake held, other;
    fake_open(&held);
    fake_open(&other);
    name_items(&held, FOOTPRINT_TRANSACTION, true, "a");
    held.f.token = SLICE("b");
    assert_int_equal(conflicts_claim(c, &held.call, NULL), 0);
    assert_int_equal(claim(c, &other, FOOTPRINT_SINGLE, true, "b"), 0);
    conflicts_release(c, &other.call);
    name_items(&other, FOOTPRINT_TRANSACTION, true, "a");
    other.f.token = SLICE("b");
    assert_int_equal(conflicts_claim(c, &other.call, NULL), ERR_TransactionInProgressException);
    assert_int_equal(other.f.n_claims, 0);
    conflicts_release(c, &held.call);
    name_items(&other, FOOTPRINT_TRANSACTION, true, "a");
    other.f.token = SLICE("b");
    assert_int_equal(conflicts_claim(c, &other.call, NULL), 0);
    conflicts_release(c, &other.call);
    conflicts_close(c);
    arena_free(&held.arena);
    arena_free(&other.arena);
}

/* The writer binds again where a table has changed: the same items stay claimed, others take their place. */
static void test_binding_again(void **state)
{
    (void)state;
    struct conflicts *c = conflicts_open();
    struct fake call, other;
    fake_open(&call);
    fake_open(&other);
    assert_int_equal(claim(c, &call, FOOTPRINT_SINGLE, true, "a"), 0);
    assert_int_equal(claim(c, &other, FOOTPRINT_TRANSACTION, true, "a"), 0); /* comes after the write, and does not turn it away */
    struct footprint before = call.f, after = { .items = call.items, .n = 1 };
    call.call.footprint = &after;
    assert_int_equal(conflicts_claim(c, &call.call, &before), 0);
    assert_int_equal(after.n_claims, 1);

    struct footprint_item moved = { .key = SLICE("m"), .write = true };
    struct footprint again = { .items = &moved, .n = 1 };
    call.call.footprint = &again;
    assert_int_equal(conflicts_claim(c, &call.call, &after), 0);
    assert_int_equal(after.n_claims, 0);
    conflicts_release(c, &other.call);
    assert_int_equal(claim(c, &other, FOOTPRINT_TRANSACTION, false, "a"), 0);
    assert_int_equal(claim(c, &other, FOOTPRINT_TRANSACTION, false, "m"), ERR_TransactionCanceledException);
    conflicts_release(c, &call.call);
    assert_int_equal(claim(c, &other, FOOTPRINT_TRANSACTION, false, "m"), 0);
    conflicts_close(c);
    arena_free(&call.arena);
    arena_free(&other.arena);
}

/* Memory may run out while the writer binds again. What the call had claimed before lies in its arena, which is about to go: it
 * must still be given back. */
static void test_binding_again_without_memory(void **state)
{
    (void)state;
    struct conflicts *c = conflicts_open();
    struct fake call, other;
    fake_open(&call);
    fake_open(&other);
    assert_int_equal(claim(c, &call, FOOTPRINT_SINGLE, true, "a"), 0);
    struct footprint_item moved = { .key = SLICE("m"), .write = true };
    struct footprint before = call.f, after = { .items = &moved, .n = 1 };
    call.call.footprint = &after;
    call.arena.max = call.arena.used;
    call.arena.at = call.arena.end;
    volatile bool left = false;
    if (ARENA_GUARD(&call.arena)) {
        conflicts_claim(c, &call.call, &before);
    } else {
        left = true;
    }
    arena_unguard(&call.arena);
    assert_true(left);
    conflicts_release(c, &call.call);
    assert_int_equal(claim(c, &other, FOOTPRINT_TRANSACTION, false, "a"), 0);
    conflicts_close(c);
    arena_free(&call.arena);
    arena_free(&other.arena);
}

/* ---- threads ---- */

enum { THREADS = 4, ROUNDS = 4000, KEYS = 8 };

struct shared {
    struct conflicts *conflicts;
    int owners[KEYS]; /* guarded by nothing but the claims */
};

struct worker {
    struct shared *shared;
    unsigned seed;
    unsigned claimed, refused;
};

static unsigned next_number(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 16;
}

static void *work(void *arg)
{
    struct worker *w = arg;
    struct fake k;
    fake_open(&k);
    for (int round = 0; round < ROUNDS; round++) {
        char keys[4] = "";
        unsigned first = next_number(&w->seed) % KEYS;
        for (unsigned i = 0; i < 3; i++) keys[i] = (char)('a' + (first + i) % KEYS);
        if (claim(w->shared->conflicts, &k, FOOTPRINT_TRANSACTION, true, keys)) {
            w->refused++;
            continue;
        }
        w->claimed++;
        for (unsigned i = 0; i < 3; i++) w->shared->owners[keys[i] - 'a']++;
        for (unsigned i = 0; i < 3; i++) assert_int_equal(w->shared->owners[keys[i] - 'a']--, 1);
        conflicts_release(w->shared->conflicts, &k.call);
    }
    arena_free(&k.arena);
    return NULL;
}

static void test_threads_never_share_an_item(void **state)
{
    (void)state;
    struct shared shared = { .conflicts = conflicts_open() };
    struct worker workers[THREADS];
    pthread_t threads[THREADS];
    unsigned claimed = 0, refused = 0;
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){ .shared = &shared, .seed = i + 1 };
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        claimed += workers[i].claimed;
        refused += workers[i].refused;
    }
    assert_int_equal(claimed + refused, THREADS * ROUNDS);
    assert_true(claimed > 0);
    struct fake all;
    fake_open(&all);
    for (char key[2] = "a"; key[0] < 'a' + KEYS; key[0]++) {
        assert_int_equal(claim(shared.conflicts, &all, FOOTPRINT_TRANSACTION, false, key), 0);
    }
    conflicts_close(shared.conflicts);
    arena_free(&all.arena);
}

/* ---- calls ---- */

#define TRANSACTION "{\"TransactItems\":[{\"Put\":{\"TableName\":\"tab\",\"Item\":{\"p\":{\"S\":\"x\"}}}}]," \
                    "\"ClientRequestToken\":\"once\"}"

static void open_with_table(struct fixture *f)
{
    fixture_open_with(f, &(struct store_options){ 0 }, &(struct engine_options){ .conflicts = CONFLICTS_DYNAMODB });
    assert_holds(q(f, "CreateTable", "{'TableName':'tab','BillingMode':'PAY_PER_REQUEST','KeySchema':[{'AttributeName':'p','KeyType':'HASH'}],"
                                     "'AttributeDefinitions':[{'AttributeName':'p','AttributeType':'S'}]}"), "CREATING");
}

static void test_a_call_that_is_never_run(void **state)
{
    (void)state;
    struct fixture f;
    open_with_table(&f);
    struct arena arena;
    arena_init(&arena, 1u << 20);
    struct call prepared = { 0 };
    assert_int_equal(call_prepare(&prepared, f.engine, &arena, (struct caller){ 0 }, SLICE("TransactWriteItems"), SLICE(TRANSACTION)), 0);
    assert_holds(q(&f, "PutItem", "{'TableName':'tab','Item':{'p':{'S':'x'}}}"), "TransactionConflictException");
    assert_holds(ask_slice(&f, "TransactWriteItems", SLICE(TRANSACTION)), "TransactionInProgressException");
    call_end(&prepared);
    assert_string_equal(q(&f, "PutItem", "{'TableName':'tab','Item':{'p':{'S':'x'}}}"), "{}");
    assert_string_equal(ask_slice(&f, "TransactWriteItems", SLICE(TRANSACTION)), "{}");
    assert_string_equal(q(&f, "PutItem", "{'TableName':'tab','Item':{'p':{'S':'x'}}}"), "{}");
    arena_free(&arena);
    fixture_close(&f);
}

/* A look from within the transaction in which the call has run, and which is not committed yet. */
struct look {
    struct engine *engine;
    const struct call *under_way;
    sem_t done;
    bool ran;
    int refused;
};

static int look_at_the_item(struct store_txn *txn, void *ctx)
{
    (void)txn;
    struct look *look = ctx;
    struct arena arena;
    struct call other = { 0 };
    arena_init(&arena, 1u << 20);
    look->ran = look->under_way->ran;
    look->refused = call_prepare(&other, look->engine, &arena, (struct caller){ 0 }, SLICE("PutItem"),
                                 SLICE("{\"TableName\":\"tab\",\"Item\":{\"p\":{\"S\":\"x\"}}}"));
    call_end(&other);
    arena_free(&arena);
    return 0;
}

static void post_look(struct store_job *job)
{
    sem_post(&((struct look *)job->ctx)->done);
}

static int wait_for(struct store_txn *txn, void *semaphore)
{
    (void)txn;
    while (sem_wait(semaphore) != 0) continue;
    return 0;
}

static void no_more(struct call *call)
{
    (void)call;
}

/* While the writer is busy a transaction and a look are queued: it then runs both in one batch, with one commit behind them. */
static void test_items_stay_claimed_until_the_commit(void **state)
{
    (void)state;
    struct fixture f;
    struct arena arena;
    struct call call = { 0 };
    sem_t go;
    open_with_table(&f);
    struct look look = { .engine = f.engine, .under_way = &call };
    struct store_job busy = { .fn = wait_for, .ctx = &go }, job = { .fn = look_at_the_item, .ctx = &look, .done = post_look };
    sem_init(&go, 0, 0);
    sem_init(&look.done, 0, 0);
    arena_init(&arena, 1u << 20);
    store_submit(f.store, &busy);
    call.done = no_more;
    assert_int_equal(call_prepare(&call, f.engine, &arena, (struct caller){ 0 }, SLICE("TransactWriteItems"), SLICE(TRANSACTION)), 0);
    call_start(&call);
    store_submit(f.store, &job);
    sem_post(&go);
    wait_for(NULL, &look.done);
    assert_true(look.ran);
    assert_int_equal(look.refused, ERR_TransactionConflictException);
    assert_string_equal(q(&f, "PutItem", "{'TableName':'tab','Item':{'p':{'S':'x'}}}"), "{}");
    call_end(&call);
    arena_free(&arena);
    sem_destroy(&go);
    sem_destroy(&look.done);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_who_may_have_what),
        cmocka_unit_test(test_tokens_are_apart_from_items),
        cmocka_unit_test(test_binding_again),
        cmocka_unit_test(test_binding_again_without_memory),
        cmocka_unit_test(test_threads_never_share_an_item),
        cmocka_unit_test(test_a_call_that_is_never_run),
        cmocka_unit_test(test_items_stay_claimed_until_the_commit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
