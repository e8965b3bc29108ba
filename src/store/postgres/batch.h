/* batch.h: the steps of a batch of updates. */
#ifndef OF_STORE_POSTGRES_BATCH_H
#define OF_STORE_POSTGRES_BATCH_H

#include "mirrored.h"

/* The writer's. */
struct batch {
    struct mirror m;
    int64_t number; /* of the last one */
    unsigned losses; /* how often another server was faster */
    bool begun;      /* a transaction is open that keeps others from writing */
    int broken;      /* why it cannot be committed; STORE_OK: it can */
    size_t alone;    /* so many updates are to be run one by one: PostgreSQL refused what one of them does, and with it all */
};

/* A row or range was missing (*rc is STORE_CONFLICT): gets it, unless this run is only to learn what is missing. True: ask again. */
bool batch_got(struct pg_txn *t, int *rc);

/* Gets what is asked for. STORE_CONFLICT: the catalog has changed since the first of it was got. */
int batch_fetch(struct mirror *m, struct conn *c);

struct commit {
    int64_t server, number; /* of the server, and of the batch: no other ever has both */
    bool begun;             /* a transaction is open that keeps all others from writing */
};
/* Writes the changes in one transaction. STORE_CONFLICT: something that was read is not as it was; nothing was done. STORE_UNKNOWN: the connection was
 * lost while PostgreSQL was committing. STORE_NOT_FOUND: the server has no row, and nothing was done. */
int batch_commit(struct mirror *m, struct conn *c, const struct commit *with);
/* What became of it: STORE_OK, STORE_CONFLICT (nothing was done), or STORE_AWAY: it cannot be asked. */
int batch_outcome(struct conn *c, const struct commit *with);

/* Each statement sees what was committed before it, also while the transaction waits. */
#define PG_BEGIN_WRITING "BEGIN ISOLATION LEVEL READ COMMITTED"

#define STORE_UNKNOWN (-100) /* of this folder */

#endif
