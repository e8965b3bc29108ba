/* answer.c: reads what of_call answered: JSON as a tree, and such a tree as an item. */
#include "value.h"
#include <stdlib.h>
#include <string.h>

struct reader {
    struct mem *mem;
    const char *p, *end;
    bool bad;
};

static char peek(struct reader *r)
{
    while (r->p < r->end && (*r->p == ' ' || *r->p == '\n')) r->p++;
    if (r->p == r->end) r->bad = true;
    return r->bad ? 0 : *r->p;
}

static bool take(struct reader *r, char c)
{
    if (peek(r) != c) return false;
    r->p++;
    return true;
}

/* Escapes are kept as they are: only messages have some, and of those nobody here reads more than the type. */
static struct val *read_string(struct reader *r)
{
    const char *from = ++r->p;
    while (r->p < r->end && *r->p != '"') r->p += *r->p == '\\' ? 2 : 1;
    if (r->p >= r->end) {
        r->bad = true;
        return NULL;
    }
    return val_text(r->mem, V_S, from, (size_t)(r->p++ - from));
}

/* "-12.5" as hundredths; false: it is no number, or has more digits than any here. */
static bool read_number(const char *p, size_t n, int64_t *out)
{
    char copy[32], *end;
    if (!n || n >= sizeof copy) return false;
    memcpy(copy, p, n);
    copy[n] = 0;
    bool negative = copy[0] == '-';
    int64_t whole = strtoll(copy, &end, 10), part = 0;
    if (*end == '.') {
        const char *digits = ++end;
        part = strtoll(digits, &end, 10);
        if (end - digits == 1) part *= 10;
        if (end - digits > 2 || end == digits) return false;
    }
    *out = whole * 100 + (negative ? -part : part);
    return !*end;
}

static struct val *read_any(struct reader *r, int depth);

static struct val *read_members(struct reader *r, enum type type, char close, int depth)
{
    struct val *v = val_empty(r->mem, type);
    r->p++;
    if (take(r, close)) return v;
    do {
        struct val *name = NULL;
        if (type == V_M) {
            if (peek(r) != '"') r->bad = true;
            if (!r->bad) name = read_string(r);
            if (!take(r, ':')) r->bad = true;
        }
        struct val *member = r->bad ? NULL : read_any(r, depth + 1);
        if (r->bad) return NULL;
        if (name) map_set(r->mem, v, name->s, member);
        else list_add(r->mem, v, member);
    } while (take(r, ','));
    if (!take(r, close)) r->bad = true;
    return v;
}

static struct val *read_any(struct reader *r, int depth)
{
    char c = peek(r);
    if (depth > 64 || r->bad) {
        r->bad = true;
        return NULL;
    }
    if (c == '{') return read_members(r, V_M, '}', depth);
    if (c == '[') return read_members(r, V_L, ']', depth);
    if (c == '"') return read_string(r);
    const char *from = r->p;
    while (r->p < r->end && !strchr(",]} \n", *r->p)) r->p++;
    size_t n = (size_t)(r->p - from);
    if (c == 't' || c == 'f') {
        struct val *v = val_empty(r->mem, V_BOOL);
        v->n = c == 't';
        return v;
    }
    if (c == 'n') return val_empty(r->mem, V_NULL);
    struct val *v = val_number(r->mem, 0);
    read_number(from, n, &v->n); /* a date has more digits, and is not looked at */
    if (!n) r->bad = true;
    return v;
}

struct val *json_read(struct mem *m, const char *p, size_t n)
{
    struct reader r = { m, p, p + n, false };
    struct val *v = read_any(&r, 0);
    return r.bad || r.p != r.end ? NULL : v;
}

static struct val *from_base64(struct mem *m, const struct val *text)
{
    char *out = mem_new(m, text->len + 3);
    size_t n = 0;
    uint32_t bits = 0, have = 0;
    for (size_t i = 0; i < text->len && text->s[i] != '='; i++) {
        char c = text->s[i];
        uint32_t d = c >= 'A' && c <= 'Z' ? (uint32_t)(c - 'A') : c >= 'a' && c <= 'z' ? (uint32_t)(c - 'a' + 26)
                   : c >= '0' && c <= '9' ? (uint32_t)(c - '0' + 52) : c == '+' ? 62 : 63;
        bits = bits << 6 | d;
        have += 6;
        if (have >= 8) out[n++] = (char)(bits >> (have -= 8) & 255);
    }
    return val_text(m, V_B, out, n);
}

static struct val *value_of(struct mem *m, const struct val *json);

static struct val *bare_of(struct mem *m, enum type type, const struct val *json)
{
    if (json->type != V_S) return NULL;
    if (type == V_B) return from_base64(m, json);
    if (type == V_S) return val_text(m, V_S, json->s, json->len);
    struct val *v = val_number(m, 0);
    return read_number(json->s, json->len, &v->n) ? v : NULL;
}

static struct val *members_of(struct mem *m, enum type type, const struct val *json)
{
    struct val *out = val_empty(m, type);
    if (json->type != V_L) return NULL;
    for (size_t i = 0; i < json->count; i++) {
        struct val *v = type == V_L ? value_of(m, json->at[i]) : bare_of(m, type == V_SS ? V_S : V_N, json->at[i]);
        if (!v) return NULL;
        list_add(m, out, v);
    }
    return out;
}

static struct val *value_of(struct mem *m, const struct val *json)
{
    if (json->type != V_M || json->count != 1) return NULL;
    const struct val *inner = json->at[0];
    int type = V_S;
    while (type <= V_NS && strcmp(type_name((enum type)type), json->names[0])) type++;
    switch (type) {
    case V_S: case V_N: case V_B: return bare_of(m, (enum type)type, inner);
    case V_BOOL: return val_copy(m, inner);
    case V_NULL: return val_empty(m, V_NULL);
    case V_M: return item_of(m, inner);
    case V_L: case V_SS: case V_NS: return members_of(m, (enum type)type, inner);
    default: return NULL;
    }
}

struct val *item_of(struct mem *m, const struct val *json)
{
    struct val *item = val_empty(m, V_M);
    if (!json || json->type != V_M) return NULL;
    for (size_t i = 0; i < json->count; i++) {
        struct val *v = value_of(m, json->at[i]);
        if (!v) return NULL;
        map_set(m, item, json->names[i], v);
    }
    return item;
}
