/* test_rerun.c: calls that the store runs again: what a run left behind must not reach the next one. */
#include "engine_fixture.h"
#include <semaphore.h>
#include <stdio.h>

/* A job that keeps the writer until it is let go, so that what is submitted meanwhile becomes one batch. */
struct gate {
    struct store_job job;
    sem_t open, done;
};

static int wait_at_gate(struct store_txn *txn, void *ctx)
{
    struct gate *g = ctx;
    (void)txn;
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
    sem_init(&g->open, 0, 0);
    sem_init(&g->done, 0, 0);
    g->job = (struct store_job){ .fn = wait_at_gate, .ctx = g, .done = gate_done };
    store_submit(f->store, &g->job);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_binding_that_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
