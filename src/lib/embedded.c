/* embedded.c: an embedded database as a struct api: JSON in and out, through the same steps as
 * of_call. */
#include "lib.h"
#include "../engine/bulk.h"
#include <stddef.h>

static of_db *db_of(struct api *api)
{
    return (of_db *)(void *)((char *)api - offsetof(struct of_db, embedded));
}

/* The transaction that calls of this thread are part of, and of which database. */
static _Thread_local struct {
    const of_db *db;
    struct store_txn *txn;
} within;

static struct store_txn *txn_of(const of_db *db)
{
    return within.db == db ? within.txn : NULL;
}

/* Everything lies in the caller's arena. The engine turns running out of it into an error answer,
 * so nothing leaves between preparing and ending the call. */
static int call(struct api *api, struct arena *a, struct slice operation, struct slice body,
                struct slice *answer, struct err *e)
{
    struct call c = { .done = NULL };
    if (body.n > LIB_BODY_MAX) {
        return err_set(e, ERR_ValidationException, "a request has at most %zu bytes", LIB_BODY_MAX);
    }
    struct store_txn *txn = txn_of(db_of(api));
    if (!call_prepare(&c, db_of(api)->engine, a, (struct caller){ .guest = db_of(api)->guest }, operation, body)) {
        if (txn) call_run_in(&c, txn);
        else call_run(&c);
    }
    int code = (int)c.err.code;
    if (code) {
        e->code = c.err.code;
        e->message = c.err.message;
        e->detail = c.err.detail;
    } else {
        *answer = buf_view(&c.response);
    }
    call_end(&c);
    return code;
}

static int put_items(struct api *api, struct arena *a, struct slice table, const struct slice *items,
                     size_t n, size_t *put, struct err *e)
{
    struct bulk b = { .table = table, .items = items, .n = n };
    int code = bulk_put(db_of(api)->engine, a, txn_of(db_of(api)), &b, e);
    *put = b.put;
    return code;
}

struct joint {
    const of_db *db;
    void (*fn)(void *ctx);
    void *ctx;
};

/* On this thread or on the writer's. */
static int run_together(struct store_txn *txn, void *ctx)
{
    const struct joint *j = ctx;
    within.db = j->db;
    within.txn = txn;
    j->fn(j->ctx);
    within.db = NULL;
    within.txn = NULL;
    return STORE_OK;
}

static int together(struct api *api, void (*fn)(void *ctx), void *ctx, struct err *e)
{
    struct joint j = { db_of(api), fn, ctx };
    int status = store_update(j.db->store, run_together, &j);
    if (!status) return 0;
    return err_set(e, ERR_InternalServerError, "nothing was changed: %s", store_status_text(status));
}

void lib_embedded_init(of_db *db)
{
    db->embedded = (struct api){ .call = call };
    /* A server has others to serve beside its studio, and no transaction may keep them waiting. */
    if (!db->guest) {
        db->embedded.put_items = put_items;
        db->embedded.together = together;
    }
    if (db->dir) db->embedded.where = slice_str(db->dir);
}
