/* legacy_cond.c: Expected, QueryFilter, ScanFilter and KeyConditions as conditions. */
#include "legacy.h"

/* ConditionalOperator only makes sense between two conditions, and DynamoDB insists. */
static int check_operator(const struct json *map, struct slice op, struct err *e)
{
    if (!op.n) return 0;
    if (!slice_eq(op, SLICE("AND")) && !slice_eq(op, SLICE("OR")))
        return err_set(
            e, ERR_ValidationException,
            "1 validation error detected: Value '%.*s' at 'conditionalOperator' failed to "
            "satisfy constraint: Member must satisfy enum value set: [OR, AND]",
            SLICE_ARG(op));
    if (!map || !map->count)
        return err_set(e, ERR_ValidationException,
                       "ConditionalOperator cannot be used without Filter or Expected");
    if (map->count == 1)
        return err_set(
            e, ERR_ValidationException,
            "ConditionalOperator can only be used when Filter or Expected has two or more "
            "elements");
    return 0;
}

/* As a balanced tree: a request can hold more conditions than a stack could follow down one side.
 */
static struct cond *join(struct arena *a, enum cond_kind kind, struct cond **list, size_t n)
{
    if (!n) return NULL;
    if (n == 1) return list[0];
    return cond_join(a, kind, join(a, kind, list, n / 2), join(a, kind, list + n / 2, n - n / 2));
}

/* The conditions of a map, each read by one, joined by op (empty: AND). */
static int read_map(struct arena *a, const char *where, const struct json *map, struct slice op,
                    int (*one)(struct arena *a, const char *where, const struct json *m,
                               struct cond **out, struct err *e),
                    struct cond **out, struct err *e)
{
    *out = NULL;
    if (!map) return 0;
    struct cond **list = ARENA_ARRAY(a, struct cond *, map->count);
    size_t n = 0;
    for (const struct json *m = map->first; m; m = m->next) {
        int rc = one(a, where, m, &list[n++], e);
        if (rc) return rc;
    }
    *out = join(a, slice_eq(op, SLICE("OR")) ? COND_OR : COND_AND, list, n);
    return 0;
}

static int check_map(const struct json **map, struct err *e)
{
    if (*map && (*map)->type == JSON_NULL) *map = NULL;
    if (*map && (*map)->type != JSON_OBJECT)
        return err_set(e, ERR_SerializationException, "Unexpected field type");
    return 0;
}

static int check_struct(const struct json *m, struct err *e)
{
    if (m->type == JSON_OBJECT) return 0;
    return err_set(e, ERR_SerializationException, "Unexpected value type in payload");
}

/* ---- filters and key conditions ---- */

static int read_condition(struct arena *a, const char *where, const struct json *m,
                          struct cond **out, struct err *e)
{
    struct slice *values;
    size_t n;
    int rc = check_struct(m, e);
    if (rc) return rc;
    const struct json *op = LEGACY_MEMBER(m, "ComparisonOperator");
    if (!op)
        return err_set(
            e, ERR_ValidationException,
            "1 validation error detected: Value null at '%s.%.*s.member.comparisonOperator' "
            "failed to satisfy constraint: Member must not be null",
            where, SLICE_ARG(m->name));
    rc = legacy_values(a, LEGACY_MEMBER(m, "AttributeValueList"), &values, &n, e);
    if (!rc) rc = legacy_condition(a, where, m->name, op->text, values, n, out, e);
    return rc;
}

int legacy_filter(struct arena *a, const char *what, const struct json *filter,
                  struct slice conditional_operator, struct cond **out, struct err *e)
{
    /* The parameter as the constraint's path spells it: "QueryFilter" is 'queryFilter'. */
    struct slice where = arena_printf(a, "%s", what);
    ((uint8_t *)where.p)[0] |= 0x20;
    int rc = check_map(&filter, e);
    if (!rc) rc = check_operator(filter, conditional_operator, e);
    if (rc) return rc;
    return read_map(a, (const char *)where.p, filter, conditional_operator, read_condition, out, e);
}

static int read_key_condition(struct arena *a, const char *where, const struct json *m,
                              struct cond **out, struct err *e)
{
    int rc = read_condition(a, where, m, out, e);
    if (!rc) (*out)->legacy = true;
    return rc;
}

int legacy_key_conditions(struct arena *a, const struct json *conditions, struct cond **out,
                          struct err *e)
{
    const size_t most = 8; /* four hash and four range attributes */
    *out = NULL;
    int rc = check_map(&conditions, e);
    if (rc || !conditions) return rc;
    if (!conditions->count || conditions->count > most)
        return err_set(e, ERR_ValidationException, "Conditions can be of length 1 or 2 only");
    return read_map(a, "keyConditions", conditions, SLICE("AND"), read_key_condition, out, e);
}

/* ---- Expected ---- */

#define INVALID "One or more parameter values were invalid: "

static int by_operator(struct arena *a, const struct json *m, const struct json *op,
                       struct cond **out, struct err *e)
{
    const struct json *value = LEGACY_MEMBER(m, "Value"),
                      *list = LEGACY_MEMBER(m, "AttributeValueList");
    bool none = slice_eq(op->text, SLICE("NULL")) || slice_eq(op->text, SLICE("NOT_NULL"));
    if (LEGACY_MEMBER(m, "Exists"))
        return err_set(e, ERR_ValidationException,
                       INVALID
                       "Exists and ComparisonOperator cannot be used together for Attribute: %.*s",
                       SLICE_ARG(m->name));
    if (!none && !list && !value)
        return err_set(e, ERR_ValidationException,
                       INVALID
                       "Value or AttributeValueList must be used with ComparisonOperator: %.*s for "
                       "Attribute: %.*s",
                       SLICE_ARG(op->text), SLICE_ARG(m->name));
    struct slice *values, one;
    size_t n;
    int rc = legacy_values(a, list, &values, &n, e);
    if (!rc && value) {
        rc = operand_from_json(a, value, &one, e);
        values = &one;
        n = 1;
    }
    if (rc) return rc;
    return legacy_condition(a, "expected", m->name, op->text, values, n, out, e);
}

static int by_value(struct arena *a, const struct json *m, struct cond **out, struct err *e)
{
    const struct json *value = LEGACY_MEMBER(m, "Value"), *exists = LEGACY_MEMBER(m, "Exists");
    bool expected = true;
    if (exists && !json_boolean(exists, &expected))
        return err_set(e, ERR_SerializationException, "Unexpected token received from parser");
    bool absent = !expected;
    struct slice v;
    if (!absent && !value)
        return err_set(e, ERR_ValidationException,
                       INVALID "Value must be provided when Exists is %s for Attribute: %.*s",
                       exists ? "true" : "null", SLICE_ARG(m->name));
    if (absent && value)
        return err_set(e, ERR_ValidationException,
                       INVALID "Value cannot be used when Exists is false for Attribute: %.*s",
                       SLICE_ARG(m->name));
    if (absent) return legacy_condition(a, "expected", m->name, SLICE("NULL"), NULL, 0, out, e);
    int rc = operand_from_json(a, value, &v, e);
    return rc ? rc : legacy_condition(a, "expected", m->name, SLICE("EQ"), &v, 1, out, e);
}

static int read_expected(struct arena *a, const char *where, const struct json *m,
                         struct cond **out, struct err *e)
{
    (void)where;
    int rc = check_struct(m, e);
    if (rc) return rc;
    const struct json *op = LEGACY_MEMBER(m, "ComparisonOperator");
    bool list = LEGACY_MEMBER(m, "AttributeValueList") != NULL;
    if (list && LEGACY_MEMBER(m, "Value"))
        return err_set(e, ERR_ValidationException,
                       INVALID
                       "Value and AttributeValueList cannot be used together for Attribute: %.*s",
                       SLICE_ARG(m->name));
    if (op) return by_operator(a, m, op, out, e);
    if (list)
        return err_set(e, ERR_ValidationException,
                       INVALID "AttributeValueList can only be used with a ComparisonOperator for "
                               "Attribute: %.*s",
                       SLICE_ARG(m->name));
    return by_value(a, m, out, e);
}

int legacy_expected(struct arena *a, const struct json *expected, struct slice conditional_operator,
                    struct cond **out, struct err *e)
{
    int rc = check_map(&expected, e);
    if (!rc) rc = check_operator(expected, conditional_operator, e);
    if (rc) return rc;
    return read_map(a, "expected", expected, conditional_operator, read_expected, out, e);
}
