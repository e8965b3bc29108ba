/* update.c: applying a parsed update to an item. */
#include "update.h"

int update_finish(struct update *u, struct arena *a, const char *what, struct err *e)
{
    struct path *paths = ARENA_ARRAY(a, struct path, u->n);
    for (size_t i = 0; i < u->n; i++)
        paths[i] = u->actions[i].path;
    return trie_build(a, what, paths, u->n, &u->root, e);
}

size_t update_names(const struct update *u, struct arena *a, struct slice **names)
{
    *names = ARENA_ARRAY(a, struct slice, u->root.n_children);
    for (size_t i = 0; i < u->root.n_children; i++)
        (*names)[i] = u->root.children[i].step.name;
    return u->root.n_children;
}

/* The names of the paths with at least that many steps. */
static bool each_read(const struct node *n, size_t steps, bool (*fn)(struct slice name, void *ctx), void *ctx)
{
    if (n->kind == NODE_PATH && n->n_steps >= steps && !fn(n->steps[0].name, ctx)) return false;
    for (const struct node *arg = n->first; arg; arg = arg->next)
        if (!each_read(arg, steps, fn, ctx)) return false;
    return true;
}

bool update_each_name(const struct update *u, bool (*fn)(struct slice name, void *ctx), void *ctx)
{
    for (size_t i = 0; i < u->n; i++) {
        if (!fn(u->actions[i].path.steps[0].name, ctx)) return false;
        if (u->actions[i].value && !each_read(u->actions[i].value, 1, fn, ctx)) return false;
    }
    return true;
}

bool update_each_nested(const struct update *u, bool (*fn)(struct slice name, void *ctx), void *ctx)
{
    if (!trie_each_nested(&u->root, fn, ctx)) return false;
    for (size_t i = 0; i < u->n; i++)
        if (u->actions[i].value && !each_read(u->actions[i].value, 2, fn, ctx)) return false;
    return true;
}

static enum val_type static_type(const struct node *n)
{
    if (n->kind == NODE_PLUS || n->kind == NODE_MINUS) return TYPE_N;
    if (n->kind != NODE_FUNC) return node_type(n);
    return n->func == FUNC_LIST_APPEND ? TYPE_L : static_type(n->last);
}

enum val_type update_type_of(const struct update *u, struct slice name)
{
    for (size_t i = 0; i < u->n; i++) {
        const struct action *action = &u->actions[i];
        if (action->path.n != 1 || !slice_eq(action->path.steps[0].name, name)) continue;
        if (action->kind == ACTION_SET) return static_type(action->value);
        return action->operand.n ? val_type(action->operand) : TYPE_NONE;
    }
    return TYPE_NONE;
}

struct slice update_touched(const struct update *u, struct arena *a, struct slice item)
{
    struct slice part = item.n ? trie_project(&u->root, a, item) : item;
    return part.n ? part : compose(a, VAL_M, 0, NULL, 0);
}

/* The value at the action's path, empty if there is none. False if what should hold it is not there
 * or is of another kind. */
static bool find(const struct action *action, struct slice item, struct slice *old)
{
    struct path up = { action->path.steps, action->path.n - 1 };
    struct slice parent;
    if (!path_get(item, &up, &parent)) return false;
    const struct path_step *last = &action->path.steps[up.n];
    if (val_type(parent) != (last->name.p ? TYPE_M : TYPE_L)) return false;
    if (!(last->name.p ? val_get(parent, last->name, old) : val_at(parent, last->index, old)))
        *old = slice_of(NULL, 0);
    return true;
}

static int check_depth(const struct action *action, struct slice value, struct err *e)
{
    if (action->path.n == 1 || action->path.n + val_depth(value) <= VAL_MAX_DEPTH) return 0;
    return err_set(
        e, ERR_ValidationException, "%s%s", "Nesting Levels have exceeded supported limits",
        action->partiql ? "" : ": Attributes in the item have nested levels beyond supported limit");
}

static int change_for(const struct action *action, struct arena *a, struct slice item, bool is_new,
                      struct change *out, struct err *e)
{
    struct slice old;
    if (!find(action, item, &old)) {
        if (is_new && action->kind == ACTION_REMOVE) return 0;
        return err_set(e, ERR_ValidationException,
                       "The document path provided in the update expression is invalid for update");
    }
    switch (action->kind) {
    case ACTION_SET:
        return check_depth(action, out->value, e);
    case ACTION_ADD:
        return update_add(action, a, old, out, e);
    case ACTION_DELETE:
        return update_delete(action, a, old, out, e);
    default:
        out->kind = CHANGE_REMOVE;
        return 0;
    }
}

static int apply(const struct update *u, struct arena *a, struct slice item, bool is_new,
                 struct slice *out, struct err *e)
{
    struct change *changes = ARENA_ARRAY(a, struct change, u->n);
    int rc = 0;
    for (size_t i = 0; i < u->n && !rc; i++) {
        if (u->actions[i].kind != ACTION_SET) continue;
        changes[i].kind = CHANGE_SET;
        rc = update_eval(u->actions[i].value, a, item, &changes[i].value, e);
    }
    for (size_t i = 0; i < u->n && !rc; i++)
        rc = change_for(&u->actions[i], a, item, is_new, &changes[i], e);
    if (!rc) *out = trie_rebuild(&u->root, changes, a, item);
    return rc;
}

int update_apply(const struct update *u, struct arena *a, struct slice item, struct slice *out,
                 struct err *e)
{
    return apply(u, a, item, false, out, e);
}

int update_apply_new(const struct update *u, struct arena *a, struct slice item, struct slice *out,
                     struct err *e)
{
    return apply(u, a, item, true, out, e);
}

bool update_only_removes(const struct update *u)
{
    if (!u->n) return false;
    for (size_t i = 0; i < u->n; i++) {
        if (u->actions[i].kind != ACTION_REMOVE && u->actions[i].kind != ACTION_DELETE) return false;
    }
    return true;
}
