/* fuzz_key.c: two keys of up to four parts, and a prefix. Their order is worked out here from what they are made of, part by part and digit by
 * digit, and must be the order of their bytes; the bytes must give the parts back, and a prefix must take in what begins with it and no more.
 *
 * Input: a byte with the number of parts, a byte with their types, then two keys. A text is a length and so many bytes; a number is a byte of sign
 * and digits (bit 7: negative, the rest: how many digits, at most 38), the exponent, and a byte for each digit. */
#include "fuzz.h"
#include "item/keybytes.h"

#define MAX_PARTS 4

/* sign x 0.d1d2d3... x 10^exponent; d1 is not 0, but for zero, which has no digits. */
struct decimal {
    int sign, exponent, n;
    uint8_t digits[NUM_MAX_DIGITS];
};

struct part {
    enum val_type type;
    struct slice text;
    struct decimal number;
    struct slice value; /* encoded */
};

static int compare_decimals(const struct decimal *x, const struct decimal *y)
{
    if (x->sign != y->sign || !x->sign) return x->sign - y->sign;
    if (x->exponent != y->exponent) return x->exponent < y->exponent ? -x->sign : x->sign;
    for (int i = 0; i < NUM_MAX_DIGITS; i++) {
        int dx = i < x->n ? x->digits[i] : 0, dy = i < y->n ? y->digits[i] : 0;
        if (dx != dy) return dx < dy ? -x->sign : x->sign;
    }
    return 0;
}

static int compare_texts(struct slice x, struct slice y)
{
    for (size_t i = 0; i < x.n && i < y.n; i++)
        if (x.p[i] != y.p[i]) return x.p[i] < y.p[i] ? -1 : 1;
    return x.n < y.n ? -1 : x.n > y.n;
}

static struct slice make_number(struct arena *a, struct slice *in, struct decimal *d)
{
    uint8_t head = fuzz_byte(in);
    char text[NUM_MAX_DIGITS + 16];
    struct num n;
    struct buf b;
    int at = 0;
    d->exponent = (int)fuzz_byte(in) - 129; /* of 0.d1: 1E-130 has -129, 9.9E125 has 126 */
    d->n = head % 128 % (NUM_MAX_DIGITS + 1);
    for (int i = 0; i < d->n; i++) d->digits[i] = fuzz_byte(in) % 10;
    if (d->n && !d->digits[0]) d->digits[0] = 1;
    d->sign = !d->n ? 0 : head & 128 ? -1 : 1;
    if (d->sign < 0) text[at++] = '-';
    text[at++] = '0';
    text[at++] = '.';
    for (int i = 0; i < d->n; i++) text[at++] = (char)('0' + d->digits[i]);
    if (!d->n) text[at++] = '0';
    at += snprintf(text + at, sizeof text - (size_t)at, "E%d", d->exponent);
    CHECK(num_parse(slice_of(text, (size_t)at), &n) == NUM_OK);
    buf_init(&b, a, 64);
    val_put_number(&b, slice_of(n.bytes, n.n));
    return buf_view(&b);
}

static void make_part(struct arena *a, struct slice *in, enum val_type type, struct part *p)
{
    struct buf b;
    p->type = type;
    if (type == TYPE_N) {
        p->value = make_number(a, in, &p->number);
        return;
    }
    p->text = fuzz_bytes(in, fuzz_byte(in) % 64);
    buf_init(&b, a, 1024);
    if (type == TYPE_S) val_put_string(&b, p->text);
    else val_put_binary(&b, p->text);
    p->value = buf_view(&b);
}

static struct slice key_of(struct arena *a, const struct part *parts, unsigned n)
{
    struct buf b;
    buf_init(&b, a, 1 << 16);
    for (unsigned i = 0; i < n; i++) keybytes_put(&b, parts[i].value);
    struct slice at = buf_view(&b), back;
    for (unsigned i = 0; i < n; i++) CHECK(keybytes_take(a, parts[i].type, &at, &back) && val_equal(back, parts[i].value));
    CHECK(at.n == 0);
    return buf_view(&b);
}

static int compare_parts(const struct part *x, const struct part *y, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        int c = x[i].type == TYPE_N ? compare_decimals(&x[i].number, &y[i].number) : compare_texts(x[i].text, y[i].text);
        CHECK((val_compare(x[i].value, y[i].value) > 0) == (c > 0) && (val_compare(x[i].value, y[i].value) < 0) == (c < 0));
        if (c) return c;
    }
    return 0;
}

/* The first part of x, cut somewhere, as a prefix: does it take in y exactly if y begins with it? */
static void check_prefix(struct arena *a, const struct part *x, const struct part *y, struct slice key)
{
    struct part p = { 0 };
    struct buf b;
    if (x->type == TYPE_N) return;
    struct slice cut = slice_of(x->text.p, x->text.n - x->text.n / 3);
    buf_init(&b, a, 1024);
    if (x->type == TYPE_S) val_put_string(&b, cut);
    else val_put_binary(&b, cut);
    p.value = buf_view(&b);
    buf_init(&b, a, 1024);
    keybytes_put_prefix(&b, p.value);
    struct slice from = buf_view(&b), to = keybytes_after(a, from);
    bool inside = slice_cmp(from, key) <= 0 && (!to.n || slice_cmp(key, to) < 0);
    CHECK(inside == (y->text.n >= cut.n && compare_texts(slice_of(y->text.p, cut.n), cut) == 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum val_type types[] = { TYPE_S, TYPE_N, TYPE_B, TYPE_N };
    FUZZ_ARENA(a, 1 << 20);
    struct slice in = slice_of(data, size);
    struct part x[MAX_PARTS] = { 0 }, y[MAX_PARTS] = { 0 };
    unsigned n = 1 + fuzz_byte(&in) % MAX_PARTS, kinds = fuzz_byte(&in);
    for (unsigned i = 0; i < n; i++) make_part(a, &in, types[kinds >> 2 * i & 3], &x[i]);
    for (unsigned i = 0; i < n; i++) make_part(a, &in, types[kinds >> 2 * i & 3], &y[i]);
    struct slice key_x = key_of(a, x, n), key_y = key_of(a, y, n);
    int order = compare_parts(x, y, n), bytes = slice_cmp(key_x, key_y);
    CHECK((order > 0) == (bytes > 0) && (order < 0) == (bytes < 0));
    if (order) CHECK(!slice_starts(key_x, key_y) && !slice_starts(key_y, key_x));
    check_prefix(a, &x[0], &y[0], key_y);
    check_prefix(a, &y[0], &x[0], key_x);
    return 0;
}
