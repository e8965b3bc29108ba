/* arena_fixture.h: an arena that lives as long as a group of tests, and random numbers that repeat. */
#ifndef OF_TESTS_ARENA_FIXTURE_H
#define OF_TESTS_ARENA_FIXTURE_H

#include "base/arena.h"

static struct arena arena;

static int set_up(void **state)
{
    (void)state;
    arena_init(&arena, (size_t)256 << 20);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

__attribute__((unused)) static uint64_t rnd(uint64_t below)
{
    static uint64_t seed = 0x853c49e6748fea9b;
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (seed >> 11) % below;
}

#endif
