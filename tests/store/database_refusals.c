/* database_refusals.c: what the store on PostgreSQL makes of what it is told: tables that are not there, or of another version, rows that PostgreSQL does not
 * take, for each reason it has, rows that are damaged; and that opening, leading and making tables fail with words or not at all. */
#include "faulty.h"
#include "raising.h"
#include <stdio.h>
#include <stdlib.h>

#define MOST_CALLS 2000 /* of one operation */

/* ---- opening, leading, making ---- */

static void opening_fails_with_a_sentence_or_works(void **state)
{
    struct fixture *f = *state;
    for (enum fault fault = FAULT_CALL; fault <= FAULT_MEMORY; fault++) {
        bool hit = faulty_has(fault);
        for (unsigned nth = 1; hit; nth++) {
            char message[400] = "";
            struct store *s;
            assert_true(nth < MOST_CALLS);
            faulty_begin(fault, nth);
            int rc = store_open(&s, &f->options, message, sizeof message);
            if (!rc) store_close(s);
            hit = faulty_end();
            assert_true(!rc || message[0]);
        }
    }
    world_make(&(struct world){ 0 }, f->s);
}

static void who_leads_and_is_cut_off_leads_again(void **state)
{
    struct fixture *f = *state;
    for (enum fault fault = FAULT_CALL; fault <= FAULT_CUT; fault++) {
        bool hit = true;
        for (unsigned nth = 1; hit; nth++) {
            double until = seconds() + 20;
            assert_true(nth < MOST_CALLS);
            faulty_begin(fault, nth);
            store_leads(f->s);
            hit = faulty_end();
            while (!store_leads(f->s)) assert_true(seconds() < until); /* PostgreSQL has to notice, too */
        }
    }
}

static void making_tables_leaves_all_or_none(void **state)
{
    struct fixture *f = *state;
    char message[400];
    bool made = false;
    fixture_close(f);
    for (enum fault fault = FAULT_CALL; fault <= FAULT_CUT; fault++) {
        assert_int_equal(database_run(f->url, "DROP TABLE onefold_schema, onefold_epoch, onefold_server, onefold_meta, onefold_item, onefold_index, "
                                              "onefold_token, onefold_stream, onefold_counter"), 0);
        made = false;
        for (unsigned nth = 1; !made; nth++) {
            struct store *s;
            assert_true(nth < MOST_CALLS);
            message[0] = 0;
            faulty_begin(fault, nth);
            int rc = store_postgres_init(f->url, &made, message, sizeof message);
            faulty_end();
            if (rc) assert_true(message[0]);
            rc = store_open(&s, &f->options, message, sizeof message);
            assert_true(!rc || (!made && strstr(message, "onefold store init")));
            if (!rc) store_close(s);
            made = !rc; /* of a COMMIT that was lost it is not told */
        }
    }
}

static void tables_of_another_version_are_refused(void **state)
{
    struct fixture *f = *state;
    char message[400];
    bool made;
    assert_int_equal(database_run(f->url, "UPDATE onefold_schema SET version = 2"), 0);
    fixture_close(f);
    assert_int_equal(store_open(&f->s, &f->options, message, sizeof message), STORE_INVALID);
    assert_non_null(strstr(message, "have version 2, made by a newer Onefold"));
    assert_int_equal(store_postgres_init(f->url, &made, message, sizeof message), STORE_INVALID);
    assert_non_null(strstr(message, "have version 2"));
}

/* ---- refusals ---- */

struct heard {
    atomic_int state;
    char why[100];
};

static void hear(void *ctx, int state, const char *why)
{
    struct heard *h = ctx;
    snprintf(h->why, sizeof h->why, "%s", why);
    atomic_store(&h->state, state);
}

/* PostgreSQL refuses rows of items with this SQLSTATE, so often. */
static void refuse(struct fixture *f, const char *sqlstate, unsigned times)
{
    char sql[700];
    snprintf(sql, sizeof sql,
             "CREATE SEQUENCE tries; CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
             "IF nextval('tries') <= %u THEN RAISE EXCEPTION 'told to' USING ERRCODE = '%s'; END IF; RETURN NEW; END $$; "
             "CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON onefold_item FOR EACH ROW EXECUTE FUNCTION refuse()",
             times, sqlstate);
    assert_int_equal(database_run(f->url, sql), 0);
}

static void relent(struct fixture *f)
{
    assert_int_equal(database_run(f->url, "SET client_min_messages = error; DROP FUNCTION refuse CASCADE; DROP SEQUENCE tries"), 0);
}

static void open_with_ears(struct fixture *f, struct heard *h)
{
    f->options.told = hear;
    f->options.told_ctx = h;
    fixture_reopen(f);
}

static void a_refusal_is_told_as_what_it_is(void **state)
{
    static const struct {
        const char *sqlstate;
        int status;
    } all[] = { { "53100", STORE_FULL }, { "53200", STORE_NO_MEMORY }, { "58030", STORE_IO }, { "XX001", STORE_CORRUPT }, { "22000", STORE_IO } };
    struct fixture *f = *state;
    struct heard h = { .why = "" };
    struct world w;
    open_with_ears(f, &h);
    world_make(&w, f->s);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct store_stats stats;
        refuse(f, all[i].sqlstate, 1000);
        assert_int_equal(world_do(&w, operations), all[i].status);
        if (all[i].status != STORE_NO_MEMORY) assert_int_equal(atomic_load(&h.state), all[i].status);
        if (all[i].status != STORE_NO_MEMORY) assert_non_null(strstr(h.why, "told to"));
        store_get_stats(f->s, &stats);
        assert_int_equal(stats.state, all[i].status == STORE_FULL ? STORE_FULL : STORE_OK);
        relent(f);
        assert_int_equal(world_do(&w, operations), STORE_OK);
        assert_int_equal(atomic_load(&h.state), STORE_OK);
        assert_true(world_fits(&w));
    }
}

/* A conflict, a deadlock, a lock that is not to be had; a primary that shuts down, has no connection left, or is none any more. */
static void what_passes_is_not_heard_of(void **state)
{
    static const char *const all[] = { "40001", "40P01", "55P03", "57P01", "53300", "25006", "08006" };
    struct fixture *f = *state;
    struct world w;
    world_make(&w, f->s);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        refuse(f, all[i], 6);
        assert_int_equal(world_do(&w, operations), STORE_OK);
        relent(f);
        assert_true(world_fits(&w));
    }
}

static void a_server_whose_row_is_gone_goes_on_as_another(void **state)
{
    struct fixture *f = *state;
    struct world w;
    world_make(&w, f->s);
    for (const struct operation *op = operations; op->kind == UPDATE; op++) {
        assert_int_equal(database_run(f->url, "DELETE FROM onefold_server"), 0);
        assert_int_equal(world_do(&w, op), STORE_OK);
        assert_true(world_fits(&w));
    }
}

/* ---- damage ---- */

static void spoil(struct fixture *f)
{
    assert_int_equal(database_run(f->url, "UPDATE onefold_item SET value = 'spoilt' WHERE place = 'f0000000' AND head = '00000000003'"), 0);
}

static int read_damaged(struct store_txn *t, void *ctx)
{
    struct slice value;
    (void)ctx;
    return store_get(t, SPACE_ITEM, SLICE("f000000000000000003"), &value);
}

static int read_range_with_damage(struct store_txn *t, void *ctx)
{
    struct store_range r = { .space = SPACE_ITEM, .reverse = *(bool *)ctx };
    struct store_cursor *c;
    int rc = store_range_open(t, &r, &c);
    struct slice value;
    while (!rc) rc = store_range_next(c, NULL, &value);
    return rc;
}

/* Counts what a range has: rows with a value, and rows whose value is damaged. */
struct passed {
    bool reverse;
    unsigned whole, damaged;
};

static int pass_over_damage(struct store_txn *t, void *ctx)
{
    struct passed *p = ctx;
    struct store_range r = { .space = SPACE_ITEM, .reverse = p->reverse };
    struct store_cursor *c;
    p->whole = p->damaged = 0;
    int rc = store_range_open(t, &r, &c);
    while (!rc) {
        struct slice key = { 0 }, value;
        rc = store_range_next(c, &key, &value);
        p->whole += !rc;
        if (rc != STORE_CORRUPT || !slice_eq(key, SLICE("f000000000000000003"))) continue;
        p->damaged++;
        rc = STORE_OK;
    }
    return rc == STORE_END ? STORE_OK : rc;
}

static int keys_of_all(struct store_txn *t, void *ctx)
{
    struct passed *p = ctx;
    struct store_range r = { .space = SPACE_ITEM, .reverse = p->reverse };
    struct store_cursor *c;
    struct slice key;
    p->whole = 0;
    int rc = store_range_open(t, &r, &c);
    while (!rc && !(rc = store_range_next(c, &key, NULL))) p->whole++;
    return rc == STORE_END ? STORE_OK : rc;
}

static int many_beside_damage(struct store_txn *t, void *ctx)
{
    struct store_read reads[] = { { .space = SPACE_ITEM, .key = SLICE("f000000000000000002") },
                                  { .space = SPACE_ITEM, .key = SLICE("f000000000000000003") } };
    (void)ctx;
    assert_int_equal(store_get_many(t, reads, 2), STORE_CORRUPT);
    assert_int_equal(reads[0].status, STORE_OK);
    assert_int_equal(reads[1].status, STORE_CORRUPT);
    return STORE_OK;
}

static void a_range_goes_on_behind_a_damaged_row(void **state)
{
    struct fixture *f = *state;
    struct world w;
    struct passed before = { 0 }, p = { 0 };
    world_make(&w, f->s);
    assert_int_equal(store_view(f->s, pass_over_damage, &before), STORE_OK);
    assert_true(before.whole > 3 && !before.damaged);
    spoil(f);
    int (*const ways[])(struct store *s, store_fn *fn, void *ctx) = { store_view, store_view_long, store_update };
    for (size_t i = 0; i < 6; i++) {
        p.reverse = i >= 3;
        assert_int_equal(ways[i % 3](f->s, pass_over_damage, &p), STORE_OK);
        assert_int_equal(p.whole, before.whole - 1);
        assert_int_equal(p.damaged, 1);
        assert_int_equal(ways[i % 3](f->s, keys_of_all, &p), STORE_OK);
        assert_int_equal(p.whole, before.whole);
        assert_int_equal(ways[i % 3](f->s, many_beside_damage, NULL), STORE_OK);
    }
}

static int read_many_with_damage(struct store_txn *t, void *ctx)
{
    struct store_read reads[] = { { .space = SPACE_ITEM, .key = SLICE("f000000000000000002") },
                                  { .space = SPACE_ITEM, .key = SLICE("f000000000000000003") },
                                  { .space = SPACE_TOKEN, .key = SLICE("token") } };
    (void)ctx;
    return store_get_many(t, reads, 3);
}

static void a_damaged_row_fails_who_reads_it(void **state)
{
    struct fixture *f = *state;
    struct world w;
    bool up = false, down = true;
    world_make(&w, f->s);
    spoil(f);
    int (*const ways[])(struct store *s, store_fn *fn, void *ctx) = { store_view, store_view_long, store_update };
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(ways[i](f->s, read_damaged, NULL), STORE_CORRUPT);
        assert_int_equal(ways[i](f->s, read_many_with_damage, NULL), STORE_CORRUPT);
        assert_int_equal(ways[i](f->s, read_range_with_damage, &up), STORE_CORRUPT);
        assert_int_equal(ways[i](f->s, read_range_with_damage, &down), STORE_CORRUPT);
    }
    assert_int_equal(world_do(&w, operations), STORE_OK);
    assert_true(world_fits(&w));
    assert_int_equal(put_one(f->s, SPACE_ITEM, SLICE("f000000000000000003"), SLICE("fixed")), STORE_OK);
    assert_int_equal(store_view(f->s, read_damaged, NULL), STORE_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(opening_fails_with_a_sentence_or_works),
        TEST(who_leads_and_is_cut_off_leads_again),
        TEST(making_tables_leaves_all_or_none),
        TEST(tables_of_another_version_are_refused),
        TEST(a_refusal_is_told_as_what_it_is),
        TEST(what_passes_is_not_heard_of),
        TEST(a_server_whose_row_is_gone_goes_on_as_another),
        TEST(a_damaged_row_fails_who_reads_it),
        cmocka_unit_test_setup_teardown(a_damaged_row_fails_who_reads_it, fixture_setup_spread, fixture_teardown),
        TEST(a_range_goes_on_behind_a_damaged_row),
        cmocka_unit_test_setup_teardown(a_range_goes_on_behind_a_damaged_row, fixture_setup_spread, fixture_teardown),
    };
    if (!getenv("TEST_PG_URL")) return 77; /* skipped: there is no database */
    fixture_backend = "postgres";
    if (!faulty_install()) return 1;
    return cmocka_run_group_tests_name("database refusals", tests, NULL, NULL);
}
