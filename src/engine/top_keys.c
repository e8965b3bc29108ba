/* top_keys.c: the sketch of busy partition keys. */
#include "top_keys.h"

enum { KEY_HEAD = 8 }; /* id and hash before the partition key */
#define FADE 0.93303299153680741 /* what is left after a second: 2 to the power of -1/10 */

static double fade_after(int64_t seconds)
{
    double left = 1, power = FADE;
    for (; seconds > 0 && left > 1e-30; seconds /= 2) {
        if (seconds % 2) left *= power;
        power *= power;
    }
    return left;
}

double rates_load(const struct rates *r)
{
    return ((double)r->read_halves + 3 * (double)r->write_halves) / 2;
}

void top_keys_init(struct top_keys *t, int64_t second)
{
    memset(t, 0, sizeof *t);
    t->second = t->since = second;
}

static void scale(struct rates *r, float by)
{
    r->reads *= by;
    r->writes *= by;
    r->read_halves *= by;
    r->write_halves *= by;
}

void top_keys_fade(struct top_keys *t, int64_t second)
{
    if (second <= t->second) return;
    float by = (float)fade_after(second - t->second);
    t->second = second;
    scale(&t->rates, by);
    for (size_t i = 0; i < TOP_KEYS; i++) {
        struct top_key *k = &t->cells[i / TOP_WAYS][i % TOP_WAYS];
        k->weight *= by;
        scale(&k->rates, by);
    }
}

struct rates rates_per_second(const struct rates *r, int64_t since, int64_t now)
{
    /* A steady rate of 1 for `age` seconds has become the sum of a falling series. */
    int64_t age = now > since ? now - since : 1;
    struct rates out = *r;
    scale(&out, (float)((1 - FADE) / (1 - fade_after(age))));
    return out;
}

static void count(struct rates *r, const struct touch *touch)
{
    if (touch->write) {
        r->writes += 1;
        r->write_halves += (float)touch->halves;
    } else {
        r->reads += 1;
        r->read_halves += (float)touch->halves;
    }
}

/* FNV-1a. */
static uint32_t hash_of(const uint8_t *p, size_t n)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < n; i++) h = (h ^ p[i]) * 16777619u;
    return h;
}

/* The partition key's bytes in a key of the store: as many { n part } as it has. */
static struct slice partition_bytes(struct slice key, unsigned parts)
{
    size_t at = KEY_HEAD;
    while (parts-- && at < key.n) {
        size_t n = 0;
        unsigned shift = 0;
        uint8_t byte;
        do {
            byte = key.p[at++];
            n |= (size_t)(byte & 0x7f) << shift;
            shift += 7;
        } while (byte & 0x80 && at < key.n && shift < 28);
        at += n;
    }
    return slice_of(key.p + KEY_HEAD, (at < key.n ? at : key.n) - KEY_HEAD);
}

static bool is_key(const struct top_key *k, uint32_t hash, struct slice bytes)
{
    if (k->hash != hash || k->length != bytes.n) return false;
    if (bytes.n <= TOP_KEY_BYTES) return memcmp(k->bytes, bytes.p, bytes.n) == 0;
    return memcmp(k->bytes, bytes.p, TOP_KEY_BYTES) == 0 &&
           k->tail == hash_of(bytes.p + TOP_KEY_BYTES, bytes.n - TOP_KEY_BYTES);
}

bool top_key_same(const struct top_key *a, const struct top_key *b)
{
    size_t kept = a->length < TOP_KEY_BYTES ? a->length : TOP_KEY_BYTES;
    return a->hash == b->hash && a->tail == b->tail && a->length == b->length && memcmp(a->bytes, b->bytes, kept) == 0;
}

/* Gives the cell to another key; the weight stays. */
static void take_over(struct top_key *k, uint32_t hash, struct slice bytes, unsigned parts, int64_t second)
{
    bool longer = bytes.n > TOP_KEY_BYTES;
    *k = (struct top_key){ .hash = hash, .length = (uint16_t)bytes.n, .parts = (uint8_t)parts, .since = second, .second = second,
                           .weight = k->weight };
    if (longer) k->tail = hash_of(bytes.p + TOP_KEY_BYTES, bytes.n - TOP_KEY_BYTES);
    memcpy(k->bytes, bytes.p, longer ? TOP_KEY_BYTES : bytes.n);
}

static struct top_key *cell_of(struct top_keys *t, const struct touch *touch)
{
    const uint8_t *p = touch->key.p + 4;
    uint32_t hash = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    struct slice bytes = partition_bytes(touch->key, touch->parts);
    struct top_key *set = t->cells[hash >> 28], *least = set;
    for (size_t i = 0; i < TOP_WAYS; i++) {
        if (set[i].weight > 0 && is_key(&set[i], hash, bytes)) return &set[i];
        if (set[i].weight < least->weight) least = &set[i];
    }
    take_over(least, hash, bytes, touch->parts, t->second);
    return least;
}

void top_keys_add(struct top_keys *t, const struct touch *touch, int64_t second)
{
    top_keys_fade(t, second);
    count(&t->rates, touch);
    if (!touch->parts || touch->key.n < KEY_HEAD) return;
    struct top_key *k = cell_of(t, touch);
    uint32_t load = touch->halves * (touch->write ? 3 : 1);
    k->weight += (float)load;
    count(&k->rates, touch);
    if (k->second != t->second) {
        k->last = k->second == t->second - 1 ? k->newest : 0;
        k->newest = 0;
        k->second = t->second;
    }
    k->newest += load;
}

double top_key_last(const struct top_key *k, int64_t now)
{
    uint32_t halves = k->second == now ? k->last : k->second == now - 1 ? k->newest : 0;
    return halves / 2.0;
}
