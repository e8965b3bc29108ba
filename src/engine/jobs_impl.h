/* jobs_impl.h: what jobs.c and the kinds of work share. */
#ifndef OF_ENGINE_JOBS_IMPL_H
#define OF_ENGINE_JOBS_IMPL_H

#include "engine_impl.h"

/* One step of some work: a small update, and what it found. */
struct step {
    struct engine *engine;
    int (*fn)(struct store_txn *txn, struct step *step); /* STORE_OK or an error */
    struct arena arena; /* guarded, and emptied at the start of each try */
    uint32_t id;        /* of the index to fill, or of the table or index to purge */
    int64_t now_ms;
    /* out */
    struct slice record; /* a table that has changed and is to be published; empty: none */
    bool more;           /* tokens: some are left that have not expired yet */
};

/* Each does a part and is to be called again until the record of the work is gone. */
int backfill_step(struct store_txn *txn, struct step *step);
int purge_step(struct store_txn *txn, struct step *step);
int purge_tokens_step(struct store_txn *txn, struct step *step);

#endif
