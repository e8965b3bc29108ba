/* value_build.c: writing encoded values. */
#include "enc.h"
#include "json.h"
#include <stdlib.h>

void val_put_null(struct buf *b)
{
    buf_u8(b, VAL_NULL);
}

void val_put_bool(struct buf *b, bool v)
{
    buf_u8(b, v ? VAL_TRUE : VAL_FALSE);
}

static void put_headed(struct buf *b, enum val_tag tag, struct slice s)
{
    uint8_t *start = enc_room(b, 1 + ENC_VARINT_MAX + s.n), *p = start;
    *p++ = (uint8_t)tag;
    p = enc_write_varint(p, s.n);
    p = enc_write_bytes(p, s);
    b->n += (size_t)(p - start);
}

void val_put_string(struct buf *b, struct slice text)
{
    put_headed(b, json_needs_escape(text) ? VAL_SQ : VAL_S, text);
}

void val_put_binary(struct buf *b, struct slice bytes)
{
    put_headed(b, VAL_B, bytes);
}

void val_put_number(struct buf *b, struct slice encoded)
{
    uint8_t *p = enc_room(b, 1 + encoded.n);
    *p++ = VAL_N;
    memcpy(p, encoded.p, encoded.n);
    b->n += 1 + encoded.n;
}

static int ascending(const void *x, const void *y)
{
    return slice_cmp(*(const struct slice *)x, *(const struct slice *)y);
}

static int descending(const void *x, const void *y)
{
    return ascending(y, x);
}

bool val_put_set(struct buf *b, enum val_type set_type, struct slice *contents, size_t n)
{
    bool numbers = set_type == TYPE_NS;
    enum val_tag tag = numbers ? VAL_NS : set_type == TYPE_SS ? VAL_SS : VAL_BS;
    size_t payload = enc_varint_bytes(n);
    if (n > 1) qsort(contents, n, sizeof *contents, numbers ? descending : ascending);
    for (size_t i = 0; i < n; i++) {
        if (i && slice_eq(contents[i - 1], contents[i])) return false;
        payload += contents[i].n + (numbers ? 0 : enc_varint_bytes(contents[i].n));
    }
    uint8_t *start = enc_room(b, 1 + ENC_VARINT_MAX + payload), *p = start;
    *p++ = (uint8_t)tag;
    p = enc_write_varint(p, payload);
    p = enc_write_varint(p, n);
    for (size_t i = 0; i < n; i++) {
        if (!numbers) p = enc_write_varint(p, contents[i].n);
        p = enc_write_bytes(p, contents[i]);
    }
    b->n += (size_t)(p - start);
    return true;
}

void val_put_list(struct buf *b, const struct slice *values, size_t n)
{
    size_t payload = enc_varint_bytes(n);
    for (size_t i = 0; i < n; i++)
        payload += values[i].n;
    uint8_t *start = enc_room(b, 1 + ENC_VARINT_MAX + payload), *p = start;
    *p++ = VAL_L;
    p = enc_write_varint(p, payload);
    p = enc_write_varint(p, n);
    for (size_t i = 0; i < n; i++)
        p = enc_write_bytes(p, values[i]);
    b->n += (size_t)(p - start);
}

void val_put_map(struct buf *b, struct attr *attrs, size_t n)
{
    n = enc_sort_attrs(b->arena, attrs, n);
    size_t payload = enc_varint_bytes(n);
    for (size_t i = 0; i < n; i++)
        payload +=
            enc_varint_bytes((uint64_t)attrs[i].name.n << 1) + attrs[i].name.n + attrs[i].value.n;
    uint8_t *start = enc_room(b, 1 + ENC_VARINT_MAX + payload), *p = start;
    *p++ = VAL_M;
    p = enc_write_varint(p, payload);
    p = enc_write_varint(p, n);
    for (size_t i = 0; i < n; i++) {
        p = enc_write_varint(p, (uint64_t)attrs[i].name.n << 1 | json_needs_escape(attrs[i].name));
        p = enc_write_bytes(p, attrs[i].name);
        p = enc_write_bytes(p, attrs[i].value);
    }
    b->n += (size_t)(p - start);
}

size_t enc_open(struct buf *b, enum val_tag tag, size_t count)
{
    uint8_t *start = enc_room(b, 2 + ENC_VARINT_MAX), *p = start;
    *p++ = (uint8_t)tag;
    *p++ = 0; /* the length, if it turns out to be short */
    p = enc_write_varint(p, count);
    size_t opened = b->n + 1;
    b->n += (size_t)(p - start);
    return opened;
}

void enc_close(struct buf *b, size_t opened)
{
    size_t payload = b->n - opened - 1, more = enc_varint_bytes(payload) - 1;
    if (more) {
        buf_reserve(b, more);
        uint8_t *at = b->p + opened + 1;
        memmove(at + more, at, payload);
        b->n += more;
    }
    enc_write_varint(b->p + opened, payload);
}

struct slice val_make_string(struct arena *a, struct slice text)
{
    struct buf b;
    buf_init(&b, a, text.n + 1 + ENC_VARINT_MAX);
    val_put_string(&b, text);
    return buf_view(&b);
}

struct slice val_make_number(struct arena *a, int64_t n)
{
    struct num num;
    struct buf b;
    num_from_int64(n, &num);
    buf_init(&b, a, 1 + NUM_MAX_BYTES);
    val_put_number(&b, slice_of(num.bytes, num.n));
    return buf_view(&b);
}
