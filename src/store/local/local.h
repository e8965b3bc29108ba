/* local.h: the LMDB backend's own structures. See ../README.md for threads, locks and lifetimes. */
#ifndef OF_STORE_LOCAL_LOCAL_H
#define OF_STORE_LOCAL_LOCAL_H

#include "../backend.h"
#include "../counters.h"
#include "dir.h"
#include <lmdb.h>
#include <pthread.h>

#define LOCAL_READERS     126           /* views under way at once; a further one waits */
#define LOCAL_MAP_SIZE    (64ull << 30) /* address space only, the file is as small as its data */
#define LOCAL_BATCH_JOBS  1024        /* bounds how long the first of a batch waits for the last */
/* Bounds the dirty pages of a commit, all held in memory, and what its jobs have read: who reads in
 * an update copies, and keeps the copy until the commit is answered. */
#define LOCAL_BATCH_BYTES (32u << 20)
#define LOCAL_SYNC_MS     1000        /* relaxed: the most that a power loss can take */

/* A place in the pool of read transactions. busy is the claim to it and, at the same time, what
 * keeps the map from being moved under a view. */
struct local_reader {
    _Alignas(64) atomic_bool busy;
    atomic_int_fast64_t began_ms; /* by the coarse clock; 0: no view is under way */
    MDB_txn *txn; /* reset between views, renewed for the next */
};

struct local {
    struct store base;
    MDB_env *env;
    MDB_env *read_env; /* where views read: env, or a second one after env was lost (fault.c) */
    MDB_dbi dbi[SPACE_END];
    MDB_dbi tails; /* what long keys have beyond the cut, keys.h */
    struct dir dir;
    bool memory, read_only, relaxed;
    size_t map_size;    /* the writer's */
    const uint8_t *map; /* and where it is; NULL: not known yet */
    size_t page_size;   /* 0: the file's pages are larger than the system's, so that an address does not tell where its page begins */
    bool write_left; /* in its middle (guard.h); set by whoever wrote */

    struct local_reader readers[LOCAL_READERS];
    atomic_bool paused; /* the writer is moving the map */
    pthread_mutex_t pause_lock;
    pthread_cond_t pause_over;

    /* The queue. busy: someone has the writer's role, which is the writer thread or, when nothing
     * was queued, a thread in store_update. What follows belongs to whoever has the role. */
    pthread_mutex_t queue_lock;
    pthread_cond_t queue_filled;
    struct store_job *head, **tail;
    bool busy, closing;
    pthread_t writer;
    struct counters job_counters, batch_counters;

    pthread_t syncer; /* relaxed only */
    pthread_cond_t sync_stop;
    bool sync_failed; /* and none is tried again; the syncer's and, when that has ended, who closes' */

    atomic_int state; /* STORE_OK, STORE_FULL, STORE_STOPPED; changed by fault.c alone */
    store_told *told; /* of its changes; may be NULL */
    void *told_ctx;
    atomic_uint_fast64_t commits, commit_ns, updates, reruns;
};

struct local_txn {
    struct store_txn base;
    struct local *s;
    MDB_txn *txn;
    struct local_txn *outer; /* of a view: the view it runs inside of, on the same thread */
    /* Of an update (and `at` of a view, during a read): */
    int error;     /* first failure of a write, or of LMDB in a read; the job cannot commit after it */
    bool map_full; /* and that failure goes away when the map grows */
    bool damaged;  /* or it left LMDB in the middle of a change (guard.h) */
    size_t bytes;  /* written and read by the whole batch so far */
    MDB_cursor *at[SPACE_END]; /* where each space was read or written last; NULL: nowhere yet. LMDB frees them with txn */
};

/* LMDB's or the system's error as a store_status. */
int local_status(int rc);
/* Remembers a write's failure in the transaction and gives its status. */
int local_write_failed(struct local_txn *t, int rc);
/* The same of a read, in an update: LMDB does not commit a transaction in which it met a page that cannot be. A value that is wrong by its
 * checksum is no matter of LMDB's, and not of this function's. */
int local_read_failed(struct local_txn *t, int status);
/* A write was left in its middle because of a damaged page: no transaction of this environment is to be trusted any more. */
int local_write_damaged(struct local_txn *t);

/* env.c: what can be told of the file before LMDB opens it: its first pages, and all others if verify is given. */
int local_env_check(struct local *s, struct store_verify *verify, char *message, size_t message_size);
/* The LMDB environment. On failure env_open has written a sentence and owes nothing. */
int local_env_open(struct local *s, size_t map_size, char *message, size_t message_size);
void local_env_close(struct local *s);
/* Doubles the map; the caller has the writer's role and no transaction. */
int local_env_grow(struct local *s);
/* Where the map is, by the page of some entry in it. txn has not written, so that its pages are all the file's. Where it fails, less is noticed of
 * damage (leaf.h). */
void local_env_find_map(struct local *s, MDB_txn *txn);
bool local_env_nearly_full(struct local *s);
/* Moves views to a second, read-only environment on the same file, where that is possible. */
void local_env_read_elsewhere(struct local *s);
/* A new environment in place of one that LMDB has given up. False: there is none, or not even one to read from. */
bool local_env_reopen(struct local *s);

/* fault.c: decides how a failed commit leaves the store; returns the status of those who wanted it.
 */
int local_commit_failed(struct local *s, int rc);
/* No more writes from here on; the first time it is told why. rc: LMDB's or the system's error, 0: none. */
void local_stop(struct local *s, const char *what, int rc);
/* The same for a sync of what was committed before (relaxed durability): the next start has to know, too, and it is told also where
 * the store had stopped already. */
void local_sync_failed(struct local *s, const char *what, int rc);
/* After each commit that succeeded. */
void local_found_room(struct local *s);

/* readers.c */
void local_readers_init(struct local *s);
/* How long the oldest view has been under way. Any thread. */
uint64_t local_readers_age_ms(struct local *s);
void local_readers_free(struct local *s);
int local_view(struct store *s, store_fn *fn, void *ctx);
/* Keeps new views out and waits for those under way. */
void local_readers_pause(struct local *s);
void local_readers_resume(struct local *s);
/* Forgets the pool's transactions; no view may be under way. */
void local_readers_drop(struct local *s);

/* writer.c */
int local_writer_start(struct local *s);
void local_writer_stop(struct local *s);
void local_perform(struct store *s, struct store_job *job);
void local_submit(struct store *s, struct store_job *first, struct store_job *last);

/* rows.c */
int local_get(struct store_txn *t, enum store_space space, struct slice key, struct slice *value);
int local_get_many(struct store_txn *t, struct store_read *reads, size_t n);
int local_put(struct store_txn *t, enum store_space space, struct slice key, struct slice value);
int local_delete(struct store_txn *t, enum store_space space, struct slice key);
int local_add(struct store_txn *t, struct slice key, int64_t delta);
int local_sum(struct store_txn *t, struct slice key, int64_t *sum);
int local_add_reset(struct store_txn *t, struct slice key);
/* Makes the job's counters its batch's. What is stored of them is read now, while a damaged one is still this job's failure. */
int local_take_counters(struct local_txn *t);
/* Writes the batch's counters. */
int local_flush_counters(struct local_txn *t);

/* range.c */
int local_range_open(struct store_txn *t, const struct store_range *r, struct store_cursor **out);
int local_range_next(struct store_cursor *c, struct slice *key, struct slice *value);
int local_range_each(struct store_cursor *c, store_value_fn *fn, void *ctx);
void local_range_close(struct store_cursor *c);

#endif
