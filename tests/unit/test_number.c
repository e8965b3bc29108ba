/* test_number.c: DynamoDB numbers: text, order, exact sums, sizes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include "item/number.h"
#include "repeat.h"

static uint64_t seed = 0x9e3779b97f4a7c15;

static uint64_t rnd(uint64_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (seed >> 11) % below;
}

static struct slice enc(const struct num *n)
{
    return slice_of(n->bytes, n->n);
}

static struct num parse(const char *text)
{
    struct num n;
    assert_int_equal(num_parse(slice_str(text), &n), NUM_OK);
    assert_true(num_valid(n.bytes, n.n));
    assert_int_equal(num_encoded_length(n.bytes), n.n);
    return n;
}

static void assert_text(const struct num *n, const char *expected)
{
    char text[NUM_MAX_TEXT + 1];
    text[num_format(enc(n), text)] = 0;
    assert_string_equal(text, expected);
}

static void test_normal_form_is_plain_decimal(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "0", "0" },
        { "-0", "0" },
        { "0.000", "0" },
        { "-0.0e5", "0" },
        { "1", "1" },
        { "-1", "-1" },
        { "+3", "3" },
        { "007", "7" },
        { "1E+2", "100" },
        { "1e-7", "0.0000001" },
        { ".123", "0.123" },
        { "5.", "5" },
        { "0001.23", "1.23" },
        { "1.500", "1.5" },
        { "10.01", "10.01" },
        { "-17.4E3", "-17400" },
        { "123456789012345678901234567890", "123456789012345678901234567890" },
        { "12.5e1", "125" },
        { "12.5e-1", "1.25" },
        { "100", "100" },
        { "99", "99" },
        { "1000.0", "1000" },
        { "0.1e1", "1" },
        { "0.00000e5", "0" },
        { "12345.678E2", "1234567.8" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct num n = parse(cases[i][0]);
        assert_text(&n, cases[i][1]);
    }
}

static void test_large_and_small_magnitudes_have_no_exponent(void **state)
{
    (void)state;
    char expected[200];
    struct num n = parse("1e125");
    expected[0] = '1';
    memset(expected + 1, '0', 125);
    expected[126] = 0;
    assert_text(&n, expected);
    n = parse("-1e-130");
    memset(expected, '0', 140);
    expected[0] = '-';
    expected[2] = '.';
    expected[132] = '1';
    expected[133] = 0;
    assert_text(&n, expected);
    n = parse("9.9999999999999999999999999999999999999E+125");
    memset(expected, '0', 126);
    memset(expected, '9', 38);
    expected[126] = 0;
    assert_text(&n, expected);
    n = parse("-1.2345678901234567890123456789012345678E-130");
    assert_int_equal(n.n, 22);
}

static void test_the_short_form_has_an_exponent_where_that_is_shorter(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "0", "0" },        { "100", "100" },      { "-1200", "-1200" }, { "1000", "1E3" },         { "0.5", "0.5" },
        { "0.01", "0.01" },  { "0.001", "1E-3" },  { "1e125", "1E125" },  { "-1e-130", "-1E-130" }, { "99E-130", "99E-130" }, { "-12.5", "-12.5" },
        { "9.9999999999999999999999999999999999999E+125", "99999999999999999999999999999999999999E88" },
        { "-1.2345678901234567890123456789012345679E-93", "-12345678901234567890123456789012345679E-130" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct num n = parse(cases[i][0]), back;
        char text[NUM_MAX_TEXT + 1];
        size_t length = num_format_short(enc(&n), text);
        text[length] = 0;
        assert_string_equal(text, cases[i][1]);
        assert_int_equal(num_parse(slice_of(text, length), &back), NUM_OK);
        assert_memory_equal(back.bytes, n.bytes, n.n);
    }
}

static void test_text_that_is_no_number_is_refused(void **state)
{
    (void)state;
    static const char *const cases[] = { "",      "-",    "+",        ".",         "e",     "1e",
                                         "1e+",   "e5",   "--1",      "+-1",       " 1",    "1 ",
                                         "1.2.3", "0x10", "NaN",      "-NaN",      "dog",   "1e5.5",
                                         "1,0",   "1_0",  "Infinity", "-Infinity", "1e--5", ".e1",
                                         "1\n",   "1d",   "-.",       "1ee5" };
    struct num n;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(num_parse(slice_str(cases[i]), &n), NUM_NOT_A_NUMBER);
    assert_int_equal(num_parse(slice_of("1\0", 2), &n), NUM_NOT_A_NUMBER);
}

static void test_range_and_precision_end_where_dynamodb_says(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum num_status status;
    } cases[] = {
        { "1e125", NUM_OK },
        { "1e126", NUM_TOO_LARGE },
        { "-1e126", NUM_TOO_LARGE },
        { "11e125", NUM_TOO_LARGE },
        { "0.1e126", NUM_OK },
        { "1.0e100000000", NUM_TOO_LARGE },
        { "1e99999999999999999999999999999", NUM_TOO_LARGE },
        { "1e-130", NUM_OK },
        { "1e-131", NUM_TOO_SMALL },
        { "0.9e-130", NUM_TOO_SMALL },
        { "-0.9e-130", NUM_TOO_SMALL },
        { "1e-99999999999999999999999999999", NUM_TOO_SMALL },
        { "10e-131", NUM_OK },
        { "3.1415926535897932384626433832795028841", NUM_OK },
        { "3.14159265358979323846264338327950288419", NUM_TOO_PRECISE },
        { "314159265358979323846264338327950288419e30", NUM_TOO_PRECISE },
        { "31415926535897932384626433832795028841000000", NUM_OK },
        { "0.00000000000000000000000000000000000000000001", NUM_OK },
        { "100000000000000000000000000000000000000000001", NUM_TOO_PRECISE },
        /* Zero is held to the exponent that it is written with. */
        { "0e125", NUM_OK },
        { "0e126", NUM_TOO_LARGE },
        { "0.0e126", NUM_OK },
        { "0e-130", NUM_OK },
        { "0e-131", NUM_TOO_SMALL },
    };
    struct num n;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(num_parse(slice_str(cases[i].text), &n), cases[i].status);
}

/* ---- against a simple reference: 400 decimal places of fixed point ---- */

#define REF_INT  130 /* digits before the point */
#define REF_FRAC 200
#define REF      (REF_INT + REF_FRAC)

struct ref {
    int sign;
    uint8_t d[REF]; /* most significant first */
};

static int ref_compare_magnitude(const struct ref *a, const struct ref *b)
{
    return memcmp(a->d, b->d, REF);
}

static int ref_compare(const struct ref *a, const struct ref *b)
{
    if (a->sign != b->sign) return a->sign < b->sign ? -1 : 1;
    int c = ref_compare_magnitude(a, b);
    return a->sign < 0 ? -c : c;
}

/* Makes a random number: its text in some spelling, and its reference. */
static void random_number(struct ref *r, char *text, size_t size, int spread)
{
    char digits[40];
    int n = 1 + (int)rnd(rnd(3) ? 6 : 38), exponent = (int)rnd((uint64_t)spread) - spread / 2;
    memset(r, 0, sizeof *r);
    for (int i = 0; i < n; i++)
        digits[i] = (char)('0' + (rnd(4) ? rnd(10) : rnd(2) * 9));
    digits[n] = 0;
    r->sign = rnd(2) ? 1 : -1;
    bool zero = true;
    for (int i = 0; i < n; i++) {
        int place = REF_INT - exponent + i - 1;
        assert_true(place >= 0 && place < REF);
        r->d[place] = (uint8_t)(digits[i] - '0');
        zero &= digits[i] == '0';
    }
    if (zero) r->sign = 0;
    int point = 1 + (int)rnd((uint64_t)n);
    snprintf(text, size, "%s%.*s.%sE%d",
             r->sign < 0 ? "-"
             : rnd(2)    ? "+"
                         : "",
             point, digits, digits + point, exponent - point + 1);
}

/* The text DynamoDB should give, or NULL when the number is out of its range. */
static const char *ref_text(const struct ref *r, char *out, enum num_status *status)
{
    int first = 0, last = REF - 1;
    while (first < REF && !r->d[first])
        first++;
    while (last >= 0 && !r->d[last])
        last--;
    *status = NUM_OK;
    if (first == REF) {
        memcpy(out, "0", 2);
        return out;
    }
    int exponent = REF_INT - 1 - first;
    if (exponent > 125)
        *status = NUM_TOO_LARGE;
    else if (exponent < -130)
        *status = NUM_TOO_SMALL;
    else if (last - first >= 38)
        *status = NUM_TOO_PRECISE;
    char *p = out;
    if (r->sign < 0) *p++ = '-';
    int from = first < REF_INT ? first : REF_INT - 1, to = last < REF_INT ? REF_INT - 1 : last;
    for (int i = from; i <= to; i++) {
        if (i == REF_INT) *p++ = '.';
        *p++ = (char)('0' + r->d[i]);
    }
    *p = 0;
    return out;
}

static void ref_add(struct ref *out, const struct ref *a, const struct ref *b)
{
    struct ref r = { .sign = a->sign ? a->sign : b->sign };
    if (a->sign * b->sign >= 0) {
        int carry = 0;
        for (int i = REF - 1; i >= 0; i--) {
            int v = a->d[i] + b->d[i] + carry;
            r.d[i] = (uint8_t)(v % 10);
            carry = v / 10;
        }
    } else {
        int c = ref_compare_magnitude(a, b), borrow = 0;
        const struct ref *big = c >= 0 ? a : b, *small = c >= 0 ? b : a;
        for (int i = REF - 1; i >= 0; i--) {
            int v = big->d[i] - small->d[i] - borrow;
            borrow = v < 0;
            r.d[i] = (uint8_t)(v + 10 * borrow);
        }
        r.sign = c == 0 ? 0 : big->sign;
    }
    *out = r;
}

static void test_random_numbers_keep_their_value_and_order(void **state)
{
    (void)state;
    enum { N = 400 };
    static struct ref refs[N];
    static struct num nums[N];
    for (int i = 0; i < N; i++) {
        char text[80], expected[400];
        enum num_status status;
        random_number(&refs[i], text, sizeof text, i % 2 ? 10 : 240);
        ref_text(&refs[i], expected, &status);
        assert_int_equal(status, NUM_OK);
        nums[i] = parse(text);
        assert_text(&nums[i], expected);
        struct num again = parse(expected);
        assert_true(slice_eq(enc(&again), enc(&nums[i])));
    }
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            int want = ref_compare(&refs[i], &refs[j]),
                got = slice_cmp(enc(&nums[i]), enc(&nums[j]));
            assert_int_equal((want > 0) - (want < 0), (got > 0) - (got < 0));
            if (want == 0) assert_true(slice_eq(enc(&nums[i]), enc(&nums[j])));
        }
    }
}

static void check_sum(const struct num *a, const struct num *b, const struct ref *ra, struct ref rb,
                      bool minus)
{
    struct ref sum;
    struct num got;
    char expected[400];
    enum num_status want, status;
    if (minus) rb.sign = -rb.sign;
    ref_add(&sum, ra, &rb);
    ref_text(&sum, expected, &want);
    if (want == NUM_TOO_PRECISE) want = NUM_TOO_LARGE; /* DynamoDB's word for it in arithmetic */
    status = minus ? num_sub(enc(a), enc(b), &got) : num_add(enc(a), enc(b), &got);
    assert_int_equal(status, want);
    if (status) return;
    assert_true(num_valid(got.bytes, got.n));
    assert_text(&got, expected);
}

static void test_random_sums_and_differences_are_exact(void **state)
{
    (void)state;
    for (int i = 0; i < repeated(60000); i++) {
        static const int spreads[] = { 6, 24, 60, 240 };
        struct ref ra, rb;
        char ta[80], tb[80];
        random_number(&ra, ta, sizeof ta, spreads[i % 4]);
        random_number(&rb, tb, sizeof tb, spreads[i % 4]);
        if (i % 16 == 0) { /* near cancellation: the same but for the last digit */
            memcpy(tb, ta, sizeof tb);
            rb = ra;
        }
        struct num a = parse(ta), b = parse(tb);
        check_sum(&a, &b, &ra, rb, false);
        check_sum(&a, &b, &ra, rb, true);
    }
}

static void test_sums_at_the_limits(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        enum num_status status;
        const char *sum;
    } cases[] = {
        { "1", "10000000000000000000000", NUM_OK, "10000000000000000000001" },
        { "9e125", "9e125", NUM_TOO_LARGE, NULL },
        { "-9e125", "-9e125", NUM_TOO_LARGE, NULL },
        { "1e50", "1", NUM_TOO_LARGE, NULL },
        { "1e50", "-1", NUM_TOO_LARGE, NULL },
        { "1e125", "1e-130", NUM_TOO_LARGE, NULL },
        { "1.1e-130", "-1e-130", NUM_TOO_SMALL, NULL },
        { "99999999999999999999999999999999999999", "1", NUM_OK,
          "100000000000000000000000000000000000000" },
        { "99999999999999999999999999999999999999", "0.1", NUM_TOO_LARGE, NULL },
        { "1e38", "-1", NUM_OK, "99999999999999999999999999999999999999" },
        { "5", "-5", NUM_OK, "0" },
        { "0", "-5", NUM_OK, "-5" },
        { "-5", "0", NUM_OK, "-5" },
        { "0.1", "0.2", NUM_OK, "0.3" },
        { "100", "-99.99", NUM_OK, "0.01" },
        { "-100", "99.99", NUM_OK, "-0.01" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct num a = parse(cases[i].a), b = parse(cases[i].b), sum;
        assert_int_equal(num_add(enc(&a), enc(&b), &sum), cases[i].status);
        if (cases[i].sum) assert_text(&sum, cases[i].sum);
    }
    struct num zero = parse("0"), five = parse("5"), out;
    assert_int_equal(num_sub(enc(&zero), enc(&five), &out), NUM_OK);
    assert_text(&out, "-5");
    assert_int_equal(num_sub(enc(&zero), enc(&zero), &out), NUM_OK);
    assert_text(&out, "0");
}

static void test_size_is_a_byte_per_pair_of_digits_and_one(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t size;
    } cases[] = {
        { "0", 1 },
        { "1", 2 },
        { "10", 2 },
        { "99", 2 },
        { "100", 2 },
        { "123", 3 },
        { "1234", 3 },
        { "12345", 4 },
        { "-1", 3 },
        { "-1234", 4 },
        { "0.5", 2 },
        { "0.05", 2 },
        { "1.5", 3 },
        { "12.34", 3 },
        { "1.23", 3 },
        { "1.234", 4 },
        { "1e125", 2 },
        { "1e-130", 2 },
        { "12345678901234567890123456789012345678", 20 },
        { "1.2345678901234567890123456789012345678", 21 },
        { "-12345678901234567890123456789012345678", 21 },
        { "-1.2345678901234567890123456789012345678", 21 },
        /* Measured on DynamoDB at its 400 KB limit by the authors of dynoxide (src/types.rs). */
        { "1234567", 5 },
        { "123456789", 6 },
        { "12345678912", 7 },
        { "1234567890123456789", 11 },
        { "1010", 3 },
        { "0.0000001", 2 },
        { "1E-100", 2 },
        { "1.200", 3 },
        { "3.14159", 5 },
        { "100.5", 4 },
        { "0.15", 2 },
        { "-42", 3 },
        { "-12345", 5 },
        { "-1E125", 3 },
        { "-0.15", 3 },
        { "-0", 1 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct num n = parse(cases[i].text);
        assert_int_equal(num_size(enc(&n)), cases[i].size);
    }
}

static void test_integers_of_64_bits(void **state)
{
    (void)state;
    int64_t edge[] = { 0,  1,       -1,        10,        100,           -100,
                       99, 1000000, INT64_MAX, INT64_MIN, INT64_MAX - 1, INT64_MIN + 1 };
    for (int i = 0; i < 5000; i++) {
        int64_t v = i < 12 ? edge[i] : (int64_t)(rnd(UINT64_MAX) << rnd(40)) >> rnd(60), back = 7;
        char text[32];
        struct num n;
        snprintf(text, sizeof text, "%lld", (long long)v);
        num_from_int64(v, &n);
        struct num same = parse(text);
        assert_true(slice_eq(enc(&n), enc(&same)));
        assert_true(num_to_int64(enc(&n), &back));
        assert_int_equal(back, v);
    }
    static const char *const none[] = {
        "0.5",    "9223372036854775808", "-9223372036854775809", "1e19", "1e125", "1.01", "-0.1",
        "1e-130", "12345678901234567890"
    };
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        int64_t v;
        struct num n = parse(none[i]);
        assert_false(num_to_int64(enc(&n), &v));
    }
}

static void test_rounds_up_to_an_integer(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t up;
    } cases[] = {
        { "0", 0 },       { "7", 7 },          { "100", 100 },         { "0.5", 1 },   { "1e-130", 1 }, { "99.01", 100 },
        { "-0.5", 0 },    { "-7.9", -7 },      { "1234567890.1", 1234567891 }, { "-100", -100 },
        { "9223372036854775806.5", INT64_MAX }, { "-9223372036854775808", INT64_MIN },
    };
    int64_t v;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct num n = parse(cases[i].text);
        assert_true(num_ceil_int64(enc(&n), &v));
        assert_int_equal(v, cases[i].up);
    }
    static const char *const none[] = { "9223372036854775807.5", "9223372036854775808", "1e125", "-1e19" };
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        struct num n = parse(none[i]);
        assert_false(num_ceil_int64(enc(&n), &v));
    }
}

static void test_only_canonical_bytes_are_valid(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t n;
        bool valid;
    } cases[] = {
        { "\x80\x00", 2, true },          { "\x80", 1, false },
        { "\x7f\xff", 2, false }, /* minus zero */
        { "\xc1\x00", 2, false },         { "\xc1\x02\x00", 3, true },
        { "\xc1\x01\x00", 3, false },     /* leading zero pair */
        { "\xc1\x02\x01\x00", 4, false }, /* trailing zero pair */
        { "\xc1\x02", 2, false },         { "\xc1\x65\x00", 3, false },
        { "\xc1\x02\x00\x00", 4, false }, { "\x3e\xfd\xff", 3, true },
        { "\x3e\xfd\x00", 3, false },     { "", 0, false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(num_valid((const uint8_t *)cases[i].bytes, cases[i].n), cases[i].valid);
    /* 39 digits in 20 pairs: one too many. */
    uint8_t wide[22];
    memset(wide, 0x0c, sizeof wide);
    wide[0] = 0xc1;
    wide[21] = 0;
    assert_false(num_valid(wide, 22));
    wide[1] = 0x02;
    assert_false(num_valid(wide, 22));
    wide[20] = 0x0b;
    assert_true(num_valid(wide, 22));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_normal_form_is_plain_decimal),
        cmocka_unit_test(test_large_and_small_magnitudes_have_no_exponent),
        cmocka_unit_test(test_the_short_form_has_an_exponent_where_that_is_shorter),
        cmocka_unit_test(test_text_that_is_no_number_is_refused),
        cmocka_unit_test(test_range_and_precision_end_where_dynamodb_says),
        cmocka_unit_test(test_random_numbers_keep_their_value_and_order),
        cmocka_unit_test(test_random_sums_and_differences_are_exact),
        cmocka_unit_test(test_sums_at_the_limits),
        cmocka_unit_test(test_size_is_a_byte_per_pair_of_digits_and_one),
        cmocka_unit_test(test_integers_of_64_bits),
        cmocka_unit_test(test_rounds_up_to_an_integer),
        cmocka_unit_test(test_only_canonical_bytes_are_valid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
