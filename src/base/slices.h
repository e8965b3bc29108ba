/* slices.h: questions about many slices at once, in no more than n log n comparisons: a request can
 * hold a million names, and comparing each with each would hold its thread for hours. */
#ifndef OF_BASE_SLICES_H
#define OF_BASE_SLICES_H

#include "arena.h"

/* Sorts by bytes and drops what is there twice; returns how many are left. */
size_t slices_sort_unique(struct slice *list, size_t n);
/* The place of the first slice that equals an earlier one, or n if all differ. */
size_t slices_first_repeat(struct arena *a, const struct slice *list, size_t n);

#endif
