/* embedded.c: an embedded database as a struct api: JSON in and out, through the same steps as
 * of_call. */
#include "lib.h"
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

void lib_embedded_init(of_db *db)
{
    db->embedded = (struct api){ .call = call };
    if (db->dir) db->embedded.where = slice_str(db->dir);
}
