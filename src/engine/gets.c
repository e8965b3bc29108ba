/* gets.c: reading items by their keys, in one view and one read. */
#include "gets.h"
#include "cancellation.h"
#include "record.h"

#define MAX_BYTES ((uint64_t)4 << 20)

int gets_check_duplicates(struct call *call, const struct gets *gs)
{
    for (size_t i = 0; i < gs->n; i++) {
        for (size_t k = 0; k < i; k++) {
            if (gs->all[i].table != gs->all[k].table) continue;
            if (!val_equal(gs->all[i].key, gs->all[k].key)) continue;
            return err_set(&call->err, ERR_ValidationException,
                           "Transaction request cannot include multiple operations on one item");
        }
    }
    return 0;
}

int gets_bind_keys(struct call *call, struct gets *gs)
{
    struct err *reasons = ARENA_ARRAY(call->arena, struct err, gs->n);
    bool failed = false;
    gs->reads = ARENA_ARRAY(call->arena, struct store_read, gs->n);
    for (size_t i = 0; i < gs->n; i++) {
        struct err *e = &reasons[i];
        e->arena = call->arena;
        gs->reads[i].space = SPACE_ITEM;
        if (!gs->all[i].table) {
            err_set(e, ERR_ResourceNotFoundException, "Requested resource not found");
            failed = true;
            continue;
        }
        if (!key_of_request(call->arena, gs->all[i].table, gs->all[i].key, &gs->reads[i].key, e)) {
            continue;
        }
        if (cancellation_is_outright(e)) {
            call->err = *e;
            return (int)e->code;
        }
        failed = true;
    }
    return failed ? cancel_transaction(call, reasons, gs->n) : 0;
}

void gets_footprint(struct call *call, const struct gets *gs, struct footprint *f)
{
    f->style = FOOTPRINT_TRANSACTION;
    struct footprint_item *items = footprint_room(call, f, gs->n);
    for (size_t i = 0; i < gs->n; i++) {
        items[i] = (struct footprint_item){ .key = gs->reads[i].key, .table = gs->all[i].table };
    }
}

/* One entry per table, in the order they first appear. A transaction pays twice. */
static void put_capacity(struct call *call, const struct gets *gs, const size_t *sizes)
{
    enum capacity_detail detail = capacity_detail(call->request);
    if (detail == CAPACITY_NONE) return;
    struct buf *b = &call->response;
    BUF_LIT(b, ",\"ConsumedCapacity\":[");
    for (size_t i = 0; i < gs->n; i++) {
        const struct table *table = gs->all[i].table;
        size_t first = 0;
        while (gs->all[first].table != table)
            first++;
        if (first < i) continue;
        struct usage u = {
            .table = table, .name = gs->all[i].table_name, .read = true, .transaction = true
        };
        for (size_t k = i; k < gs->n; k++) {
            if (gs->all[k].table == table)
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

int gets_run(struct call *call, struct store_txn *txn, const struct gets *gs)
{
    struct buf *b = &call->response;
    size_t *sizes = ARENA_ARRAY(call->arena, size_t, gs->n);
    uint64_t bytes = 0;
    int status = store_get_many(txn, gs->reads, gs->n);
    if (status != STORE_OK) return call_store_failed(call, status);
    BUF_LIT(b, "{\"Responses\":[");
    for (size_t i = 0; i < gs->n; i++) {
        struct slice item;
        if (i) buf_u8(b, ',');
        if (gs->reads[i].status == STORE_NOT_FOUND) {
            call_read(call, gs->all[i].table, gs->reads[i].key, 2 * capacity_read_halves(0, true));
            BUF_LIT(b, "{}");
            continue;
        }
        if (!record_read(gs->reads[i].value, &item, &sizes[i])) {
            return call_store_failed(call, STORE_CORRUPT);
        }
        bytes += sizes[i];
        if (bytes > MAX_BYTES) {
            return err_set(&call->err, ERR_ValidationException,
                           "Transaction request size cannot exceed %llu bytes",
                           (unsigned long long)MAX_BYTES);
        }
        call_read(call, gs->all[i].table, gs->reads[i].key, 2 * capacity_read_halves(sizes[i], true));
        put_answer(call, gs->all[i].projection, item);
    }
    buf_u8(b, ']');
    put_capacity(call, gs, sizes);
    buf_u8(b, '}');
    return 0;
}
