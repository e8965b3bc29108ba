/* guarded.h: work that holds what an arena's failure must not jump over: a file, a table in the server. */
#ifndef OF_CLI_BACKUP_GUARDED_H
#define OF_CLI_BACKUP_GUARDED_H

#include "../../base/arena.h"

/* What fn returns; or, where either arena runs out of memory meanwhile, EXIT_ERROR after a message, and scratch begins anew. */
int guarded(struct arena *kept, struct arena *scratch, int (*fn)(void *ctx), void *ctx);

#endif
