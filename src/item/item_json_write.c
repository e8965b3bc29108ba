/* item_json_write.c: encoded values out as DynamoDB-JSON, in one pass over the encoding, which says how long each thing
 * is and which strings need escapes.
 *
 * Where it writes and where it reads is handed from function to function by value, so that both stay in registers; the
 * buffer's own count is brought up to date only where something else writes to the buffer. */
#include "item_json.h"
#include "enc.h"

struct place {
    uint8_t *to;
    const uint8_t *at;
};

#define PUT(to, lit) ((uint8_t *)memcpy((to), "" lit, sizeof(lit) - 1) + sizeof(lit) - 1)

/* The buffer holds what was written up to `to`. */
static inline void settle(struct buf *b, const uint8_t *to)
{
    b->n = (size_t)(to - b->p);
}

/* Room for n bytes at `to`, which may move. */
static inline uint8_t *room(struct buf *b, uint8_t *to, size_t n)
{
    if ((size_t)(b->p + b->cap - to) >= n) return to;
    settle(b, to);
    return buf_reserve(b, n);
}

/* By a writer that knows only the buffer. */
static uint8_t *put_by(void (*put)(struct buf *, struct slice), struct buf *b, uint8_t *to, struct slice s)
{
    settle(b, to);
    put(b, s);
    return b->p + b->n;
}

static uint8_t *put_base64(struct buf *b, uint8_t *to, struct slice bytes)
{
    to = PUT(room(b, to, 1), "\"");
    to = put_by(base64_put, b, to, bytes);
    return PUT(room(b, to, 1), "\"");
}

/* There must be room for it. */
static inline struct place put_number(struct place x)
{
    size_t n = num_encoded_length(x.at);
    x.to += num_format(slice_of(x.at, n), (char *)x.to);
    x.at += n;
    return x;
}

static struct place put_member(struct buf *b, struct place x, enum val_tag set)
{
    if (set == VAL_NS) {
        x.to = PUT(room(b, x.to, NUM_MAX_TEXT + 2), "\"");
        x = put_number(x);
        x.to = PUT(x.to, "\"");
        return x;
    }
    struct slice content = enc_take_bytes(&x.at);
    x.to = set == VAL_SS ? put_by(json_put_string, b, x.to, content) : put_base64(b, x.to, content);
    return x;
}

static uint8_t *put_opening(uint8_t *to, enum val_tag tag)
{
    switch (tag) {
    case VAL_SS: return PUT(to, "{\"SS\":[");
    case VAL_NS: return PUT(to, "{\"NS\":[");
    case VAL_BS: return PUT(to, "{\"BS\":[");
    default: return PUT(to, "{\"L\":[");
    }
}

static struct place put_value(struct buf *b, struct place x);

/* A set or a list, from behind its tag. */
static struct place put_many(struct buf *b, struct place x, enum val_tag tag)
{
    const uint8_t *end = enc_take_end(&x.at);
    enc_take_varint(&x.at); /* the count */
    x.to = put_opening(room(b, x.to, 7), tag);
    while (x.at != end) {
        x = tag == VAL_L ? put_value(b, x) : put_member(b, x, tag);
        if (x.at != end) x.to = PUT(room(b, x.to, 1), ",");
    }
    x.to = PUT(room(b, x.to, 2), "]}");
    return x;
}

/* A member of a map, name and value, that is not simply copied: the name needs escapes, or the value is no plain string. */
static struct place put_attr(struct buf *b, struct place x)
{
    bool escape;
    struct slice name = enc_take_name(&x.at, &escape);
    if (escape) {
        x.to = put_by(json_put_string, b, x.to, name);
        x.to = PUT(room(b, x.to, 1), ":");
    } else {
        x.to = PUT(room(b, x.to, name.n + 3), "\"");
        x.to = PUT(enc_write_bytes(x.to, name), "\":");
    }
    return put_value(b, x);
}

/* A map's members in braces, from behind its tag. There is always room for the members that are left as if all of them were
 * plain strings: {"name":{"S":"text"}, takes no more than PLAIN bytes beside those of its encoding. */
static struct place put_map(struct buf *b, struct place x)
{
    enum { PLAIN = 12 };
    const uint8_t *end = enc_take_end(&x.at);
    size_t left = enc_take_varint(&x.at);
    x.to = PUT(room(b, x.to, 2 + (size_t)(end - x.at) + PLAIN * left), "{");
    while (x.at != end) {
        struct place from = x;
        bool escape;
        struct slice name = enc_take_name(&x.at, &escape);
        left--;
        if (!escape && *x.at == VAL_S) {
            x.at++;
            struct slice text = enc_take_bytes(&x.at);
            x.to = PUT(x.to, "\"");
            x.to = PUT(enc_write_bytes(x.to, name), "\":{\"S\":\"");
            x.to = PUT(enc_write_bytes(x.to, text), "\"}");
        } else {
            x = put_attr(b, from);
            x.to = room(b, x.to, 2 + (size_t)(end - x.at) + PLAIN * left);
        }
        if (x.at != end) *x.to++ = ',';
    }
    *x.to++ = '}';
    return x;
}

/* Recursion is as deep as the value: see value.c. */
static struct place put_value(struct buf *b, struct place x)
{
    enum val_tag tag = (enum val_tag) *x.at++;
    x.to = room(b, x.to, NUM_MAX_TEXT + 8);
    switch (tag) {
    case VAL_NULL:
        x.to = PUT(x.to, "{\"NULL\":true}");
        return x;
    case VAL_FALSE:
        x.to = PUT(x.to, "{\"BOOL\":false}");
        return x;
    case VAL_TRUE:
        x.to = PUT(x.to, "{\"BOOL\":true}");
        return x;
    case VAL_N:
        x.to = PUT(x.to, "{\"N\":\"");
        x = put_number(x);
        x.to = PUT(x.to, "\"}");
        return x;
    case VAL_S:
    case VAL_SQ: {
        struct slice text = enc_take_bytes(&x.at);
        x.to = PUT(x.to, "{\"S\":");
        x.to = put_by(tag == VAL_S ? json_put_plain : json_put_string, b, x.to, text);
        break;
    }
    case VAL_B: {
        struct slice bytes = enc_take_bytes(&x.at);
        x.to = put_base64(b, PUT(x.to, "{\"B\":"), bytes);
        break;
    }
    case VAL_M:
        x.to = PUT(x.to, "{\"M\":");
        x = put_map(b, x);
        break;
    default:
        return put_many(b, x, tag);
    }
    x.to = PUT(room(b, x.to, 1), "}");
    return x;
}

void val_to_json(struct buf *b, struct slice value)
{
    struct place x = { buf_reserve(b, 1), value.p };
    settle(b, put_value(b, x).to);
}

void item_to_json(struct buf *b, struct slice item)
{
    struct place x = { buf_reserve(b, 1), item.p + 1 };
    settle(b, put_map(b, x).to);
}
