/* outline.h: the names that a model holds, for command lines, editors and completion. */
#ifndef OF_MODEL_OUTLINE_H
#define OF_MODEL_OUTLINE_H

#include "model.h"
#include "../base/err.h"

/* docs/json.md, "outline". */
void outline_to_json(struct arena *a, struct buf *b, const struct model *m);

/* The entity's attribute; *out is NULL for one that is not declared but allowed (an open entity). Otherwise an error
 * with the nearest name. */
int outline_attribute(struct arena *a, const struct model *m, const struct entity *en, struct slice name,
                      const struct attribute **out, struct err *e);
/* The pattern; or an error with the nearest name. */
int outline_pattern(struct arena *a, const struct model *m, struct slice name, const struct pattern **out,
                    struct err *e);
/* The attribute that an input of the pattern is compared with; an error with the nearest name if it has no such. */
int outline_input(struct arena *a, const struct pattern *p, struct slice name, const struct attribute **out,
                  struct err *e);

#endif
