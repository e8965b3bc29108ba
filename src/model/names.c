/* names.c: a hash table from name to number, open addressing, at most half full. */
#include "names.h"

uint64_t fnv64(uint64_t from, struct slice bytes)
{
    for (size_t i = 0; i < bytes.n; i++) from = (from ^ bytes.p[i]) * 0x100000001b3u;
    return from;
}

uint64_t fingerprint(uint64_t h, struct slice text)
{
    uint8_t length[8];
    for (unsigned i = 0; i < 8; i++) length[i] = (uint8_t)(text.n >> (8 * i));
    return fnv64(fnv64(h ? h : FNV64_START, slice_of(length, sizeof length)), text);
}

void names_init(struct names *t, struct arena *a, size_t n)
{
    size_t size = 8;
    while (size / 2 < n) size *= 2;
    t->slots = ARENA_ARRAY(a, struct name_slot, size);
    t->mask = size - 1;
}

static struct name_slot *slot_of(const struct names *t, struct slice name)
{
    size_t i = (size_t)fnv64(FNV64_START, name) & t->mask;
    while (t->slots[i].value && !slice_eq(t->slots[i].name, name)) i = (i + 1) & t->mask;
    return &t->slots[i];
}

bool names_add(struct names *t, struct slice name, size_t number, size_t *there)
{
    struct name_slot *s = slot_of(t, name);
    if (s->value) {
        if (there) *there = s->value - 1;
        return false;
    }
    *s = (struct name_slot){ name, number + 1 };
    return true;
}

bool names_find(const struct names *t, struct slice name, size_t *number)
{
    const struct name_slot *s = t->slots ? slot_of(t, name) : NULL;
    if (!s || !s->value) return false;
    *number = s->value - 1;
    return true;
}
