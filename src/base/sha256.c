/* sha256.c: SHA-256 in plain C; sha256_x86.c has the inner part for processors with instructions for it. The constants are the
 * fractional parts of the roots of the first primes, as the standard lists them. */
#include "sha256.h"

struct sum {
    uint32_t h[8];
    uint8_t block[SHA256_BLOCK];
    size_t fill;
    uint64_t total;
};

const uint32_t sha256_rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turn(uint32_t v, unsigned by)
{
    return v >> by | v << (32 - by);
}

/* One round, with the eight words where they are: the caller turns their names instead. */
#define ROUND(a, b, c, d, e, f, g, h, i)                                                                               \
    do {                                                                                                               \
        uint32_t one = (h) + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((g) ^ ((e) & ((f) ^ (g)))) + sha256_rounds[i] + w[i]; \
        (d) += one;                                                                                                    \
        (h) = one + (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + (((a) & (b)) | ((c) & ((a) | (b))));                     \
    } while (0)

static void compress_one(uint32_t h[8], const uint8_t *p, uint32_t w[64])
{
    for (size_t i = 0; i < 16; i++) w[i] = (uint32_t)slice_big_endian(p + 4 * i, 4);
    for (size_t i = 16; i < 64; i++) {
        uint32_t x = turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t y = turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + x + w[i - 7] + y;
    }
    uint32_t s = h[0], t = h[1], u = h[2], v = h[3], x = h[4], y = h[5], z = h[6], q = h[7];
    for (size_t i = 0; i < 64; i += 8) {
        ROUND(s, t, u, v, x, y, z, q, i);
        ROUND(q, s, t, u, v, x, y, z, i + 1);
        ROUND(z, q, s, t, u, v, x, y, i + 2);
        ROUND(y, z, q, s, t, u, v, x, i + 3);
        ROUND(x, y, z, q, s, t, u, v, i + 4);
        ROUND(v, x, y, z, q, s, t, u, i + 5);
        ROUND(u, v, x, y, z, q, s, t, i + 6);
        ROUND(t, u, v, x, y, z, q, s, i + 7);
    }
    h[0] += s, h[1] += t, h[2] += u, h[3] += v, h[4] += x, h[5] += y, h[6] += z, h[7] += q;
}

void sha256_compress_plain(uint32_t h[8], const uint8_t *p, size_t n)
{
    uint32_t w[64];
    for (; n; n--, p += SHA256_BLOCK) compress_one(h, p, w);
    explicit_bzero(w, sizeof w); /* the last block: perhaps a key's */
}

static void compress(uint32_t h[8], const uint8_t *p, size_t n)
{
    if (!sha256_compress_x86(h, p, n)) sha256_compress_plain(h, p, n);
}

static void begin(struct sum *s)
{
    static const uint32_t first[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
    memcpy(s->h, first, sizeof first);
    s->fill = 0;
    s->total = 0;
}

static void add(struct sum *s, struct slice bytes)
{
    s->total += bytes.n;
    while (bytes.n) {
        size_t n = bytes.n - bytes.n % SHA256_BLOCK;
        if (!s->fill && n) { /* whole blocks, where they lie */
            compress(s->h, bytes.p, n / SHA256_BLOCK);
        } else {
            n = SHA256_BLOCK - s->fill < bytes.n ? SHA256_BLOCK - s->fill : bytes.n;
            memcpy(s->block + s->fill, bytes.p, n);
            s->fill += n;
            if (s->fill == SHA256_BLOCK) {
                compress(s->h, s->block, 1);
                s->fill = 0;
            }
        }
        bytes = slice_of(bytes.p + n, bytes.n - n);
    }
}

static void end(struct sum *s, uint8_t out[SHA256_BYTES])
{
    uint64_t bits = s->total * 8;
    s->block[s->fill++] = 0x80;
    if (s->fill > 56) {
        memset(s->block + s->fill, 0, SHA256_BLOCK - s->fill);
        compress(s->h, s->block, 1);
        s->fill = 0;
    }
    memset(s->block + s->fill, 0, 56 - s->fill);
    for (size_t i = 0; i < 8; i++) s->block[56 + i] = (uint8_t)(bits >> (56 - 8 * i));
    compress(s->h, s->block, 1);
    for (size_t i = 0; i < SHA256_BYTES; i++) out[i] = (uint8_t)(s->h[i / 4] >> (24 - 8 * (i % 4)));
}

void sha256(struct slice bytes, uint8_t out[SHA256_BYTES])
{
    struct sum s;
    begin(&s);
    add(&s, bytes);
    end(&s, out);
    explicit_bzero(&s, sizeof s); /* a key that is longer than a block comes this way */
}

void hmac_key_make(struct hmac_key *out, struct slice key)
{
    uint8_t pad[SHA256_BLOCK] = { 0 };
    struct sum s;
    if (key.n > sizeof pad) sha256(key, pad);
    else if (key.n) memcpy(pad, key.p, key.n);
    for (size_t i = 0; i < sizeof pad; i++) pad[i] ^= 0x36;
    begin(&s);
    memcpy(out->inner, s.h, sizeof s.h);
    memcpy(out->outer, s.h, sizeof s.h);
    compress(out->inner, pad, 1);
    for (size_t i = 0; i < sizeof pad; i++) pad[i] ^= 0x36 ^ 0x5c;
    compress(out->outer, pad, 1);
    explicit_bzero(pad, sizeof pad); /* the key, but for a mask that everybody knows */
}

void hmac_key_sum(const struct hmac_key *key, struct slice bytes, uint8_t out[SHA256_BYTES])
{
    uint8_t inner[SHA256_BYTES];
    struct sum s = { .total = SHA256_BLOCK };
    memcpy(s.h, key->inner, sizeof s.h);
    add(&s, bytes);
    end(&s, inner);
    s = (struct sum){ .total = SHA256_BLOCK };
    memcpy(s.h, key->outer, sizeof s.h);
    add(&s, slice_of(inner, sizeof inner));
    end(&s, out);
    explicit_bzero(&s, sizeof s); /* who has the state before the last block can go on from it */
    explicit_bzero(inner, sizeof inner);
}

void hmac_sha256(struct slice key, struct slice bytes, uint8_t out[SHA256_BYTES])
{
    struct hmac_key k;
    hmac_key_make(&k, key);
    hmac_key_sum(&k, bytes, out);
    explicit_bzero(&k, sizeof k);
}

void sha256_hex(const uint8_t sum[SHA256_BYTES], char out[2 * SHA256_BYTES])
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < SHA256_BYTES; i++) {
        out[2 * i] = digits[sum[i] >> 4];
        out[2 * i + 1] = digits[sum[i] & 15];
    }
}

bool same_secret(struct slice a, struct slice b)
{
    volatile uint8_t differs = a.n != b.n;
    for (size_t i = 0; i < a.n && i < b.n; i++) differs |= a.p[i] ^ b.p[i];
    return !differs;
}
