/* write_update.h: single changes of an update: which are allowed, and what adding gives. */
#ifndef OF_MODEL_WRITE_UPDATE_H
#define OF_MODEL_WRITE_UPDATE_H

#include "write_impl.h"

/* Is the step's change number i one that the entity allows, as far as can be told without its item?
 */
int change_check(struct arena *a, const struct model *m, const struct work *k, size_t i,
                 struct err *e);
/* is + the change's value: numbers are added, sets united. */
int change_sum(struct arena *a, const struct entity *en, const struct attribute_change *c,
               struct slice is, struct slice *out, struct err *e);

#endif
