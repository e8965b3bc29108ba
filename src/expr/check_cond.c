/* check_cond.c: what DynamoDB checks of a condition after its syntax.
 *
 * Over the whole expression: parentheses, function names, limits, functions out of place, reserved
 * words. Then one test (a comparison, BETWEEN, IN, a function) after the other, each completely:
 * placeholders, number of operands, distinct operands, types. */
#include "parse_cond.h"

/* Only size() gives a value, and only the others are conditions. */
static int check_placement(struct parser *p, const struct node *n, bool operand)
{
    bool logic = n->kind == NODE_AND || n->kind == NODE_OR || n->kind == NODE_NOT;
    for (const struct node *arg = n->first; arg; arg = arg->next) {
        int rc = check_placement(p, arg, !logic);
        if (rc) return rc;
    }
    if (n->kind != NODE_FUNC) return 0;
    bool value = n->func == FUNC_SIZE;
    bool update = n->func == FUNC_IF_NOT_EXISTS || n->func == FUNC_LIST_APPEND;
    if (value == operand && !update) return 0;
    return parse_fail(
        p, "The function is not allowed to be used this way in an expression; function: %.*s",
        SLICE_ARG(n->text));
}

static bool same_path(const struct node *a, const struct node *b)
{
    if (a->kind != NODE_PATH || b->kind != NODE_PATH || a->n_steps != b->n_steps) return false;
    for (size_t i = 0; i < a->n_steps; i++) {
        const struct path_step *x = &a->steps[i], *y = &b->steps[i];
        if (!x->name.p != !y->name.p) return false;
        if (x->name.p ? !slice_eq(x->name, y->name) : x->index != y->index) return false;
    }
    return true;
}

static int check_distinct(struct parser *p, const struct node *n)
{
    for (const struct node *arg = n->first; arg; arg = arg->next) {
        int rc = check_distinct(p, arg);
        if (rc) return rc;
    }
    const struct node *a = n->first, *b = a ? a->next : NULL;
    if (!b || b->next || !same_path(a, b)) return 0;
    struct path path = node_path(a);
    struct slice text = path_text(p->arena, &path);
    return parse_fail(p,
                      "The first operand must be distinct from the remaining operands for this "
                      "operator or function; operator: %.*s, first operand: %.*s",
                      SLICE_ARG(n->text), SLICE_ARG(text));
}

/* ---- types ---- */

static int wrong_type(struct parser *p, const struct node *n, const char *type)
{
    return parse_fail(
        p,
        "Incorrect operand type for operator or function; operator or function: %.*s, "
        "operand type: %s",
        SLICE_ARG(n->text), type);
}

static bool ordered(enum val_type t)
{
    return t == TYPE_S || t == TYPE_N || t == TYPE_B;
}

static struct slice bound_text(struct arena *a, struct slice v)
{
    struct buf b;
    buf_init(&b, a, SIZE_MAX / 2);
    buf_printf(&b, "AttributeValue: {%s:", val_type_name(val_type(v)));
    if (val_type(v) == TYPE_N) {
        char text[NUM_MAX_TEXT];
        size_t n = num_format(val_content(v), text);
        buf_bytes(&b, text, n);
    } else if (val_type(v) == TYPE_B) {
        base64_put(&b, val_content(v));
    } else {
        buf_slice(&b, val_content(v));
    }
    BUF_LIT(&b, "}");
    return buf_view(&b);
}

static int check_bounds(struct parser *p, const struct node *n)
{
    const struct node *lo = n->first->next, *hi = lo->next;
    if (lo->kind != NODE_VALUE || hi->kind != NODE_VALUE) return 0;
    bool same = val_type(lo->value) == val_type(hi->value);
    if (same && val_compare(lo->value, hi->value) <= 0) return 0;
    struct slice from = bound_text(p->arena, lo->value), to = bound_text(p->arena, hi->value);
    return parse_fail(
        p, "The BETWEEN operator requires %s; lower bound operand: %.*s, upper bound operand: %.*s",
        same ? "upper bound to be greater than or equal to lower bound"
             : "same data type for lower and upper bounds",
        SLICE_ARG(from), SLICE_ARG(to));
}

static int check_type_argument(struct parser *p, const struct node *n)
{
    enum val_type t = node_type(n->last);
    if (t == TYPE_NONE) return wrong_type(p, n, "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}");
    if (t != TYPE_S) return wrong_type(p, n, val_type_name(t));
    struct slice name = val_content(n->last->value);
    if (val_type_from_name(name) != TYPE_NONE) return 0;
    return parse_fail(p, "Invalid attribute type name found; type: %.*s, valid types: {%s}", SLICE_ARG(name),
                      p->what ? "B,NULL,SS,BOOL,L,BS,N,NS,S,M" : "N,BS,L,B,NULL,M,S,SS,NS,BOOL");
}

static int check_function_types(struct parser *p, const struct node *n)
{
    enum val_type t = node_type(n->first);
    switch (n->func) {
    case FUNC_EXISTS:
    case FUNC_NOT_EXISTS:
        if (n->first->kind == NODE_PATH) return 0;
        return parse_fail(
            p, "Operator or function requires a document path; operator or function: %.*s",
            SLICE_ARG(n->text));
    case FUNC_BEGINS_WITH:
        for (const struct node *arg = n->first; arg; arg = arg->next) {
            t = node_type(arg);
            if (t != TYPE_NONE && t != TYPE_S && t != TYPE_B)
                return wrong_type(p, n, val_type_name(t));
        }
        return 0;
    case FUNC_TYPE:
        return check_type_argument(p, n);
    case FUNC_SIZE:
        if (t == TYPE_N || t == TYPE_BOOL || t == TYPE_NULL)
            return wrong_type(p, n, val_type_name(t));
        return 0;
    default:
        return 0;
    }
}

static int check_types(struct parser *p, const struct node *n)
{
    for (const struct node *arg = n->first; arg; arg = arg->next) {
        int rc = check_types(p, arg);
        if (rc) return rc;
    }
    if (n->kind == NODE_FUNC) return check_function_types(p, n);
    bool order = n->kind == NODE_BETWEEN || (n->kind == NODE_COMPARE && n->compare >= COND_LT);
    for (const struct node *arg = n->first; order && arg; arg = arg->next) {
        enum val_type t = node_type(arg);
        if (t != TYPE_NONE && !ordered(t)) return wrong_type(p, n, val_type_name(t));
    }
    return n->kind == NODE_BETWEEN ? check_bounds(p, n) : 0;
}

static int check_test(struct parser *p, struct node *n)
{
    int rc = check_resolved(p, n);
    if (!rc && p->what && n->kind == NODE_IN && n->n_args > EXPR_MAX_IN)
        rc = parse_fail(
            p, "The IN operator is provided with too many operands; number of operands: %zu",
            n->n_args);
    if (!rc) rc = check_operand_count(p, n);
    if (!rc) rc = check_distinct(p, n);
    if (!rc) rc = check_types(p, n);
    return rc;
}

int check_tests(struct parser *p, struct node *n)
{
    if (n->kind != NODE_AND && n->kind != NODE_OR && n->kind != NODE_NOT) return check_test(p, n);
    for (struct node *arg = n->first; arg; arg = arg->next) {
        int rc = check_tests(p, arg);
        if (rc) return rc;
    }
    return 0;
}

int check_condition(struct parser *p, struct node *n)
{
    int rc = check_parens(p);
    if (!rc) rc = check_function_names(p, n);
    if (!rc) rc = check_limits(p);
    if (!rc) rc = check_placement(p, n, false);
    if (!rc) rc = check_reserved(p, n);
    if (!rc) rc = check_tests(p, n);
    return rc;
}
