/* expr_text.c: expressions as a request has them: text and placeholders. */
#include "expr.h"
#include <stdio.h>
#include <string.h>

/* Every second name is written as it is; none of those used is a reserved word. */
static void add_name(struct text *t, struct names *names, const char *name)
{
    if (names->n_names % 2 == 0) {
        add(&names->names, "%s\"#n%d\":\"%s\"", names->names.n ? "," : "", names->n_names, name);
        add(t, "#n%d", names->n_names);
    } else {
        add(t, "%s", name);
    }
    names->n_names++;
}

void add_path(struct text *t, struct names *names, const struct path *p)
{
    add_name(t, names, p->top);
    for (size_t i = 0; i < p->n; i++) {
        if (p->steps[i].name) {
            add(t, ".");
            add_name(t, names, p->steps[i].name);
        } else {
            add(t, "[%zu]", p->steps[i].index);
        }
    }
}

void add_value(struct text *t, struct names *names, const struct val *v)
{
    add(&names->values, "%s\":v%d\":", names->values.n ? "," : "", names->n_values);
    add_val(&names->values, v);
    add(t, ":v%d", names->n_values++);
}

static void add_operand(struct text *t, struct names *names, const struct operand *o)
{
    if (o->kind == OPERAND_VALUE) {
        add_value(t, names, o->value);
        return;
    }
    if (o->kind == OPERAND_SIZE) add(t, "size(");
    add_path(t, names, &o->path);
    if (o->kind == OPERAND_SIZE) add(t, ")");
}

static void add_function(struct text *t, struct names *names, const char *name, const struct cond *c)
{
    add(t, "%s(", name);
    add_operand(t, names, &c->of);
    if (c->n) {
        add(t, ", ");
        add_operand(t, names, &c->with[0]);
    }
    add(t, ")");
}

static void add_joined(struct text *t, struct names *names, const struct cond *c)
{
    add(t, c->kind == COND_NOT ? "NOT (" : "(");
    add_cond(t, names, c->left);
    if (c->kind != COND_NOT) {
        add(t, c->kind == COND_AND ? ") AND (" : ") OR (");
        add_cond(t, names, c->right);
    }
    add(t, ")");
}

void add_cond(struct text *t, struct names *names, const struct cond *c)
{
    static const char *const signs[] = { "=", "<>", "<", "<=", ">", ">=" };
    switch (c->kind) {
    case COND_AND: case COND_OR: case COND_NOT: add_joined(t, names, c); return;
    case COND_EXISTS: add_function(t, names, "attribute_exists", c); return;
    case COND_MISSING: add_function(t, names, "attribute_not_exists", c); return;
    case COND_TYPE: add_function(t, names, "attribute_type", c); return;
    case COND_BEGINS: add_function(t, names, "begins_with", c); return;
    case COND_CONTAINS: add_function(t, names, "contains", c); return;
    case COND_COMPARE: case COND_BETWEEN: case COND_IN: break;
    }
    add_operand(t, names, &c->of);
    if (c->kind == COND_COMPARE) add(t, " %s ", signs[c->compare]);
    else add(t, c->kind == COND_IN ? " IN (" : " BETWEEN ");
    for (size_t i = 0; i < c->n; i++) {
        if (i) add(t, c->kind == COND_IN ? ", " : " AND ");
        add_operand(t, names, &c->with[i]);
    }
    if (c->kind == COND_IN) add(t, ")");
}

static void add_term(struct text *t, struct names *names, const struct term *term)
{
    if (term->kind == TERM_IF_NOT_EXISTS) add(t, "if_not_exists(");
    if (term->kind != TERM_VALUE) add_path(t, names, &term->path);
    if (term->kind == TERM_IF_NOT_EXISTS) add(t, ", ");
    if (term->kind != TERM_PATH) add_value(t, names, term->value);
    if (term->kind == TERM_IF_NOT_EXISTS) add(t, ")");
}

static void add_change(struct text *t, struct names *names, const struct change *c)
{
    add_path(t, names, &c->path);
    if (c->kind == CHANGE_ADD || c->kind == CHANGE_DELETE) {
        add(t, " ");
        add_value(t, names, c->operand);
    }
    if (c->kind != CHANGE_SET) return;
    add(t, c->set == SET_APPEND ? " = list_append(" : " = ");
    add_term(t, names, &c->a);
    if (c->set == SET_TERM) return;
    add(t, c->set == SET_APPEND ? ", " : c->set == SET_PLUS ? " + " : " - ");
    add_term(t, names, &c->b);
    if (c->set == SET_APPEND) add(t, ")");
}

void add_update(struct text *t, struct names *names, const struct update *u)
{
    static const char *const words[] = { "SET", "REMOVE", "ADD", "DELETE" };
    for (int kind = CHANGE_SET; kind <= CHANGE_DELETE; kind++) {
        bool begun = false;
        for (size_t i = 0; i < u->n; i++) {
            if ((int)u->changes[i].kind != kind) continue;
            if (begun) add(t, ", ");
            else add(t, "%s%s ", t->n ? " " : "", words[kind]);
            add_change(t, names, &u->changes[i]);
            begun = true;
        }
    }
}

void add_projection(struct text *t, struct names *names, const struct projection *p)
{
    for (size_t i = 0; i < p->n; i++) {
        if (i) add(t, ", ");
        add_path(t, names, &p->paths[i]);
    }
}
