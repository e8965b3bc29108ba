/* engine_impl.h: the engine's own struct, for the files of this folder. */
#ifndef OF_ENGINE_ENGINE_IMPL_H
#define OF_ENGINE_ENGINE_IMPL_H

#include "catalog.h"
#include "jobs.h"

struct engine {
    struct store *store;       /* borrowed */
    struct catalogs *catalogs; /* owned */
    struct jobs *jobs;         /* owned */
    struct engine_options options;
};

int64_t engine_now_ms(const struct engine *e);

#endif
