/* db.c: opening and closing a database, and of_call. */
#include "lib.h"
#include "within.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char *of_version(void)
{
    return ONEFOLD_VERSION;
}

int lib_fail(of_error *err, of_code code, const char *type, const char *fmt, ...)
{
    if (err) {
        va_list ap;
        va_start(ap, fmt);
        err->code = code;
        snprintf(err->type, sizeof err->type, "%s", type);
        vsnprintf(err->message, sizeof err->message, fmt, ap);
        va_end(ap);
    }
    return (int)code;
}

int lib_no_memory(of_error *err)
{
    return lib_fail(err, OF_NO_MEMORY, "InternalServerError", "out of memory");
}

static of_code code_of(enum err_code code)
{
    switch (code) {
    case ERR_NONE: return OF_OK;
    case ERR_ResourceNotFoundException: return OF_NOT_FOUND;
    case ERR_ResourceInUseException: return OF_EXISTS;
    case ERR_ConditionalCheckFailedException: return OF_CONDITION_FAILED;
    case ERR_TransactionConflictException:
    case ERR_TransactionInProgressException:
    case ERR_TransactionCanceledException: return OF_TRANSACTION_CANCELED;
    case ERR_IdempotentParameterMismatchException: return OF_TOKEN_MISMATCH;
    case ERR_InternalServerError:
    case ERR_ServiceUnavailable: return OF_IO;
    default: return OF_INVALID;
    }
}

int lib_fail_err(of_error *err, const struct err *e)
{
    return lib_fail(err, code_of(e->code), err_name(e->code), "%.*s", SLICE_ARG(e->message));
}

int lib_fail_call(of_error *err, const struct call *call)
{
    return lib_fail_err(err, &call->err);
}

int of_open(of_db **out, const of_options *o, of_error *err)
{
    struct store_options store = { .dir = o ? o->dir : NULL };
    if (o && o->durability == OF_RELAXED) store.durability = DURABILITY_RELAXED;
    return lib_open(out, &store, err);
}

int lib_open(of_db **out, const struct store_options *o, of_error *err)
{
    char message[1024];
    of_db *db = calloc(1, sizeof *db);
    if (!db) return lib_no_memory(err);
    db->rooms = lib_rooms_new();
    if (!db->rooms) {
        free(db);
        return lib_no_memory(err);
    }
    int status = store_open(&db->store, o, message, sizeof message);
    if (status) goto err;
    status = engine_open(&db->engine, db->store, &(struct engine_options){ .uncounted = true }, message, sizeof message);
    if (status) goto err;
    if (o->dir) db->dir = realpath(o->dir, NULL); /* without it a load is not resumed, no more */
    lib_embedded_init(db);
    *out = db;
    return OF_OK;
err:
    if (db->store) store_close(db->store);
    lib_rooms_free(db->rooms, NULL);
    free(db);
    return lib_fail(err, OF_IO, "InternalServerError", "%s", message);
}

void of_close(of_db *db)
{
    if (!db) return;
    if (db->remote) {
        db->remote_close(db->remote);
    } else {
        lib_rooms_free(db->rooms, db->engine);
        engine_close(db->engine);
        store_close(db->store);
    }
    free(db->dir);
    free(db);
}

of_db *lib_db_within(struct engine *engine)
{
    of_db *db = calloc(1, sizeof *db);
    if (db) db->rooms = lib_rooms_new();
    if (!db || !db->rooms) {
        free(db);
        return NULL;
    }
    db->engine = engine;
    db->guest = true;
    lib_embedded_init(db);
    return db;
}

void lib_db_leave(of_db *db)
{
    if (db) lib_rooms_free(db->rooms, db->engine);
    free(db);
}

struct api *lib_api(of_db *db)
{
    return db->remote ? db->remote : &db->embedded;
}

bool of_is_aws(const of_db *db)
{
    return db->remote && db->remote->is_aws;
}

int lib_not_embedded(of_error *err)
{
    return lib_fail(err, OF_INVALID, "ValidationException",
                    "this function works on a database in this process only; use of_call or the functions of the model");
}

/* An answer, from before it is asked for: when a write is committed no memory is needed any more to tell of it. */
struct asking {
    of_answer answer; /* its text is in the arena */
    struct arena arena;
    struct call call; /* here and not on the stack, so that it is known after leaving by the guard */
};

static void end_asking(of_answer *answer)
{
    struct asking *a = (struct asking *)(void *)((char *)answer - offsetof(struct asking, answer));
    arena_free(&a->arena);
    free(a);
}

/* May leave through the arena's guard; the caller ends the call either way. */
static void ask(struct asking *a, of_db *db, struct slice operation, struct slice body)
{
    struct call *call = &a->call;
    if (!call_prepare(call, db->engine, &a->arena, (struct caller){ .guest = db->guest }, operation, body)) {
        call_run(call);
    }
    struct slice answer = call_answer(call);
    a->answer = (of_answer){ .status = call_http_status(call), .text = (const char *)answer.p, .n = answer.n, .end = end_asking };
}

/* The same for a database that is elsewhere: its error as the envelope it came in. */
static void ask_remote(struct asking *a, of_db *db, struct slice operation, struct slice body)
{
    struct err e = { .arena = &a->arena };
    struct slice answer;
    struct buf b;
    buf_init(&b, &a->arena, LIB_REQUEST_MAX);
    bool good = !db->remote->call(db->remote, &a->arena, operation, body, &answer, &e);
    if (good) {
        buf_slice(&b, answer);
    } else {
        buf_printf(&b, "{\"__type\":\"%s#%s\",\"message\":", err_namespace(e.code), err_name(e.code));
        json_put_string(&b, e.message);
        buf_slice(&b, e.detail);
        buf_u8(&b, '}');
    }
    buf_u8(&b, 0);
    a->answer = (of_answer){ .status = good ? 200 : err_status(e.code), .text = (const char *)b.p, .n = b.n - 1, .end = end_asking };
}

int of_call(of_db *db, const char *operation, ptrdiff_t operation_len, const char *body,
            ptrdiff_t body_len, of_answer **out, of_error *err)
{
    struct slice request = lib_text(body, body_len);
    if (request.n > LIB_BODY_MAX) {
        return lib_fail(err, OF_INVALID, "ValidationException", "a request has at most %zu bytes",
                        LIB_BODY_MAX);
    }
    struct asking *a = calloc(1, sizeof *a);
    if (!a) return lib_no_memory(err);
    arena_init(&a->arena, LIB_REQUEST_MAX);
    bool fits;
    if (ARENA_GUARD(&a->arena)) {
        (db->remote ? ask_remote : ask)(a, db, lib_text(operation, operation_len), request);
        fits = true;
    } else {
        fits = false;
    }
    arena_unguard(&a->arena);
    call_end(&a->call);
    if (!fits) {
        end_asking(&a->answer);
        return lib_no_memory(err);
    }
    *out = &a->answer;
    return OF_OK;
}
