/* base64.c: RFC 4648 base64 with padding. */
#include "item_json.h"

void base64_put(struct buf *b, struct slice bytes)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *p = bytes.p;
    size_t n = bytes.n;
    uint8_t *to = buf_reserve(b, (n + 2) / 3 * 4);
    b->n += (n + 2) / 3 * 4;
    for (; n >= 3; n -= 3, p += 3) {
        uint32_t v = (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
        *to++ = (uint8_t)letters[v >> 18];
        *to++ = (uint8_t)letters[v >> 12 & 63];
        *to++ = (uint8_t)letters[v >> 6 & 63];
        *to++ = (uint8_t)letters[v & 63];
    }
    if (n) {
        uint32_t v = (uint32_t)p[0] << 16 | (n == 2 ? (uint32_t)p[1] << 8 : 0);
        *to++ = (uint8_t)letters[v >> 18];
        *to++ = (uint8_t)letters[v >> 12 & 63];
        *to++ = n == 2 ? (uint8_t)letters[v >> 6 & 63] : '=';
        *to++ = '=';
    }
}

/* 0..63, or 64 and up for what is no base64 letter. */
static inline uint32_t sextet(uint8_t c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26u;
    if (c >= '0' && c <= '9') return c - '0' + 52u;
    return c == '+' ? 62 : c == '/' ? 63 : 64;
}

bool base64_decode(struct arena *a, struct slice text, struct slice *out)
{
    if (text.n % 4) return false;
    if (!text.n) {
        *out = text;
        return true;
    }
    size_t pad = 0;
    if (text.p[text.n - 1] == '=') pad = text.p[text.n - 2] == '=' ? 2 : 1;
    size_t n = text.n / 4 * 3 - pad;
    uint8_t *start = arena_bytes(a, n), *to = start;
    const uint8_t *p = text.p, *end = text.p + text.n - (pad ? 4 : 0);
    for (; p < end; p += 4) {
        uint32_t w = sextet(p[0]), x = sextet(p[1]), y = sextet(p[2]), z = sextet(p[3]);
        if ((w | x | y | z) & 64) return false;
        uint32_t v = w << 18 | x << 12 | y << 6 | z;
        *to++ = (uint8_t)(v >> 16);
        *to++ = (uint8_t)(v >> 8);
        *to++ = (uint8_t)v;
    }
    if (pad) {
        uint32_t w = sextet(p[0]), x = sextet(p[1]), y = pad == 1 ? sextet(p[2]) : 0;
        /* Bits that belong to no byte must be 0: each run of bytes has one base64 form. */
        if (((w | x | y) & 64) || (pad == 2 ? x & 15 : y & 3)) return false;
        *to++ = (uint8_t)(w << 2 | x >> 4);
        if (pad == 1) *to++ = (uint8_t)(x << 4 | y >> 2);
    }
    *out = slice_of(start, n);
    return true;
}
