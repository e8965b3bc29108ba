/* table_update.h: UpdateTable in three files: table_update.c reads the request,
 * table_update_index.c and table_update_throughput.c change a draft by it, ops/update_table.c is
 * the operation. */
#ifndef OF_ENGINE_TABLE_UPDATE_H
#define OF_ENGINE_TABLE_UPDATE_H

#include "ops.h"
#include "table_params.h"

enum index_action_kind { ACTION_UPDATE, ACTION_CREATE, ACTION_DELETE };

struct index_action {
    enum index_action_kind kind;
    struct slice name;
    const struct json *node; /* the action's members */
    struct index index;      /* CREATE: as asked for, without an id */
};

/* An UpdateTable request, and what came of it. */
struct table_update {
    struct slice name;
    struct definitions defs;
    struct index_action *actions;
    size_t n_actions;
    bool has_billing, has_throughput;
    enum billing_mode billing;
    struct throughput throughput;
    struct stream_wish stream;
    bool wake; /* set by run: there is work for the background */
};

/* Everything that can be said without the table. */
int table_update_parse(struct call *call, struct table_update *u);

/* Billing mode, throughput of the table and of indexes: checks, then changes t. */
int table_update_throughput(struct call *call, const struct table_update *u, struct table *t);

/* Index creations and deletions: whether they may be; on the draft; and, the first writes, the
 * records of the work they leave to the background. before: the table without the changes. */
int table_update_check_indexes(struct call *call, const struct table_update *u,
                               const struct table *t);
void table_update_indexes(struct call *call, const struct table_update *u, struct table *t);
int table_update_work(struct store_txn *txn, struct table_update *u, const struct table *before,
                      struct table *t);

/* Refuses an action ("update", "delete") on what is no global index of the table. */
int table_update_find(struct call *call, const struct table *t, struct slice name, const char *what);

#endif
