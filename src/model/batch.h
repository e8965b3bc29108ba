/* batch.h: plain items written 25 at a time, with what the service leaves unprocessed sent again. */
#ifndef OF_MODEL_BATCH_H
#define OF_MODEL_BATCH_H

#include "api.h"
#include "model.h"

#define BATCH_ITEMS 25

struct batch {
    const struct model *model;
    struct api *api;
    struct arena arena;      /* of what is collected */
    struct slice items[BATCH_ITEMS], keys[BATCH_ITEMS];
    uint64_t places[BATCH_ITEMS]; /* the line or row of each */
    size_t n, bytes;
    bool failed;             /* the last flush did; the first of what is left is the one that was refused, or that is not
                              * known to be written */
};

/* If init succeeded you must free. */
void batch_init(struct batch *b, const struct model *m, struct api *api);
void batch_free(struct batch *b);
/* Adds a copy of the item. One whose key is among the collected ones makes room first, since one BatchWriteItem may not
 * name a key twice; so does one with which the request could become too large. */
int batch_add(struct batch *b, struct slice item, uint64_t place, struct err *e);
int batch_flush(struct batch *b, struct err *e);

#endif
