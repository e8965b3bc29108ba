/* transaction.c: the life of a write transaction, from bound mutations to what is written. */
#include "transaction.h"
#include "../base/failpoint.h"
#include "cancellation.h"
#include "engine_impl.h"

#define MAX_REQUEST_BYTES (4u << 20)

void transaction_begin(struct call *call, const struct json *actions, struct transaction *t)
{
    t->ms.transaction = true;
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
    for (size_t i = 0; i < ms->n; i++) {
        const struct mutation *m = &ms->all[i];
        n += m->kind == MUTATION_PUT ? m->item_size : val_item_size(m->item);
    }
    return n;
}

int transaction_check(struct call *call, const struct transaction *t)
{
    if (!t->unfit && mutations_overlap(call->arena, &t->ms)) {
        return err_set(&call->err, ERR_ValidationException,
                       "Transaction request cannot include multiple operations on one item");
    }
    if (request_bytes(&t->ms) > MAX_REQUEST_BYTES) {
        return err_set(&call->err, ERR_ValidationException,
                       "Transaction request size cannot exceed %u bytes", MAX_REQUEST_BYTES);
    }
    return 0;
}

void transaction_footprint(struct call *call, const struct transaction *t, struct footprint *f)
{
    f->style = FOOTPRINT_TRANSACTION;
    if (t->unfit) return; /* it will be cancelled, and touches nothing */
    f->token = t->token;
    mutations_footprint(call, &t->ms, f);
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

/* What a repeat of the same request will cost: a read of the larger image of each item, in units of one byte. */
static struct slice read_units(struct call *call, const struct mutations *ms)
{
    uint8_t *units = ARENA_ARRAY(call->arena, uint8_t, ms->n);
    for (size_t i = 0; i < ms->n; i++) {
        const struct change *c = &ms->all[i].change;
        units[i] = (uint8_t)(capacity_read_halves(c->old_size > c->new_size ? c->old_size : c->new_size, true) / 2);
    }
    return slice_of(units, ms->n);
}

static int apply(struct call *call, struct store_txn *txn, struct transaction *t)
{
    struct mutations *ms = &t->ms;
    size_t n = SEEDED_BUG_ONE_IN(16, torn_transaction) ? ms->n - 1 : ms->n;
    for (size_t i = 0; i < n; i++) {
        int code = mutation_apply(call, txn, &ms->all[i], mutations_usage(call, ms, &ms->all[i]));
        if (!code && FAILPOINT_OR(transaction_between, STORE_IO)) code = call_store_failed(call, STORE_IO);
        if (code) return code;
    }
    if (!t->token.n || SEEDED_BUG(token_not_kept)) return 0;
    int status = token_write(txn, call->arena, t->token, &t->print, read_units(call, ms), call_now_ms(call));
    if (!status) status = FAILPOINT_OR(token_written, STORE_IO);
    return status ? call_store_failed(call, status) : 0;
}

/* The same request again: nothing is written, reading the items as they were then is what it costs. A token of an older program
 * does not know how large they were. */
static void account_repeat(struct call *call, struct transaction *t, struct slice units)
{
    for (size_t i = 0; i < t->ms.n; i++) {
        struct usage *u = mutations_usage(call, &t->ms, &t->ms.all[i]);
        u->write = false;
        u->read = true;
        uint64_t once = units.n == t->ms.n ? 2 * (uint64_t)units.p[i] : capacity_read_halves(t->ms.all[i].change.old_size, true);
        uint64_t halves = 2 * once;
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
        account_repeat(call, t, token_read_units(token.value));
        return 0;
    }
    int code = plan(call, t);
    return code ? code : apply(call, txn, t);
}

void transaction_after(struct call *call, const struct transaction *t)
{
    if (t->token.n) jobs_notice(call->engine->jobs);
}
