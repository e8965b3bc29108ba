/* md5.h: MD5 (RFC 1321), for its value as DynamoDB's partition hash, not for security. */
#ifndef OF_BASE_MD5_H
#define OF_BASE_MD5_H

#include "slice.h"

struct md5 {
    uint8_t bytes[16];
};

/* Of the parts one after the other. */
struct md5 md5_of(const struct slice *parts, size_t n);

#endif
