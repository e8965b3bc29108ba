/* engine_impl.h: the engine's own struct, for the files of this folder. */
#ifndef OF_ENGINE_ENGINE_IMPL_H
#define OF_ENGINE_ENGINE_IMPL_H

#include "catalog.h"
#include "conflicts.h"
#include "counters.h"
#include "hold.h"
#include "jobs.h"
#include "throttle.h"

struct engine {
    struct store *store;       /* borrowed */
    struct catalogs *catalogs; /* owned */
    struct jobs *jobs;         /* owned */
    struct counters *counters; /* owned; NULL: options.uncounted */
    struct conflicts *conflicts; /* owned; NULL: requests are serialised */
    struct hold *hold;           /* owned; NULL: no test holds calls */
    struct throttle *throttle;   /* owned; NULL: capacity has no end */
    struct engine_options options;
    struct importing *importing; /* import.h; owned; the jobs' thread alone */
    struct exporting *exporting; /* export.h; the same */
    uint64_t last_sequence; /* of history.h; the writer's thread alone */
    uint64_t damaged;       /* atomic: calls that met damaged data */
    int64_t moment_ms;      /* of the update under way; 0: nobody asked yet */
};

int64_t engine_now_ms(const struct engine *e);
/* A clock that never goes back, and the seconds of it that the counters go by. */
uint64_t engine_clock_ns(void);
int64_t engine_second(void);
/* watch.c: the counters forget what the catalog no longer has. */
void engine_forget_dropped(struct engine *e);

#endif
