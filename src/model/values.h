/* values.h: an entity's attribute values: plain JSON, YAML and command-line text to encoded values by the
 * attribute's declared type, back to plain JSON, and the rules an attribute states.
 *
 * Plain JSON: strings, numbers (literals keep all 38 digits), booleans, lists, maps; a set is an array, a binary
 * is base64, where the attribute says so. Without a declared attribute a value is what its JSON type says. */
#ifndef OF_MODEL_VALUES_H
#define OF_MODEL_VALUES_H

#include "model.h"
#include "../base/err.h"
#include "../item/json.h"

/* attribute may be NULL (undeclared). Errors name the attribute and what was expected. */
int value_from_node(struct arena *a, const struct attribute *at, const struct node *n, struct slice *out,
                    struct err *e);
int value_from_plain(struct arena *a, const struct attribute *at, struct slice name, const struct json *n,
                     struct slice *out, struct err *e);
/* Text as typed after name=: a string as it is; numbers, true/false; JSON for lists, maps and sets; base64. */
int value_from_text(struct arena *a, const struct attribute *at, struct slice name, struct slice text,
                    struct slice *out, struct err *e);
void value_to_plain(struct buf *b, struct slice value);
/* An item as an object of plain JSON. */
void item_to_plain(struct buf *b, struct slice item);

/* The rules: type, enum, pattern, min/max, format, members. "Order.total: must be at least 0, but is -1". */
int value_check(const struct entity *en, const struct attribute *at, struct slice value, struct err *e);

#endif
