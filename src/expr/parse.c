/* parse.c: the parts of the grammar that all expressions share: paths, placeholders, function
 * calls. */
#include "parse.h"

int parse_fail(struct parser *p, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    struct slice text = arena_vprintf(p->arena, fmt, ap);
    va_end(ap);
    if (!p->what) return err_set(p->err, ERR_ValidationException, "%.*s", SLICE_ARG(text));
    return err_set(p->err, ERR_ValidationException, "Invalid %s: %.*s", p->what, SLICE_ARG(text));
}

int parse_syntax_error(struct parser *p)
{
    struct slice token = p->lx.cur.kind == TOK_EOF ? SLICE("<EOF>") : p->lx.cur.text;
    struct slice near = lex_near(&p->lx);
    return parse_fail(p, "Syntax error; token: \"%.*s\", near: \"%.*s\"", SLICE_ARG(token),
                      SLICE_ARG(near));
}

#define EXPR_TOO_LONG "Expression size has exceeded the maximum allowed size;"

int parse_begin(struct parser *p, struct expr_env *env, const char *what, struct slice text,
                enum lex_words words, struct err *e)
{
    *p = (struct parser){ .env = env, .arena = env->arena, .what = what, .err = e };
    if (text.n == 0) return parse_fail(p, "The expression can not be empty;");
    if (text.n > EXPR_MAX_BYTES) {
        /* The service tells the size of these two only. */
        bool told = strcmp(what, "FilterExpression") == 0 || strcmp(what, "ConditionExpression") == 0;
        return told ? parse_fail(p, EXPR_TOO_LONG " expression size: %zu", text.n)
                    : parse_fail(p, EXPR_TOO_LONG);
    }
    lex_init(&p->lx, text, words);
    return 0;
}

bool parse_expect(struct parser *p, enum tok kind)
{
    if (p->lx.cur.kind != kind) {
        parse_syntax_error(p);
        return false;
    }
    lex_advance(&p->lx);
    return true;
}

/* Nothing that nests this deep is valid (300 operators at most, and one function in another goes no
 * deeper than 256 in 4,096 bytes), so what remains is to say why: unbalanced, or pointless. */
static int too_deep(struct parser *p, const struct node *function)
{
    struct lexer *lx = &p->lx;
    size_t open = p->depth - 1; /* the parenthesis at hand is counted below */
    for (;;) {
        enum tok kind = lx->cur.kind;
        if (kind == TOK_LPAREN) open++;
        if (kind == TOK_RPAREN && open) open--;
        if (kind == TOK_BAD || (kind == TOK_EOF && open)) return parse_syntax_error(p);
        if (kind == TOK_EOF) break;
        lex_advance(lx);
    }
    if (!function) return parse_fail(p, "The expression has redundant parentheses;");
    if (function->func == FUNC_UNKNOWN)
        return parse_fail(p, "Invalid function name; function: %.*s", SLICE_ARG(function->text));
    return parse_fail(
        p, "The function is not allowed to be used this way in an expression; function: %.*s",
        SLICE_ARG(function->text));
}

bool parse_enter(struct parser *p, const struct node *function)
{
    if (p->depth++ < EXPR_MAX_DEPTH) return true;
    too_deep(p, function);
    return false;
}

struct node *node_new(struct parser *p, enum node_kind kind, struct slice text)
{
    struct node *n = ARENA_NEW(p->arena, struct node);
    n->kind = kind;
    n->text = text;
    return n;
}

void node_add(struct node *parent, struct node *arg)
{
    if (parent->last)
        parent->last->next = arg;
    else
        parent->first = arg;
    parent->last = arg;
    parent->n_args++;
}

/* ---- paths ---- */

static bool parse_index(struct parser *p, struct path_step *step)
{
    struct slice digits = p->lx.cur.text;
    if (!parse_expect(p, TOK_NUMBER) || !parse_expect(p, TOK_RBRACKET)) return false;
    uint64_t v = 0;
    for (size_t i = 0; i < digits.n && v <= INT32_MAX; i++)
        v = v * 10 + (digits.p[i] - '0');
    if (v > INT32_MAX && !p->bad_index.n) p->bad_index = digits;
    *step = (struct path_step){ .index = (uint32_t)v };
    return true;
}

static bool parse_name(struct parser *p, struct path_step *step)
{
    if (p->lx.cur.kind != TOK_WORD && p->lx.cur.kind != TOK_NAME) {
        parse_syntax_error(p);
        return false;
    }
    *step = (struct path_step){ .name = p->lx.cur.text };
    lex_advance(&p->lx);
    return true;
}

/* Steps beyond the limit are counted and dropped: the path is refused anyway. */
static struct node *path_steps(struct parser *p, const struct node *head)
{
    struct path_step steps[EXPR_MAX_LEVELS], step;
    size_t n = 0;
    if (head) {
        n = head->n_steps;
        memcpy(steps, head->steps, n * sizeof(*steps));
    } else {
        if (!parse_name(p, &step)) return NULL;
        steps[n++] = step;
    }
    for (;;) {
        enum tok kind = p->lx.cur.kind;
        if (kind != TOK_DOT && kind != TOK_LBRACKET) break;
        lex_advance(&p->lx);
        if (!(kind == TOK_DOT ? parse_name(p, &step) : parse_index(p, &step))) return NULL;
        if (n < EXPR_MAX_LEVELS) steps[n] = step;
        n++;
    }
    if (n > EXPR_MAX_LEVELS && !p->levels) p->levels = n;
    struct node *path = node_new(p, NODE_PATH, slice_of(NULL, 0));
    size_t kept = n < EXPR_MAX_LEVELS ? n : EXPR_MAX_LEVELS;
    path->n_steps = kept;
    path->steps = ARENA_ARRAY(p->arena, struct path_step, kept);
    memcpy(path->steps, steps, kept * sizeof(*steps));
    return path;
}

struct node *parse_path(struct parser *p)
{
    return path_steps(p, NULL);
}

struct node *parse_path_rest(struct parser *p, struct node *path)
{
    enum tok kind = p->lx.cur.kind;
    if (!p->grouped_paths || path->kind != NODE_PATH || (kind != TOK_DOT && kind != TOK_LBRACKET))
        return path;
    return path_steps(p, path);
}

/* ---- operands ---- */

enum func function_named(struct slice name)
{
    static const struct {
        struct slice name;
        enum func func;
    } table[] = {
#define F(word, func) { { (const uint8_t *)(word), sizeof(word) - 1 }, func }
        F("attribute_exists", FUNC_EXISTS),     F("attribute_not_exists", FUNC_NOT_EXISTS),
        F("attribute_type", FUNC_TYPE),         F("begins_with", FUNC_BEGINS_WITH),
        F("contains", FUNC_CONTAINS),           F("size", FUNC_SIZE),
        F("if_not_exists", FUNC_IF_NOT_EXISTS), F("list_append", FUNC_LIST_APPEND),
#undef F
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (slice_eq(table[i].name, name)) return table[i].func;
    return FUNC_UNKNOWN;
}

static struct node *parse_call(struct parser *p)
{
    struct node *call = node_new(p, NODE_FUNC, p->lx.cur.text);
    call->func = function_named(call->text);
    lex_advance(&p->lx);
    if (!parse_enter(p, call)) return NULL;
    do {
        lex_advance(&p->lx); /* the parenthesis, then commas */
        struct node *arg = parse_operand(p);
        if (!arg) return NULL;
        node_add(call, arg);
    } while (p->lx.cur.kind == TOK_COMMA);
    if (!parse_expect(p, TOK_RPAREN)) return NULL;
    p->depth--;
    return call;
}

struct node *parse_atom(struct parser *p)
{
    switch (p->lx.cur.kind) {
    case TOK_WORD:
        if (p->lx.next.kind == TOK_LPAREN) return parse_call(p);
        return parse_path(p);
    case TOK_NAME:
        return parse_path(p);
    case TOK_VALUE: {
        struct node *value = node_new(p, NODE_VALUE, p->lx.cur.text);
        lex_advance(&p->lx);
        return value;
    }
    default:
        parse_syntax_error(p);
        return NULL;
    }
}

struct node *parse_operand(struct parser *p)
{
    if (p->lx.cur.kind != TOK_LPAREN) return parse_atom(p);
    if (!parse_enter(p, NULL)) return NULL;
    lex_advance(&p->lx);
    struct node *inner = parse_operand(p);
    if (!inner || !parse_expect(p, TOK_RPAREN)) return NULL;
    p->depth--;
    if (inner->parens) p->redundant = true;
    inner->parens = true;
    return parse_path_rest(p, inner);
}
