/* env.c: the clock and the randomness of the machine. */
#include "entity.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

static int64_t system_now(void *ctx)
{
    struct timespec t;
    (void)ctx;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Identifiers that are not random would overwrite each other's items: better to stop. */
static void system_random(void *ctx, uint8_t *p, size_t n)
{
    (void)ctx;
    while (n) {
        ssize_t got = getrandom(p, n, 0);
        if (got < 0 && errno != EINTR) abort();
        if (got <= 0) continue;
        p += got;
        n -= (size_t)got;
    }
}

const struct model_env model_env_system = { system_now, system_random, NULL };
