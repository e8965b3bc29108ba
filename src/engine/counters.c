/* counters.c: rows of totals in shards, and the ring of seconds that is made from them. */
#include "counters_impl.h"
#include <stdlib.h>

/* ---- opening ---- */

static bool make(struct counters *c)
{
    size_t n = c->n_rows;
    for (size_t i = 0; i < COUNTERS_SHARDS; i++) {
        if (!(c->shards[i].rows = calloc(n, sizeof(struct counters_row)))) return false;
    }
    /* One block: mostly untouched, so mostly not there. */
    struct counters_second *seconds = calloc(COUNTERS_SECONDS * (n + 1), sizeof *seconds);
    c->slots[0].rows = seconds;
    if (!seconds) return false;
    for (size_t i = 0; i < COUNTERS_SECONDS; i++) c->slots[i] = (struct slot){ .second = -1, .rows = seconds + i * (n + 1) };
    c->before = calloc(n, sizeof *c->before);
    c->sum = calloc(n, sizeof *c->sum);
    c->minutes[0] = calloc(n, sizeof *c->sum);
    c->minutes[1] = calloc(n, sizeof *c->sum);
    return c->before && c->sum && c->minutes[0] && c->minutes[1];
}

struct counters *counters_open(size_t operations, int64_t second)
{
    struct counters *c = aligned_alloc(64, (sizeof *c + 63) / 64 * 64);
    if (!c) return NULL;
    memset(c, 0, sizeof *c);
    c->n_rows = operations + 1;
    c->second = second;
    c->minute = second / 60;
    pthread_mutex_init(&c->ring, NULL);
    for (size_t i = 0; i < COUNTERS_SHARDS; i++) pthread_mutex_init(&c->shards[i].lock, NULL);
    if (make(c)) return c;
    counters_close(c);
    return NULL;
}

void counters_close(struct counters *c)
{
    if (!c) return;
    for (size_t i = 0; i < COUNTERS_SHARDS; i++) {
        places_free(&c->shards[i]);
        free(c->shards[i].rows);
        pthread_mutex_destroy(&c->shards[i].lock);
    }
    free(c->slots[0].rows);
    free(c->before);
    free(c->sum);
    free(c->minutes[0]);
    free(c->minutes[1]);
    pthread_mutex_destroy(&c->ring);
    free(c);
}

size_t counters_guest_row(const struct counters *c)
{
    return c->n_rows - 1;
}

/* ---- latency ---- */

static size_t bucket_of(uint64_t us)
{
    if (us < 2) return 0;
    unsigned octave = 63 - (unsigned)__builtin_clzll(us);
    size_t bucket = 2 * octave + (us >> (octave - 1) & 1) - 1;
    return bucket < COUNTERS_BUCKETS ? bucket : COUNTERS_BUCKETS - 1;
}

/* 2, 3, 4, 6, 8, 12 ... */
uint64_t counters_bucket_end(size_t bucket)
{
    if (bucket >= COUNTERS_BUCKETS - 1) return UINT64_MAX;
    uint64_t octave = (uint64_t)2 << bucket / 2;
    return bucket % 2 ? octave + octave / 2 : octave;
}

double counters_percentile(const uint64_t latency[COUNTERS_BUCKETS], double part)
{
    uint64_t n = 0;
    for (size_t i = 0; i < COUNTERS_BUCKETS; i++) n += latency[i];
    double left = (double)n * part;
    for (size_t i = 0; i < COUNTERS_BUCKETS; i++) {
        if (!latency[i] || left > (double)latency[i]) {
            left -= (double)latency[i];
            continue;
        }
        double from = i ? (double)counters_bucket_end(i - 1) : 0;
        if (i == COUNTERS_BUCKETS - 1) return from;
        return from + ((double)counters_bucket_end(i) - from) * left / (double)latency[i];
    }
    return 0;
}

/* ---- the ring ---- */

static void add_rows(struct counters_row *to, const struct counters_row *from)
{
    uint64_t *a = (uint64_t *)to;
    const uint64_t *b = (const uint64_t *)from;
    _Static_assert(sizeof *to % sizeof *a == 0, "a row is numbers only");
    for (size_t i = 0; i < sizeof *to / sizeof *a; i++) a[i] += b[i];
}

static void sum_rows(struct counters *c, struct counters_row *sum)
{
    memset(sum, 0, c->n_rows * sizeof *sum);
    for (size_t s = 0; s < COUNTERS_SHARDS; s++) {
        pthread_mutex_lock(&c->shards[s].lock);
        for (size_t i = 0; i < c->n_rows; i++) {
            if (c->shards[s].rows[i].calls) add_rows(&sum[i], &c->shards[s].rows[i]);
        }
        pthread_mutex_unlock(&c->shards[s].lock);
    }
}

static uint64_t failures_of(const struct counters_row *r)
{
    uint64_t n = 0;
    for (size_t i = FAILURE_USER; i < FAILURE_KINDS; i++) n += r->failures[i];
    return n;
}

static void put_second(struct counters_second *out, const struct counters_row *now, const struct counters_row *before,
                       uint64_t latency[COUNTERS_BUCKETS])
{
    for (size_t i = 0; i < COUNTERS_BUCKETS; i++) latency[i] = now->latency[i] - before->latency[i];
    *out = (struct counters_second){ .calls = (uint32_t)(now->calls - before->calls),
                                     .failures = (uint32_t)(failures_of(now) - failures_of(before)),
                                     .p50 = (float)counters_percentile(latency, 0.5),
                                     .p99 = (float)counters_percentile(latency, 0.99),
                                     .read_halves = now->read_halves - before->read_halves,
                                     .write_halves = now->write_halves - before->write_halves };
}

/* All operations, without the guest. */
static void put_all(struct counters *c, struct slot *slot, const uint64_t latency[COUNTERS_BUCKETS])
{
    struct counters_second *all = &slot->rows[c->n_rows];
    *all = (struct counters_second){ .p50 = (float)counters_percentile(latency, 0.5),
                                     .p99 = (float)counters_percentile(latency, 0.99) };
    for (size_t i = 0; i + 1 < c->n_rows; i++) {
        all->calls += slot->rows[i].calls;
        all->failures += slot->rows[i].failures;
        all->read_halves += slot->rows[i].read_halves;
        all->write_halves += slot->rows[i].write_halves;
    }
}

static void put_slot(struct counters *c, struct slot *slot, int64_t second)
{
    uint64_t all[COUNTERS_BUCKETS] = { 0 }, latency[COUNTERS_BUCKETS];
    slot->second = second;
    for (size_t i = 0; i < c->n_rows; i++) {
        put_second(&slot->rows[i], &c->sum[i], &c->before[i], latency);
        for (size_t k = 0; k < COUNTERS_BUCKETS && i + 1 < c->n_rows; k++) all[k] += latency[k];
    }
    put_all(c, slot, all);
}

/* The minute before begins where this one began; or now, where nobody called for longer. */
static void turn_minute(struct counters *c, int64_t minute)
{
    bool next = minute == c->minute + 1;
    memcpy(c->minutes[1], next ? c->minutes[0] : c->sum, c->n_rows * sizeof *c->sum);
    memcpy(c->minutes[0], c->sum, c->n_rows * sizeof *c->sum);
    c->minute = minute;
}

void counters_turn(struct counters *c, int64_t second)
{
    if (second <= __atomic_load_n(&c->second, __ATOMIC_RELAXED)) return;
    pthread_mutex_lock(&c->ring);
    int64_t last = __atomic_load_n(&c->second, __ATOMIC_RELAXED);
    if (second > last) {
        sum_rows(c, c->sum);
        put_slot(c, &c->slots[last % COUNTERS_SECONDS], last);
        if (second / 60 > c->minute) turn_minute(c, second / 60);
        struct counters_row *before = c->before;
        c->before = c->sum;
        c->sum = before;
        __atomic_store_n(&c->second, second, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&c->ring);
}

/* ---- counting ---- */

static struct shard *my_shard(struct counters *c)
{
    static unsigned threads;
    static _Thread_local unsigned mine; /* from 1 on */
    if (!mine) mine = 1 + __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED) % COUNTERS_SHARDS;
    return &c->shards[mine - 1];
}

void counters_count(struct counters *c, const struct counted *what)
{
    counters_turn(c, what->second);
    struct shard *s = my_shard(c);
    struct counters_row *r = &s->rows[what->row];
    const struct tally *t = what->tally;
    bool guest = what->row == counters_guest_row(c);
    pthread_mutex_lock(&s->lock);
    r->calls++;
    r->failures[what->failure]++;
    r->microseconds += what->microseconds;
    r->latency[bucket_of(what->microseconds)]++;
    r->returned += t->returned;
    r->written += t->written;
    for (uint32_t i = 0; i < t->n; i++) {
        *(t->touches[i].write ? &r->write_halves : &r->read_halves) += t->touches[i].halves;
        if (!guest) place_add(s, &t->touches[i], what->second);
    }
    pthread_mutex_unlock(&s->lock);
}

/* ---- asking ---- */

void counters_total(struct counters *c, size_t row, int64_t second, struct counters_row *total,
                    uint64_t recent[COUNTERS_BUCKETS])
{
    counters_turn(c, second);
    memset(total, 0, sizeof *total);
    pthread_mutex_lock(&c->ring);
    for (size_t s = 0; s < COUNTERS_SHARDS; s++) {
        pthread_mutex_lock(&c->shards[s].lock);
        add_rows(total, &c->shards[s].rows[row]);
        pthread_mutex_unlock(&c->shards[s].lock);
    }
    for (size_t i = 0; recent && i < COUNTERS_BUCKETS; i++) {
        recent[i] = total->latency[i] - c->minutes[1][row].latency[i];
    }
    pthread_mutex_unlock(&c->ring);
}

bool counters_at(struct counters *c, int64_t second, size_t row, struct counters_second *out)
{
    if (second < 0) return false;
    pthread_mutex_lock(&c->ring);
    const struct slot *slot = &c->slots[second % COUNTERS_SECONDS];
    bool there = slot->second == second && slot->rows[row].calls;
    if (there) *out = slot->rows[row];
    pthread_mutex_unlock(&c->ring);
    return there;
}
