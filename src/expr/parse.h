/* parse.h: what the grammars share: the syntax tree, the parser's state, and the checks that
 * follow.
 *
 * DynamoDB reads an expression in steps, and the order of the steps decides which error a request
 * with several mistakes is given: first the syntax of the whole expression; then, each over the
 * whole tree, parentheses, function names, misplaced functions, reserved words; and only then
 * placeholders and types. So a parse builds a tree (struct node) that still holds the words as
 * written, the checks walk it in that order, and what is left is turned into the forms of expr.h.
 */
#ifndef OF_EXPR_PARSE_H
#define OF_EXPR_PARSE_H

#include "expr.h"
#include "lex.h"

#define EXPR_MAX_LEVELS 32 /* steps of a document path */

enum node_kind {
    NODE_PATH,
    NODE_VALUE,
    NODE_FUNC, /* operands */
    NODE_PLUS,
    NODE_MINUS, /* in SET */
    NODE_COMPARE,
    NODE_BETWEEN,
    NODE_IN, /* conditions; NODE_FUNC can be one too */
    NODE_AND,
    NODE_OR,
    NODE_NOT /* AND and OR have two or more arguments */
};

enum func {
    FUNC_UNKNOWN,
    FUNC_EXISTS,
    FUNC_NOT_EXISTS,
    FUNC_TYPE,
    FUNC_BEGINS_WITH,
    FUNC_CONTAINS,
    FUNC_SIZE,
    FUNC_IF_NOT_EXISTS,
    FUNC_LIST_APPEND
};

struct node {
    enum node_kind kind;
    enum func func;
    enum cond_kind compare;  /* COMPARE */
    bool parens;             /* stands directly in parentheses */
    bool doubled;            /* NOT: applied twice, which only key conditions care about */
    struct slice text;       /* the function's name, the value's placeholder, the operator */
    struct path_step *steps; /* PATH: as written until node_resolve, then the real names */
    size_t n_steps;
    struct slice value;               /* VALUE, after node_resolve */
    struct node *first, *last, *next; /* arguments */
    size_t n_args;
};

struct parser {
    struct lexer lx;
    struct expr_env *env; /* NULL: there are no placeholders */
    struct arena *arena;
    const char *what; /* "ConditionExpression"; NULL: a part of a PartiQL statement, whose errors name none */
    struct err *err;
    unsigned depth;
    unsigned operators;
    bool grouped_paths;     /* (a.b).c is a path: true in conditions */
    bool redundant;         /* ((x)) was seen */
    struct slice bad_index; /* a list index too large for an index; empty if none */
    size_t levels;          /* of the first path that is too deep; 0 if none */
};

/* Checks emptiness and length, and reads the first tokens. */
int parse_begin(struct parser *p, struct expr_env *env, const char *what, struct slice text,
                enum lex_words words, struct err *e);
/* "Invalid <what>: " and the rest. Returns the code. */
int parse_fail(struct parser *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int parse_syntax_error(struct parser *p);
/* Accepts the token or fails with a syntax error. */
bool parse_expect(struct parser *p, enum tok kind);
/* Counts an opening parenthesis; false (with an error) where nesting passes EXPR_MAX_DEPTH. */
bool parse_enter(struct parser *p, const struct node *function);

/* These return NULL after an error. */
struct node *node_new(struct parser *p, enum node_kind kind, struct slice text);
void node_add(struct node *parent, struct node *arg);
struct node *parse_path(struct parser *p);
/* Continues a path in parentheses, where the grammar has that. */
struct node *parse_path_rest(struct parser *p, struct node *path);
/* A path, a :value or a function call, without parentheses around it. */
struct node *parse_atom(struct parser *p);
/* The same, with parentheses allowed. */
struct node *parse_operand(struct parser *p);

/* FUNC_UNKNOWN if no function has this name. */
enum func function_named(struct slice name);

/* The checks. Each returns 0 or an err_code with the error set; nodes are visited in the order in
 * which they are written, arguments before the function they belong to. */
int check_parens(struct parser *p);
int check_function_names(struct parser *p, const struct node *n);
int check_limits(struct parser *p); /* operators, list indexes, nesting of paths */
int check_reserved(struct parser *p, const struct node *n);
int check_name_resolved(struct parser *p, struct node *n);  /* #names in paths */
int check_value_resolved(struct parser *p, struct node *n); /* :values */
int check_resolved(struct parser *p, struct node *n);       /* both, in the order of the text */
int check_operand_count(struct parser *p, const struct node *n);

/* TYPE_NONE for what only the item can tell. */
enum val_type node_type(const struct node *n);
struct path node_path(const struct node *n);
/* "[a, b, [1]]" */
struct slice path_text(struct arena *a, const struct path *path);

#endif
