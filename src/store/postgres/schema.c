/* schema.c: see schema.h. Names are without a schema of PostgreSQL's: its search_path decides. */
#include "schema.h"
#include "keys.h"
#include <stdio.h>

/* bytea has no collation. Rows that are updated find room on their page. */
#define ROWS(name)                                                                                                  \
    "CREATE TABLE " name " (place bytea NOT NULL, head bytea NOT NULL, tail bytea NOT NULL, rest bytea NOT NULL, "  \
    "version bigint NOT NULL, value bytea NOT NULL, PRIMARY KEY (place, head, tail)) WITH (fillfactor = 85)"

static const char *const making[] = {
    "CREATE TABLE onefold_schema (version integer NOT NULL)",
    "INSERT INTO onefold_schema VALUES (1)",
    "CREATE TABLE onefold_epoch (epoch bigint NOT NULL)",
    "INSERT INTO onefold_epoch VALUES (0)",
    "CREATE TABLE onefold_server (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, batch bigint NOT NULL, seen timestamptz NOT NULL)",
    ROWS("onefold_meta"),
    ROWS("onefold_item"),
    ROWS("onefold_index"),
    ROWS("onefold_token"),
    ROWS("onefold_stream"),
    "CREATE TABLE onefold_counter (place bytea NOT NULL, head bytea NOT NULL, tail bytea NOT NULL, rest bytea NOT NULL, "
    "slot bigint NOT NULL, value bigint NOT NULL, PRIMARY KEY (place, head, tail, slot)) WITH (fillfactor = 50)",
};

static int say(const struct conn *c, int status, char *message, size_t size)
{
    conn_tell(c, message, size);
    return status;
}

/* Runs it and forgets the answer. */
static int run(struct conn *c, const char *sql)
{
    PGresult *r;
    int rc = conn_run_text(c, sql, &r);
    if (!rc) c->pq->PQclear(r);
    return rc;
}

/* 0: there are no tables. */
static int read_version(struct conn *c, int64_t *version)
{
    PGresult *r;
    *version = 0;
    int rc = conn_run_text(c, "SELECT version FROM onefold_schema", &r);
    if (rc && !strcmp(c->state, "42P01")) return STORE_OK;
    if (rc) return rc;
    if (c->pq->PQntuples(r) == 1) *version = conn_number(c, r, 0, 0);
    c->pq->PQclear(r);
    return STORE_OK;
}

int schema_check(struct conn *c, char *message, size_t size)
{
    int64_t version;
    int rc = conn_connect(c);
    if (!rc) rc = read_version(c, &version);
    if (rc) return say(c, rc, message, size);
    if (!version) {
        snprintf(message, size, "this database has no tables of Onefold's: make them with onefold store init and the same URL");
        return STORE_NOT_FOUND;
    }
    if (version != SCHEMA_VERSION) {
        snprintf(message, size, "the tables in this database have version %lld, made by a newer Onefold (this one knows %d): use that version",
                 (long long)version, SCHEMA_VERSION);
        return STORE_INVALID;
    }
    return STORE_OK;
}

int schema_make(struct conn *c, bool *made, char *message, size_t size)
{
    int64_t version;
    *made = false;
    int rc = conn_connect(c);
    if (!rc) rc = read_version(c, &version);
    if (!rc && version) return schema_check(c, message, size);
    if (!rc) rc = run(c, "BEGIN");
    for (size_t i = 0; i < sizeof making / sizeof *making && !rc; i++) rc = run(c, making[i]);
    if (!rc) rc = run(c, "COMMIT");
    if (rc) {
        say(c, rc, message, size);
        if (c->pg) run(c, "ROLLBACK");
        return rc;
    }
    *made = true;
    return STORE_OK;
}

int schema_enter(struct conn *c, int64_t *server, char *message, size_t size)
{
    PGresult *r;
    int rc = conn_run_text(c, "INSERT INTO onefold_server (batch, seen) VALUES (0, now()) RETURNING id", &r);
    if (rc) return say(c, rc, message, size);
    *server = conn_number(c, r, 0, 0);
    c->pq->PQclear(r);
    return STORE_OK;
}

int schema_spread(struct conn *c, bool *spread, char *message, size_t size)
{
    PGresult *r;
    int rc = conn_run_text(c, "SELECT count(*) FROM pg_extension WHERE extname = 'citus'", &r);
    if (rc) return say(c, rc, message, size);
    *spread = conn_number(c, r, 0, 0) != 0;
    c->pq->PQclear(r);
    return STORE_OK;
}

void schema_leave(struct conn *c, int64_t server)
{
    char sql[100];
    snprintf(sql, sizeof sql, "DELETE FROM onefold_server WHERE id = %lld", (long long)server);
    if (!conn_connect(c)) run(c, sql);
}
