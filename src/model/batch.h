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
    size_t n;
};

/* If init succeeded you must free. */
void batch_init(struct batch *b, const struct model *m, struct api *api);
void batch_free(struct batch *b);
/* Adds a copy of the item;. An item whose key is among the collected
 * ones makes room first, since one BatchWriteItem may not name a key twice. */
int batch_add(struct batch *b, struct slice item, struct err *e);
int batch_flush(struct batch *b, struct err *e);

#endif
