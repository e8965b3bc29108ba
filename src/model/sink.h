/* sink.h: where unfold writes: one relational table per entity. */
#ifndef OF_MODEL_SINK_H
#define OF_MODEL_SINK_H

#include "model.h"
#include "../base/err.h"

struct sink {
    /* One entity's attributes (VAL_M). a: memory for this row. */
    int (*row)(struct sink *s, struct arena *a, const struct entity *en, struct slice attributes, struct err *e);
    /* An item that is none of the model's, as it is. */
    int (*other)(struct sink *s, struct arena *a, struct slice item, struct err *e);
    /* Everything is on disk afterwards, or an error. */
    int (*finish)(struct sink *s, struct err *e);
    /* What was not finished is removed again. */
    void (*close)(struct sink *s);
};

/* to: must not be there. One file, with a table for each entity of the model, also for those without items. */
int sink_sqlite(struct sink **out, const struct model *m, const char *to, struct err *e);
/* A folder with ENTITY.csv for each entity of the model, or ENTITY.ndjson for each that has items. */
int sink_csv(struct sink **out, const struct model *m, const char *to, struct err *e);
int sink_ndjson(struct sink **out, const struct model *m, const char *to, struct err *e);

#endif
