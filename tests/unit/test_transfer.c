/* test_transfer.c: what imports read and exports write to, without a server: objects in pieces, packed ones, broken ones,
 * JSON that stands side by side; keys and folders of buckets, which no name can leave. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "engine/bucket.h"
#include "engine/object_reader.h"
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static int file_of(const void *bytes, size_t n)
{
    char path[] = "/tmp/onefold-object-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    unlink(path);
    assert_int_equal(write(fd, bytes, n), n);
    lseek(fd, 0, SEEK_SET);
    return fd;
}

static struct object_reader *reader_of(const char *text)
{
    return object_reader_open(file_of(text, strlen(text)), false);
}

static void expect(struct object_reader *r, const char *text)
{
    struct slice got;
    assert_int_equal(object_reader_json(r, &got), OBJECT_JSON);
    assert_int_equal(got.n, strlen(text));
    assert_memory_equal(got.p, text, got.n);
}

static void json_objects_are_told_apart(void **state)
{
    (void)state;
    struct slice got;
    struct object_reader *r = reader_of(" {\"a\":\"}\\\"{\\\\\"}{}\n\n\t{\"b\":{\"c\":[{}]}} \r\n");
    expect(r, "{\"a\":\"}\\\"{\\\\\"}");
    expect(r, "{}");
    assert_int_equal(object_reader_at(r), 17);
    expect(r, "{\"b\":{\"c\":[{}]}}");
    assert_int_equal(object_reader_json(r, &got), OBJECT_END);
    assert_int_equal(object_reader_at(r), 39);
    object_reader_close(r);
}

static void what_is_no_object_is_broken(void **state)
{
    (void)state;
    static const char *const broken[] = { "x", "[{}]", "{\"a\":1", "{\"a\":\"}", "}" };
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        struct slice got;
        struct object_reader *r = reader_of(broken[i]);
        assert_int_equal(object_reader_json(r, &got), OBJECT_BROKEN);
        object_reader_close(r);
    }
}

/* One that is longer than can be taken, at the limit and above it. */
static void length_of_an_object_is_bounded(void **state)
{
    (void)state;
    for (int more = 0; more < 2; more++) {
        size_t n = OBJECT_MAX_JSON + (size_t)more;
        char *text = malloc(n);
        struct slice got;
        memset(text, ' ', n);
        text[0] = '{';
        text[n - 1] = '}';
        struct object_reader *r = object_reader_open(file_of(text, n), false);
        assert_int_equal(object_reader_json(r, &got), more ? OBJECT_BROKEN : OBJECT_JSON);
        object_reader_close(r);
        free(text);
    }
}

/* Nothing but white space, which a small packed object can unpack to for hours. */
static void white_space_is_bounded(void **state)
{
    (void)state;
    for (int more = 0; more < 2; more++) {
        size_t n = OBJECT_MAX_JSON + (size_t)more;
        char *text = malloc(n + 2);
        struct slice got;
        memset(text, ' ', n);
        memcpy(text + n, "{}", 2);
        struct object_reader *r = object_reader_open(file_of(text, n + 2), false);
        assert_int_equal(object_reader_json(r, &got), more ? OBJECT_BROKEN : OBJECT_JSON);
        object_reader_close(r);
        free(text);
    }
}

static size_t gzip(const void *bytes, size_t n, uint8_t *out, size_t room)
{
    z_stream z = { 0 };
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (uint8_t *)(uintptr_t)bytes;
    z.avail_in = (uInt)n;
    z.next_out = out;
    z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return room - z.avail_out;
}

#define LARGE 300000

static void packed_objects_are_unpacked(void **state)
{
    (void)state;
    uint8_t *text = malloc(LARGE), *packed = malloc(2 * LARGE);
    unsigned seed = 7;
    for (size_t i = 0; i < LARGE; i++)
        text[i] = (uint8_t)rand_r(&seed);
    size_t n = gzip(text, 100000, packed, 2 * LARGE);
    n += gzip(text + 100000, LARGE - 100000, packed + n, 2 * LARGE - n);
    struct object_reader *r = object_reader_open(file_of(packed, n), true);
    for (size_t i = 0; i < 12345; i++)
        assert_int_equal(object_reader_byte(r), text[i]);
    assert_true(object_reader_skip(r, 200000));
    for (size_t i = 212345; i < LARGE; i++)
        assert_int_equal(object_reader_byte(r), text[i]);
    assert_int_equal(object_reader_byte(r), EOF);
    assert_false(object_reader_broken(r));
    assert_int_equal(object_reader_at(r), LARGE);
    assert_false(object_reader_skip(r, 1));
    object_reader_close(r);
    /* Cut off, not packed at all, with something behind it. */
    packed[n] = 'x';
    const struct { const uint8_t *p; size_t n; } bad[] = { { packed, n - 5 }, { text, 1000 }, { packed, n + 1 } };
    for (size_t i = 0; i < 3; i++) {
        r = object_reader_open(file_of(bad[i].p, bad[i].n), true);
        while (object_reader_byte(r) != EOF) continue;
        assert_true(object_reader_broken(r));
        object_reader_close(r);
    }
    free(text);
    free(packed);
}

/* ---- buckets ---- */

static char top[64];

static void put(const char *path)
{
    char full[256];
    snprintf(full, sizeof full, "%s/%s", top, path);
    for (char *slash = full + strlen(top) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        mkdir(full, 0700);
        *slash = '/';
    }
    int fd = open(full, O_CREAT | O_WRONLY, 0600);
    assert_true(fd >= 0);
    close(fd);
}

static int make(void **state)
{
    char link_path[128];
    (void)state;
    snprintf(top, sizeof top, "/tmp/onefold-buckets-XXXXXX");
    assert_non_null(mkdtemp(top));
    put("outside");
    put("s3/one/a/1");
    put("s3/one/a/2/x");
    put("s3/one/a-b");
    put("s3/one/b");
    put("s3/other/c");
    snprintf(link_path, sizeof link_path, "%s/s3/one/link", top);
    assert_int_equal(symlink("../..", link_path), 0);
    return 0;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    return remove(path);
}

static int clear(void **state)
{
    (void)state;
    return nftw(top, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static int open_one(void)
{
    char s3[80];
    snprintf(s3, sizeof s3, "%s/s3", top);
    int fd = bucket_open(s3, SLICE("one"));
    assert_true(fd >= 0);
    return fd;
}

static void keys_are_listed_in_the_order_of_bytes(void **state)
{
    (void)state;
    static const struct { const char *prefix, *keys; } cases[] = {
        { "", "a-b a/1 a/2/x b " }, { "a", "a-b a/1 a/2/x " }, { "a/", "a/1 a/2/x " }, { "a/2", "a/2/x " },
        { "a/2/x", "a/2/x " }, { "a/2/xy", "" }, { "..", "" }, { "link", "" }, { "/", "" },
    };
    int fd = open_one();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bucket_keys keys;
        char text[256] = "";
        size_t n = 0;
        assert_int_equal(bucket_list(fd, slice_str(cases[i].prefix), &keys), 0);
        for (size_t k = 0; k < keys.n; k++)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s ", keys.keys[k]);
        assert_string_equal(text, cases[i].keys);
        bucket_keys_free(&keys);
    }
    close(fd);
}

static void no_name_leads_out_of_a_bucket(void **state)
{
    (void)state;
    char s3[80];
    snprintf(s3, sizeof s3, "%s/s3", top);
    static const char *const buckets[] = { "..", ".", "", "one/a", "../s3/one", "b\0c", "none" };
    for (size_t i = 0; i < sizeof buckets / sizeof *buckets; i++)
        assert_int_equal(bucket_open(s3, slice_str(buckets[i])), -1);
    int fd = open_one();
    static const char *const keys[] = { "../other/c", "link/outside", "a/../b", "/b", "a//1", "a", "none", "" };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_int_equal(bucket_object(fd, keys[i]), -1);
    int object = bucket_object(fd, "a/2/x");
    assert_true(object >= 0);
    close(object);
    static const char *const folders[] = { "../new", "link/new", "a/../new", "a//new", "b/new" };
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        assert_int_equal(bucket_folder(fd, folders[i]), -1);
    int folder = bucket_folder(fd, "new/x/y");
    assert_true(folder >= 0);
    close(folder);
    close(fd);
}

static void prefixes_that_can_be_folders(void **state)
{
    (void)state;
    assert_true(bucket_prefix_fits(SLICE("")));
    assert_true(bucket_prefix_fits(SLICE("a/b.c")));
    assert_true(bucket_prefix_fits(SLICE("a/b/")));
    static const char *const others[] = { "/a", "a//b", "..", "a/..", "./a", "/" };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(bucket_prefix_fits(slice_str(others[i])));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_objects_are_told_apart),
        cmocka_unit_test(what_is_no_object_is_broken),
        cmocka_unit_test(length_of_an_object_is_bounded),
        cmocka_unit_test(white_space_is_bounded),
        cmocka_unit_test(packed_objects_are_unpacked),
        cmocka_unit_test(keys_are_listed_in_the_order_of_bytes),
        cmocka_unit_test(no_name_leads_out_of_a_bucket),
        cmocka_unit_test(prefixes_that_can_be_folders),
    };
    return cmocka_run_group_tests(tests, make, clear);
}
