/* clone.h: everything of one store in another, row by row: tables, items, indexes, histories, backups, tokens, counters, ids. For
 * `onefold copy` between a data directory and PostgreSQL, while nothing serves either.
 *
 * Both stores are gone through side by side, in the order of keys. A row that the target lacks, or has otherwise, is put; one that only the
 * target has is deleted. So it does not matter how a copy ended before, nor whether the source was changed since: going through again makes them
 * equal, and going through without writing tells whether they are. Memory does not grow with the stores.
 *
 * While a copy is not finished the target has a record of it, written with every change:
 *
 *   SPACE_META  "C"   an item { source part after rows }: where it comes from, and how far it got
 *
 * Nobody serves such a store (clone_refuse), nor goes on to serve it who had it open and was cut off when the copy began (catalog.c). What is not copied as it is: the last sequence numbers of histories, which a shared store
 * keeps for each table and another for all (history.h). */
#ifndef OF_ENGINE_CLONE_H
#define OF_ENGINE_CLONE_H

#include "../store/store.h"

enum clone_difference { CLONE_MISSING, CLONE_EXTRA, CLONE_CHANGED }; /* in the target */

struct clone_options {
    struct store *from, *to;
    const char *source; /* what the record calls it: a copy is resumed with the same */
    void (*progress)(void *ctx, const char *what, uint64_t rows);
    bool (*stop)(void *ctx); /* asked between two pieces: STORE_STOPPED then, and what was done is kept */
    /* Of each row that differs, when stores are compared. */
    void (*differs)(void *ctx, enum store_space space, struct slice key, enum clone_difference how);
    void *ctx;
};

struct clone_report {
    uint64_t rows, bytes; /* of the source, as far as it was gone through */
    uint64_t written;     /* put or deleted */
    uint64_t differing;
    bool resumed;         /* an earlier copy had got to a place behind the beginning */
};

/* Each STORE_OK, or a status and one sentence.
 * clone_copy: the target must be empty, or have the record of an unfinished copy of the same source. It is finished with clone_finish, after
 * clone_compare found it equal; where it did not, the next clone_copy begins from the start, and puts right what differs. */
int clone_copy(const struct clone_options *o, struct clone_report *report, char *message, size_t message_size);
int clone_compare(const struct clone_options *o, struct clone_report *report, char *message, size_t message_size);
int clone_finish(const struct clone_options *o, bool equal, char *message, size_t message_size);

/* Test aid: ONEFOLD_TEST_COPY_DELAY_MS in the environment makes a copy rest that long after each piece, so that a test can end it before it is done. */
void clone_rest_for_a_test(void);

/* Does this transaction's store hold a copy that is not finished? STORE_OK: yes, STORE_NOT_FOUND: no. */
int clone_find(struct store_txn *txn);
/* STORE_INVALID and one sentence where the store holds a copy that is not finished. */
int clone_refuse(struct store *store, char *message, size_t message_size);

#endif
