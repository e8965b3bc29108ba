/* test_base.c: arena and buffer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/sha256.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/slices.h"

static void test_arena_reset_keeps_no_more_than_a_modest_block(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, 1 << 20);
    for (int i = 0; i < 1000; i++) memset(arena_alloc(&a, 100), i, 100);
    arena_reset(&a);
    assert_true(a.used <= 16 << 10);
    arena_free(&a);
    assert_int_equal(a.used, 0);
}

static void test_arena_beyond_its_maximum_leaves_through_the_guard(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, 64 << 10);
    volatile bool left = false;
    if (ARENA_GUARD(&a)) {
        for (;;) arena_alloc(&a, 1000);
    } else {
        left = true;
    }
    arena_unguard(&a);
    assert_true(left);
    assert_true(a.used <= 64 << 10);
    arena_free(&a);
}

static void test_a_wiped_arena_holds_nothing_of_what_was_in_it(void **state)
{
    (void)state;
    struct arena a;
    uint8_t *pieces[40];
    arena_init(&a, 1 << 20);
    arena_wipe(&a); /* nothing to overwrite */
    for (size_t i = 0; i < 40; i++) pieces[i] = memset(arena_bytes(&a, 5000), 's', 5000); /* over several blocks */
    arena_wipe(&a);
    for (size_t i = 0; i < 40; i++)
        for (size_t k = 0; k < 5000; k++) assert_int_equal(pieces[i][k], 0);
    arena_free(&a);
}

static void test_a_resting_arena_has_no_pages_and_goes_on(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, 1 << 24);
    arena_rest(&a); /* nothing to give back */
    memset(arena_bytes(&a, 12 << 10), 'x', 12 << 10);
    arena_bytes(&a, 1 << 20);
    arena_rest(&a);
    assert_true(a.used <= 64 << 10);
    size_t used = a.used, kept = 0;
    const uint8_t *again = arena_bytes(&a, 12 << 10);
    for (size_t i = 0; i < 12 << 10; i++) kept += again[i] == 'x';
    assert_true(kept <= 8 << 10); /* what is on pages shared with others */
    assert_int_equal(a.used, used);
    arena_free(&a);
}

static void test_buffer_grows_and_keeps_its_bytes(void **state)
{
    (void)state;
    struct arena a;
    struct buf b;
    arena_init(&a, 1 << 24);
    buf_init(&b, &a, 1 << 20);
    for (unsigned i = 0; i < 100000; i++) buf_u8(&b, (uint8_t)(i * 7));
    assert_int_equal(b.n, 100000);
    for (unsigned i = 0; i < 100000; i++) assert_int_equal(b.p[i], (uint8_t)(i * 7));
    arena_free(&a);
}

static void test_numbers_in_digits(void **state)
{
    (void)state;
    static const struct {
        uint64_t v;
        const char *text;
    } cases[] = { { 0, "0" }, { 9, "9" }, { 10, "10" }, { 4294967295u, "4294967295" },
                  { UINT64_MAX, "18446744073709551615" } };
    struct arena a;
    arena_init(&a, 1 << 20);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buf b;
        buf_init(&b, &a, 1 << 10);
        buf_decimal(&b, cases[i].v);
        assert_true(slice_eq(buf_view(&b), slice_str(cases[i].text)));
    }
    arena_free(&a);
}

static void test_errors_carry_aws_names(void **state)
{
    (void)state;
    assert_string_equal(err_name(ERR_ValidationException), "ValidationException");
    assert_int_equal(err_status(ERR_InternalServerError), 500);
}

static void test_sorted_slices_are_there_once(void **state)
{
    (void)state;
    struct slice list[] = { SLICE("b"), SLICE("a"), SLICE("b"), SLICE(""), SLICE("ab"), SLICE("") };
    assert_int_equal(slices_sort_unique(list, 6), 4);
    assert_true(slice_eq(list[0], SLICE("")) && slice_eq(list[1], SLICE("a")));
    assert_true(slice_eq(list[2], SLICE("ab")) && slice_eq(list[3], SLICE("b")));
    assert_int_equal(slices_sort_unique(list, 0), 0);
}

static void test_the_first_slice_that_is_there_again(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, 1 << 20);
    const struct slice list[] = { SLICE("c"), SLICE("a"), SLICE("b"), SLICE("b"), SLICE("a"), SLICE("c") };
    for (size_t n = 0; n <= 3; n++) assert_int_equal(slices_first_repeat(&a, list, n), n);
    for (size_t n = 4; n <= 6; n++) assert_int_equal(slices_first_repeat(&a, list, n), 3);
    assert_int_equal(slices_first_repeat(&a, list + 3, 3), 3);
    arena_free(&a);
}

static bool sum_is(const uint8_t sum[SHA256_BYTES], const char *hex)
{
    char text[2 * SHA256_BYTES];
    sha256_hex(sum, text);
    return memcmp(text, hex, sizeof text) == 0;
}

/* FIPS 180-4's examples, RFC 4231's cases 2 and 6. */
static void test_sha256_and_hmac(void **state)
{
    uint8_t sum[SHA256_BYTES], key[131];
    (void)state;
    sha256(SLICE(""), sum);
    assert_true(sum_is(sum, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
    sha256(SLICE("abc"), sum);
    assert_true(sum_is(sum, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
    sha256(SLICE("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"), sum);
    assert_true(sum_is(sum, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"));
    hmac_sha256(SLICE("Jefe"), SLICE("what do ya want for nothing?"), sum);
    assert_true(sum_is(sum, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"));
    memset(key, 0xaa, sizeof key);
    hmac_sha256(slice_of(key, sizeof key), SLICE("Test Using Larger Than Block-Size Key - Hash Key First"), sum);
    assert_true(sum_is(sum, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"));
}

/* Where the processor has instructions for it, they say what plain C says, for any number of blocks at any address. */
static void test_sha256_both_ways(void **state)
{
    uint8_t bytes[9 * SHA256_BLOCK + 1];
    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(i * i * 31 + i / 7);
    for (size_t n = 0; n < 10; n++) {
        uint32_t plain[8] = { 1, 2, 3, 4, 5, 6, 7, (uint32_t)n }, fast[8];
        memcpy(fast, plain, sizeof plain);
        if (!sha256_compress_x86(fast, bytes + n % 2, n - n % 2)) skip();
        sha256_compress_plain(plain, bytes + n % 2, n - n % 2);
        assert_memory_equal(plain, fast, sizeof plain);
    }
}

static void test_secrets_are_compared_whole(void **state)
{
    (void)state;
    assert_true(same_secret(SLICE(""), SLICE("")));
    assert_true(same_secret(SLICE("abc"), SLICE("abc")));
    assert_false(same_secret(SLICE("abc"), SLICE("abd")));
    assert_false(same_secret(SLICE("abc"), SLICE("xbc")));
    assert_false(same_secret(SLICE("abc"), SLICE("ab")));
    assert_false(same_secret(SLICE(""), SLICE("a")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arena_reset_keeps_no_more_than_a_modest_block),
        cmocka_unit_test(test_arena_beyond_its_maximum_leaves_through_the_guard),
        cmocka_unit_test(test_a_wiped_arena_holds_nothing_of_what_was_in_it),
        cmocka_unit_test(test_a_resting_arena_has_no_pages_and_goes_on),
        cmocka_unit_test(test_buffer_grows_and_keeps_its_bytes),
        cmocka_unit_test(test_numbers_in_digits),
        cmocka_unit_test(test_errors_carry_aws_names),
        cmocka_unit_test(test_sha256_and_hmac),
        cmocka_unit_test(test_sha256_both_ways),
        cmocka_unit_test(test_secrets_are_compared_whole),
        cmocka_unit_test(test_sorted_slices_are_there_once),
        cmocka_unit_test(test_the_first_slice_that_is_there_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
