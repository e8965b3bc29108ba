/* test_partition_hash.c: MD5 against the vectors of RFC 1321, and the order of partitions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include "arena_fixture.h"
#include "base/md5.h"
#include "engine/partition_hash.h"

static void assert_md5(const char *text, const char *expected)
{
    struct slice s = slice_str(text);
    struct slice halves[2] = { slice_of(s.p, s.n / 2), slice_of(s.p + s.n / 2, s.n - s.n / 2) };
    struct md5 whole = md5_of(&s, 1), split = md5_of(halves, 2);
    char hex[33];
    for (int i = 0; i < 16; i++) snprintf(hex + 2 * i, 3, "%02x", whole.bytes[i]);
    assert_string_equal(hex, expected);
    assert_memory_equal(whole.bytes, split.bytes, 16);
}

static void test_md5_vectors(void **state)
{
    (void)state;
    assert_md5("", "d41d8cd98f00b204e9800998ecf8427e");
    assert_md5("a", "0cc175b9c0f1b6a831c399e269772661");
    assert_md5("abc", "900150983cd24fb0d6963f7d28e17f72");
    assert_md5("message digest", "f96b697d7cb7938d525a2f31aaf161d0");
    assert_md5("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
               "d174ab98d277d9f5a5611c2c9f419d9f");
    assert_md5("12345678901234567890123456789012345678901234567890123456789012345678901234567890",
               "57edf4a22be3c955ac49da2e2107b67a");
    assert_md5("1234567890123456789012345678901234567890123456789012345", "c9ccf168914a1bcfc3229f1948e67da0");
    assert_md5("12345678901234567890123456789012345678901234567890123456", "49f193adce178490e34d1b3a4ec0064c");
}

static uint32_t hash_of_number(const char *text)
{
    struct num n;
    struct buf b;
    assert_int_equal(num_parse(slice_str(text), &n), NUM_OK);
    buf_init(&b, &arena, 64);
    val_put_number(&b, slice_of(n.bytes, n.n));
    struct slice v = buf_view(&b);
    return partition_hash(&v, 1);
}

static uint32_t md5_head(const uint8_t *key, size_t n)
{
    struct slice parts[2] = { SLICE("Outliers"), slice_of(key, n) };
    struct md5 sum = md5_of(parts, 2);
    uint32_t h = (uint32_t)sum.bytes[0] << 24 | (uint32_t)sum.bytes[1] << 16 | (uint32_t)sum.bytes[2] << 8 |
                 sum.bytes[3];
    return h & (~(uint32_t)0 << (32 - OF_HASH_BITS));
}

/* The bytes that DynamoDB's numbers have as keys. */
static void test_numbers_are_hashed_in_their_key_bytes(void **state)
{
    (void)state;
    assert_int_equal(hash_of_number("0"), md5_head((uint8_t[]){ 0x80 }, 1));
    assert_int_equal(hash_of_number("1"), md5_head((uint8_t[]){ 0xc1, 2 }, 2));
    assert_int_equal(hash_of_number("-1"), md5_head((uint8_t[]){ 0x3e, 100, 102 }, 3));
    assert_int_equal(hash_of_number("123.4"), md5_head((uint8_t[]){ 0xc2, 2, 24, 41 }, 4));
    assert_int_equal(hash_of_number("-100"), md5_head((uint8_t[]){ 0x3d, 100, 102 }, 3));
}

static void test_strings_are_hashed_as_they_are(void **state)
{
    (void)state;
    struct slice a = val_make_string(&arena, SLICE("A"));
    assert_int_equal(partition_hash(&a, 1), md5_head((const uint8_t *)"A", 1));
#if OF_HASH_BITS == 32
    assert_int_equal(partition_hash(&a, 1) >> 8, 0x0cb5bb);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_md5_vectors),
        cmocka_unit_test(test_numbers_are_hashed_in_their_key_bytes),
        cmocka_unit_test(test_strings_are_hashed_as_they_are),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
