/* sizes.h: how many rows of a range to ask for at first.
 *
 * Who reads a range says at most how many rows it will take, but most take about a megabyte: a page, a step of a job. Rows may have a hundred bytes or
 * four hundred thousand. So it is remembered how large they were that were read last in the same place (the first eight bytes of keys: a partition, a
 * shard of a stream), or else in the same table. It is a guess, and right or wrong nothing but time depends on it. */
#ifndef OF_STORE_POSTGRES_SIZES_H
#define OF_STORE_POSTGRES_SIZES_H

#include "rows.h"
#include <stdatomic.h>

#define SIZES_SLOTS 4096

struct sizes {
    atomic_uchar slots[SIZES_SLOTS]; /* binary logarithms of bytes, and one more; 0: not known */
};

/* from: of the range. limit: the most its reader takes; 0: not known. */
size_t sizes_rows(struct sizes *z, enum store_space space, struct slice from, size_t limit);
void sizes_seen(struct sizes *z, enum store_space space, struct slice from, const struct row *rows, size_t n);
/* The same from the rows themselves, when some have come. */
size_t sizes_next(const struct row *rows, size_t n, size_t limit);

#endif
