/* md5.h: MD5 (RFC 1321), for its value as DynamoDB's partition hash and in its exports, not for security. */
#ifndef OF_BASE_MD5_H
#define OF_BASE_MD5_H

#include "slice.h"

struct md5 {
    uint8_t bytes[16];
};

/* Of bytes that come bit by bit. */
struct md5_sum {
    uint32_t a, b, c, d;
    uint8_t block[64];
    size_t fill;
    uint64_t total;
};
void md5_begin(struct md5_sum *s);
void md5_add(struct md5_sum *s, struct slice bytes);
struct md5 md5_end(struct md5_sum *s);

/* Of the parts one after the other. */
struct md5 md5_of(const struct slice *parts, size_t n);

#endif
