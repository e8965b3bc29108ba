/* cursor.h: cursors: of views over chunks of rows, of updates over the mirror. */
#ifndef OF_STORE_POSTGRES_CURSOR_H
#define OF_STORE_POSTGRES_CURSOR_H

#include "postgres.h"

int pg_range_open(struct store_txn *t, const struct store_range *r, struct store_cursor **out);
int pg_range_next(struct store_cursor *c, struct slice *key, struct slice *value);
int pg_range_each(struct store_cursor *c, store_value_fn *fn, void *ctx);
void pg_range_close(struct store_cursor *c);

#endif
