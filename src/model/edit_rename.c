/* edit_rename.c: something gets another name, and so does everything that refers to it: for an attribute templates, shards, copies, unique values,
 * patterns, index projections, ttl and lock; for entities, indexes and patterns what names them. Sample data and what is
 * stored are not touched; notes tell.
 *
 * The names are found in a tree of its own, which is changed on the way: it is then the tree that the new text must give. A
 * model must stay one, and every pattern must be answered the way it was. */
#include "edit.h"
#include "plan.h"

struct renaming {
    struct editor *ed;
    struct edits edits;
    const struct node *root; /* a tree of its own */
    struct slice from, to;
    const struct node *entity; /* of an attribute */
    struct slice entity_name;
};

/* ---- names and texts ---- */

static struct node *own(const struct node *n)
{
    return (struct node *)(uintptr_t)n; /* of the tree that was read for this renaming */
}

static void rename_member(struct renaming *r, const struct node *map, struct slice from)
{
    const struct node *n = node_get(map, from);
    if (!n) return;
    edit_name(&r->edits, n, r->to);
    own(n)->name = r->to;
}

static void rewrite(struct renaming *r, const struct node *n, struct slice text)
{
    struct buf b;
    buf_init(&b, r->ed->arena, 2 * MODEL_MAX_FILE);
    if (n->quoted) yaml_put_quoted(&b, text);
    else yaml_put_string(&b, text, true, false);
    edits_add(&r->edits, n->begin, n->end - n->begin, buf_view(&b));
    own(n)->text = text;
}

/* A text that is the name, or a list of such. An alias stays: what it stands for is found in its own place. */
static void rename_texts(struct renaming *r, const struct node *n)
{
    if (!n || n->alias) return;
    if (n->kind == NODE_SCALAR && slice_eq(n->text, r->from)) rewrite(r, n, r->to);
    if (n->kind != NODE_LIST) return;
    for (const struct node *c = n->first; c; c = c->next) rename_texts(r, c);
}

/* ---- templates ---- */

/* ${from} and ${from:08} become ${to}; $${ is no hole. */
static struct slice renamed_template(struct renaming *r, struct slice t)
{
    struct buf b;
    buf_init(&b, r->ed->arena, MODEL_MAX_FILE);
    for (size_t i = 0; i < t.n;) {
        struct slice rest = slice_of(t.p + i, t.n - i);
        size_t end = i + 2 + r->from.n;
        bool escaped = slice_starts(rest, SLICE("$${"));
        if (!escaped && slice_starts(rest, SLICE("${")) && slice_starts(slice_of(rest.p + 2, rest.n - 2), r->from) && end < t.n &&
            (t.p[end] == '}' || t.p[end] == ':')) {
            buf_printf(&b, "${%.*s", SLICE_ARG(r->to));
            i = end;
            continue;
        }
        size_t n = escaped ? 3 : 1;
        buf_bytes(&b, t.p + i, n);
        i += n;
    }
    return buf_view(&b);
}

static void rename_shards(struct renaming *r, const struct node *shards)
{
    rename_texts(r, NODE_GET(shards, "by"));
}

/* Key attributes and their templates; shards may stand among them. */
static void rename_keys(struct renaming *r, const struct node *keys)
{
    if (!keys || keys->kind != NODE_MAP || keys->alias) return;
    for (const struct node *c = keys->first; c; c = c->next) {
        if (c->kind == NODE_MAP) {
            if (slice_eq(c->name, SLICE("shards"))) rename_shards(r, c);
            continue;
        }
        if (c->kind != NODE_SCALAR || c->alias) continue;
        struct slice text = renamed_template(r, c->text);
        if (!slice_eq(text, c->text)) rewrite(r, c, text);
    }
}

static void rename_entries(struct renaming *r, const struct node *index)
{
    if (!index || index->kind != NODE_MAP) return;
    for (const struct node *c = index->first; c; c = c->next) rename_keys(r, c);
}

/* ---- what refers to an attribute ---- */

static void rename_in_entity(struct renaming *r)
{
    const struct node *en = r->entity, *copies = NODE_GET(en, "copies");
    rename_member(r, NODE_GET(en, "attributes"), r->from);
    rename_keys(r, NODE_GET(en, "key"));
    rename_shards(r, NODE_GET(en, "shards"));
    rename_entries(r, NODE_GET(en, "index"));
    rename_texts(r, NODE_GET(en, "unique"));
    rename_texts(r, NODE_GET(en, "lock"));
    for (const struct node *c = copies && copies->kind == NODE_LIST ? copies->first : NULL; c; c = c->next) {
        rename_keys(r, NODE_GET(c, "key"));
        rename_shards(r, NODE_GET(c, "shards"));
        rename_entries(r, NODE_GET(c, "index"));
        rename_texts(r, NODE_GET(c, "only"));
    }
}

/* The conditions of a pattern speak of the attributes of its first entity. */
static bool asks_first(const struct node *pattern, struct slice entity)
{
    const struct node *of = NODE_GET(pattern, "of");
    if (!of) of = NODE_GET(pattern, "collection");
    if (of && of->kind == NODE_LIST) of = of->first;
    return of && of->kind == NODE_SCALAR && slice_eq(of->text, entity);
}

static void rename_conditions(struct renaming *r, const struct node *n)
{
    if (!n || n->alias) return;
    if (n->kind == NODE_MAP) rename_member(r, n, r->from);
    else rename_texts(r, n);
}

static void rename_in_patterns(struct renaming *r)
{
    const struct node *patterns = NODE_GET(r->root, "patterns");
    for (const struct node *p = patterns && patterns->kind == NODE_MAP ? patterns->first : NULL; p; p = p->next) {
        if (!asks_first(p, r->entity_name)) continue;
        rename_conditions(r, NODE_GET(p, "by"));
        rename_conditions(r, NODE_GET(p, "where"));
        rename_conditions(r, NODE_GET(p, "filter"));
        rename_texts(r, NODE_GET(p, "across"));
    }
}

static bool others_have(const struct renaming *r, struct slice name)
{
    const struct node *entities = NODE_GET(r->root, "entities");
    for (const struct node *en = entities->first; en; en = en->next)
        if (en != r->entity && node_get(NODE_GET(en, "attributes"), name)) return true;
    return false;
}

static void note(struct renaming *r, const char *fmt, struct slice a, struct slice b)
{
    editor_note(r->ed, arena_printf(r->ed->arena, fmt, SLICE_ARG(a), SLICE_ARG(b)));
}

/* What the whole table shares: ttl and the attributes that indexes hold. */
static void rename_shared(struct renaming *r)
{
    const struct node *indexes = NODE_GET(r->root, "indexes"), *ttl = NODE_GET(r->root, "ttl");
    bool shared = others_have(r, r->from);
    if (!shared) rename_texts(r, ttl);
    else if (ttl && slice_eq(ttl->text, r->from)) note(r, "ttl still goes by %.*s, which others than %.*s have", r->from, r->entity_name);
    for (const struct node *x = indexes && indexes->kind == NODE_MAP ? indexes->first : NULL; x; x = x->next) {
        const struct node *project = NODE_GET(x, "project");
        if (!project || project->kind != NODE_LIST) continue;
        if (!shared) rename_texts(r, project);
        else if (tree_has_text(project, r->from) && !tree_has_text(project, r->to))
            note(r, "index %.*s holds %.*s for others; add the new name to its project, if it is to hold it too", x->name, r->from);
    }
}

static bool is_key_attribute(const struct renaming *r, struct slice name)
{
    const struct node *keys = NODE_GET(r->root, "keys"), *indexes = NODE_GET(r->root, "indexes");
    if (!keys && (slice_eq(name, SLICE("PK")) || slice_eq(name, SLICE("SK")))) return true;
    if (keys && (tree_has_text(NODE_GET(keys, "hash"), name) || tree_has_text(NODE_GET(keys, "sort"), name))) return true;
    for (const struct node *x = indexes && indexes->kind == NODE_MAP ? indexes->first : NULL; x; x = x->next)
        if (tree_has_text(NODE_GET(x, "hash"), name) || tree_has_text(NODE_GET(x, "sort"), name)) return true;
    return false;
}

static int rename_attribute(struct renaming *r, const struct edit_path *path)
{
    r->entity_name = path->parts[1];
    r->entity = node_get(NODE_GET(r->root, "entities"), r->entity_name);
    if (is_key_attribute(r, r->from) || is_key_attribute(r, r->to))
        return err_set(r->ed->err, ERR_ValidationException,
                       "%.*s is a key attribute of the table or an index, which is shared by all entities; change the keys instead",
                       SLICE_ARG(is_key_attribute(r, r->from) ? r->from : r->to));
    rename_in_entity(r);
    rename_in_patterns(r);
    rename_shared(r);
    note(r, "items that are stored, and sample data, still call it %.*s, not %.*s", r->from, r->to);
    return 0;
}

/* ---- what refers to the others ---- */

static const char *const kinds[] = { "entities", "indexes", "patterns" };

/* A silence is on an entity, a pattern or an index. */
static void rename_silences(struct renaming *r, const char *kind)
{
    const struct node *list = NODE_GET(r->root, "silence");
    for (size_t i = 0; i < 3; i++) /* where another thing has the name too, it cannot be told which is meant */
        if (strcmp(kinds[i], kind) != 0 && node_get(node_get(r->root, slice_str(kinds[i])), r->from)) return;
    for (const struct node *s = list && list->kind == NODE_LIST ? list->first : NULL; s; s = s->next)
        rename_texts(r, NODE_GET(s, "on"));
}

static void rename_entity(struct renaming *r)
{
    const struct node *patterns = NODE_GET(r->root, "patterns");
    for (const struct node *p = patterns && patterns->kind == NODE_MAP ? patterns->first : NULL; p; p = p->next) {
        rename_texts(r, NODE_GET(p, "of"));
        rename_texts(r, NODE_GET(p, "collection"));
    }
    note(r, "items that are stored, and sample data, still call it %.*s, not %.*s", r->from, r->to);
}

static void rename_index(struct renaming *r)
{
    const struct node *patterns = NODE_GET(r->root, "patterns"), *entities = NODE_GET(r->root, "entities");
    for (const struct node *en = entities && entities->kind == NODE_MAP ? entities->first : NULL; en; en = en->next) {
        const struct node *copies = NODE_GET(en, "copies");
        rename_member(r, NODE_GET(en, "index"), r->from);
        for (const struct node *c = copies && copies->kind == NODE_LIST ? copies->first : NULL; c; c = c->next)
            rename_member(r, NODE_GET(c, "index"), r->from);
    }
    for (const struct node *p = patterns && patterns->kind == NODE_MAP ? patterns->first : NULL; p; p = p->next)
        rename_texts(r, NODE_GET(p, "index"));
    note(r, "a table that is there has the index %.*s, not %.*s: applying the model makes a new one", r->from, r->to);
}

static int rename_all(struct renaming *r, const struct edit_path *path)
{
    const char *const *kind = kinds;
    while (kind < kinds + 3 && !slice_eq(path->parts[0], slice_str(*kind))) kind++;
    bool attribute = path->n >= 4 && kind == kinds && slice_eq(path->parts[path->n - 2], SLICE("attributes"));
    if (attribute && path->n == 4 && slice_eq(path->parts[2], SLICE("attributes"))) return rename_attribute(r, path);
    if (!attribute && (path->n != 2 || kind == kinds + 3))
        return err_set(r->ed->err, ERR_ValidationException, "only entities, attributes, indexes and patterns can be renamed");
    const struct node *map = r->root;
    for (size_t i = 0; i + 1 < path->n; i++) map = tree_child(map, path->parts[i]);
    if (!attribute) {
        rename_silences(r, *kind);
        if (kind == kinds) rename_entity(r);
        if (kind == kinds + 1) rename_index(r);
    }
    rename_member(r, map, r->from); /* of an attribute within a map nothing else knows */
    return 0;
}

/* ---- the model stays what it was ---- */

struct answers {
    struct plan *plans;
    size_t *paths; /* plans point into a model that is gone by then */
    size_t n;
};

static int gather(struct editor *ed, const struct model *m, void *ctx)
{
    struct answers *x = ctx;
    int rc = 0;
    x->n = m->n_patterns;
    x->plans = ARENA_ARRAY(ed->arena, struct plan, x->n + 1);
    x->paths = ARENA_ARRAY(ed->arena, size_t, x->n + 1);
    for (size_t i = 0; !rc && i < x->n; i++) {
        rc = plan_make(ed->arena, m, &m->patterns[i], false, &x->plans[i], ed->err);
        if (!rc && x->plans[i].path) x->paths[i] = x->plans[i].path->number;
    }
    return rc;
}

static bool same_answers(const struct answers *a, const struct answers *b)
{
    if (a->n != b->n) return false;
    for (size_t i = 0; i < a->n; i++) {
        const struct plan *x = &a->plans[i], *y = &b->plans[i];
        if (x->kind != y->kind || x->streams != y->streams || x->n_fans != y->n_fans || x->sort_fixed != y->sort_fixed ||
            x->sort_parts != y->sort_parts || x->descending != y->descending || x->filter_entity != y->filter_entity ||
            x->filter_client != y->filter_client || (x->kind != PLAN_NONE && a->paths[i] != b->paths[i]))
            return false;
    }
    return true;
}

/* A text that was no model before need not be one now. */
static int rename_and_check(struct editor *ed, struct renaming *r, const struct node *at)
{
    struct answers before, after;
    struct err quiet = { .arena = ed->arena }, *told = ed->err;
    ed->err = &quiet;
    bool was_model = editor_with_model(ed, "", gather, &before) == 0;
    ed->err = told;
    struct slice text = ed->text;
    const struct node *root = ed->root;
    int rc = editor_take(ed, &r->edits, r->root, at);
    if (rc || !was_model) return rc;
    const char *lead = (const char *)arena_printf(ed->arena, "%.*s does not do as its name", SLICE_ARG(r->to)).p;
    rc = editor_with_model(ed, lead, gather, &after);
    if (!rc && !same_answers(&before, &after))
        rc = err_set(told, ERR_ValidationException, "with the name %.*s the patterns would be answered in another way", SLICE_ARG(r->to));
    if (rc) {
        ed->text = text;
        ed->root = root;
    }
    return rc;
}

int edit_rename(struct editor *ed, const struct edit_path *path, struct slice to)
{
    struct problems ps;
    const struct node *parent = NULL, *at = ed->root;
    for (size_t i = 0; i < path->n && at; i++) {
        parent = at;
        at = tree_child(at, path->parts[i]);
    }
    if (!parent || !at || parent->kind != NODE_MAP)
        return err_set(ed->err, ERR_ValidationException, "the model has no %.*s", SLICE_ARG(edit_path_text(ed->arena, path, path->n)));
    struct renaming r = { .ed = ed, .from = path->parts[path->n - 1], .to = to };
    if (slice_eq(r.from, to)) return 0;
    if (node_get(parent, to)) return err_set(ed->err, ERR_ValidationException, "there is a %.*s already", SLICE_ARG(to));
    problems_init(&ps, ed->arena);
    r.root = node_read(&ps, ed->name, ed->text);
    edits_init(&r.edits, ed->arena, ed->text, r.root);
    int rc = rename_all(&r, path);
    return rc ? rc : rename_and_check(ed, &r, at);
}
