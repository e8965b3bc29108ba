/* relations.h: which entities belong to which others. A model has no word for that: it is told from what each is known by, the
 * attributes in its key. Where an order holds what a customer is known by, and is itself known by something else or more, it belongs to one
 * (one-to-many); an entity that is known by just what two others are known by is a many-to-many of those. */
#ifndef OF_MODEL_RELATIONS_H
#define OF_MODEL_RELATIONS_H

#include "model.h"

#define RELATIONS_MAX 2000 /* no more are told: nobody could look at them */

struct relation {
    const struct entity *from, *to;
    const struct entity *through; /* many-to-many: the entity between them; NULL: one-to-many */
    const struct slice *by;       /* the attributes of to (or through) that tell */
    size_t n_by;
};

/* One-to-many by from and to in the model's order, then many-to-many. */
size_t relations_find(struct arena *a, const struct model *m, const struct relation **out);
/* What an entity's attribute is called in those that belong to it: customerId where a Customer is known by id, else the same. */
struct slice relation_name(struct arena *a, struct slice entity, struct slice attribute);

#endif
