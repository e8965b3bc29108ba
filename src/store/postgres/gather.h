/* gather.h: reads of many threads, sent together.
 *
 * Most views read once, and many are under way at the same time. A read that finds a lane free goes at once; those that come while all lanes are busy
 * wait, and the next lane takes them all: one write, one answer and one transaction of PostgreSQL's for all of them. The busier it gets the less each
 * one costs. All reads of a lane's turn see one state, and come with its epoch. */
#ifndef OF_STORE_POSTGRES_GATHER_H
#define OF_STORE_POSTGRES_GATHER_H

#include "conn.h"
#include <semaphore.h>

/* Some statements, or none: then only the epoch is asked for. take gets the results of all that send has sent, whatever they are. */
struct read {
    int (*send)(struct read *r, struct conn *c);
    int (*take)(struct read *r, struct conn *c);
    void *ctx;
    /* gather_read's */
    int status;    /* what take gave; STORE_AWAY: it did not get so far, ask again */
    int64_t epoch;
    bool taken;    /* it waits no more; under the lock */
    bool done;     /* by the thread that had it in its turn, before its post */
    unsigned hints; /* posts before that one: a lane may be free */
    sem_t wake;
    struct read *next;
};

/* Runs a read on a connection by itself, within the transaction that is open there, if any. epoch: asked for where it is not NULL. */
int read_alone(struct read *r, struct conn *c, int64_t *epoch);

struct gather;
struct gather *gather_new(const struct pq_library *pq, const char *url, int wait_ms, enum hold hold); /* NULL: no memory */
void gather_free(struct gather *g);
/* Runs the read; any number of threads at once. r->status and r->epoch tell what came of it. */
void gather_read(struct gather *g, struct read *r);

#endif
