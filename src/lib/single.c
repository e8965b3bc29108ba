/* single.c: of_put, of_get, of_update, of_delete: one item, one call. */
#include "tree.h"

/* The item of the answer, as the caller gets it. */
struct kept {
    of_item *item;
};

struct single {
    struct slice operation;
    const char *table;
    struct slice member;       /* "Item" or "Key" */
    const of_item *item;
    const char *update, *projection, *condition;
    const of_item *names, *values;
    const char *returns;       /* ReturnValues */
};

static int keep(void *ctx, struct slice item)
{
    struct kept *kept = ctx;
    kept->item = lib_item_copy(item);
    return kept->item ? 0 : STORE_NO_MEMORY;
}

static void keep_item(struct call *call, struct slice item)
{
    struct kept *kept = call->user;
    of_item_free(kept->item); /* of a run that did not count */
    kept->item = NULL;
    if (item.n && keep(kept, item)) arena_fail(call->arena); /* before the commit; empty: the run begins */
}

/* The request; false: memory ran out in one of the caller's items. */
static bool build(struct arena *a, const struct single *s, const struct json **out)
{
    struct slice item, names, values;
    if (!lib_item_bytes(s->item, &item) || !lib_item_bytes(s->names, &names) ||
        !lib_item_bytes(s->values, &values)) {
        return false;
    }
    struct tree t = tree_object(a);
    tree_add_text(&t, SLICE("TableName"), s->table);
    tree_add_encoded(&t, s->member, item);
    tree_add_text(&t, SLICE("UpdateExpression"), s->update);
    tree_add_text(&t, SLICE("ConditionExpression"), s->condition);
    tree_add_text(&t, SLICE("ProjectionExpression"), s->projection);
    tree_add_text(&t, SLICE("ReturnValues"), s->returns);
    tree_add_placeholders(&t, names, values);
    if (slice_eq(s->operation, SLICE("GetItem"))) tree_add_bool(&t, SLICE("ConsistentRead"), true);
    *out = t.node;
    return true;
}

static int run(of_db *db, struct arena *a, const struct single *s, struct kept *kept, of_error *err)
{
    struct call call = { .on_item = keep_item, .user = kept };
    const struct json *request;
    if (!build(a, s, &request)) return lib_no_memory(err);
    if (!call_prepare_tree(&call, db->engine, a, s->operation, request)) call_run(&call);
    int result = call.err.code ? lib_fail_call(err, &call) : OF_OK;
    call_end(&call);
    return result;
}

static int run_guarded(of_db *db, struct arena *a, const struct single *s, of_item **out, of_error *err)
{
    struct kept kept = { NULL };
    int result;
    if (ARENA_GUARD(a)) {
        result = run(db, a, s, &kept, err);
    } else {
        result = lib_no_memory(err);
    }
    arena_unguard(a);
    if (out && !result) {
        *out = kept.item;
    } else {
        of_item_free(kept.item);
    }
    return result;
}

static int single(of_db *db, const struct single *s, of_item **out, of_error *err)
{
    if (out) *out = NULL;
    if (!db->engine) return lib_not_embedded(err);
    struct lib_room *room = lib_room_take(db);
    if (!room) return lib_no_memory(err);
    int result = run_guarded(db, &room->arena, s, out, err);
    lib_room_give(db, room);
    return result;
}

static void take_options(struct single *s, const of_write_options *o)
{
    if (!o) return;
    s->condition = o->condition;
    s->names = o->names;
    s->values = o->values;
}

int of_put(of_db *db, const char *table, const of_item *item, const of_write_options *o,
           of_item **old, of_error *err)
{
    struct single s = { SLICE("PutItem"), table, SLICE("Item"), item, .returns = old ? "ALL_OLD" : NULL };
    take_options(&s, o);
    return single(db, &s, old, err);
}

/* Without a request. False: something is wrong, which a request's own steps are to say (direct.h). */
static bool get_directly(of_db *db, struct lib_room *room, const char *name, const of_item *key, of_item **item)
{
    struct kept kept = { NULL };
    struct slice values[2];
    const struct table *table = direct_table(db->engine, &room->table, slice_str(name));
    if (!table || !key->listed || !direct_key(table, key->attrs, key->n, values)) return false;
    if (direct_get(db->engine, table, values, keep, &kept)) return false;
    *item = kept.item;
    return true;
}

int of_get(of_db *db, const char *table, const of_item *key, const char *projection,
           const of_item *names, of_item **item, of_error *err)
{
    struct single s = { SLICE("GetItem"), table, SLICE("Key"), key, .projection = projection,
                        .names = names };
    if (db->engine && table && key && item && !projection && !names) {
        struct lib_room *room = lib_room_take(db);
        bool got = room && get_directly(db, room, table, key, item);
        if (room) lib_room_give(db, room);
        if (got) return OF_OK;
    }
    return single(db, &s, item, err);
}

int of_update(of_db *db, const char *table, const of_item *key, const char *expression,
              const of_write_options *o, of_item **result, of_error *err)
{
    struct single s = { SLICE("UpdateItem"), table, SLICE("Key"), key, .update = expression,
                        .returns = result ? "ALL_NEW" : NULL };
    take_options(&s, o);
    return single(db, &s, result, err);
}

int of_delete(of_db *db, const char *table, const of_item *key, const of_write_options *o,
              of_item **old, of_error *err)
{
    struct single s = { SLICE("DeleteItem"), table, SLICE("Key"), key,
                        .returns = old ? "ALL_OLD" : NULL };
    take_options(&s, o);
    return single(db, &s, old, err);
}
