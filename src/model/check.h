/* check.h: what `model check` says beyond the file itself: patterns that ask for an order which no key holds, and sample
 * data that does not fit the model. */
#ifndef OF_MODEL_CHECK_H
#define OF_MODEL_CHECK_H

#include "sample.h"

/* Adds problems to ps, in the order of their places. */
void model_check(struct arena *a, struct problems *ps, const struct model *m, const struct model_env *env);

#endif
