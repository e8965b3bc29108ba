/* marker.h: a small file that remembers how far a load or fold got, so that a second run goes on behind it. It is
 * written after what it tells is in the table: a crash in between repeats at most one batch, and puts can be repeated. */
#ifndef OF_MODEL_MARKER_H
#define OF_MODEL_MARKER_H

#include "../base/err.h"

struct marker {
    char *path;          /* NULL: nothing is remembered */
    char *fresh;         /* where the next one is written before it takes that name */
    uint64_t identity;   /* of model, table and where that is; a marker of another one is refused */
    uint64_t done;
};

/* What decides where a run's items went. */
uint64_t marker_identity(uint64_t model, struct slice table, struct slice where);
/* Reads what is there; done is 0 where there is nothing. If init succeeded you must free. */
int marker_init(struct marker *m, const char *path, uint64_t identity, struct err *e);
int marker_set(struct marker *m, uint64_t done, struct err *e);
/* The job is finished: the file goes. */
void marker_remove(struct marker *m);
void marker_free(struct marker *m);

#endif
