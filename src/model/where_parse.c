/* where_parse.c: the grammar of the where-language, by recursive descent of bounded depth.
 *
 *   any   = all { or all }         all = one { and one }        one = not one | ( any ) | test
 *   test  = operand sign value | operand between value and value | operand in ( value, ... )
 *         | operand since value ... | begins_with ( name , value ) | exists ( name ) ...
 *   operand = name | size ( name ) */
#include "where_impl.h"
#include "../item/json.h"

static int any(struct where_parser *p, struct where **out);

static struct where *node_new(struct where_parser *p, enum where_kind kind)
{
    struct where *w = ARENA_NEW(p->arena, struct where);
    w->kind = kind;
    return w;
}

static int want_sign(struct where_parser *p, const char *sign, const char *what)
{
    return where_is_sign(p, sign) ? where_next(p) : where_expected(p, what);
}

static bool is_reserved(const struct where_parser *p)
{
    static const char *const words[] = { "and", "or", "not", "between", "in" };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (where_is_word(p, words[i])) return true;
    }
    return false;
}

static int take_value(struct where_parser *p, const char *what, struct token *out)
{
    if (is_reserved(p)) {
        return where_fail(p, p->token.at, "expected %s, but found the word %.*s; a value of that name is written in "
                          "quotes", what, SLICE_ARG(p->token.text));
    }
    if (p->token.kind != TOKEN_WORD && p->token.kind != TOKEN_QUOTED) return where_expected(p, what);
    *out = p->token;
    return where_next(p);
}

static int take_name(struct where_parser *p, struct where *test)
{
    struct token name;
    if (is_reserved(p) || (p->token.kind != TOKEN_WORD && p->token.kind != TOKEN_QUOTED)) {
        return where_expected(p, "the name of an attribute");
    }
    name = p->token;
    int rc = where_next(p);
    return rc ? rc : where_resolve(p, name, test);
}

/* Reads the values: at most two, or with IN a list. */
static int set_values(struct where_parser *p, struct where *test, const struct token *tokens, size_t n)
{
    struct slice *texts = ARENA_ARRAY(p->arena, struct slice, n), *values = ARENA_ARRAY(p->arena, struct slice, n);
    for (size_t i = 0; i < n; i++) {
        int rc = where_value(p, test, tokens[i], &values[i]);
        if (rc) return rc;
        texts[i] = tokens[i].text;
    }
    test->texts = texts;
    test->values = values;
    test->n_texts = test->n_values = n;
    return 0;
}

static int set_times(struct where_parser *p, struct where *test, const struct token *tokens, size_t n)
{
    struct slice *texts = ARENA_ARRAY(p->arena, struct slice, n), *values = ARENA_ARRAY(p->arena, struct slice, 2);
    struct slice end[2];
    for (size_t i = 0; i < n; i++) {
        int rc = where_time(p, test, tokens[i], &values[i], &end[i]);
        if (rc) return rc;
        texts[i] = tokens[i].text;
    }
    if (test->op == OP_ON) values[1] = end[0];
    test->texts = texts;
    test->values = values;
    test->n_texts = n;
    test->n_values = test->op == OP_ON ? 2 : n;
    return 0;
}

static int two_values(struct where_parser *p, struct token tokens[2])
{
    int rc = take_value(p, "a value", &tokens[0]);
    if (rc) return rc;
    if (!where_is_word(p, "and")) return where_expected(p, "the word and, then the other end of the range");
    rc = where_next(p);
    return rc ? rc : take_value(p, "a value", &tokens[1]);
}

static int in_list(struct where_parser *p, struct where *test)
{
    struct token *tokens = ARENA_ARRAY(p->arena, struct token, WHERE_MAX_IN);
    size_t n = 0;
    int rc = want_sign(p, "(", "( and a list of values");
    while (!rc) {
        if (n == WHERE_MAX_IN) {
            return where_fail(p, p->token.at, "a list after in has at most %d values", WHERE_MAX_IN);
        }
        rc = take_value(p, "a value", &tokens[n++]);
        if (rc || !where_is_sign(p, ",")) break;
        rc = where_next(p);
    }
    if (!rc) rc = want_sign(p, ")", ", or )");
    return rc ? rc : set_values(p, test, tokens, n);
}

static const struct {
    const char *text;
    enum where_op op;
} signs[] = {
    { "=", OP_EQ }, { "!=", OP_NE }, { "<>", OP_NE }, { "<=", OP_LE }, { ">=", OP_GE }, { "<", OP_LT }, { ">", OP_GT },
}, words[] = {
    { "between", OP_BETWEEN }, { "in", OP_IN }, { "since", OP_SINCE }, { "until", OP_UNTIL }, { "on", OP_ON },
    { "during", OP_DURING },
}, functions[] = {
    { "begins_with", OP_BEGINS }, { "contains", OP_CONTAINS }, { "exists", OP_EXISTS }, { "missing", OP_MISSING },
};
#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static bool read_op(const struct where_parser *p, enum where_op *op)
{
    for (size_t i = 0; i < COUNT(signs); i++) {
        if (where_is_sign(p, signs[i].text)) return *op = signs[i].op, true;
    }
    for (size_t i = 0; i < COUNT(words); i++) {
        if (where_is_word(p, words[i].text)) return *op = words[i].op, true;
    }
    return false;
}

/* What follows the operand. */
static int comparison(struct where_parser *p, struct where *test)
{
    struct token tokens[2];
    size_t at = p->token.at;
    int rc;
    if (!read_op(p, &test->op)) {
        return where_expected(p, "= != < <= > >= between, in, since, until, on or during after the attribute");
    }
    if ((rc = where_check_op(p, test, at)) || (rc = where_next(p))) return rc;
    switch (test->op) {
    case OP_IN: return in_list(p, test);
    case OP_BETWEEN: return (rc = two_values(p, tokens)) ? rc : set_values(p, test, tokens, 2);
    case OP_DURING: return (rc = two_values(p, tokens)) ? rc : set_times(p, test, tokens, 2);
    case OP_SINCE:
    case OP_UNTIL:
    case OP_ON: return (rc = take_value(p, "a date", &tokens[0])) ? rc : set_times(p, test, tokens, 1);
    default: return (rc = take_value(p, "a value", &tokens[0])) ? rc : set_values(p, test, tokens, 1);
    }
}

static int function(struct where_parser *p, struct where *test, size_t at)
{
    struct token value;
    int rc = take_name(p, test);
    if (rc || (rc = where_check_op(p, test, at))) return rc;
    if (test->op == OP_BEGINS || test->op == OP_CONTAINS) {
        if ((rc = want_sign(p, ",", ", and a value")) || (rc = take_value(p, "a value", &value)) ||
            (rc = set_values(p, test, &value, 1))) {
            return rc;
        }
    }
    return want_sign(p, ")", ")");
}

/* A word that ( follows is a function. */
static bool before_parenthesis(const struct where_parser *p)
{
    size_t i = p->at;
    while (i < p->text.n && (p->text.p[i] == ' ' || p->text.p[i] == '\t')) i++;
    return p->token.kind == TOKEN_WORD && i < p->text.n && p->text.p[i] == '(' && !is_reserved(p);
}

static int call(struct where_parser *p, struct where *test)
{
    size_t at = p->token.at;
    bool size = where_is_word(p, "size");
    size_t i = 0;
    while (i < COUNT(functions) && !where_is_word(p, functions[i].text)) i++;
    if (!size && i == COUNT(functions)) {
        return where_fail(p, at, "%.*s is no function; there are begins_with, contains, exists, missing and size",
                          SLICE_ARG(p->token.text));
    }
    int rc = where_next(p);
    if (!rc) rc = where_next(p);
    if (rc) return rc;
    if (!size) {
        test->op = functions[i].op;
        return function(p, test, at);
    }
    test->size = true;
    if ((rc = take_name(p, test)) || (rc = want_sign(p, ")", ")"))) return rc;
    return comparison(p, test);
}

static int one(struct where_parser *p, struct where **out)
{
    int rc = 0;
    bool negated = where_is_word(p, "not");
    if (negated || where_is_sign(p, "(")) {
        if (++p->depth > WHERE_MAX_DEPTH) {
            return where_fail(p, p->token.at, "more than %d levels of parentheses and not", WHERE_MAX_DEPTH);
        }
        if ((rc = where_next(p))) return rc;
        struct where *inner;
        if ((rc = negated ? one(p, &inner) : any(p, &inner))) return rc;
        p->depth--;
        if (!negated) {
            *out = inner;
            return want_sign(p, ")", "and, or or )");
        }
        *out = node_new(p, WHERE_NOT);
        (*out)->first = inner;
        return 0;
    }
    if (++p->terms > WHERE_MAX_TERMS) {
        return where_fail(p, p->token.at, "more than %d conditions", WHERE_MAX_TERMS);
    }
    *out = node_new(p, WHERE_TEST);
    if (before_parenthesis(p)) return call(p, *out);
    rc = take_name(p, *out);
    return rc ? rc : comparison(p, *out);
}

/* Operands joined by one word; one alone stands for itself. */
static int joined(struct where_parser *p, enum where_kind kind, const char *word,
                  int (*operand)(struct where_parser *, struct where **), struct where **out)
{
    struct where *node = NULL, *last = NULL;
    for (;;) {
        struct where *next;
        int rc = operand(p, &next);
        if (rc) return rc;
        /* What was parsed in parentheses may be a list already: its `next` is free, since it is new. */
        if (last) last->next = next;
        if (!last && !where_is_word(p, word)) {
            *out = next;
            return 0;
        }
        if (!node) {
            node = node_new(p, kind);
            node->first = next;
        }
        last = next;
        if (!where_is_word(p, word)) break;
        if ((rc = where_next(p))) return rc;
    }
    *out = node;
    return 0;
}

static int all(struct where_parser *p, struct where **out)
{
    return joined(p, WHERE_AND, "and", one, out);
}

static int any(struct where_parser *p, struct where **out)
{
    return joined(p, WHERE_OR, "or", all, out);
}

static int parse(struct where_parser *p, const struct where **out)
{
    struct where *w;
    if (p->text.n > WHERE_MAX_TEXT) {
        return err_set(p->err, ERR_ValidationException, "a condition has at most %zu bytes", WHERE_MAX_TEXT);
    }
    if (!utf8_valid(p->text)) return err_set(p->err, ERR_ValidationException, "the condition is not UTF-8");
    int rc = where_next(p);
    if (rc || (rc = any(p, &w))) return rc;
    if (p->token.kind != TOKEN_END) return where_expected(p, "and, or, or the end of the text");
    *out = w;
    return 0;
}

int where_parse(struct arena *a, const struct entity *en, struct slice text, int64_t now, const struct where **out,
                struct err *e)
{
    struct where_parser p = { .arena = a, .scope = { .entity = en }, .text = text, .now = now, .err = e };
    return parse(&p, out);
}

int where_parse_key(struct arena *a, const struct model_index *index, struct slice text, const struct where **out,
                    struct err *e)
{
    struct where_parser p = { .arena = a, .scope = { .index = index }, .text = text, .err = e };
    int rc = parse(&p, out);
    if (rc) return rc;
    const struct where *w = *out;
    if (w->kind == WHERE_OR || w->kind == WHERE_NOT) {
        return err_set(e, ERR_ValidationException, "a key condition is comparisons joined by and; or, not are for --filter");
    }
    for (w = w->kind == WHERE_AND ? w->first : w; w; w = w->next) {
        if (w->kind != WHERE_TEST) {
            return err_set(e, ERR_ValidationException,
                           "a key condition is comparisons joined by and, without parentheses; or, not are for --filter");
        }
    }
    return 0;
}
