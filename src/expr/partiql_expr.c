/* partiql_expr.c: the grammar of PartiQL's expressions, by precedence: OR, AND, NOT, comparisons with IN, IS, BETWEEN and
 * LIKE, sums, products, signs; then literals, paths and calls. The words of the errors are those of the parser that DynamoDB uses. */
#include "partiql_tree.h"

enum { LEVEL_OR = 1, LEVEL_AND, LEVEL_NOT, LEVEL_COMPARE, LEVEL_SUM, LEVEL_PRODUCT };

#define TOO_DEEP "Expression is nested too deeply"

static struct pq_node *expression(struct pq *q, int above);

int pq_malformed(struct pq *q, const char *detail)
{
    return err_set(q->err, ERR_ValidationException, PARTIQL_MALFORMED "%s", detail);
}

int pq_fail(struct pq *q, const struct pq_token *at, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    struct slice text = arena_vprintf(q->arena, fmt, ap);
    va_end(ap);
    if (!at) return err_set(q->err, ERR_ValidationException, "%.*s", SLICE_ARG(text));
    return err_set(q->err, ERR_ValidationException, "%.*s at %u:%u:%u", SLICE_ARG(text), at->line, at->column, at->length);
}

bool pq_enter(struct pq *q)
{
    if (q->depth++ < PARTIQL_MAX_DEPTH) return true;
    pq_malformed(q, TOO_DEEP);
    return false;
}

struct pq_node *pq_node_new(struct pq *q, enum pq_kind kind, const struct pq_token *at)
{
    struct pq_node *n = ARENA_NEW(q->arena, struct pq_node);
    n->kind = kind;
    n->at = at;
    n->text = at->text;
    return n;
}

bool pq_continues(const struct pq_node *left, const struct pq_node *n)
{
    bool chain = n->kind == PQ_N_BINARY && (slice_eq(n->text, SLICE("and")) || slice_eq(n->text, SLICE("or")));
    return chain && left == n->first && left->kind == PQ_N_BINARY && !left->parens && slice_eq(left->text, n->text);
}

void pq_node_add(struct pq_node *parent, struct pq_node *arg)
{
    if (parent->last)
        parent->last->next = arg;
    else
        parent->first = arg;
    parent->last = arg;
    parent->n_args++;
    unsigned height = arg->height + !pq_continues(arg, parent);
    if (parent->height < height) parent->height = height;
}

static struct pq_node *malformed(struct pq *q, const char *detail)
{
    pq_malformed(q, detail);
    return NULL;
}

/* ---- terms ---- */

/* Elements up to the closing symbol, which is passed. */
static struct pq_node *elements(struct pq *q, struct pq_node *into, const char *close)
{
    if (!pq_enter(q)) return NULL;
    while (!pq_symbol_is(q->at, close)) {
        struct pq_node *element = expression(q, 0);
        if (!element) return NULL;
        pq_node_add(into, element);
        if (pq_symbol_is(q->at, ",")) {
            q->at++;
            if (pq_symbol_is(q->at, close)) return malformed(q, "Unexpected term");
        } else if (!pq_symbol_is(q->at, close)) {
            return malformed(q, "Expected comma or closing token");
        }
    }
    q->at++;
    q->depth--;
    return into;
}

static struct pq_node *map(struct pq *q, struct pq_node *into)
{
    if (!pq_enter(q)) return NULL;
    while (!pq_symbol_is(q->at, "}")) {
        struct pq_node *name = expression(q, LEVEL_COMPARE);
        if (!name) return NULL;
        if (!pq_symbol_is(q->at, ":")) return malformed(q, "Expected : between a name and its value");
        q->at++;
        struct pq_node *value = expression(q, 0);
        if (!value) return NULL;
        pq_node_add(into, name);
        pq_node_add(into, value);
        if (pq_symbol_is(q->at, ",")) {
            q->at++;
            if (pq_symbol_is(q->at, "}")) return malformed(q, "Unexpected term");
        } else if (!pq_symbol_is(q->at, "}")) {
            return malformed(q, "Expected comma or closing token");
        }
    }
    q->at++;
    q->depth--;
    return into;
}

/* (a) is a; (a, b) a list. */
static struct pq_node *parentheses(struct pq *q)
{
    const struct pq_token *open = q->at++;
    if (pq_word_is(q->at, "select")) {
        struct pq_statement *inner = ARENA_NEW(q->arena, struct pq_statement);
        q->at++;
        if (!pq_enter(q) || !pq_select(q, inner)) return NULL;
        q->depth--;
        if (!pq_symbol_is(q->at, ")")) return malformed(q, "Expected closing parenthesis");
        q->at++;
        return pq_node_new(q, PQ_N_SUBQUERY, open);
    }
    struct pq_node *list = pq_node_new(q, PQ_N_LIST, open);
    if (pq_symbol_is(q->at, ")")) return malformed(q, "Unexpected term");
    if (!elements(q, list, ")")) return NULL;
    list->first->parens = true;
    return list->n_args == 1 ? list->first : list;
}

static struct pq_node *call(struct pq *q)
{
    struct pq_node *n = pq_node_new(q, PQ_N_CALL, q->at);
    n->text = pq_lower(q->arena, n->text);
    q->at += 2;
    if (pq_symbol_is(q->at, "*")) { /* COUNT(*) */
        struct pq_node *star = pq_node_new(q, PQ_N_WORD, q->at++);
        pq_node_add(n, star);
        if (!pq_symbol_is(q->at, ")")) return malformed(q, "Expected closing parenthesis");
        q->at++;
        return n;
    }
    if (pq_word_is(q->at, "select")) {
        q->at--; /* EXISTS(SELECT ...) in an expression */
        struct pq_node *inner = parentheses(q);
        if (inner) pq_node_add(n, inner);
        return inner ? n : NULL;
    }
    return elements(q, n, ")");
}

/* .name and [index], as long as they follow. */
static struct pq_node *path_rest(struct pq *q, struct pq_node *path)
{
    for (;;) {
        if (pq_symbol_is(q->at, ".")) {
            q->at++;
            if (q->at->kind != PQ_WORD && q->at->kind != PQ_QUOTED) return malformed(q, "Invalid path dot component");
            pq_node_add(path, pq_node_new(q, PQ_N_STRING, q->at++));
        } else if (pq_symbol_is(q->at, "[")) {
            q->at++;
            if (!pq_enter(q)) return NULL;
            struct pq_node *index = expression(q, 0);
            q->depth--;
            if (!index) return NULL;
            if (!pq_symbol_is(q->at, "]")) return malformed(q, "Expected closing token for path index");
            q->at++;
            pq_node_add(path, index);
        } else {
            return path;
        }
    }
}

static struct pq_node *path(struct pq *q)
{
    struct pq_node *n = pq_node_new(q, PQ_N_PATH, q->at);
    pq_node_add(n, pq_node_new(q, PQ_N_STRING, q->at++));
    return path_rest(q, n);
}

struct pq_node *pq_simple_path(struct pq *q)
{
    if (q->at->kind != PQ_WORD && q->at->kind != PQ_QUOTED) return malformed(q, "Expected identifier for simple path");
    return path(q);
}

static struct pq_node *keyword(struct pq *q)
{
    static const char *const values[] = { "true", "false", "null", "missing" };
    static const char *const operators[] = { "and", "or", "in", "is", "like", "between" };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        if (!pq_word_is(q->at, values[i])) continue;
        struct pq_node *n = pq_node_new(q, PQ_N_WORD, q->at++);
        n->text = slice_str(values[i]);
        return n;
    }
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (pq_word_is(q->at, operators[i])) return malformed(q, "Unexpected operator");
    }
    return pq_symbol_is(q->at + 1, "(") ? call(q) : malformed(q, "Unexpected keyword");
}

/* A statement where a term should be: FROM t ... is one of its own, and that is what is missed then. */
static struct pq_node *stray_statement(struct pq *q)
{
    q->at++;
    if (!pq_simple_path(q)) return NULL;
    return malformed(q, "Expected data manipulation");
}

static struct pq_node *term(struct pq *q)
{
    const struct pq_token *t = q->at;
    struct pq_node *n;
    switch (t->kind) {
    case PQ_STRING:
        q->at++;
        return pq_node_new(q, PQ_N_STRING, t);
    case PQ_NUMBER:
        q->at++;
        return pq_node_new(q, PQ_N_NUMBER, t);
    case PQ_PARAM:
        n = pq_node_new(q, PQ_N_PARAM, t);
        n->parameter = q->parameters++;
        q->at++;
        return n;
    case PQ_WORD:
        return pq_symbol_is(t + 1, "(") ? call(q) : path(q);
    case PQ_QUOTED:
        return path(q);
    case PQ_KEYWORD:
        return pq_word_is(t, "from") ? stray_statement(q) : keyword(q);
    case PQ_SYMBOL:
        break;
    case PQ_END:
        return malformed(q, "Unexpected term");
    }
    if (pq_symbol_is(t, "(")) return parentheses(q);
    q->at++;
    if (pq_symbol_is(t, "[")) return elements(q, pq_node_new(q, PQ_N_LIST, t), "]");
    if (pq_symbol_is(t, "<<")) return elements(q, pq_node_new(q, PQ_N_BAG, t), ">>");
    if (pq_symbol_is(t, "{")) return map(q, pq_node_new(q, PQ_N_MAP, t));
    return malformed(q, strchr("=<>*/%|!", t->text.p[0]) ? "Unexpected operator" : "Unexpected term");
}

/* ---- operators ---- */

static struct pq_node *prefixed(struct pq *q)
{
    bool negated = pq_word_is(q->at, "not");
    if (!negated && !pq_symbol_is(q->at, "-") && !pq_symbol_is(q->at, "+")) return term(q);
    struct pq_node *n = pq_node_new(q, PQ_N_UNARY, q->at++);
    n->text = pq_lower(q->arena, n->text);
    if (!pq_enter(q)) return NULL;
    struct pq_node *operand = negated ? expression(q, LEVEL_NOT) : prefixed(q);
    q->depth--;
    if (!operand) return NULL;
    pq_node_add(n, operand);
    return n;
}

/* How close the operator at hand binds; 0 if there is none. */
static int level_of(const struct pq_token *t)
{
    static const struct {
        const char *text;
        int level;
    } operators[] = {
        { "or", LEVEL_OR },       { "and", LEVEL_AND },    { "in", LEVEL_COMPARE }, { "is", LEVEL_COMPARE },
        { "like", LEVEL_COMPARE }, { "between", LEVEL_COMPARE }, { "=", LEVEL_COMPARE },  { "<>", LEVEL_COMPARE },
        { "!=", LEVEL_COMPARE },  { "<", LEVEL_COMPARE },  { "<=", LEVEL_COMPARE }, { ">", LEVEL_COMPARE },
        { ">=", LEVEL_COMPARE },  { "+", LEVEL_SUM },      { "-", LEVEL_SUM },      { "||", LEVEL_SUM },
        { "*", LEVEL_PRODUCT },   { "/", LEVEL_PRODUCT },  { "%", LEVEL_PRODUCT },
    };
    if (pq_word_is(t, "not")) {
        bool joins = pq_word_is(t + 1, "in") || pq_word_is(t + 1, "like") || pq_word_is(t + 1, "between");
        return joins ? LEVEL_COMPARE : 0;
    }
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (pq_symbol_is(t, operators[i].text)) return operators[i].level;
        if (t->kind == PQ_KEYWORD && pq_word_is(t, operators[i].text)) return operators[i].level;
    }
    return 0;
}

static struct pq_node *right_side(struct pq *q, int level)
{
    if (q->at->kind == PQ_END) return malformed(q, "Missing right-hand side expression of infix operator");
    return expression(q, level);
}

static struct pq_node *between(struct pq *q, struct pq_node *n)
{
    struct pq_node *low = right_side(q, LEVEL_COMPARE);
    if (!low) return NULL;
    if (!pq_word_is(q->at, "and")) return malformed(q, "Expected AND after BETWEEN");
    q->at++;
    struct pq_node *high = right_side(q, LEVEL_COMPARE);
    if (!high) return NULL;
    pq_node_add(n, low);
    pq_node_add(n, high);
    return n;
}

/* A list of values in any of the three brackets; anything else is refused when the statement is read. */
static struct pq_node *in(struct pq *q, struct pq_node *n)
{
    bool opens = pq_symbol_is(q->at, "(");
    struct pq_node *values = right_side(q, LEVEL_COMPARE);
    if (!values) return NULL;
    bool list = values->kind == PQ_N_LIST || values->kind == PQ_N_BAG;
    n->sequence = list || opens;
    if (!list) {
        pq_node_add(n, values);
        return n;
    }
    for (struct pq_node *v = values->first; v;) {
        struct pq_node *next = v->next;
        v->next = NULL;
        pq_node_add(n, v);
        v = next;
    }
    return n;
}

static struct pq_node *is(struct pq *q, struct pq_node *n)
{
    static const char *const types[] = { "missing", "null",   "bool",   "boolean", "smallint", "int2",   "int",     "int4",
                                         "integer", "int8",   "bigint", "float",   "real",     "double", "decimal", "numeric",
                                         "timestamp", "char", "character", "varchar", "string", "symbol", "clob",   "blob",
                                         "struct",  "tuple",  "list",   "sexp",    "bag",      "any",    "date",    "time" };
    if (pq_word_is(q->at, "not")) {
        n->negated = true;
        q->at++;
    }
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (!pq_word_is(q->at, types[i])) continue;
        n->text = slice_str(types[i]);
        bool two = (pq_word_is(q->at, "double") && pq_word_is(q->at + 1, "precision")) ||
                   (pq_word_is(q->at, "character") && pq_word_is(q->at + 1, "varying"));
        q->at += two ? 2 : 1;
        return n;
    }
    return malformed(q, "Expected type name");
}

static struct pq_node *infix(struct pq *q, struct pq_node *left, int level)
{
    bool negated = pq_word_is(q->at, "not");
    if (negated) q->at++;
    const struct pq_token *t = q->at++;
    enum pq_kind kind = pq_word_is(t, "between") ? PQ_N_BETWEEN
                        : pq_word_is(t, "in")    ? PQ_N_IN
                        : pq_word_is(t, "is")    ? PQ_N_IS
                                                 : PQ_N_BINARY;
    struct pq_node *n = pq_node_new(q, kind, t);
    n->text = pq_lower(q->arena, n->text);
    n->negated = negated;
    pq_node_add(n, left);
    if (kind == PQ_N_BETWEEN) return between(q, n);
    if (kind == PQ_N_IN) return in(q, n);
    if (kind == PQ_N_IS) return is(q, n);
    struct pq_node *right = right_side(q, level);
    if (!right) return NULL;
    pq_node_add(n, right);
    return n;
}

static struct pq_node *expression(struct pq *q, int above)
{
    struct pq_node *left = prefixed(q);
    while (left) {
        int level = level_of(q->at);
        if (level <= above) return left;
        left = infix(q, left, level);
        if (left && left->height > PARTIQL_MAX_DEPTH) return malformed(q, TOO_DEEP);
    }
    return NULL;
}

struct pq_node *pq_expression(struct pq *q)
{
    return expression(q, 0);
}
