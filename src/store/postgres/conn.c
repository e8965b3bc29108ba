/* conn.c: see conn.h. */
#include "conn.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

void conn_init(struct conn *c, const struct pq_library *pq, const char *url, int wait_ms)
{
    *c = (struct conn){ .pq = pq, .url = url, .wait_ms = wait_ms };
}

void conn_close(struct conn *c)
{
    if (c->pg) c->pq->PQfinish(c->pg);
    c->pg = NULL;
    c->expected = c->ahead = 0;
    c->left = c->prepared = c->aborted = false;
}

/* ---- what went wrong ---- */

/* PostgreSQL ends its messages with a new line, and may say more in further ones. */
static void note(struct conn *c, const char *state, const char *why)
{
    if (!*why) why = "the connection was lost";
    size_t n = strcspn(why, "\n");
    if (n >= sizeof c->why) n = sizeof c->why - 1;
    memmove(c->why, why, n); /* it may be the same */
    c->why[n] = 0;
    snprintf(c->state, sizeof c->state, "%s", state ? state : "");
}

void conn_drop(struct conn *c, const char *why)
{
    note(c, NULL, why ? why : c->pg ? c->pq->PQerrorMessage(c->pg) : "not connected");
    conn_close(c);
}

/* What comes from it has a SQLSTATE, or where it does not let one in, its severity. */
void conn_tell(const struct conn *c, char *message, size_t size)
{
    bool theirs = c->state[0] || strstr(c->why, "FATAL: ") || strstr(c->why, "ERROR: ");
    snprintf(message, size, "%s%s", theirs ? "PostgreSQL says: " : "", c->why);
}

static int away(struct conn *c, const char *why)
{
    conn_drop(c, why);
    return STORE_AWAY;
}

/* SQLSTATEs by their class, or in full. */
static int status_of(const char *state)
{
    static const struct {
        const char *begins;
        int status;
    } known[] = {
        { "40001", STORE_CONFLICT }, { "40P01", STORE_CONFLICT }, /* could not serialize; deadlock */
        { "55P03", STORE_CONFLICT },                              /* a lock was not to be had in time */
        { "53100", STORE_FULL },                                  /* disk full */
        { "53200", STORE_NO_MEMORY }, { "53", STORE_AWAY },       /* too many connections */
        { "57", STORE_AWAY },                                     /* shutting down, canceled */
        { "25006", STORE_AWAY },                                  /* read-only: it is no primary any more */
        { "08", STORE_AWAY },                                     /* connection */
        { "58", STORE_IO }, { "XX", STORE_CORRUPT },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strncmp(state, known[i].begins, strlen(known[i].begins))) return known[i].status;
    return STORE_IO;
}

/* ---- waiting ---- */

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int wait_for(struct conn *c, short events, int64_t until)
{
    struct pollfd p = { .fd = c->pq->PQsocket(c->pg), .events = events };
    if (p.fd < 0) return away(c, NULL); /* libpq has noticed that it is closed: nothing will ever come */
    for (;;) {
        int64_t left = until - now_ms();
        if (left <= 0) return away(c, "PostgreSQL did not answer in time");
        int n = poll(&p, 1, (int)left);
        if (n > 0) return STORE_OK;
        if (n < 0 && errno != EINTR) return away(c, strerror(errno));
    }
}

/* Reads while it writes: PostgreSQL may not take more until its answers are taken. */
static int send_all(struct conn *c)
{
    int64_t until = now_ms() + c->wait_ms;
    for (;;) {
        int left = c->pq->PQflush(c->pg);
        if (left < 0) return away(c, NULL);
        if (!left) return STORE_OK;
        int rc = wait_for(c, POLLIN | POLLOUT, until);
        if (rc) return rc;
        if (!c->pq->PQconsumeInput(c->pg)) return away(c, NULL);
    }
}

static int receive(struct conn *c, PGresult **out)
{
    int64_t until = now_ms() + c->wait_ms;
    while (c->pq->PQisBusy(c->pg)) {
        int rc = wait_for(c, POLLIN, until);
        if (rc) return rc;
        if (!c->pq->PQconsumeInput(c->pg)) return away(c, NULL);
    }
    *out = c->pq->PQgetResult(c->pg);
    return STORE_OK;
}

/* ---- sending ---- */

void args_bytes(struct args *a, struct slice bytes)
{
    a->values[a->n] = bytes.n ? (const char *)bytes.p : "";
    a->lengths[a->n] = (int)bytes.n;
    a->formats[a->n++] = 1;
}

void args_number(struct args *a, int64_t number)
{
    for (int i = 0; i < 8; i++) a->numbers[a->n][i] = (uint8_t)((uint64_t)number >> (56 - 8 * i));
    args_bytes(a, slice_of(a->numbers[a->n], 8));
}

void args_flag(struct args *a, bool flag)
{
    a->numbers[a->n][0] = flag;
    args_bytes(a, slice_of(a->numbers[a->n], 1));
}

static void trace(struct conn *c, unsigned number, const struct args *a)
{
    c->trace = c->trace * 31 + number + 1;
    for (int i = 0; i < a->n; i++) c->trace = XXH3_64bits_withSeed(a->values[i], (size_t)a->lengths[i], c->trace + (uint64_t)a->lengths[i]);
}

int conn_send(struct conn *c, enum statement s, enum store_space space, const struct args *a)
{
    static const struct args none;
    unsigned number = statement_number(s, space);
    char name[12];
    if (!c->pg) return STORE_AWAY;
    if (!a) a = &none;
    trace(c, number, a);
    if (c->dry) return STORE_OK;
    snprintf(name, sizeof name, "%u", number);
    if (!c->pq->PQsendQueryPrepared(c->pg, name, a->n, a->values, a->lengths, a->formats, 1)) return away(c, NULL);
    c->expected++;
    return STORE_OK;
}

int conn_send_text(struct conn *c, const char *sql)
{
    if (!c->pg) return STORE_AWAY;
    if (!c->pq->PQsendQueryParams(c->pg, sql, 0, NULL, NULL, NULL, NULL, 1)) return away(c, NULL);
    c->expected++;
    return STORE_OK;
}

int conn_send_ahead(struct conn *c, const char *sql)
{
    int rc = conn_send_text(c, sql);
    if (!rc) c->ahead++;
    return rc;
}

void conn_leave(struct conn *c, const char *sql)
{
    if (c->pg && !conn_send_text(c, sql) && !conn_flush(c)) c->left = true;
}

int conn_flush(struct conn *c)
{
    if (!c->pg) return STORE_AWAY;
    if (!c->pq->PQpipelineSync(c->pg)) return away(c, NULL);
    return send_all(c);
}

/* ---- receiving ---- */

/* Each result is followed by a NULL, which is fetched with it. */
static int next_result(struct conn *c, PGresult **out)
{
    PGresult *r, *none;
    int rc = STORE_OK;
    *out = NULL;
    if (!c->pg) return STORE_AWAY;
    if (!c->expected) return STORE_INVALID;
    if (receive(c, &r)) return STORE_AWAY;
    if (!r) return away(c, "PostgreSQL sent less than was asked for");
    c->expected--;
    ExecStatusType status = c->pq->PQresultStatus(r);
    if (status == PGRES_PIPELINE_ABORTED) {
        rc = STORE_CONFLICT; /* the one before it says what it was */
        c->aborted = true;
    } else if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
        const char *state = c->pq->PQresultErrorField(r, PG_DIAG_SQLSTATE);
        note(c, state, c->pq->PQresultErrorMessage(r));
        rc = state ? status_of(state) : STORE_AWAY;
    }
    if (!rc) *out = r;
    else c->pq->PQclear(r);
    if (rc == STORE_AWAY) {
        conn_close(c);
        return rc;
    }
    if (receive(c, &none)) {
        if (*out) c->pq->PQclear(*out);
        *out = NULL;
        return STORE_AWAY;
    }
    if (none) c->pq->PQclear(none); /* cannot be */
    return rc;
}

int conn_result(struct conn *c, PGresult **out)
{
    int first = STORE_OK;
    while (c->pg && c->ahead) {
        c->ahead--; /* before: a connection that is lost has none */
        int rc = next_result(c, out);
        if (*out) c->pq->PQclear(*out);
        if (!first) first = rc;
    }
    int rc = next_result(c, out);
    return first && rc == STORE_CONFLICT ? first : rc; /* left out because of it */
}

int conn_skip(struct conn *c)
{
    PGresult *r;
    int rc = conn_result(c, &r);
    if (r) c->pq->PQclear(r);
    return rc;
}

int conn_end(struct conn *c)
{
    PGresult *r;
    int first = STORE_OK;
    c->aborted = false;
    while (c->pg && c->expected) {
        int rc = conn_skip(c);
        if (!first) first = rc;
    }
    if (!c->pg) return first ? first : STORE_AWAY;
    if (receive(c, &r)) return STORE_AWAY;
    bool synced = r && c->pq->PQresultStatus(r) == PGRES_PIPELINE_SYNC;
    if (r) c->pq->PQclear(r);
    if (!synced) return away(c, "PostgreSQL sent something that was not asked for");
    return first;
}

static int one_result(struct conn *c, int rc, PGresult **out)
{
    *out = NULL;
    if (!rc) rc = conn_flush(c);
    if (!rc) rc = conn_result(c, out);
    int end = c->pg ? conn_end(c) : STORE_AWAY;
    if (!rc && end) rc = end;
    if (rc && *out) {
        c->pq->PQclear(*out);
        *out = NULL;
    }
    return rc;
}

int conn_run(struct conn *c, enum statement s, enum store_space space, const struct args *a, PGresult **out)
{
    return one_result(c, conn_send(c, s, space, a), out);
}

int conn_run_text(struct conn *c, const char *sql, PGresult **out)
{
    return one_result(c, conn_send_text(c, sql), out);
}

int conn_ask(struct conn *c, const char *sql, char *text, size_t size)
{
    PGresult *r;
    int first = STORE_OK;
    if (!c->pq->PQsendQuery(c->pg, sql)) return away(c, NULL);
    int rc = send_all(c);
    while (!rc && !(rc = receive(c, &r)) && r) {
        ExecStatusType status = c->pq->PQresultStatus(r);
        if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) first = STORE_AWAY;
        if (text && c->pq->PQntuples(r) == 1) snprintf(text, size, "%s", c->pq->PQgetvalue(r, 0, 0));
        c->pq->PQclear(r);
    }
    return rc ? rc : first;
}

/* ---- fields ---- */

struct slice conn_bytes(const struct conn *c, const PGresult *r, int row, int column)
{
    return slice_of(c->pq->PQgetvalue(r, row, column), (size_t)c->pq->PQgetlength(r, row, column));
}

int64_t conn_number(const struct conn *c, const PGresult *r, int row, int column)
{
    struct slice bytes = conn_bytes(c, r, row, column);
    return bytes.n <= 8 ? (int64_t)slice_big_endian(bytes.p, bytes.n) : 0;
}

bool conn_is_null(const struct conn *c, const PGresult *r, int row, int column)
{
    return c->pq->PQgetisnull(r, row, column);
}

int64_t conn_changed(const struct conn *c, PGresult *r)
{
    return strtoll(c->pq->PQcmdTuples(r), NULL, 10);
}
