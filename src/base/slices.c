/* slices.c: sorting slices and finding those that are there twice. */
#include "slices.h"
#include <stdlib.h>

static int by_bytes(const void *x, const void *y)
{
    return slice_cmp(*(const struct slice *)x, *(const struct slice *)y);
}

size_t slices_sort_unique(struct slice *list, size_t n)
{
    size_t kept = 0;
    if (n > 1) qsort(list, n, sizeof *list, by_bytes);
    for (size_t i = 0; i < n; i++) {
        if (kept && slice_eq(list[kept - 1], list[i])) continue;
        list[kept++] = list[i];
    }
    return kept;
}

struct placed {
    struct slice slice;
    size_t at;
};

static int by_bytes_and_place(const void *x, const void *y)
{
    const struct placed *a = x, *b = y;
    int c = slice_cmp(a->slice, b->slice);
    return c ? c : (a->at > b->at) - (a->at < b->at);
}

size_t slices_first_repeat(struct arena *a, const struct slice *list, size_t n)
{
    if (n < 2) return n;
    struct placed *sorted = ARENA_ARRAY(a, struct placed, n);
    for (size_t i = 0; i < n; i++)
        sorted[i] = (struct placed){ list[i], i };
    qsort(sorted, n, sizeof *sorted, by_bytes_and_place);
    size_t first = n;
    for (size_t i = 1; i < n; i++) {
        if (sorted[i].at < first && slice_eq(sorted[i - 1].slice, sorted[i].slice))
            first = sorted[i].at;
    }
    return first;
}

void slices_seen_init(struct slices_seen *seen, struct arena *a, size_t most)
{
    size_t n = 16;
    while (n < 2 * most) n *= 2;
    seen->at = ARENA_ARRAY(a, const struct slice *, n);
    seen->mask = (uint32_t)(n - 1);
}

static uint64_t mix(struct slice s)
{
    const uint64_t odd = 0x9e3779b97f4a7c15;
    uint64_t h = s.n, word = 0;
    for (; s.n >= 8; s = slice_of(s.p + 8, s.n - 8)) {
        memcpy(&word, s.p, 8);
        h = (h ^ word) * odd;
        h ^= h >> 32;
    }
    word = slice_big_endian(s.p, s.n);
    h = (h ^ word) * odd;
    return h ^ h >> 32;
}

bool slices_seen_add(struct slices_seen *seen, const struct slice *s)
{
    size_t i = mix(*s) & seen->mask;
    for (; seen->at[i]; i = (i + 1) & seen->mask) {
        if (slice_eq(*seen->at[i], *s)) return false;
    }
    seen->at[i] = s;
    return true;
}
