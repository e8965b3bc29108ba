/* counters_impl.h: the counters' own structs, for counters.c and counters_places.c. */
#ifndef OF_ENGINE_COUNTERS_IMPL_H
#define OF_ENGINE_COUNTERS_IMPL_H

#include "counters.h"
#include <pthread.h>

struct place {
    uint64_t read_halves, write_halves;
    struct top_keys keys;
};

struct shard {
    _Alignas(64) pthread_mutex_t lock;
    struct counters_row *rows;
    uint32_t ids[COUNTERS_PLACES]; /* side by side, to be looked through */
    struct place *places[COUNTERS_PLACES];
    size_t n_places;
};

struct slot { /* of the ring */
    int64_t second;
    struct counters_second *rows;
};

struct counters {
    size_t n_rows; /* operations, and the guest */
    struct shard shards[COUNTERS_SHARDS];
    int64_t second;              /* being counted; atomic, set under the lock of the ring */
    pthread_mutex_t ring;        /* guards what is below; shards may be locked inside it, never the other way round */
    struct slot slots[COUNTERS_SECONDS];
    struct counters_row *before; /* totals when the second began */
    struct counters_row *sum;    /* scratch */
    int64_t minute;
    struct counters_row *minutes[2]; /* totals when this minute began, and the one before */
};

void place_add(struct shard *s, const struct touch *touch, int64_t second);
void places_free(struct shard *s);

#endif
