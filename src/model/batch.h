/* batch.h: many items into a table. They are collected to a piece; a full piece is sent by a thread of its own while the
 * next one is collected.
 *
 * A database in this process takes a piece as it is, in one transaction; entities that have copies may be among the items there. Another one gets it as BatchWriteItem, 25 items at a
 * time, on as many connections as it likes at once. In both cases the items of a file end as if they had been put one after the
 * other: of two with the same key the later one stays. */
#ifndef OF_MODEL_BATCH_H
#define OF_MODEL_BATCH_H

#include "api.h"
#include "entity.h"
#include "model.h"
#include <pthread.h>

struct piece {
    struct arena arena;   /* of the items */
    struct slice *items;
    const struct entity **entities; /* of each: NULL for an item as it is; otherwise items has the entity's attributes */
    bool mixed;           /* not all are NULL */
    uint64_t *places;     /* the line or row of each */
    size_t n, cap, bytes;
    uint64_t *keys;       /* fingerprints of their keys, an open table; NULL: a key may come twice */
    /* How sending it ended. */
    struct arena memory;  /* of the sender and of what it says */
    struct err err;
    size_t put;           /* so many from the beginning are in the table */
};

struct batch {
    const struct model *model;
    const struct model_env *env;
    struct api *api;
    size_t most;          /* items of a piece */
    struct piece pieces[2];
    unsigned filling;     /* the piece that is being collected; the other one is being sent, if one is */
    bool sending;
    pthread_t sender;
    uint64_t written;     /* everything that was added with this place or one before it is in the table */
    bool failed;          /* and then nothing more can be added: */
    uint64_t trouble;     /* the place of what was refused, or is not known to be written; all before it is */
};

/* If init succeeded you must free. */
void batch_init(struct batch *b, const struct model *m, const struct model_env *env, struct api *api);
/* Waits for what is being sent. */
void batch_free(struct batch *b);
/* Can it hold entities, too? If not they are put one by one, with a flush before each. */
bool batch_takes(const struct batch *b, const struct entity *en);
/* Adds a copy of the item, or (en not NULL) of the attributes of an entity that it takes. The error may be that of one added earlier, see failed. */
int batch_add(struct batch *b, const struct entity *en, struct slice item, uint64_t place, struct err *e);
/* Returns when all that was added is in the table. */
int batch_flush(struct batch *b, struct err *e);

/* A thread that gets no signals: those are for the program's own. False: there is none to be had. */
bool batch_thread(pthread_t *thread, void *(*run)(void *), void *ctx);

/* batch_send.c: puts the piece's items; says in err and put how far it came. */
void piece_send(const struct batch *b, struct piece *p);
/* Makes room for its keys, unless a key may come twice. False: no memory. */
bool piece_has_keys(const struct batch *b, struct piece *p);
/* May another item with this key be added to the piece, which has room for keys? */
bool piece_takes_key(const struct batch *b, struct piece *p, struct slice item);

#endif
