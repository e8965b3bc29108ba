/* fold_map.h: which column of which table becomes which attribute of which entity: guessed from names, or read from a
 * mapping file, which has the form that the report shows:
 *
 *   Order:
 *     from: orders                        a table; or  query: "select ... from orders join ..."  (SQLite)
 *     columns: { orderId: id, customerId: customer_id, total: total }   attribute: column
 */
#ifndef OF_MODEL_FOLD_MAP_H
#define OF_MODEL_FOLD_MAP_H

#include "source.h"

struct fold_map {
    const struct entity *entity;
    struct slice from;           /* empty: the entity has no rows in this source */
    bool query;
    struct slice *columns;       /* by attribute; empty: none */
    struct slice more;           /* the column with attributes that are not declared; empty: none */
};

/* For every entity of the model, by its number. */
int fold_map_guess(struct arena *a, const struct model *m, const struct source *s, struct fold_map **out);
int fold_map_read(struct arena *a, const struct model *m, const struct source *s, const char *path,
                  struct fold_map **out, struct err *e);
/* {"Order":{"from":...,"columns":{...},"unused":[...],"empty":[...]},...}: unused: columns that become nothing; empty:
 * attributes that no column fills. */
void fold_map_to_json(struct buf *b, const struct model *m, const struct source *s, const struct fold_map *maps);

#endif
