/* attr_sort.c: attributes in the order of their names, of equal names the last one. Maps come in
 * with their members in any order and are stored sorted, so this runs on every write: few names are
 * sorted by their first eight bytes as one number, which settles nearly every comparison. */
#include "enc.h"

#define FEW 32

struct key {
    uint64_t
        prefix; /* the first eight bytes, zeros after the end: orders as the names unless equal */
    size_t index;
};

static uint64_t prefix_of(struct slice name)
{
    uint64_t w = 0;
    if (name.n >= 8) {
        memcpy(&w, name.p, 8);
    } else if (name.n >= 4) {
        uint32_t head, tail;
        memcpy(&head, name.p, 4);
        memcpy(&tail, name.p + name.n - 4, 4);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        return (uint64_t)head << 32 | (uint64_t)tail << (64 - 8 * name.n);
#else
        return (uint64_t)__builtin_bswap32(head) << 32 | (uint64_t)__builtin_bswap32(tail)
                                                             << (64 - 8 * name.n);
#endif
    } else {
        for (size_t i = 0; i < name.n; i++)
            w |= (uint64_t)name.p[i] << (56 - 8 * i);
        return w;
    }
#if __BYTE_ORDER__ != __ORDER_BIG_ENDIAN__
    w = __builtin_bswap64(w);
#endif
    return w;
}

/* Insertion, which is stable: an equal name stays behind the earlier one. */
static void sort_few(struct attr *attrs, size_t n)
{
    struct key keys[FEW];
    struct attr sorted[FEW];
    for (size_t i = 0; i < n; i++) {
        struct key k = { prefix_of(attrs[i].name), i };
        size_t at = i;
        for (; at > 0; at--) {
            const struct key *before = &keys[at - 1];
            if (before->prefix < k.prefix) break;
            if (before->prefix == k.prefix &&
                slice_cmp(attrs[before->index].name, attrs[i].name) <= 0)
                break;
            keys[at] = *before;
        }
        keys[at] = k;
    }
    for (size_t i = 0; i < n; i++)
        sorted[i] = attrs[keys[i].index];
    memcpy(attrs, sorted, n * sizeof *attrs);
}

/* Merges the sorted runs from[at..mid) and from[mid..end) into to; the earlier run goes first among
 * equals, which keeps the sort stable. */
static void merge(struct attr *to, const struct attr *from, size_t at, size_t mid, size_t end)
{
    size_t left = at, right = mid;
    while (left < mid && right < end)
        to[at++] = slice_cmp(from[right].name, from[left].name) < 0 ? from[right++] : from[left++];
    while (left < mid)
        to[at++] = from[left++];
    while (right < end)
        to[at++] = from[right++];
}

static void merge_sort(struct arena *a, struct attr *attrs, size_t n)
{
    struct attr *from = attrs, *to = ARENA_ARRAY(a, struct attr, n);
    for (size_t run = 1; run < n; run *= 2) {
        for (size_t at = 0; at < n; at += 2 * run) {
            size_t mid = n - at < run ? n : at + run;
            size_t end = n - mid < run ? n : mid + run;
            merge(to, from, at, mid, end);
        }
        struct attr *swap = from;
        from = to;
        to = swap;
    }
    if (from != attrs) memcpy(attrs, from, n * sizeof *attrs);
}

static bool ascend(const struct attr *attrs, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        uint64_t before = prefix_of(attrs[i - 1].name), here = prefix_of(attrs[i].name);
        if (before > here) return false;
        if (before == here && slice_cmp(attrs[i - 1].name, attrs[i].name) >= 0) return false;
    }
    return true;
}

size_t enc_sort_attrs(struct arena *a, struct attr *attrs, size_t n)
{
    if (ascend(attrs, n)) return n;
    if (n <= FEW)
        sort_few(attrs, n);
    else
        merge_sort(a, attrs, n);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (i + 1 < n && slice_eq(attrs[i].name, attrs[i + 1].name)) continue;
        if (kept != i) attrs[kept] = attrs[i];
        kept++;
    }
    return kept;
}
