/* finish.h: what a table still lacks when its items are there: indexes and settings. A definition is that of definition.h. */
#ifndef OF_CLI_BACKUP_FINISH_H
#define OF_CLI_BACKUP_FINISH_H

#include "service.h"

/* Only when the items are there: one that an index cannot hold is left out by an index that is made later, and refused by one that is there.
 * there: the table's description, whose indexes are not made again; NULL: it has none. */
int finish_indexes(struct service *s, const struct json *create, struct slice target, const struct json *there);
/* With the mark of a table that is not finished taken away at the end. */
int finish_settings(struct service *s, const struct json *definition, struct slice target, struct slice arn);
/* Of a table that is kept after a failure, which was said; also after an interruption. Where it fails, too, there is nothing to add. */
void finish_unmark(struct service *s, struct slice arn);

#endif
