/* parse_cond.c: the grammar of conditions.
 *
 *     or      = and { OR and }
 *     and     = not { AND not }
 *     not     = { NOT } test
 *     test    = operand [ comparator operand | BETWEEN operand AND operand | IN ( operand {,
 * operand} ) ] | ( or )
 *
 * Whether a parenthesis opens an operand or a condition shows only inside it, so both go through
 * or(): a path or value that comes back alone is an operand, and whoever needs a condition refuses
 * it with a syntax error at the token that follows it, as DynamoDB does. */
#include "parse_cond.h"

static struct node *parse_or(struct parser *p);

static bool require_condition(struct parser *p, const struct node *n)
{
    if (n->kind != NODE_PATH && n->kind != NODE_VALUE) return true;
    parse_syntax_error(p);
    return false;
}

static struct node *parse_group(struct parser *p)
{
    if (p->lx.cur.kind != TOK_LPAREN) return parse_atom(p);
    if (!parse_enter(p, NULL)) return NULL;
    lex_advance(&p->lx);
    struct node *inner = parse_or(p);
    if (!inner || !parse_expect(p, TOK_RPAREN)) return NULL;
    p->depth--;
    if (inner->parens) p->redundant = true;
    inner->parens = true;
    return parse_path_rest(p, inner);
}

static bool comparator(enum tok kind, enum cond_kind *out)
{
    switch (kind) {
    case TOK_EQ:
        *out = COND_EQ;
        return true;
    case TOK_NE:
        *out = COND_NE;
        return true;
    case TOK_LT:
        *out = COND_LT;
        return true;
    case TOK_LE:
        *out = COND_LE;
        return true;
    case TOK_GT:
        *out = COND_GT;
        return true;
    case TOK_GE:
        *out = COND_GE;
        return true;
    default:
        return false;
    }
}

static struct node *add_operand(struct parser *p, struct node *test)
{
    struct node *operand = parse_operand(p);
    if (!operand) return NULL;
    node_add(test, operand);
    return test;
}

static struct node *parse_between(struct parser *p, struct node *left)
{
    struct node *test = node_new(p, NODE_BETWEEN, SLICE("BETWEEN"));
    node_add(test, left);
    lex_advance(&p->lx);
    if (!add_operand(p, test) || !parse_expect(p, TOK_AND)) return NULL;
    return add_operand(p, test);
}

static struct node *parse_in(struct parser *p, struct node *left)
{
    struct node *test = node_new(p, NODE_IN, SLICE("IN"));
    node_add(test, left);
    lex_advance(&p->lx);
    if (p->lx.cur.kind != TOK_LPAREN) {
        parse_syntax_error(p);
        return NULL;
    }
    do {
        lex_advance(&p->lx); /* the parenthesis, then commas */
        if (!add_operand(p, test)) return NULL;
    } while (p->lx.cur.kind == TOK_COMMA);
    return parse_expect(p, TOK_RPAREN) ? test : NULL;
}

static struct node *parse_test(struct parser *p)
{
    struct node *left = parse_group(p);
    if (!left || left->kind > NODE_FUNC) return left;
    enum cond_kind op;
    if (comparator(p->lx.cur.kind, &op)) {
        struct node *test = node_new(p, NODE_COMPARE, p->lx.cur.text);
        test->compare = op;
        node_add(test, left);
        p->operators++;
        lex_advance(&p->lx);
        return add_operand(p, test);
    }
    if (p->lx.cur.kind == TOK_BETWEEN || p->lx.cur.kind == TOK_IN) {
        p->operators++;
        return p->lx.cur.kind == TOK_IN ? parse_in(p, left) : parse_between(p, left);
    }
    return left;
}

static struct node *parse_not(struct parser *p)
{
    unsigned nots = 0;
    struct slice word = p->lx.cur.text;
    for (; p->lx.cur.kind == TOK_NOT; nots++)
        lex_advance(&p->lx);
    struct node *test = parse_test(p);
    if (!test || !nots) return test;
    if (!require_condition(p, test)) return NULL;
    p->operators += nots;
    struct node *negation = node_new(p, NODE_NOT, word);
    negation->doubled = nots % 2 == 0;
    node_add(negation, test);
    return negation;
}

/* AND and OR: a chain of any length becomes one node, so that depth comes only from parentheses. */
static struct node *parse_chain(struct parser *p, enum tok word, enum node_kind kind,
                                struct node *(*part)(struct parser *p))
{
    struct node *first = part(p);
    if (!first || p->lx.cur.kind != word) return first;
    struct node *chain = node_new(p, kind, p->lx.cur.text);
    if (!require_condition(p, first)) return NULL;
    node_add(chain, first);
    while (p->lx.cur.kind == word) {
        p->operators++;
        lex_advance(&p->lx);
        struct node *next = part(p);
        if (!next || !require_condition(p, next)) return NULL;
        node_add(chain, next);
    }
    return chain;
}

static struct node *parse_and(struct parser *p)
{
    return parse_chain(p, TOK_AND, NODE_AND, parse_not);
}

static struct node *parse_or(struct parser *p)
{
    return parse_chain(p, TOK_OR, NODE_OR, parse_and);
}

struct node *parse_condition(struct parser *p)
{
    p->grouped_paths = true;
    struct node *n = parse_or(p);
    if (!n || !require_condition(p, n)) return NULL;
    return parse_expect(p, TOK_EOF) ? n : NULL;
}
