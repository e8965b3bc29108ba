/* jobs_impl.h: what jobs.c and the kinds of work share. */
#ifndef OF_ENGINE_JOBS_IMPL_H
#define OF_ENGINE_JOBS_IMPL_H

#include "engine_impl.h"

#define JOB_NEVER INT64_MAX

/* A kind of work. */
struct job_kind {
    /* On the jobs' thread: does a piece of what there is to do, by jobs_step or in views and on files of its own. *rest_ms
     * is JOB_NEVER before: nothing is left until jobs_wake; otherwise it says in how many milliseconds the kind wants
     * to be asked again, 0 for at once. STORE_OK, or an error: the kind is asked again in a second, and keeps none of
     * the others waiting. */
    int (*work)(struct jobs *j, int64_t *rest_ms);
    const char *name; /* for the log: "the filling of an index" */
};

extern const struct job_kind
    job_backfill,
    job_purge,
    job_tokens,
    job_history,
    job_expiry,
    job_copy,
    job_backups,
    job_import,
    job_export;

struct engine *jobs_engine(const struct jobs *j);
/* The kind that is being asked met damaged data, and goes on without. Told now and then. */
void jobs_left_damaged(struct jobs *j);
/* The next row of a range, with no value where that is damaged. Nothing is told behind a place that cannot be read: that is STORE_CORRUPT. */
int jobs_next_row(struct store_cursor *cursor, struct slice *key, struct slice *value);
/* The thread is to end: work that has a loop of its own asks. */
bool jobs_stopping(struct jobs *j);

/* One step of some work: a small update, and what it found. */
struct step {
    struct engine *engine;
    int (*fn)(struct store_txn *txn, struct step *step); /* STORE_OK or an error */
    struct arena arena; /* guarded, and emptied at the start of each try */
    uint32_t id;        /* of the table, the index ... that it is about */
    void *ctx;          /* the kind's own */
    int64_t now_ms;
    /* out */
    struct slice record;  /* a table that has changed and is to be published; empty: none */
    struct slice removed; /* the name of one that is gone; empty: none */
};

/* Has it taken so much memory that it should stop where it is? What it has in hand depends on the items that it finds, and
 * one more has to fit into its arena: two images of 400 KB, in the table and in every index. */
static inline bool step_is_full(const struct step *step)
{
    return step->arena.used > (size_t)16 << 20;
}

/* A step that looked at so many things, *most or fewer, failed because of damage: is it to be tried with half of them? What fails it is met in ever
 * smaller ones; alone, it can be passed over. */
static inline bool step_in_parts(size_t *most, size_t looked)
{
    if (looked < *most) *most = looked;
    *most /= 2;
    return *most > 0;
}

/* Runs fn in one update, and publishes what it changed. */
int jobs_step(struct jobs *j, int (*fn)(struct store_txn *, struct step *), uint32_t id, void *ctx);

/* A kind that has several in hand (indexes to fill, tables ...) lets each have its turn in a round. One that fails keeps none of the others
 * waiting, and is tried again in a second or when jobs_wake was called, however often the others have their turns; damaged data is told as if
 * it were the kind's own failure. The ids are the kind's own. */
/* Has it not failed just now, nor the store? */
bool jobs_may_try(struct jobs *j, uint64_t id);
/* What became of it. True: it was done. */
bool jobs_tried(struct jobs *j, uint64_t id, int status);

/* All of that for the records "what" id(4) in SPACE_META, as many in a round as others can wait for. *rest_ms is 0 while one of them
 * did something. */
typedef int job_turn(struct jobs *j, uint32_t id, void *ctx);
int jobs_turns(struct jobs *j, char what, job_turn *turn, void *ctx, int64_t *rest_ms);

/* A kind that finds more than one round can take goes on in the next behind the place where it ended, and begins anew at the end: what fails is met
 * again, and keeps nothing waiting that lies behind it. id: of what has the places, the kind's own. */
struct job_place {
    struct slice after; /* a key; empty: it begins anew */
    bool again;         /* the kind's own */
};
/* Good until the next jobs_keep_place. What failed on the way there is to be tried again, too. */
struct job_place jobs_place(struct jobs *j, uint64_t id);
void jobs_keep_place(struct jobs *j, uint64_t id, struct job_place place);

/* In a step: a draft of the table's record, found through the catalog's snapshot, read in this transaction. NULL with
 * *status STORE_NOT_FOUND: it is gone, or not published yet. */
struct table *step_table(struct store_txn *txn, struct step *step, uint32_t table_id, int *status);

#endif
