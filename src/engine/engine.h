/* engine.h: the database: operations on tables, as JSON in and JSON out.
 *
 * A call goes through two steps. call_prepare reads and validates the request: no store access, on the
 * caller's thread. Then it runs in one store transaction, a view for reads and an update for writes,
 * and leaves the answer in call->response. call_run does that and waits; call_start hands a write to
 * the store and returns, for event loops that may not wait. */
#ifndef OF_ENGINE_ENGINE_H
#define OF_ENGINE_ENGINE_H

#include "../base/err.h"
#include "../item/json.h"
#include "../store/store.h"
#include "tally.h"

struct engine;
struct op;      /* one API operation, engine/ops.h */
struct catalog; /* engine/catalog.h */
struct footprint; /* engine/footprint.h */
struct identity; /* auth/identity.h */

/* What becomes of requests that overlap a transaction under way (conflicts.h). */
enum conflict_mode { CONFLICTS_SERIALIZE, CONFLICTS_DYNAMODB };

struct engine_options {
    int64_t (*now_ms)(void *ctx); /* milliseconds since 1970, for tests that move the clock; NULL: the system's */
    void *clock_ctx;
    enum conflict_mode conflicts;
    bool uncounted; /* nobody will ask what calls did (counters.h): there are no counters */
    bool throttle; /* tables have the capacity they were given (throttle.h) */
    const char *s3_dir; /* where the buckets of export and import are, a directory each; NULL: nowhere */
};

/* The store must outlive the engine. Starts background work (index backfill, purging) where any was
 * left unfinished. On failure writes one sentence into message; you owe nothing then. */
int engine_open(struct engine **out, struct store *store, const struct engine_options *o,
                char *message, size_t message_size);
/* Stops background work. No call may be under way. */
void engine_close(struct engine *e);

/* Who asks, as far as answers depend on it. */
struct caller {
    struct slice region;  /* for ARNs; empty: us-east-1 */
    struct slice account; /* empty: 000000000000 */
    struct slice host;    /* by which it was reached, with port; empty: not over a network */
    struct slice address; /* from which it came, as text; empty: not known */
    bool secure;          /* over TLS */
    bool guest;           /* the studio's own call: counted apart (counters.h) */
    const struct identity *identity; /* ../auth/identity.h; NULL: nobody is asked for, everything is allowed */
};

struct call {
    struct engine *engine;
    struct arena *arena;       /* the request's; borrowed */
    struct caller caller;
    const struct op *op;
    const struct json *request;
    void *state;               /* the operation's own, made by its parse step */
    const struct catalog *catalog; /* held from binding to the end; call_end releases it */
    struct err err;            /* err.code != 0: failed, and this is the answer */
    struct buf response;       /* JSON, when err.code is 0 */
    void (*done)(struct call *call); /* for call_start; on some other thread */
    /* For callers in C: gets each item of the answer as an encoded value (borrowed, for the moment),
     * which is then not written as JSON: the response is of no use. An empty one comes before the first: the run begins, perhaps
     * again, and what an earlier one gave does not count. With it LastEvaluatedKey comes as last_key.
     * NULL: JSON. */
    void (*on_item)(struct call *call, struct slice item);
    struct slice last_key;
    struct slice changed;      /* the record of the table that run has changed; see call_write_table */
    void *user;                /* the caller's */
    /* The engine's own. */
    int store_status;          /* the failure that run met, or STORE_OK */
    size_t row;                /* of the operation, in the counters */
    uint64_t began_ns;         /* 0: not to be counted, or counted already */
    bool bound;                /* the last binding succeeded, to call->catalog */
    bool ran;
    bool is_long;              /* a read that was started and is to be run all the same */
    struct tally tally;
    struct footprint *footprint; /* NULL where nobody asks for it */
    struct store_job job;
};

/* Has the API an operation of that name? */
bool engine_has_operation(struct slice name);

/* call->done, on_item and user must be set (or NULL) before; the rest of call may hold anything.
 * operation: "GetItem". body: the request's bytes, which must live as long as the call. Never leaves
 * through the arena's guard: running out of memory becomes an error answer. Returns call->err.code. */
int call_prepare(struct call *call, struct engine *e, struct arena *a, struct caller who,
                 struct slice operation, struct slice body);
/* The same for a request that is a tree already. Attribute values in it may be JSON_ENCODED. */
int call_prepare_tree(struct call *call, struct engine *e, struct arena *a, struct slice operation,
                      const struct json *request);
/* True if running it may wait for the disk or the network: then start it, or use another thread. */
bool call_may_block(const struct call *call);
/* Goes to the writer: a write, or a read that is right only there. */
bool call_is_write(const struct call *call);
/* Is it of the control plane: does it change a table, what belongs to one or who may use it, and not its items? */
bool call_is_control(const struct call *call);
/* Did it fail because what is stored is damaged? */
bool call_met_damage(const struct call *call);
/* Runs it to its end: a read on this thread; a write too where nobody else is writing, and waits for its commit. call->done is not
 * called. */
int call_run(struct call *call);
/* Runs it in a transaction that the caller has open, on the thread that runs that. A write is durable when the caller has committed;
 * of one that failed nothing is written, unless it was the store that failed, and then the transaction cannot commit. What changes
 * the catalog is refused. */
int call_run_in(struct call *call, struct store_txn *txn);
/* For writes: returns at once; call->done is called on the writer's thread when durable. */
void call_start(struct call *call);

/* Writes to be started together, in this order: one lock, one waking and, as a rule, one commit. Or reads that may block. Begins as zeroes. A call that was
 * gathered is not the caller's until call->done, as if it had been started. */
struct call_group {
    struct store_job *first, *last;
    unsigned n;
};
void call_gather(struct call *call, struct call_group *g);
/* Empties the group, which may be empty. */
void call_start_group(struct engine *e, struct call_group *g);
/* The same for reads: call->done may be called before this returns, or on some other thread. Where call->is_long is set then it has not run, and call_run has to. */
void call_start_reads(struct engine *e, struct call_group *g);

/* Could the policy of a table deny the caller, who has an identity, something that a guest does to tables? A guest's calls are nobody's, so
 * that none of them can be judged by itself: what a policy says of items denies all. 0, or the error. May wait, where calls may block. */
int engine_check_guest(struct engine *e, const struct caller *who, struct err *err);

/* Must follow every call_prepare, when the answer has been taken. Counts the call (counters.h). */
void call_end(struct call *call);

/* The body of the answer: call->response, or the error envelope {"__type":...,"message":...}. A NUL stands behind it, unless items
 * went to on_item. Needs no memory after a write that was done. */
struct slice call_answer(struct call *call);
int call_http_status(const struct call *call);

#endif
