/* value.c: values: made, compared, changed, written as DynamoDB JSON. */
#include "value.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct block {
    struct block *next;
    size_t used, size;
    char bytes[];
};

void *mem_new(struct mem *m, size_t n)
{
    n = (n + 15) & ~(size_t)15;
    if (!m->blocks || m->blocks->size - m->blocks->used < n) {
        size_t size = m->blocks ? 8192 : 1008;
        if (size < n) size = n;
        struct block *b = malloc(sizeof *b + size);
        if (!b) abort();
        *b = (struct block){ m->blocks, 0, size };
        m->blocks = b;
    }
    void *p = m->blocks->bytes + m->blocks->used;
    m->blocks->used += n;
    return memset(p, 0, n);
}

void mem_free(struct mem *m)
{
    while (m->blocks) {
        struct block *next = m->blocks->next;
        free(m->blocks);
        m->blocks = next;
    }
}

char *mem_text(struct mem *m, const char *p, size_t n)
{
    char *copy = mem_new(m, n + 1);
    if (n) memcpy(copy, p, n);
    return copy;
}

static void room_for(struct text *t, size_t n)
{
    if (t->room - t->n > n) return;
    t->room = (t->n + n + 256) * 2;
    t->p = realloc(t->p, t->room);
    if (!t->p) abort();
}

void add_bytes(struct text *t, const char *p, size_t n)
{
    room_for(t, n);
    memcpy(t->p + t->n, p, n);
    t->n += n;
    t->p[t->n] = 0;
}

void add(struct text *t, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    room_for(t, (size_t)n);
    vsnprintf(t->p + t->n, t->room - t->n, fmt, again);
    va_end(again);
    t->n += (size_t)n;
}

struct val *val_empty(struct mem *m, enum type type)
{
    struct val *v = mem_new(m, sizeof *v);
    v->type = type;
    return v;
}

struct val *val_text(struct mem *m, enum type type, const char *p, size_t n)
{
    struct val *v = val_empty(m, type);
    v->s = mem_text(m, p, n);
    v->len = n;
    return v;
}

struct val *val_number(struct mem *m, int64_t hundredths)
{
    struct val *v = val_empty(m, V_N);
    v->n = hundredths;
    return v;
}

struct val *val_copy(struct mem *m, const struct val *v)
{
    struct val *copy = val_empty(m, v->type);
    copy->n = v->n;
    if (v->s) {
        copy->s = mem_text(m, v->s, v->len);
        copy->len = v->len;
    }
    for (size_t i = 0; i < v->count; i++) {
        struct val *member = val_copy(m, v->at[i]);
        if (v->names) map_set(m, copy, v->names[i], member);
        else list_add(m, copy, member);
    }
    return copy;
}

int val_order(const struct val *a, const struct val *b)
{
    if (a->type == V_N) return (a->n > b->n) - (a->n < b->n);
    size_t n = a->len < b->len ? a->len : b->len;
    int order = n ? memcmp(a->s, b->s, n) : 0;
    return order ? order : (a->len > b->len) - (a->len < b->len);
}

bool val_equal(const struct val *a, const struct val *b)
{
    if (a->type != b->type || a->count != b->count) return false;
    if (a->type == V_S || a->type == V_B) return val_order(a, b) == 0;
    if (a->type == V_N || a->type == V_BOOL) return a->n == b->n;
    for (size_t i = 0; i < a->count; i++) {
        if (a->type == V_L) {
            if (!val_equal(a->at[i], b->at[i])) return false;
        } else if (a->type == V_M) {
            const struct val *other = map_get(b, a->names[i]);
            if (!other || !val_equal(a->at[i], other)) return false;
        } else if (!list_has(b, a->at[i])) {
            return false;
        }
    }
    return true;
}

static size_t map_find(const struct val *map, const char *name)
{
    size_t i = 0;
    while (i < map->count && strcmp(map->names[i], name)) i++;
    return i;
}

struct val *map_get(const struct val *map, const char *name)
{
    size_t i = map_find(map, name);
    return i < map->count ? map->at[i] : NULL;
}

void list_add(struct mem *m, struct val *list, struct val *v)
{
    if (list->count % 8 == 0) {
        struct val **at = mem_new(m, (list->count + 8) * sizeof *at);
        if (list->count) memcpy(at, list->at, list->count * sizeof *at);
        list->at = at;
    }
    list->at[list->count++] = v;
}

void map_set(struct mem *m, struct val *map, const char *name, struct val *v)
{
    size_t i = map_find(map, name);
    if (i < map->count) {
        map->at[i] = v;
        return;
    }
    if (map->count % 8 == 0) {
        const char **names = mem_new(m, (map->count + 8) * sizeof *names);
        if (map->count) memcpy(names, map->names, map->count * sizeof *names);
        map->names = names;
    }
    map->names[map->count] = mem_text(m, name, strlen(name));
    list_add(m, map, v);
}

void list_remove(struct val *list, size_t i)
{
    list->count--;
    memmove(list->at + i, list->at + i + 1, (list->count - i) * sizeof *list->at);
}

void map_remove(struct val *map, const char *name)
{
    size_t i = map_find(map, name);
    if (i == map->count) return;
    memmove(map->names + i, map->names + i + 1, (map->count - i - 1) * sizeof *map->names);
    list_remove(map, i);
}

bool list_has(const struct val *list, const struct val *v)
{
    for (size_t i = 0; i < list->count; i++) {
        if (val_equal(list->at[i], v)) return true;
    }
    return false;
}

const char *type_name(enum type type)
{
    static const char *const names[] = { "S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS" };
    return names[type];
}

static void add_base64(struct text *t, const struct val *v)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < v->len; i += 3) {
        uint32_t bits = 0;
        size_t have = v->len - i < 3 ? v->len - i : 3;
        for (size_t k = 0; k < 3; k++) bits = bits << 8 | (k < have ? (uint8_t)v->s[i + k] : 0);
        for (size_t k = 0; k < 4; k++) add_bytes(t, k <= have ? &digits[bits >> (18 - 6 * k) & 63] : "=", 1);
    }
}

static void add_number(struct text *t, int64_t n)
{
    int64_t size = n < 0 ? -n : n;
    add(t, "%s%lld", n < 0 ? "-" : "", (long long)(size / 100));
    if (size % 100) add(t, size % 10 ? ".%02lld" : ".%lld", (long long)(size % 10 ? size % 100 : size % 100 / 10));
}

/* The strings here are of letters, digits and a few signs, so nothing needs escaping. */
static void add_bare(struct text *t, const struct val *v)
{
    if (v->type == V_N) add_number(t, v->n);
    else if (v->type == V_B) add_base64(t, v);
    else add_bytes(t, v->s, v->len);
}

void add_item(struct text *t, const struct val *map)
{
    add_bytes(t, "{", 1);
    for (size_t i = 0; i < map->count; i++) {
        add(t, "%s\"%s\":", i ? "," : "", map->names[i]);
        add_val(t, map->at[i]);
    }
    add_bytes(t, "}", 1);
}

void add_val(struct text *t, const struct val *v)
{
    add(t, "{\"%s\":", type_name(v->type));
    if (v->type == V_BOOL || v->type == V_NULL) {
        add(t, "%s", v->type == V_NULL || v->n ? "true" : "false");
    } else if (v->type == V_M) {
        add_item(t, v);
    } else if (v->type == V_L || v->type == V_SS || v->type == V_NS) {
        for (size_t i = 0; i < v->count; i++) {
            add(t, "%s", i ? "," : "[");
            if (v->type == V_L) {
                add_val(t, v->at[i]);
            } else {
                add_bytes(t, "\"", 1);
                add_bare(t, v->at[i]);
                add_bytes(t, "\"", 1);
            }
        }
        add(t, "%s]", v->count ? "" : "[");
    } else {
        add_bytes(t, "\"", 1);
        add_bare(t, v);
        add_bytes(t, "\"", 1);
    }
    add_bytes(t, "}", 1);
}
