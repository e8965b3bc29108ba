/* edit_tree.c: edits made on a tree of nodes, and the comparison with what reading the edited text gives. */
#include "edit_tree.h"

/* The depth of JSON is bounded where it is read. */
const struct node *tree_of_json(struct arena *a, const struct json *v)
{
    struct node *n = ARENA_NEW(a, struct node);
    struct node *last = NULL;
    switch (v->type) {
    case JSON_OBJECT: n->kind = NODE_MAP; break;
    case JSON_ARRAY: n->kind = NODE_LIST; break;
    case JSON_STRING: n->quoted = true; n->text = v->text; break;
    case JSON_TRUE: n->text = SLICE("true"); break;
    case JSON_FALSE: n->text = SLICE("false"); break;
    case JSON_NUMBER: n->text = v->text; break;
    default: n->text = SLICE("null"); break;
    }
    for (const struct json *c = v->first; c; c = c->next) {
        struct node *child = (struct node *)(uintptr_t)tree_of_json(a, c);
        child->name = c->name;
        if (last) last->next = child;
        else n->first = child;
        last = child;
        n->count++;
    }
    return n;
}

static bool is_number(struct slice part, size_t *out)
{
    *out = 0;
    if (!part.n || part.n > 9) return false;
    for (size_t i = 0; i < part.n; i++) {
        if (part.p[i] < '0' || part.p[i] > '9') return false;
        *out = *out * 10 + (size_t)(part.p[i] - '0');
    }
    return true;
}

const struct node *tree_child(const struct node *parent, struct slice part)
{
    size_t at;
    if (parent->kind == NODE_MAP) return node_get(parent, part);
    if (parent->kind != NODE_LIST || !is_number(part, &at)) return NULL;
    const struct node *c = parent->first;
    while (c && at--) c = c->next;
    return c;
}

bool tree_has_text(const struct node *n, struct slice text)
{
    if (!n) return false;
    if (n->kind == NODE_SCALAR) return slice_eq(n->text, text);
    for (const struct node *c = n->first; c; c = c->next)
        if (tree_has_text(c, text)) return true;
    return false;
}

struct tree_builder {
    struct arena *a;
    struct node *parent, *last;
};

static void grow(struct tree_builder *b, const struct node *child, struct slice name)
{
    struct node *copy = ARENA_NEW(b->a, struct node);
    *copy = *child;
    copy->name = name;
    copy->next = NULL;
    if (b->last) b->last->next = copy;
    else b->parent->first = copy;
    b->last = copy;
    b->parent->count++;
}

static struct tree_builder begin(struct arena *a, const struct node *like)
{
    struct node *copy = ARENA_NEW(a, struct node);
    *copy = *like;
    copy->first = NULL;
    copy->count = 0;
    return (struct tree_builder){ a, copy, NULL };
}

static const struct node *set_at(struct arena *a, const struct node *n, const struct slice *parts, size_t count,
                                 const struct node *value, const struct node *after)
{
    if (!count) return value;
    struct tree_builder b = begin(a, n);
    const struct node *there = tree_child(n, parts[0]);
    for (const struct node *c = n->first; c; c = c->next) {
        grow(&b, c == there ? set_at(a, c, parts + 1, count - 1, value, after) : c, c->name);
        if (!there && c == after) grow(&b, value, parts[0]);
    }
    if (!there && !after) grow(&b, value, parts[0]);
    return b.parent;
}

const struct node *tree_set(struct arena *a, const struct node *root, const struct edit_path *path, const struct node *value,
                            const struct node *after)
{
    return set_at(a, root, path->parts, path->n, value, after);
}

static const struct node *remove_at(struct arena *a, const struct node *n, const struct slice *parts, size_t count)
{
    struct tree_builder b = begin(a, n);
    const struct node *there = tree_child(n, parts[0]);
    for (const struct node *c = n->first; c; c = c->next) {
        if (c != there) grow(&b, c, c->name);
        else if (count > 1) grow(&b, remove_at(a, c, parts + 1, count - 1), c->name);
    }
    return b.parent;
}

const struct node *tree_remove(struct arena *a, const struct node *root, const struct edit_path *path)
{
    return remove_at(a, root, path->parts, path->n);
}

/* ---- comparison ---- */

enum scalar_class { SCALAR_TEXT, SCALAR_NULL, SCALAR_BOOL, SCALAR_NUMBER };

static enum scalar_class class_of(const struct node *n)
{
    bool truth;
    struct num number;
    if (node_is_null(n)) return SCALAR_NULL;
    if (node_bool(n, &truth)) return SCALAR_BOOL;
    return node_number(n, &number) ? SCALAR_NUMBER : SCALAR_TEXT;
}

static bool equal_scalars(const struct node *a, const struct node *b)
{
    enum scalar_class kind = class_of(a);
    return kind == class_of(b) && (kind == SCALAR_NULL || slice_eq(a->text, b->text));
}

bool tree_equal(const struct node *a, const struct node *b)
{
    if (a->kind != b->kind || a->count != b->count) return false;
    if (a->kind == NODE_SCALAR) return equal_scalars(a, b);
    const struct node *x = a->first, *y = b->first;
    for (; x && y; x = x->next, y = y->next)
        if ((a->kind == NODE_MAP && !slice_eq(x->name, y->name)) || !tree_equal(x, y)) return false;
    return !x && !y;
}
