/* postgres.h: the store on PostgreSQL: what its files share. README.md has the ideas. */
#ifndef OF_STORE_POSTGRES_POSTGRES_H
#define OF_STORE_POSTGRES_POSTGRES_H

#include "../backend.h"
#include "range.h"
#include "sizes.h"
#include <pthread.h>

#define PG_READERS     16    /* connections for views that read more than once */
#define PG_READ_MS     10000 /* for one result */
#define PG_COMMIT_MS   60000
#define PG_AWAY_MS     8000  /* how long a call waits for a primary that is away: a failover takes less */
#define PG_LOSING_MS   20000 /* how long an update tries again where others were faster, or hold a lock that it needs */
#define PG_RETRY_MS    50    /* between two tries */
#define PG_ALONE_MS    3000  /* how long one that wants to be alone waits for others to be gone */

struct batch;
struct gather;

struct pg {
    struct store base;
    const struct pq_library *pq;
    char *url;
    int64_t server; /* this one's number among all that use the database */

    struct gather *gather; /* for views that read once, and quick ones */
    /* Connections for the others. */
    struct conn readers[PG_READERS];
    int64_t reader_since[PG_READERS]; /* when a view took it; 0: it is free */
    pthread_mutex_t readers_lock;
    pthread_cond_t reader_free;

    struct sizes sizes;

    /* The queue of updates, as in local/. */
    pthread_mutex_t queue_lock;
    pthread_cond_t queue_filled;
    struct store_job *head, **tail;
    bool closing;
    pthread_t writer;
    struct conn writing; /* the writer's */
    struct batch *batch; /* the same */
    atomic_int_fast64_t epoch; /* the last that was seen; -1: none yet */

    struct conn leading; /* has the leader's lock, if it is connected and leads */
    bool leads;

    atomic_int state; /* of the last batch */
    atomic_bool reads_away;
    store_told *told;
    void *told_ctx;
    atomic_uint_fast64_t commits, updates, reruns, commit_ns;
};

/* A view, or an update: store.h's transaction. */
struct pg_txn {
    struct store_txn base;
    struct pg *s;
    /* Of a view. */
    struct pg_txn *before; /* the view that this thread was in already, of any store */
    struct pg_txn *outer;  /* the view it runs inside of, on the same thread: whose snapshot it shares */
    struct conn *conn;     /* the outermost one's, for more than one read: a transaction; NULL: there is one read at most */
    struct conn *lane;     /* of a quick one, which has no connection of its own */
    bool answering;        /* it is run for the second time: the answer is there */
    uint64_t asked;        /* conn.h's trace of what it asked for */
    int64_t lane_epoch;
    bool begun, restart, away;
    unsigned reads;
    int64_t epoch;         /* of the last read; -1: none yet */
    struct chunk held;     /* what single reads gave */
    /* Of an update. */
    int error;    /* first failure of a write: it is not to be committed */
    bool probe;   /* only to learn what it asks for */
};

/* views.c */
int pg_view(struct store *s, store_fn *fn, void *ctx);
int pg_view_long(struct store *s, store_fn *fn, void *ctx);
void pg_submit_views(struct store *s, struct store_job *first, struct store_job *last);
/* The view that a transaction belongs to. */
struct pg_txn *view_root(struct pg_txn *t);
/* reads.c */
int view_get(struct pg_txn *t, enum store_space space, struct slice key, struct slice *value);
int view_get_many(struct pg_txn *t, struct store_read *reads, size_t n);
int view_sum(struct pg_txn *t, struct slice key, int64_t *sum);
/* More rows of a span, at least one or *whole. */
int view_fetch(struct pg_txn *t, struct span *span, size_t limit, struct chunk *out, bool *whole);
int view_epoch(struct pg_txn *t, int64_t *epoch);
void pg_readers_init(struct pg *s);
void pg_readers_free(struct pg *s);
/* How long ago the oldest view began that is still under way. */
uint64_t pg_readers_age_ms(struct pg *s);

/* writer.c */
int pg_writer_start(struct pg *s);
void pg_writer_stop(struct pg *s);
void pg_submit(struct store *s, struct store_job *first, struct store_job *last);
void pg_perform(struct store *s, struct store_job *job);

/* leader.c */
bool pg_leads(struct store *s);

/* milliseconds of a clock that does not go back */
int64_t pg_now_ms(void);
void pg_rest(int ms);

#endif
