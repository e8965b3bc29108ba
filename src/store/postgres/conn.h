/* conn.h: one connection to PostgreSQL.
 *
 * It is always in pipeline mode: statements are sent one after the other and their results fetched in the same order, with one round trip
 * for all of them. No wait is without an end: a server that says nothing for too long is as good as gone.
 *
 * A connection that failed is closed and says so (STORE_AWAY); the next conn_ready opens it again, on whichever host of the URL is the
 * primary by then. What it had begun is lost, and of a commit under way nobody knows (commit.c). */
#ifndef OF_STORE_POSTGRES_CONN_H
#define OF_STORE_POSTGRES_CONN_H

#include "pq_library.h"
#include "statements.h"

#define CONN_TELLING 400

/* A lock that each session has while it is connected, so that one that wants to be alone finds out about all others, and they about it. */
enum hold {
    HOLD_SHARED, /* with others; refused where one is alone */
    HOLD_ALONE,  /* refused where there are others */
    HOLD_NOTHING /* of a process that has it by another connection */
};

struct conn {
    const struct pq_library *pq;
    const char *url; /* borrowed */
    PGconn *pg;      /* NULL: not connected */
    unsigned expected; /* results that were asked for and not fetched */
    unsigned ahead;    /* of these the first ones, which nobody asks for: conn_send_ahead */
    bool prepared;
    bool aborted;      /* results were left out because of a failure before them; until conn_end */
    uint64_t trace;    /* of the statements that were sent, and their parameters: equal for equal ones */
    bool dry;          /* statements are not sent, only traced */
    bool left;         /* conn_leave: the end of the last transaction is still to be fetched */
    int wait_ms;     /* for one result */
    enum hold hold;  /* HOLD_SHARED, unless its owner says otherwise */
    bool held_off;   /* the last failure: the lock was not to be had */
    char why[CONN_TELLING]; /* the last failure, in PostgreSQL's words, libpq's or ours */
    char state[6];   /* and its SQLSTATE; empty: none */
};

void conn_init(struct conn *c, const struct pq_library *pq, const char *url, int wait_ms);
void conn_close(struct conn *c);
/* Connects, where it is not connected. STORE_OK, STORE_AWAY, or another status where trying again does not help. */
int conn_connect(struct conn *c);
/* The same, with all statements prepared. */
int conn_ready(struct conn *c);
/* The last failure as one sentence, which says so where the words are PostgreSQL's. */
void conn_tell(const struct conn *c, char *message, size_t size);

/* Parameters of a statement, in their order. Slices are borrowed until the statement was sent. */
#define ARGS_MAX 8
struct args {
    int n, lengths[ARGS_MAX], formats[ARGS_MAX];
    const char *values[ARGS_MAX];
    uint8_t numbers[ARGS_MAX][8];
};
void args_bytes(struct args *a, struct slice bytes);
void args_number(struct args *a, int64_t number);
void args_flag(struct args *a, bool flag);

/* Before the pipeline: sends it and fetches all that comes, one text at most (cut off to fit; may be NULL). */
int conn_ask(struct conn *c, const char *sql, char *text, size_t size);

/* Statements go out with conn_flush at the latest, which also marks the end of what fails together. */
int conn_send(struct conn *c, enum statement s, enum store_space space, const struct args *a);
int conn_send_text(struct conn *c, const char *sql); /* COMMIT and the like */
/* BEGIN and the like, which go with the statement behind them: their result is fetched with the next one and, where all is well, not seen. */
int conn_send_ahead(struct conn *c, const char *sql);
/* The end of a transaction that was only read in: sent, and not waited for. conn_ready fetches what comes of it. */
void conn_leave(struct conn *c, const char *sql);
int conn_flush(struct conn *c);
/* The next result, which is the caller's to clear; NULL and a status if it is an error, or was left out because of one before it.
 * conn_skip: it is not wanted. */
int conn_result(struct conn *c, PGresult **out);
int conn_skip(struct conn *c);
/* Fetches what is still to come up to the mark of conn_flush. Call it after each flush: until then the connection is in its middle. */
int conn_end(struct conn *c);
/* Sends, flushes, fetches one result, ends. */
int conn_run(struct conn *c, enum statement s, enum store_space space, const struct args *a, PGresult **out);
int conn_run_text(struct conn *c, const char *sql, PGresult **out);
/* Gives the connection up: it will be opened anew. */
void conn_drop(struct conn *c, const char *why);

/* A field of a binary result. */
struct slice conn_bytes(const struct conn *c, const PGresult *r, int row, int column);
int64_t conn_number(const struct conn *c, const PGresult *r, int row, int column);
bool conn_is_null(const struct conn *c, const PGresult *r, int row, int column);
/* How many rows a writing statement changed. */
int64_t conn_changed(const struct conn *c, PGresult *r);

#endif
