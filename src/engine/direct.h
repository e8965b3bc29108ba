/* direct.h: reads for callers in C that are no calls: no request, no answer, nothing to count.
 *
 * They know only what is right. A table, key or condition that is not is left to a call (call_prepare), which has DynamoDB's words for what
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

/* A key condition on the table itself. The placeholders are as in a request's tree; NULL: none. */
struct direct_query {
    const struct json *names, *values;
    struct slice condition;
    bool reverse;
};
/* The range that it selects. False: something is wrong with it. May leave through the arena's guard. */
bool direct_query(const struct table *t, struct arena *a, const struct direct_query *q, struct store_range *out);

struct direct_page {
    struct store_range range;
    size_t limit;          /* items; at least 1 */
    void (*fn)(void *ctx, struct slice item); /* gets each, for the moment; may leave through the arena's guard */
    void *ctx;
    struct slice last_key; /* out: of the item where 1 MB ended it before the limit, to go on behind; empty: it is done */
};
/* Returns a store_status. */
int direct_page(struct engine *e, const struct table *t, struct arena *a, struct direct_page *p);

#endif
