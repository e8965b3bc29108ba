/* number.h: DynamoDB's number: 38 significant decimal digits, magnitude 0 or 1E-130 .. 9.99...E+125,
 * exact arithmetic.
 *
 * One encoding serves stored values, keys and comparison: bytes whose memcmp order is numeric order
 * and of which each number has exactly one.
 *   first byte   positive: 0x80 + (e + 64) for 0.D1D2... x 100^e, e in -64..63; 0x80 alone is zero
 *   digits       base 100, each D + 1 (0x02..0x64 for the first), trailing zero digits dropped
 *   end          0x00, so that no encoding is a prefix of another
 * A negative number is the bitwise complement of its magnitude's encoding. */
#ifndef OF_ITEM_NUMBER_H
#define OF_ITEM_NUMBER_H

#include "../base/buf.h"

#define NUM_MAX_BYTES  23 /* exponent, 20 base-100 digits (38 digits can straddle), end, slack */
#define NUM_MAX_TEXT   192
#define NUM_MAX_DIGITS 38

enum num_status {
    NUM_OK = 0,
    NUM_NOT_A_NUMBER,  /* "The parameter cannot be converted to a numeric value: ..." */
    NUM_TOO_LARGE,     /* "Number overflow. Attempting to store a number with magnitude larger than supported range" */
    NUM_TOO_SMALL,     /* "Number underflow. ..." */
    NUM_TOO_PRECISE    /* "Attempting to store more than 38 significant digits in a Number" */
};

/* An encoded number held by value. n includes the end byte. */
struct num {
    uint8_t n;
    uint8_t bytes[NUM_MAX_BYTES];
};

/* Reads DynamoDB's textual forms: sign, digits, fraction, exponent. */
enum num_status num_parse(struct slice text, struct num *out);
/* Bytes of the encoding that starts at p (which must be a valid one). */
size_t num_encoded_length(const uint8_t *p);
/* True if the n bytes at p are exactly one canonical encoding. */
bool num_valid(const uint8_t *p, size_t n);
/* DynamoDB's normal form, into out; returns the length. */
size_t num_format(struct slice encoded, char out[NUM_MAX_TEXT]);
/* The same number in as few characters, with an exponent where that is shorter: 1E125 has 126 in the normal form. */
size_t num_format_short(struct slice encoded, char out[NUM_MAX_TEXT]);
/* a + b, or a - b, exact or an error: a result that would need more than 38 digits is an error as
 * on DynamoDB. */
enum num_status num_add(struct slice a, struct slice b, struct num *out);
enum num_status num_sub(struct slice a, struct slice b, struct num *out);
/* Size in bytes by DynamoDB's rule. */
size_t num_size(struct slice encoded);
/* For integers that fit; false otherwise. */
bool num_to_int64(struct slice encoded, int64_t *out);
/* The least integer that is not below the number; false if that does not fit. */
bool num_ceil_int64(struct slice encoded, int64_t *out);
void num_from_int64(int64_t v, struct num *out);

#endif
