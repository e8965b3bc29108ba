/* slices.h: questions about many slices at once, in no more than n log n comparisons: a request can
 * hold a million names, and comparing each with each would hold its thread for hours. */
#ifndef OF_BASE_SLICES_H
#define OF_BASE_SLICES_H

#include "arena.h"

/* Sorts by bytes and drops what is there twice; returns how many are left. */
size_t slices_sort_unique(struct slice *list, size_t n);
/* The place of the first slice that equals an earlier one, or n if all differ. */
size_t slices_first_repeat(struct arena *a, const struct slice *list, size_t n);

/* Slices as they come, each told apart from those before it. For few: the most that will come is said at the beginning, and a
 * sender who knows how they are mixed can make each be compared with each. */
struct slices_seen {
    const struct slice **at; /* in the arena; a power of two of them, NULL where there is none */
    uint32_t mask;
};
void slices_seen_init(struct slices_seen *seen, struct arena *a, size_t most);
/* False if an equal one was there before. Borrows it. */
bool slices_seen_add(struct slices_seen *seen, const struct slice *s);

#endif
