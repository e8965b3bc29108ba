/* projection.c: ProjectionExpression, lists of names, and columns. */
#include "../base/slices.h"
#include "trie.h"

struct projection {
    struct trie root;
    /* Columns: each takes the value at its path out of the item, and gives it a name. */
    const struct path *paths;
    const struct slice *names;
    size_t n_columns; /* 0: the tree it is */
};

static int parse_paths(struct parser *p, struct node *all)
{
    for (;;) {
        struct node *path = parse_path(p);
        if (!path) return p->err->code;
        node_add(all, path);
        if (p->lx.cur.kind != TOK_COMMA) break;
        lex_advance(&p->lx);
    }
    return parse_expect(p, TOK_EOF) ? 0 : (int)p->err->code;
}

int projection_parse(struct expr_env *env, struct slice text, struct projection **out,
                     struct err *e)
{
    struct parser p;
    int rc = parse_begin(&p, env, "ProjectionExpression", text, LEX_NO_WORDS, e);
    if (rc) return rc;
    struct node *all = node_new(&p, NODE_FUNC, slice_of(NULL, 0)); /* only to hold the list */
    rc = parse_paths(&p, all);
    if (!rc) rc = check_reserved(&p, all);
    if (!rc) rc = check_limits(&p);
    if (!rc) rc = check_name_resolved(&p, all);
    if (rc) return rc;
    struct path *paths = ARENA_ARRAY(p.arena, struct path, all->n_args);
    size_t n = 0;
    for (const struct node *path = all->first; path; path = path->next)
        paths[n++] = node_path(path);
    *out = ARENA_NEW(p.arena, struct projection);
    return trie_build(p.arena, p.what, paths, n, &(*out)->root, e);
}

struct projection *projection_from_names(struct arena *a, const struct slice *names, size_t n)
{
    struct projection *p = ARENA_NEW(a, struct projection);
    struct path *paths = ARENA_ARRAY(a, struct path, n);
    struct path_step *steps = ARENA_ARRAY(a, struct path_step, n);
    for (size_t i = 0; i < n; i++) {
        steps[i].name = names[i];
        paths[i] = (struct path){ &steps[i], 1 };
    }
    trie_build(a, NULL, paths, n, &p->root, NULL);
    return p;
}

size_t projection_from_columns(struct arena *a, const struct path *paths, const struct slice *names, size_t n,
                               struct projection **out)
{
    *out = ARENA_NEW(a, struct projection);
    **out = (struct projection){ .paths = paths, .names = names, .n_columns = n };
    return slices_first_repeat(a, names, n);
}

static struct slice take_columns(const struct projection *p, struct arena *a, struct slice item)
{
    struct attr *attrs = ARENA_ARRAY(a, struct attr, p->n_columns);
    size_t n = 0;
    for (size_t i = 0; i < p->n_columns; i++) {
        attrs[n].name = p->names[i];
        if (path_get(item, &p->paths[i], &attrs[n].value)) n++;
    }
    struct buf b;
    buf_init(&b, a, SIZE_MAX / 4);
    val_put_map(&b, attrs, n);
    return buf_view(&b);
}

struct slice projection_apply(const struct projection *p, struct arena *a, struct slice item)
{
    if (p->n_columns) return take_columns(p, a, item);
    struct slice part = item.n ? trie_project(&p->root, a, item) : item;
    return part.n ? part : compose(a, VAL_M, 0, NULL, 0);
}

static size_t column_roots(const struct projection *p, struct arena *a, struct slice **names)
{
    size_t n = 0;
    *names = ARENA_ARRAY(a, struct slice, p->n_columns);
    for (size_t i = 0; i < p->n_columns; i++) {
        struct slice root = p->paths[i].steps[0].name;
        size_t k = 0;
        while (k < n && !slice_eq((*names)[k], root)) k++;
        (*names)[k] = root;
        n += k == n;
    }
    return n;
}

size_t projection_names(const struct projection *p, struct arena *a, struct slice **names)
{
    if (p->n_columns) return column_roots(p, a, names);
    *names = ARENA_ARRAY(a, struct slice, p->root.n_children);
    for (size_t i = 0; i < p->root.n_children; i++)
        (*names)[i] = p->root.children[i].step.name;
    return p->root.n_children;
}

bool projection_each_nested(const struct projection *p, bool (*fn)(struct slice name, void *ctx),
                            void *ctx)
{
    for (size_t i = 0; i < p->n_columns; i++)
        if (p->paths[i].n > 1 && !fn(p->paths[i].steps[0].name, ctx)) return false;
    return trie_each_nested(&p->root, fn, ctx);
}
