/* database_faults.c EVERY [OPERATION]: the store on PostgreSQL, where each call of libpq fails once, and each allocation; EVERY 3: every third of them.
 *
 * What must hold: a lost connection is not heard of, since the next one works; what was acknowledged is there, once; what failed left nothing.
 * The part `libpq` of tests/torture runs it with all of them. */
#include "faulty.h"
#include "raising.h"
#include <stdio.h>
#include <stdlib.h>

#define MOST_CALLS 2000 /* of one operation */

static unsigned every = 1;
static const char *only; /* an operation; NULL: all */

static const char *const words[] = { [FAULT_CALL] = "a call fails", [FAULT_CUT] = "the connection is cut", [FAULT_MEMORY] = "there is no memory" };

static void assert_fits(struct world *w, const struct operation *op, enum fault fault, unsigned nth, int rc)
{
    bool told = rc == STORE_OK || rc == STORE_NO_MEMORY, fits = world_fits(w);
    if (told && fits) return;
    print_error("%s, %s at call %u: %s; %s\n", op->name, words[fault], nth, store_status_text(rc), fits ? "nothing is lost" : "what is there does not fit");
    fail();
}

/* Returns how often something failed. There are few allocations, and all are tried. */
static unsigned let_each_fail(struct world *w, const struct operation *op, enum fault fault, void begin(enum fault fault, unsigned nth))
{
    unsigned step = fault == FAULT_MEMORY ? 1 : every, nth = 1 + (unsigned)(op - operations) % step, failed = 0;
    for (bool hit = true; hit; nth += step) {
        assert_true(nth < MOST_CALLS);
        begin(fault, nth);
        int rc = world_do(w, op);
        hit = faulty_end();
        failed += hit;
        assert_fits(w, op, fault, nth, rc);
        if (hit) assert_int_equal(world_do(w, op), STORE_OK); /* and so all have a connection again */
    }
    printf("%s, %s: %u times\n", op->name, words[fault], failed);
    fflush(stdout);
    return failed;
}

static bool is_wanted(const struct operation *op)
{
    return !only || !strcmp(op->name, only);
}

static void every_operation(struct fixture *f, enum fault fault)
{
    struct world w;
    unsigned failed = 0;
    if (!faulty_has(fault)) skip();
    world_make(&w, f->s);
    for (const struct operation *op = operations; op->name; op++)
        if (is_wanted(op)) failed += let_each_fail(&w, op, fault, faulty_begin);
    assert_true(failed > 0 || only);
}

static void a_call_that_fails_is_not_heard_of(void **state)
{
    every_operation(*state, FAULT_CALL);
}

static void a_connection_that_is_cut_is_not_heard_of(void **state)
{
    every_operation(*state, FAULT_CUT);
}

static void without_memory_nothing_is_half_done(void **state)
{
    every_operation(*state, FAULT_MEMORY);
}

/* ... and what connects anew fails, too. */
static void a_connection_that_is_lost_again_is_not_heard_of(void **state)
{
    struct fixture *f = *state;
    struct world w;
    world_make(&w, f->s);
    for (const struct operation *op = operations; op->name; op++)
        if (is_wanted(op) && (op->kind == VIEW_LONG || op->fn == operations[0].fn))
            assert_true(let_each_fail(&w, op, op->kind == VIEW_LONG ? FAULT_CUT : FAULT_CALL, faulty_begin_cut_off) > 90 / every); /* statements are prepared */
}

/* ---- rows on several machines ---- */

static void the_same_holds_where_rows_are_spread(void **state)
{
    struct fixture *f = *state;
    struct world w;
    assert_true(store_is_spread(f->s));
    world_make(&w, f->s);
    for (const struct operation *op = operations; op->name; op++) {
        assert_int_equal(world_do(&w, op), STORE_OK);
        if (is_wanted(op) && (op->fn == operations[0].fn || op->kind == VIEWS)) let_each_fail(&w, op, FAULT_CALL, faulty_begin);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(a_call_that_fails_is_not_heard_of),
        TEST(a_connection_that_is_cut_is_not_heard_of),
        TEST(a_connection_that_is_lost_again_is_not_heard_of),
        TEST(without_memory_nothing_is_half_done),
        cmocka_unit_test_setup_teardown(the_same_holds_where_rows_are_spread, fixture_setup_spread, fixture_teardown),
    };
    if (!getenv("TEST_PG_URL")) return 77; /* skipped: there is no database */
    if (argc > 1) every = (unsigned)strtoul(argv[1], NULL, 10);
    if (argc > 2) only = argv[2];
    fixture_backend = "postgres";
    if (!every || !faulty_install()) return 1;
    return cmocka_run_group_tests_name("database faults", tests, NULL, NULL);
}
