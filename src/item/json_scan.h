/* json_scan.h: finding the bytes in a JSON string that are not simply themselves, sixteen at a time
 * where the machine has vectors and eight at a time elsewhere; for src/item only. */
#ifndef OF_ITEM_JSON_SCAN_H
#define OF_ITEM_JSON_SCAN_H

#include "../base/slice.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define SCAN_EACH(byte) ((uint64_t)0x0101010101010101 * (byte))

/* Byte 0 is the lowest on every machine. */
static inline uint64_t scan_load(const uint8_t *p)
{
    uint64_t w;
    memcpy(&w, p, sizeof w);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    w = __builtin_bswap64(w);
#endif
    return w;
}

/* All of 4 to 8 bytes at p in one word, some of them twice; for tests that do not ask where. */
static inline uint64_t scan_load_short(const uint8_t *p, size_t n)
{
    uint32_t head, tail;
    memcpy(&head, p, 4);
    memcpy(&tail, p + n - 4, 4);
    return (uint64_t)tail << 32 | head;
}

/* The top bit of the lowest byte that is below 0x20, '"', '\\' or not ASCII is set, and none below
 * it. A subtraction that borrows does so from the byte above, so bits above the lowest may be
 * wrong. */
static inline uint64_t scan_special(uint64_t w)
{
    uint64_t low = w - SCAN_EACH(0x20);
    uint64_t quote = (w ^ SCAN_EACH('"')) - SCAN_EACH(1);
    uint64_t slash = (w ^ SCAN_EACH('\\')) - SCAN_EACH(1);
    return (low | quote | slash | w) & SCAN_EACH(0x80);
}

/* The same without "not ASCII". */
static inline uint64_t scan_escape(uint64_t w)
{
    uint64_t low = w - SCAN_EACH(0x20);
    uint64_t quote = (w ^ SCAN_EACH('"')) - SCAN_EACH(1);
    uint64_t slash = (w ^ SCAN_EACH('\\')) - SCAN_EACH(1);
    return (low | quote | slash) & ~w & SCAN_EACH(0x80);
}

static inline bool scan_must_escape(uint8_t c)
{
    return c < 0x20 || c == '"' || c == '\\';
}

/* The first byte in [p, end) that is not plain ASCII text, or end. */
static __attribute__((noinline, unused)) const uint8_t *scan_plain_words(const uint8_t *p,
                                                                         const uint8_t *end)
{
    for (; end - p >= 8; p += 8) {
        uint64_t hit = scan_special(scan_load(p));
        if (hit) return p + (__builtin_ctzll(hit) >> 3);
    }
    while (p < end && *p < 0x80 && !scan_must_escape(*p))
        p++;
    return p;
}

/* The same, by vectors while there is room for one. */
static inline const uint8_t *scan_plain(const uint8_t *p, const uint8_t *end)
{
#ifdef __SSE2__
    for (; end - p >= 16; p += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);
        /* Compared as signed, what is not ASCII is below 0x20 too. */
        __m128i low = _mm_cmplt_epi8(x, _mm_set1_epi8(0x20));
        __m128i quote = _mm_cmpeq_epi8(x, _mm_set1_epi8('"'));
        __m128i slash = _mm_cmpeq_epi8(x, _mm_set1_epi8('\\'));
        unsigned hit = (unsigned)_mm_movemask_epi8(_mm_or_si128(low, _mm_or_si128(quote, slash)));
        if (hit) return p + __builtin_ctz(hit);
    }
#endif
    return scan_plain_words(p, end);
}

/* Bytes of the well-formed UTF-8 sequence at p, whose first byte is not ASCII; 0 if it is none. */
static inline size_t scan_utf8(const uint8_t *p, const uint8_t *end)
{
    size_t left = (size_t)(end - p);
    uint8_t c = p[0];
    if (c < 0xc2) return 0;
    if (left < 2 || (p[1] & 0xc0) != 0x80) return 0;
    if (c < 0xe0) return 2;
    if (left < 3 || (p[2] & 0xc0) != 0x80) return 0;
    if (c < 0xf0) {
        if (c == 0xe0 && p[1] < 0xa0) return 0; /* overlong */
        if (c == 0xed && p[1] > 0x9f) return 0; /* surrogates */
        return 3;
    }
    if (left < 4 || (p[3] & 0xc0) != 0x80) return 0;
    if (c == 0xf0 && p[1] < 0x90) return 0; /* overlong */
    if (c > 0xf4 || (c == 0xf4 && p[1] > 0x8f)) return 0;
    return 4;
}

#endif
