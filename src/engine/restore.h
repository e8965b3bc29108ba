/* restore.h: a new table out of another one's past: what RestoreTableFromBackup and RestoreTableToPointInTime share. The
 * table is CREATING, and there for DescribeTable only, until a copy (copy.h) has filled it and its indexes. */
#ifndef OF_ENGINE_RESTORE_H
#define OF_ENGINE_RESTORE_H

#include "ops.h"

#define RESTORE_MAX_AT_ONCE 50

struct restore {
    /* What is restored */
    const struct table *definition; /* its keys, indexes and settings */
    struct table *live;             /* the source's draft; NULL: from a backup */
    uint32_t source;                /* the backup's items */
    struct slice backup;            /* its id; empty: from a live table */
    int64_t moment_ms;              /* as at when: what RestoreSummary says */
    uint64_t cut;                   /* of a live source: copy.h */
    /* Set by run, to be published */
    struct slice record, live_record;
};

/* Inside the update: checks the overrides and the target's name, creates the table, begins the copy, writes the answer. */
int restore_run(struct call *call, struct store_txn *txn, struct restore *r);
/* The operation's `after`. */
void restore_publish(struct call *call, const struct restore *r);

/* restore_override.c: the overrides of the request applied to t, which has the source's settings. */
int restore_override(struct call *call, struct table *t);

#endif
