/* raising.h: operations on a store that tell whether each was done once.
 *
 * Every update raises a number by one: in a row, in a counter, and by a row for each number. All three tell how many were done. Every view finds the
 * number in one of these places. */
#ifndef OF_TESTS_STORE_RAISING_H
#define OF_TESTS_STORE_RAISING_H

#include "fixture.h"
#include <stdatomic.h>

struct world {
    struct store *s;
    uint64_t n;          /* updates that were acknowledged */
    atomic_ullong found; /* by a view */
    atomic_uint runs;
};

struct operation {
    const char *name;
    enum { UPDATE, REFUSED, CHANGELESS, UPDATES, VIEW, VIEW_LONG, VIEWS } kind; /* REFUSED: by its own function */
    store_fn *fn;
};
extern const struct operation operations[]; /* up to one without a name */

/* Puts what the operations look for. */
void world_make(struct world *w, struct store *s);
/* The store's status; STORE_INVALID where it found something else than there is. */
int world_do(struct world *w, const struct operation *op);
/* All that was acknowledged was done, once, and nothing else. */
bool world_fits(struct world *w);

#endif
