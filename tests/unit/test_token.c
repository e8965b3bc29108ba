/* test_token.c: records of ClientRequestToken: what they tell of a repeat, also those of an older program. */
#include "engine_fixture.h"
#include "engine/token.h"

static int write_token(struct store_txn *txn, void *ctx)
{
    const struct token_print print = { .bytes = { 1, 2, 3 } };
    return token_write(txn, ctx, SLICE("mine"), &print, SLICE("\x01\x64\x03"), 1000);
}

struct reading {
    struct arena *arena;
    struct slice record;
};

static int read_token(struct store_txn *txn, void *ctx)
{
    struct reading *r = ctx;
    int status = store_get(txn, SPACE_TOKEN, token_key(r->arena, SLICE("mine")), &r->record);
    if (!status) r->record = arena_dup(r->arena, r->record);
    return status;
}

static void test_a_record(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f, &(struct store_options){ 0 });
    struct reading r = { .arena = &f.text };
    const struct token_print same = { .bytes = { 1, 2, 3 } }, other = { .bytes = { 1, 2, 4 } };
    assert_int_equal(store_update(f.store, write_token, &f.text), 0);
    assert_int_equal(store_view(f.store, read_token, &r), 0);
    assert_int_equal(token_check(r.record, &same, 1000 + TOKEN_LIFETIME_MS - 1), TOKEN_DONE_BEFORE);
    assert_int_equal(token_check(r.record, &other, 1000), TOKEN_MISMATCH);
    assert_int_equal(token_check(r.record, &same, 1000 + TOKEN_LIFETIME_MS), TOKEN_NEW);
    assert_true(slice_eq(token_read_units(r.record), SLICE("\x01\x64\x03")));

    uint8_t *bytes = (uint8_t *)(uintptr_t)r.record.p;
    bytes[0] = 1; /* version 1 ended before the units */
    struct slice old = slice_of(bytes, r.record.n - 3);
    assert_int_equal(token_check(old, &same, 1000), TOKEN_DONE_BEFORE);
    assert_int_equal(token_read_units(old).n, 0);
    assert_int_equal(token_check(slice_of(bytes, old.n - 1), &same, 1000), TOKEN_NEW);
    assert_int_equal(token_read_units(slice_of(NULL, 0)).n, 0);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_a_record) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
