/* number.c: DynamoDB numbers between text and the ordered encoding described in number.h.
 * Arithmetic is in number_math.c. */
#include "number.h"
#include "number_int.h"
#include <stdio.h>

#define MAX_EXPONENT 125 /* of the first significant digit */
#define MIN_EXPONENT (-130)
/* Exponents in the text stop growing here: far outside of any number that could be meant, and far
 * inside of int64 even when the number of digits is added. */
#define EXPONENT_CLAMP ((int64_t)1 << 40)

static inline bool is_digit(uint8_t c)
{
    return (uint8_t)(c - '0') < 10;
}

/* Writes the encoding of 0.d1d2d3... x 10^exponent; the first and last of the n digits are not 0.
 */
void num_encode_digits(struct num *out, bool negative, const uint8_t *digits, int n, int exponent)
{
    /* Digits pair up from the decimal point, so an odd exponent starts with half a pair. */
    bool odd = exponent & 1;
    int hundreds = (exponent + odd) / 2;
    uint8_t *p = out->bytes;
    *p++ = (uint8_t)(0x80 + hundreds + 64);
    int i = 0;
    if (odd) *p++ = (uint8_t)(digits[i++] + 1);
    for (; i + 1 < n; i += 2)
        *p++ = (uint8_t)(digits[i] * 10 + digits[i + 1] + 1);
    if (i < n) *p++ = (uint8_t)(digits[i] * 10 + 1);
    *p++ = 0;
    out->n = (uint8_t)(p - out->bytes);
    if (negative)
        for (uint8_t *q = out->bytes; q < p; q++)
            *q = (uint8_t) ~*q;
}

void num_encode_zero(struct num *out)
{
    out->bytes[0] = 0x80;
    out->bytes[1] = 0;
    out->n = 2;
}

/* What is left after the digits: nothing, or an exponent. */
static bool parse_exponent(const uint8_t *p, const uint8_t *end, int64_t *exponent)
{
    *exponent = 0;
    if (p == end) return true;
    if (*p != 'e' && *p != 'E') return false;
    if (++p == end) return false;
    bool negative = *p == '-';
    if (*p == '-' || *p == '+') p++;
    if (p == end) return false;
    int64_t v = 0;
    for (; p < end; p++) {
        if (!is_digit(*p)) return false;
        if (v < EXPONENT_CLAMP) v = v * 10 + (*p - '0');
    }
    *exponent = negative ? -v : v;
    return true;
}

enum num_status num_parse(struct slice text, struct num *out)
{
    if (!text.n) return NUM_NOT_A_NUMBER;
    const uint8_t *p = text.p, *end = text.p + text.n;
    bool negative = false;
    if (p < end && (*p == '-' || *p == '+')) negative = *p++ == '-';

    /* Significant digits are collected from the first that is not 0; beyond the 38th only whether
     * they are 0 matters. places counts the digits from the first significant one to the decimal
     * point, negative when zeros come between the point and it. */
    uint8_t digits[NUM_MAX_DIGITS];
    int n = 0, used = 0; /* stored; stored up to the last that is not 0 */
    int64_t places = 0;
    bool any = false, point = false, precise = false, started = false;
    for (; p < end; p++) {
        if (*p == '.' && !point) {
            point = true;
            continue;
        }
        if (!is_digit(*p)) break;
        any = true;
        uint8_t d = (uint8_t)(*p - '0');
        started |= d != 0;
        if (!started) {
            places -= point;
            continue;
        }
        places += !point;
        if (n < NUM_MAX_DIGITS) {
            digits[n++] = d;
            if (d) used = n;
        } else if (d) {
            precise = true;
        }
    }
    int64_t exponent;
    if (!any || !parse_exponent(p, end, &exponent)) return NUM_NOT_A_NUMBER;
    if (!started) {
        /* DynamoDB holds zero to the exponent of its last digit as written: it refuses 0e126 and
         * 0e-131 but not 0.0e126 (test_number.py in ScyllaDB's suite). places counts the zeros of
         * the fraction. */
        exponent += places;
        if (exponent > MAX_EXPONENT) return NUM_TOO_LARGE;
        if (exponent < MIN_EXPONENT) return NUM_TOO_SMALL;
        num_encode_zero(out);
        return NUM_OK;
    }
    exponent += places;
    if (exponent - 1 > MAX_EXPONENT) return NUM_TOO_LARGE;
    if (exponent - 1 < MIN_EXPONENT) return NUM_TOO_SMALL;
    if (precise) return NUM_TOO_PRECISE;
    num_encode_digits(out, negative, digits, used, (int)exponent);
    return NUM_OK;
}

size_t num_encoded_length(const uint8_t *p)
{
    uint8_t stop = *p & 0x80 ? 0x00 : 0xff;
    size_t n = 1;
    while (p[n] != stop)
        n++;
    return n + 1;
}

bool num_valid(const uint8_t *p, size_t n)
{
    if (n < 2 || n > NUM_MAX_BYTES) return false;
    uint8_t flip = *p & 0x80 ? 0x00 : 0xff;
    if (p[n - 1] != flip) return false;
    if (n == 2) return *p == 0x80;
    for (size_t i = 1; i < n - 1; i++) {
        uint8_t d = p[i] ^ flip;
        if (d < 1 || d > 100) return false;
    }
    uint8_t first = (p[1] ^ flip) - 1, last = (p[n - 2] ^ flip) - 1;
    if (first == 0 || last == 0) return false;
    size_t digits = 2 * (n - 2) - (first < 10) - (last % 10 == 0);
    return digits <= NUM_MAX_DIGITS;
}

/* The significant digits without zeros at either end; the value is 0.d1d2... x 10^exponent. Zero
 * has none. */
int num_decode_digits(struct slice encoded, uint8_t digits[2 * NUM_MAX_BYTES], int *exponent)
{
    uint8_t flip = encoded.p[0] & 0x80 ? 0x00 : 0xff;
    *exponent = 2 * ((encoded.p[0] ^ flip) - 0x80 - 64);
    int n = 0;
    for (size_t i = 1; i + 1 < encoded.n; i++) {
        uint8_t d = (encoded.p[i] ^ flip) - 1;
        if (i > 1 || d >= 10)
            digits[n++] = d / 10;
        else
            --*exponent;
        digits[n++] = d % 10;
    }
    if (n && digits[n - 1] == 0) n--;
    return n;
}

static inline char *put_pair(char *p, uint8_t digit)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748"
                                "49505152535455565758596061626364656667686970717273747576777879808182838485868788899091929394959697"
                                "9899";
    memcpy(p, pairs + 2 * digit, 2);
    return p + 2;
}

static inline char *put_zeros(char *p, int n)
{
    memset(p, '0', (size_t)n);
    return p + n;
}

size_t num_format(struct slice encoded, char out[NUM_MAX_TEXT])
{
    const uint8_t flip = encoded.p[0] & 0x80 ? 0x00 : 0xff, *pairs = encoded.p + 1;
    int whole = (encoded.p[0] ^ flip) - 0x80 - 64; /* pairs before the decimal point */
    int n = (int)encoded.n - 2, i = 0;
    char *p = out;
    if (n == 0) {
        *p = '0';
        return 1;
    }
    if (flip) *p++ = '-';
    if (whole > 0) {
        uint8_t first = (uint8_t)((pairs[i++] ^ flip) - 1);
        if (first < 10)
            *p++ = (char)('0' + first);
        else
            p = put_pair(p, first);
        for (; i < n && i < whole; i++) p = put_pair(p, (uint8_t)((pairs[i] ^ flip) - 1));
        if (n <= whole) return (size_t)((n < whole ? put_zeros(p, 2 * (whole - n)) : p) - out);
        *p++ = '.';
    } else {
        *p++ = '0';
        *p++ = '.';
        p = put_zeros(p, -2 * whole);
    }
    for (; i < n; i++) p = put_pair(p, (uint8_t)((pairs[i] ^ flip) - 1));
    if (p[-1] == '0') p--; /* of a fraction */
    return (size_t)(p - out);
}

size_t num_format_short(struct slice encoded, char out[NUM_MAX_TEXT])
{
    uint8_t digits[2 * NUM_MAX_BYTES];
    char text[NUM_MAX_TEXT];
    size_t plain = num_format(encoded, out), at = 0;
    int exponent, n = num_decode_digits(encoded, digits, &exponent);
    if (!n) return plain;
    if (out[0] == '-') text[at++] = '-';
    for (int i = 0; i < n; i++) text[at++] = (char)('0' + digits[i]);
    at += (size_t)snprintf(text + at, sizeof text - at, "E%d", exponent - n);
    if (at >= plain) return plain;
    memcpy(out, text, at);
    return at;
}

size_t num_size(struct slice encoded)
{
    /* DynamoDB's own form is this encoding without the end of positive numbers, and also without
     * that of negative ones when all 20 pairs are there: never more than 21 bytes. */
    size_t n = encoded.n - (encoded.p[0] >> 7);
    return n > 21 ? 21 : n;
}

/* What stands before the decimal point, and whether anything stands behind it; false: it does not fit. */
static bool whole_part(struct slice encoded, int64_t *out, bool *fraction)
{
    uint8_t digits[2 * NUM_MAX_BYTES];
    int exponent, n = num_decode_digits(encoded, digits, &exponent);
    if (n > 0 && exponent > 19) return false;
    *fraction = n > 0 && exponent < n;
    /* Gathered as a negative, which reaches one further. */
    int64_t v = 0;
    for (int i = 0; n > 0 && i < exponent; i++) {
        int d = i < n ? digits[i] : 0;
        if (__builtin_mul_overflow(v, 10, &v) || __builtin_sub_overflow(v, d, &v)) return false;
    }
    if (encoded.p[0] & 0x80) {
        if (v == INT64_MIN) return false;
        v = -v;
    }
    *out = v;
    return true;
}

bool num_to_int64(struct slice encoded, int64_t *out)
{
    int64_t v;
    bool fraction;
    if (!whole_part(encoded, &v, &fraction) || fraction) return false;
    *out = v;
    return true;
}

bool num_ceil_int64(struct slice encoded, int64_t *out)
{
    int64_t v;
    bool fraction;
    if (!whole_part(encoded, &v, &fraction)) return false;
    bool up = fraction && encoded.p[0] & 0x80;
    return !__builtin_add_overflow(v, (int64_t)up, out);
}

void num_from_int64(int64_t v, struct num *out)
{
    uint8_t digits[20];
    int at = 20, end = 20;
    uint64_t u = v < 0 ? -(uint64_t)v : (uint64_t)v;
    for (; u; u /= 10)
        digits[--at] = (uint8_t)(u % 10);
    int exponent = end - at;
    while (end > at && digits[end - 1] == 0)
        end--;
    if (at == end)
        num_encode_zero(out);
    else
        num_encode_digits(out, v < 0, digits + at, end - at, exponent);
}
