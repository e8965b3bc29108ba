/* footprint.h: which items a call names: what `serve --conflicts dynamodb` (conflicts.h) and `serve --throttle` (throttle.h) go
 * by. An operation fills it in its footprint step, after binding; where neither is asked for there is none (call->footprint is
 * NULL).
 *
 * What is wrong with an item is told by the style of the call: a single one is refused, a transaction is cancelled with a reason
 * per item, a batch runs without the items that are `refused` and hands them back as unprocessed. */
#ifndef OF_ENGINE_FOOTPRINT_H
#define OF_ENGINE_FOOTPRINT_H

#include "table.h"

enum footprint_style { FOOTPRINT_SINGLE, FOOTPRINT_BATCH, FOOTPRINT_TRANSACTION };

struct footprint_item {
    struct slice key;          /* in the store (keys.h); of a Query or Scan: where it begins. Empty: nothing to go by */
    const struct table *table;
    const struct index *index; /* that is read; NULL: the table */
    bool write;
    uint32_t halves;           /* of units: what it costs at least */
    /* out */
    bool conflict;             /* a transaction under way has it */
    bool refused;              /* FOOTPRINT_BATCH: a conflict, or no capacity: to be left out */
};

struct footprint {
    enum footprint_style style;
    struct slice token;        /* ClientRequestToken; empty: none */
    struct footprint_item *items;
    size_t n;
    /* The engine's own. */
    struct claim *claims;      /* conflicts.c */
    size_t n_claims;
    struct take *takes;        /* throttle.c */
    size_t n_takes, room_takes;
    bool throttled;            /* some item found no capacity */
    struct err refusal;        /* the first such refusal of a batch */
};

/* Room for n items, zeroed, from the call's arena. */
struct footprint_item *footprint_room(struct call *call, struct footprint *f, size_t n);
/* Is item i of a batch to be left out? */
bool footprint_refused(const struct call *call, size_t i);
/* A batch of which nothing is left, for want of capacity: the exception. 0: there is something to do, or to hand back. */
int footprint_check_left(struct call *call);

#endif
