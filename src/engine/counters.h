/* counters.h: what the database does: calls, failures, latency and units by operation, units by table and index, and the busy
 * partition keys of each. Watch of the studio reads them; so can whatever else tells of them.
 *
 * A row is an operation (its place in the table of ops.c); one more row has all calls of the studio's own, which count for no
 * operation, table or key. Totals grow from 0 when the engine is opened and never fall. Besides there is a ring of the last
 * five minutes, by the second.
 *
 * What it costs: a call locks one of four shards, its thread's, for a few additions. Whoever is the first to count in a new
 * second adds up the shards for the ring; nothing runs while nobody calls. What it holds: at most COUNTERS_PLACES tables and
 * indexes per shard, of which the longest unused makes room; of a dropped one nothing (counters_prune). */
#ifndef OF_ENGINE_COUNTERS_H
#define OF_ENGINE_COUNTERS_H

#include "tally.h"
#include "top_keys.h"

#define COUNTERS_SHARDS  4
#define COUNTERS_PLACES  64
#define COUNTERS_BUCKETS 50
#define COUNTERS_SECONDS 300
#define COUNTERS_TOP     20 /* keys of a place that are told */

enum failure { FAILURE_NONE, FAILURE_USER, FAILURE_CONDITION, FAILURE_THROTTLED, FAILURE_SERVER, FAILURE_KINDS };

struct counters;

/* NULL: no memory. second: the clock's, for everything below: whole seconds that never go back. */
struct counters *counters_open(size_t operations, int64_t second);
void counters_close(struct counters *c);

struct counted {
    size_t row;           /* an operation, or counters_guest_row */
    enum failure failure;
    uint64_t microseconds;
    int64_t second;       /* when it ended */
    const struct tally *tally;
};
/* Of any thread. Where memory is out, a table's figures are not kept. */
void counters_count(struct counters *c, const struct counted *what);
size_t counters_guest_row(const struct counters *c);

/* ---- asking: any thread, any time ---- */

/* Buckets of latency: two to a doubling. The end of one in microseconds, which is not in it; the last has none: UINT64_MAX. */
uint64_t counters_bucket_end(size_t bucket);

struct counters_row {
    uint64_t calls, failures[FAILURE_KINDS], microseconds;
    uint64_t returned, written;         /* items */
    uint64_t read_halves, write_halves; /* of units */
    uint64_t latency[COUNTERS_BUCKETS];
};
/* Totals of a row. recent (may be NULL): the latency of the last one to two minutes. */
void counters_total(struct counters *c, size_t row, int64_t second, struct counters_row *total,
                    uint64_t recent[COUNTERS_BUCKETS]);
/* The latency that a part of the calls does not exceed, between the ends of its bucket; 0 without calls. */
double counters_percentile(const uint64_t latency[COUNTERS_BUCKETS], double part);

struct counters_second {
    uint32_t calls, failures;
    float p50, p99; /* microseconds */
    uint64_t read_halves, write_halves;
};
/* One second of a row that is over; row counters_guest_row + 1: all operations together. False: nothing was called then, or it
 * is no longer known. */
bool counters_at(struct counters *c, int64_t second, size_t row, struct counters_second *out);
/* Ends the seconds before this one, which counters_count does where there are calls. */
void counters_turn(struct counters *c, int64_t second);

struct busy_key {
    struct top_key key;  /* bytes, length and parts are what it says */
    struct rates rates;  /* per second */
    double last;         /* load of the last whole second */
};
struct busy_place {
    uint32_t id;         /* of a table or an index */
    uint64_t read_halves, write_halves; /* totals */
    struct rates rates;  /* per second */
    size_t n_keys;       /* by load, the greatest first */
    struct busy_key keys[COUNTERS_TOP];
};
/* All places, in no order; the count of them. The array is the arena's. */
size_t counters_places(struct counters *c, struct arena *a, int64_t second, struct busy_place **out);
/* Forgets places that are gone. */
void counters_prune(struct counters *c, bool (*alive)(void *ctx, uint32_t id), void *ctx);

#endif
