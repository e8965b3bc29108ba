/* transact_get_items.c: TransactGetItems: up to 100 items as they stood at one moment: one view,
 * one read. */
#include "../cancellation.h"
#include "../keys.h"
#include "../record.h"
#include "../request.h"

#define MAX_BYTES ((uint64_t)4 << 20)

struct get {
    struct slice table_name;
    struct slice key; /* encoded */
    struct projection *projection;
    const struct table *table;
};

struct transaction {
    struct get *gets;
    struct store_read *reads; /* one per get */
    size_t n;
};

static int parse(struct call *call)
{
    struct transaction *t = ARENA_NEW(call->arena, struct transaction);
    const struct json *items = JSON_GET(call->request, "TransactItems");
    call->state = t;
    t->gets = ARENA_ARRAY(call->arena, struct get, items->count);
    int code = 0;
    for (const struct json *node = items->first; !code && node; node = node->next) {
        const struct json *obj = JSON_GET(node, "Get");
        struct get *g = &t->gets[t->n++];
        g->table_name = param_string(obj, SLICE("TableName"));
        code = request_item(call, obj, SLICE("Key"), &g->key);
        if (!code) code = request_only_projection(call, obj, &g->projection);
    }
    return code;
}

static int check_duplicates(struct call *call, const struct transaction *t)
{
    for (size_t i = 0; i < t->n; i++) {
        for (size_t k = 0; k < i; k++) {
            if (t->gets[i].table != t->gets[k].table) continue;
            if (!val_equal(t->gets[i].key, t->gets[k].key)) continue;
            return err_set(&call->err, ERR_ValidationException,
                           "Transaction request cannot include multiple operations on one item");
        }
    }
    return 0;
}

/* A key that does not fit its table cancels the transaction, in which each action has its reason.
 */
static int bind_keys(struct call *call, struct transaction *t)
{
    struct err *reasons = ARENA_ARRAY(call->arena, struct err, t->n);
    bool failed = false;
    for (size_t i = 0; i < t->n; i++) {
        struct err *e = &reasons[i];
        e->arena = call->arena;
        t->reads[i].space = SPACE_ITEM;
        if (!key_of_request(call->arena, t->gets[i].table, t->gets[i].key, &t->reads[i].key, e)) {
            continue;
        }
        if (cancellation_is_outright(e)) {
            call->err = *e;
            return (int)e->code;
        }
        failed = true;
    }
    return failed ? cancel_transaction(call, reasons, t->n) : 0;
}

static int bind(struct call *call)
{
    struct transaction *t = call->state;
    int code = 0;
    t->reads = ARENA_ARRAY(call->arena, struct store_read, t->n);
    for (size_t i = 0; !code && i < t->n; i++) {
        code = call_find_table(call, t->gets[i].table_name, &t->gets[i].table);
    }
    if (!code) code = check_duplicates(call, t);
    if (!code) code = bind_keys(call, t);
    for (size_t i = 0; !code && i < t->n; i++) {
        code = request_check_key_paths(call, t->gets[i].table, t->gets[i].projection, NULL, NULL);
    }
    return code;
}

static void footprint(struct call *call, struct footprint *f)
{
    const struct transaction *t = call->state;
    f->style = FOOTPRINT_TRANSACTION;
    struct footprint_item *items = footprint_room(call, f, t->n);
    for (size_t i = 0; i < t->n; i++) {
        items[i] = (struct footprint_item){ .key = t->reads[i].key, .table = t->gets[i].table };
    }
}

/* One entry per table, in the order they first appear. A transaction pays twice. */
static void put_capacity(struct call *call, const struct transaction *t, const size_t *sizes)
{
    enum capacity_detail detail = capacity_detail(call->request);
    if (detail == CAPACITY_NONE) return;
    struct buf *b = &call->response;
    BUF_LIT(b, ",\"ConsumedCapacity\":[");
    for (size_t i = 0; i < t->n; i++) {
        const struct table *table = t->gets[i].table;
        size_t first = 0;
        while (t->gets[first].table != table)
            first++;
        if (first < i) continue;
        struct usage u = {
            .table = table, .name = t->gets[i].table_name, .read = true, .transaction = true
        };
        for (size_t k = i; k < t->n; k++) {
            if (t->gets[k].table == table)
                u.table_halves += 2 * capacity_read_halves(sizes[k], true);
        }
        if (i) buf_u8(b, ',');
        capacity_put(b, &u, detail);
    }
    buf_u8(b, ']');
}

/* Unlike the other reads, this one has no Item where the projection leaves nothing of it. */
static void put_answer(struct call *call, const struct projection *p, struct slice item)
{
    struct buf *b = &call->response;
    if (p) item = projection_apply(p, call->arena, item);
    buf_u8(b, '{');
    if (val_count(item)) {
        BUF_LIT(b, "\"Item\":");
        call_put_item(call, NULL, item);
    }
    buf_u8(b, '}');
}

static int run(struct call *call, struct store_txn *txn)
{
    struct transaction *t = call->state;
    struct buf *b = &call->response;
    size_t *sizes = ARENA_ARRAY(call->arena, size_t, t->n);
    uint64_t bytes = 0;
    int status = store_get_many(txn, t->reads, t->n);
    if (status != STORE_OK) return call_store_failed(call, status);
    BUF_LIT(b, "{\"Responses\":[");
    for (size_t i = 0; i < t->n; i++) {
        struct slice item;
        if (i) buf_u8(b, ',');
        if (t->reads[i].status == STORE_NOT_FOUND) {
            call_read(call, t->gets[i].table, t->reads[i].key, 2 * capacity_read_halves(0, true));
            BUF_LIT(b, "{}");
            continue;
        }
        if (!record_read(t->reads[i].value, &item, &sizes[i])) {
            return call_store_failed(call, STORE_CORRUPT);
        }
        bytes += sizes[i];
        if (bytes > MAX_BYTES) {
            return err_set(&call->err, ERR_ValidationException,
                           "Transaction request size cannot exceed %llu bytes",
                           (unsigned long long)MAX_BYTES);
        }
        call_read(call, t->gets[i].table, t->reads[i].key, 2 * capacity_read_halves(sizes[i], true));
        put_answer(call, t->gets[i].projection, item);
    }
    buf_u8(b, ']');
    put_capacity(call, t, sizes);
    buf_u8(b, '}');
    return 0;
}

const struct op op_transact_get_items = {
    .name = "TransactGetItems", .kind = OP_READ, .parse = parse, .bind = bind, .footprint = footprint, .run = run
};
