/* enc.h: the small parts that every reader and writer of encoded values shares; for src/item only.
 * The readers trust their input: what comes from outside goes through val_check first. */
#ifndef OF_ITEM_ENC_H
#define OF_ITEM_ENC_H

#include "value.h"

#define ENC_VARINT_MAX 10

/* One byte mostly; where it is more, a function that is not in line keeps the callers small. */
struct enc_varint {
    uint64_t v;
    const uint8_t *after;
};
struct enc_varint enc_long_varint(const uint8_t *p);

static inline uint64_t enc_take_varint(const uint8_t **p)
{
    if (**p < 0x80) return *(*p)++;
    struct enc_varint long_one = enc_long_varint(*p);
    *p = long_one.after;
    return long_one.v;
}

static inline uint8_t *enc_write_varint(uint8_t *p, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        *p++ = (uint8_t)(v | 0x80);
    *p++ = (uint8_t)v;
    return p;
}

static inline size_t enc_varint_bytes(uint64_t v)
{
    size_t n = 1;
    for (; v >= 0x80; v >>= 7)
        n++;
    return n;
}

/* A run of bytes headed by its length. */
static inline struct slice enc_take_bytes(const uint8_t **p)
{
    size_t n = (size_t)enc_take_varint(p);
    struct slice s = slice_of(*p, n);
    *p += n;
    return s;
}

/* The length that heads a container: where it ends. */
static inline const uint8_t *enc_take_end(const uint8_t **p)
{
    size_t n = (size_t)enc_take_varint(p);
    return *p + n;
}

/* A map's name; *escape: something in it needs a JSON escape. */
static inline struct slice enc_take_name(const uint8_t **p, bool *escape)
{
    uint64_t head = enc_take_varint(p);
    *escape = head & 1;
    struct slice s = slice_of(*p, (size_t)(head >> 1));
    *p += s.n;
    return s;
}

/* Most runs are names and short strings, for which calling memcpy costs more than the copying: two
 * loads that overlap copy anything from 4 to 32 bytes. */
static inline uint8_t *enc_write_bytes(uint8_t *p, struct slice s)
{
    if (s.n > 32) {
        memcpy(p, s.p, s.n);
    } else if (s.n > 16) {
        struct { uint8_t bytes[16]; } head, tail;
        memcpy(&head, s.p, 16);
        memcpy(&tail, s.p + s.n - 16, 16);
        memcpy(p, &head, 16);
        memcpy(p + s.n - 16, &tail, 16);
    } else if (s.n >= 8) {
        uint64_t head, tail;
        memcpy(&head, s.p, 8);
        memcpy(&tail, s.p + s.n - 8, 8);
        memcpy(p, &head, 8);
        memcpy(p + s.n - 8, &tail, 8);
    } else if (s.n >= 4) {
        uint32_t head, tail;
        memcpy(&head, s.p, 4);
        memcpy(&tail, s.p + s.n - 4, 4);
        memcpy(p, &head, 4);
        memcpy(p + s.n - 4, &tail, 4);
    } else if (s.n) {
        uint8_t head = s.p[0], middle = s.p[s.n >> 1], tail = s.p[s.n - 1];
        p[0] = head;
        p[s.n >> 1] = middle;
        p[s.n - 1] = tail;
    }
    return p + s.n;
}

/* buf_reserve without the call when there is room; n > 0. */
static inline uint8_t *enc_room(struct buf *b, size_t n)
{
    return b->cap - b->n >= n ? b->p + b->n : buf_reserve(b, n);
}

/* Stable sort by name; afterwards of equal names only the last stands, and the new count is given.
 */
size_t enc_sort_attrs(struct arena *a, struct attr *attrs, size_t n);

/* A container that is written before its length is known: open, write the count and the members,
 * close. */
size_t enc_open(struct buf *b, enum val_tag tag, size_t count);
void enc_close(struct buf *b, size_t opened);

#endif
