/* copy.h: the items of a table as they were at a moment, under an id of their own. Backups, restored tables and
 * exports are such copies; what becomes of one when it is complete is its purpose's business.
 *
 * Copying goes on beside the writes, in small updates:
 *
 *   COPY      the items, in the order of their keys, as they are when their turn comes
 *   UNDO      backwards through the history (history.h), every change since the moment: its old image is put, or
 *             taken away where there was none. The last one put is the oldest, which is the state at the moment.
 *   RELEASE   what the purpose itself has to learn from the history, in pieces; then the source no longer has to keep one
 *             for it
 *   FINISH    what the purpose does at the end, and the record of the copy is gone
 *
 * One that meets damaged data can never be complete: it is given up, with what it has made, and the log says so.
 *
 * Why that is right: an item that was not changed between the moment and its copying was copied as it was then. One that
 * was changed has those changes in the history, because table->copies (or point-in-time recovery) kept it
 * on since the transaction in which the copy began; they are undone in the opposite order, so what is left
 * is the old image of the first. Changes that came after an item was copied may be met too: undoing them as well
 * changes nothing about that. Updates that were executed in the same batch as the beginning may still
 * be bound to a table without a history. All of them are in the copy then, and none was answered before.
 *
 * Each piece is one transaction together with its place in the record, so a kill goes on from there:
 *   SPACE_META   "Y" destination id(4)   an item { source cut phase position live dest purpose data }
 *
 * Items are put by item_change: indexes of the destination are filled and its counters are exact at any time. */
#ifndef OF_ENGINE_COPY_H
#define OF_ENGINE_COPY_H

#include "jobs_impl.h"

enum copy_phase { COPY_ITEMS, COPY_UNDO, COPY_RELEASE, COPY_FINISH };
enum copy_purpose { COPY_BACKUP, COPY_RESTORE, COPY_EXPORT, COPY_ANY };

#define COPY_NOW UINT64_MAX

struct copy {
    uint32_t source;      /* whose items: the id of a table, or of a backup, which does not change */
    uint64_t cut;         /* changes with this sequence number and higher are not in the copy */
    bool live;            /* the source is a table, which has a history */
    struct table *dest;   /* what the items become part of: its id, key and indexes; nothing else of it matters */
    enum copy_purpose purpose;
    struct slice data;    /* the purpose's own: any encoded value (value.h); empty: none */
    /* copy.c's own */
    enum copy_phase phase;
    struct slice position;
};

/* What a purpose does in the last transaction: write its own record, mark the table ACTIVE (step->record is
 * published) ... or, where the copy is given up, take away what it was for. STORE_OK or an error. A purpose is a row of the
 * table in copy.c. */
typedef int copy_finish(struct store_txn *txn, struct step *step, const struct copy *c);

/* What a purpose reads of the history before the source is let go of: a piece from *position on, which is empty at first and not at
 * the end; it is kept until the copy is finished. *complete: that was the last one. STORE_OK or an error. */
typedef int copy_gather(struct store_txn *txn, struct step *step, const struct copy *c, struct slice *position, bool *complete);

/* Inside an update: begins it. c: source, cut, dest (with its id), purpose, data are set. table: the source's draft, whose history is
 * switched on: the caller writes its record and publishes it (source and live are then set here); NULL: the source is a
 * backup. jobs_wake after the commit. */
int copy_begin(struct store_txn *txn, struct arena *a, struct engine *e, struct table *table, struct copy *c);
/* How many are under way for this purpose (COPY_ANY: all), or still read from this id (0: whatever they read). */
int copy_count(struct store_txn *txn, uint32_t source, enum copy_purpose purpose, size_t *out);

/* The ids of tables, there or deleted meanwhile, whose history copies still need. One id may come more than once. */
int copy_live_sources(struct store_txn *txn, struct arena *a, uint32_t **ids, size_t *n);

extern copy_finish backup_copied, backup_given_up;   /* backup.c */
extern copy_finish restore_copied, restore_given_up; /* restore.c */
extern copy_finish export_copied, export_given_up;   /* export_job.c */
extern copy_gather export_gather;                    /* export_changes.c */

#endif
