/* check_names.h: whose a row of a store is, in the words of `onefold check`: its table, its index, its key. For `onefold copy`. */
#ifndef OF_ENGINE_CHECK_NAMES_H
#define OF_ENGINE_CHECK_NAMES_H

#include "check.h"

struct check_names;

/* Reads the catalog; of one that cannot be read nothing is known, and keys are told in hexadecimal digits. NULL: no memory. */
struct check_names *check_names_open(struct store *store);
void check_names_close(struct check_names *n);
/* Calls tell once, with `what` as what is wrong. */
void check_names_tell(struct check_names *n, enum store_space space, struct slice key, const char *what,
                      void (*tell)(void *ctx, const struct check_finding *f), void *ctx);

#endif
