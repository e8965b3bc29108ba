/* sha256.c: SHA-256 in plain C. The constants are the fractional parts of the roots of the first primes, as the standard
 * lists them. */
#include "sha256.h"

struct sum {
    uint32_t h[8];
    uint8_t block[64];
    size_t fill;
    uint64_t total;
};

static const uint32_t rounds[64] = {
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

static void compress(struct sum *s, const uint8_t *p)
{
    uint32_t w[64], v[8];
    for (size_t i = 0; i < 16; i++) w[i] = (uint32_t)slice_big_endian(p + 4 * i, 4);
    for (size_t i = 16; i < 64; i++) {
        uint32_t a = turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t b = turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + a + w[i - 7] + b;
    }
    memcpy(v, s->h, sizeof v);
    for (size_t i = 0; i < 64; i++) {
        uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]), most = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        uint32_t one = v[7] + (turn(v[4], 6) ^ turn(v[4], 11) ^ turn(v[4], 25)) + choice + rounds[i] + w[i];
        uint32_t two = (turn(v[0], 2) ^ turn(v[0], 13) ^ turn(v[0], 22)) + most;
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += one;
        v[0] = one + two;
    }
    for (size_t i = 0; i < 8; i++) s->h[i] += v[i];
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
        size_t n = sizeof s->block - s->fill < bytes.n ? sizeof s->block - s->fill : bytes.n;
        memcpy(s->block + s->fill, bytes.p, n);
        s->fill += n;
        bytes = slice_of(bytes.p + n, bytes.n - n);
        if (s->fill < sizeof s->block) return;
        compress(s, s->block);
        s->fill = 0;
    }
}

static void end(struct sum *s, uint8_t out[SHA256_BYTES])
{
    uint64_t bits = s->total * 8;
    s->block[s->fill++] = 0x80;
    if (s->fill > 56) {
        memset(s->block + s->fill, 0, sizeof s->block - s->fill);
        compress(s, s->block);
        s->fill = 0;
    }
    memset(s->block + s->fill, 0, 56 - s->fill);
    for (size_t i = 0; i < 8; i++) s->block[56 + i] = (uint8_t)(bits >> (56 - 8 * i));
    compress(s, s->block);
    for (size_t i = 0; i < SHA256_BYTES; i++) out[i] = (uint8_t)(s->h[i / 4] >> (24 - 8 * (i % 4)));
}

void sha256(struct slice bytes, uint8_t out[SHA256_BYTES])
{
    struct sum s;
    begin(&s);
    add(&s, bytes);
    end(&s, out);
}

void hmac_sha256(struct slice key, struct slice bytes, uint8_t out[SHA256_BYTES])
{
    uint8_t pad[64] = { 0 }, inner[SHA256_BYTES];
    struct sum s;
    if (key.n > sizeof pad) sha256(key, pad);
    else if (key.n) memcpy(pad, key.p, key.n);
    for (size_t i = 0; i < sizeof pad; i++) pad[i] ^= 0x36;
    begin(&s);
    add(&s, slice_of(pad, sizeof pad));
    add(&s, bytes);
    end(&s, inner);
    for (size_t i = 0; i < sizeof pad; i++) pad[i] ^= 0x36 ^ 0x5c;
    begin(&s);
    add(&s, slice_of(pad, sizeof pad));
    add(&s, slice_of(inner, sizeof inner));
    end(&s, out);
}
