/* partiql_update.c: SET and REMOVE as an update. set_add and set_delete become what ADD and DELETE are in update expressions. */
#include "partiql_tree.h"
#include "update.h"

static struct node *set_value(struct pq *q, const struct pq_node *n);

static struct node *with_operands(struct pq *q, struct node *out, const struct pq_node *first)
{
    for (const struct pq_node *arg = first; arg; arg = arg->next) {
        struct node *one = set_value(q, arg);
        if (!one) return NULL;
        node_add(out, one);
    }
    return out;
}

static struct node *set_call(struct pq *q, const struct pq_node *n)
{
    enum func func = function_named(n->text);
    if (func != FUNC_IF_NOT_EXISTS && func != FUNC_LIST_APPEND) {
        pq_fail(q, n->at, "Unrecognized function: %.*s", SLICE_ARG(n->text));
        return NULL;
    }
    struct node *out = node_new(&q->shared, NODE_FUNC, n->text);
    out->func = func;
    return with_operands(q, out, n->first);
}

/* The right side of an assignment. */
static struct node *set_value(struct pq *q, const struct pq_node *n)
{
    if (pq_is_value(n)) return pq_value_node(q, n);
    if (n->kind == PQ_N_PATH) return pq_path_node(q, n);
    if (n->kind == PQ_N_CALL) return set_call(q, n);
    bool plus = slice_eq(n->text, SLICE("+")), minus = slice_eq(n->text, SLICE("-"));
    if (n->kind == PQ_N_BINARY && (plus || minus)) {
        return with_operands(q, node_new(&q->shared, plus ? NODE_PLUS : NODE_MINUS, n->text), n->first);
    }
    if (n->kind == PQ_N_UNARY && (plus || minus)) {
        pq_fail(q, NULL,
                "Incorrect number of operands for operator or function; operator or function: %.*s, number of operands: 1",
                SLICE_ARG(n->text));
    } else {
        pq_fail(q, NULL, "Unsupported operator in Update Expression. Operator: %.*s", SLICE_ARG(n->text));
    }
    return NULL;
}

static bool same_path(const struct path *a, const struct path *b)
{
    if (a->n != b->n) return false;
    for (size_t i = 0; i < a->n; i++) {
        const struct path_step *x = &a->steps[i], *y = &b->steps[i];
        if (!x->name.p != !y->name.p) return false;
        if (x->name.p ? !slice_eq(x->name, y->name) : x->index != y->index) return false;
    }
    return true;
}

/* a = set_add(a, set). */
static int set_function(struct pq *q, const struct pq_node *n, struct action *action)
{
    const char *name = action->kind == ACTION_ADD ? "SET_ADD" : "SET_DELETE";
    struct path first;
    if (n->n_args != 2) return pq_fail(q, n->at, "%s must have exactly two arguments", name);
    bool is_path = n->first->kind == PQ_N_PATH;
    if (is_path) {
        int code = pq_path(q, n->first, &first);
        if (code) return code;
    }
    if (!is_path || !same_path(&first, &action->path)) {
        return pq_fail(q, n->at, "The first argument to %s must equal the assignment value", name);
    }
    if (pq_is_value(n->last)) {
        int code = pq_value(q, n->last, &action->operand);
        if (code) return code;
        enum val_type type = val_type(action->operand);
        if (type == TYPE_SS || type == TYPE_NS || type == TYPE_BS) return 0;
    }
    return pq_fail(q, n->first->at, "The second argument to %s must be a value with type SET", name);
}

static int read_change(struct pq *q, const struct pq_change *c, struct action *action)
{
    int code = pq_path(q, c->path, &action->path);
    action->partiql = true;
    if (code) return code;
    if (!c->value) {
        action->kind = ACTION_REMOVE;
        return 0;
    }
    bool call = c->value->kind == PQ_N_CALL;
    bool add = call && slice_eq(c->value->text, SLICE("set_add"));
    if (add || (call && slice_eq(c->value->text, SLICE("set_delete")))) {
        action->kind = add ? ACTION_ADD : ACTION_DELETE;
        return set_function(q, c->value, action);
    }
    struct node *value = set_value(q, c->value);
    if (!value) return (int)q->err->code;
    action->kind = ACTION_SET;
    action->value = value;
    return update_check_value(&q->shared, value);
}

int pq_update(struct pq *q, const struct pq_statement *s, struct update **out)
{
    size_t n = 0;
    for (const struct pq_change *c = s->changes; c; c = c->next) n++;
    struct update *u = *out = ARENA_NEW(q->arena, struct update);
    u->actions = ARENA_ARRAY(q->arena, struct action, n);
    for (const struct pq_change *c = s->changes; c; c = c->next) {
        int code = read_change(q, c, &u->actions[u->n++]);
        if (code) return code;
    }
    return update_finish(u, q->arena, "", q->err);
}
