/* spread.h: how a crowded hash key is spread over shards: by which attribute, and what to say of it. Lint's hot-partition and
 * the advice about a busy partition (advise.c) say the same. */
#ifndef OF_MODEL_SPREAD_H
#define OF_MODEL_SPREAD_H

#include "model.h"

#define SPREAD_COUNT 10 /* shards to begin with */

/* An attribute to spread by: one with many values, of the entity's own key, that the crowded key does not hold. Empty: there is
 * none, so all items with one such key are one item. */
struct slice spread_by(const struct access_path *p);
/* What to do, with the line to add. */
struct slice spread_advice(struct arena *a, const struct access_path *p);

#endif
