/* fuzz_number.c: the input, cut at the first blank, is two numbers: their text, encoding, order and
 * sums must agree with each other. The whole input is also taken as an encoding. */
#include "fuzz.h"
#include "item/number.h"

static struct slice enc(const struct num *n)
{
    return slice_of(n->bytes, n->n);
}

static void check_one(struct slice encoded)
{
    char text[NUM_MAX_TEXT];
    struct num again;
    CHECK(num_encoded_length(encoded.p) == encoded.n);
    size_t n = num_format(encoded, text);
    CHECK(n <= NUM_MAX_TEXT);
    CHECK(num_parse(slice_of(text, n), &again) == NUM_OK);
    CHECK(slice_eq(enc(&again), encoded));
    size_t bytes = num_size(encoded);
    CHECK(bytes >= 1 && bytes <= 21);
    int64_t v;
    if (num_to_int64(encoded, &v)) {
        num_from_int64(v, &again);
        CHECK(slice_eq(enc(&again), encoded));
    }
}

static void check_two(const struct num *x, const struct num *y)
{
    struct num sum, back, difference, zero;
    num_from_int64(0, &zero);
    /* What can be added can be taken away again. */
    if (num_add(enc(x), enc(y), &sum) == NUM_OK) {
        CHECK(num_valid(sum.bytes, sum.n));
        CHECK(num_sub(enc(&sum), enc(y), &back) == NUM_OK && slice_eq(enc(&back), enc(x)));
        CHECK(num_add(enc(y), enc(x), &back) == NUM_OK && slice_eq(enc(&back), enc(&sum)));
    }
    /* The sign of the difference is the order of the encodings. */
    if (num_sub(enc(x), enc(y), &difference) == NUM_OK) {
        int sign = slice_cmp(enc(&difference), enc(&zero)), order = slice_cmp(enc(x), enc(y));
        CHECK((sign > 0) == (order > 0) && (sign < 0) == (order < 0));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct num x, y;
    const uint8_t *cut = size ? memchr(data, ' ', size) : NULL;
    size_t n = cut ? (size_t)(cut - data) : size;
    if (num_valid(data, size)) check_one(slice_of(data, size));
    if (num_parse(slice_of(data, n), &x) != NUM_OK) return 0;
    CHECK(num_valid(x.bytes, x.n));
    check_one(enc(&x));
    if (!cut || num_parse(slice_of(cut + 1, size - n - 1), &y) != NUM_OK) return 0;
    check_one(enc(&y));
    check_two(&x, &y);
    return 0;
}
