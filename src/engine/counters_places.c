/* counters_places.c: the tables and indexes of a shard, and what all shards together say of them. */
#include "counters_impl.h"
#include <stdlib.h>

static uint32_t id_of(const struct touch *touch)
{
    const uint8_t *p = touch->key.p;
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static size_t longest_unused(const struct shard *s)
{
    size_t at = 0;
    for (size_t i = 1; i < s->n_places; i++) {
        if (s->places[i]->keys.second < s->places[at]->keys.second) at = i;
    }
    return at;
}

/* NULL: no memory. */
static struct place *new_place(struct shard *s, uint32_t id, int64_t second)
{
    size_t at = s->n_places < COUNTERS_PLACES ? s->n_places : longest_unused(s);
    if (at == s->n_places) {
        struct place *p = malloc(sizeof *p);
        if (!p) return NULL;
        s->places[s->n_places++] = p;
    }
    s->ids[at] = id;
    s->places[at]->read_halves = s->places[at]->write_halves = 0;
    top_keys_init(&s->places[at]->keys, second);
    return s->places[at];
}

void place_add(struct shard *s, const struct touch *touch, int64_t second)
{
    uint32_t id = id_of(touch);
    size_t i = 0;
    while (i < s->n_places && s->ids[i] != id) i++;
    struct place *p = i < s->n_places ? s->places[i] : new_place(s, id, second);
    if (!p) return;
    *(touch->write ? &p->write_halves : &p->read_halves) += touch->halves;
    top_keys_add(&p->keys, touch, second);
}

static void remove_place(struct shard *s, size_t i)
{
    free(s->places[i]);
    s->n_places--;
    s->places[i] = s->places[s->n_places];
    s->ids[i] = s->ids[s->n_places];
}

void places_free(struct shard *s)
{
    while (s->n_places) remove_place(s, s->n_places - 1);
}

void counters_prune(struct counters *c, bool (*alive)(void *ctx, uint32_t id), void *ctx)
{
    for (size_t n = 0; n < COUNTERS_SHARDS; n++) {
        struct shard *s = &c->shards[n];
        pthread_mutex_lock(&s->lock);
        for (size_t i = s->n_places; i-- > 0;) {
            if (!alive(ctx, s->ids[i])) remove_place(s, i);
        }
        pthread_mutex_unlock(&s->lock);
    }
}

/* ---- all shards together ---- */

static void add_rates(struct rates *to, const struct rates *r)
{
    to->reads += r->reads;
    to->writes += r->writes;
    to->read_halves += r->read_halves;
    to->write_halves += r->write_halves;
}

/* One place of one shard, copied out of its lock. */
struct copied {
    uint32_t id;
    struct place place;
};

struct gathered {
    struct busy_key *keys; /* room for those of all shards */
    size_t n;
};

static void gather_key(struct gathered *g, const struct top_key *k, int64_t second)
{
    struct busy_key *to = NULL;
    struct rates rates = rates_per_second(&k->rates, k->since, second);
    for (size_t i = 0; i < g->n && !to; i++) {
        if (top_key_same(&g->keys[i].key, k)) to = &g->keys[i];
    }
    if (!to) {
        to = &g->keys[g->n++];
        *to = (struct busy_key){ .key = *k };
    }
    add_rates(&to->rates, &rates);
    to->last += top_key_last(k, second);
}

static int by_load(const void *a, const void *b)
{
    double x = rates_load(&((const struct busy_key *)a)->rates), y = rates_load(&((const struct busy_key *)b)->rates);
    return (x < y) - (x > y);
}

static void gather_place(struct busy_place *to, const struct copied *copies, size_t n, struct busy_key *room, int64_t second)
{
    struct gathered g = { .keys = room };
    for (size_t i = 0; i < n; i++) {
        if (copies[i].id != to->id) continue;
        const struct place *p = &copies[i].place;
        struct rates rates = rates_per_second(&p->keys.rates, p->keys.since, second);
        to->read_halves += p->read_halves;
        to->write_halves += p->write_halves;
        add_rates(&to->rates, &rates);
        for (size_t k = 0; k < TOP_KEYS; k++) {
            const struct top_key *key = &p->keys.cells[k / TOP_WAYS][k % TOP_WAYS];
            if (key->weight > 0) gather_key(&g, key, second);
        }
    }
    qsort(g.keys, g.n, sizeof *g.keys, by_load);
    to->n_keys = g.n < COUNTERS_TOP ? g.n : COUNTERS_TOP;
    memcpy(to->keys, g.keys, to->n_keys * sizeof *to->keys);
}

/* The arena must not be asked while the lock is held, so how many there are is known before: more that came since are left out. */
static size_t copy_shard(struct shard *s, struct copied *copies, size_t most, int64_t second)
{
    pthread_mutex_lock(&s->lock);
    size_t n = s->n_places < most ? s->n_places : most;
    for (size_t i = 0; i < n; i++) {
        top_keys_fade(&s->places[i]->keys, second);
        copies[i].id = s->ids[i];
        copies[i].place = *s->places[i];
    }
    pthread_mutex_unlock(&s->lock);
    return n;
}

size_t counters_places(struct counters *c, struct arena *a, int64_t second, struct busy_place **out)
{
    size_t most = 0;
    for (size_t s = 0; s < COUNTERS_SHARDS; s++) {
        pthread_mutex_lock(&c->shards[s].lock);
        most += c->shards[s].n_places;
        pthread_mutex_unlock(&c->shards[s].lock);
    }
    struct copied *copies = arena_alloc(a, (most + 1) * sizeof *copies);
    struct busy_key *room = arena_alloc(a, (size_t)COUNTERS_SHARDS * TOP_KEYS * sizeof *room);
    size_t n = 0, n_places = 0;
    for (size_t s = 0; s < COUNTERS_SHARDS; s++) n += copy_shard(&c->shards[s], copies + n, most - n, second);
    struct busy_place *places = arena_zalloc(a, (n + 1) * sizeof *places);
    for (size_t i = 0; i < n; i++) {
        bool first = true;
        for (size_t k = 0; k < i; k++) first &= copies[k].id != copies[i].id;
        if (!first) continue;
        places[n_places].id = copies[i].id;
        gather_place(&places[n_places++], copies, n, room, second);
    }
    *out = places;
    return n_places;
}
