/* backend.h: what a backend of the store provides, and what store.c keeps for all of them.
 *
 * A backend embeds struct store at the start of its own handle, struct store_txn at the start of
 * its transaction and struct store_cursor at the start of its cursor, and casts back. store.c
 * checks arguments, counts round trips, keeps the list of open cursors and refuses a cursor that a
 * write has outdated, so a backend may rely on:
 *   - keys of 1 to STORE_MAX_KEY bytes, values up to STORE_MAX_VALUE, spaces in range;
 *   - put, del and the adds only inside an update, and get, put and del never on SPACE_COUNTER but by the adds;
 *   - range_next only while no write came after range_open, and not after it said STORE_END. */
#ifndef OF_STORE_BACKEND_H
#define OF_STORE_BACKEND_H

#include "store.h"
#include <stdatomic.h>

struct store_backend {
    void (*close)(struct store *s);
    int (*view)(struct store *s, store_fn *fn, void *ctx);
    /* Of one whose reads may wait; NULL: view is all there is. */
    int (*view_long)(struct store *s, store_fn *fn, void *ctx);
    void (*submit_views)(struct store *s, struct store_job *first, struct store_job *last);
    void (*perform)(struct store *s, struct store_job *job);
    /* last->next may hold anything. */
    void (*submit)(struct store *s, struct store_job *first, struct store_job *last);
    int (*get)(struct store_txn *t, enum store_space space, struct slice key, struct slice *value);
    int (*get_many)(struct store_txn *t, struct store_read *reads, size_t n);
    int (*put)(struct store_txn *t, enum store_space space, struct slice key, struct slice value);
    int (*del)(struct store_txn *t, enum store_space space, struct slice key);
    int (*add)(struct store_txn *t, struct slice key, int64_t delta);
    int (*sum)(struct store_txn *t, struct slice key, int64_t *sum);
    int (*add_reset)(struct store_txn *t, struct slice key);
    /* Must not touch the fields of struct store_cursor: store.c fills them. */
    int (*range_open)(struct store_txn *t, const struct store_range *r, struct store_cursor **out);
    int (*range_next)(struct store_cursor *c, struct slice *key, struct slice *value);
    int (*range_each)(struct store_cursor *c, store_value_fn *fn, void *ctx);
    void (*range_close)(struct store_cursor *c);
    void (*stats)(struct store *s, struct store_stats *out);
    void (*set_endpoint)(struct store *s, const char *endpoint);
    /* Of a shared store; NULL: it is not one. */
    int (*epoch)(struct store_txn *t, int64_t *epoch);
    void (*new_epoch)(struct store_txn *t);
    int (*next)(struct store_txn *t, struct slice series, uint64_t least, uint64_t *number);
    bool (*leads)(struct store *s);
    bool (*was_alone)(struct store *s);
};

struct store {
    const struct store_backend *backend;
    bool may_block;
    bool spread; /* store_is_spread */
    bool count_reads;
    uint32_t read_delay_us;
    atomic_uint_fast64_t reads; /* round trips, when count_reads */
};

struct store_txn {
    struct store *store;
    bool writable;
    uint64_t writes;              /* puts and deletes so far: what outdates a cursor */
    int refused;                  /* store_refuse: not to be committed, whatever its function returns */
    struct store_cursor *cursors; /* open ones */
};

struct store_cursor {
    struct store_txn *txn;
    struct store_cursor *prev, *next;
    uint64_t writes; /* the transaction's when this was opened */
    size_t limit, taken;
    bool ended;
};

/* A backend calls these around each run of a store_fn. */
void store__txn_begin(struct store_txn *t, struct store *s, bool writable);
void store__txn_end(struct store_txn *t);

/* local/: LMDB in a directory, or in an unlinked file when o->dir is NULL. */
int store__local_open(struct store **out, const struct store_options *o, char *message,
                      size_t message_size);
/* postgres/: a PostgreSQL database, o->url, which other servers use too. */
int store__postgres_open(struct store **out, const struct store_options *o, char *message, size_t message_size);

#endif
