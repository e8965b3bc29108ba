/* scratch.c: arenas that calls use one after the other, so that a call takes no memory of its own from the system.
 *
 * A database has a few. A thread tries the same one first each time; where all are taken, the call gets one for itself. */
#include "lib.h"
#include <stdatomic.h>
#include <stdlib.h>

#define ARENAS 8

struct lib_scratch {
    struct {
        _Alignas(64) atomic_bool taken;
        struct arena arena;
    } at[ARENAS];
};

struct lib_scratch *lib_scratch_new(void)
{
    struct lib_scratch *s = aligned_alloc(64, sizeof *s);
    if (!s) return NULL;
    for (size_t i = 0; i < ARENAS; i++) {
        atomic_init(&s->at[i].taken, false);
        arena_init(&s->at[i].arena, LIB_REQUEST_MAX);
    }
    return s;
}

void lib_scratch_free(struct lib_scratch *s)
{
    if (!s) return;
    for (size_t i = 0; i < ARENAS; i++) arena_free(&s->at[i].arena);
    free(s);
}

struct arena *lib_scratch_take(struct lib_scratch *s)
{
    static atomic_uint threads;
    static _Thread_local unsigned home; /* from 1 on */
    if (!home) home = 1 + atomic_fetch_add(&threads, 1) % ARENAS;
    for (size_t i = 0; i < ARENAS; i++) {
        size_t at = (home - 1 + i) % ARENAS;
        if (!atomic_exchange_explicit(&s->at[at].taken, true, memory_order_acquire)) return &s->at[at].arena;
    }
    struct arena *own = malloc(sizeof *own);
    if (own) arena_init(own, LIB_REQUEST_MAX);
    return own;
}

void lib_scratch_give(struct lib_scratch *s, struct arena *a)
{
    for (size_t i = 0; i < ARENAS; i++) {
        if (a != &s->at[i].arena) continue;
        arena_reset(a);
        atomic_store_explicit(&s->at[i].taken, false, memory_order_release);
        return;
    }
    arena_free(a);
    free(a);
}
