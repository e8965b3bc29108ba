/* counters.c: a small hash table from counter names to pending additions. */
#include "counters.h"
#include <stdlib.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#define FIRST_SLOTS 64 /* a power of two */

void counters_free(struct counters *c)
{
    free(c->v);
    free(c->slots);
    free(c->keys);
    memset(c, 0, sizeof *c);
}

void counters_clear(struct counters *c)
{
    if (c->n) memset(c->slots, 0, c->slot_count * sizeof *c->slots);
    c->n = 0;
    c->keys_n = 0;
}

/* The slot that holds the key, or the empty one where it belongs. */
static uint32_t *slot_of(const struct counters *c, uint64_t hash, struct slice key)
{
    size_t mask = c->slot_count - 1;

    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        const struct counter *e;

        if (!c->slots[i]) return &c->slots[i];
        e = &c->v[c->slots[i] - 1];
        if (e->hash == hash && slice_eq(counter_key(c, e), key)) return &c->slots[i];
    }
}

const struct counter *counters_find(const struct counters *c, struct slice key)
{
    uint32_t *slot;

    if (!c->n) return NULL;
    slot = slot_of(c, XXH3_64bits(key.p, key.n), key);
    return *slot ? &c->v[*slot - 1] : NULL;
}

static bool grow_slots(struct counters *c)
{
    size_t count = c->slot_count ? c->slot_count * 2 : FIRST_SLOTS;
    uint32_t *slots = calloc(count, sizeof *slots);

    if (!slots) return false;
    for (size_t i = 0; i < c->n; i++) {
        size_t at = c->v[i].hash & (count - 1);

        while (slots[at])
            at = (at + 1) & (count - 1);
        slots[at] = (uint32_t)i + 1;
    }
    free(c->slots);
    c->slots = slots;
    c->slot_count = count;
    return true;
}

/* Room for one more entry and its key; the table stays at most half full. */
static bool reserve(struct counters *c, size_t key_n)
{
    if (c->n == c->cap) {
        size_t cap = c->cap ? c->cap * 2 : FIRST_SLOTS / 2;
        struct counter *v = realloc(c->v, cap * sizeof *v);

        if (!v) return false;
        c->v = v;
        c->cap = cap;
    }
    if (c->keys_cap - c->keys_n < key_n) {
        size_t cap = c->keys_cap * 2 + key_n + 1024;
        uint8_t *keys = realloc(c->keys, cap);

        if (!keys) return false;
        c->keys = keys;
        c->keys_cap = cap;
    }
    return (c->n + 1) * 2 <= c->slot_count || grow_slots(c);
}

static struct counter *entry_of(struct counters *c, struct slice key)
{
    uint64_t hash = XXH3_64bits(key.p, key.n);
    uint32_t *slot;
    struct counter *e;

    if (!reserve(c, key.n)) return NULL;
    slot = slot_of(c, hash, key);
    if (*slot) return &c->v[*slot - 1];
    e = &c->v[c->n++];
    *slot = (uint32_t)c->n;
    *e = (struct counter){ .hash = hash, .at = c->keys_n, .n = key.n };
    memcpy(c->keys + c->keys_n, key.p, key.n);
    c->keys_n += key.n;
    return e;
}

bool counters_add(struct counters *c, struct slice key, int64_t delta)
{
    struct counter *e = entry_of(c, key);

    if (!e) return false;
    e->delta = counter_plus(e->delta, delta);
    return true;
}

bool counters_reset(struct counters *c, struct slice key)
{
    struct counter *e = entry_of(c, key);

    if (!e) return false;
    e->delta = 0;
    e->reset = true;
    return true;
}

bool counters_merge(struct counters *into, const struct counters *from)
{
    for (size_t i = 0; i < from->n; i++)
        if (!entry_of(into, counter_key(from, &from->v[i]))) return false;
    for (size_t i = 0; i < from->n; i++) {
        const struct counter *f = &from->v[i];
        struct counter *e = &into->v[*slot_of(into, f->hash, counter_key(from, f)) - 1];

        if (f->reset) {
            e->reset = true;
            e->delta = f->delta;
        } else {
            e->delta = counter_plus(e->delta, f->delta);
        }
    }
    return true;
}
