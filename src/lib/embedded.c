/* embedded.c: an embedded database as a struct api: JSON in and out, through the same steps as
 * of_call. */
#include "lib.h"
#include "../engine/bulk.h"
#include <stddef.h>

static of_db *db_of(struct api *api)
{
    return (of_db *)(void *)((char *)api - offsetof(struct of_db, embedded));
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
    if (!call_prepare(&c, db_of(api)->engine, a, (struct caller){ .guest = db_of(api)->guest }, operation, body))
        call_run(&c);
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
    int code = bulk_put(db_of(api)->engine, a, &b, e);
    *put = b.put;
    return code;
}

void lib_embedded_init(of_db *db)
{
    db->embedded = (struct api){ .call = call };
    /* A server has others to serve beside its studio, and no transaction may keep them waiting. */
    if (!db->guest) db->embedded.put_items = put_items;
    if (db->dir) db->embedded.where = slice_str(db->dir);
}
