/* histogram.h: how often each duration occurred, in fixed memory and without a division or an allocation per entry.
 *
 * Durations are counted in tenths of a microsecond. Below 256 of them each has a bucket of its own; above, every doubling is
 * split into 128 buckets, so that a bucket is never wider than 1/128 of what it holds. Quantiles answer with the middle of a
 * bucket: the error stays below half a percent. */
#ifndef OF_CLI_BENCH_HISTOGRAM_H
#define OF_CLI_BENCH_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#define HISTOGRAM_BUCKETS (256 + (40 - 8) * 128) /* up to 2^40 tenths: thirty hours */

struct histogram {
    uint64_t n, sum, max;
    uint64_t counts[HISTOGRAM_BUCKETS];
};

static inline size_t histogram_bucket(uint64_t tenths)
{
    if (tenths < 256) return (size_t)tenths;
    unsigned top = 63u - (unsigned)__builtin_clzll(tenths); /* at least 8 */
    size_t at = 256 + (size_t)(top - 8) * 128 + (size_t)((tenths >> (top - 7)) & 127);
    return at < HISTOGRAM_BUCKETS ? at : HISTOGRAM_BUCKETS - 1;
}

static inline void histogram_add(struct histogram *h, uint64_t tenths)
{
    h->n++;
    h->sum += tenths;
    if (tenths > h->max) h->max = tenths;
    h->counts[histogram_bucket(tenths)]++;
}

void histogram_merge(struct histogram *to, const struct histogram *from);
/* In microseconds; 0 where nothing was counted. q between 0 and 1: 0.99. */
double histogram_quantile(const struct histogram *h, double q);
double histogram_mean(const struct histogram *h);
double histogram_max(const struct histogram *h);

#endif
