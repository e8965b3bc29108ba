/* partiql_tree.h: the syntax tree of a PartiQL statement, and the steps that make and read it. Only for partiql_*.c.
 *
 *     tokens (partiql_lex.c) -> expressions (partiql_expr.c) -> a statement (partiql_stmt.c)
 *     -> values (partiql_value.c), conditions (partiql_cond.c), updates (partiql_update.c), all together (partiql.c) */
#ifndef OF_EXPR_PARTIQL_TREE_H
#define OF_EXPR_PARTIQL_TREE_H

#include "parse.h"
#include "partiql.h"
#include "partiql_lex.h"

enum pq_kind {
    PQ_N_STRING,
    PQ_N_NUMBER,
    PQ_N_WORD, /* true, false, null, missing, *: text in lower case */
    PQ_N_PARAM,
    PQ_N_PATH, /* arguments: its steps, names as STRING */
    PQ_N_CALL,
    PQ_N_UNARY,  /* + - not: text */
    PQ_N_BINARY, /* text: the operator, in lower case */
    PQ_N_BETWEEN,
    PQ_N_IN, /* the operand, then the values */
    PQ_N_IS, /* text: the type, in lower case */
    PQ_N_LIST,
    PQ_N_BAG,
    PQ_N_MAP, /* name, value, name, value ... */
    PQ_N_SUBQUERY
};

struct pq_node {
    enum pq_kind kind;
    bool negated; /* NOT IN, NOT BETWEEN, IS NOT */
    bool parens;  /* stands in parentheses of its own */
    bool sequence; /* IN: what follows it is a list of values */
    const struct pq_token *at; /* what errors point at */
    struct slice text;
    size_t parameter; /* PARAM: from 0 */
    struct pq_node *first, *last, *next;
    size_t n_args;
    unsigned height; /* of the tree below it; a chain of ANDs or of ORs counts once, since it becomes one node */
};

/* SET path = value, or REMOVE path (value NULL). */
struct pq_change {
    struct pq_node *path, *value;
    struct pq_change *next;
};

/* A statement as it is written. */
struct pq_statement {
    enum partiql_kind kind;
    struct pq_node *table;      /* a path */
    struct pq_node *columns;    /* a LIST */
    struct pq_node *where;      /* NULL: none */
    struct pq_node *order;      /* a LIST of paths; negated: descending */
    struct pq_node *value;      /* INSERT */
    struct pq_change *changes;
    enum partiql_returning returning;
    const struct pq_token *limit; /* what follows LIMIT, which DynamoDB does not have */
    const char *unsupported;      /* what is well formed and yet no statement of DynamoDB's; NULL: nothing */
};

struct pq {
    struct arena *arena;
    struct err *err;
    const struct pq_token *at; /* the next token */
    unsigned depth;
    size_t parameters; /* question marks met */
    const struct slice *params;
    size_t n_params;
    struct parser shared; /* for the checks of check.c: without a name, errors have no "Invalid ...: " */
};

/* Each returns NULL after an error. */
struct pq_node *pq_node_new(struct pq *q, enum pq_kind kind, const struct pq_token *at);
void pq_node_add(struct pq_node *parent, struct pq_node *arg);
struct pq_node *pq_expression(struct pq *q);
/* Do the two belong to one chain of ANDs or ORs, of which left is the part before? */
bool pq_continues(const struct pq_node *left, const struct pq_node *n);
/* A table's or an attribute's path: names and, except in tables, indexes. */
struct pq_node *pq_simple_path(struct pq *q);
/* The part of a SELECT behind the word. */
bool pq_select(struct pq *q, struct pq_statement *s);
bool pq_statement(struct pq *q, struct pq_statement *s);

/* "Statement wasn't well formed, can't be processed: " and the detail. Returns the code. */
int pq_malformed(struct pq *q, const char *detail);
/* A ValidationException; with the token's place behind it if at is not NULL: " at 1:8:5". */
int pq_fail(struct pq *q, const struct pq_token *at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
bool pq_enter(struct pq *q); /* one level deeper; false, with an error, where that is too deep */

/* The tree read: 0 or an err_code. */
int pq_value(struct pq *q, const struct pq_node *n, struct slice *out);
/* The members of an INSERT: the same, but a question mark may stand for a whole member. */
int pq_item(struct pq *q, const struct pq_node *n, struct slice *out);
/* Is it a value, not a path or a condition? */
bool pq_is_value(const struct pq_node *n);
int pq_path(struct pq *q, const struct pq_node *n, struct path *out);
int pq_condition(struct pq *q, const struct pq_node *n, struct cond **out);
int pq_update(struct pq *q, const struct pq_statement *s, struct update **out);
/* A node of the tree that expressions have, with its operands: in SET, and where conditions compare. */
struct node *pq_value_node(struct pq *q, const struct pq_node *n);
struct node *pq_path_node(struct pq *q, const struct pq_node *n);

#endif
