/* test_item_json_write.c: random values written as DynamoDB-JSON, compared with a writer that is slow and simple, and read back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include "arena_fixture.h"
#include "item/item_json.h"

enum { ROUNDS = 4000, TEXT_MAX = 1 << 24 };

/* ---- the simple writer: a byte at a time, and with `ascii` everything else as \u escapes ---- */

struct out {
    struct buf b;
    bool ascii;
};

static void put(struct out *o, const char *text)
{
    for (; *text; text++) buf_u8(&o->b, (uint8_t)*text);
}

static uint32_t take_character(const uint8_t **p)
{
    uint32_t c = *(*p)++;
    int more = c < 0x80 ? 0 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
    if (more) c &= 0x3fu >> more;
    while (more--) c = c << 6 | (*(*p)++ & 0x3f);
    return c;
}

static void put_unit(struct out *o, uint32_t unit)
{
    char text[16];
    snprintf(text, sizeof text, "\\u%04X", (unsigned)unit);
    put(o, text);
}

static void put_character(struct out *o, const uint8_t **p)
{
    static const char letters[] = "\"\"\\\\\bb\ff\nn\rr\tt";
    const uint8_t *start = *p;
    uint32_t c = take_character(p);
    for (size_t i = 0; letters[i]; i += 2) {
        if (c != (uint8_t)letters[i]) continue;
        put(o, (char[]){ '\\', letters[i + 1], 0 });
        return;
    }
    if (o->ascii && c >= 0x10000) {
        put_unit(o, 0xd800 + ((c - 0x10000) >> 10));
        put_unit(o, 0xdc00 + ((c - 0x10000) & 0x3ff));
    } else if (c < 0x20 || (o->ascii && c >= 0x80)) {
        put_unit(o, c);
    } else {
        for (; start < *p; start++) buf_u8(&o->b, *start);
    }
}

static void put_text(struct out *o, struct slice s)
{
    const uint8_t *p = s.p;
    put(o, "\"");
    while (p < s.p + s.n) put_character(o, &p);
    put(o, "\"");
}

static void put_base64(struct out *o, struct slice s)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    put(o, "\"");
    for (size_t bit = 0; bit < 8 * s.n; bit += 6) {
        unsigned six = 0;
        for (size_t i = bit; i < bit + 6; i++) six = six << 1 | (i < 8 * s.n ? s.p[i / 8] >> (7 - i % 8) & 1 : 0);
        put(o, (char[]){ letters[six], 0 });
    }
    for (size_t n = s.n; n % 3; n++) put(o, "=");
    put(o, "\"");
}

/* 0.P1 P2 ... x 100^e (item/README.md): all its digits, the point among them, and no zeros at the ends. */
static void put_number(struct out *o, struct slice encoded)
{
    uint8_t flip = encoded.p[0] & 0x80 ? 0 : 0xff;
    int places = 2 * ((encoded.p[0] ^ flip) - 0x80 - 64), n = 0;
    char digits[600];
    if (encoded.n == 2) {
        put(o, "\"0\"");
        return;
    }
    for (; places < 0; places++) digits[n++] = '0';
    for (size_t i = 1; i + 1 < encoded.n; i++) n += snprintf(digits + n, 3, "%02d", (encoded.p[i] ^ flip) - 1);
    while (n < places) digits[n++] = '0';
    int from = 0, to = n;
    while (from < places && digits[from] == '0') from++;
    while (to > places && digits[to - 1] == '0') to--;
    put(o, flip ? "\"-" : "\"");
    if (from == places) put(o, "0");
    for (int i = from; i < to; i++) {
        if (i == places) put(o, ".");
        buf_u8(&o->b, (uint8_t)digits[i]);
    }
    put(o, "\"");
}

static void put_value(struct out *o, struct slice v);

static void put_members(struct out *o, struct slice v)
{
    struct val_iter it;
    struct slice name, member;
    bool more = false;
    val_iter_init(&it, v);
    put(o, it.type == TYPE_M ? "{" : "[");
    for (; val_next(&it, &name, &member); more = true) {
        if (more) put(o, ",");
        if (it.type == TYPE_M) {
            put_text(o, name);
            put(o, ":");
        }
        if (it.type == TYPE_SS)
            put_text(o, member);
        else if (it.type == TYPE_NS)
            put_number(o, member);
        else if (it.type == TYPE_BS)
            put_base64(o, member);
        else
            put_value(o, member);
    }
    put(o, it.type == TYPE_M ? "}" : "]");
}

static void put_value(struct out *o, struct slice v)
{
    enum val_type type = val_type(v);
    put(o, "{\"");
    put(o, val_type_name(type));
    put(o, "\":");
    switch (type) {
    case TYPE_NULL: put(o, "true"); break;
    case TYPE_BOOL: put(o, val_bool(v) ? "true" : "false"); break;
    case TYPE_S: put_text(o, val_content(v)); break;
    case TYPE_N: put_number(o, val_content(v)); break;
    case TYPE_B: put_base64(o, val_content(v)); break;
    default: put_members(o, v);
    }
    put(o, "}");
}

/* ---- random values ---- */

/* Mostly around the lengths at which a writer goes about it differently. */
static size_t random_length(void)
{
    static const size_t edges[] = { 0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 300 };
    if (rnd(200) == 0) return rnd(20000);
    return edges[rnd(rnd(3) ? 15 : sizeof edges / sizeof *edges)];
}

static struct slice random_text(void)
{
    static const char *const characters[] = { "\"", "\\", "\n", "\x01", "\x1f", "\x7f", "\xc2\x80", "\xc3\xa9", "\xdf\xbf",
                                              "\xe0\xa0\x80", "\xe2\x82\xac", "\xed\x9f\xbf", "\xee\x80\x80", "\xef\xbf\xbf",
                                              "\xf0\x90\x80\x80", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf" };
    size_t n = random_length();
    uint64_t odd = rnd(2) ? 0 : 1 + rnd(20); /* of a hundred characters */
    struct buf b;
    buf_init(&b, &arena, TEXT_MAX);
    buf_reserve(&b, 1);
    while (b.n < n) {
        const char *c = characters[rnd(sizeof characters / sizeof *characters)];
        if (rnd(100) < odd && b.n + strlen(c) <= n)
            buf_bytes(&b, c, strlen(c));
        else
            buf_u8(&b, rnd(100) < odd ? 0 : (uint8_t)('!' + 2 + rnd(50))); /* neither quote nor backslash */
    }
    return buf_view(&b);
}

static struct slice random_bytes(void)
{
    size_t n = random_length();
    uint8_t *p = arena_bytes(&arena, n + 1);
    for (size_t i = 0; i < n; i++) p[i] = (uint8_t)rnd(256);
    return slice_of(p, n);
}

static struct slice random_number(void)
{
    char text[100];
    int n = 0, digits = 1 + (int)rnd(rnd(2) ? 38 : 6);
    struct num *num = arena_alloc(&arena, sizeof *num);
    if (rnd(3) == 0) text[n++] = '-';
    for (int i = 0; i < digits; i++) {
        text[n++] = (char)('0' + (rnd(3) ? rnd(10) : 0));
        if (i == 0 && rnd(3) == 0) text[n++] = '.';
    }
    if (rnd(2)) n += snprintf(text + n, 10, "e%d", (int)rnd(257) - 130);
    if (num_parse(slice_of(text, (size_t)n), num)) num_from_int64((int64_t)rnd(1000), num);
    return slice_of(num->bytes, num->n);
}

static struct slice random_value(unsigned depth);

static void put_random_set(struct buf *b, enum val_type type)
{
    struct slice members[6];
    size_t n = 1 + rnd(6);
    for (;;) {
        for (size_t i = 0; i < n; i++)
            members[i] = type == TYPE_SS ? random_text() : type == TYPE_NS ? random_number() : random_bytes();
        if (val_put_set(b, type, members, n)) return;
        n = 1; /* two were equal */
    }
}

static void put_random_map(struct buf *b, unsigned depth)
{
    struct attr attrs[12];
    size_t n = rnd(12);
    for (size_t i = 0; i < n; i++) {
        do attrs[i].name = random_text();
        while (!attrs[i].name.n);
        attrs[i].value = random_value(depth - 1);
    }
    val_put_map(b, attrs, n);
}

static struct slice random_value(unsigned depth)
{
    struct slice values[5];
    struct buf b;
    buf_init(&b, &arena, TEXT_MAX);
    switch (rnd(depth ? 16 : 12)) {
    case 0: val_put_null(&b); break;
    case 1: val_put_bool(&b, rnd(2)); break;
    case 2: val_put_binary(&b, random_bytes()); break;
    case 3: put_random_set(&b, TYPE_SS); break;
    case 4: put_random_set(&b, TYPE_NS); break;
    case 5: put_random_set(&b, TYPE_BS); break;
    case 6:
    case 7:
    case 8: val_put_number(&b, random_number()); break;
    case 12:
    case 13: {
        size_t n = rnd(6);
        for (size_t i = 0; i < n; i++) values[i] = random_value(depth - 1);
        val_put_list(&b, values, n);
        break;
    }
    case 14:
    case 15: put_random_map(&b, depth); break;
    default: val_put_string(&b, random_text());
    }
    return buf_view(&b);
}

/* ---- the tests ---- */

static void assert_same(struct slice got, struct slice expected)
{
    if (!slice_eq(got, expected)) fail_msg("got %.*s\nnot %.*s", SLICE_ARG(got), SLICE_ARG(expected));
}

/* Into a buffer that holds something, so that it ends, and grows, at other places each time. */
static struct slice written(void (*write)(struct buf *, struct slice), struct slice v)
{
    struct buf b;
    size_t before = rnd(600);
    buf_init(&b, &arena, TEXT_MAX);
    memset(buf_reserve(&b, before + 1), '.', before + 1);
    b.n = before;
    if (rnd(2)) arena_bytes(&arena, 1); /* it cannot grow where it is */
    write(&b, v);
    assert_true(b.n <= b.cap);
    for (size_t i = 0; i < before; i++) assert_int_equal(b.p[i], '.');
    return slice_of(b.p + before, b.n - before);
}

static const struct json *parsed(struct slice text)
{
    const struct json *node = json_parse(&arena, text, 1000, NULL);
    if (!node) fail_msg("not JSON: %.*s", SLICE_ARG(text));
    return node;
}

static struct slice slowly(void (*write)(struct out *, struct slice), struct slice v, bool ascii)
{
    struct out o = { .ascii = ascii };
    buf_init(&o.b, &arena, TEXT_MAX);
    write(&o, v);
    return buf_view(&o.b);
}

static void test_values_are_written_as_the_simple_writer_does_and_read_back(void **state)
{
    (void)state;
    struct err e = { .arena = &arena };
    for (int i = 0; i < ROUNDS; i++) {
        struct slice v = random_value(4), back;
        assert_true(val_check(v));
        struct slice text = written(val_to_json, v);
        assert_same(text, slowly(put_value, v, false));
        assert_int_equal(val_from_json(&arena, parsed(text), &back, &e), 0);
        assert_same(back, v);
        assert_int_equal(val_from_json(&arena, parsed(slowly(put_value, v, true)), &back, &e), 0);
        assert_same(back, v);
        if (i % 100 == 0) arena_reset(&arena);
    }
}

static void test_items_are_written_as_the_simple_writer_does_and_read_back(void **state)
{
    (void)state;
    struct err e = { .arena = &arena };
    for (int i = 0; i < ROUNDS; i++) {
        struct buf b;
        struct slice item, back;
        buf_init(&b, &arena, TEXT_MAX);
        put_random_map(&b, 4);
        item = buf_view(&b);
        assert_true(val_check(item));
        struct slice text = written(item_to_json, item);
        assert_same(text, slowly(put_members, item, false));
        assert_int_equal(item_from_json(&arena, parsed(text), &back, &e), 0);
        assert_same(back, item);
        assert_int_equal(item_from_json(&arena, parsed(slowly(put_members, item, true)), &back, &e), 0);
        assert_same(back, item);
        struct slice brief = written(item_to_json_short, item);
        assert_true(brief.n <= text.n);
        assert_int_equal(item_from_json(&arena, parsed(brief), &back, &e), 0);
        assert_same(back, item);
        if (i % 100 == 0) arena_reset(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_are_written_as_the_simple_writer_does_and_read_back),
        cmocka_unit_test(test_items_are_written_as_the_simple_writer_does_and_read_back),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
