/* parse_update.c: the grammar of UpdateExpression, and its checks.
 *
 *     update  = section { section }
 *     section = SET path = value {, path = value} | REMOVE path {, path}
 *             | ADD path :v {, path :v} | DELETE path :v {, path :v}
 *     value   = term [ + term | - term ] | ( value )
 *
 * The checks run over the whole expression, one after the other; see update_parse for their order.
 */
#include "update.h"

struct clause {
    enum action_kind kind;
    struct node *path, *value;
    struct clause *next;
};

struct sections {
    struct clause *first, *last;
    size_t n;
    bool seen[4];
    const char *repeated; /* the first section that came twice, or NULL */
};

static const char *const section_names[] = { "SET", "REMOVE", "ADD", "DELETE" };

/* ---- syntax ---- */

static struct node *parse_value(struct parser *p);

/* sum: whether a + b may stand in the parentheses, which it may not inside another sum. */
static struct node *parse_term(struct parser *p, bool sum)
{
    if (p->lx.cur.kind != TOK_LPAREN) return parse_atom(p);
    if (!parse_enter(p, NULL)) return NULL;
    lex_advance(&p->lx);
    struct node *inner = sum ? parse_value(p) : parse_term(p, false);
    if (!inner || !parse_expect(p, TOK_RPAREN)) return NULL;
    p->depth--;
    if (inner->parens) p->redundant = true;
    inner->parens = true;
    return inner;
}

static struct node *parse_value(struct parser *p)
{
    struct node *left = parse_term(p, true);
    if (!left || left->kind == NODE_PLUS || left->kind == NODE_MINUS) return left;
    enum tok kind = p->lx.cur.kind;
    if (kind != TOK_PLUS && kind != TOK_MINUS) return left;
    struct node *sum = node_new(p, kind == TOK_PLUS ? NODE_PLUS : NODE_MINUS, p->lx.cur.text);
    p->operators++;
    lex_advance(&p->lx);
    struct node *right = parse_term(p, false);
    if (!right) return NULL;
    node_add(sum, left);
    node_add(sum, right);
    return sum;
}

static bool parse_clause(struct parser *p, struct clause *c)
{
    c->path = parse_path(p);
    if (!c->path) return false;
    switch (c->kind) {
    case ACTION_SET:
        if (!parse_expect(p, TOK_EQ)) return false;
        c->value = parse_value(p);
        return c->value != NULL;
    case ACTION_REMOVE:
        return true;
    default:
        if (p->lx.cur.kind != TOK_VALUE) {
            parse_syntax_error(p);
            return false;
        }
        c->value = parse_atom(p);
        return c->value != NULL;
    }
}

static bool section_kind(enum tok kind, enum action_kind *out)
{
    switch (kind) {
    case TOK_SET:
        *out = ACTION_SET;
        return true;
    case TOK_REMOVE:
        *out = ACTION_REMOVE;
        return true;
    case TOK_ADD:
        *out = ACTION_ADD;
        return true;
    case TOK_DELETE:
        *out = ACTION_DELETE;
        return true;
    default:
        return false;
    }
}

static bool parse_section(struct parser *p, struct sections *s)
{
    enum action_kind kind;
    if (!section_kind(p->lx.cur.kind, &kind)) {
        parse_syntax_error(p);
        return false;
    }
    if (s->seen[kind] && !s->repeated) s->repeated = section_names[kind];
    s->seen[kind] = true;
    do {
        lex_advance(&p->lx); /* the section's word, then commas */
        struct clause *c = ARENA_NEW(p->arena, struct clause);
        c->kind = kind;
        if (!parse_clause(p, c)) return false;
        if (s->last)
            s->last->next = c;
        else
            s->first = c;
        s->last = c;
        s->n++;
    } while (p->lx.cur.kind == TOK_COMMA);
    return true;
}

/* ---- checks ---- */

/* list_append only as the whole value of a SET; the functions of conditions nowhere. */
static int check_placement(struct parser *p, const struct node *n, bool argument)
{
    for (const struct node *arg = n->first; arg; arg = arg->next) {
        int rc = check_placement(p, arg, argument || n->kind == NODE_FUNC);
        if (rc) return rc;
    }
    if (n->kind != NODE_FUNC || n->func == FUNC_IF_NOT_EXISTS) return 0;
    if (n->func == FUNC_LIST_APPEND && !argument) return 0;
    return parse_fail(
        p, "The function is not allowed to be used this way in an expression; function: %.*s",
        SLICE_ARG(n->text));
}

static int check_set_operator(struct parser *p, const struct clause *c)
{
    static const char *const names[] = {
        [TYPE_S] = "STRING",     [TYPE_N] = "NUMBER", [TYPE_B] = "BINARY", [TYPE_NULL] = "NULL",
        [TYPE_BOOL] = "BOOLEAN", [TYPE_L] = "LIST",   [TYPE_M] = "MAP"
    };
    enum val_type t = val_type(c->value->value);
    if (t == TYPE_SS || t == TYPE_NS || t == TYPE_BS) return 0;
    if (c->kind == ACTION_ADD && t == TYPE_N) return 0;
    return parse_fail(
        p, "Incorrect operand type for operator or function; operator: %s, operand type: %s",
        section_names[c->kind], names[t]);
}

static int check_argument(struct parser *p, const struct node *n, const struct node *arg,
                          enum val_type wanted)
{
    enum val_type t = node_type(arg);
    if (arg->kind == NODE_FUNC && arg->func == FUNC_LIST_APPEND) t = TYPE_L;
    if (t == TYPE_NONE || t == wanted) return 0;
    return parse_fail(
        p,
        "Incorrect operand type for operator or function; operator or function: %.*s, "
        "operand type: %s",
        SLICE_ARG(n->text), val_type_name(t));
}

static int check_function(struct parser *p, const struct node *n)
{
    int rc = 0;
    for (const struct node *arg = n->first; arg && !rc; arg = arg->next)
        rc = check_function(p, arg);
    if (rc || n->kind == NODE_PATH || n->kind == NODE_VALUE) return rc;
    if (n->kind == NODE_FUNC && n->n_args != 2)
        return parse_fail(p,
                          "Incorrect number of operands for operator or function; operator or "
                          "function: %.*s, number of operands: %zu",
                          SLICE_ARG(n->text), n->n_args);
    if (n->kind == NODE_FUNC && n->func == FUNC_IF_NOT_EXISTS) {
        if (n->first && n->first->kind == NODE_PATH) return 0;
        return parse_fail(
            p, "Operator or function requires a document path; operator or function: %.*s",
            SLICE_ARG(n->text));
    }
    enum val_type wanted = n->kind == NODE_FUNC ? TYPE_L : TYPE_N;
    for (const struct node *arg = n->first; arg && !rc; arg = arg->next)
        rc = check_argument(p, n, arg, wanted);
    return rc;
}

/* What an update stores may not nest as deep as what a condition compares with. */
static int check_depth(struct parser *p, const struct node *n)
{
    int rc = n->kind == NODE_VALUE ? val_check_depth(n->value, p->err) : 0;
    for (const struct node *arg = n->first; arg && !rc; arg = arg->next)
        rc = check_depth(p, arg);
    return rc;
}

/* Applies a check to every path and value, in the order of the text. */
#define EACH_NODE(p, s, rc, check)                                                                 \
    for (struct clause *c_ = (s)->first; c_ && !(rc); c_ = c_->next) {                             \
        (rc) = check((p), c_->path);                                                               \
        if (!(rc) && c_->value) (rc) = check((p), c_->value);                                      \
    }

static int check_words(struct parser *p, struct sections *s)
{
    int rc = check_parens(p);
    EACH_NODE(p, s, rc, check_reserved)
    EACH_NODE(p, s, rc, check_function_names)
    if (!rc) rc = check_limits(p);
    for (struct clause *c = s->first; c && !rc; c = c->next)
        if (c->value) rc = check_placement(p, c->value, false);
    if (!rc && s->repeated)
        rc = parse_fail(p, "The \"%s\" section can only be used once in an update expression;",
                        s->repeated);
    EACH_NODE(p, s, rc, check_name_resolved)
    EACH_NODE(p, s, rc, check_value_resolved)
    return rc;
}

static int check_operands(struct parser *p, struct sections *s)
{
    int rc = 0;
    for (struct clause *c = s->first; c && !rc; c = c->next)
        if (c->value && c->kind != ACTION_SET) rc = check_set_operator(p, c);
    for (struct clause *c = s->first; c && !rc; c = c->next)
        if (c->value) rc = check_function(p, c->value);
    for (struct clause *c = s->first; c && !rc; c = c->next)
        if (c->value) rc = check_depth(p, c->value);
    return rc;
}

int update_check_value(struct parser *p, const struct node *value)
{
    int rc = check_function(p, value);
    return rc ? rc : check_depth(p, value);
}

int update_parse(struct expr_env *env, struct slice text, struct update **out, struct err *e)
{
    struct parser p;
    struct sections s = { .first = NULL };
    int rc = parse_begin(&p, env, "UpdateExpression", text, LEX_UPDATE_WORDS, e);
    if (rc) return rc;
    do {
        if (!parse_section(&p, &s)) return e->code;
    } while (p.lx.cur.kind != TOK_EOF);
    rc = check_words(&p, &s);
    if (rc) return rc;
    struct update *u = ARENA_NEW(p.arena, struct update);
    u->actions = ARENA_ARRAY(p.arena, struct action, s.n);
    for (struct clause *c = s.first; c; c = c->next) {
        struct action *action = &u->actions[u->n++];
        *action = (struct action){ .kind = c->kind, .path = node_path(c->path) };
        if (c->kind == ACTION_SET)
            action->value = c->value;
        else if (c->value)
            action->operand = c->value->value;
    }
    rc = update_finish(u, p.arena, p.what, e);
    if (!rc) rc = check_operands(&p, &s);
    *out = u;
    return rc;
}
