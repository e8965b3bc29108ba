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

static double last;
static bool shown;

void show_progress(void *ctx, const char *what, uint64_t done, uint64_t of)
{
    (void)ctx;
    double now = seconds();
    if (now - last < 0.2) return; /* it is told of every line */
    last = now;
    if (!isatty(STDERR_FILENO)) return;
    shown = true;
    if (of)
        fprintf(stderr, "\r\033[K%llu of %llu %s (%llu %%)", (unsigned long long)done, (unsigned long long)of, what,
                (unsigned long long)(of ? done * 100 / of : 0));
    else
        fprintf(stderr, "\r\033[K%llu %s", (unsigned long long)done, what);
}

void end_progress(void)
{
    if (shown) fputs("\r\033[K", stderr);
    shown = false;
}
