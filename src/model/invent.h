/* invent.h: made-up sample data, for a model that names none: so that a designer sees what the table would hold. Never used for
 * figures: costs and measures come from data that somebody wrote. */
#ifndef OF_MODEL_INVENT_H
#define OF_MODEL_INVENT_H

#include "sample.h"

/* A few items of each entity, related to each other: attributes of one name have values of one list, so that
 * customer_1 has orders. The same each time. An entity whose rules cannot be met by guessing (a pattern) is left out. */
void sample_invent(struct arena *a, const struct model *m, const struct model_env *env, struct sample *out);

#endif
