/* number_int.h: what number.c and number_math.c share; not for others. */
#ifndef OF_ITEM_NUMBER_INT_H
#define OF_ITEM_NUMBER_INT_H

#include "number.h"

void num_encode_zero(struct num *out);
void num_encode_digits(struct num *out, bool negative, const uint8_t *digits, int n, int exponent);
int num_decode_digits(struct slice encoded, uint8_t digits[2 * NUM_MAX_BYTES], int *exponent);

#endif
