/* moved_clock.h: a clock for an engine under test that stands still until the test moves it: .now_ms = read_clock. */
#ifndef OF_TESTS_MOVED_CLOCK_H
#define OF_TESTS_MOVED_CLOCK_H

#include <stdint.h>

static _Atomic int64_t clock_ms; /* since 1970; jobs read it too */

static int64_t read_clock(void *ctx)
{
    (void)ctx;
    return clock_ms;
}

#endif
