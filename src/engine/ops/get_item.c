/* get_item.c: GetItem: one item by its key, in one read. */
#include "../record.h"
#include "../request.h"
#include "../keys.h"

struct get_item {
    struct slice key;              /* encoded */
    struct projection *projection; /* NULL: everything */
    const struct table *table;
    struct slice store_key;
};

static int parse(struct call *call)
{
    struct get_item *g = ARENA_NEW(call->arena, struct get_item);
    call->state = g;
    int code = request_check_mixing(call, call->request, &REQUEST_PROJECTION);
    if (!code) code = request_item(call, call->request, SLICE("Key"), &g->key);
    if (!code) code = request_read_projection(call, call->request, &g->projection);
    return code;
}

static int bind(struct call *call)
{
    struct get_item *g = call->state;
    int code = call_find_table(call, param_string(call->request, SLICE("TableName")), &g->table);
    if (!code) code = key_of_request(call->arena, g->table, g->key, &g->store_key, &call->err);
    if (!code) code = request_check_key_paths(call, g->table, g->projection, NULL, NULL);
    return code;
}

static int access(struct call *call)
{
    const struct get_item *g = call->state;
    return access_ask(call, &(struct access){ .action = ACTION_GetItem,
                                              .table_name = param_string(call->request, SLICE("TableName")),
                                              .table = g->table,
                                              .item = g->key,
                                              .shows = true,
                                              .projection = g->projection });
}

static void footprint(struct call *call, struct footprint *f)
{
    const struct get_item *g = call->state;
    *footprint_room(call, f, 1) = (struct footprint_item){ .key = g->store_key, .table = g->table };
}

static int run(struct call *call, struct store_txn *txn)
{
    struct get_item *g = call->state;
    struct buf *b = &call->response;
    struct slice record, item;
    size_t size = 0;
    int status = store_get(txn, SPACE_ITEM, g->store_key, &record);
    if (status == STORE_OK && !record_read(record, &item, &size)) status = STORE_CORRUPT;
    if (status != STORE_OK && status != STORE_NOT_FOUND) return call_store_failed(call, status);

    buf_u8(b, '{');
    if (status == STORE_OK) {
        BUF_LIT(b, "\"Item\":");
        call_put_item(call, g->projection, item);
    }
    uint64_t halves = capacity_read_halves(size, param_bool(call->request, SLICE("ConsistentRead"), false));
    call_read(call, g->table, g->store_key, halves);
    enum capacity_detail detail = capacity_detail(call->request);
    if (detail != CAPACITY_NONE) {
        struct usage u = { .table = g->table, .read = true };
        struct slice name = param_string(call->request, SLICE("TableName"));
        if (!slice_eq(name, g->table->name)) u.name = name;
        u.table_halves = halves;
        if (status == STORE_OK) buf_u8(b, ',');
        BUF_LIT(b, "\"ConsumedCapacity\":");
        capacity_put(b, &u, detail);
    }
    buf_u8(b, '}');
    return 0;
}

const struct op op_get_item = {
    .name = "GetItem", .kind = OP_READ, .parse = parse, .bind = bind, .access = access, .footprint = footprint, .run = run
};
