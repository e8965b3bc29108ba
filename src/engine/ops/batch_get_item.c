/* batch_get_item.c: BatchGetItem: up to 100 items of any tables, in one read of the store. What
 * would take the answer past 16 MB is handed back as UnprocessedKeys, and what --throttle keeps out. */
#include "../../base/slices.h"
#include "../access_items.h"
#include "../keys.h"
#include "../record.h"
#include "../request.h"

enum { MAX_KEYS = 100 };
#define MAX_BYTES    ((uint64_t)16 << 20)
#define MAX_RESPONSE ((size_t)40 << 20) /* JSON can be fifty times the size of what it says */

struct batch_table {
    struct slice name; /* as the request names it: a name or an ARN */
    const struct json *request;
    struct projection *projection;
    bool consistent;
    struct slice *keys; /* encoded */
    size_t n_keys;
    bool *left; /* one per key: to be handed back as unprocessed */
    size_t n_left;
    const struct table *table;
    struct store_read *reads; /* one per key */
    struct usage usage;
};

struct batch {
    struct batch_table *tables;
    size_t n_tables;
    struct store_read *reads; /* all tables' */
    size_t n_reads;
};

static int parse_keys(struct call *call, struct batch *batch, struct batch_table *t)
{
    const struct json *keys = JSON_GET(t->request, "Keys");
    t->keys = ARENA_ARRAY(call->arena, struct slice, keys->count);
    t->left = ARENA_ARRAY(call->arena, bool, keys->count);
    struct slices_seen seen;
    slices_seen_init(&seen, call->arena, MAX_KEYS + 1);
    for (const struct json *k = keys->first; k; k = k->next) {
        struct slice *key = &t->keys[t->n_keys];
        int code = item_from_json(call->arena, k, key, &call->err);
        if (code) return code;
        if (!slices_seen_add(&seen, key)) {
            return err_set(&call->err, ERR_ValidationException,
                           "Provided list of item keys contains duplicates");
        }
        t->n_keys++;
        if (++batch->n_reads > MAX_KEYS) {
            return err_set(&call->err, ERR_ValidationException,
                           "Too many items requested for the BatchGetItem call");
        }
    }
    return 0;
}

static int parse_table(struct call *call, struct batch *batch, const struct json *node)
{
    struct batch_table *t = &batch->tables[batch->n_tables++];
    t->name = node->name;
    t->request = node;
    t->consistent = param_bool(node, SLICE("ConsistentRead"), false);
    int code = request_check_mixing(call, node, &REQUEST_PROJECTION);
    if (!code) code = request_read_projection(call, node, &t->projection);
    if (!code) code = parse_keys(call, batch, t);
    return code;
}

/* One table may not use expressions while another uses AttributesToGet. */
static int check_mixing_of_tables(struct call *call, const struct json *items)
{
    bool legacy = false, expression = false;
    for (const struct json *t = items->first; t; t = t->next) {
        legacy = legacy || param_present(t, SLICE("AttributesToGet"));
        expression = expression || param_present(t, SLICE("ProjectionExpression"));
    }
    if (!legacy || !expression) return 0;
    return err_set(&call->err, ERR_ValidationException,
                   "Can not use both expression and non-expression parameters in the same request: "
                   "Non-expression parameters: {AttributesToGet} Expression parameters: "
                   "{ProjectionExpression}");
}

static int parse(struct call *call)
{
    struct batch *batch = ARENA_NEW(call->arena, struct batch);
    const struct json *items = JSON_GET(call->request, "RequestItems");
    call->state = batch;
    batch->tables = ARENA_ARRAY(call->arena, struct batch_table, items->count);
    int code = check_mixing_of_tables(call, items);
    for (const struct json *t = items->first; !code && t; t = t->next) {
        code = parse_table(call, batch, t);
    }
    return code;
}

static int bind(struct call *call)
{
    struct batch *batch = call->state;
    batch->reads = ARENA_ARRAY(call->arena, struct store_read, batch->n_reads);
    int code = 0;
    for (size_t i = 0; !code && i < batch->n_tables; i++) {
        code = call_find_table(call, batch->tables[i].name, &batch->tables[i].table);
    }
    struct store_read *read = batch->reads;
    for (size_t i = 0; !code && i < batch->n_tables; i++) {
        struct batch_table *t = &batch->tables[i];
        t->reads = read;
        for (size_t k = 0; !code && k < t->n_keys; k++, read++) {
            read->space = SPACE_ITEM;
            code = key_of_request(call->arena, t->table, t->keys[k], &read->key, &call->err);
        }
        if (!code) code = request_check_key_paths(call, t->table, t->projection, NULL, NULL);
    }
    return code;
}

static int access(struct call *call)
{
    const struct batch *batch = call->state;
    int code = 0;
    for (size_t i = 0; i < batch->n_tables; i++) {
        const struct batch_table *t = &batch->tables[i];
        for (size_t k = 0; !code && k < t->n_keys; k++) {
            struct get g = { .table_name = t->name, .key = t->keys[k], .projection = t->projection, .table = t->table };
            code = access_get(call, &g, ACTION_BatchGetItem, NULL);
        }
    }
    return code;
}

static void footprint(struct call *call, struct footprint *f)
{
    const struct batch *batch = call->state;
    f->style = FOOTPRINT_BATCH;
    struct footprint_item *item = footprint_room(call, f, batch->n_reads);
    for (size_t i = 0; i < batch->n_tables; i++) {
        const struct batch_table *t = &batch->tables[i];
        for (size_t k = 0; k < t->n_keys; k++, item++) {
            *item = (struct footprint_item){ .key = t->reads[k].key, .table = t->table,
                                             .halves = (uint32_t)capacity_read_halves(0, t->consistent) };
        }
    }
}

/* Marks what --throttle keeps out; n: the keys before this table's. */
static void leave_refused(const struct call *call, struct batch_table *t, size_t n)
{
    t->n_left = 0;
    for (size_t i = 0; i < t->n_keys; i++) {
        t->left[i] = footprint_refused(call, n + i);
        t->n_left += t->left[i];
    }
}

static int put_table(struct call *call, struct batch_table *t, uint64_t *bytes)
{
    struct buf *b = &call->response;
    bool any = false;
    json_put_string(b, t->name);
    BUF_LIT(b, ":[");
    for (size_t i = 0; i < t->n_keys; i++) {
        struct slice item;
        size_t size = 0;
        if (t->left[i]) continue;
        bool found = t->reads[i].status == STORE_OK;
        if (found && !record_read(t->reads[i].value, &item, &size)) return STORE_CORRUPT;
        if (*bytes + size > MAX_BYTES || b->n > MAX_RESPONSE) {
            for (; i < t->n_keys; i++) {
                t->n_left += !t->left[i];
                t->left[i] = true;
            }
            break;
        }
        *bytes += size;
        uint64_t halves = capacity_read_halves(size, t->consistent);
        t->usage.table_halves += halves;
        call_read(call, t->table, t->reads[i].key, halves);
        if (!found) continue;
        if (any) buf_u8(b, ',');
        any = true;
        call_put_item(call, t->projection, item);
    }
    buf_u8(b, ']');
    return STORE_OK;
}

/* What the client has to send again: its own words, with the keys that are left. */
static void put_unprocessed(struct buf *b, const struct batch_table *t)
{
    json_put_string(b, t->name);
    BUF_LIT(b, ":{\"Keys\":[");
    bool any = false;
    for (size_t i = 0; i < t->n_keys; i++) {
        if (!t->left[i]) continue;
        if (any) buf_u8(b, ',');
        any = true;
        item_to_json(b, t->keys[i]);
    }
    buf_u8(b, ']');
    for (const struct json *m = t->request->first; m; m = m->next) {
        if (slice_eq(m->name, SLICE("Keys")) || m->type == JSON_NULL) continue;
        buf_u8(b, ',');
        json_put_string(b, m->name);
        buf_u8(b, ':');
        request_echo(b, m);
    }
    buf_u8(b, '}');
}

static void put_capacity(struct call *call, struct batch *batch)
{
    enum capacity_detail detail = capacity_detail(call->request);
    if (detail == CAPACITY_NONE) return;
    struct buf *b = &call->response;
    BUF_LIT(b, ",\"ConsumedCapacity\":[");
    for (size_t i = 0; i < batch->n_tables; i++) {
        if (i) buf_u8(b, ',');
        capacity_put(b, &batch->tables[i].usage, detail);
    }
    buf_u8(b, ']');
}

static int run(struct call *call, struct store_txn *txn)
{
    struct batch *batch = call->state;
    struct buf *b = &call->response;
    uint64_t bytes = 0;
    size_t n = 0;
    int code = footprint_check_left(call);
    if (code) return code;
    int status = store_get_many(txn, batch->reads, batch->n_reads);
    BUF_LIT(b, "{\"Responses\":{");
    for (size_t i = 0; status == STORE_OK && i < batch->n_tables; i++) {
        struct batch_table *t = &batch->tables[i];
        t->usage = (struct usage){ .table = t->table, .read = true, .name = t->name };
        leave_refused(call, t, n);
        n += t->n_keys;
        if (i) buf_u8(b, ',');
        status = put_table(call, t, &bytes);
    }
    if (status != STORE_OK) return call_store_failed(call, status);
    BUF_LIT(b, "},\"UnprocessedKeys\":{");
    bool any = false;
    for (size_t i = 0; i < batch->n_tables; i++) {
        if (!batch->tables[i].n_left) continue;
        if (any) buf_u8(b, ',');
        any = true;
        put_unprocessed(b, &batch->tables[i]);
    }
    buf_u8(b, '}');
    put_capacity(call, batch);
    buf_u8(b, '}');
    return 0;
}

const struct op op_batch_get_item = {
    .name = "BatchGetItem", .kind = OP_READ, .parse = parse, .bind = bind, .access = access, .footprint = footprint, .run = run
};
