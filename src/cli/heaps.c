/* heaps.c: see heaps.h and docs/decisions/0022. */
#include "heaps.h"
#include "../base/thread.h"
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define REST_FACTOR 1000 /* whoever allocates meanwhile waits, so giving back takes a thousandth of the time at most */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t stopping;
    pthread_t thread;
    uint64_t every_ns;
    bool runs, stop;
} heaps;

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Under the lock. False: it was told to stop. */
static bool rest(uint64_t ns)
{
    uint64_t until = now_ns() + ns;
    const struct timespec at = { .tv_sec = (time_t)(until / 1000000000), .tv_nsec = (long)(until % 1000000000) };
    while (!heaps.stop && now_ns() < until) pthread_cond_timedwait(&heaps.stopping, &heaps.lock, &at);
    return !heaps.stop;
}

static void *thread_main(void *ctx)
{
    uint64_t pause = heaps.every_ns;
    (void)ctx;
    pthread_setname_np(pthread_self(), "onefold-heaps");
    pthread_mutex_lock(&heaps.lock);
    while (rest(pause)) {
        pthread_mutex_unlock(&heaps.lock);
        uint64_t began = now_ns();
        malloc_trim(0);
        uint64_t took = now_ns() - began;
        pause = took * REST_FACTOR > heaps.every_ns ? took * REST_FACTOR : heaps.every_ns;
        pthread_mutex_lock(&heaps.lock);
    }
    pthread_mutex_unlock(&heaps.lock);
    return NULL;
}

/* glibc raises the size from which memory is the system's own again with each such block that is freed, up to 32 MB: after a few large
 * requests the heaps of all threads would keep theirs. With these it is given back at once, and smaller blocks are still reused. */
static void bound_blocks(void)
{
    mallopt(M_MMAP_THRESHOLD, 4 << 20);
    mallopt(M_TRIM_THRESHOLD, 8 << 20);
}

void heaps_begin(unsigned every_ms)
{
    pthread_condattr_t clock;
    bound_blocks();
    heaps.every_ns = (uint64_t)every_ms * 1000000;
    heaps.stop = false;
    pthread_mutex_init(&heaps.lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&heaps.stopping, &clock);
    pthread_condattr_destroy(&clock);
    heaps.runs = thread_start(&heaps.thread, thread_main, NULL) == 0;
}

void heaps_end(void)
{
    pthread_mutex_lock(&heaps.lock);
    heaps.stop = true;
    pthread_cond_signal(&heaps.stopping);
    pthread_mutex_unlock(&heaps.lock);
    if (heaps.runs) pthread_join(heaps.thread, NULL);
    pthread_cond_destroy(&heaps.stopping);
    pthread_mutex_destroy(&heaps.lock);
}
