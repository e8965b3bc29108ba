/* test_catalog.c: snapshots of the catalog: who sees what, and that they last as long as they are
 * held. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include "engine/catalog.h"

struct fixture {
    struct store *store;
    struct catalogs *catalogs;
    struct arena arena;
};

static int set_up(void **state)
{
    static struct fixture f;
    char message[200];
    struct store_options options = { 0 };
    assert_int_equal(store_open(&f.store, &options, message, sizeof message), 0);
    assert_int_equal(catalogs_open(&f.catalogs, f.store, message, sizeof message), 0);
    arena_init(&f.arena, 16 << 20);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    catalogs_close(f->catalogs);
    store_close(f->store);
    arena_free(&f->arena);
    return 0;
}

static struct slice record_of(struct fixture *f, const char *name, uint32_t id)
{
    struct table t = { .id = id, .name = slice_str(name), .status = TABLE_ACTIVE };
    t.key.hash[t.key.n_hash++] = (struct key_attr){ SLICE("p"), TYPE_S };
    return table_encode(&t, &f->arena);
}

static void test_names_are_in_order(void **state)
{
    struct fixture *f = *state;
    const char *names[] = { "mmm", "bbb", "zzz", "aaa" };
    for (uint32_t i = 0; i < 4; i++)
        catalog_publish(f->catalogs, record_of(f, names[i], i + 1));
    const struct catalog *c = catalog_acquire(f->catalogs);
    assert_int_equal(catalog_count(c), 4);
    assert_true(slice_eq(catalog_at(c, 0)->name, SLICE("aaa")));
    assert_true(slice_eq(catalog_at(c, 3)->name, SLICE("zzz")));
    assert_int_equal(catalog_first_after(c, slice_of(NULL, 0)), 0);
    assert_int_equal(catalog_first_after(c, SLICE("aaa")), 1);
    assert_int_equal(catalog_first_after(c, SLICE("ab")), 1);
    assert_int_equal(catalog_first_after(c, SLICE("zzz")), 4);
    assert_int_equal(catalog_find(c, SLICE("bbb"))->id, 2);
    assert_null(catalog_find(c, SLICE("bb")));
    catalog_release(f->catalogs, c);
}

static void test_a_held_snapshot_does_not_change(void **state)
{
    struct fixture *f = *state;
    catalog_publish(f->catalogs, record_of(f, "one", 1));
    const struct catalog *before = catalog_acquire(f->catalogs);
    assert_true(catalog_is_current(f->catalogs, before));
    catalog_publish(f->catalogs, record_of(f, "one", 9));
    catalog_publish(f->catalogs, record_of(f, "two", 2));
    assert_false(catalog_is_current(f->catalogs, before));
    assert_int_equal(catalog_find(before, SLICE("one"))->id, 1);
    assert_null(catalog_find(before, SLICE("two")));
    catalog_publish_removal(f->catalogs, SLICE("one"));
    catalog_publish_removal(f->catalogs, SLICE("never"));
    const struct catalog *after = catalog_acquire(f->catalogs);
    assert_null(catalog_find(after, SLICE("one")));
    assert_int_equal(catalog_count(after), 1);
    assert_int_equal(catalog_find(before, SLICE("one"))->id, 1);
    catalog_release(f->catalogs, before);
    catalog_release(f->catalogs, after);
}

struct records {
    struct fixture *f;
    uint32_t first_id, second_id;
    bool found;
};

static int write_two(struct store_txn *txn, void *ctx)
{
    struct records *r = ctx;
    struct slice record;
    int status = catalog_next_id(txn, &r->first_id);
    if (!status) status = catalog_next_id(txn, &r->second_id);
    struct table *t = table_decode_in(&r->f->arena, record_of(r->f, "kept", r->first_id));
    if (!status) status = catalog_write(txn, &r->f->arena, t, &record);
    t->name = SLICE("dropped");
    if (!status) status = catalog_write(txn, &r->f->arena, t, &record);
    return status ? status : catalog_remove(txn, SLICE("dropped"));
}

static int read_two(struct store_txn *txn, void *ctx)
{
    struct records *r = ctx;
    int status;
    struct table *t = catalog_read(txn, &r->f->arena, SLICE("kept"), &status);
    r->found = t && t->id == r->first_id && status == STORE_OK;
    assert_null(catalog_read(txn, &r->f->arena, SLICE("dropped"), &status));
    assert_int_equal(status, STORE_NOT_FOUND);
    return STORE_OK;
}

static void test_records_are_found_again_by_another_catalog(void **state)
{
    struct fixture *f = *state;
    struct records r = { .f = f };
    struct catalogs *again;
    char message[200];
    assert_int_equal(store_update(f->store, write_two, &r), STORE_OK);
    assert_int_equal(r.second_id, r.first_id + 1);
    assert_int_equal(store_view(f->store, read_two, &r), STORE_OK);
    assert_true(r.found);
    assert_int_equal(catalogs_open(&again, f->store, message, sizeof message), 0);
    const struct catalog *c = catalog_acquire(again);
    assert_int_equal(catalog_count(c), 1);
    assert_int_equal(catalog_find(c, SLICE("kept"))->id, r.first_id);
    catalog_release(again, c);
    catalogs_close(again);
}

static int write_many(struct store_txn *txn, void *ctx)
{
    struct fixture *f = ctx;
    for (uint32_t i = 1; i <= 100; i++) {
        char name[16];
        snprintf(name, sizeof name, "t%03u", i);
        struct table *t = table_decode_in(&f->arena, record_of(f, name, i));
        struct slice record;
        int status = catalog_write(txn, &f->arena, t, &record);
        if (status) return status;
    }
    return STORE_OK;
}

static void test_a_hundred_tables_are_loaded(void **state)
{
    struct fixture *f = *state;
    struct catalogs *again;
    char message[200];
    assert_int_equal(store_update(f->store, write_many, f), STORE_OK);
    assert_int_equal(catalogs_open(&again, f->store, message, sizeof message), 0);
    const struct catalog *c = catalog_acquire(again);
    assert_int_equal(catalog_count(c), 100);
    assert_int_equal(catalog_find(c, SLICE("t042"))->id, 42);
    catalog_release(again, c);
    catalogs_close(again);
}

#define HOLDS 20000

static void *hold_and_release(void *arg)
{
    struct fixture *f = arg;
    for (int i = 0; i < HOLDS; i++) {
        const struct catalog *c = catalog_acquire(f->catalogs);
        const struct table *t = catalog_find(c, SLICE("busy"));
        if (t && t->key.n_hash != 1) return f; /* a table changed while it was held */
        catalog_release(f->catalogs, c);
    }
    return NULL;
}

static void test_readers_hold_while_a_writer_publishes(void **state)
{
    struct fixture *f = *state;
    pthread_t readers[3];
    void *trouble;
    struct slice record = record_of(f, "busy", 1);
    for (int i = 0; i < 3; i++)
        pthread_create(&readers[i], NULL, hold_and_release, f);
    for (int i = 0; i < 2000; i++) {
        catalog_publish(f->catalogs, record);
        if (i % 7 == 0) catalog_publish_removal(f->catalogs, SLICE("busy"));
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(readers[i], &trouble);
        assert_null(trouble);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_names_are_in_order),
        TEST(test_a_held_snapshot_does_not_change),
        TEST(test_records_are_found_again_by_another_catalog),
        TEST(test_a_hundred_tables_are_loaded),
        TEST(test_readers_hold_while_a_writer_publishes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
