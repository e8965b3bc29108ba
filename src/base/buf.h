/* buf.h: a byte buffer that grows inside an arena, up to a stated maximum (beyond it: arena_fail).
 * Growing copies; the old bytes stay in the arena until it is reset, so slices taken from an earlier
 * state stay readable but are stale. */
#ifndef OF_BASE_BUF_H
#define OF_BASE_BUF_H

#include "arena.h"

struct buf {
    struct arena *arena;
    uint8_t *p;
    size_t n, cap, max;
};

void buf_init(struct buf *b, struct arena *a, size_t max);
/* Makes room for n more bytes and returns where they go; the caller adds to b->n what it used. */
uint8_t *buf_reserve(struct buf *b, size_t n);
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* In decimal digits. */
void buf_decimal(struct buf *b, uint64_t v);
/* Unsigned LEB128. */
void buf_varint(struct buf *b, uint64_t v);

static inline void buf_bytes(struct buf *b, const void *p, size_t n)
{
    if (b->cap - b->n < n) buf_reserve(b, n);
    if (n) memcpy(b->p + b->n, p, n);
    b->n += n;
}

static inline void buf_slice(struct buf *b, struct slice s)
{
    buf_bytes(b, s.p, s.n);
}

static inline void buf_u8(struct buf *b, uint8_t v)
{
    if (b->cap == b->n) buf_reserve(b, 1);
    b->p[b->n++] = v;
}

/* Big-endian, so that the bytes sort as the numbers do. */
static inline void buf_u32be(struct buf *b, uint32_t v)
{
    uint8_t bytes[4] = { (uint8_t)(v >> 24), (uint8_t)(v >> 16), (uint8_t)(v >> 8), (uint8_t)v };
    buf_bytes(b, bytes, sizeof bytes);
}

static inline void buf_u64be(struct buf *b, uint64_t v)
{
    buf_u32be(b, (uint32_t)(v >> 32));
    buf_u32be(b, (uint32_t)v);
}

#define BUF_LIT(b, lit) buf_bytes((b), "" lit, sizeof(lit) - 1)

static inline struct slice buf_view(const struct buf *b)
{
    return slice_of(b->p, b->n);
}

#endif
