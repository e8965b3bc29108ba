/* test_heaps.c: what was freed goes back to the system, though something that is in use stands behind it; and it ends when it is told to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>
#include "cli/heaps.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* they have an allocator of their own, which keeps what is freed */
#define HOLES_CAN_BE_SEEN 1
#endif
#define BLOCKS 256
#define SIZE   ((size_t)64 << 10)

#ifdef HOLES_CAN_BE_SEEN
static long resident_kb(void)
{
    char line[256];
    long kb = -1;
    FILE *file = fopen("/proc/self/status", "re");
    assert_non_null(file);
    while (kb < 0 && fgets(line, sizeof line, file))
        if (!strncmp(line, "RssAnon:", 8)) kb = strtol(line + 8, NULL, 10);
    fclose(file);
    return kb;
}

/* Every second block freed: none of the holes is at the end of the heap. */
static void test_holes_are_given_back(void **state)
{
    const struct timespec a_while = { .tv_nsec = 10000000 };
    char *blocks[BLOCKS];
    (void)state;
    heaps_begin(20);
    for (size_t i = 0; i < BLOCKS; i++) {
        blocks[i] = malloc(SIZE);
        assert_non_null(blocks[i]);
        memset(blocks[i], (int)i, SIZE);
    }
    long full = resident_kb(), wanted = full - (long)(BLOCKS / 2 * (SIZE >> 10)) * 3 / 4;
    for (size_t i = 0; i < BLOCKS; i += 2) free(blocks[i]);
    for (int tries = 0; resident_kb() > wanted && tries < 1000; tries++) nanosleep(&a_while, NULL);
    assert_true(resident_kb() <= wanted);
    for (size_t i = 1; i < BLOCKS; i += 2) {
        assert_int_equal((unsigned char)blocks[i][SIZE - 1], i & 255);
        free(blocks[i]);
    }
    heaps_end();
}
#endif

static void test_it_ends_at_once(void **state)
{
    (void)state;
    time_t began = time(NULL);
    heaps_begin(600000);
    heaps_end();
    assert_true(time(NULL) - began < 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef HOLES_CAN_BE_SEEN
        cmocka_unit_test(test_holes_are_given_back),
#endif
        cmocka_unit_test(test_it_ends_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
