/* database.c: schemas for tests in the database that TEST_PG_URL names: see fixture.h. */
#include "fixture.h"
#include "store/postgres/pq_library.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *database_url(void)
{
    const char *url = getenv("TEST_PG_URL");
    return url && *url ? url : NULL;
}

int database_run(const char *url, const char *sql)
{
    const char *why;
    const struct pq_library *pq = pq_library(&why);
    const char *const names[] = { "dbname", NULL }, *values[] = { url, NULL };
    PGconn *c = pq && values[0] ? pq->PQconnectdbParams(names, values, 1) : NULL;
    bool done = c && pq->PQstatus(c) == CONNECTION_OK && pq->PQsendQuery(c, sql);
    PGresult *r;
    while (c && (r = pq->PQgetResult(c))) {
        done = done && (pq->PQresultStatus(r) == PGRES_COMMAND_OK || pq->PQresultStatus(r) == PGRES_TUPLES_OK);
        pq->PQclear(r);
    }
    if (!done) print_error("%s: %s\n", sql, c ? pq->PQerrorMessage(c) : values[0] ? why : "TEST_PG_URL names no database");
    if (c) pq->PQfinish(c);
    return done ? 0 : -1;
}

int database_make(char *url, size_t size)
{
    static unsigned count;
    char sql[100], message[400];
    bool made;
    unsigned n = count++;
    snprintf(sql, sizeof sql, "CREATE SCHEMA store_%d_%u", (int)getpid(), n);
    if (database_run(database_url(), sql)) return -1;
    snprintf(url, size, "%s%coptions=-csearch_path%%3Dstore_%d_%u", database_url(), strchr(database_url(), '?') ? '&' : '?', (int)getpid(), n);
    if (!store_postgres_init(url, &made, message, sizeof message) && made) return 0;
    print_error("%s\n", message);
    return -1;
}

void database_remove(const char *url)
{
    char sql[200];
    snprintf(sql, sizeof sql, "SET client_min_messages = warning; DROP SCHEMA %s CASCADE", strrchr(url, 'D') + 1);
    database_run(database_url(), sql);
}
