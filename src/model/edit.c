/* edit.c: set and remove, and the check that an edited text says what it should. */
#include "edit.h"

struct slice edit_path_text(struct arena *a, const struct edit_path *path, size_t n)
{
    struct buf b;
    buf_init(&b, a, 1 << 20);
    for (size_t i = 0; i < n; i++) buf_printf(&b, "%s%.*s", i ? "." : "", SLICE_ARG(path->parts[i]));
    return buf_view(&b);
}

void editor_note(struct editor *ed, struct slice note)
{
    for (size_t i = 0; i < ed->n_notes; i++)
        if (slice_eq(ed->notes[i], note)) return;
    if (ed->n_notes < EDIT_NOTES_MAX) ed->notes[ed->n_notes++] = note;
}

static int first_problem(struct editor *ed, const struct problems *ps)
{
    const struct problem *p = ps->first;
    return err_set(ed->err, ERR_ValidationException, "%.*s:%u:%u: %.*s%s%.*s", SLICE_ARG(p->place.file), p->place.line,
                   p->place.column, SLICE_ARG(p->message), p->hint.n ? "; " : "", SLICE_ARG(p->hint));
}

int editor_open(struct editor *ed, struct slice text)
{
    struct problems ps;
    problems_init(&ps, ed->arena);
    const struct node *root = node_read(&ps, ed->name, text);
    if (!root) return first_problem(ed, &ps);
    if (root->kind != NODE_MAP) return err_set(ed->err, ERR_ValidationException, "the text is not a map, name: value, as a model is");
    ed->text = text;
    ed->root = root;
    return 0;
}

static int impossible(struct editor *ed, const struct node *at)
{
    unsigned line = at->name_place.line ? at->name_place.line : at->place.line;
    return err_set(ed->err, ERR_ValidationException,
                   "this change could not be made in the text as it is written; edit the YAML by hand at line %u", line);
}

int editor_take(struct editor *ed, struct edits *edits, const struct node *expected, const struct node *at)
{
    struct problems ps;
    struct slice text = edits_apply(edits);
    if (text.n > MODEL_MAX_FILE) return err_set(ed->err, ERR_ValidationException, "a model may be at most 8 MB");
    problems_init(&ps, ed->arena);
    const struct node *root = text.n ? node_read(&ps, ed->name, text) : NULL;
    if (!root || !tree_equal(root, expected)) return impossible(ed, at);
    ed->text = text;
    ed->root = root;
    return 0;
}

/* ---- the way to a node ---- */

struct way {
    const struct node *nodes[EDIT_PATH_MAX + 1]; /* nodes[0] is the root */
    size_t n;                                    /* parts of the path that are there */
};

static int walk(struct editor *ed, const struct edit_path *path, struct way *w)
{
    if (!path->n) return err_set(ed->err, ERR_ValidationException, "Path is empty: it must name something in the model");
    w->nodes[0] = ed->root;
    for (w->n = 0; w->n < path->n; w->n++) {
        const struct node *n = w->nodes[w->n], *child = tree_child(n, path->parts[w->n]);
        if (n->alias && n->kind != NODE_SCALAR) {
            return err_set(ed->err, ERR_ValidationException,
                           "%.*s is an alias (*name) of something that stands elsewhere; edit that, or write it out by hand at line %u",
                           SLICE_ARG(edit_path_text(ed->arena, path, w->n)), n->name_place.line);
        }
        if (!child) return 0;
        w->nodes[w->n + 1] = child;
    }
    return 0;
}

static struct json *json_new(struct arena *a, enum json_type type)
{
    struct json *v = ARENA_NEW(a, struct json);
    v->type = type;
    return v;
}

/* The value in maps and lists for the parts of the path behind the first so many. */
static const struct json *wrapped(struct arena *a, const struct edit_path *path, size_t from, const struct json *value)
{
    for (size_t i = path->n; i > from; i--) {
        struct slice part = path->parts[i - 1];
        struct json *outer = json_new(a, slice_eq(part, SLICE("-")) ? JSON_ARRAY : JSON_OBJECT);
        struct json *inner = ARENA_NEW(a, struct json);
        *inner = *value;
        inner->name = part;
        inner->next = NULL;
        outer->first = inner;
        outer->count = 1;
        value = outer;
    }
    return value;
}

static struct edit_path path_head(const struct edit_path *path, size_t n)
{
    struct edit_path head = *path;
    head.n = n;
    return head;
}

/* Was it in brackets, or is the entity or pattern before it? */
static bool like_flow(const struct node *parent, const struct node *old, const struct edit_path *at)
{
    const struct node *last = NULL;
    if (old && old->kind != NODE_SCALAR && old->count) return old->flow;
    if (at->n != 2) return false;
    for (const struct node *c = parent->first; c; c = c->next)
        if (c->kind == NODE_MAP && c->count) last = c;
    return last && last->flow;
}

static struct edit_value written(struct editor *ed, struct edits *e, const struct node *parent, const struct edit_path *at,
                                 const struct json *value, const struct node *old)
{
    struct slice name = at->parts[at->n - 1];
    size_t column = parent->first && !parent->flow
                        ? edit_column(e, parent->kind == NODE_MAP ? parent->first->name_begin : parent->first->begin) : 0;
    struct edit_style style = { .flow = parent->flow, .json = e->json, .indent = column + name.n + 2,
                                .like_flow = like_flow(parent, old, at) };
    return yaml_value(ed->arena, value, at, style);
}

/* nodes[n] gets a new value. */
static int replace(struct editor *ed, const struct edit_path *path, struct way *w, const struct json *value)
{
    const struct node *old = w->nodes[w->n], *parent = w->nodes[w->n - 1], *new = tree_of_json(ed->arena, value);
    struct edit_path head = path_head(path, w->n);
    struct edits e;
    if (tree_equal(old, new)) return 0;
    edits_init(&e, ed->arena, ed->text, ed->root);
    edit_put(&e, parent, old, written(ed, &e, parent, &head, value, old));
    return editor_take(ed, &e, tree_set(ed->arena, ed->root, &head, new, NULL), old);
}

/* nodes[n] gets a new child. */
static int add(struct editor *ed, const struct edit_path *path, struct way *w, const struct json *value)
{
    const struct node *parent = w->nodes[w->n];
    struct edit_path head = path_head(path, w->n + 1);
    struct slice name = path->parts[w->n];
    bool map = parent->kind == NODE_MAP;
    const struct node *after = map ? edit_after(parent, name) : NULL;
    struct edits e;
    edits_init(&e, ed->arena, ed->text, ed->root);
    edit_insert(&e, parent, after, map ? name : slice_of(NULL, 0), written(ed, &e, parent, &head, value, NULL));
    if (!map) head.parts[w->n] = SLICE("-");
    const struct node *new = tree_of_json(ed->arena, value);
    return editor_take(ed, &e, tree_set(ed->arena, ed->root, &head, new, after), parent);
}

static bool is_empty(const struct node *n)
{
    return node_is_null(n) || (n->kind != NODE_SCALAR && !n->count);
}

int edit_set(struct editor *ed, const struct edit_path *path, const struct json *value)
{
    struct way w;
    int rc = walk(ed, path, &w);
    if (rc) return rc;
    const struct node *n = w.nodes[w.n];
    if (w.n == path->n) return replace(ed, path, &w, value);
    struct slice part = path->parts[w.n];
    bool at_end = slice_eq(part, SLICE("-")) ||
                  slice_eq(part, arena_printf(ed->arena, "%zu", n->kind == NODE_LIST ? n->count : 0));
    if (n->kind == NODE_LIST && !at_end)
        return err_set(ed->err, ERR_ValidationException, "%.*s is a list of %zu: %.*s is no place in it; - adds one at its end",
                       SLICE_ARG(edit_path_text(ed->arena, path, w.n)), n->count, SLICE_ARG(part));
    if (n->kind == NODE_SCALAR && !node_is_null(n))
        return err_set(ed->err, ERR_ValidationException, "%.*s is text and holds no %.*s; set it as a whole",
                       SLICE_ARG(edit_path_text(ed->arena, path, w.n)), SLICE_ARG(part));
    /* What is empty is written anew, in the style of its place. */
    if (w.n && is_empty(n) && (n->kind == NODE_SCALAR || !w.nodes[w.n - 1]->flow))
        return replace(ed, path, &w, wrapped(ed->arena, path, w.n, value));
    return add(ed, path, &w, wrapped(ed->arena, path, w.n + 1, value));
}

int edit_remove(struct editor *ed, const struct edit_path *path)
{
    struct way w;
    int rc = walk(ed, path, &w);
    if (rc) return rc;
    if (w.n < path->n)
        return err_set(ed->err, ERR_ValidationException, "the model has no %.*s",
                       SLICE_ARG(edit_path_text(ed->arena, path, w.n + 1)));
    while (w.n > 1 && w.nodes[w.n - 1]->count == 1) w.n--;
    if (w.nodes[w.n - 1]->count == 1)
        return err_set(ed->err, ERR_ValidationException, "%.*s is all that the text holds; it cannot be removed",
                       SLICE_ARG(path->parts[0]));
    struct edit_path head = path_head(path, w.n);
    struct edits e;
    edits_init(&e, ed->arena, ed->text, ed->root);
    edit_cut(&e, w.nodes[w.n - 1], w.nodes[w.n]);
    return editor_take(ed, &e, tree_remove(ed->arena, ed->root, &head), w.nodes[w.n]);
}
