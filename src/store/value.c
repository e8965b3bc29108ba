/* value.c: writing and checking the header of stored values. */
#include "value.h"
#define XXH_INLINE_ALL
#include <xxhash.h>

static uint32_t checksum(unsigned space, struct slice key, struct slice payload)
{
    uint64_t seed = XXH3_64bits_withSeed(key.p, key.n, space);

    return (uint32_t)XXH3_64bits_withSeed(payload.p, payload.n, seed);
}

void value_write(uint8_t *to, unsigned space, struct slice key, struct slice payload)
{
    uint32_t sum = checksum(space, key, payload);

    to[0] = VALUE_VERSION;
    for (int i = 0; i < 4; i++)
        to[1 + i] = (uint8_t)(sum >> (8 * i));
    if (payload.n) memcpy(to + VALUE_HEADER, payload.p, payload.n);
}

bool value_read(struct slice stored, unsigned space, struct slice key, struct slice *payload)
{
    const uint8_t *p = stored.p;
    uint32_t sum;

    if (stored.n < VALUE_HEADER || p[0] != VALUE_VERSION) return false;
    sum = (uint32_t)p[1] | (uint32_t)p[2] << 8 | (uint32_t)p[3] << 16 | (uint32_t)p[4] << 24;
    *payload = slice_of(p + VALUE_HEADER, stored.n - VALUE_HEADER);
    return checksum(space, key, *payload) == sum;
}
