/* arena.c: blocks that double in size, handed out by moving a pointer. */
#include "arena.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define FIRST_BLOCK ((size_t)16 << 10)
#define LAST_GROWTH ((size_t)1 << 20) /* blocks stop doubling here */

struct arena_block {
    struct arena_block *older;
    size_t size; /* with this header */
    _Alignas(max_align_t) uint8_t bytes[];
};

void arena_init(struct arena *a, size_t max)
{
    /* Member by member: the guards, most of its bytes, need no value before they are set. */
    a->blocks = NULL;
    a->at = a->end = NULL;
    a->used = 0;
    a->max = max;
    a->starved = false;
    a->n_guards = 0;
}

static void drop_blocks(struct arena *a, struct arena_block *keep)
{
    for (struct arena_block *b = a->blocks, *older; b; b = older) {
        older = b->older;
        if (b != keep) free(b);
    }
    a->blocks = keep;
    a->used = keep ? keep->size : 0;
    a->starved = false;
    a->at = keep ? keep->bytes : NULL;
    a->end = keep ? (uint8_t *)keep + keep->size : NULL;
}

void arena_reset(struct arena *a)
{
    struct arena_block *oldest = a->blocks;
    while (oldest && oldest->older) oldest = oldest->older;
    if (oldest && oldest->size > FIRST_BLOCK) oldest = NULL;
    drop_blocks(a, oldest);
}

void arena_rest(struct arena *a)
{
    arena_reset(a);
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t from = ((uintptr_t)a->at + page - 1) & ~(page - 1), to = (uintptr_t)a->end & ~(page - 1);
    /* Only whole pages: what else is on the others belongs to somebody. */
    if (from < to) madvise((void *)from, to - from, MADV_DONTNEED);
}

void arena_free(struct arena *a)
{
    drop_blocks(a, NULL);
}

void arena_wipe(struct arena *a)
{
    for (struct arena_block *b = a->blocks; b; b = b->older) {
        const uint8_t *end = b == a->blocks ? a->at : (uint8_t *)b + b->size; /* of the newest only a part was handed out */
        explicit_bzero(b->bytes, (size_t)(end - b->bytes));
    }
}

void arena_grow(struct arena *a, size_t n)
{
    size_t size = a->blocks ? a->blocks->size * 2 : FIRST_BLOCK;
    if (size > LAST_GROWTH) size = LAST_GROWTH;
    if (n > a->max) arena_fail(a);
    if (size < n + sizeof(struct arena_block)) size = n + sizeof(struct arena_block);
    if (size > a->max - a->used) size = a->max - a->used;
    if (size < n + sizeof(struct arena_block)) arena_fail(a);
    struct arena_block *b = malloc(size);
    a->starved = !b;
    if (!b) arena_fail(a);
    b->older = a->blocks;
    b->size = size;
    a->blocks = b;
    a->used += size;
    a->at = b->bytes;
    a->end = (uint8_t *)b + size;
}

void *arena_alloc(struct arena *a, size_t n)
{
    const size_t align = _Alignof(max_align_t);
    size_t pad = (size_t)(-(uintptr_t)a->at) & (align - 1);
    if (!a->at || (size_t)(a->end - a->at) < pad || (size_t)(a->end - a->at) - pad < n) {
        arena_grow(a, n);
        pad = 0;
    }
    void *p = a->at + pad;
    a->at += pad + n;
    return p;
}

void *arena_zalloc(struct arena *a, size_t n)
{
    return memset(arena_alloc(a, n), 0, n);
}

struct slice arena_dup(struct arena *a, struct slice s)
{
    uint8_t *p = arena_bytes(a, s.n);
    if (s.n) memcpy(p, s.p, s.n);
    return slice_of(p, s.n);
}

struct slice arena_vprintf(struct arena *a, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    if (n < 0) arena_fail(a);
    char *p = (char *)arena_bytes(a, (size_t)n + 1);
    vsnprintf(p, (size_t)n + 1, fmt, again);
    va_end(again);
    return slice_of(p, (size_t)n);
}

struct slice arena_printf(struct arena *a, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    struct slice s = arena_vprintf(a, fmt, ap);
    va_end(ap);
    return s;
}

size_t arena_array_bytes(size_t n, size_t size)
{
    size_t bytes;
    return __builtin_mul_overflow(n, size, &bytes) ? SIZE_MAX : bytes;
}

jmp_buf *arena_guard_push(struct arena *a)
{
    if (a->n_guards == ARENA_MAX_GUARDS) {
        fputs("onefold: too many arena guards\n", stderr);
        abort();
    }
    return &a->guards[a->n_guards++];
}

void arena_unguard(struct arena *a)
{
    a->n_guards--;
}

void arena_fail(struct arena *a)
{
    if (!a->n_guards) {
        fputs("onefold: out of memory\n", stderr);
        abort();
    }
    longjmp(a->guards[a->n_guards - 1], 1);
}
