/* single.c: of_put, of_get, of_update, of_delete: one item, one call. */
#include "../engine/ops/get_item.h"
#include "tree.h"

/* The item of the answer, as the caller gets it. */
struct kept {
    of_item *item;
    bool no_memory;
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

static void keep_item(struct call *call, struct slice item)
{
    struct kept *kept = call->user;
    of_item_free(kept->item); /* of a run that did not count */
    kept->item = item.n ? lib_item_copy(item) : NULL; /* empty: the run begins */
    kept->no_memory = item.n && !kept->item;
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

static int end(struct call *call, of_error *err)
{
    int result = call->err.code ? lib_fail_call(err, call) : OF_OK;
    call_end(call);
    return result;
}

/* A get without expressions has nothing that needs parsing, so it is bound as it stands. False: it cannot be, and the request's
 * own steps are to say why. */
static bool get_at_once(of_db *db, struct arena *a, const struct single *s, struct kept *kept, int *result, of_error *err)
{
    struct call call = { .on_item = keep_item, .user = kept };
    struct get_item get = { .consistent = true };
    if (s->projection || s->names || !s->table || !lib_item_bytes(s->item, &get.key)) return false;
    get.table_name = slice_str(s->table);
    struct caller who = { .guest = db->guest };
    bool bound = !call_prepare_op(&call, db->engine, a, who, &op_get_item, &get) && slice_eq(get.table->name, get.table_name);
    if (bound) {
        call_run(&call);
        *result = end(&call, err);
    } else {
        call.began_ns = 0; /* what takes its place is counted */
        call_end(&call);
    }
    return bound;
}

static int run(of_db *db, struct arena *a, const struct single *s, struct kept *kept, of_error *err)
{
    struct call call = { .on_item = keep_item, .user = kept };
    const struct json *request;
    int result;
    if (slice_eq(s->operation, SLICE("GetItem")) && get_at_once(db, a, s, kept, &result, err)) return result;
    if (!build(a, s, &request)) return lib_no_memory(err);
    if (!call_prepare_tree(&call, db->engine, a, s->operation, request)) call_run(&call);
    return end(&call, err);
}

static int single(of_db *db, const struct single *s, of_item **out, of_error *err)
{
    if (out) *out = NULL;
    if (!db->engine) return lib_not_embedded(err);
    struct arena *a = lib_scratch_take(db->scratch);
    if (!a) return lib_no_memory(err);
    struct kept kept = { NULL, false };
    int result;
    if (ARENA_GUARD(a)) {
        result = run(db, a, s, &kept, err);
    } else {
        result = lib_no_memory(err);
    }
    arena_unguard(a);
    lib_scratch_give(db->scratch, a);
    if (!result && kept.no_memory) result = lib_no_memory(err);
    if (out && !result) {
        *out = kept.item;
    } else {
        of_item_free(kept.item);
    }
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
