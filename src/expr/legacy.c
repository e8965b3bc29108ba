/* legacy.c: one legacy condition: a comparison operator and its values. */
#include "legacy.h"

struct path legacy_path(struct arena *a, struct slice name)
{
    struct path_step *step = ARENA_NEW(a, struct path_step);
    step->name = name;
    return (struct path){ step, 1 };
}

const struct json *legacy_member(const struct json *obj, struct slice name)
{
    const struct json *m = json_get(obj, name);
    return m && m->type != JSON_NULL ? m : NULL;
}

#define BIT(type) (1u << (type))
#define SCALAR    (BIT(TYPE_S) | BIT(TYPE_N) | BIT(TYPE_B))
#define ANY       (~0u)

/* How many values each operator takes, and of which types. */
static const struct legacy_op {
    const char *name;
    enum cond_kind kind;
    size_t min, max;
    unsigned types;
} ops[] = {
    { "EQ", COND_EQ, 1, 1, ANY },
    { "NE", COND_NE, 1, 1, ANY },
    { "LE", COND_LE, 1, 1, SCALAR },
    { "LT", COND_LT, 1, 1, SCALAR },
    { "GE", COND_GE, 1, 1, SCALAR },
    { "GT", COND_GT, 1, 1, SCALAR },
    { "CONTAINS", COND_CONTAINS, 1, 1, SCALAR | BIT(TYPE_BOOL) | BIT(TYPE_NULL) },
    { "NOT_CONTAINS", COND_NOT_CONTAINS, 1, 1, SCALAR | BIT(TYPE_BOOL) | BIT(TYPE_NULL) },
    { "BEGINS_WITH", COND_BEGINS_WITH, 1, 1, BIT(TYPE_S) | BIT(TYPE_B) },
    { "IN", COND_IN, 1, SIZE_MAX, SCALAR },
    { "BETWEEN", COND_BETWEEN, 2, 2, SCALAR },
    { "NULL", COND_NOT_EXISTS, 0, 0, ANY },
    { "NOT_NULL", COND_EXISTS, 0, 0, ANY },
};

static const struct legacy_op *find_op(struct slice name)
{
    for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
        if (slice_eq(slice_str(ops[i].name), name)) return &ops[i];
    return NULL;
}

static int check_values(const struct legacy_op *op, const struct slice *values, size_t n,
                        struct err *e)
{
    if (n < op->min || n > op->max)
        return err_set(
            e, ERR_ValidationException,
            "One or more parameter values were invalid: Invalid number of argument(s) for the "
            "%s ComparisonOperator",
            op->name);
    for (size_t i = 1; i < n; i++)
        if (val_type(values[i]) != val_type(values[0]))
            return err_set(e, ERR_ValidationException,
                           "One or more parameter values were invalid: AttributeValues inside "
                           "AttributeValueList must be of same type");
    for (size_t i = 0; i < n; i++)
        if (!(op->types & BIT(val_type(values[i]))))
            return err_set(
                e, ERR_ValidationException,
                "One or more parameter values were invalid: ComparisonOperator %s is not valid "
                "for %s AttributeValue type",
                op->name, val_type_name(val_type(values[i])));
    if (op->kind == COND_BETWEEN && val_compare(values[0], values[1]) > 0)
        return err_set(
            e, ERR_ValidationException,
            "The BETWEEN condition was provided a range where the lower bound is greater than "
            "the upper bound");
    return 0;
}

int legacy_condition(struct arena *a, const char *where, struct slice name, struct slice op_name,
                     struct slice *values, size_t n, struct cond **out, struct err *e)
{
    const struct legacy_op *op = find_op(op_name);
    if (!op)
        return err_set(
            e, ERR_ValidationException,
            "1 validation error detected: Value '%.*s' at '%s.%.*s.member.comparisonOperator' "
            "failed to satisfy constraint: Member must satisfy enum value set: [IN, NULL, "
            "BETWEEN, LT, NOT_CONTAINS, EQ, GT, NOT_NULL, NE, LE, BEGINS_WITH, GE, CONTAINS]",
            SLICE_ARG(op_name), where, SLICE_ARG(name));
    int rc = check_values(op, values, n, e);
    if (rc) return rc;
    struct cond *c = ARENA_NEW(a, struct cond);
    c->kind = op->kind;
    c->n_operands = 1 + n;
    c->operands = ARENA_ARRAY(a, struct operand, 1 + n);
    c->operands[0] = (struct operand){ .kind = OPERAND_PATH, .path = legacy_path(a, name) };
    for (size_t i = 0; i < n; i++)
        c->operands[1 + i] = (struct operand){ .kind = OPERAND_VALUE, .value = values[i] };
    *out = c;
    return 0;
}

int legacy_values(struct arena *a, const struct json *list, struct slice **out, size_t *n,
                  struct err *e)
{
    *out = NULL;
    *n = 0;
    if (!list) return 0;
    if (list->type != JSON_ARRAY)
        return err_set(e, ERR_SerializationException, "Unexpected field type");
    *out = ARENA_ARRAY(a, struct slice, list->count);
    for (const struct json *v = list->first; v; v = v->next) {
        int rc = operand_from_json(a, v, &(*out)[(*n)++], e);
        if (rc) return rc;
    }
    return 0;
}
