/* parse_cond.h: conditions, from text to tree to checked tree. Used by cond.c and partiql_cond.c only. */
#ifndef OF_EXPR_PARSE_COND_H
#define OF_EXPR_PARSE_COND_H

#include "parse.h"

/* The whole expression; NULL after a syntax error. */
struct node *parse_condition(struct parser *p);
/* Everything that is checked after the syntax; resolves the placeholders. */
int check_condition(struct parser *p, struct node *n);
/* The last part of it: one test after the other. */
int check_tests(struct parser *p, struct node *n);
/* What is left of a tree that was checked. */
struct cond *cond_lower(struct arena *a, const struct node *n);

#endif
