/* slice.h: a borrowed run of bytes. A slice never owns memory; who does is said where it is made.
 * Text is UTF-8 and is not terminated: every string in Onefold has a length. */
#ifndef OF_BASE_SLICE_H
#define OF_BASE_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct slice {
    const uint8_t *p;
    size_t n;
};

/* A slice of a string literal, usable as an initialiser and as an expression. */
#define SLICE(lit) ((struct slice){ (const uint8_t *)("" lit), sizeof(lit) - 1 })

/* For printf("%.*s", SLICE_ARG(s)). */
#define SLICE_ARG(s) (int)(s).n, (const char *)(s).p

static inline struct slice slice_of(const void *p, size_t n)
{
    return (struct slice){ (const uint8_t *)p, n };
}

static inline struct slice slice_str(const char *s)
{
    return slice_of(s, strlen(s));
}

static inline bool slice_eq(struct slice a, struct slice b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

/* Order of unsigned bytes, a prefix before what it begins: DynamoDB's order of strings and binaries. */
static inline int slice_cmp(struct slice a, struct slice b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int c = n ? a.p[0] - b.p[0] : 0; /* which tells mostly, without a call */
    if (n && !c) c = memcmp(a.p, b.p, n);
    return c ? c : (a.n > b.n) - (a.n < b.n);
}

static inline bool slice_starts(struct slice s, struct slice prefix)
{
    return s.n >= prefix.n && (prefix.n == 0 || memcmp(s.p, prefix.p, prefix.n) == 0);
}

/* The case of ASCII's letters does not matter. */
static inline bool slice_eq_fold(struct slice a, struct slice b)
{
    for (size_t i = 0; i < a.n && a.n == b.n; i++) {
        uint8_t x = a.p[i], y = b.p[i];
        if (x >= 'A' && x <= 'Z') x |= 0x20;
        if (y >= 'A' && y <= 'Z') y |= 0x20;
        if (x != y) return false;
    }
    return a.n == b.n;
}

/* Without the spaces and tabs around it. */
static inline struct slice slice_trim(struct slice s)
{
    while (s.n && (s.p[0] == ' ' || s.p[0] == '\t')) s.p++, s.n--;
    while (s.n && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t')) s.n--;
    return s;
}

/* The number that n bytes (at most 8) are, the first of them weighing most. */
static inline uint64_t slice_big_endian(const uint8_t *p, size_t n)
{
    uint64_t v = 0;
    for (size_t i = 0; i < n; i++) v = v << 8 | p[i];
    return v;
}

#endif
