/* test_ulid.c: ULIDs grow, whatever the clock and the threads do; UUIDs have their form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/ulid.h"

/* Each call gives the next of these bytes, ten times. */
static void bytes(void *ctx, uint8_t *p, size_t n)
{
    const uint8_t **at = ctx;
    memset(p, *(*at)++, n);
}

static void test_known_value(void **state)
{
    (void)state;
    struct ulid_source s = ULID_SOURCE_INIT;
    const uint8_t script[] = { 0x00, 0xff }, *at = script;
    char u[ULID_LENGTH];
    ulid_next(&s, 1469922850259, bytes, &at, u);
    assert_memory_equal(u, "01ARZ3NDEK0000000000000000", 26);
    ulid_next(&s, 1469922850260, bytes, &at, u);
    assert_memory_equal(u, "01ARZ3NDEMZZZZZZZZZZZZZZZZ", 26);
}

static void test_same_millisecond_counts_up(void **state)
{
    (void)state;
    struct ulid_source s = ULID_SOURCE_INIT;
    const uint8_t script[] = { 0x01, 0x77, 0x66 }, *at = script;
    char u[ULID_LENGTH], v[ULID_LENGTH];
    ulid_next(&s, 5, bytes, &at, u);
    ulid_next(&s, 5, bytes, &at, v);
    assert_memory_equal(u, v, 25);
    assert_int_equal(v[25], u[25] + 1);
    ulid_next(&s, 3, bytes, &at, u); /* the clock went back */
    assert_memory_equal(u, v, 25);
    assert_int_equal(u[25], v[25] + 1);
}

static void test_overflow_moves_the_time_on(void **state)
{
    (void)state;
    struct ulid_source s = ULID_SOURCE_INIT;
    const uint8_t script[] = { 0xff, 0x00, 0x00 }, *at = script;
    char u[ULID_LENGTH];
    ulid_next(&s, 5, bytes, &at, u);
    assert_memory_equal(u, "0000000005ZZZZZZZZZZZZZZZZ", 26);
    ulid_next(&s, 5, bytes, &at, u);
    assert_memory_equal(u, "00000000060000000000000000", 26);
    ulid_next(&s, 6, bytes, &at, u);
    assert_memory_equal(u, "00000000060000000000000001", 26);
}

static void test_times_out_of_range_are_cut(void **state)
{
    (void)state;
    struct ulid_source s = ULID_SOURCE_INIT;
    const uint8_t script[] = { 0, 0 }, *at = script;
    char u[ULID_LENGTH];
    ulid_next(&s, -1, bytes, &at, u);
    assert_memory_equal(u, "00000000000000000000000000", 26);
    ulid_next(&s, INT64_MAX, bytes, &at, u);
    assert_memory_equal(u, "7ZZZZZZZZZ0000000000000000", 26);
}

static struct ulid_source shared = ULID_SOURCE_INIT;

static void some_bytes(void *ctx, uint8_t *p, size_t n)
{
    unsigned *seed = ctx;
    for (size_t i = 0; i < n; i++) p[i] = (uint8_t)rand_r(seed);
}

#define PER_THREAD 20000
#define THREADS 4

static void *make_many(void *out)
{
    unsigned seed = (unsigned)(uintptr_t)out;
    char (*u)[ULID_LENGTH] = out;
    for (int i = 0; i < PER_THREAD; i++) ulid_next(&shared, 1000 + i / 100, some_bytes, &seed, u[i]);
    return NULL;
}

static int compare(const void *a, const void *b)
{
    return memcmp(a, b, ULID_LENGTH);
}

static void test_threads_get_growing_and_different_ones(void **state)
{
    (void)state;
    char (*u)[ULID_LENGTH] = calloc(THREADS * PER_THREAD, ULID_LENGTH);
    pthread_t threads[THREADS];
    for (int t = 0; t < THREADS; t++) assert_int_equal(pthread_create(&threads[t], NULL, make_many, u + t * PER_THREAD), 0);
    for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
    for (int i = 1; i < THREADS * PER_THREAD; i++) {
        if (i % PER_THREAD) assert_true(compare(u[i - 1], u[i]) < 0);
    }
    qsort(u, THREADS * PER_THREAD, ULID_LENGTH, compare);
    for (int i = 1; i < THREADS * PER_THREAD; i++) assert_true(compare(u[i - 1], u[i]) < 0);
    free(u);
}

static void test_a_forked_child_counts_differently(void **state)
{
    (void)state;
    struct ulid_source s = ULID_SOURCE_INIT;
    const uint8_t script[] = { 1, 2, 3 }, *at = script;
    char u[ULID_LENGTH];
    ulid_next(&s, 5, bytes, &at, u);
    pid_t child = fork();
    if (!child) {
        char mine[ULID_LENGTH];
        ulid_next(&s, 5, bytes, &at, mine);
        _exit(memcmp(mine, u, 25) == 0); /* counted up from the parent's: 1 */
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void test_uuid(void **state)
{
    (void)state;
    const uint8_t script[] = { 0xff, 0x00 }, *at = script;
    char u[UUID_LENGTH];
    uuid_v4(bytes, &at, u);
    assert_memory_equal(u, "ffffffff-ffff-4fff-bfff-ffffffffffff", 36);
    uuid_v4(bytes, &at, u);
    assert_memory_equal(u, "00000000-0000-4000-8000-000000000000", 36);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_value),
        cmocka_unit_test(test_same_millisecond_counts_up),
        cmocka_unit_test(test_overflow_moves_the_time_on),
        cmocka_unit_test(test_times_out_of_range_are_cut),
        cmocka_unit_test(test_threads_get_growing_and_different_ones),
        cmocka_unit_test(test_a_forked_child_counts_differently),
        cmocka_unit_test(test_uuid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
