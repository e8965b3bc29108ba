/* value.c: reading attribute values. */
#include "lib.h"
#include <stdlib.h>

static struct slice bytes_of(of_value v)
{
    return slice_of(v.p, v.n);
}

/* A set keeps its members without tags. */
static struct slice content_of(of_value v)
{
    return v.member_of ? bytes_of(v) : val_content(bytes_of(v));
}

static of_value value_of(struct slice s)
{
    return (of_value){ s.p, s.n, 0 };
}

of_type of_value_type(of_value v)
{
    switch (v.member_of) {
    case OF_STRING_SET: return OF_STRING;
    case OF_NUMBER_SET: return OF_NUMBER;
    case OF_BINARY_SET: return OF_BINARY;
    default: return v.n ? (of_type)val_type(bytes_of(v)) : OF_NONE; /* the enums list types alike */
    }
}

_Static_assert((int)OF_STRING == (int)TYPE_S && (int)OF_NUMBER == (int)TYPE_N &&
                   (int)OF_BINARY == (int)TYPE_B && (int)OF_STRING_SET == (int)TYPE_SS &&
                   (int)OF_NUMBER_SET == (int)TYPE_NS && (int)OF_BINARY_SET == (int)TYPE_BS &&
                   (int)OF_MAP == (int)TYPE_M && (int)OF_LIST == (int)TYPE_L &&
                   (int)OF_NULL == (int)TYPE_NULL && (int)OF_BOOL == (int)TYPE_BOOL,
               "of_type follows val_type");

const char *of_value_bytes(of_value v, size_t *len)
{
    of_type t = of_value_type(v);
    struct slice s = { NULL, 0 };
    if (t == OF_STRING || t == OF_BINARY) s = content_of(v);
    if (len) *len = s.n;
    return (const char *)s.p;
}

size_t of_value_number(of_value v, char text[OF_NUMBER_TEXT_MAX])
{
    _Static_assert(OF_NUMBER_TEXT_MAX >= NUM_MAX_TEXT, "room for any number");
    text[0] = 0;
    if (of_value_type(v) != OF_NUMBER) return 0;
    size_t n = num_format(content_of(v), text);
    text[n] = 0;
    return n;
}

bool of_value_int(of_value v, int64_t *out)
{
    return of_value_type(v) == OF_NUMBER && num_to_int64(content_of(v), out);
}

bool of_value_double(of_value v, double *out)
{
    char text[OF_NUMBER_TEXT_MAX];
    if (!of_value_number(v, text)) return false;
    *out = strtod(text, NULL);
    return true;
}

bool of_value_bool(of_value v)
{
    return of_value_type(v) == OF_BOOL && val_bool(bytes_of(v));
}

size_t of_value_count(of_value v)
{
    return v.n && !v.member_of ? val_count(bytes_of(v)) : 0;
}

bool of_value_get(of_value map, const char *name, ptrdiff_t name_len, of_value *out)
{
    struct slice found;
    if (of_value_type(map) != OF_MAP || !val_get(bytes_of(map), lib_text(name, name_len), &found)) return false;
    *out = value_of(found);
    return true;
}

bool of_value_at(of_value list, size_t index, of_value *out)
{
    struct slice found;
    if (of_value_type(list) != OF_LIST || !val_at(bytes_of(list), index, &found)) return false;
    *out = value_of(found);
    return true;
}

of_iter of_iter_of(of_value v)
{
    of_iter out = { .type = OF_NONE };
    of_type t = of_value_type(v);
    bool container = t == OF_MAP || t == OF_LIST || t == OF_STRING_SET || t == OF_NUMBER_SET ||
                     t == OF_BINARY_SET;
    if (!container) return out;
    struct val_iter it;
    val_iter_init(&it, bytes_of(v));
    out.at = it.at;
    out.end = it.end;
    out.type = (int)it.type;
    return out;
}

bool of_iter_next(of_iter *it)
{
    if (it->type == OF_NONE) return false;
    struct val_iter inner = { it->at, it->end, (enum val_type)it->type };
    struct slice name = { NULL, 0 }, value;
    if (!val_next(&inner, &name, &value)) return false;
    it->at = inner.at;
    it->name = (const char *)name.p;
    it->name_len = name.n;
    bool in_set = it->type != OF_MAP && it->type != OF_LIST;
    it->value = (of_value){ value.p, value.n, in_set ? it->type : 0 };
    return true;
}
