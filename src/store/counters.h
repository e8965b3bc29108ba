/* counters.h: additions to counters that wait in memory for the commit.
 *
 * A job collects its own; when it succeeds they are merged into those of its batch, which are
 * written at the commit, each once. So a counter that every write touches costs a commit one put,
 * however many updates it groups, and a job that fails leaves nothing to
 * undo. */
#ifndef OF_STORE_COUNTERS_H
#define OF_STORE_COUNTERS_H

#include "../base/slice.h"

struct counter {
    uint64_t hash;
    size_t at, n; /* the key, in keys */
    int64_t delta;
    bool reset; /* what was stored is forgotten: delta is the new value */
    int64_t stored; /* for local/, among a batch's: what the store has, read when the first job added to it */
};

struct counters {
    struct counter *v; /* in order of first use */
    size_t n, cap;
    uint32_t *slots; /* open addressing; index into v plus one */
    size_t slot_count;
    uint8_t *keys;
    size_t keys_n, keys_cap;
};

void counters_free(struct counters *c);
/* Forgets all; keeps the memory for the next batch. */
void counters_clear(struct counters *c);
/* NULL if it was never added to. */
const struct counter *counters_find(const struct counters *c, struct slice key);
/* False: memory ran out, and no sum was changed. */
bool counters_add(struct counters *c, struct slice key, int64_t delta);
bool counters_reset(struct counters *c, struct slice key);
bool counters_merge(struct counters *into, const struct counters *from);

static inline struct slice counter_key(const struct counters *c, const struct counter *e)
{
    return slice_of(c->keys + e->at, e->n);
}

/* Counters wrap instead of being undefined when they overflow. */
static inline int64_t counter_plus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

#endif
