/* credentials.c: looking an access key up, the signing keys that are kept with it, and replacing the whole set. */
#include "credentials_private.h"
#include <stdlib.h>

static uint64_t hash(struct slice s)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < s.n; i++) h = (h ^ s.p[i]) * 0x100000001b3u;
    return h ^ h >> 32;
}

uint32_t *credentials_slot(const struct credentials *c, struct slice access_key)
{
    size_t at = hash(access_key) & (c->n_slots - 1);
    while (c->slots[at] && !slice_eq(c->entries[c->slots[at] - 1]->who.access_key, access_key)) at = (at + 1) & (c->n_slots - 1);
    return &c->slots[at];
}

size_t credentials_count(const struct credentials *c)
{
    return c->n;
}

const struct identity *credentials_find(const struct credentials *c, struct slice access_key)
{
    uint32_t found = *credentials_slot(c, access_key);
    return found ? &c->entries[found - 1]->who : NULL;
}

void credentials_release(struct credentials *c)
{
    if (!c || __atomic_sub_fetch(&c->holds, 1, __ATOMIC_ACQ_REL)) return;
    for (size_t i = 0; i < c->n; i++) pthread_mutex_destroy(&c->entries[i]->lock);
    arena_wipe(&c->arena);
    arena_free(&c->arena);
    free(c);
}

/* ---- signing keys ---- */

static bool is_kept(const struct signing_key *k, struct slice day, struct slice region, struct slice service)
{
    return k->service_n && slice_eq(slice_of(k->day, sizeof k->day), day) && slice_eq(slice_of(k->region, k->region_n), region) &&
           slice_eq(slice_of(k->service, k->service_n), service);
}

static void derive(struct slice secret, struct slice day, struct slice region, struct slice service, struct hmac_key *out)
{
    uint8_t sum[SHA256_BYTES], first[4 + 256];
    const struct slice steps[] = { day, region, service, SLICE("aws4_request") };
    memcpy(first, "AWS4", 4);
    memcpy(first + 4, secret.p, secret.n); /* credentials_read sees to its length */
    struct slice key = slice_of(first, 4 + secret.n);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        hmac_sha256(key, steps[i], sum);
        key = slice_of(sum, sizeof sum);
    }
    hmac_key_make(out, key);
    explicit_bzero(first, sizeof first);
    explicit_bzero(sum, sizeof sum);
}

void credentials_signing_key(struct credentials *c, const struct identity *who, struct slice day, struct slice region,
                             struct slice service, struct hmac_key *out)
{
    struct entry *e = (struct entry *)(uintptr_t)who;
    (void)c; /* whose hold keeps the entry alive */
    bool found = false;
    pthread_mutex_lock(&e->lock);
    for (size_t i = 0; i < KEPT_SIGNING_KEYS && !found; i++) {
        found = is_kept(&e->kept[i], day, region, service);
        if (found) *out = e->kept[i].key;
    }
    pthread_mutex_unlock(&e->lock);
    if (found) return;
    derive(who->secret, day, region, service, out);
    struct signing_key made = { 0 };
    if (day.n != sizeof made.day || region.n > sizeof made.region || service.n > sizeof made.service || !service.n) return;
    made.key = *out;
    memcpy(made.day, day.p, day.n);
    memcpy(made.region, region.p, region.n);
    memcpy(made.service, service.p, service.n);
    made.region_n = (uint8_t)region.n;
    made.service_n = (uint8_t)service.n;
    pthread_mutex_lock(&e->lock);
    e->kept[e->next++ % KEPT_SIGNING_KEYS] = made;
    pthread_mutex_unlock(&e->lock);
    explicit_bzero(&made, sizeof made);
}

/* ---- the newest set ---- */

void keyring_init(struct keyring *k, struct credentials *first)
{
    pthread_mutex_init(&k->lock, NULL);
    k->now = first;
}

struct credentials *keyring_hold(struct keyring *k)
{
    pthread_mutex_lock(&k->lock);
    struct credentials *c = k->now;
    __atomic_add_fetch(&c->holds, 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&k->lock);
    return c;
}

void keyring_replace(struct keyring *k, struct credentials *next)
{
    pthread_mutex_lock(&k->lock);
    struct credentials *before = k->now;
    k->now = next;
    pthread_mutex_unlock(&k->lock);
    credentials_release(before);
}

void keyring_end(struct keyring *k)
{
    credentials_release(k->now);
    pthread_mutex_destroy(&k->lock);
}
