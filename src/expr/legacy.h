/* legacy.h: what the legacy parameters share. They predate expressions: a map of attribute name to
 * { ComparisonOperator, AttributeValueList }, or to { Value, Exists }, or to { Action, Value }. */
#ifndef OF_EXPR_LEGACY_H
#define OF_EXPR_LEGACY_H

#include "expr.h"

/* A path of one step. */
struct path legacy_path(struct arena *a, struct slice name);
/* The member, or NULL if it is absent or null. */
const struct json *legacy_member(const struct json *obj, struct slice name);
#define LEGACY_MEMBER(obj, lit) legacy_member((obj), SLICE(lit))

/* Name to condition: op with its values, all checks made. where: "queryFilter", for the error of an
 * operator that is none. */
int legacy_condition(struct arena *a, const char *where, struct slice name, struct slice op,
                     struct slice *values, size_t n, struct cond **out, struct err *e);
/* AttributeValueList, as encoded values. */
int legacy_values(struct arena *a, const struct json *list, struct slice **out, size_t *n,
                  struct err *e);

#endif
