/* throttle_meters.c: buckets of units, by table and index. */
#include "partition_count.h"
#include "throttle_impl.h"
#include <stdlib.h>

#define HALVES      2
#define THOUSANDTHS 1000
#define MAX_RATE    ((int64_t)PARTITIONS_MAX * PARTITION_READ_UNITS) /* keeps products far from overflow */

static const int64_t partition_rate[2] = { PARTITION_READ_UNITS, PARTITION_WRITE_UNITS };

static int64_t sane_rate(int64_t rate)
{
    return rate < 0 ? 0 : rate > MAX_RATE ? MAX_RATE : rate;
}

struct limits limits_of(const struct table *t, const struct index *ix)
{
    if (ix && ix->kind == INDEX_LOCAL) ix = NULL;
    const struct throughput *given = ix ? &ix->throughput : &t->throughput;
    bool on_demand = t->billing == BILLING_PAY_PER_REQUEST;
    return (struct limits){ .table = t,
                            .index = ix,
                            .rate = { sane_rate(on_demand ? given->max_read : given->read),
                                      sane_rate(on_demand ? given->max_write : given->write) },
                            .partitions = throughput_partitions(t->billing, given) };
}

void bucket_fill(struct bucket *b, int64_t rate, int64_t seconds, int64_t since_ms, int64_t now_ms)
{
    /* A unit per second is two thousandths of a half unit per millisecond. */
    const int64_t per_ms = rate * HALVES, most = per_ms * THOUSANDTHS * seconds;
    if (!b->begun) *b = (struct bucket){ .level = per_ms * THOUSANDTHS, .at_ms = since_ms, .begun = true };
    int64_t passed = now_ms - b->at_ms;
    if (passed > 0) {
        /* Whoever owes more than the longest burst waits longer than that. */
        int64_t longest = (INT64_MAX / 4) / (per_ms + 1);
        b->level += per_ms * (passed < longest ? passed : longest);
    }
    if (b->level > most) b->level = most;
    b->at_ms = now_ms;
}

static bool set_partitions(struct meter *p, uint32_t n)
{
    if (p->n_partitions == n) return true;
    struct bucket(*fresh)[2] = calloc(n, sizeof *fresh);
    if (!fresh) return false;
    free(p->partitions);
    p->partitions = fresh;
    p->n_partitions = n;
    return true;
}

static struct meter *longest_unused(struct meters *meters)
{
    struct meter *found = &meters->all[0];
    for (size_t i = 1; i < THROTTLE_METERS; i++) {
        if (meters->all[i].used < found->used) found = &meters->all[i];
    }
    free(found->partitions);
    *found = (struct meter){ 0 };
    return found;
}

struct meter *meter_of(struct meters *meters, const struct limits *l)
{
    uint32_t id = l->index ? l->index->id : l->table->id;
    struct meter *p = NULL;
    for (size_t i = 0; !p && i < THROTTLE_METERS; i++) {
        if (meters->all[i].id == id) p = &meters->all[i];
    }
    if (!p) p = longest_unused(meters);
    if (!set_partitions(p, l->partitions)) return NULL;
    p->id = id;
    p->used = ++meters->uses;
    return p;
}

void meters_free(struct meters *meters)
{
    for (size_t i = 0; i < THROTTLE_METERS; i++) free(meters->all[i].partitions);
}

static struct bucket *filled_partition(struct meter *p, uint32_t i, bool write, int64_t now_ms)
{
    struct bucket *b = &p->partitions[i][write];
    bucket_fill(b, partition_rate[write], 1, now_ms, now_ms);
    return b;
}

static struct bucket *filled_whole(struct meter *p, const struct limits *l, bool write, int64_t now_ms)
{
    struct bucket *b = &p->whole[write];
    bucket_fill(b, l->rate[write], THROTTLE_BURST_S, l->table->created_ms, now_ms);
    return b;
}

static bool whole_full(struct meter *p, const struct limits *l, bool write, int64_t now_ms)
{
    return l->rate[write] && filled_whole(p, l, write, now_ms)->level <= 0;
}

enum limit_kind meter_full(struct meter *p, const struct limits *l, uint32_t hash, bool write, int64_t now_ms)
{
    if (whole_full(p, l, write, now_ms)) return LIMIT_WHOLE;
    uint32_t i = partition_of_hash(hash, p->n_partitions);
    return filled_partition(p, i, write, now_ms)->level <= 0 ? LIMIT_PARTITION : LIMIT_NONE;
}

enum limit_kind meter_full_anywhere(struct meter *p, const struct limits *l, bool write, int64_t now_ms)
{
    if (whole_full(p, l, write, now_ms)) return LIMIT_WHOLE;
    for (uint32_t i = 0; i < p->n_partitions; i++) {
        if (filled_partition(p, i, write, now_ms)->level <= 0) return LIMIT_PARTITION;
    }
    return LIMIT_NONE;
}

void meter_take(struct meter *p, const struct limits *l, uint32_t hash, bool write, int64_t halves, int64_t now_ms)
{
    if (l->rate[write]) filled_whole(p, l, write, now_ms)->level -= halves * THOUSANDTHS;
    filled_partition(p, partition_of_hash(hash, p->n_partitions), write, now_ms)->level -= halves * THOUSANDTHS;
}
