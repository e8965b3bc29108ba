/* store.h: an ordered, transactional key-value store; two verbs, after bbolt and FoundationDB.
 *
 *   store_view    runs a function on a consistent snapshot
 *   store_update  runs a function in a transaction that commits whole or leaves nothing
 *
 * Nothing above this folder names LMDB or SQL. A backend where each read is a network round trip
 * fits behind it: operations name the keys they need first (store_get_many), ranges carry a limit,
 * a backend that may block says so (store_may_block), and its views are submitted or run on worker threads,
 * counters that every write touches are added to (store_add) and not read and written back.
 *
 * Keys: up to STORE_MAX_KEY bytes, ordered as memcmp orders them. In the spaces ITEM and INDEX the
 * first eight bytes (table or index id, partition hash) are the placement prefix: a backend that
 * spreads data over machines keeps equal prefixes together.
 * Values: up to STORE_MAX_VALUE bytes. The store keeps a version and a checksum with each and
 * verifies it on reading.
 *
 * Lifetimes: slices given out by a read are borrowed. In a view they live until the function
 * returns; in an update only until the next put or delete of that transaction. Copy what must last,
 * also what is to be put again: a slice from a read must not be given to store_put.
 * A view inside a view of the same store, on the same thread, sees the same snapshot: long work goes in such pieces, so that
 * what it has read is not kept to its end.
 * Cursors left open are closed when the function returns. */
#ifndef OF_STORE_STORE_H
#define OF_STORE_STORE_H

#include "../base/slice.h"

#define STORE_MAX_KEY   24576 /* an index key of 4 + 4 attributes and the table's behind it */
#define STORE_MAX_VALUE (4u << 20)

enum store_space {
    SPACE_META,    /* catalog and settings */
    SPACE_ITEM,    /* items of tables */
    SPACE_INDEX,   /* entries of secondary indexes */
    SPACE_TOKEN,   /* transaction tokens */
    SPACE_STREAM,  /* change records */
    SPACE_COUNTER, /* written by store_add only */
    SPACE_END
};

enum store_status {
    STORE_OK = 0,
    STORE_NOT_FOUND = -1,
    STORE_END = -2,     /* a range has no more */
    STORE_FULL = -3,    /* no room left on the disk */
    STORE_IO = -4,      /* the device failed */
    STORE_CORRUPT = -5, /* a checksum or a structure is wrong */
    STORE_NO_MEMORY = -6,
    STORE_STOPPED = -7,  /* closing, or read-only after a failure */
    STORE_CONFLICT = -8, /* transient: run the function again */
    STORE_INVALID = -9,  /* misuse: key too long, write in a view ... */
    STORE_AWAY = -10,    /* the database cannot be reached at the moment; of an update that failed so nobody knows whether it was done */
    STORE_LONG = -11     /* of store_submit_views: not done */
};
const char *store_status_text(int status);

struct store;
struct store_txn;
struct store_cursor;

/* Returns 0 to commit; anything else leaves nothing and is handed back by store_view/store_update.
 * A function may be run more than once (conflict, batch retry): it must start from its ctx alone.
 * It should make sure it will succeed before its first write: undoing costs the whole batch a
 * rerun. */
typedef int store_fn(struct store_txn *txn, void *ctx);

int store_view(struct store *s, store_fn *fn, void *ctx);
/* Returns when the change is durable (as durable as the store's setting says). Any thread but a
 * store_fn. */
int store_update(struct store *s, store_fn *fn, void *ctx);

/* store_update without waiting: done is called by whoever is writing, after the commit and before the
 * next, with job->status set. The job belongs to the store until then. Updates of one thread are executed in
 * the order submitted. */
struct store_job {
    store_fn *fn;
    void *ctx;
    void (*done)(struct store_job *job);
    int status;
    struct store_job *next; /* the store's, and of who links them for store_submit_all */
};
void store_submit(struct store *s, struct store_job *job);
/* Several at once, linked by next from first to last: the writer finds them all or none. */
void store_submit_all(struct store *s, struct store_job *first, struct store_job *last);

/* store_submit, and returns when done (which may be NULL) has been called: on this thread if nobody is writing, which saves two
 * changes of thread. Any thread but a store_fn. */
void store_perform(struct store *s, struct store_job *job);

bool store_may_block(const struct store *s);
/* store_view without waiting, for a store that may block: done is called, most often on another thread, when the function has run to its end, and may be called
 * before this returns. A view that is not answered by one round trip ends with STORE_LONG: store_view_long is for those. Linked as for store_submit_all. */
void store_submit_views(struct store *s, struct store_job *first, struct store_job *last);
/* store_view, of a function that will read more than once. */
int store_view_long(struct store *s, store_fn *fn, void *ctx);

/* ---- inside a transaction ---- */

int store_get(struct store_txn *t, enum store_space space, struct slice key, struct slice *value);

struct store_read {
    enum store_space space;
    struct slice key;
    struct slice value; /* out; valid only if status is STORE_OK */
    int status;         /* out: STORE_OK or STORE_NOT_FOUND */
};
/* All of them in one round trip. Returns 0 or the first real error. */
int store_get_many(struct store_txn *t, struct store_read *reads, size_t n);

int store_put(struct store_txn *t, enum store_space space, struct slice key, struct slice value);
/* Deleting what is not there is no error. */
int store_delete(struct store_txn *t, enum store_space space, struct slice key);

/* What was done in this transaction so far is not whole: it ends with this status, even if its function returns 0. STORE_CONFLICT, on a shared store: what it
 * goes by is not what the store has any more; it is run again, with others that were in its batch. */
void store_refuse(struct store_txn *t, int status);

/* Adds to a named counter, without a read: cheap and free of contention. A counter that was never
 * added to is 0. store_sum sees this transaction's own additions. store_add_reset forgets it. */
int store_add(struct store_txn *t, struct slice key, int64_t delta);
int store_sum(struct store_txn *t, struct slice key, int64_t *sum);
int store_add_reset(struct store_txn *t, struct slice key);

/* Keys in [from, to) of any space, counters too (their values are 8 bytes, little-endian), ascending or (reverse) descending; an empty `to` is no bound. limit: the most
 * the caller will take (0: no idea), for a backend that fetches ahead. A cursor sees the writes
 * that its transaction made before it was opened; writes after that invalidate it (STORE_INVALID).
 */
struct store_range {
    enum store_space space;
    struct slice from, to;
    bool reverse;
    size_t limit;
};
int store_range_open(struct store_txn *t, const struct store_range *r, struct store_cursor **out);
/* STORE_OK, STORE_END or an error. key and value may be NULL where not wanted; a damaged value is only told to who wants it: STORE_CORRUPT with the
 * key, and the next call goes on behind it. In a view the slices live as long as the view, except key, which lives until the next call. */
int store_range_next(struct store_cursor *c, struct slice *key, struct slice *value);
/* Gives the values from here on to fn, one after the other, until fn returns something other than 0, which is handed back, or
 * the range ends: STORE_END. The same as calling store_range_next as often, for less. fn may leave through a guard. */
typedef int store_value_fn(void *ctx, struct slice value);
int store_range_each(struct store_cursor *c, store_value_fn *fn, void *ctx);
void store_range_close(struct store_cursor *c);

/* ---- a store that other processes write to at the same time ---- */

bool store_is_shared(const struct store *s);
/* Its rows lie on several machines, and no view of several of them is of one moment: what has to be is read in an update. */
bool store_is_spread(const struct store *s);
/* A number that every committed store_new_epoch raises: whoever remembers what it read once asks whether that still holds. In a view it is
 * that of the snapshot; ask after other reads, which bring it along. In an update it may be of a moment ago, but the update is committed, or its failure told, only
 * if it is still the same then. Of a store that is not shared: 0. */
int store_epoch(struct store_txn *t, int64_t *epoch);
/* This update changes what others remember. */
int store_new_epoch(struct store_txn *t);
/* In an update: a number of a series, whose last one is kept under this key of SPACE_META (8 bytes, big-endian). It is at least `least`, which must be above all that
 * this process has got before, and above all that was committed before this update is; a reader who sees a number will never see a lower one appear. */
int store_next(struct store_txn *t, struct slice series, uint64_t least, uint64_t *number);
/* Of a store that was opened alone: has nobody else had a chance to open it since? */
bool store_was_alone(struct store *s);
/* Is this the process that does what only one should do? It may change its mind: work must be right also if two think so. One thread. */
bool store_leads(struct store *s);

/* ---- opening ---- */

enum store_durability { DURABILITY_FULL, DURABILITY_RELAXED };

/* A fault in the structure of the store's file. */
struct store_fault {
    enum store_space space; /* SPACE_END: none in particular */
    const char *tree;       /* the part of the file */
    uint64_t page;          /* 0: none in particular */
    struct slice key;       /* as it is stored, perhaps without its end; empty: none in particular */
    const char *what;       /* "has a key that is out of order" */
};

/* The whole structure of the file, looked at before it is opened: read_only. A directory that was not stopped cleanly is opened all the
 * same, after a fault that says so. */
struct store_verify {
    void (*tell)(void *ctx, const struct store_fault *f);
    void (*progress)(void *ctx, uint64_t pages, uint64_t of); /* NULL: none */
    void *ctx;
    bool damaged[SPACE_END]; /* out: must not be read */
};

/* What became of the store, told once for each change, on the thread that found out, which must not call the store: STORE_STOPPED (no
 * more writes until it is opened anew; once more if a sync fails after that, with relaxed durability), STORE_FULL (writes fail until
 * there is room), STORE_AWAY (the database cannot be reached), another (what writes failed with), STORE_OK (all is well again). */
typedef void store_told(void *ctx, int state, const char *why);

struct store_options {
    store_told *told; /* NULL: nobody wants to know */
    void *told_ctx;
    struct store_verify *verify; /* NULL: not asked for */
    const char *dir; /* data directory; NULL: in memory, gone when closed */
    const char *url; /* of a PostgreSQL database, instead of a directory; NULL: none */
    enum store_durability durability;
    bool read_only;
    bool alone; /* nobody else may have it open, nor open it meanwhile. A directory that is written to is always so */
    const char *endpoint; /* recorded in the lock, so that a second process can name who holds it */
    size_t map_size; /* address space to start with, grown when it fills; 0: 64 GiB. For tests */
    /* Test mode of the memory store: each read round trip is counted and takes this long. */
    uint32_t read_delay_us;
    bool count_reads;
};

/* On failure returns a status and writes one clear sentence into message. If it succeeded you must
 * close; if it failed you owe nothing. */
int store_open(struct store **out, const struct store_options *o, char *message,
               size_t message_size);
/* Executes what is queued, syncs, marks a clean stop; a sync that fails here is told (store_told). No view may be under way, and nothing may be
 * submitted any more: every store_submit has returned. */
void store_close(struct store *s);

/* Makes the tables that a store in this database needs, where they are missing: *made tells, and message has the database's name. */
int store_postgres_init(const char *url, bool *made, char *message, size_t message_size);

/* Records a new endpoint in the directory's lock, for a port that was only known after opening. */
void store_set_endpoint(struct store *s, const char *endpoint);

/* For programs that are all Onefold: a damaged page of a data file, met by any store of the process, gives STORE_CORRUPT and does
 * not end it. Takes SIGSEGV and SIGBUS, which go to whoever had them before where they are not a store's. */
void store_survive_damage(void);

/* The format that this program writes, and the one that a directory has, without opening it. */
#define STORE_FORMAT 1u
int store_format_version(const char *dir, unsigned *version, char *message, size_t message_size);

struct store_stats {
    uint64_t reads;   /* round trips, in test mode */
    uint64_t commits; /* transactions committed; one may hold many updates */
    uint64_t updates;
    uint64_t reruns;   /* updates run again, because another one in their batch had to be undone */
    uint64_t bytes;    /* used on disk */
    uint64_t map_size; /* address space; grows in steps */
    uint64_t commit_ns; /* spent in commits, syncs included */
    uint64_t queued;    /* updates that wait for the writer */
    uint64_t reader_lag; /* commits since the oldest view began that is still under way: what it sees cannot be reused */
    uint64_t reader_ms;  /* how long ago that view began */
    int state;         /* STORE_OK, STORE_FULL (last commit found no room), STORE_STOPPED, STORE_AWAY */
};
void store_get_stats(struct store *s, struct store_stats *out);

#endif
