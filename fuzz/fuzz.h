/* fuzz.h: what the targets share: a check that says what was broken, an arena that is kept between inputs, choices made from bytes. */
#ifndef OF_FUZZ_FUZZ_H
#define OF_FUZZ_FUZZ_H

#include <stdio.h>
#include <stdlib.h>
#include "base/arena.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(x)                                                                                   \
    do {                                                                                           \
        if (!(x)) fuzz_broken(#x, __FILE__, __LINE__);                                             \
    } while (0)

static inline _Noreturn void fuzz_broken(const char *what, const char *file, int line)
{
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
    abort();
}

/* An arena for one input, empty. Its first block is kept for the next: taking and giving it back would cost more than most inputs do. The others go at the
 * end of the function, wherever that is left: libFuzzer runs an input that has allocated more often than freed once more, to look for what it lost. */
#define FUZZ_ARENA(name, max) struct arena *name __attribute__((cleanup(fuzz_arena_end))) = fuzz_arena(max)

static inline struct arena *fuzz_arena(size_t max)
{
    static struct arena kept;
    kept.max = max; /* the rest is zeroes, as arena_init would make it */
    kept.n_guards = 0;
    return &kept;
}

static inline void fuzz_arena_end(struct arena **a)
{
    arena_reset(*a);
}

/* Bytes taken off the front of an input; zeroes when there are no more. */
static inline uint8_t fuzz_byte(struct slice *in)
{
    if (!in->n) return 0;
    uint8_t b = in->p[0];
    *in = slice_of(in->p + 1, in->n - 1);
    return b;
}

static inline struct slice fuzz_bytes(struct slice *in, size_t n)
{
    if (n > in->n) n = in->n;
    struct slice s = slice_of(in->p, n);
    *in = slice_of(in->p + n, in->n - n);
    return s;
}

#endif
