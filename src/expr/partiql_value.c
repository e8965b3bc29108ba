/* partiql_value.c: literals as encoded values. What is wrong with one is told with the path to it: "under root.x[1]". */
#include "partiql_tree.h"
#include <stdlib.h>

#define NESTING "Nesting Levels have exceeded supported limits"

/* The way to a value within its literal, innermost first. */
struct trail {
    const struct trail *up;
    struct slice name; /* .p NULL: an element */
    size_t index;
};

static int put(struct pq *q, const struct pq_node *n, const struct trail *at, unsigned depth, struct buf *b);

static void put_trail(struct buf *b, const struct trail *t)
{
    if (!t) {
        BUF_LIT(b, "root");
        return;
    }
    put_trail(b, t->up);
    if (t->name.p) {
        buf_u8(b, '.');
        buf_slice(b, t->name);
    } else {
        buf_printf(b, "[%zu]", t->index);
    }
}

static struct slice trail_text(struct pq *q, const struct trail *t)
{
    struct buf b;
    buf_init(&b, q->arena, SIZE_MAX / 4);
    put_trail(&b, t);
    return buf_view(&b);
}

/* What stands where a value should: as errors name it. */
static struct slice kind_name(const struct pq_node *n)
{
    switch (n->kind) {
    case PQ_N_PARAM: return SLICE("Parameter");
    case PQ_N_PATH: return n->n_args == 1 ? n->first->text : SLICE("Path");
    case PQ_N_SUBQUERY: return SLICE("Select");
    default: return n->text;
    }
}

static int unsupported(struct pq *q, const struct pq_node *n, const struct trail *at)
{
    struct slice kind = kind_name(n), path = trail_text(q, at);
    return pq_fail(q, n->at, "Unsupported data type: %.*s under key %.*s", SLICE_ARG(kind), SLICE_ARG(path));
}

/* A number with the signs before it; NULL if it is something else. */
static const struct pq_node *signed_number(const struct pq_node *n, bool *negative)
{
    *negative = false;
    for (; n->kind == PQ_N_UNARY && !slice_eq(n->text, SLICE("not")); n = n->first) {
        if (slice_eq(n->text, SLICE("-"))) *negative = !*negative;
    }
    return n->kind == PQ_N_NUMBER ? n : NULL;
}

static int parse_number(struct pq *q, const struct pq_node *n, const struct trail *at, struct num *out, struct slice *text)
{
    bool negative;
    const struct pq_node *literal = signed_number(n, &negative);
    if (!literal) return unsupported(q, n, at);
    *text = literal->text;
    if (negative) *text = arena_printf(q->arena, "-%.*s", SLICE_ARG(literal->text));
    enum num_status status = num_parse(*text, out);
    if (status == NUM_OK) return 0;
    int code = num_error(q->err, status, *text);
    struct slice message = q->err->message, path = trail_text(q, at);
    return err_set(q->err, code, "%.*s under %.*s", SLICE_ARG(message), SLICE_ARG(path));
}

static int put_number(struct pq *q, const struct pq_node *n, const struct trail *at, struct buf *b)
{
    struct num num;
    struct slice text;
    int code = parse_number(q, n, at, &num, &text);
    if (!code) val_put_number(b, slice_of(num.bytes, num.n));
    return code;
}

static struct slice collection_text(struct pq *q, const struct slice *texts, size_t n)
{
    struct buf b;
    buf_init(&b, q->arena, SIZE_MAX / 4);
    for (size_t i = 0; i < n; i++) {
        if (i) BUF_LIT(&b, ", ");
        buf_slice(&b, texts[i]);
    }
    return buf_view(&b);
}

/* << >>: a set of strings or of numbers. */
static int put_bag(struct pq *q, const struct pq_node *n, const struct trail *at, struct buf *b)
{
    if (!n->n_args) return pq_fail(q, NULL, "Empty bags are not supported");
    bool strings = n->first->kind == PQ_N_STRING, negative;
    struct slice *members = ARENA_ARRAY(q->arena, struct slice, n->n_args);
    struct slice *texts = ARENA_ARRAY(q->arena, struct slice, n->n_args);
    size_t i = 0;
    for (const struct pq_node *m = n->first; m; m = m->next, i++) {
        bool fits = strings ? m->kind == PQ_N_STRING : signed_number(m, &negative) != NULL;
        if (!fits) {
            return pq_fail(q, NULL,
                           "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags");
        }
        members[i] = texts[i] = m->text;
        if (strings) continue;
        struct num *num = ARENA_NEW(q->arena, struct num);
        int code = parse_number(q, m, at, num, &texts[i]);
        if (code) return code;
        members[i] = slice_of(num->bytes, num->n);
    }
    if (val_put_set(b, strings ? TYPE_SS : TYPE_NS, members, n->n_args)) return 0;
    struct slice all = collection_text(q, texts, n->n_args), path = trail_text(q, at);
    if (strings) {
        return pq_fail(q, NULL, "One or more parameter values were invalid: Input collection [%.*s] contains duplicates.",
                       SLICE_ARG(all));
    }
    return pq_fail(q, NULL, "One or more parameter values were invalid: Input collection [%.*s] contains duplicates! under %.*s",
                   SLICE_ARG(all), SLICE_ARG(path));
}

static int put_list(struct pq *q, const struct pq_node *n, const struct trail *at, unsigned depth, struct buf *b)
{
    struct slice *values = ARENA_ARRAY(q->arena, struct slice, n->n_args);
    size_t i = 0;
    for (const struct pq_node *v = n->first; v; v = v->next, i++) {
        struct trail here = { .up = at, .index = i };
        struct buf one;
        buf_init(&one, q->arena, SIZE_MAX / 4);
        int code = put(q, v, &here, depth + 1, &one);
        if (code) return code;
        values[i] = buf_view(&one);
    }
    val_put_list(b, values, n->n_args);
    return 0;
}

static int by_name(const void *x, const void *y)
{
    return slice_cmp(((const struct attr *)x)->name, ((const struct attr *)y)->name);
}

/* The members of a map. item: the map is an item, of which each member is a root and may be a question mark. */
static int put_map(struct pq *q, const struct pq_node *n, const struct trail *at, unsigned depth, bool item, struct buf *b)
{
    struct attr *attrs = ARENA_ARRAY(q->arena, struct attr, n->n_args / 2);
    size_t count = 0;
    for (const struct pq_node *name = n->first; name; name = name->next->next) {
        if (name->kind != PQ_N_STRING) return unsupported(q, name, at);
        int code = attr_name_check(name->text, q->err);
        if (code) return code;
        struct trail here = { .up = at, .name = name->text };
        struct attr *attr = &attrs[count++];
        attr->name = name->text;
        if (item) {
            code = pq_value(q, name->next, &attr->value);
        } else {
            struct buf one;
            buf_init(&one, q->arena, SIZE_MAX / 4);
            code = put(q, name->next, &here, depth + 1, &one);
            attr->value = buf_view(&one);
        }
        if (code) return code;
    }
    if (count > 1) qsort(attrs, count, sizeof *attrs, by_name);
    for (size_t i = 1; i < count; i++) {
        if (!slice_eq(attrs[i - 1].name, attrs[i].name)) continue;
        return pq_fail(q, NULL, "Duplicate keys in a tuple are not supported: %.*s", SLICE_ARG(attrs[i].name));
    }
    val_put_map(b, attrs, count);
    return 0;
}

static int put_word(struct pq *q, const struct pq_node *n, const struct trail *at, struct buf *b)
{
    if (slice_eq(n->text, SLICE("null"))) {
        val_put_null(b);
    } else if (slice_eq(n->text, SLICE("true")) || slice_eq(n->text, SLICE("false"))) {
        val_put_bool(b, n->text.n == 4);
    } else {
        return unsupported(q, n, at);
    }
    return 0;
}

static int put(struct pq *q, const struct pq_node *n, const struct trail *at, unsigned depth, struct buf *b)
{
    if (depth >= VAL_MAX_DEPTH) {
        struct slice path = trail_text(q, at);
        return pq_fail(q, NULL, NESTING " under %.*s", SLICE_ARG(path));
    }
    switch (n->kind) {
    case PQ_N_STRING:
        val_put_string(b, n->text);
        return 0;
    case PQ_N_NUMBER:
    case PQ_N_UNARY:
        return put_number(q, n, at, b);
    case PQ_N_WORD:
        return put_word(q, n, at, b);
    case PQ_N_LIST:
        return put_list(q, n, at, depth, b);
    case PQ_N_BAG:
        return put_bag(q, n, at, b);
    case PQ_N_MAP:
        return put_map(q, n, at, depth, false, b);
    default:
        return unsupported(q, n, at);
    }
}

static int parameter(struct pq *q, const struct pq_node *n, struct slice *out)
{
    if (n->parameter >= q->n_params) return pq_fail(q, NULL, "Number of parameters in request and statement don't match.");
    *out = q->params[n->parameter];
    return 0;
}

int pq_value(struct pq *q, const struct pq_node *n, struct slice *out)
{
    struct buf b;
    if (n->kind == PQ_N_PARAM) return parameter(q, n, out);
    buf_init(&b, q->arena, SIZE_MAX / 4);
    int code = put(q, n, NULL, 0, &b);
    *out = buf_view(&b);
    return code;
}

int pq_item(struct pq *q, const struct pq_node *n, struct slice *out)
{
    struct buf b;
    if (n->kind == PQ_N_PARAM) {
        int code = parameter(q, n, out);
        if (code || val_type(*out) == TYPE_M) return code;
        return pq_fail(q, NULL, "Unsupported data type: %s under key root", val_type_name(val_type(*out)));
    }
    if (n->kind != PQ_N_MAP) return unsupported(q, n, NULL);
    buf_init(&b, q->arena, SIZE_MAX / 4);
    int code = put_map(q, n, NULL, 0, true, &b);
    *out = buf_view(&b);
    return code;
}

bool pq_is_value(const struct pq_node *n)
{
    bool negative;
    switch (n->kind) {
    case PQ_N_STRING:
    case PQ_N_NUMBER:
    case PQ_N_WORD:
    case PQ_N_PARAM:
    case PQ_N_LIST:
    case PQ_N_BAG:
    case PQ_N_MAP:
        return true;
    case PQ_N_UNARY:
        return signed_number(n, &negative) != NULL;
    default:
        return false;
    }
}
