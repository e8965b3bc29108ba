/* cond_eval.c: does an item satisfy a condition? Nothing is allocated: operands are slices of the
 * item, of the request, or of a few bytes on the stack (size()). */
#include "expr.h"

/* Room for the number that size() gives, or for the BOOL of a condition. */
struct scratch {
    uint8_t bytes[1 + NUM_MAX_BYTES];
};

/* The size that the size() function tells; false for types that have none. */
static bool size_of(struct slice v, size_t *out)
{
    switch (val_type(v)) {
    case TYPE_S:
        *out = utf16_length(val_content(v));
        return true;
    case TYPE_B:
        *out = val_content(v).n;
        return true;
    case TYPE_SS:
    case TYPE_NS:
    case TYPE_BS:
    case TYPE_L:
    case TYPE_M:
        *out = val_count(v);
        return true;
    default:
        return false;
    }
}

static bool operand_get(const struct operand *o, struct slice item, struct scratch *s,
                        struct slice *out)
{
    if (o->kind == OPERAND_VALUE) {
        *out = o->value;
        return true;
    }
    if (o->kind == OPERAND_PATH) return path_get(item, &o->path, out);
    if (o->kind == OPERAND_COND) {
        s->bytes[0] = cond_eval(o->cond, item) ? VAL_TRUE : VAL_FALSE;
        *out = slice_of(s->bytes, 1);
        return true;
    }
    struct slice of = o->value;
    size_t size;
    if (o->path.n && !path_get(item, &o->path, &of)) return false;
    if (!size_of(of, &size)) return false;
    struct num n;
    num_from_int64((int64_t)size, &n);
    s->bytes[0] = VAL_N;
    memcpy(s->bytes + 1, n.bytes, n.n);
    *out = slice_of(s->bytes, 1 + (size_t)n.n);
    return true;
}

/* -1, 0 or 1 in *c; false if the two have no order. */
static bool order(struct slice a, struct slice b, int *c)
{
    enum val_type t = val_type(a);
    if (t != val_type(b) || (t != TYPE_S && t != TYPE_N && t != TYPE_B)) return false;
    *c = val_compare(a, b);
    return true;
}

static bool compare(enum cond_kind kind, struct slice a, struct slice b)
{
    int c;
    if (kind == COND_EQ) return val_equal(a, b);
    if (kind == COND_NE) return !val_equal(a, b);
    if (!order(a, b, &c)) return false;
    switch (kind) {
    case COND_LT:
        return c < 0;
    case COND_LE:
        return c <= 0;
    case COND_GT:
        return c > 0;
    default:
        return c >= 0;
    }
}

static bool begins_with(struct slice v, struct slice prefix)
{
    enum val_type t = val_type(v);
    if (t != val_type(prefix) || (t != TYPE_S && t != TYPE_B)) return false;
    return slice_starts(val_content(v), val_content(prefix));
}

static bool list_has(struct slice list, struct slice v)
{
    struct val_iter it;
    struct slice name, element;
    val_iter_init(&it, list);
    while (val_next(&it, &name, &element))
        if (val_equal(element, v)) return true;
    return false;
}

/* Part of a string or binary, member of a set, element of a list. */
static bool contains(struct slice v, struct slice part)
{
    enum val_type t = val_type(part);
    switch (val_type(v)) {
    case TYPE_S:
    case TYPE_B: {
        struct slice hay = val_content(v), needle;
        if (t != val_type(v)) return false;
        needle = val_content(part);
        return !needle.n || (hay.n && memmem(hay.p, hay.n, needle.p, needle.n) != NULL);
    }
    case TYPE_SS:
        return t == TYPE_S && val_set_has(v, val_content(part));
    case TYPE_NS:
        return t == TYPE_N && val_set_has(v, val_content(part));
    case TYPE_BS:
        return t == TYPE_B && val_set_has(v, val_content(part));
    case TYPE_L:
        return list_has(v, part);
    default:
        return false;
    }
}

static bool is_in(const struct cond *c, struct slice item, struct slice v)
{
    struct scratch s;
    struct slice one;
    for (size_t i = 1; i < c->n_operands; i++)
        if (operand_get(&c->operands[i], item, &s, &one) && val_equal(v, one)) return true;
    return false;
}

static bool test(const struct cond *c, struct slice item)
{
    struct scratch s[3];
    struct slice v[3];
    bool present = operand_get(&c->operands[0], item, &s[0], &v[0]);
    if (c->kind == COND_EXISTS) return present;
    if (c->kind == COND_NOT_EXISTS) return !present;
    if (c->kind == COND_IN) return present && is_in(c, item, v[0]);
    present = operand_get(&c->operands[1], item, &s[1], &v[1]) && present;
    if (c->kind == COND_BETWEEN) present = operand_get(&c->operands[2], item, &s[2], &v[2]) && present;
    if (!present) return c->kind == COND_NE; /* what is not there differs from everything */
    switch (c->kind) {
    case COND_BETWEEN:
        return compare(COND_GE, v[0], v[1]) && compare(COND_LE, v[0], v[2]);
    case COND_TYPE:
        return val_type(v[0]) == val_type_from_name(val_content(v[1]));
    case COND_BEGINS_WITH:
        return begins_with(v[0], v[1]);
    case COND_CONTAINS:
        return contains(v[0], v[1]);
    case COND_NOT_CONTAINS:
        return !contains(v[0], v[1]);
    default:
        return compare(c->kind, v[0], v[1]);
    }
}

bool cond_eval(const struct cond *c, struct slice item)
{
    switch (c->kind) {
    case COND_AND:
        return cond_eval(c->left, item) && cond_eval(c->right, item);
    case COND_OR:
        return cond_eval(c->left, item) || cond_eval(c->right, item);
    case COND_NOT:
        return !cond_eval(c->left, item);
    default:
        return test(c, item);
    }
}
