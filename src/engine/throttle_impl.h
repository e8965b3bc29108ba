/* throttle_impl.h: the buckets, for throttle.c. */
#ifndef OF_ENGINE_THROTTLE_IMPL_H
#define OF_ENGINE_THROTTLE_IMPL_H

#include "throttle.h"

/* What a table or a global index may have. Reads at 0, writes at 1. */
struct limits {
    const struct table *table;
    const struct index *index; /* NULL: the table */
    int64_t rate[2];           /* units per second; 0: none is set */
    uint32_t partitions;
};
/* Of an index, or the table where it is NULL or a local one. */
struct limits limits_of(const struct table *t, const struct index *ix);

struct bucket {
    int64_t level; /* thousandths of half units; below 0: owed */
    int64_t at_ms; /* when it was filled last */
    bool begun;
};
/* Fills it up to now: units per second, at most what so many seconds give. A new one began with one second's at since_ms. */
void bucket_fill(struct bucket *b, int64_t rate, int64_t seconds, int64_t since_ms, int64_t now_ms);

struct meter {
    uint32_t id; /* of a table or index; 0: free */
    uint64_t used;
    struct bucket whole[2];
    struct bucket (*partitions)[2];
    uint32_t n_partitions;
};

struct meters {
    struct meter all[THROTTLE_METERS];
    uint64_t uses;
};
/* The meter of these limits, its partitions as many as they say. NULL: no memory. */
struct meter *meter_of(struct meters *meters, const struct limits *l);
void meters_free(struct meters *meters);

enum limit_kind { LIMIT_NONE, LIMIT_WHOLE, LIMIT_PARTITION };
/* What keeps an item of this partition hash out. */
enum limit_kind meter_full(struct meter *p, const struct limits *l, uint32_t hash, bool write, int64_t now_ms);
/* What keeps writes out that may concern any of its partitions. */
enum limit_kind meter_full_anywhere(struct meter *p, const struct limits *l, bool write, int64_t now_ms);
/* Takes half units; a negative count gives them back. */
void meter_take(struct meter *p, const struct limits *l, uint32_t hash, bool write, int64_t halves, int64_t now_ms);

#endif
