/* progress.c: how far a long job is, on standard error, where that is a terminal. */
#include "session.h"
#include <time.h>
#include <unistd.h>

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

#define BAR_CELLS 30

static double last;
static bool shown;

static void put_bar(uint64_t done, uint64_t of)
{
    char bar[BAR_CELLS + 1];
    size_t full = done >= of ? BAR_CELLS : (size_t)((double)done / (double)of * BAR_CELLS);
    memset(bar, '#', full);
    memset(bar + full, '.', BAR_CELLS - full);
    bar[BAR_CELLS] = 0;
    fprintf(stderr, "[%s] ", bar);
}

void show_progress(void *ctx, const char *what, uint64_t done, uint64_t of)
{
    (void)ctx;
    double now = seconds();
    if (now - last < 0.2) return; /* it is told of every line */
    last = now;
    if (!isatty(STDERR_FILENO)) return;
    shown = true;
    fputs("\r\033[K", stderr);
    if (of) put_bar(done, of);
    fprintf(stderr, "%llu ", (unsigned long long)done);
    if (of) fprintf(stderr, "of %llu ", (unsigned long long)of);
    fputs(what, stderr);
}

void end_progress(void)
{
    if (shown) fputs("\r\033[K", stderr);
    shown = false;
}
