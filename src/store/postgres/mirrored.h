/* mirrored.h: the side of an update that its function sees: reads and writes on the mirror. */
#ifndef OF_STORE_POSTGRES_MIRRORED_H
#define OF_STORE_POSTGRES_MIRRORED_H

#include "mirror.h"
#include "postgres.h"

/* STORE_CONFLICT where something is not known yet: it is asked for then (mirror_want), and the function is run again. */
int mirrored_get(struct mirror *m, enum store_space space, struct slice key, struct slice *value);
int mirrored_get_many(struct mirror *m, struct store_read *reads, size_t n);
int mirrored_put(struct mirror *m, enum store_space space, struct slice key, struct slice value);
int mirrored_delete(struct mirror *m, enum store_space space, struct slice key);
int mirrored_sum(struct mirror *m, struct slice key, int64_t *sum);
int mirrored_epoch(struct mirror *m, int64_t *epoch);
int mirrored_number(struct mirror *m, struct slice series, uint64_t least, uint64_t *number);

/* The next existing key of what is left of a range, which moves on behind it. */
struct walk {
    enum store_space space;
    bool reverse;
    struct slice from, to; /* what is left; borrowed from nodes or from the range */
    bool to_end;
    bool after;            /* from itself is not meant */
    size_t limit;
};
int mirrored_next(struct mirror *m, struct walk *w, struct slice *key, struct slice *value);

#endif
