/* marker.h: a small file that remembers how far a load or fold got, so that a second run goes on behind it. It is
 * written after what it tells is in the table: a crash in between repeats at most one batch, and puts can be repeated. */
#ifndef OF_MODEL_MARKER_H
#define OF_MODEL_MARKER_H

#include "entity.h"

struct marker {
    char *path;          /* NULL: nothing is remembered */
    char *fresh;         /* where the next one is written before it takes that name */
    uint64_t identity;   /* of model, table and where that is; a marker of another one is refused */
    uint64_t done;
    uint64_t seed;       /* what the identifiers of the run are made from, see steady.h; 0: none were needed yet */
    int64_t time;
    uint64_t first;      /* of the source's first line or row: another one under the same name is noticed by it; 0: not known */
};

/* What decides where a run's items went. */
uint64_t marker_identity(uint64_t model, struct slice table, struct slice where);
/* Reads what is there; done is 0 where there is nothing. If init succeeded you must free. */
int marker_init(struct marker *m, const char *path, uint64_t identity, struct err *e);
/* Gives the run a seed, and remembers it before anything is written with it. */
int marker_begin(struct marker *m, const struct model_env *env, struct err *e);
/* The first line or row of what is read now. Refused if something else was begun with. */
int marker_first(struct marker *m, uint64_t first, struct err *e);
int marker_set(struct marker *m, uint64_t done, struct err *e);
/* The job is finished: the file goes. */
void marker_remove(struct marker *m);
void marker_free(struct marker *m);

#endif
