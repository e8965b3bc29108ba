/* scratch.h: memory for one step of a long job (a page, a line, a row), given back when the step is done. */
#ifndef OF_MODEL_SCRATCH_H
#define OF_MODEL_SCRATCH_H

#include "../base/err.h"

#define SCRATCH_MAX ((size_t)256 << 20)

/* Runs step under the arena's guard and resets the arena. Running out of memory is an error in e, whose arena is another. */
int scratch_step(struct arena *a, int (*step)(void *ctx, struct arena *a, struct err *e), void *ctx, struct err *e);

#endif
