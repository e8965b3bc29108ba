/* partiql_cond.c: WHERE as a condition: PartiQL's tree becomes the one that condition expressions have, and is checked and lowered
 * as they are. */
#include "parse_cond.h"
#include "partiql_tree.h"

static struct node *condition(struct pq *q, const struct pq_node *n);

static struct node *new_node(struct pq *q, enum node_kind kind, struct slice text)
{
    return node_new(&q->shared, kind, text);
}

static struct node *function(struct pq *q, enum func func, struct slice text)
{
    struct node *f = new_node(q, NODE_FUNC, text);
    f->func = func;
    return f;
}

static int path_step(struct pq *q, const struct pq_node *n, struct path_step *step)
{
    if (n->kind == PQ_N_STRING) {
        if (!n->text.n) return pq_fail(q, NULL, "Path component cannot be an empty string");
        *step = (struct path_step){ .name = n->text };
        return attr_name_check(n->text, q->err);
    }
    bool negative = n->kind == PQ_N_UNARY && slice_eq(n->text, SLICE("-"));
    const struct pq_node *literal = negative ? n->first : n;
    uint64_t v = 0;
    bool digits = literal->kind == PQ_N_NUMBER;
    for (size_t i = 0; digits && i < literal->text.n; i++) {
        uint8_t c = literal->text.p[i];
        digits = c >= '0' && c <= '9';
        if (digits && v <= INT32_MAX) v = v * 10 + (c - '0');
    }
    if (!digits) return pq_fail(q, n->at, "Unexpected path component");
    if (v > INT32_MAX || (negative && v)) {
        return pq_fail(q, literal->at, "List index is not within the allowable range; index: [%s%.*s]", negative ? "-" : "",
                       SLICE_ARG(literal->text));
    }
    *step = (struct path_step){ .index = (uint32_t)v };
    return 0;
}

int pq_path(struct pq *q, const struct pq_node *n, struct path *out)
{
    if (n->kind != PQ_N_PATH) return pq_fail(q, n->at, "Unexpected path component");
    struct path_step *steps = ARENA_ARRAY(q->arena, struct path_step, n->n_args);
    size_t i = 0;
    for (const struct pq_node *step = n->first; step; step = step->next) {
        int code = path_step(q, step, &steps[i++]);
        if (code) return code;
    }
    *out = (struct path){ steps, i };
    if (i <= EXPR_MAX_LEVELS) return 0;
    return pq_fail(q, NULL, "The document path has too many nesting levels; nesting levels: %zu", i);
}

struct node *pq_path_node(struct pq *q, const struct pq_node *n)
{
    struct path path;
    if (pq_path(q, n, &path)) return NULL;
    struct node *out = new_node(q, NODE_PATH, slice_of(NULL, 0));
    out->n_steps = path.n;
    out->steps = ARENA_ARRAY(q->arena, struct path_step, path.n);
    memcpy(out->steps, path.steps, path.n * sizeof *path.steps);
    return out;
}

struct node *pq_value_node(struct pq *q, const struct pq_node *n)
{
    struct slice value;
    if (pq_value(q, n, &value)) return NULL;
    struct node *out = new_node(q, NODE_VALUE, slice_of(NULL, 0));
    out->value = value;
    return out;
}

/* What is compared: a path, a value, size(), or a condition, which is true or false. */
static struct node *operand(struct pq *q, const struct pq_node *n)
{
    if (n->kind == PQ_N_PATH) return pq_path_node(q, n);
    return pq_is_value(n) ? pq_value_node(q, n) : condition(q, n);
}

static struct node *with_operands(struct pq *q, struct node *test, const struct pq_node *first)
{
    for (const struct pq_node *arg = first; arg; arg = arg->next) {
        struct node *one = operand(q, arg);
        if (!one) return NULL;
        node_add(test, one);
    }
    return test;
}

static struct node *negated(struct pq *q, bool wanted, struct node *n)
{
    if (!wanted || !n) return n;
    struct node *not = new_node(q, NODE_NOT, SLICE("NOT"));
    node_add(not, n);
    return not;
}

static struct node *unsupported(struct pq *q, struct slice operator)
{
    pq_fail(q, NULL, "Unsupported operator in Condition Expression. Operator: %.*s", SLICE_ARG(operator));
    return NULL;
}

/* a AND b AND c, which the grammar gives as ((a b) c): one node with three arguments. */
static struct node *chain(struct pq *q, const struct pq_node *n)
{
    size_t count = 2;
    for (const struct pq_node *l = n; pq_continues(l->first, l); l = l->first) count++;
    const struct pq_node **parts = ARENA_ARRAY(q->arena, const struct pq_node *, count);
    for (size_t i = count - 1; i > 0; i--, n = i ? n->first : n) parts[i] = n->last;
    parts[0] = n->first;
    bool and = slice_eq(n->text, SLICE("and"));
    struct node *out = new_node(q, and ? NODE_AND : NODE_OR, n->text);
    for (size_t i = 0; i < count; i++) {
        struct node *part = condition(q, parts[i]);
        if (!part) return NULL;
        node_add(out, part);
    }
    return out;
}

static struct node *binary(struct pq *q, const struct pq_node *n)
{
    static const struct {
        const char *text;
        enum cond_kind kind;
    } comparisons[] = { { "=", COND_EQ }, { "<>", COND_NE }, { "!=", COND_NE }, { "<", COND_LT },
                        { "<=", COND_LE }, { ">", COND_GT }, { ">=", COND_GE } };
    if (slice_eq(n->text, SLICE("and")) || slice_eq(n->text, SLICE("or"))) return chain(q, n);
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++) {
        if (!slice_eq(n->text, slice_str(comparisons[i].text))) continue;
        struct node *test = new_node(q, NODE_COMPARE, n->text);
        test->compare = comparisons[i].kind;
        return with_operands(q, test, n->first);
    }
    return unsupported(q, n->text);
}

static struct node *in(struct pq *q, const struct pq_node *n)
{
    if (!n->sequence || n->n_args < 2) {
        pq_fail(q, NULL, "IN operator must have a left hand argument of type Variable Reference and right hand argument of type "
                         "Seq with at least one member");
        return NULL;
    }
    if (n->n_args - 1 > PARTIQL_MAX_IN) {
        pq_fail(q, NULL, "The IN operator is provided with too many operands; number of operands: %zu", n->n_args - 1);
        return NULL;
    }
    return negated(q, n->negated, with_operands(q, new_node(q, NODE_IN, SLICE("IN")), n->first));
}

/* IS NULL and IS with a type are attribute_type(); IS MISSING is attribute_not_exists(). */
static struct node *is(struct pq *q, const struct pq_node *n)
{
    static const struct {
        const char *word, *type;
    } types[] = { { "null", "NULL" }, { "bool", "BOOL" },  { "boolean", "BOOL" }, { "blob", "B" },  { "string", "S" },
                  { "numeric", "N" }, { "struct", "M" },   { "tuple", "M" },      { "list", "L" } };
    if (slice_eq(n->text, SLICE("missing"))) {
        struct node *f = n->negated ? function(q, FUNC_EXISTS, SLICE("IS")) : function(q, FUNC_NOT_EXISTS, SLICE("IS"));
        return with_operands(q, f, n->first);
    }
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (!slice_eq(n->text, slice_str(types[i].word))) continue;
        struct node *f = with_operands(q, function(q, FUNC_TYPE, SLICE("IS")), n->first);
        if (!f) return NULL;
        struct node *type = new_node(q, NODE_VALUE, slice_of(NULL, 0));
        type->value = val_make_string(q->arena, slice_str(types[i].type));
        node_add(f, type);
        return negated(q, n->negated, f);
    }
    pq_fail(q, NULL,
            "Unsupported data type for IS operator: %.*s. Supported data types are [MISSING, NULL, BOOLEAN, BLOB, STRING, "
            "NUMERIC, STRUCT, TUPLE, LIST]",
            SLICE_ARG(n->text));
    return NULL;
}

static struct node *call(struct pq *q, const struct pq_node *n)
{
    enum func func = function_named(n->text);
    if (func == FUNC_UNKNOWN || func == FUNC_IF_NOT_EXISTS || func == FUNC_LIST_APPEND) {
        pq_fail(q, n->at, "Unrecognized function: %.*s", SLICE_ARG(n->text));
        return NULL;
    }
    return with_operands(q, function(q, func, n->text), n->first);
}

static struct node *unary(struct pq *q, const struct pq_node *n)
{
    if (slice_eq(n->text, SLICE("not"))) return negated(q, true, condition(q, n->first));
    pq_fail(q, NULL,
            "Incorrect number of operands for operator or function; operator or function: %.*s, number of operands: 1",
            SLICE_ARG(n->text));
    return NULL;
}

static struct node *condition(struct pq *q, const struct pq_node *n)
{
    switch (n->kind) {
    case PQ_N_BINARY:
        return binary(q, n);
    case PQ_N_UNARY:
        return unary(q, n);
    case PQ_N_BETWEEN:
        return negated(q, n->negated, with_operands(q, new_node(q, NODE_BETWEEN, SLICE("BETWEEN")), n->first));
    case PQ_N_IN:
        return in(q, n);
    case PQ_N_IS:
        return is(q, n);
    case PQ_N_CALL:
        return call(q, n);
    case PQ_N_SUBQUERY:
        pq_fail(q, n->at, "Unsupported operation: Select");
        return NULL;
    default:
        pq_fail(q, n->at, "Unsupported token in expression: %.*s", SLICE_ARG(n->at->text));
        return NULL;
    }
}

/* size(x) where a condition should be, also in one that is itself compared: a = (size(x) AND ...). Everything else that is called is a condition. */
static int check_conditions(struct pq *q, const struct node *n, bool wanted)
{
    if (wanted && n->kind == NODE_FUNC && n->func == FUNC_SIZE) {
        return pq_fail(q, NULL, "Unsupported token in expression: %.*s", SLICE_ARG(n->text));
    }
    bool joins = n->kind == NODE_AND || n->kind == NODE_OR || n->kind == NODE_NOT;
    for (const struct node *arg = n->first; arg; arg = arg->next) {
        int code = check_conditions(q, arg, joins);
        if (code) return code;
    }
    return 0;
}

int pq_condition(struct pq *q, const struct pq_node *n, struct cond **out)
{
    struct node *tree = condition(q, n);
    if (!tree) return (int)q->err->code;
    int code = check_conditions(q, tree, true);
    if (!code) code = check_tests(&q->shared, tree);
    if (!code) *out = cond_lower(q->arena, tree);
    return code;
}
