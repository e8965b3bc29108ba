/* connect.c: opens a connection: to the primary, with settings that leave no choice of plans, all statements prepared. */
#include "conn.h"
#include "url.h"
#include <stdio.h>

/* A server that stands still in the middle of a commit keeps others waiting for ten seconds, not longer; who waits for a lock gives up before PG_READ_MS.
 * Statements that are sent together, without a BEGIN, see one state: isolation level REPEATABLE READ. What the URL says comes later and wins, but for `options`, which are ours: a plan that scans where a key tells is never right, and a
 * statement is planned once, not for each set of parameters. */
static const char settings[] =
    "SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; "
    "SET plan_cache_mode = force_generic_plan; SET jit = off; SET client_min_messages = error; SET synchronous_commit = on; "
    "SET default_transaction_isolation = 'repeatable read'; SET idle_in_transaction_session_timeout = '10s'; SET lock_timeout = '5s'; "
    "SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3"; /* a machine that is gone holds no locks after that */

static PGconn *connect_to(const struct conn *c)
{
    static const char *const names[] = { "connect_timeout", "tcp_user_timeout", "keepalives_idle", "keepalives_interval", "application_name",
                                         "target_session_attrs", "dbname", NULL };
    const char *values[] = { "3", "8000", "5", "2", "onefold", "read-write", c->url, NULL };
    return c->pq->PQconnectdbParams(names, values, 1);
}

static int prepare_all(struct conn *c)
{
    char name[12], text[1000];
    for (unsigned i = 0; i < statement_count(); i++) {
        snprintf(name, sizeof name, "%u", i);
        statement_text(i, text, sizeof text);
        if (!c->pq->PQsendPrepare(c->pg, name, text, 0, NULL)) {
            conn_drop(c, NULL);
            return STORE_AWAY;
        }
        c->expected++;
    }
    int rc = conn_flush(c);
    return rc ? rc : conn_end(c);
}

/* Of a database without tables there is no lock, nor anything to keep apart. */
static bool take_hold(struct conn *c)
{
#define USING "(3::bigint << 40) | to_regclass('onefold_epoch')::oid::bigint"
    static const char *const taking[] = { [HOLD_SHARED] = "SELECT pg_try_advisory_lock_shared(" USING ")",
                                          [HOLD_ALONE] = "SELECT pg_try_advisory_lock(" USING ")" };
    static const char *const refusals[] = { [HOLD_SHARED] = "a copy of all that is in this database is being made: wait until it has ended",
                                            [HOLD_ALONE] = "servers or another copy use this database: stop them first" };
    if (c->hold == HOLD_NOTHING) return true;
    char answer[8] = "";
    bool told = !conn_ask(c, taking[c->hold], answer, sizeof answer);
    c->held_off = told && !strcmp(answer, "f");
    if (c->held_off) conn_drop(c, refusals[c->hold]);
    return told && !c->held_off;
}

static void silent(void *ctx, const char *message)
{
    (void)ctx;
    (void)message;
}

int conn_connect(struct conn *c)
{
    if (c->pg) return STORE_OK;
    c->state[0] = 0;
    c->held_off = false;
    c->pg = connect_to(c);
    if (!c->pg) {
        conn_drop(c, "out of memory");
        return STORE_NO_MEMORY;
    }
    if (c->pq->PQstatus(c->pg) != CONNECTION_OK) {
        char refusal[CONN_TELLING];
        conn_drop(c, url_refused(c->pq->PQerrorMessage(c->pg), refusal, sizeof refusal) ? refusal : NULL);
        return STORE_AWAY;
    }
    c->pq->PQsetNoticeProcessor(c->pg, silent, NULL);
    if (!c->pq->PQsetnonblocking(c->pg, 1) && !conn_ask(c, settings, NULL, 0) && take_hold(c) && c->pq->PQenterPipelineMode(c->pg)) return STORE_OK;
    if (c->pg) conn_drop(c, NULL);
    return STORE_AWAY;
}

int conn_ready(struct conn *c)
{
    if (c->pg && c->left) {
        c->left = false;
        conn_end(c);
    }
    int rc = conn_connect(c);
    if (rc || c->prepared) return rc;
    rc = prepare_all(c);
    c->prepared = !rc;
    if (rc && c->pg) conn_drop(c, c->why);
    return rc;
}
