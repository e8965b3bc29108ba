/* direct.h: a get for callers in C that is no call: no request, no answer, nothing to count, and no memory but the caller's.
 *
 * It knows only what is right. A table or a key that is not is left to a call (call_prepare), which has DynamoDB's words for what
 * is wrong with it: so there is no second set of rules, and whoever is answered here would have been answered the same there. */
#ifndef OF_ENGINE_DIRECT_H
#define OF_ENGINE_DIRECT_H

#include "engine.h"
#include "../item/value.h"

struct table;

/* The table that was asked for last, and the catalog it is from, which is held. All zero: none yet. Of one thread at a time. */
struct direct_table {
    const struct catalog *catalog;
    const struct table *table;
};
/* The table of that name as it is now; NULL: there is none, or calls have to go the whole way because they are counted, throttled
 * or may conflict. */
const struct table *direct_table(struct engine *e, struct direct_table *held, struct slice name);
void direct_release(struct engine *e, struct direct_table *held);

/* Can these attributes be the key of an item of the table? values: in the order of the schema. */
bool direct_key(const struct table *t, const struct attr *key, size_t n, struct slice values[2]);
/* Gives the item with this key, if there is one, to fn, for the moment. Returns what fn returns, or a store_status. */
int direct_get(struct engine *e, const struct table *t, const struct slice values[2],
               int (*fn)(void *ctx, struct slice item), void *ctx);

#endif
