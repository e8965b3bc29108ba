/* expr.h: expressions as trees: what they mean on an item, and how they are written in a request. */
#ifndef REFERENCE_EXPR_H
#define REFERENCE_EXPR_H

#include "value.h"

enum { MAX_STEPS = 3, MAX_CHANGES = 4, MAX_PATHS = 4 };

/* a, a.b, a[1].b: after the attribute each step is a name, or an index where the name is NULL. */
struct step {
    const char *name;
    size_t index;
};
struct path {
    const char *top;
    size_t n;
    struct step steps[MAX_STEPS - 1];
};

enum operand_kind { OPERAND_PATH, OPERAND_VALUE, OPERAND_SIZE };
struct operand {
    enum operand_kind kind;
    struct path path;
    struct val *value;
};

enum cond_kind { COND_COMPARE, COND_BETWEEN, COND_IN, COND_EXISTS, COND_MISSING, COND_TYPE, COND_BEGINS, COND_CONTAINS, COND_AND, COND_OR, COND_NOT };
enum compare { CMP_EQ, CMP_NE, CMP_LT, CMP_LE, CMP_GT, CMP_GE };
struct cond {
    enum cond_kind kind;
    enum compare compare;
    struct operand of;
    size_t n; /* of with */
    struct operand with[3];
    struct cond *left, *right;
};

/* A term of SET: a value, a path, or if_not_exists(path, value). */
enum term_kind { TERM_VALUE, TERM_PATH, TERM_IF_NOT_EXISTS };
struct term {
    enum term_kind kind;
    struct path path;
    struct val *value;
};
enum change_kind { CHANGE_SET, CHANGE_REMOVE, CHANGE_ADD, CHANGE_DELETE };
enum set_kind { SET_TERM, SET_PLUS, SET_MINUS, SET_APPEND };
struct change {
    enum change_kind kind;
    struct path path;
    enum set_kind set;
    struct term a, b;
    struct val *operand; /* of ADD and DELETE */
};
struct update {
    size_t n;
    struct change changes[MAX_CHANGES];
};
struct projection {
    size_t n;
    struct path paths[MAX_PATHS];
};

struct val *path_get(const struct val *item, const struct path *p); /* NULL: nothing there */
bool cond_holds(const struct cond *c, const struct val *item);      /* item may be NULL */
/* The item after the update; NULL: it cannot be done. old may be NULL: the update then begins with the key. */
struct val *update_apply(struct mem *m, const struct update *u, const struct val *old, const struct val *key);
/* What there is of the item at these paths; never NULL. */
struct val *project(struct mem *m, const struct path *paths, size_t n, const struct val *item);
void update_paths(const struct update *u, struct path *paths);

/* The placeholders of a request, collected while its expressions are written. */
struct names {
    struct text names, values;
    int n_names, n_values;
};
void add_path(struct text *t, struct names *names, const struct path *p);
void add_value(struct text *t, struct names *names, const struct val *v);
void add_cond(struct text *t, struct names *names, const struct cond *c);
void add_update(struct text *t, struct names *names, const struct update *u);
void add_projection(struct text *t, struct names *names, const struct projection *p);

#endif
