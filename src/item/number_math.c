/* number_math.c: exact sums and differences of encoded numbers, in base 100 and without leaving the
 * encoding: digits are added where their exponents say.
 *
 * DynamoDB refuses a result that needs more than 38 digits and says "Number overflow" (not "more
 * than 38 significant digits", seen in ScyllaDB's test_number.py,
 * test_update_expression_plus_imprecise), so that is NUM_TOO_LARGE here. */
#include "number.h"
#include "number_int.h"

/* Two numbers whose digits span more pairs than this cannot have a sum of 38 digits: there is a gap
 * between them, so neither the top of the larger nor the end of the smaller can cancel out. */
#define WINDOW 48

struct operand {
    const uint8_t *pairs;
    uint8_t flip;
    int n, exponent; /* pairs; 0.P1P2... x 100^exponent */
};

static struct operand operand_of(struct slice encoded)
{
    uint8_t flip = encoded.p[0] & 0x80 ? 0x00 : 0xff;
    return (struct operand){ encoded.p + 1, flip, (int)encoded.n - 2,
                             (encoded.p[0] ^ flip) - 0x80 - 64 };
}

/* acc[0] is the pair of weight 100^(top - 1). */
static void accumulate(int *acc, int top, const struct operand *x, int sign)
{
    int *at = acc + (top - x->exponent);
    for (int i = 0; i < x->n; i++)
        at[i] += sign * ((x->pairs[i] ^ x->flip) - 1);
}

static enum num_status encode_sum(struct num *out, bool negative, const int *acc, int n, int top)
{
    uint8_t digits[2 * WINDOW + 4];
    int count = 0, exponent = 2 * top, first = 0;
    for (int i = 0; i < n; i++) {
        digits[count++] = (uint8_t)(acc[i] / 10);
        digits[count++] = (uint8_t)(acc[i] % 10);
    }
    while (count > 0 && digits[count - 1] == 0)
        count--;
    while (first < count && digits[first] == 0)
        first++;
    if (first == count) {
        num_encode_zero(out);
        return NUM_OK;
    }
    exponent -= first;
    if (exponent > 126) return NUM_TOO_LARGE;
    if (exponent < -129) return NUM_TOO_SMALL;
    if (count - first > NUM_MAX_DIGITS) return NUM_TOO_LARGE;
    num_encode_digits(out, negative, digits + first, count - first, exponent);
    return NUM_OK;
}

static enum num_status sum(struct slice a, struct slice b, bool minus, struct num *out)
{
    struct operand x = operand_of(a), y = operand_of(b);
    bool x_negative = x.flip, y_negative = (y.flip != 0) != minus;
    if (y.n == 0 || x.n == 0) {
        struct slice s = y.n == 0 ? a : b;
        memcpy(out->bytes, s.p, s.n);
        out->n = (uint8_t)s.n;
        if (x.n == 0 && y.n != 0 && minus)
            for (size_t i = 0; i < s.n; i++)
                out->bytes[i] = (uint8_t)~out->bytes[i];
        return NUM_OK;
    }
    int top = (x.exponent > y.exponent ? x.exponent : y.exponent) + 1; /* one more for the carry */
    int x_end = x.exponent - x.n, y_end = y.exponent - y.n;
    int n = top - (x_end < y_end ? x_end : y_end);
    if (n > WINDOW) return NUM_TOO_LARGE;

    int acc[WINDOW] = { 0 };
    accumulate(acc, top, &x, x_negative ? -1 : 1);
    accumulate(acc, top, &y, y_negative ? -1 : 1);
    /* The sign of the sum is that of its first pair that is not 0, once no pair can outweigh the
     * ones before it: carry first, then if the top came out negative, carry again with all signs
     * turned. */
    bool negative = false;
    for (int turn = 0; turn < 2; turn++) {
        int carry = 0;
        for (int i = n - 1; i >= 0; i--) {
            int v = acc[i] + carry;
            carry = v >= 0 ? v / 100 : -((99 - v) / 100);
            acc[i] = v - carry * 100;
        }
        if (carry == 0) break;
        /* The value is acc + carry * 100^top with carry = -1: negate it. */
        negative = true;
        for (int i = 0; i < n; i++)
            acc[i] = -acc[i];
        acc[0] += 100;
    }
    return encode_sum(out, negative, acc, n, top);
}

enum num_status num_add(struct slice a, struct slice b, struct num *out)
{
    return sum(a, b, false, out);
}

enum num_status num_sub(struct slice a, struct slice b, struct num *out)
{
    return sum(a, b, true, out);
}
