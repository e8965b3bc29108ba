/* arena.h: memory with the lifetime of one request.
 *
 * Everything a request needs is taken from its arena and given back all at once by arena_reset().
 * An arena states its maximum. Running out of it, or malloc failing, does not return NULL: it leaves
 * through the guard that the owner of the arena set (a longjmp), so the code in between holds no
 * error path for memory. What follows from that:
 *   - code that allocates from an arena must not hold anything else that needs releasing (a lock,
 *     malloc'ed memory, a file) across the allocation. Store cursors are safe: the transaction
 *     closes what was left open;
 *   - whoever creates an arena runs the work inside ARENA_GUARD and turns a false into an error.
 *
 *     if (ARENA_GUARD(arena)) { work(arena); } else { out of memory }
 *     arena_unguard(arena);
 *
 * Guards nest (ARENA_MAX_GUARDS deep): the innermost is used. Without a guard, running out of memory ends the process with a
 * message (only tests and start-up code do that). An arena belongs to one thread at a time. */
#ifndef OF_BASE_ARENA_H
#define OF_BASE_ARENA_H

#include "slice.h"
#include <setjmp.h>
#include <stdarg.h>

struct arena_block;

#define ARENA_MAX_GUARDS 4

struct arena {
    struct arena_block *blocks; /* newest first; the oldest is kept by arena_reset */
    uint8_t *at, *end;          /* free space in the newest block */
    size_t used, max;           /* bytes held in blocks, and the most that may be */
    bool starved;               /* it ran out because malloc failed, not at its maximum: what was done may be tried again */
    /* Held here and not where the guard is set: there they would go out of scope before arena_unguard. */
    jmp_buf guards[ARENA_MAX_GUARDS];
    unsigned n_guards;
};

/* No memory is taken before the first allocation. */
void arena_init(struct arena *a, size_t max);
/* Forgets everything; keeps one modest block for the next request. */
void arena_reset(struct arena *a);
/* The same, and the block's pages go back to the system until it is used again. */
void arena_rest(struct arena *a);
void arena_free(struct arena *a);
/* Overwrites whatever was taken, for an arena that held secrets; arena_free or arena_reset follows. */
void arena_wipe(struct arena *a);

/* A new block with room for n bytes: for the functions below. */
void arena_grow(struct arena *a, size_t n);
/* Aligned for any type; contents undefined. Never NULL, see above. */
void *arena_alloc(struct arena *a, size_t n);
void *arena_zalloc(struct arena *a, size_t n);
/* n bytes aligned to nothing in particular, for text and encodings. */
static inline uint8_t *arena_bytes(struct arena *a, size_t n)
{
    if (!a->at || (size_t)(a->end - a->at) < n) arena_grow(a, n);
    uint8_t *p = a->at;
    a->at += n;
    return p;
}
struct slice arena_dup(struct arena *a, struct slice s);
/* Formatted text; the slice is followed by a NUL so that it also serves as a C string. */
struct slice arena_printf(struct arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
struct slice arena_vprintf(struct arena *a, const char *fmt, va_list ap);

#define ARENA_NEW(a, type)      ((type *)arena_zalloc((a), sizeof(type)))
#define ARENA_ARRAY(a, type, n) ((type *)arena_zalloc((a), arena_array_bytes((n), sizeof(type))))
/* n * size, or a size no arena will grant when that overflows. */
size_t arena_array_bytes(size_t n, size_t size);

#define ARENA_GUARD(a) (setjmp(*arena_guard_push(a)) == 0)
jmp_buf *arena_guard_push(struct arena *a);
void arena_unguard(struct arena *a);
/* Leaves through the guard as if memory had run out. */
_Noreturn void arena_fail(struct arena *a);

#endif
