/* partiql.c: a PartiQL statement, from its text to what the engine runs. */
#include "partiql_tree.h"

/* ---- the table ---- */

static int read_table(struct pq *q, const struct pq_statement *s, struct partiql *out)
{
    const struct pq_node *t = s->table;
    if (t->kind != PQ_N_PATH) return pq_fail(q, t->at, "Unexpected path component");
    struct slice names[2] = { { NULL, 0 }, { NULL, 0 } };
    size_t n = 0;
    for (const struct pq_node *step = t->first; step; step = step->next) {
        if (step->kind != PQ_N_STRING) return pq_fail(q, step->at, "Unexpected path component");
        if (!step->text.n) return pq_fail(q, NULL, "Path component cannot be an empty string");
        if (n == 2) return pq_fail(q, NULL, "A path may contain at most 2 components in the FROM clause");
        names[n++] = step->text;
    }
    if (n == 2 && s->kind == PARTIQL_INSERT) {
        return pq_fail(q, t->at, "FROM clause may only contain a single table name in data manipulation statements");
    }
    out->table = names[0];
    out->index = names[1];
    return 0;
}

/* ---- SELECT ---- */

/* A column goes by the last name of its path, with the indexes behind it: m.k[0] is k[0]. */
static struct slice column_name(struct arena *a, const struct path *path)
{
    size_t last = path->n - 1;
    while (!path->steps[last].name.p) last--;
    if (last == path->n - 1) return path->steps[last].name;
    struct buf b;
    buf_init(&b, a, SIZE_MAX / 4);
    buf_slice(&b, path->steps[last].name);
    for (size_t i = last + 1; i < path->n; i++) buf_printf(&b, "[%u]", (unsigned)path->steps[i].index);
    return buf_view(&b);
}

static int read_columns(struct pq *q, const struct pq_statement *s, struct partiql *out)
{
    size_t n = s->columns->n_args, i = 0;
    struct path *paths = ARENA_ARRAY(q->arena, struct path, n);
    struct slice *names = ARENA_ARRAY(q->arena, struct slice, n);
    bool star = false;
    for (const struct pq_node *c = s->columns->first; c; c = c->next) star = star || (c->kind == PQ_N_WORD && slice_eq(c->text, SLICE("*")));
    if (star && n > 1) {
        return pq_fail(q, NULL, "Other attributes should not be present in the projection when '*' is used.");
    }
    if (star) return 0;
    for (const struct pq_node *c = s->columns->first; c; c = c->next, i++) {
        int code = pq_path(q, c, &paths[i]);
        if (code) return code;
        names[i] = column_name(q->arena, &paths[i]);
    }
    size_t repeat = projection_from_columns(q->arena, paths, names, n, &out->columns);
    if (repeat < n) return pq_fail(q, NULL, "Duplicate identifiers in select clause: %.*s", SLICE_ARG(names[repeat]));
    return 0;
}

static int read_order(struct pq *q, const struct pq_statement *s, struct partiql *out)
{
    if (!s->order) return 0;
    out->order = ARENA_ARRAY(q->arena, struct partiql_order, s->order->n_args);
    for (const struct pq_node *key = s->order->first; key; key = key->next) {
        struct path path;
        int code = pq_path(q, key, &path);
        if (code) return code;
        out->order[out->n_order++] = (struct partiql_order){ column_name(q->arena, &path), key->negated };
        if (path.n > 1) return pq_fail(q, key->at, "Unexpected path component");
    }
    return 0;
}

static int read_select(struct pq *q, const struct pq_statement *s, struct partiql *out)
{
    if (s->limit) return pq_fail(q, s->limit, "Unsupported clause: LIMIT");
    int code = read_columns(q, s, out);
    return code ? code : read_order(q, s, out);
}

/* ---- all of them ---- */

static int check_returning(struct pq *q, const struct pq_statement *s)
{
    static const char *const words[] = { "", "ALL OLD", "ALL NEW", "MODIFIED OLD", "MODIFIED NEW" };
    if (s->returning == PARTIQL_RETURNING_NONE) return 0;
    if (s->kind == PARTIQL_INSERT) return pq_fail(q, NULL, "RETURNING is not supported in INSERT");
    if (s->kind != PARTIQL_DELETE || s->returning == PARTIQL_RETURNING_ALL_OLD) return 0;
    return pq_fail(q, NULL,
                   "Invalid returning clause: RETURNING %s *. Only RETURNING ALL OLD * is allowed in DELETE statements.",
                   words[s->returning]);
}

static int read_statement(struct pq *q, const struct pq_statement *s, struct partiql *out)
{
    bool reads = s->kind == PARTIQL_SELECT || s->kind == PARTIQL_EXISTS;
    if (s->unsupported) return pq_fail(q, NULL, "Unsupported clause: %s", s->unsupported);
    if (!reads && out->index.p) return pq_fail(q, NULL, "This operation is not supported on an index");
    int code = check_returning(q, s);
    if (!code && reads) code = read_select(q, s, out);
    if (!code && s->kind == PARTIQL_INSERT) code = pq_item(q, s->value, &out->item);
    if (!code && s->kind == PARTIQL_UPDATE) code = pq_update(q, s, &out->update);
    if (!code && s->where) code = pq_condition(q, s->where, &out->where);
    return code;
}

int partiql_parse(struct arena *a, struct slice text, const struct slice *params, size_t n_params, struct partiql **out,
                  struct err *e)
{
    struct pq q = { .arena = a, .err = e, .params = params, .n_params = n_params };
    struct pq_statement s = { .kind = PARTIQL_SELECT };
    struct pq_token *tokens;
    int code = pq_lex(a, text, &tokens, e);
    if (code) return code;
    q.at = tokens;
    if (!pq_statement(&q, &s)) return (int)e->code;
    if (!s.table) return pq_fail(&q, NULL, "Unsupported operation: %s", s.unsupported);

    struct partiql *p = *out = ARENA_NEW(a, struct partiql);
    p->kind = s.kind;
    p->returning = s.returning;
    code = read_table(&q, &s, p);
    if (code) return code;
    p->fault.arena = a;
    q.err = &p->fault;
    q.shared = (struct parser){ .arena = a, .err = &p->fault };
    read_statement(&q, &s, p);
    return 0;
}
