/* item_json_write.c: encoded values out as DynamoDB-JSON. Each value reserves its room once and is
 * copied; the encoding says which strings need escapes. */
#include "item_json.h"
#include "enc.h"

static inline uint8_t *put_lit(uint8_t *p, struct slice lit)
{
    memcpy(p, lit.p, lit.n);
    return p + lit.n;
}
#define PUT(p, lit) put_lit((p), SLICE(lit))

static void put_text(struct buf *b, struct slice text)
{
    uint8_t *start = enc_room(b, text.n + 8), *p = start;
    p = PUT(p, "{\"S\":\"");
    p = enc_write_bytes(p, text);
    p = PUT(p, "\"}");
    b->n += (size_t)(p - start);
}

static void put_number(struct buf *b, struct slice encoded)
{
    uint8_t *start = enc_room(b, NUM_MAX_TEXT + 8), *p = start;
    p = PUT(p, "{\"N\":\"");
    p += num_format(encoded, (char *)p);
    p = PUT(p, "\"}");
    b->n += (size_t)(p - start);
}

static void put_base64(struct buf *b, struct slice bytes)
{
    enc_room(b, bytes.n / 3 * 4 + 8);
    buf_u8(b, '"');
    base64_put(b, bytes);
    buf_u8(b, '"');
}

static void put_set(struct buf *b, struct slice v)
{
    struct val_iter it;
    struct slice none, member;
    char text[NUM_MAX_TEXT];
    bool more = false;
    val_iter_init(&it, v);
    buf_printf(b, "{\"%s\":[", val_type_name(it.type));
    while (val_next(&it, &none, &member)) {
        if (more) buf_u8(b, ',');
        more = true;
        if (it.type == TYPE_SS)
            json_put_string(b, member);
        else if (it.type == TYPE_BS)
            put_base64(b, member);
        else
            json_put_plain(b, slice_of(text, num_format(member, text)));
    }
    BUF_LIT(b, "]}");
}

static void put_list(struct buf *b, struct slice v)
{
    struct val_iter it;
    struct slice none, value;
    bool more = false;
    val_iter_init(&it, v);
    BUF_LIT(b, "{\"L\":[");
    while (val_next(&it, &none, &value)) {
        if (more) buf_u8(b, ',');
        more = true;
        val_to_json(b, value);
    }
    BUF_LIT(b, "]}");
}

/* Recursion is as deep as the value: see value.c. */
void val_to_json(struct buf *b, struct slice v)
{
    switch (v.p[0]) {
    case VAL_NULL:
        BUF_LIT(b, "{\"NULL\":true}");
        return;
    case VAL_FALSE:
        BUF_LIT(b, "{\"BOOL\":false}");
        return;
    case VAL_TRUE:
        BUF_LIT(b, "{\"BOOL\":true}");
        return;
    case VAL_N:
        put_number(b, val_content(v));
        return;
    case VAL_S:
        put_text(b, val_content(v));
        return;
    case VAL_SQ:
        BUF_LIT(b, "{\"S\":");
        json_put_string(b, val_content(v));
        buf_u8(b, '}');
        return;
    case VAL_B:
        BUF_LIT(b, "{\"B\":");
        put_base64(b, val_content(v));
        buf_u8(b, '}');
        return;
    case VAL_L:
        put_list(b, v);
        return;
    case VAL_M:
        BUF_LIT(b, "{\"M\":");
        item_to_json(b, v);
        buf_u8(b, '}');
        return;
    default:
        put_set(b, v);
    }
}

void item_to_json(struct buf *b, struct slice item)
{
    struct val_iter it;
    uint8_t before = '{';
    val_iter_init(&it, item);
    while (it.at != it.end) {
        bool escape;
        struct slice name = enc_take_name(&it.at, &escape);
        struct slice value = slice_of(it.at, val_encoded_length(it.at));
        it.at += value.n;
        uint8_t *p = enc_room(b, name.n + 4);
        *p++ = before;
        b->n++;
        if (escape) {
            json_put_string(b, name);
            buf_u8(b, ':');
        } else {
            *p++ = '"';
            p = enc_write_bytes(p, name);
            *p++ = '"';
            *p++ = ':';
            b->n += name.n + 3;
        }
        val_to_json(b, value);
        before = ',';
    }
    if (before == '{') buf_u8(b, '{');
    buf_u8(b, '}');
}
