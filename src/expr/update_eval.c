/* update_eval.c: the values that updates compute: right-hand sides of SET, sums, unions,
 * differences. */
#include "update.h"

#define WRONG_TYPE "An operand in the update expression has an incorrect data type"

static int sum(struct arena *a, bool minus, struct slice x, struct slice y, struct slice *out,
               struct err *e)
{
    struct num n;
    enum num_status status = minus ? num_sub(val_content(x), val_content(y), &n)
                                   : num_add(val_content(x), val_content(y), &n);
    if (status != NUM_OK) return num_error(e, status, slice_of(NULL, 0));
    uint8_t *p = arena_bytes(a, 1 + (size_t)n.n);
    p[0] = VAL_N;
    memcpy(p + 1, n.bytes, n.n);
    *out = slice_of(p, 1 + (size_t)n.n);
    return 0;
}

static struct slice join_lists(struct arena *a, struct slice x, struct slice y)
{
    struct val_iter i, j;
    val_iter_init(&i, x);
    val_iter_init(&j, y);
    struct slice pieces[2] = { slice_of(i.at, (size_t)(i.end - i.at)),
                               slice_of(j.at, (size_t)(j.end - j.at)) };
    return compose(a, VAL_L, val_count(x) + val_count(y), pieces, 2);
}

/* Both operands of a sum or of list_append. */
static int eval_pair(const struct node *n, struct arena *a, struct slice item, enum val_type wanted,
                     struct slice v[2], struct err *e)
{
    const struct node *args[2] = { n->first, n->last };
    for (size_t i = 0; i < 2; i++) {
        int rc = update_eval(args[i], a, item, &v[i], e);
        if (rc) return rc;
        if (val_type(v[i]) != wanted) return err_set(e, ERR_ValidationException, WRONG_TYPE);
    }
    return 0;
}

int update_eval(const struct node *n, struct arena *a, struct slice item, struct slice *out,
                struct err *e)
{
    struct slice v[2] = { { NULL, 0 }, { NULL, 0 } };
    struct path path;
    int rc;
    switch (n->kind) {
    case NODE_VALUE:
        *out = n->value;
        return 0;
    case NODE_PATH:
        path = node_path(n);
        if (path_get(item, &path, out)) return 0;
        return err_set(
            e, ERR_ValidationException,
            "The provided expression refers to an attribute that does not exist in the item");
    case NODE_PLUS:
    case NODE_MINUS:
        rc = eval_pair(n, a, item, TYPE_N, v, e);
        return rc ? rc : sum(a, n->kind == NODE_MINUS, v[0], v[1], out, e);
    default:
        if (n->func == FUNC_IF_NOT_EXISTS) {
            path = node_path(n->first);
            return path_get(item, &path, out) ? 0 : update_eval(n->last, a, item, out, e);
        }
        rc = eval_pair(n, a, item, TYPE_L, v, e);
        if (!rc) *out = join_lists(a, v[0], v[1]);
        return rc;
    }
}

/* ---- ADD and DELETE ---- */

static int mismatch(const struct action *action, struct err *e)
{
    return err_set(e, ERR_ValidationException, "%s",
                   action->legacy ? "Type mismatch for attribute to update" : WRONG_TYPE);
}

/* True if the set's walk comes to the content; set and contents are in the same order, so that all
 * of a set is looked for in one pass over the other. */
static bool walk_has(struct val_iter *it, struct slice *at, struct slice content)
{
    struct slice name;
    for (;;) {
        int c = at->p ? slice_cmp(*at, content) : -1;
        if (it->type == TYPE_NS && at->p) c = -c; /* the one kind that descends */
        if (c >= 0) return c == 0;
        if (!val_next(it, &name, at)) return false;
    }
}

/* The members of old that are not in without, and those of extra (empty: none). */
static struct slice set_of(struct arena *a, enum val_type type, struct slice old,
                           struct slice without, struct slice extra)
{
    size_t n = 0, max = val_count(old) + (extra.n ? val_count(extra) : 0);
    struct slice *members = ARENA_ARRAY(a, struct slice, max), name, member, at = { NULL, 0 };
    struct val_iter it, gone;
    val_iter_init(&gone, without);
    for (val_iter_init(&it, old); val_next(&it, &name, &member);)
        if (!walk_has(&gone, &at, member)) members[n++] = member;
    if (extra.n)
        for (val_iter_init(&it, extra); val_next(&it, &name, &member);)
            members[n++] = member;
    if (!n) return slice_of(NULL, 0);
    struct buf b;
    buf_init(&b, a, SIZE_MAX / 2);
    val_put_set(&b, type, members, n);
    return buf_view(&b);
}

int update_add(const struct action *action, struct arena *a, struct slice old, struct change *out,
               struct err *e)
{
    struct slice operand = action->operand;
    enum val_type type = val_type(operand);
    *out = (struct change){ CHANGE_SET, operand };
    if (!old.n) return 0;
    if (val_type(old) != type) return mismatch(action, e);
    if (type == TYPE_N) return sum(a, false, old, operand, &out->value, e);
    if (type == TYPE_L)
        out->value = join_lists(a, old, operand);
    else
        out->value = set_of(a, type, old, operand, operand);
    return 0;
}

int update_delete(const struct action *action, struct arena *a, struct slice old,
                  struct change *out, struct err *e)
{
    *out = (struct change){ CHANGE_NONE };
    if (!old.n) return 0;
    enum val_type type = val_type(old);
    if (type != val_type(action->operand)) return mismatch(action, e);
    out->value = set_of(a, type, old, action->operand, slice_of(NULL, 0));
    out->kind = out->value.n ? CHANGE_SET : CHANGE_REMOVE;
    return 0;
}
