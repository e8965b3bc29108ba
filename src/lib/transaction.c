/* transaction.c: several writes, all or none. */
#include "tree.h"
#include <stdlib.h>

struct of_transaction {
    of_db *db;
    struct arena arena; /* owns the actions */
    struct tree actions;
    bool begun;
};

of_transaction *of_transaction_new(of_db *db)
{
    of_transaction *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->db = db;
    arena_init(&t->arena, LIB_REQUEST_MAX);
    return t;
}

void of_transaction_free(of_transaction *t)
{
    if (!t) return;
    arena_free(&t->arena);
    free(t);
}

struct action {
    struct slice kind;   /* "Put" ... */
    struct slice member; /* "Item" or "Key" */
    const char *table, *update;
    struct slice item, names, values;
    const char *condition;
};

static struct slice copy_text(struct arena *a, const char *s)
{
    return arena_dup(a, slice_str(s));
}

static void add(of_transaction *t, const struct action *x)
{
    struct arena *a = &t->arena;
    if (!t->begun) t->actions = tree_array(a);
    t->begun = true;
    struct tree body = tree_object(a);
    tree_add_string(&body, SLICE("TableName"), copy_text(a, x->table));
    tree_add_encoded(&body, x->member, arena_dup(a, x->item));
    if (x->update) tree_add_string(&body, SLICE("UpdateExpression"), copy_text(a, x->update));
    if (x->condition) tree_add_string(&body, SLICE("ConditionExpression"), copy_text(a, x->condition));
    tree_add_placeholders(&body, arena_dup(a, x->names), arena_dup(a, x->values));
    struct tree entry = tree_object(a);
    tree_add(&entry, x->kind, body.node);
    tree_add(&t->actions, slice_of(NULL, 0), entry.node);
}

static int add_action(of_transaction *t, struct slice kind, struct slice member, const char *table,
                      const of_item *item, const char *update, const of_write_options *o)
{
    struct action x = { .kind = kind, .member = member, .table = table, .update = update };
    x.condition = o ? o->condition : NULL;
    if (!lib_item_bytes(item, &x.item) || !lib_item_bytes(o ? o->names : NULL, &x.names) ||
        !lib_item_bytes(o ? o->values : NULL, &x.values)) {
        return OF_NO_MEMORY;
    }
    int result;
    if (ARENA_GUARD(&t->arena)) {
        add(t, &x);
        result = OF_OK;
    } else {
        result = OF_NO_MEMORY;
    }
    arena_unguard(&t->arena);
    return result;
}

int of_transaction_put(of_transaction *t, const char *table, const of_item *item,
                       const of_write_options *o)
{
    return add_action(t, SLICE("Put"), SLICE("Item"), table, item, NULL, o);
}

int of_transaction_update(of_transaction *t, const char *table, const of_item *key,
                          const char *expression, const of_write_options *o)
{
    return add_action(t, SLICE("Update"), SLICE("Key"), table, key, expression, o);
}

int of_transaction_delete(of_transaction *t, const char *table, const of_item *key,
                          const of_write_options *o)
{
    return add_action(t, SLICE("Delete"), SLICE("Key"), table, key, NULL, o);
}

int of_transaction_check(of_transaction *t, const char *table, const of_item *key,
                         const of_write_options *o)
{
    return add_action(t, SLICE("ConditionCheck"), SLICE("Key"), table, key, NULL, o);
}

static int commit(of_transaction *t, const char *token, of_error *err)
{
    struct call call = { .done = NULL };
    struct tree request = tree_object(&t->arena);
    if (!t->begun) t->actions = tree_array(&t->arena);
    t->begun = true;
    tree_add(&request, SLICE("TransactItems"), t->actions.node);
    tree_add_text(&request, SLICE("ClientRequestToken"), token);
    if (!call_prepare_tree(&call, t->db->engine, &t->arena, SLICE("TransactWriteItems"), request.node)) {
        call_run(&call);
    }
    int result = call.err.code ? lib_fail_call(err, &call) : OF_OK;
    call_end(&call);
    return result;
}

int of_transaction_commit(of_transaction *t, const char *token, of_error *err)
{
    if (!t->db->engine) return lib_not_embedded(err);
    int result;
    if (ARENA_GUARD(&t->arena)) {
        result = commit(t, token, err);
    } else {
        result = lib_no_memory(err);
    }
    arena_unguard(&t->arena);
    return result;
}
