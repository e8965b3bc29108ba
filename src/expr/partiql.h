/* partiql.h: PartiQL statements, compiled to the same forms as expressions (expr.h): a WHERE is a condition, a SET an update.
 * No I/O, no tables: what needs a table's keys is the engine's (statement.h).
 *
 * DynamoDB reads a statement in two steps. What is not well formed is told first, whatever else is wrong. What is well formed but
 * cannot be done (COUNT(*), an operand of the wrong type) is told only after a look at the table's keys; so it is not an
 * error of reading but a fault that the statement carries. */
#ifndef OF_EXPR_PARTIQL_H
#define OF_EXPR_PARTIQL_H

#include "expr.h"

#define PARTIQL_MALFORMED "Statement wasn't well formed, can't be processed: "
#define PARTIQL_MAX_DEPTH 300 /* of parentheses, NOT and literals in the parser */
#define PARTIQL_MAX_IN    100 /* values of one IN */

enum partiql_kind { PARTIQL_SELECT, PARTIQL_INSERT, PARTIQL_UPDATE, PARTIQL_DELETE, PARTIQL_EXISTS };

enum partiql_returning {
    PARTIQL_RETURNING_NONE,
    PARTIQL_RETURNING_ALL_OLD,
    PARTIQL_RETURNING_ALL_NEW,
    PARTIQL_RETURNING_MODIFIED_OLD,
    PARTIQL_RETURNING_MODIFIED_NEW
};

struct partiql_order {
    struct slice name;
    bool descending;
};

struct partiql {
    enum partiql_kind kind; /* EXISTS holds the table and WHERE of the SELECT in it */
    struct slice table, index; /* index.p NULL: none named */
    struct err fault;          /* code ERR_NONE: none, and the rest is filled */
    struct cond *where;        /* NULL: none */
    struct projection *columns; /* SELECT; NULL: everything */
    struct partiql_order *order;
    size_t n_order;
    struct slice item;         /* INSERT: encoded */
    struct update *update;
    enum partiql_returning returning;
};

/* params: encoded values, for the question marks in their order; more than there are question marks is no error. 0 or an
 * err_code: not well formed, or names nothing that could be a table. Borrows from text. */
int partiql_parse(struct arena *a, struct slice text, const struct slice *params, size_t n_params, struct partiql **out,
                  struct err *e);

#endif
