/* where.c: a parsed where-text as a DynamoDB expression, and as the conditions of a pattern. */
#include "where_impl.h"
#include "../item/item_json.h"

void expression_init(struct expression *x, struct arena *a)
{
    *x = (struct expression){ 0 };
    buf_init(&x->text, a, (size_t)1 << 20);
}

static void grow(struct arena *a, struct expression *x)
{
    if (x->n_names < x->cap && x->n_values < x->cap) return;
    size_t cap = x->cap ? x->cap * 2 : 16;
    struct attr *names = ARENA_ARRAY(a, struct attr, cap), *values = ARENA_ARRAY(a, struct attr, cap);
    if (x->n_names) memcpy(names, x->names, x->n_names * sizeof *names);
    if (x->n_values) memcpy(values, x->values, x->n_values * sizeof *values);
    x->names = names;
    x->values = values;
    x->cap = cap;
}

static void put_name(struct arena *a, struct expression *x, struct slice name)
{
    struct slice value = val_make_string(a, name);
    size_t i = 0;
    while (i < x->n_names && !val_equal(x->names[i].value, value)) i++;
    if (i == x->n_names) {
        grow(a, x);
        x->names[x->n_names++] = (struct attr){ arena_printf(a, "#w%zu", i), value };
    }
    buf_slice(&x->text, x->names[i].name);
}

static void put_value(struct arena *a, struct expression *x, struct slice value)
{
    grow(a, x);
    struct slice name = arena_printf(a, ":w%zu", x->n_values);
    x->values[x->n_values++] = (struct attr){ name, value };
    buf_slice(&x->text, name);
}

static void put_path(struct arena *a, struct expression *x, const struct where *w)
{
    if (w->size) BUF_LIT(&x->text, "size(");
    for (size_t i = 0; i < w->n_path; i++) {
        if (i) BUF_LIT(&x->text, ".");
        put_name(a, x, w->path[i]);
    }
    if (w->size) BUF_LIT(&x->text, ")");
}

static void put_call(struct arena *a, struct expression *x, const struct where *w, const char *function)
{
    buf_printf(&x->text, "%s(", function);
    put_path(a, x, w);
    if (w->n_values) {
        BUF_LIT(&x->text, ", ");
        put_value(a, x, w->values[0]);
    }
    BUF_LIT(&x->text, ")");
}

static void put_compare(struct arena *a, struct expression *x, const struct where *w, const char *sign, size_t i)
{
    put_path(a, x, w);
    buf_printf(&x->text, " %s ", sign);
    put_value(a, x, w->values[i]);
}

static void put_test(struct arena *a, struct expression *x, const struct where *w)
{
    static const char *const signs[] = { [OP_EQ] = "=", [OP_NE] = "<>", [OP_LT] = "<", [OP_LE] = "<=", [OP_GT] = ">",
                                         [OP_GE] = ">=", [OP_BETWEEN] = "BETWEEN", [OP_SINCE] = ">=",
                                         [OP_UNTIL] = "<" };
    switch (w->op) {
    case OP_BETWEEN:
        put_compare(a, x, w, signs[w->op], 0);
        BUF_LIT(&x->text, " AND ");
        put_value(a, x, w->values[1]);
        break;
    case OP_IN:
        put_path(a, x, w);
        for (size_t i = 0; i < w->n_values; i++) {
            buf_printf(&x->text, "%s", i ? ", " : " IN (");
            put_value(a, x, w->values[i]);
        }
        BUF_LIT(&x->text, ")");
        break;
    case OP_BEGINS: put_call(a, x, w, "begins_with"); break;
    case OP_CONTAINS: put_call(a, x, w, "contains"); break;
    case OP_EXISTS: put_call(a, x, w, "attribute_exists"); break;
    case OP_MISSING: put_call(a, x, w, "attribute_not_exists"); break;
    case OP_ON:
    case OP_DURING:
        BUF_LIT(&x->text, "(");
        put_compare(a, x, w, ">=", 0);
        BUF_LIT(&x->text, " AND ");
        put_compare(a, x, w, "<", 1);
        BUF_LIT(&x->text, ")");
        break;
    default: put_compare(a, x, w, signs[w->op], 0);
    }
}

/* Depth is bounded by the parser. inside: within another join, so that parentheses are needed. */
static void put(struct arena *a, struct expression *x, const struct where *w, bool inside)
{
    if (w->kind == WHERE_TEST) {
        put_test(a, x, w);
        return;
    }
    bool parentheses = inside || w->kind == WHERE_NOT;
    if (w->kind == WHERE_NOT) BUF_LIT(&x->text, "NOT ");
    if (parentheses) BUF_LIT(&x->text, "(");
    for (const struct where *o = w->first; o; o = o->next) {
        if (o != w->first) buf_printf(&x->text, "%s", w->kind == WHERE_AND ? " AND " : " OR ");
        put(a, x, o, w->kind != WHERE_NOT);
    }
    if (parentheses) BUF_LIT(&x->text, ")");
}

void where_to_expression(struct arena *a, const struct where *w, struct expression *x)
{
    if (!x->text.arena) buf_init(&x->text, a, (size_t)1 << 20);
    put(a, x, w, false);
}

void expression_maps_to_json(struct buf *b, const struct expression *x)
{
    for (size_t i = 0; i < x->n_names; i++) {
        buf_printf(b, "%s", i ? "," : ",\"ExpressionAttributeNames\":{");
        json_put_plain(b, x->names[i].name);
        BUF_LIT(b, ":");
        json_put_string(b, val_content(x->names[i].value));
    }
    if (x->n_names) BUF_LIT(b, "}");
    for (size_t i = 0; i < x->n_values; i++) {
        buf_printf(b, "%s", i ? "," : ",\"ExpressionAttributeValues\":{");
        json_put_plain(b, x->values[i].name);
        BUF_LIT(b, ":");
        val_to_json(b, x->values[i].value);
    }
    if (x->n_values) BUF_LIT(b, "}");
}

static bool compare_of(enum where_op op, enum compare *out)
{
    switch (op) {
    case OP_EQ: return *out = COMPARE_EQ, true;
    case OP_LT: return *out = COMPARE_BELOW, true;
    case OP_LE: return *out = COMPARE_AT_MOST, true;
    case OP_GT: return *out = COMPARE_ABOVE, true;
    case OP_GE: return *out = COMPARE_AT_LEAST, true;
    case OP_BETWEEN: return *out = COMPARE_BETWEEN, true;
    case OP_BEGINS: return *out = COMPARE_PREFIX, true;
    case OP_SINCE: return *out = COMPARE_SINCE, true;
    case OP_UNTIL: return *out = COMPARE_UNTIL, true;
    case OP_ON: return *out = COMPARE_ON, true;
    case OP_DURING: return *out = COMPARE_DURING, true;
    default: return false;
    }
}

bool where_to_conditions(struct arena *a, const struct where *w, struct condition **by, size_t *n_by,
                         struct condition **ranges, size_t *n_ranges)
{
    const struct where *t = w->kind == WHERE_AND ? w->first : w;
    size_t n = 0;
    for (const struct where *o = t; o; o = o->next) n++;
    *by = ARENA_ARRAY(a, struct condition, n);
    *ranges = ARENA_ARRAY(a, struct condition, n);
    *n_by = *n_ranges = 0;
    for (; t; t = t->next) {
        struct condition c = { 0 };
        if (t->kind != WHERE_TEST || t->size || t->n_path != 1 || !compare_of(t->op, &c.op)) return false;
        c.attribute = t->path[0];
        c.a.text = t->texts[0];
        if (t->n_texts > 1) c.b.text = t->texts[1];
        if (c.op == COMPARE_EQ) (*by)[(*n_by)++] = c;
        else (*ranges)[(*n_ranges)++] = c;
    }
    return true;
}

bool where_uses(const struct where *w, struct slice attribute)
{
    if (w->kind == WHERE_TEST) return slice_eq(w->path[0], attribute);
    for (const struct where *o = w->first; o; o = o->next) {
        if (where_uses(o, attribute)) return true;
    }
    return false;
}
