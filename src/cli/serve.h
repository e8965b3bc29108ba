/* serve.h: what `onefold serve` was asked for, and the running of it. */
#ifndef OF_CLI_SERVE_H
#define OF_CLI_SERVE_H

#include "../engine/engine.h"
#include "../wire/http.h"
#include <onefold.h>

#define SERVE_MAX_LIST 32
#define SERVE_MAX_SLOW_MS 3600000

struct serve_options {
    const char *host;
    uint16_t port;
    unsigned threads;
    const char *data; /* NULL: ./onefold-data, or memory */
    bool memory;
    const char *store; /* a PostgreSQL database instead, which other servers use too; NULL: none */
    const char *tls_cert, *tls_key, *tls_client_ca; /* files; NULL: no TLS, and for the last one any client */
    const char *s3; /* the buckets of export and import; NULL: none */
    enum store_durability durability;
    enum conflict_mode conflicts;
    bool throttle;
    bool metrics_for_all; /* /metrics; or for this machine alone */
    const char *credentials; /* a file of access keys, or "aws"; NULL: whoever reaches the server may do everything */
    bool insecure;           /* other machines may reach it without credentials or without TLS */
    unsigned slow_ms; /* a request that takes this long is told in the log; 0: none is */
    int log_level;
    bool log_json;
    const char *cors[SERVE_MAX_LIST], *allow_hosts[SERVE_MAX_LIST];
    const char *models[SERVE_MAX_LIST]; /* for the studio */
    size_t n_cors, n_allow_hosts, n_models;
    struct http_limits limits;
    /* Called when the address is known and the database is open, before the first request is answered. NULL: nothing. */
    void (*ready)(void *ctx, of_db *db, const char *endpoint);
    void *ready_ctx;
};

static inline bool serve_has_tls(const struct serve_options *o)
{
    return o->tls_cert != NULL;
}

/* Opens everything, serves until told to stop, closes everything. Returns an exit code. */
int serve_run(const struct serve_options *o);
/* Is this address to listen on one that only this machine reaches? */
bool serve_is_loopback(const char *host);
/* Are the pages of the studio in this program? */
bool serve_has_studio(void);

#endif
