/* buf.c: growing a buffer inside its arena. */
#include "buf.h"
#include <stdio.h>

void buf_init(struct buf *b, struct arena *a, size_t max)
{
    *b = (struct buf){ .arena = a, .max = max };
}

uint8_t *buf_reserve(struct buf *b, size_t n)
{
    if (b->cap - b->n >= n && b->p) return b->p + b->n;
    if (n > b->max - b->n) arena_fail(b->arena);
    size_t cap = b->cap ? b->cap * 2 : 256;
    if (cap < b->n + n) cap = b->n + n;
    if (cap > b->max) cap = b->max;
    struct arena *a = b->arena;
    if (b->p && b->p + b->cap == a->at && (size_t)(a->end - a->at) >= cap - b->cap) {
        a->at += cap - b->cap; /* the newest allocation grows in place */
    } else {
        uint8_t *p = arena_bytes(a, cap);
        if (b->n) memcpy(p, b->p, b->n);
        b->p = p;
    }
    b->cap = cap;
    return b->p + b->n;
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
    char small[256];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(small, sizeof small, fmt, ap);
    va_end(ap);
    if (n < 0) arena_fail(b->arena);
    if ((size_t)n < sizeof small) {
        buf_bytes(b, small, (size_t)n);
        return;
    }
    buf_reserve(b, (size_t)n + 1);
    va_start(ap, fmt);
    vsnprintf((char *)b->p + b->n, (size_t)n + 1, fmt, ap);
    va_end(ap);
    b->n += (size_t)n;
}

void buf_decimal(struct buf *b, uint64_t v)
{
    uint8_t digits[20]; /* of 2^64 - 1 */
    size_t at = sizeof digits;
    do {
        digits[--at] = (uint8_t)('0' + v % 10);
        v /= 10;
    } while (v);
    buf_bytes(b, digits + at, sizeof digits - at);
}

void buf_varint(struct buf *b, uint64_t v)
{
    while (v >= 0x80) {
        buf_u8(b, (uint8_t)(v | 0x80));
        v >>= 7;
    }
    buf_u8(b, (uint8_t)v);
}
