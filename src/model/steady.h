/* steady.h: generated identifiers for load and fold. A run that is stopped between writing a batch and marking it writes
 * those rows again; with new identifiers they would be there twice. So identifiers follow from the run and the row. */
#ifndef OF_MODEL_STEADY_H
#define OF_MODEL_STEADY_H

#include "entity.h"
#include "marker.h"

/* Gives the attributes that generate a ulid or uuid and are not there. place: the line or row. */
int steady_fill(struct arena *a, const struct entity *en, const struct model_env *env, struct marker *run,
                uint64_t place, struct slice *attributes, struct err *e);

#endif
