/* transact_write_items.c: TransactWriteItems: all actions or none, once per token. */
#include "../cancellation.h"
#include "../engine_impl.h"
#include "../mutations.h"
#include "../token.h"

#define MAX_REQUEST_BYTES (4u << 20)

struct transact {
    struct mutations ms;
    struct slice token;         /* empty: none given */
    struct token_print print;
    /* The action that does not fit its table, found while binding: DynamoDB reports it as a cancelled
     * transaction. -1: none. */
    ptrdiff_t unfit;
    struct err unfit_err;
};

static const struct {
    struct slice member;
    enum mutation_kind kind;
} actions[] = {
    { { (const uint8_t *)"ConditionCheck", 14 }, MUTATION_CHECK },
    { { (const uint8_t *)"Put", 3 }, MUTATION_PUT },
    { { (const uint8_t *)"Delete", 6 }, MUTATION_DELETE },
    { { (const uint8_t *)"Update", 6 }, MUTATION_UPDATE },
};

static int parse_action(struct call *call, const struct json *entry, struct mutation *m)
{
    const struct json *found = NULL;
    enum mutation_kind kind = MUTATION_PUT;
    size_t n = 0;
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        const struct json *action = param_get(entry, actions[i].member);
        if (!action) continue;
        found = action;
        kind = actions[i].kind;
        n++;
    }
    if (n != 1) {
        return err_set(&call->err, ERR_ValidationException,
                       "TransactItems can only contain one of Check, Put, Update or Delete");
    }
    return mutation_parse(call, found, kind, false, m);
}

static int parse(struct call *call)
{
    const struct json *items = JSON_GET(call->request, "TransactItems");
    struct transact *t = ARENA_NEW(call->arena, struct transact);
    call->state = t;
    t->ms.transaction = true;
    t->ms.all = ARENA_ARRAY(call->arena, struct mutation, items->count);
    t->token = param_string(call->request, SLICE("ClientRequestToken"));
    if (t->token.n) t->print = token_fingerprint(items);
    for (const struct json *entry = items->first; entry; entry = entry->next) {
        int code = parse_action(call, entry, &t->ms.all[t->ms.n++]);
        if (code) return code;
    }
    return 0;
}

static size_t request_bytes(const struct mutations *ms)
{
    size_t n = 0;
    for (size_t i = 0; i < ms->n; i++) n += val_item_size(ms->all[i].item);
    return n;
}

static int bind(struct call *call)
{
    struct transact *t = call->state;
    t->unfit = -1;
    for (size_t i = 0; i < t->ms.n; i++) {
        const struct table *table;
        int code = call_find_table(call, t->ms.all[i].table_name, &table);
        if (code) return code;
    }
    for (size_t i = 0; i < t->ms.n; i++) {
        int code = mutation_bind(call, &t->ms.all[i]);
        if (!code) continue;
        if (code != ERR_ValidationException || cancellation_is_outright(&call->err)) return code;
        if (t->unfit < 0) {
            t->unfit = (ptrdiff_t)i;
            t->unfit_err = call->err;
        }
        call->err.code = ERR_NONE;
    }
    if (t->unfit < 0 && mutations_overlap(&t->ms)) {
        return err_set(&call->err, ERR_ValidationException,
                       "Transaction request cannot include multiple operations on one item");
    }
    if (request_bytes(&t->ms) > MAX_REQUEST_BYTES) {
        return err_set(&call->err, ERR_ValidationException,
                       "Transaction request size cannot exceed %u bytes", MAX_REQUEST_BYTES);
    }
    return 0;
}

static void footprint(struct call *call, struct footprint *f)
{
    const struct transact *t = call->state;
    f->style = FOOTPRINT_TRANSACTION;
    if (t->unfit >= 0) return; /* it will be cancelled, and touches nothing */
    f->token = t->token;
    mutations_footprint(call, &t->ms, f);
}

static int plan(struct call *call, struct transact *t)
{
    struct err *reasons = ARENA_ARRAY(call->arena, struct err, t->ms.n);
    bool failed = t->unfit >= 0;
    if (failed) reasons[t->unfit] = t->unfit_err;
    for (size_t i = 0; t->unfit < 0 && i < t->ms.n; i++) {
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

static int apply(struct call *call, struct store_txn *txn, struct transact *t)
{
    struct mutations *ms = &t->ms;
    for (size_t i = 0; i < ms->n; i++) {
        int code = mutation_apply(call, txn, &ms->all[i], mutations_usage(call, ms, &ms->all[i]));
        if (code) return code;
    }
    if (!t->token.n) return 0;
    int status = token_write(txn, call->arena, t->token, &t->print, read_units(call, ms), call_now_ms(call));
    return status ? call_store_failed(call, status) : 0;
}

/* The same request again: nothing is written, reading the items as they were then is what it costs. A token of an older program
 * does not know how large they were. */
static void account_repeat(struct call *call, struct transact *t, struct slice units)
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

static int run(struct call *call, struct store_txn *txn)
{
    struct transact *t = call->state;
    struct store_read token = { .space = SPACE_TOKEN };
    enum token_state state = TOKEN_NEW;
    t->ms.n_usages = 0;
    if (t->unfit < 0) {
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
    } else {
        int code = plan(call, t);
        if (!code) code = apply(call, txn, t);
        if (code) return code;
    }
    buf_u8(&call->response, '{');
    bool wrote = mutations_put_capacity(call, &t->ms, true);
    mutations_put_collection_metrics(call, &t->ms, !wrote);
    buf_u8(&call->response, '}');
    return 0;
}

static void after(struct call *call)
{
    struct transact *t = call->state;
    if (t->token.n) jobs_notice(call->engine->jobs);
}

const struct op op_transact_write_items = {
    .name = "TransactWriteItems",
    .kind = OP_WRITE,
    .parse = parse,
    .bind = bind,
    .footprint = footprint,
    .run = run,
    .after = after,
};
