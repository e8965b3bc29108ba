/* keybytes.c: ordered, self-ending key bytes, see keybytes.h. */
#include "keybytes.h"

static void put_escaped(struct buf *b, struct slice s)
{
    while (s.n) {
        const uint8_t *zero = memchr(s.p, 0, s.n);
        size_t run = zero ? (size_t)(zero - s.p) : s.n;
        buf_bytes(b, s.p, run);
        if (!zero) return;
        buf_bytes(b, "\x00\xff", 2);
        s = slice_of(zero + 1, s.n - run - 1);
    }
}

void keybytes_put(struct buf *b, struct slice value)
{
    struct slice content = val_content(value);
    if (value.p[0] == VAL_N) {
        buf_slice(b, content);
        return;
    }
    buf_reserve(b, content.n + 2);
    put_escaped(b, content);
    buf_bytes(b, "\x00\x01", 2);
}

void keybytes_put_prefix(struct buf *b, struct slice value)
{
    put_escaped(b, val_content(value));
}

static bool take_number(struct arena *a, struct slice *at, struct slice *value)
{
    if (!at->n) return false;
    uint8_t stop = at->p[0] & 0x80 ? 0x00 : 0xff;
    const uint8_t *end = at->n > 1 ? memchr(at->p + 1, stop, at->n - 1) : NULL;
    if (!end) return false;
    size_t n = (size_t)(end + 1 - at->p);
    if (!num_valid(at->p, n)) return false;
    uint8_t *p = arena_bytes(a, n + 1);
    p[0] = VAL_N;
    memcpy(p + 1, at->p, n);
    *value = slice_of(p, n + 1);
    *at = slice_of(end + 1, at->n - n);
    return true;
}

static bool take_text(struct arena *a, enum val_type type, struct slice *at, struct slice *value)
{
    const uint8_t *p = at->p, *end = at->p + at->n;
    size_t escapes = 0;
    for (;; p += 2, escapes++) {
        p = p < end ? memchr(p, 0, (size_t)(end - p)) : NULL;
        if (!p || p + 1 == end) return false;
        if (p[1] == 0x01) break;
        if (p[1] != 0xff) return false;
    }
    size_t raw = (size_t)(p - at->p);
    struct slice content = slice_of(at->p, raw);
    if (escapes) {
        uint8_t *copy = arena_bytes(a, raw), *to = copy;
        for (size_t i = 0; i < raw; i++) {
            *to++ = at->p[i];
            i += at->p[i] == 0;
        }
        content = slice_of(copy, (size_t)(to - copy));
    }
    struct buf b;
    buf_init(&b, a, content.n + 16);
    buf_reserve(&b, content.n + 16);
    if (type == TYPE_S)
        val_put_string(&b, content);
    else
        val_put_binary(&b, content);
    *value = buf_view(&b);
    *at = slice_of(p + 2, at->n - raw - 2);
    return true;
}

bool keybytes_take(struct arena *a, enum val_type type, struct slice *at, struct slice *value)
{
    if (type == TYPE_N) return take_number(a, at, value);
    return (type == TYPE_S || type == TYPE_B) && take_text(a, type, at, value);
}

struct slice keybytes_after(struct arena *a, struct slice key)
{
    size_t n = key.n;
    while (n && key.p[n - 1] == 0xff)
        n--;
    uint8_t *p = arena_bytes(a, n);
    if (!n) return slice_of(p, 0);
    memcpy(p, key.p, n);
    p[n - 1]++;
    return slice_of(p, n);
}
