/* test_bench.c: the parts of `onefold bench` that need no server: histogram, heads of answers, SHA-256, signed requests, data. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include "cli/bench/data.h"
#include "cli/bench/histogram.h"
#include "cli/bench/http_answer.h"
#include "base/sha256.h"
#include "item/item_json.h"
#include "item/value.h"

/* ---- histogram ---- */

static void test_histogram_is_exact_below_25_microseconds(void **state)
{
    (void)state;
    static struct histogram h;
    for (uint64_t i = 1; i <= 100; i++) histogram_add(&h, i);
    assert_true(histogram_quantile(&h, 0.5) == 5.1);
    assert_true(histogram_quantile(&h, 0.99) == 10.0);
    assert_true(histogram_max(&h) == 10.0);
    assert_true(histogram_mean(&h) == 5.05);
}

static void test_histogram_errs_by_less_than_one_percent_at_every_size(void **state)
{
    (void)state;
    for (uint64_t v = 1; v < (uint64_t)1 << 40; v += v / 7 + 1) {
        static struct histogram h;
        memset(&h, 0, sizeof h);
        histogram_add(&h, v);
        histogram_add(&h, v);
        histogram_add(&h, (uint64_t)1 << 41); /* so that the largest does not correct the median */
        double error = histogram_quantile(&h, 0.5) * 10 / (double)v - 1;
        assert_true(error < 0.01 && error > -0.01);
    }
}

static void test_buckets_never_go_back(void **state)
{
    (void)state;
    size_t last = 0;
    for (uint64_t v = 0; v < 1 << 20; v++) {
        size_t at = histogram_bucket(v);
        assert_true(at == last || at == last + 1);
        last = at;
    }
    assert_int_equal(histogram_bucket(UINT64_MAX), HISTOGRAM_BUCKETS - 1);
}

static void test_merged_histograms_are_one(void **state)
{
    (void)state;
    static struct histogram one, two, all;
    for (uint64_t i = 0; i < 1000; i++) histogram_add(i % 2 ? &one : &two, i * i), histogram_add(&all, i * i);
    histogram_merge(&one, &two);
    assert_memory_equal(&one, &all, sizeof all);
}

static void test_an_empty_histogram_has_no_quantiles(void **state)
{
    (void)state;
    static struct histogram h;
    assert_true(histogram_quantile(&h, 0.99) == 0 && histogram_mean(&h) == 0 && histogram_max(&h) == 0);
}

/* ---- heads ---- */

static const char *read_head(const char *text, struct http_head *head)
{
    bool incomplete;
    const char *wrong = http_head_read((const uint8_t *)text, strlen(text), head, &incomplete);
    return wrong ? wrong : incomplete ? "incomplete" : NULL;
}

static void test_a_head_tells_status_length_and_close(void **state)
{
    (void)state;
    struct http_head h;
    assert_null(read_head("HTTP/1.1 200 OK\r\nServer: x\r\ncOntent-Length:  12 \r\nContent-Type: text\r\n\r\nbody", &h));
    assert_int_equal(h.status, 200);
    assert_int_equal(h.body, 12);
    assert_false(h.closes);
    assert_int_equal(h.n, strlen("HTTP/1.1 200 OK\r\nServer: x\r\ncOntent-Length:  12 \r\nContent-Type: text\r\n\r\n"));
    assert_null(read_head("HTTP/1.1 400 Bad\r\nContent-Length: 0\r\nConnection: Close\r\n\r\n", &h));
    assert_true(h.status == 400 && h.closes);
    assert_null(read_head("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", &h));
    assert_true(h.closes);
}

static void test_a_head_that_comes_bit_by_bit_is_incomplete_until_its_end(void **state)
{
    (void)state;
    static const char text[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
    for (size_t n = 0; n < sizeof text - 1; n++) {
        struct http_head h;
        bool incomplete;
        assert_null(http_head_read((const uint8_t *)text, n, &h, &incomplete));
        assert_int_equal(incomplete, n < sizeof text - 3);
    }
}

static void test_heads_that_cannot_be_read_say_why(void **state)
{
    (void)state;
    struct http_head h;
    static const char *const bad[][2] = {
        { "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "Transfer-Encoding" },
        { "HTTP/1.1 200 OK\r\nServer: x\r\n\r\n", "no Content-Length" },
        { "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "cannot be read" },
        { "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n", "cannot be read" },
        { "HTTP/1.1 2x0 OK\r\nContent-Length: 1\r\n\r\n", "no status" },
        { "SSH-2.0-OpenSSH_9.2 hello\r\n\r\n", "not HTTP" },
        { "x\r\n\r\n", "not HTTP" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *why = read_head(bad[i][0], &h);
        assert_non_null(why);
        assert_non_null(strstr(why, bad[i][1]));
    }
    char *endless = malloc(HTTP_HEAD_MAX + 1);
    memset(endless, 'x', HTTP_HEAD_MAX);
    endless[HTTP_HEAD_MAX] = 0;
    assert_non_null(strstr(read_head(endless, &h), "16 KB"));
    free(endless);
}

/* ---- SHA-256 ---- */

static void check_hex(const uint8_t *sum, const char *expected)
{
    char text[2 * SHA256_BYTES + 1];
    for (size_t i = 0; i < SHA256_BYTES; i++) snprintf(text + 2 * i, 3, "%02x", sum[i]);
    assert_string_equal(text, expected);
}

/* The examples of FIPS 180-4 and of RFC 4231; the third fills a block so that the length goes into another. */
static void test_sha256_of_known_texts(void **state)
{
    (void)state;
    uint8_t sum[SHA256_BYTES];
    sha256(SLICE(""), sum);
    check_hex(sum, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    sha256(SLICE("abc"), sum);
    check_hex(sum, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    sha256(SLICE("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"), sum);
    check_hex(sum, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    hmac_sha256(SLICE("Jefe"), SLICE("what do ya want for nothing?"), sum);
    check_hex(sum, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    uint8_t key[131];
    memset(key, 0xaa, sizeof key);
    hmac_sha256(slice_of(key, sizeof key), SLICE("Test Using Larger Than Block-Size Key - Hash Key First"), sum);
    check_hex(sum, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

/* ---- data ---- */

static struct slice item(struct arena *a, const struct data *d, enum data_space space, uint64_t k, unsigned version)
{
    struct buf b;
    buf_init(&b, a, 1 << 20);
    data_item(&b, d, space, k, version);
    return buf_view(&b);
}

static void test_items_are_made_of_their_number_and_the_seed(void **state)
{
    (void)state;
    struct arena a;
    struct data d = { .items = 1000, .size = 200, .seed = 1 }, other = { .items = 1000, .size = 200, .seed = 2 };
    arena_init(&a, 1 << 20);
    assert_true(slice_eq(item(&a, &d, DATA_READ, 7, 0), item(&a, &d, DATA_READ, 7, 0)));
    assert_false(slice_eq(item(&a, &d, DATA_READ, 7, 0), item(&a, &d, DATA_READ, 8, 0)));
    assert_false(slice_eq(item(&a, &d, DATA_READ, 7, 0), item(&a, &other, DATA_READ, 7, 0)));
    assert_false(slice_eq(item(&a, &d, DATA_WRITE, 7, 0), item(&a, &d, DATA_WRITE, 7, 1)));
    arena_free(&a);
}

/* As DynamoDB counts it, not as JSON. */
static void test_items_have_the_size_that_was_asked_for(void **state)
{
    (void)state;
    static const uint32_t sizes[] = { 200, 1024, 10240 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (uint32_t indexes = 0; indexes <= 5; indexes += 1 + 3 * indexes) {
            struct arena a;
            struct data d = { .items = 1000000, .size = sizes[i], .seed = 1, .indexes = indexes };
            arena_init(&a, 1 << 20);
            struct err e = { .arena = &a };
            struct slice value;
            const struct json *tree = json_parse(&a, item(&a, &d, DATA_READ, 654321, 0), 64, NULL);
            assert_non_null(tree);
            assert_int_equal(item_from_json(&a, tree, &value, &e), 0);
            size_t size = val_item_size(value);
            size_t told = data_size(&d, &a);
            assert_true(size <= told && size + 12 >= told); /* never over: a size of 1,024 is one unit */
            assert_true(sizes[i] == 200 && indexes == 5 ? told > 200 : told == sizes[i]);
            arena_free(&a);
        }
    }
}

static void test_a_group_of_the_first_index_has_its_twenty_members(void **state)
{
    (void)state;
    struct arena a;
    struct data d = { .items = 1000, .size = 200, .seed = 1, .indexes = 2 };
    arena_init(&a, 1 << 20);
    size_t members = 0;
    for (uint64_t k = 0; k < d.items; k++) {
        struct slice text = item(&a, &d, DATA_READ, k, 0);
        static const char key[] = "\"gsi1_pk\":{\"S\":\"read1#000000011\"}";
        bool in = memmem(text.p, text.n, key, sizeof key - 1) != NULL;
        if (in) assert_int_equal(data_group_member(&d, 11, members++), k);
    }
    assert_int_equal(members, DATA_COLLECTION);
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_histogram_is_exact_below_25_microseconds),
        cmocka_unit_test(test_histogram_errs_by_less_than_one_percent_at_every_size),
        cmocka_unit_test(test_buckets_never_go_back),
        cmocka_unit_test(test_merged_histograms_are_one),
        cmocka_unit_test(test_an_empty_histogram_has_no_quantiles),
        cmocka_unit_test(test_a_head_tells_status_length_and_close),
        cmocka_unit_test(test_a_head_that_comes_bit_by_bit_is_incomplete_until_its_end),
        cmocka_unit_test(test_heads_that_cannot_be_read_say_why),
        cmocka_unit_test(test_sha256_of_known_texts),
        cmocka_unit_test(test_items_are_made_of_their_number_and_the_seed),
        cmocka_unit_test(test_items_have_the_size_that_was_asked_for),
        cmocka_unit_test(test_a_group_of_the_first_index_has_its_twenty_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
