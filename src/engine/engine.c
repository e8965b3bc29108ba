/* engine.c: opening and closing the database. */
#include "clone.h"
#include "engine_impl.h"
#include "export.h"
#include "history.h"
#include "import.h"
#include "ops.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int64_t engine_now_ms(const struct engine *e)
{
    if (e->options.now_ms) return e->options.now_ms(e->options.clock_ctx);
    struct timespec ts;
    clock_gettime(CLOCK_REALTIME, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

uint64_t engine_clock_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

int64_t engine_second(void)
{
    return (int64_t)(engine_clock_ns() / 1000000000u);
}

static int open_modes(struct engine *e, char *message, size_t message_size)
{
    bool conflicts = e->options.conflicts == CONFLICTS_DYNAMODB;
    if (conflicts) e->conflicts = conflicts_open();
    e->hold = hold_open(e->store);
    if (e->options.throttle) e->throttle = throttle_open();
    if ((!conflicts || e->conflicts) && (!e->options.throttle || e->throttle)) return STORE_OK;
    snprintf(message, message_size, "out of memory");
    return STORE_NO_MEMORY;
}

int engine_open(struct engine **out, struct store *store, const struct engine_options *o,
                char *message, size_t message_size)
{
    struct engine *e = calloc(1, sizeof *e);
    bool counted = !o || !o->uncounted;
    if (e && counted) e->counters = counters_open(op_count(), engine_second());
    if (!e || (counted && !e->counters)) {
        free(e);
        snprintf(message, message_size, "out of memory");
        return STORE_NO_MEMORY;
    }
    e->store = store;
    if (o) e->options = *o;
    int status = open_modes(e, message, message_size);
    if (!status) status = clone_refuse(store, message, message_size);
    if (!status) status = catalogs_open(&e->catalogs, store, message, message_size);
    if (!status) {
        status = history_open(e);
        if (status) snprintf(message, message_size, "the history of changes cannot be read: %s", store_status_text(status));
    }
    if (!status) status = jobs_open(&e->jobs, e, message, message_size);
    if (status) {
        engine_close(e);
        return status;
    }
    jobs_wake(e->jobs); /* what was left unfinished */
    *out = e;
    return STORE_OK;
}

void engine_close(struct engine *e)
{
    if (!e) return;
    if (e->jobs) jobs_close(e->jobs);
    importing_free(e->importing);
    exporting_free(e->exporting);
    if (e->catalogs) catalogs_close(e->catalogs);
    hold_close(e->hold);
    conflicts_close(e->conflicts);
    throttle_close(e->throttle);
    counters_close(e->counters);
    free(e);
}
