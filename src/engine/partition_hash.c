/* partition_hash.c: the first bytes of MD5("Outliers" key bytes). The authors of dynalite found this to be the
 * order in which DynamoDB scans (docs/decisions/0005-partition-hash.md).
 *
 * A number's key bytes there are ours (number.h) but for the end and the digits of negative numbers: none for
 * positive numbers; 101 - D for a digit D, and a closing 102 if fewer than 20 digits are there, for negative
 * ones. */
#include "partition_hash.h"
#include "../base/md5.h"

#define SIGN_BIT     0x80
#define FULL_DIGITS  20
#define NEGATIVE_END 102

static struct slice number_bytes(struct slice number, uint8_t out[NUM_MAX_BYTES])
{
    size_t n = number.n - 1; /* without the end */
    memcpy(out, number.p, n);
    if (number.p[0] & SIGN_BIT) return slice_of(out, n);
    for (size_t i = 1; i < n; i++) out[i] = (uint8_t)(out[i] - (254 - 101)); /* ours is 254 - D */
    if (n - 1 < FULL_DIGITS) out[n++] = NEGATIVE_END;
    return slice_of(out, n);
}

uint32_t partition_hash(const struct slice *values, size_t n)
{
    struct slice parts[1 + PARTITION_MAX_VALUES] = { SLICE("Outliers") };
    uint8_t numbers[PARTITION_MAX_VALUES][NUM_MAX_BYTES];
    for (size_t i = 0; i < n; i++) {
        struct slice content = val_content(values[i]);
        bool number = val_type(values[i]) == TYPE_N;
        parts[1 + i] = number ? number_bytes(content, numbers[i]) : content;
    }
    struct md5 sum = md5_of(parts, 1 + n);
    uint32_t hash = 0;
    for (int i = 0; i < 4; i++) hash = hash << 8 | sum.bytes[i];
#if OF_HASH_BITS < 32
    hash &= ~(uint32_t)0 << (32 - OF_HASH_BITS);
#endif
    return hash;
}
