/* mutation.h: one change to one item, as PutItem, UpdateItem, DeleteItem, a batch entry or a transaction's
 * action ask for it. All write operations are made of these steps:
 *
 *     mutation_parse   the request's members                    (no table)
 *     mutation_bind    table, key, what the item may hold        (no store)
 *     item_read        the old image
 *     mutation_plan    condition, new image                      (no writes)
 *     mutation_apply   item, indexes, counters
 *
 * so that everything that can fail has been decided before the first write. */
#ifndef OF_ENGINE_MUTATION_H
#define OF_ENGINE_MUTATION_H

#include "ops.h"
#include "write.h"

#define ITEM_MAX_BYTES (400u << 10)

enum mutation_kind { MUTATION_PUT, MUTATION_UPDATE, MUTATION_DELETE, MUTATION_CHECK };

enum return_values {
    RETURN_NONE,
    RETURN_ALL_OLD,
    RETURN_ALL_NEW,
    RETURN_UPDATED_OLD,
    RETURN_UPDATED_NEW
};

/* What PartiQL's statements ask of the item besides their condition. */
enum presence {
    PRESENCE_ANY,
    PRESENCE_FORBIDDEN, /* INSERT: DuplicateItemException where there is one */
    PRESENCE_REQUIRED,  /* UPDATE: an item that is not there fails the condition */
    PRESENCE_EXCUSED    /* DELETE: an item that is not there satisfies every condition */
};

struct mutation {
    enum mutation_kind kind;
    struct slice table_name;
    struct slice item;         /* PUT: the item; otherwise the key */
    size_t item_size;          /* PUT */
    bool in_batch;             /* BatchWriteItem */
    enum return_values returns;
    struct cond *condition;    /* NULL: none */
    enum presence presence;
    struct update *update;     /* UPDATE; NULL: only make sure the item exists */
    bool removes_only;         /* an update that cannot bring an item into being */
    bool show_old_on_failure;  /* ReturnValuesOnConditionCheckFailure: ALL_OLD */
    /* bound */
    const struct table *table;
    /* the images; store_key is set by bind, old by the caller, new by plan */
    struct change change;
};

/* Members of one write out of obj. single: PutItem, UpdateItem, DeleteItem, which also have ReturnValues
 * and the legacy parameters; otherwise a transaction's action. */
int mutation_parse(struct call *call, const struct json *obj, enum mutation_kind kind, bool single,
                   struct mutation *m);
/* Sets item_size; refuses an item over 400 KB. */
int mutation_check_put_size(struct call *call, struct mutation *m);
int mutation_bind(struct call *call, struct mutation *m);
/* The same where m->table has been found (mutations_find_tables). */
int mutation_bind_found(struct call *call, struct mutation *m);
/* After binding. */
void mutation_footprint(const struct mutation *m, struct footprint_item *item);
/* change.old_* must be set. ConditionalCheckFailedException carries the item where asked for. */
int mutation_plan(struct call *call, struct mutation *m);
/* Store failures become the call's error. u may be NULL. */
int mutation_apply(struct call *call, struct store_txn *txn, struct mutation *m, struct usage *u);

/* ItemCollectionMetrics: for tables with local indexes, if asked for. */
bool collection_metrics_wanted(const struct json *request, const struct table *t);
void collection_metrics_put(struct buf *b, const struct mutation *m);

#endif
