/* sha256.h: SHA-256 (FIPS 180-4) and HMAC (RFC 2104), for signatures of requests. */
#ifndef OF_BASE_SHA256_H
#define OF_BASE_SHA256_H

#include "slice.h"

#define SHA256_BYTES 32
#define SHA256_BLOCK 64

void sha256(struct slice bytes, uint8_t out[SHA256_BYTES]);
void hmac_sha256(struct slice key, struct slice bytes, uint8_t out[SHA256_BYTES]);

/* A key that many sums are made with: what the two halves of HMAC are after their first block, which depends on the key alone. */
struct hmac_key {
    uint32_t inner[8], outer[8];
};
void hmac_key_make(struct hmac_key *out, struct slice key);
void hmac_key_sum(const struct hmac_key *key, struct slice bytes, uint8_t out[SHA256_BYTES]);

/* In lower case, 64 letters and no NUL. */
void sha256_hex(const uint8_t sum[SHA256_BYTES], char out[2 * SHA256_BYTES]);
/* Takes as long whatever the bytes are: how much of a secret was right must not be measurable. */
bool same_secret(struct slice a, struct slice b);

/* The compression function over n blocks. Visible for tests, which compare the two; sha256_compress_x86 returns false where the
 * processor lacks the instructions, and has done nothing then. */
extern const uint32_t sha256_rounds[64];
void sha256_compress_plain(uint32_t h[8], const uint8_t *p, size_t n);
bool sha256_compress_x86(uint32_t h[8], const uint8_t *p, size_t n);

#endif
