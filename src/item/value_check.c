/* value_check.c: is this run of bytes a value? Trusts nothing: every length is checked against what
 * is left before it is used. */
#include "enc.h"
#include "json.h"

struct cursor {
    const uint8_t *at, *end;
};

static size_t left(const struct cursor *c)
{
    return (size_t)(c->end - c->at);
}

/* Lengths are bounded by the bytes at hand, so anything over 9 bytes (63 bits) is nonsense; a last
 * byte of 0 would be a longer form of a shorter one. */
static bool take_varint(struct cursor *c, uint64_t *v)
{
    *v = 0;
    for (unsigned shift = 0; shift < 63 && c->at < c->end; shift += 7) {
        uint8_t byte = *c->at++;
        *v |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) return byte || !shift;
    }
    return false;
}

static bool take_bytes(struct cursor *c, struct slice *s)
{
    uint64_t n;
    if (!take_varint(c, &n) || n > left(c)) return false;
    *s = slice_of(c->at, (size_t)n);
    c->at += n;
    return true;
}

static bool take_number(struct cursor *c, struct slice *s)
{
    if (c->at == c->end) return false;
    uint8_t stop = *c->at & 0x80 ? 0x00 : 0xff;
    size_t n = 1, most = left(c) < NUM_MAX_BYTES ? left(c) : NUM_MAX_BYTES;
    while (n < most && c->at[n] != stop)
        n++;
    if (n == most || !num_valid(c->at, n + 1)) return false;
    *s = slice_of(c->at, n + 1);
    c->at += n + 1;
    return true;
}

static bool check_text(struct slice s, bool escape)
{
    return utf8_valid(s) && json_needs_escape(s) == escape;
}

static bool check_set(enum val_tag tag, struct cursor *c, uint64_t count)
{
    struct slice last = { 0 }, member;
    if (count == 0) return false;
    for (uint64_t i = 0; i < count; i++) {
        if (!(tag == VAL_NS ? take_number(c, &member) : take_bytes(c, &member))) return false;
        if (tag == VAL_SS && !utf8_valid(member)) return false;
        int order = i ? slice_cmp(last, member) : 0;
        if (i && (tag == VAL_NS ? order <= 0 : order >= 0)) return false;
        last = member;
    }
    return true;
}

static bool check_value(struct cursor *c, unsigned depth);

static bool check_members(enum val_tag tag, struct cursor *c, uint64_t count, unsigned depth)
{
    struct slice last = { 0 };
    if (depth == 0) return false;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t head;
        if (tag == VAL_M) {
            if (!take_varint(c, &head) || head >> 1 > left(c)) return false;
            struct slice name = slice_of(c->at, (size_t)(head >> 1));
            if (!check_text(name, head & 1) || (i && slice_cmp(last, name) >= 0)) return false;
            c->at += name.n;
            last = name;
        }
        if (!check_value(c, depth - 1)) return false;
    }
    return true;
}

/* Recursion ends at the depth given. */
static bool check_value(struct cursor *c, unsigned depth)
{
    struct slice s;
    uint64_t count;
    if (c->at == c->end) return false;
    enum val_tag tag = (enum val_tag) * c->at++;
    switch (tag) {
    case VAL_NULL:
    case VAL_FALSE:
    case VAL_TRUE:
        return true;
    case VAL_N:
        return take_number(c, &s);
    case VAL_S:
    case VAL_SQ:
        return take_bytes(c, &s) && check_text(s, tag == VAL_SQ);
    case VAL_B:
        return take_bytes(c, &s);
    case VAL_SS:
    case VAL_NS:
    case VAL_BS:
    case VAL_L:
    case VAL_M:
        if (!take_bytes(c, &s)) return false;
        struct cursor inner = { s.p, s.p + s.n };
        if (!take_varint(&inner, &count)) return false;
        bool good =
            tag < VAL_L ? check_set(tag, &inner, count) : check_members(tag, &inner, count, depth);
        return good && inner.at == inner.end;
    default:
        return false;
    }
}

bool val_check(struct slice v)
{
    if (!v.n) return false;
    struct cursor c = { v.p, v.p + v.n };
    return check_value(&c, VAL_MAX_DEPTH) && c.at == c.end;
}
