/* transaction.c: the life of a write transaction, from bound mutations to what is written. */
#include "transaction.h"
#include "cancellation.h"
#include "engine_impl.h"

#define MAX_REQUEST_BYTES (4u << 20)

void transaction_begin(struct call *call, const struct json *actions, struct transaction *t)
{
    t->ms.all = ARENA_ARRAY(call->arena, struct mutation, actions->count);
    t->token = param_string(call->request, SLICE("ClientRequestToken"));
    if (t->token.n) t->print = token_fingerprint(actions);
}

void transaction_unfit(struct call *call, struct transaction *t, size_t i)
{
    if (!t->unfit) t->unfit = ARENA_ARRAY(call->arena, struct err, t->ms.n);
    t->unfit[i] = call->err;
    call->err.code = ERR_NONE;
}

static size_t request_bytes(const struct mutations *ms)
{
    size_t n = 0;
    for (size_t i = 0; i < ms->n; i++) n += val_item_size(ms->all[i].item);
    return n;
}

int transaction_check(struct call *call, const struct transaction *t)
{
    if (!t->unfit && mutations_overlap(&t->ms)) {
        return err_set(&call->err, ERR_ValidationException,
                       "Transaction request cannot include multiple operations on one item");
    }
    if (request_bytes(&t->ms) > MAX_REQUEST_BYTES) {
        return err_set(&call->err, ERR_ValidationException,
                       "Transaction request size cannot exceed %u bytes", MAX_REQUEST_BYTES);
    }
    return 0;
}

static int plan(struct call *call, struct transaction *t)
{
    bool failed = t->unfit != NULL;
    struct err *reasons = failed ? t->unfit : ARENA_ARRAY(call->arena, struct err, t->ms.n);
    for (size_t i = 0; !t->unfit && i < t->ms.n; i++) {
        if (!mutation_plan(call, &t->ms.all[i])) continue;
        reasons[i] = call->err;
        call->err.code = ERR_NONE;
        failed = true;
    }
    if (failed) tally_double(&call->tally);
    return failed ? cancel_transaction(call, reasons, t->ms.n) : 0;
}

static int apply(struct call *call, struct store_txn *txn, struct transaction *t)
{
    struct mutations *ms = &t->ms;
    for (size_t i = 0; i < ms->n; i++) {
        int code = mutation_apply(call, txn, &ms->all[i], mutations_usage(call, ms, ms->all[i].table));
        if (code) return code;
    }
    /* A transaction writes everything twice: to prepare and to commit. */
    for (size_t u = 0; u < ms->n_usages; u++) {
        struct usage *usage = &ms->usages[u];
        usage->transaction = true;
        usage->table_halves *= 2;
        for (size_t i = 0; i < usage->table->n_indexes; i++) usage->index_halves[i] *= 2;
    }
    tally_double(&call->tally);
    if (!t->token.n) return 0;
    int status = token_write(txn, call->arena, t->token, &t->print, call_now_ms(call));
    return status ? call_store_failed(call, status) : 0;
}

/* The same request again: nothing is written, reading the items is what it costs. */
static void account_repeat(struct call *call, struct transaction *t)
{
    for (size_t i = 0; i < t->ms.n; i++) {
        struct usage *u = mutations_usage(call, &t->ms, t->ms.all[i].table);
        u->write = false;
        u->read = u->transaction = true;
        uint64_t halves = 2 * capacity_read_halves(t->ms.all[i].change.old_size, true);
        u->table_halves += halves;
        call_read(call, t->ms.all[i].table, t->ms.all[i].change.store_key, halves);
    }
}

int transaction_run(struct call *call, struct store_txn *txn, struct transaction *t)
{
    struct store_read token = { .space = SPACE_TOKEN };
    enum token_state state = TOKEN_NEW;
    t->ms.n_usages = 0;
    if (!t->unfit) {
        if (t->token.n) token.key = token_key(call->arena, t->token);
        int code = mutations_read(call, txn, &t->ms, t->token.n ? &token : NULL);
        if (code) return code;
        if (t->token.n && !token.status) {
            state = token_check(token.value, &t->print, call_now_ms(call));
        }
    }
    if (state == TOKEN_MISMATCH) {
        return err_set(&call->err, ERR_IdempotentParameterMismatchException,
                       "The request uses the same client token as a previous, but non-identical "
                       "request. Do not reuse a client token with different requests, unless the "
                       "requests are identical");
    }
    if (state == TOKEN_DONE_BEFORE) {
        account_repeat(call, t);
        return 0;
    }
    int code = plan(call, t);
    return code ? code : apply(call, txn, t);
}

void transaction_after(struct call *call, const struct transaction *t)
{
    if (t->token.n) jobs_token_written(call->engine->jobs);
}
