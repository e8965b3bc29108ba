/* value.c: reading encoded values in place. */
#include "value.h"
#include "enc.h"

const uint8_t val_tag_types[VAL_TAG_END] = {
    [VAL_NULL] = TYPE_NULL, [VAL_FALSE] = TYPE_BOOL, [VAL_TRUE] = TYPE_BOOL, [VAL_N] = TYPE_N,
    [VAL_S] = TYPE_S,       [VAL_SQ] = TYPE_S,       [VAL_B] = TYPE_B,       [VAL_SS] = TYPE_SS,
    [VAL_NS] = TYPE_NS,     [VAL_BS] = TYPE_BS,      [VAL_L] = TYPE_L,       [VAL_M] = TYPE_M,
};

static const char *const type_names[] = {
    [TYPE_NONE] = "", [TYPE_S] = "S",       [TYPE_N] = "N",       [TYPE_B] = "B",
    [TYPE_SS] = "SS", [TYPE_NS] = "NS",     [TYPE_BS] = "BS",     [TYPE_M] = "M",
    [TYPE_L] = "L",   [TYPE_NULL] = "NULL", [TYPE_BOOL] = "BOOL",
};

struct enc_varint enc_long_varint(const uint8_t *p)
{
    uint64_t v = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint64_t c = *p++;
        v |= (c & 0x7f) << shift;
        if (c < 0x80) return (struct enc_varint){ v, p };
    }
}

const char *val_type_name(enum val_type t)
{
    return type_names[t];
}

enum val_type val_type_from_name(struct slice name)
{
    if (name.n == 1) {
        switch (name.p[0]) {
        case 'S': return TYPE_S;
        case 'N': return TYPE_N;
        case 'B': return TYPE_B;
        case 'M': return TYPE_M;
        case 'L': return TYPE_L;
        default: return TYPE_NONE;
        }
    }
    for (int t = TYPE_S; t <= TYPE_BOOL; t++)
        if (slice_eq(name, slice_str(type_names[t]))) return (enum val_type)t;
    return TYPE_NONE;
}

/* Behind the value at p. */
static inline const uint8_t *skip_value(const uint8_t *p)
{
    uint8_t tag = *p++;
    if (tag > VAL_N) return enc_take_end(&p);
    return tag == VAL_N ? p + num_encoded_length(p) : p;
}

size_t val_encoded_length(const uint8_t *p)
{
    return (size_t)(skip_value(p) - p);
}

struct slice val_long_content(struct slice v)
{
    const uint8_t *p = v.p + 1;
    return enc_take_bytes(&p);
}

bool val_bool(struct slice v)
{
    return v.n && v.p[0] == VAL_TRUE;
}

size_t val_count(struct slice v)
{
    if (!v.n || v.p[0] < VAL_SS) return 0;
    const uint8_t *p = v.p + 1;
    enc_take_varint(&p);
    return (size_t)enc_take_varint(&p);
}

void val_iter_init(struct val_iter *it, struct slice v)
{
    *it = (struct val_iter){ .type = val_type(v) };
    if (!v.n || v.p[0] < VAL_SS) return;
    const uint8_t *p = v.p + 1;
    size_t n = (size_t)enc_take_varint(&p);
    it->end = p + n;
    enc_take_varint(&p);
    it->at = p;
}

bool val_next(struct val_iter *it, struct slice *name, struct slice *value)
{
    const uint8_t *p = it->at;
    bool escape;
    if (p == it->end) return false;
    if (it->type == TYPE_SS || it->type == TYPE_BS) {
        *value = enc_take_bytes(&p);
        it->at = p;
        return true;
    }
    if (it->type == TYPE_M) *name = enc_take_name(&p, &escape);
    it->at = it->type == TYPE_NS ? p + num_encoded_length(p) : skip_value(p);
    *value = slice_of(p, (size_t)(it->at - p));
    return true;
}

bool val_get(struct slice map, struct slice name, struct slice *out)
{
    if (!map.n || map.p[0] != VAL_M) return false;
    const uint8_t *p = map.p + 1, *end = enc_take_end(&p);
    const uint8_t first = name.n ? name.p[0] : 0;
    enc_take_varint(&p); /* the count */
    while (p != end) {
        size_t n = (size_t)(enc_take_varint(&p) >> 1);
        if (n == name.n && (!n || (*p == first && memcmp(p, name.p, n) == 0))) {
            *out = slice_of(p + n, val_encoded_length(p + n));
            return true;
        }
        if (n && *p > first) return false; /* names ascend */
        p = skip_value(p + n);
    }
    return false;
}

bool val_at(struct slice list, size_t index, struct slice *out)
{
    if (!list.n || list.p[0] != VAL_L) return false;
    const uint8_t *p = list.p + 1;
    enc_take_varint(&p); /* the length */
    if (index >= enc_take_varint(&p)) return false;
    while (index--)
        p = skip_value(p);
    *out = slice_of(p, val_encoded_length(p));
    return true;
}

bool val_set_has(struct slice set, struct slice content)
{
    if (!set.n || set.p[0] < VAL_SS || set.p[0] > VAL_BS) return false;
    struct val_iter it;
    struct slice none, member;
    val_iter_init(&it, set);
    while (val_next(&it, &none, &member))
        if (slice_eq(member, content)) return true;
    return false;
}

int val_compare(struct slice a, struct slice b)
{
    return slice_cmp(val_content(a), val_content(b));
}

/* The recursion below is as deep as the value, which is bounded: requests are refused beyond
 * VAL_MAX_OPERAND_DEPTH, stored bytes by val_check, and an update can at most put a value of VAL_MAX_DEPTH
 * at the end of a path that is itself no deeper. */

static size_t container_size(struct slice v)
{
    struct val_iter it;
    struct slice name = { 0 }, value;
    size_t size = 3;
    val_iter_init(&it, v);
    while (val_next(&it, &name, &value))
        size += 1 + name.n + val_size(value);
    return size;
}

size_t val_size(struct slice v)
{
    struct val_iter it;
    struct slice none, member;
    size_t size = 0;
    switch (v.n ? v.p[0] : 0) {
    case VAL_NULL:
    case VAL_FALSE:
    case VAL_TRUE:
        return 1;
    case VAL_N:
        return num_size(val_content(v));
    case VAL_S:
    case VAL_SQ:
    case VAL_B:
        return val_content(v).n;
    case VAL_SS:
    case VAL_BS:
        val_iter_init(&it, v);
        while (val_next(&it, &none, &member))
            size += member.n;
        return size;
    case VAL_NS:
        val_iter_init(&it, v);
        while (val_next(&it, &none, &member))
            size += num_size(member);
        return size;
    case VAL_L:
    case VAL_M:
        return container_size(v);
    default:
        return 0;
    }
}

size_t val_item_size(struct slice item)
{
    struct val_iter it;
    struct slice name = { 0 }, value;
    size_t size = 0;
    val_iter_init(&it, item);
    while (val_next(&it, &name, &value))
        size += name.n + val_size(value);
    return size;
}

unsigned val_depth(struct slice v)
{
    if (!v.n || v.p[0] < VAL_L) return 0;
    struct val_iter it;
    struct slice name, value;
    unsigned deepest = 0;
    val_iter_init(&it, v);
    while (val_next(&it, &name, &value)) {
        unsigned d = val_depth(value);
        if (d > deepest) deepest = d;
    }
    return deepest + 1;
}
