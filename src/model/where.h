/* where.h: the one small language for conditions on entities: onefold query's text, --filter, --if.
 *
 *   username = alice and postId > 01HV          values as they are, or in quotes where they hold spaces
 *   total between 10 and 20 or not (status in (open, "on hold"))
 *   begins_with(title, "Re:")  contains(tags, x)  exists(bio)  missing(bio)
 *
 * Values are read by the declared type of the attribute they are compared with. */
#ifndef OF_MODEL_WHERE_H
#define OF_MODEL_WHERE_H

#include "model.h"
#include "../base/err.h"

struct where; /* a parsed text, in an arena */

int where_parse(struct arena *a, const struct entity *en, struct slice text, const struct where **out,
                struct err *e);
/* As a DynamoDB expression: names #w0.. and values :w0.. are added to the maps under construction. */
struct expression {
    struct buf text;
    struct attr *names, *values;   /* "#w0" to VAL_S; ":w0" to value */
    size_t n_names, n_values, cap;
};
void where_to_expression(struct arena *a, const struct where *w, struct expression *x);
/* If it is nothing but comparisons joined by `and`, as conditions of a pattern: equalities to by, the rest to where. */
bool where_to_conditions(struct arena *a, const struct where *w, struct condition **by, size_t *n_by,
                         struct condition **ranges, size_t *n_ranges);

#endif
