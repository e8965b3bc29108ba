/* bulk.c: many items put in one transaction. */
#include "bulk.h"
#include "../base/failpoint.h"
#include "mutation.h"
#include "ops.h"
#include <stdlib.h>

#define SCRATCH_MAX ((size_t)64 << 20) /* of one change, with all its index entries */
#define LEAD_AT     4                  /* behind the table's id, which all have */

/* An item on its way. */
struct row {
    uint64_t lead; /* the first bytes of the key that differ: most comparisons end there */
    size_t number; /* in the order given */
    struct slice key, item;
    size_t size;
};

struct filling {
    struct bulk *bulk;
    const struct table *table;
    struct row *rows;
    size_t n;
    struct err misfit; /* of the first item that is refused, which is number n */
    struct arena scratch;
};

static uint64_t lead_of(struct slice key)
{
    uint64_t lead = 0;
    for (size_t i = LEAD_AT; i < LEAD_AT + sizeof lead; i++) lead = lead << 8 | (i < key.n ? key.p[i] : 0);
    return lead;
}

static int by_key(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->lead != y->lead) return x->lead < y->lead ? -1 : 1;
    int c = slice_cmp(x->key, y->key);
    return c ? c : (x->number > y->number) - (x->number < y->number);
}

static int bind_row(struct call *call, const struct table *t, struct slice item, struct row *row)
{
    const struct json node = { .type = JSON_ENCODED, .text = item };
    struct mutation m = { .kind = MUTATION_PUT, .in_batch = true };
    int code = item_from_json(call->arena, &node, &m.item, &call->err);
    if (!code) code = mutation_check_put_size(call, &m);
    if (!code) code = key_of_item(call->arena, t, m.item, m.in_batch, &row->key, &call->err);
    row->item = m.item;
    row->size = m.item_size;
    row->lead = code ? 0 : lead_of(row->key);
    return code;
}

/* What stands before the first item that is refused is put all the same. */
static int bind(struct call *call)
{
    struct filling *f = call->state;
    const struct bulk *b = f->bulk;
    int code = call_find_table(call, b->table, &f->table);
    if (code) return code;
    f->rows = ARENA_ARRAY(call->arena, struct row, b->n);
    f->misfit = (struct err){ 0 };
    for (f->n = 0; f->n < b->n; f->n++) {
        f->rows[f->n].number = f->n;
        if (bind_row(call, f->table, b->items[f->n], &f->rows[f->n])) break;
    }
    f->misfit = call->err;
    call->err.code = ERR_NONE;
    qsort(f->rows, f->n, sizeof *f->rows, by_key);
    return 0;
}

static int put_rows(struct call *call, struct store_txn *txn, struct filling *f)
{
    int status = STORE_OK;
    for (size_t i = 0; !status && i < f->n; i++) {
        const struct row *row = &f->rows[i];
        struct change change = { .engine = call->engine, .table = f->table, .store_key = row->key,
                                 .new_item = row->item, .new_size = row->size };
        arena_reset(&f->scratch);
        status = item_read(txn, &f->scratch, row->key, &change.old_item, &change.old_size);
        if (!status) status = item_change(txn, &f->scratch, &change, NULL);
        if (!status) status = FAILPOINT_OR(bulk_put, STORE_IO);
    }
    return status;
}

static int run(struct call *call, struct store_txn *txn)
{
    struct filling *f = call->state;
    volatile int status = STORE_NO_MEMORY;
    if (ARENA_GUARD(&f->scratch)) status = put_rows(call, txn, f);
    arena_unguard(&f->scratch);
    call->tally.written = f->n;
    return status ? call_store_failed(call, status) : 0;
}

int bulk_put(struct engine *e, struct arena *a, struct store_txn *txn, struct bulk *b, struct err *err)
{
    static const struct op op = { .name = "bulk put", .kind = OP_WRITE, .bind = bind, .run = run };
    struct filling f = { .bulk = b };
    struct call call = { .done = NULL };
    b->put = 0;
    arena_init(&f.scratch, SCRATCH_MAX);
    if (!call_prepare_op(&call, e, a, &op, &f)) {
        if (txn) call_run_in(&call, txn);
        else call_run(&call);
    }
    const struct err *why = call.err.code ? &call.err : &f.misfit;
    if (!call.err.code) b->put = f.n;
    if (why->code) {
        err->code = why->code;
        err->message = why->message;
        err->detail = why->detail;
    }
    call_end(&call);
    arena_free(&f.scratch);
    return (int)why->code;
}
