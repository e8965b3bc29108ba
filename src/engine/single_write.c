/* single_write.c: what PutItem, UpdateItem and DeleteItem share: one mutation and its answer. */
#include "single_write.h"
#include "../base/failpoint.h"
#include "engine_impl.h"
#include "access_items.h"
#include "mutation.h"

int single_write_parse(struct call *call, enum mutation_kind kind)
{
    struct mutation *m = ARENA_NEW(call->arena, struct mutation);
    call->state = m;
    return mutation_parse(call, call->request, kind, true, m);
}

int single_write_bind(struct call *call)
{
    return mutation_bind(call, call->state);
}

int single_write_access(struct call *call)
{
    const struct mutation *m = call->state;
    return access_mutation(call, m, access_action_of(m->kind), NULL, false);
}

void single_write_footprint(struct call *call, struct footprint *f)
{
    mutation_footprint(call->state, footprint_room(call, f, 1));
}

struct slice single_write_returned(struct call *call, const struct mutation *m)
{
    const struct change *c = &m->change;
    struct slice none = { NULL, 0 }, image = none;
    switch (m->returns) {
    case RETURN_NONE: break;
    case RETURN_ALL_OLD: return c->old_item;
    case RETURN_ALL_NEW: return c->new_item;
    case RETURN_UPDATED_OLD: image = c->old_item; break;
    case RETURN_UPDATED_NEW: image = c->new_item; break;
    }
    if (!image.n || !m->update) return none;
    struct slice touched = update_touched(m->update, call->arena, image);
    return val_count(touched) ? touched : none;
}

#ifdef ONEFOLD_FAILPOINTS
static int read_committed(struct store_txn *view, void *ctx)
{
    struct call *call = ctx;
    struct change *c = &((struct mutation *)call->state)->change;
    return item_read(view, call->arena, c->store_key, &c->old_item, &c->old_size);
}
#endif

static int read_old(struct call *call, struct store_txn *txn, struct mutation *m)
{
    struct change *c = &m->change;
#ifdef ONEFOLD_FAILPOINTS
    if (SEEDED_BUG(stale_condition) && m == call->state) return store_view(call->engine->store, read_committed, call);
#endif
    return item_read(txn, call->arena, c->store_key, &c->old_item, &c->old_size);
}

int single_write_do(struct call *call, struct store_txn *txn, struct mutation *m, struct usage *usage)
{
    int status = read_old(call, txn, m);
    if (status) return call_store_failed(call, status);
    int code = mutation_plan(call, m);
    return code ? code : mutation_apply(call, txn, m, usage);
}

int single_write_run(struct call *call, struct store_txn *txn)
{
    struct mutation *m = call->state;
    struct usage usage = { .table = m->table, .name = m->table_name, .write = true, .tally = &call->tally };
    int code = single_write_do(call, txn, m, &usage);
    if (code) return code;

    struct buf *b = &call->response;
    bool comma = false;
    struct slice attributes = single_write_returned(call, m);
    buf_u8(b, '{');
    if (attributes.n) {
        BUF_LIT(b, "\"Attributes\":");
        call_put_item(call, NULL, attributes);
        comma = true;
    }
    enum capacity_detail detail = capacity_detail(call->request);
    if (detail != CAPACITY_NONE) {
        if (comma) buf_u8(b, ',');
        BUF_LIT(b, "\"ConsumedCapacity\":");
        capacity_put(b, &usage, detail);
        comma = true;
    }
    if (collection_metrics_wanted(call->request, m->table)) {
        if (comma) buf_u8(b, ',');
        BUF_LIT(b, "\"ItemCollectionMetrics\":");
        collection_metrics_put(b, m);
    }
    buf_u8(b, '}');
    return 0;
}
