/* sha256.h: SHA-256 (FIPS 180-4) and HMAC (RFC 2104), for signatures of requests. */
#ifndef OF_BASE_SHA256_H
#define OF_BASE_SHA256_H

#include "slice.h"

#define SHA256_BYTES 32

void sha256(struct slice bytes, uint8_t out[SHA256_BYTES]);
void hmac_sha256(struct slice key, struct slice bytes, uint8_t out[SHA256_BYTES]);

#endif
