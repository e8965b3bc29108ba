/* transact_get_items.c: TransactGetItems: up to 100 items as they stood at one moment: one view,
 * one read. */
#include "../access_items.h"

static int parse(struct call *call)
{
    struct gets *gs = ARENA_NEW(call->arena, struct gets);
    const struct json *items = JSON_GET(call->request, "TransactItems");
    call->state = gs;
    gs->all = ARENA_ARRAY(call->arena, struct get, items->count);
    int code = 0;
    for (const struct json *node = items->first; !code && node; node = node->next) {
        const struct json *obj = JSON_GET(node, "Get");
        struct projection *projection = NULL;
        struct get *g = &gs->all[gs->n++];
        g->table_name = param_string(obj, SLICE("TableName"));
        code = request_item(call, obj, SLICE("Key"), &g->key);
        if (!code) code = request_only_projection(call, obj, &projection);
        g->projection = projection;
    }
    return code;
}

static int bind(struct call *call)
{
    struct gets *gs = call->state;
    int code = 0;
    for (size_t i = 0; !code && i < gs->n; i++) {
        code = call_find_table(call, gs->all[i].table_name, &gs->all[i].table);
    }
    if (!code) code = gets_check_duplicates(call, gs);
    if (!code) code = gets_bind_keys(call, gs);
    for (size_t i = 0; !code && i < gs->n; i++) {
        code = request_check_key_paths(call, gs->all[i].table, gs->all[i].projection, NULL, NULL);
    }
    return code;
}

static int access(struct call *call)
{
    const struct gets *gs = call->state;
    int code = 0;
    for (size_t i = 0; !code && i < gs->n; i++) code = access_get(call, &gs->all[i], ACTION_GetItem, "TransactGetItems");
    return code;
}

static void footprint(struct call *call, struct footprint *f)
{
    gets_footprint(call, call->state, f);
}

static int run(struct call *call, struct store_txn *txn)
{
    return gets_run(call, txn, call->state);
}

const struct op op_transact_get_items = {
    .name = "TransactGetItems", .kind = OP_READ, .at_once = true, .parse = parse, .bind = bind, .access = access, .footprint = footprint, .run = run
};
