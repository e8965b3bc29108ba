/* connect.c: of_connect: a database that is not in this process. */
#include "common.h"
#include "../remote/remote.h"
#include <stdlib.h>

#define SETTINGS_MAX ((size_t)8 << 20) /* two profile files */

/* May leave through the arena's guard. */
static int connect_in(struct arena *a, const of_remote_options *o, struct api **out, struct err *e)
{
    struct remote_settings s;
    struct remote_options options = { 0 };
    if (o) {
        options.endpoint = lib_text(o->endpoint, -1);
        options.region = lib_text(o->region, -1);
        options.profile = lib_text(o->profile, -1);
        options.ca_file = lib_text(o->ca_file, -1);
        options.client_cert = lib_text(o->client_cert, -1);
        options.client_key = lib_text(o->client_key, -1);
    }
    int rc = remote_settings_make(a, &options, &remote_env_system, &s, e);
    return rc ? rc : remote_open(out, &s, e);
}

int of_connect(of_db **out, const of_remote_options *o, of_error *err)
{
    struct arena arena;
    struct err e = { .arena = &arena };
    struct api *remote = NULL;
    of_db *db = calloc(1, sizeof *db);
    if (!db) return lib_no_memory(err);
    arena_init(&arena, SETTINGS_MAX);
    volatile bool fits = true;
    volatile int rc = 0;
    if (ARENA_GUARD(&arena)) rc = connect_in(&arena, o, &remote, &e);
    else fits = false;
    arena_unguard(&arena);
    if (!fits) rc = lib_no_memory(err);
    else if (rc) rc = lib_fail_err(err, &e);
    arena_free(&arena);
    if (rc) {
        free(db);
        return rc;
    }
    db->remote = remote;
    db->remote_close = remote_close;
    *out = db;
    return OF_OK;
}
