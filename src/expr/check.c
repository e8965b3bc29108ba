/* check.c: the checks that all expressions share, in the words of DynamoDB. */
#include "parse.h"

int check_parens(struct parser *p)
{
    return p->redundant ? parse_fail(p, "The expression has redundant parentheses;") : 0;
}

int check_limits(struct parser *p)
{
    if (p->operators > EXPR_MAX_OPERATORS)
        return parse_fail(p, "The expression contains too many operators; operator count: %d",
                          EXPR_MAX_OPERATORS + 1);
    if (p->bad_index.n)
        return parse_fail(p, "List index is not within the allowable range; index: [%.*s]",
                          SLICE_ARG(p->bad_index));
    if (p->levels)
        return parse_fail(p, "The document path has too many nesting levels; nesting levels: %zu",
                          p->levels);
    return 0;
}

int check_function_names(struct parser *p, const struct node *n)
{
    for (const struct node *arg = n->first; arg; arg = arg->next) {
        int rc = check_function_names(p, arg);
        if (rc) return rc;
    }
    if (n->kind == NODE_FUNC && n->func == FUNC_UNKNOWN)
        return parse_fail(p, "Invalid function name; function: %.*s", SLICE_ARG(n->text));
    return 0;
}

int check_reserved(struct parser *p, const struct node *n)
{
    for (size_t i = 0; n->kind == NODE_PATH && i < n->n_steps; i++) {
        struct slice name = n->steps[i].name;
        if (name.p && name.p[0] != '#' && expr_is_reserved(name))
            return parse_fail(p, "Attribute name is a reserved keyword; reserved keyword: %.*s",
                              SLICE_ARG(name));
    }
    for (const struct node *arg = n->first; arg; arg = arg->next) {
        int rc = check_reserved(p, arg);
        if (rc) return rc;
    }
    return 0;
}

/* ---- placeholders ---- */

static struct expr_placeholder *find(struct expr_placeholder *list, size_t n, struct slice key)
{
    size_t lo = 0, hi = n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        int c = slice_cmp(list[mid].key, key);
        if (c == 0) return &list[mid];
        if (c < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return NULL;
}

static int resolve_name(struct parser *p, struct path_step *step)
{
    if (!step->name.p || step->name.p[0] != '#') return 0;
    struct expr_placeholder *found = find(p->env->names, p->env->n_names, step->name);
    if (!found)
        return parse_fail(p,
                          "An expression attribute name used in the document path is not defined; "
                          "attribute name: %.*s",
                          SLICE_ARG(step->name));
    found->used = true;
    step->name = found->value;
    return 0;
}

static int resolve_value(struct parser *p, struct node *n)
{
    struct expr_placeholder *found = find(p->env->values, p->env->n_values, n->text);
    if (!found)
        return parse_fail(p,
                          "An expression attribute value used in expression is not defined; "
                          "attribute value: %.*s",
                          SLICE_ARG(n->text));
    found->used = true;
    n->value = found->value;
    return 0;
}

static int resolve(struct parser *p, struct node *n, bool names, bool values)
{
    int rc = 0;
    if (!p->env) return 0;
    for (size_t i = 0; names && n->kind == NODE_PATH && !rc && i < n->n_steps; i++)
        rc = resolve_name(p, &n->steps[i]);
    if (values && n->kind == NODE_VALUE) rc = resolve_value(p, n);
    for (struct node *arg = n->first; arg && !rc; arg = arg->next)
        rc = resolve(p, arg, names, values);
    return rc;
}

int check_name_resolved(struct parser *p, struct node *n)
{
    return resolve(p, n, true, false);
}

int check_value_resolved(struct parser *p, struct node *n)
{
    return resolve(p, n, false, true);
}

int check_resolved(struct parser *p, struct node *n)
{
    return resolve(p, n, true, true);
}

/* ---- functions ---- */

int check_operand_count(struct parser *p, const struct node *n)
{
    for (const struct node *arg = n->first; arg; arg = arg->next) {
        int rc = check_operand_count(p, arg);
        if (rc) return rc;
    }
    if (n->kind != NODE_FUNC) return 0;
    bool one = n->func == FUNC_EXISTS || n->func == FUNC_NOT_EXISTS || n->func == FUNC_SIZE;
    if (n->n_args == (one ? 1 : 2)) return 0;
    return parse_fail(
        p,
        "Incorrect number of operands for operator or function; operator or function: "
        "%.*s, number of operands: %zu",
        SLICE_ARG(n->text), n->n_args);
}

enum val_type node_type(const struct node *n)
{
    if (n->kind == NODE_VALUE) return val_type(n->value);
    if (n->kind == NODE_FUNC && n->func == FUNC_SIZE) return TYPE_N;
    bool condition = n->kind >= NODE_COMPARE || (n->kind == NODE_FUNC && n->func >= FUNC_EXISTS && n->func < FUNC_SIZE);
    return condition ? TYPE_BOOL : TYPE_NONE;
}

struct path node_path(const struct node *n)
{
    return (struct path){ n->steps, n->n_steps };
}
