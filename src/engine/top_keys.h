/* top_keys.h: which partition keys of a table or an index are asked for most at present, in fixed memory.
 *
 * A sketch of the space-saving kind: 128 cells, and a key that has none takes over the cell of the least busy key, with that
 * one's weight, so that a busy key cannot be kept out by many idle ones. The cells are 16 sets of 8; a key's hash says in which
 * set it belongs, so finding it and finding whom to replace are eight comparisons. Each set is a space-saving sketch of the
 * keys that fall into it: a key with more than an eighth of its set's traffic always has a cell, which is one with about a
 * hundredth of all traffic.
 *
 * Everything in it fades with a half-life of ten seconds: it is about now. A key's own figures begin when it gets a cell; what
 * it took over from the one before counts only when it is decided who is replaced.
 *
 * Not locked: whoever has one sees to that (counters.c). */
#ifndef OF_ENGINE_TOP_KEYS_H
#define OF_ENGINE_TOP_KEYS_H

#include "tally.h"

#define TOP_SETS      16
#define TOP_WAYS      8
#define TOP_KEYS      (TOP_SETS * TOP_WAYS)
#define TOP_KEY_BYTES 64 /* of a longer key these are kept, and a hash of the rest */

/* Per second, or (inside) what has been counted and is fading. */
struct rates {
    float reads, writes;           /* of items, queries count once */
    float read_halves, write_halves; /* of units */
};

/* A partition of DynamoDB gives 3,000 read or 1,000 write units a second: the load of one read unit is 1, of one write unit 3. */
#define TOP_PARTITION_LOAD 3000.0
double rates_load(const struct rates *r);

struct top_key {
    uint32_t hash, tail; /* of the key (partition_hash.h); of what is not kept of it */
    uint16_t length;     /* of the key's bytes */
    uint8_t parts;
    uint8_t bytes[TOP_KEY_BYTES]; /* { n part }..., as in the store */
    int64_t since;       /* the second in which it got its cell */
    float weight;        /* with what it took over; decides who is replaced. 0: an empty cell */
    struct rates rates;
    int64_t second;      /* of newest */
    uint32_t newest, last; /* load in that second, and in the one before it */
};

struct top_keys {
    int64_t second, since;
    struct rates rates;  /* of all keys, and of Scans */
    struct top_key cells[TOP_SETS][TOP_WAYS];
};

void top_keys_init(struct top_keys *t, int64_t second);
void top_keys_add(struct top_keys *t, const struct touch *touch, int64_t second);
/* Lets it fade to the given second. */
void top_keys_fade(struct top_keys *t, int64_t second);

/* What has faded for so long, as a rate. */
struct rates rates_per_second(const struct rates *r, int64_t since, int64_t now);
/* Load of the last whole second. */
double top_key_last(const struct top_key *k, int64_t now);
bool top_key_same(const struct top_key *a, const struct top_key *b);

#endif
