/* db.c: opening and closing a database, and of_call. */
#include "lib.h"
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
    char message[1024];
    of_db *db = calloc(1, sizeof *db);
    if (!db) return lib_no_memory(err);
    struct store_options store = { .dir = o ? o->dir : NULL };
    if (o && o->durability == OF_RELAXED) store.durability = DURABILITY_RELAXED;
    int status = store_open(&db->store, &store, message, sizeof message);
    if (status) goto err;
    status = engine_open(&db->engine, db->store, NULL, message, sizeof message);
    if (status) goto err;
    *out = db;
    return OF_OK;
err:
    if (db->store) store_close(db->store);
    free(db);
    return lib_fail(err, OF_IO, "InternalServerError", "%s", message);
}

void of_close(of_db *db)
{
    if (!db) return;
    engine_close(db->engine);
    store_close(db->store);
    free(db);
}

struct of_answer {
    struct arena arena;
    struct call call; /* here and not on the stack, so that it is known after leaving by the guard */
    int status;
    struct slice body;
};

/* May leave through the arena's guard; the caller ends the call either way. */
static void answer(of_answer *a, of_db *db, struct slice operation, struct slice body)
{
    struct call *call = &a->call;
    if (!call_prepare(call, db->engine, &a->arena, (struct caller){ 0 }, operation, body)) {
        call_run(call);
    }
    struct slice text = call_answer(call);
    uint8_t *copy = arena_bytes(&a->arena, text.n + 1);
    memcpy(copy, text.p, text.n);
    copy[text.n] = 0;
    a->status = call_http_status(call);
    a->body = slice_of(copy, text.n);
}

int of_call(of_db *db, const char *operation, ptrdiff_t operation_len, const char *body,
            ptrdiff_t body_len, of_answer **out, of_error *err)
{
    struct slice request = lib_text(body, body_len);
    if (request.n > LIB_BODY_MAX) {
        return lib_fail(err, OF_INVALID, "ValidationException", "a request has at most %zu bytes",
                        LIB_BODY_MAX);
    }
    of_answer *a = malloc(sizeof *a);
    if (!a) return lib_no_memory(err);
    arena_init(&a->arena, LIB_REQUEST_MAX);
    a->call = (struct call){ .done = NULL };
    bool fits;
    if (ARENA_GUARD(&a->arena)) {
        answer(a, db, lib_text(operation, operation_len), request);
        fits = true;
    } else {
        fits = false;
    }
    arena_unguard(&a->arena);
    call_end(&a->call);
    if (!fits) {
        of_answer_free(a);
        return lib_no_memory(err);
    }
    *out = a;
    return OF_OK;
}

int of_answer_status(const of_answer *a)
{
    return a->status;
}

const char *of_answer_body(const of_answer *a, size_t *len)
{
    if (len) *len = a->body.n;
    return (const char *)a->body.p;
}

void of_answer_free(of_answer *a)
{
    if (!a) return;
    arena_free(&a->arena);
    free(a);
}
