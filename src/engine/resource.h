/* resource.h: the resource that a ResourceArn names: a table, or a stream of one. Tags and policies
 * are asked for by ARN, and say what is wrong with one in different words. */
#ifndef OF_ENGINE_RESOURCE_H
#define OF_ENGINE_RESOURCE_H

#include "ops.h"

#define RESOURCE_NOT_OWN \
    "This action is only supported by accounts that match the resource owner\xe2\x80\x99s account."

enum resource_use { FOR_TAGS, FOR_POLICIES };

/* Borrowed from the request. */
struct resource {
    struct slice arn;
    struct slice table;  /* its name */
    struct slice stream; /* the stream's label; empty: the table itself is meant */
};

/* Reads the request's ResourceArn. Whether there is such a table is not asked. Any region is taken:
 * there is one set of tables for all (docs/differences.md). */
int resource_read(struct call *call, enum resource_use use, struct resource *out);
/* The table that is to have tags: a stream has none. In the transaction. */
int resource_table(struct call *call, struct store_txn *txn, const struct resource *r,
                   struct table **out);

#endif

