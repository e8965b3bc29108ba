/* where.h: the one small language for conditions on entities: onefold query's text, --filter, --if.
 *
 *   username = alice and postId > 01HV          values as they are, or in quotes where they hold spaces
 *   total between 10 and 20 or not (status in (open, "on hold"))
 *   begins_with(title, "Re:")  contains(tags, x)  exists(bio)  missing(bio)  size(tags) > 3
 *   createdAt since -30d   orderId on 2026-05   createdAt until today   createdAt during 2026-01 and 2026-03
 *
 * Values are read by the declared type of the attribute they are compared with. A part of a map is written
 * address.city. Words in any case; a quote in quotes is written twice. */
#ifndef OF_MODEL_WHERE_H
#define OF_MODEL_WHERE_H

#include "model.h"
#include "../base/err.h"

struct where; /* a parsed text, in an arena */

/* now: milliseconds, for dates such as -30d. Errors tell the column, and what was expected. */
int where_parse(struct arena *a, const struct entity *en, struct slice text, int64_t now, const struct where **out,
                struct err *e);
/* The same for the key attributes of the table or an index, as a key condition: comparisons joined by `and`. */
int where_parse_key(struct arena *a, const struct model_index *index, struct slice text, const struct where **out,
                    struct err *e);
/* As a DynamoDB expression: names #w0.. and values :w0.. are added to the maps under construction. */
struct expression {
    struct buf text;
    struct attr *names, *values;   /* "#w0" to VAL_S; ":w0" to value */
    size_t n_names, n_values, cap;
};
void expression_init(struct expression *x, struct arena *a);
void where_to_expression(struct arena *a, const struct where *w, struct expression *x);
/* "ExpressionAttributeNames":{...},"ExpressionAttributeValues":{...} with a leading comma each; only what there is. */
void expression_maps_to_json(struct buf *b, const struct expression *x);
/* If it is nothing but comparisons joined by `and`, as conditions of a pattern: equalities to by, the rest to where. */
bool where_to_conditions(struct arena *a, const struct where *w, struct condition **by, size_t *n_by,
                         struct condition **ranges, size_t *n_ranges);
/* Does it test this top-level attribute anywhere? */
bool where_uses(const struct where *w, struct slice attribute);

#endif
