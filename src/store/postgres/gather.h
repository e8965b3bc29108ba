/* gather.h: reads of many requests, sent together.
 *
 * There are a few lanes, each a thread with a connection. One that is free takes all errands that wait, lets each of them ask what it wants to know, and
 * then lets each take its answer: one write, one answer and one transaction of PostgreSQL's for all of them. The busier it gets the less each one
 * costs. All errands of a turn see one state, and come with its epoch. */
#ifndef OF_STORE_POSTGRES_GATHER_H
#define OF_STORE_POSTGRES_GATHER_H

#include "conn.h"

/* Its functions are called once each, on the lane's thread. */
struct errand {
    void (*ask)(struct errand *e, struct conn *c); /* sends some statements, or none; not called where there is no connection */
    /* Takes the results of what was sent; those it leaves are skipped. c NULL: there are none. Where c->aborted is set after that they were left out because of
     * another errand. The errand is its owner's again. */
    void (*answer)(struct errand *e, struct conn *c, int64_t epoch);
    unsigned sent; /* gather's */
    struct errand *next;
};

struct gather;
struct gather *gather_new(const struct pq_library *pq, const char *url, int wait_ms, enum hold hold); /* NULL: no memory */
void gather_free(struct gather *g); /* nothing may be under way */
/* Returns at once. Any thread; last->next may hold anything. */
void gather_add(struct gather *g, struct errand *first, struct errand *last);

/* A read of a view: statements, or none, when only the epoch is asked for. take gets the results of all that send has sent, whatever they are. */
struct read {
    int (*send)(struct read *r, struct conn *c);
    int (*take)(struct read *r, struct conn *c);
    void *ctx;
};
/* As an errand, waited for. What take gave; STORE_AWAY: it did not get so far, ask again. */
int gather_read(struct gather *g, struct read *r, int64_t *epoch);
/* On a connection by itself, within the transaction that is open there, if any. epoch: asked for where it is not NULL. */
int read_alone(struct read *r, struct conn *c, int64_t *epoch);

#endif
