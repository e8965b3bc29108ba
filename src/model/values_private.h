/* values_private.h: how messages name values: where one stands inside its attribute, what type it should have,
 * what it is instead. */
#ifndef OF_MODEL_VALUES_PRIVATE_H
#define OF_MODEL_VALUES_PRIVATE_H

#include "values.h"

/* Where a value stands: "address", in it "lines", of that the element 2: "address.lines[2]". */
struct crumb {
    const struct crumb *up;
    struct slice name; /* p NULL: an element of a list or set */
    size_t index;
};

/* With `Entity.` before it, where en is not NULL. */
struct slice crumb_text(struct arena *a, const struct entity *en, const struct crumb *c);
const char *type_says(enum val_type t); /* "a string", "a set of numbers" */
/* A value as messages show it: "lost" in quotes, 5, true, a map. Cut after 60 bytes. */
struct slice value_says(struct arena *a, struct slice value);
struct slice text_says(struct arena *a, struct slice text); /* in quotes, cut */
/* "a date-time such as 2026-05-10T14:23:01Z" */
const char *format_says(enum time_format f);

#endif
