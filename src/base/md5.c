/* md5.c: MD5 after RFC 1321. A key is short: most messages are one block. */
#include "md5.h"

#define BLOCK 64

/* floor(2^32 * abs(sin(i + 1))). */
static const uint32_t sines[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};

static inline uint32_t rotate(uint32_t x, unsigned n)
{
    return x << n | x >> (32 - n);
}

static inline uint32_t load(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline void store(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t)v, p[1] = (uint8_t)(v >> 8), p[2] = (uint8_t)(v >> 16), p[3] = (uint8_t)(v >> 24);
}

/* One of the 64 steps; mix is what its round makes of b, c and d. The names move one place on. */
#define STEP(mix, word, i, turn)                                         \
    do {                                                                 \
        uint32_t sum = s.a + (mix) + w[word] + sines[i];                 \
        s.a = s.d, s.d = s.c, s.c = s.b;                                 \
        s.b += rotate(sum, turn);                                        \
    } while (0)

static void mix_block(struct md5_sum *out, const uint8_t *block)
{
    static const unsigned char turns[4][4] = {
        { 7, 12, 17, 22 }, { 5, 9, 14, 20 }, { 4, 11, 16, 23 }, { 6, 10, 15, 21 }
    };
    uint32_t w[16];
    struct { uint32_t a, b, c, d; } s = { out->a, out->b, out->c, out->d };
    for (int i = 0; i < 16; i++) w[i] = load(block + 4 * i);
    for (int i = 0; i < 16; i++) STEP(s.d ^ (s.b & (s.c ^ s.d)), i, i, turns[0][i & 3]);
    for (int i = 0; i < 16; i++) STEP(s.c ^ (s.d & (s.b ^ s.c)), (5 * i + 1) & 15, 16 + i, turns[1][i & 3]);
    for (int i = 0; i < 16; i++) STEP(s.b ^ s.c ^ s.d, (3 * i + 5) & 15, 32 + i, turns[2][i & 3]);
    for (int i = 0; i < 16; i++) STEP(s.c ^ (s.b | ~s.d), (7 * i) & 15, 48 + i, turns[3][i & 3]);
    out->a += s.a, out->b += s.b, out->c += s.c, out->d += s.d;
}

void md5_begin(struct md5_sum *s)
{
    s->a = 0x67452301, s->b = 0xefcdab89, s->c = 0x98badcfe, s->d = 0x10325476;
    s->fill = 0;
    s->total = 0;
}

void md5_add(struct md5_sum *s, struct slice bytes)
{
    s->total += bytes.n;
    while (bytes.n) {
        size_t take = bytes.n < BLOCK - s->fill ? bytes.n : BLOCK - s->fill;
        memcpy(s->block + s->fill, bytes.p, take);
        s->fill += take, bytes.p += take, bytes.n -= take;
        if (s->fill == BLOCK) mix_block(s, s->block), s->fill = 0;
    }
}

struct md5 md5_end(struct md5_sum *s)
{
    uint8_t *end = s->block + BLOCK;
    memset(s->block + s->fill, 0, BLOCK - s->fill);
    s->block[s->fill] = 0x80;
    if (s->fill >= BLOCK - 8) {
        mix_block(s, s->block);
        memset(s->block, 0, BLOCK);
    }
    store(end - 8, (uint32_t)(s->total << 3));
    store(end - 4, (uint32_t)(s->total >> 29));
    mix_block(s, s->block);
    struct md5 out;
    store(out.bytes, s->a), store(out.bytes + 4, s->b), store(out.bytes + 8, s->c), store(out.bytes + 12, s->d);
    return out;
}

struct md5 md5_of(const struct slice *parts, size_t n)
{
    struct md5_sum s;
    md5_begin(&s);
    for (size_t i = 0; i < n; i++) {
        if (parts[i].n >= BLOCK - s.fill) {
            md5_add(&s, parts[i]);
        } else if (parts[i].n) { /* as is usual: there is room for it in the block */
            memcpy(s.block + s.fill, parts[i].p, parts[i].n);
            s.fill += parts[i].n, s.total += parts[i].n;
        }
    }
    return md5_end(&s);
}
