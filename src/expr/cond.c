/* cond.c: conditions as the rest of the program sees them: made from a checked tree, and walked. */
#include "parse_cond.h"

static struct operand lower_operand(struct arena *a, const struct node *n)
{
    if (n->kind == NODE_PATH) return (struct operand){ .kind = OPERAND_PATH, .path = node_path(n) };
    if (n->kind == NODE_VALUE) return (struct operand){ .kind = OPERAND_VALUE, .value = n->value };
    if (n->kind != NODE_FUNC || n->func != FUNC_SIZE) return (struct operand){ .kind = OPERAND_COND, .cond = cond_lower(a, n) };
    const struct node *of = n->first;
    struct operand o = { .kind = OPERAND_SIZE };
    if (of->kind == NODE_PATH)
        o.path = node_path(of);
    else
        o.value = of->value;
    return o;
}

static enum cond_kind lower_kind(const struct node *n)
{
    if (n->kind == NODE_COMPARE) return n->compare;
    if (n->kind == NODE_BETWEEN) return COND_BETWEEN;
    if (n->kind == NODE_IN) return COND_IN;
    switch (n->func) {
    case FUNC_EXISTS:
        return COND_EXISTS;
    case FUNC_NOT_EXISTS:
        return COND_NOT_EXISTS;
    case FUNC_TYPE:
        return COND_TYPE;
    case FUNC_BEGINS_WITH:
        return COND_BEGINS_WITH;
    default:
        return COND_CONTAINS;
    }
}

struct cond *cond_join(struct arena *a, enum cond_kind kind, struct cond *left, struct cond *right)
{
    struct cond *c = ARENA_NEW(a, struct cond);
    c->kind = kind;
    c->left = left;
    c->right = right;
    return c;
}

struct cond *cond_lower(struct arena *a, const struct node *n)
{
    if (n->kind == NODE_AND || n->kind == NODE_OR) {
        enum cond_kind kind = n->kind == NODE_AND ? COND_AND : COND_OR;
        struct cond *c = cond_lower(a, n->first);
        for (const struct node *arg = n->first->next; arg; arg = arg->next)
            c = cond_join(a, kind, c, cond_lower(a, arg));
        return c;
    }
    if (n->kind == NODE_NOT) {
        struct cond *c = cond_join(a, COND_NOT, cond_lower(a, n->first), NULL);
        return n->doubled ? cond_join(a, COND_NOT, c, NULL) : c;
    }
    struct cond *c = ARENA_NEW(a, struct cond);
    c->kind = lower_kind(n);
    c->n_operands = n->n_args;
    c->operands = ARENA_ARRAY(a, struct operand, n->n_args);
    size_t i = 0;
    for (const struct node *arg = n->first; arg; arg = arg->next)
        c->operands[i++] = lower_operand(a, arg);
    return c;
}

int cond_parse(struct expr_env *env, const char *what, struct slice text, struct cond **out,
               struct err *e)
{
    struct parser p;
    int rc = parse_begin(&p, env, what, text, LEX_CONDITION_WORDS, e);
    if (rc) return rc;
    struct node *n = parse_condition(&p);
    if (!n) return e->code;
    rc = check_condition(&p, n);
    if (rc) return rc;
    *out = cond_lower(p.arena, n);
    return 0;
}

size_t cond_operands(const struct cond *c)
{
    size_t nested = 0;
    for (size_t i = 0; i < c->n_operands; i++)
        if (c->operands[i].kind == OPERAND_COND) nested += cond_operands(c->operands[i].cond);
    return nested + c->n_operands + (c->left ? cond_operands(c->left) : 0) +
           (c->right ? cond_operands(c->right) : 0);
}

static bool each(const struct cond *c, size_t steps, bool (*fn)(struct slice name, void *ctx),
                 void *ctx)
{
    if (c->left && !each(c->left, steps, fn, ctx)) return false;
    if (c->right && !each(c->right, steps, fn, ctx)) return false;
    for (size_t i = 0; i < c->n_operands; i++) {
        const struct operand *o = &c->operands[i];
        if (o->kind == OPERAND_COND && !each(o->cond, steps, fn, ctx)) return false;
        if (o->kind != OPERAND_VALUE && o->path.n >= steps && !fn(o->path.steps[0].name, ctx))
            return false;
    }
    return true;
}

bool cond_each_name(const struct cond *c, bool (*fn)(struct slice name, void *ctx), void *ctx)
{
    return each(c, 1, fn, ctx);
}

bool cond_each_nested(const struct cond *c, bool (*fn)(struct slice name, void *ctx), void *ctx)
{
    return each(c, 2, fn, ctx);
}
