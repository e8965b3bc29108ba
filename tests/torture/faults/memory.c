/* memory.c: stands before malloc and the like (LD_PRELOAD, before a sanitizer's own) and lets the ones fail that a program asks for.
 *
 * The program finds `memory_faults` with dlsym. It is the calling thread's own: what other threads take is neither counted nor refused. */
#include "memory.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* Not found through a function that takes memory itself. */
static __attribute__((tls_model("initial-exec"))) _Thread_local struct memory_faults mine;

EXPORT struct memory_faults *memory_faults(void)
{
    return &mine;
}

static bool refused(void)
{
    if (!mine.on) return false;
    mine.seen++;
    if (mine.seen < mine.from || mine.seen > mine.to) return false;
    mine.failed++;
    errno = ENOMEM;
    return true;
}

/* ---- before the real ones are known: finding them takes memory ---- */

#define EARLY_BYTES (256u << 10)
#define HEAD        16 /* holds the size */

static _Alignas(16) char early[EARLY_BYTES];
static size_t early_used;

static bool is_early(const void *p)
{
    return (const char *)p >= early && (const char *)p < early + EARLY_BYTES;
}

/* One thread runs at that time. What it takes is zero and stays taken. */
static void *take_early(size_t n)
{
    size_t whole = HEAD + (n + 15) / 16 * 16;
    if (whole > EARLY_BYTES - early_used) abort();
    char *p = early + early_used;
    early_used += whole;
    memcpy(p, &n, sizeof n);
    return p + HEAD;
}

static struct {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void *(*aligned_alloc)(size_t, size_t);
    int (*posix_memalign)(void **, size_t, size_t);
    void (*free)(void *);
} real;
static int finding; /* 1: under way, 2: done */

static bool ready(void)
{
    if (finding == 2) return true;
    if (finding == 1) return false;
    finding = 1;
    *(void **)&real.malloc = dlsym(RTLD_NEXT, "malloc");
    *(void **)&real.calloc = dlsym(RTLD_NEXT, "calloc");
    *(void **)&real.realloc = dlsym(RTLD_NEXT, "realloc");
    *(void **)&real.aligned_alloc = dlsym(RTLD_NEXT, "aligned_alloc");
    *(void **)&real.posix_memalign = dlsym(RTLD_NEXT, "posix_memalign");
    *(void **)&real.free = dlsym(RTLD_NEXT, "free");
    if (!real.malloc || !real.calloc || !real.realloc || !real.aligned_alloc || !real.posix_memalign || !real.free) abort();
    finding = 2;
    return true;
}

/* ---- in their place ---- */

EXPORT void *malloc(size_t n)
{
    if (!ready()) return take_early(n);
    return refused() ? NULL : real.malloc(n);
}

EXPORT void *calloc(size_t n, size_t size)
{
    if (!ready()) return take_early(n * size);
    return refused() ? NULL : real.calloc(n, size);
}

EXPORT void *realloc(void *p, size_t n)
{
    if (!ready() || (p && is_early(p))) {
        size_t had = 0;
        if (p) memcpy(&had, (char *)p - HEAD, sizeof had);
        void *moved = finding == 2 ? real.malloc(n) : take_early(n);
        if (moved && p) memcpy(moved, p, had < n ? had : n);
        return moved;
    }
    return refused() ? NULL : real.realloc(p, n);
}

EXPORT void *aligned_alloc(size_t alignment, size_t n)
{
    if (!ready()) abort();
    return refused() ? NULL : real.aligned_alloc(alignment, n);
}

EXPORT int posix_memalign(void **out, size_t alignment, size_t n)
{
    if (!ready()) abort();
    return refused() ? ENOMEM : real.posix_memalign(out, alignment, n);
}

/* A sanitizer's own of these do not come through malloc. */
EXPORT char *strdup(const char *text)
{
    size_t n = strlen(text) + 1;
    char *copy = malloc(n);
    return copy ? memcpy(copy, text, n) : NULL;
}

EXPORT char *strndup(const char *text, size_t most)
{
    size_t n = strnlen(text, most);
    char *copy = malloc(n + 1);
    if (copy) {
        memcpy(copy, text, n);
        copy[n] = 0;
    }
    return copy;
}

EXPORT void free(void *p)
{
    if (p && is_early(p)) return;
    if (ready()) real.free(p);
}
