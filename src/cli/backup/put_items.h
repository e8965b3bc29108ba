/* put_items.h: many items into one table that nobody else uses, in the largest pieces that the service takes. */
#ifndef OF_CLI_BACKUP_PUT_ITEMS_H
#define OF_CLI_BACKUP_PUT_ITEMS_H

#include "service.h"

struct put_items;

/* NULL: no memory, which was said, or will be. table: must last as long. */
struct put_items *put_items_begin(struct service *s, struct slice table);
/* Each 0, or EXIT_ERROR after a message. */
int put_items_add(struct put_items *p, struct slice item);
/* All of them are in the table; p is gone, also on failure. */
int put_items_end(struct put_items *p);
/* NULL: nothing. */
void put_items_abandon(struct put_items *p);

#endif
