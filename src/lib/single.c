/* single.c: of_put, of_get, of_update, of_delete: one item, one call. */
#include "tree.h"

struct single {
    struct slice operation;
    const char *table;
    struct slice member;       /* "Item" or "Key" */
    const of_item *item;
    const char *update, *projection, *condition;
    const of_item *names, *values;
    const char *returns;       /* ReturnValues */
};

static void keep_item(struct call *call, struct slice item)
{
    struct slice *kept = call->user;
    *kept = item.n ? arena_dup(call->arena, item) : item; /* empty: the run begins */
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

static int run(of_db *db, struct arena *a, const struct single *s, struct slice *kept, of_error *err)
{
    struct call call = { .on_item = keep_item, .user = kept };
    const struct json *request;
    if (!build(a, s, &request)) return lib_no_memory(err);
    if (!call_prepare_tree(&call, db->engine, a, s->operation, request)) call_run(&call);
    int result = call.err.code ? lib_fail_call(err, &call) : OF_OK;
    call_end(&call);
    return result;
}

static int single(of_db *db, const struct single *s, of_item **out, of_error *err)
{
    if (!db->engine) return lib_not_embedded(err);
    struct arena a;
    struct slice kept = { NULL, 0 };
    int result;
    arena_init(&a, LIB_REQUEST_MAX);
    if (ARENA_GUARD(&a)) {
        result = run(db, &a, s, &kept, err);
    } else {
        result = lib_no_memory(err);
    }
    arena_unguard(&a);
    if (out) *out = NULL;
    if (!result && out && kept.n && !(*out = lib_item_copy(kept))) result = lib_no_memory(err);
    arena_free(&a);
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

int of_get(of_db *db, const char *table, const of_item *key, const char *projection,
           const of_item *names, of_item **item, of_error *err)
{
    struct single s = { SLICE("GetItem"), table, SLICE("Key"), key, .projection = projection,
                        .names = names };
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
