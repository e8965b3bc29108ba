/* names.h: which number a name has. A hash table of known size in an arena; private to the model's reader and its
 * lookups. */
#ifndef OF_MODEL_NAMES_H
#define OF_MODEL_NAMES_H

#include "../base/arena.h"

struct name_slot {
    struct slice name;
    size_t value; /* the number plus 1; 0: free */
};

struct names {
    struct name_slot *slots;
    size_t mask;
};

/* For at most n names. */
void names_init(struct names *t, struct arena *a, size_t n);
/* False, and *there the number it has, if the name is there already. Names are borrowed. */
bool names_add(struct names *t, struct slice name, size_t number, size_t *there);
bool names_find(const struct names *t, struct slice name, size_t *number);

/* FNV-1a, 64 bits; for fingerprints too, which continue from an earlier value. */
#define FNV64_START 0xcbf29ce484222325u
uint64_t fnv64(uint64_t from, struct slice bytes);
/* Of several texts, one after the other, kept apart by their lengths. h: 0 to begin with. */
uint64_t fingerprint(uint64_t h, struct slice text);

#endif
