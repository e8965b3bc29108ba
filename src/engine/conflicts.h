/* conflicts.h: `serve --conflicts dynamodb`: requests that overlap a transaction under way fail, as they do on DynamoDB.
 *
 * Without it requests are executed one after the other and all succeed. With it there is a registry of the items that calls have
 * in hand, from binding until they are durable or have failed:
 *
 *   PutItem, UpdateItem, DeleteItem, a batch's write   is refused an item that a TransactWriteItems has
 *   TransactWriteItems                                 likewise; and a token that another one has
 *   TransactGetItems                                   is refused an item that any write has; claims nothing itself
 *   PartiQL's statements                               as the operation that each is
 *
 * (DynamoDB's guide, "Transaction conflict handling".) A call that was refused one item claims none, except a batch, which goes
 * on without the item. Claims live in the arenas of their calls; the registry is a hash table of pointers under one mutex. */
#ifndef OF_ENGINE_CONFLICTS_H
#define OF_ENGINE_CONFLICTS_H

#include "footprint.h"

#define CONFLICTS_ONGOING "Transaction is ongoing for the item"

struct conflicts;

/* NULL: no memory. */
struct conflicts *conflicts_open(void);
void conflicts_close(struct conflicts *c);

/* Claims what the call's footprint names. before: the footprint that an earlier binding claimed by, or NULL; where it named the
 * same items its claims are kept. 0, or an err_code with call->err filled. May leave through the arena's guard. */
int conflicts_claim(struct conflicts *c, struct call *call, struct footprint *before);
/* Gives everything back. Any number of times, also for a call that claimed nothing. */
void conflicts_release(struct conflicts *c, struct call *call);

#endif
