/* leader.c: one of the servers does what only one should do.
 *
 * It has a lock of PostgreSQL's that belongs to a connection, and is free again when that ends, however its server ended; or when its server has said nothing for
 * LEADER_SILENT, because it stands still or its machine is gone. A server that was cut off from
 * PostgreSQL may believe in its lock until it asks again: its updates are transactions like all others, so that does no harm. */
#include "postgres.h"

#define LEADER_SILENT "10s" /* it asks every second, and between the steps of long work */

/* PostgreSQL ends the session then. */
static void promise_to_ask(struct conn *c)
{
    PGresult *r;
    if (!conn_run_text(c, "SET idle_session_timeout = '" LEADER_SILENT "'", &r)) c->pq->PQclear(r);
}

/* A server that was only quiet for a week makes itself a new row (writer.c). */
static void forget_servers(struct conn *c)
{
    PGresult *r;
    if (!conn_run(c, S_FORGET, SPACE_META, NULL, &r)) c->pq->PQclear(r);
}

bool pg_leads(struct store *store)
{
    struct pg *s = (struct pg *)store;
    struct conn *c = &s->leading;
    PGresult *r;
    if (!c->pg) s->leads = false;
    if (conn_ready(c)) return false;
    /* Who has the lock asks all the same: that is how it notices that its connection is gone. */
    if (conn_run(c, s->leads ? S_EPOCH : S_LEAD, SPACE_META, NULL, &r)) return s->leads = false;
    bool before = s->leads;
    if (!before) s->leads = conn_number(c, r, 0, 0) != 0;
    c->pq->PQclear(r);
    if (s->leads && !before) promise_to_ask(c);
    if (s->leads && !before) forget_servers(c);
    return s->leads;
}
