/* value.c: reading encoded values in place. */
#include "value.h"
#include "enc.h"

static const uint8_t tag_types[VAL_TAG_END] = {
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

enum val_type val_type(struct slice v)
{
    return v.n && v.p[0] < VAL_TAG_END ? (enum val_type)tag_types[v.p[0]] : TYPE_NONE;
}

const char *val_type_name(enum val_type t)
{
    return type_names[t];
}

enum val_type val_type_from_name(struct slice name)
{
    for (int t = TYPE_S; t <= TYPE_BOOL; t++)
        if (slice_eq(name, slice_str(type_names[t]))) return (enum val_type)t;
    return TYPE_NONE;
}

size_t val_encoded_length(const uint8_t *p)
{
    if (*p < VAL_N) return 1;
    if (*p == VAL_N) return 1 + num_encoded_length(p + 1);
    const uint8_t *at = p + 1;
    size_t n = (size_t)enc_take_varint(&at);
    return (size_t)(at - p) + n;
}

struct slice val_content(struct slice v)
{
    const uint8_t *p = v.p + 1;
    if (v.p[0] == VAL_N) return slice_of(p, v.n - 1);
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
    if (it->at == it->end) return false;
    bool escape;
    switch (it->type) {
    case TYPE_SS:
    case TYPE_BS:
        *value = enc_take_bytes(&it->at);
        return true;
    case TYPE_NS:
        *value = slice_of(it->at, num_encoded_length(it->at));
        break;
    case TYPE_M:
        *name = enc_take_name(&it->at, &escape);
        /* fall through */
    default:
        *value = slice_of(it->at, val_encoded_length(it->at));
    }
    it->at += value->n;
    return true;
}

bool val_get(struct slice map, struct slice name, struct slice *out)
{
    if (!map.n || map.p[0] != VAL_M) return false;
    struct val_iter it;
    val_iter_init(&it, map);
    while (it.at != it.end) {
        bool escape;
        struct slice at = enc_take_name(&it.at, &escape);
        size_t n = val_encoded_length(it.at);
        if (at.n == name.n && (at.n == 0 || memcmp(at.p, name.p, at.n) == 0)) {
            *out = slice_of(it.at, n);
            return true;
        }
        /* Names ascend: past the first letter means past the name. */
        if (at.n && name.n && at.p[0] > name.p[0]) return false;
        it.at += n;
    }
    return false;
}

bool val_at(struct slice list, size_t index, struct slice *out)
{
    if (!list.n || list.p[0] != VAL_L || index >= val_count(list)) return false;
    struct val_iter it;
    val_iter_init(&it, list);
    while (index--)
        it.at += val_encoded_length(it.at);
    *out = slice_of(it.at, val_encoded_length(it.at));
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
