/* clone_impl.h: what the files of a clone share; see clone.h. */
#ifndef OF_ENGINE_CLONE_IMPL_H
#define OF_ENGINE_CLONE_IMPL_H

#include "clone.h"
#include "../base/arena.h"

/* ---- clone_record.c: how far it got ---- */

#define CLONE_SOURCE_MAX 4096

struct clone_record {
    char source[CLONE_SOURCE_MAX];
    unsigned part;          /* of the walk (clone.c) that is under way */
    struct slice after;     /* the last key that was done in it; empty: none yet */
    uint64_t rows;          /* done in all */
    uint8_t bytes[STORE_MAX_KEY]; /* where after lies, when it was read */
};

/* STORE_NOT_FOUND: there is none. */
int clone_record_read(struct store *store, struct clone_record *out);
/* In an update. The arena is the caller's, guarded. */
int clone_record_put(struct store_txn *txn, struct arena *a, const struct clone_record *r);
int clone_record_delete(struct store_txn *txn);

/* ---- clone_rows.c: the rows of a store in pieces ---- */

#define CLONE_ROWS 2048 /* of a piece, at most; and about so many bytes: */
#define CLONE_BYTES ((size_t)1 << 20)

struct clone_row {
    struct slice key, value;
};

struct clone_rows {
    struct store *store;
    struct store_range range;
    struct arena arena; /* of the piece */
    struct clone_row rows[CLONE_ROWS];
    size_t n, at;
    bool ended;         /* this is the last piece */
    struct slice after; /* the last key of the piece; at first the one to begin behind */
    uint8_t bytes[STORE_MAX_KEY];
};

/* after: empty, or the key to begin behind. */
void clone_rows_begin(struct clone_rows *r, struct store *store, const struct store_range *range, struct slice after);
void clone_rows_end(struct clone_rows *r);
/* Is the piece used up, and perhaps not the last? */
static inline bool clone_rows_empty(const struct clone_rows *r)
{
    return r->at == r->n && !r->ended;
}
/* The next piece; the one before is gone. */
int clone_rows_fill(struct clone_rows *r);
/* NULL: there are no more. */
static inline const struct clone_row *clone_rows_head(const struct clone_rows *r)
{
    return r->at < r->n ? &r->rows[r->at] : NULL;
}

/* ---- clone_series.c: the last sequence numbers ---- */

struct clone;
int clone_series(struct clone *c);

/* ---- clone.c ---- */

/* A copy or comparison under way. */
struct clone {
    const struct clone_options *o;
    struct clone_report *report;
    bool writes;
    struct arena scratch; /* of one update */
    struct clone_record record;
};

/* One row differs: counted and told. */
void clone_tell(struct clone *c, enum store_space space, struct slice key, enum clone_difference how);

#endif
