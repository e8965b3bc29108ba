/* repeat.h: how often a test with random cases repeats itself. OF_TEST_LESS=20 makes it a twentieth: under valgrind and the
 * sanitizers, where everything takes many times as long and what counts is that each path is taken, not how often. The plain
 * builds run all. */
#ifndef REPEAT_H
#define REPEAT_H

#include <stdlib.h>

static inline int repeated(int times)
{
    const char *text = getenv("OF_TEST_LESS");
    long less = text ? strtol(text, NULL, 10) : 1;
    return less > 1 && times > less ? (int)(times / less) : less > 1 ? 1 : times;
}

#endif
