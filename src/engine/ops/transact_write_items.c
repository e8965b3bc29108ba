/* transact_write_items.c: TransactWriteItems: all actions or none, once per token. */
#include "../access_items.h"
#include "../cancellation.h"
#include "../transaction.h"

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
    struct transaction *t = ARENA_NEW(call->arena, struct transaction);
    call->state = t;
    transaction_begin(call, items, t);
    for (const struct json *entry = items->first; entry; entry = entry->next) {
        int code = parse_action(call, entry, &t->ms.all[t->ms.n++]);
        if (code) return code;
    }
    return 0;
}

static int bind(struct call *call)
{
    struct transaction *t = call->state;
    t->unfit = NULL;
    int code = mutations_find_tables(call, &t->ms);
    if (code) return code;
    for (size_t i = 0; i < t->ms.n; i++) {
        code = mutation_bind_found(call, &t->ms.all[i]);
        if (!code) continue;
        if (code != ERR_ValidationException || cancellation_is_outright(&call->err)) return code;
        /* Only the first is told. */
        if (t->unfit)
            call->err.code = ERR_NONE;
        else
            transaction_unfit(call, t, i);
    }
    return transaction_check(call, t);
}

static int access(struct call *call)
{
    const struct transaction *t = call->state;
    return access_mutations(call, &t->ms, t->unfit, "TransactWriteItems");
}

static void footprint(struct call *call, struct footprint *f)
{
    transaction_footprint(call, call->state, f);
}

static int run(struct call *call, struct store_txn *txn)
{
    struct transaction *t = call->state;
    int code = transaction_run(call, txn, t);
    if (code) return code;
    buf_u8(&call->response, '{');
    bool wrote = mutations_put_capacity(call, &t->ms, true);
    mutations_put_collection_metrics(call, &t->ms, !wrote);
    buf_u8(&call->response, '}');
    return 0;
}

static void after(struct call *call)
{
    transaction_after(call, call->state);
}

const struct op op_transact_write_items = {
    .name = "TransactWriteItems",
    .kind = OP_WRITE,
    .parse = parse,
    .bind = bind,
    .access = access,
    .footprint = footprint,
    .run = run,
    .after = after,
};
