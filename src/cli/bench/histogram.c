/* histogram.c: merging histograms and reading quantiles off them. */
#include "histogram.h"

void histogram_merge(struct histogram *to, const struct histogram *from)
{
    to->n += from->n;
    to->sum += from->sum;
    if (from->max > to->max) to->max = from->max;
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) to->counts[i] += from->counts[i];
}

/* The middle of a bucket, in tenths of a microsecond. */
static double middle(size_t bucket)
{
    if (bucket < 256) return (double)bucket;
    unsigned shift = (unsigned)((bucket - 256) / 128) + 1;
    uint64_t low = (128 + (uint64_t)(bucket - 256) % 128) << shift;
    return (double)low + (double)((uint64_t)1 << shift) / 2;
}

double histogram_quantile(const struct histogram *h, double q)
{
    uint64_t rank = (uint64_t)(q * (double)h->n), seen = 0;
    if (!h->n) return 0;
    if (rank >= h->n) rank = h->n - 1;
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
        seen += h->counts[i];
        if (seen <= rank) continue;
        double v = middle(i);
        return (v < (double)h->max ? v : (double)h->max) / 10;
    }
    return histogram_max(h);
}

double histogram_mean(const struct histogram *h)
{
    return h->n ? (double)h->sum / (double)h->n / 10 : 0;
}

double histogram_max(const struct histogram *h)
{
    return (double)h->max / 10;
}
