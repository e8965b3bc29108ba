/* key_query.c: from a condition on keys to the range of keys that a query reads.
 *
 * First what holds for any table: only AND between simple tests, each on one top-level attribute
 * against values, one test per attribute (key_cond_check). Then, against the schema: every hash
 * attribute by equality, range attributes from the left without gaps, by equality but for the last
 * one used. */
#include "expr.h"

struct key_test {
    struct slice name;
    enum cond_kind kind;
    struct slice value[2];
};

struct key_tests {
    struct key_test *list;
    size_t n;
    struct err *err;
};

static int refuse(struct key_tests *t, const char *text)
{
    return err_set(t->err, ERR_ValidationException, "%s", text);
}

static const char *forbidden(enum cond_kind kind)
{
    switch (kind) {
    case COND_OR:
        return "OR";
    case COND_NOT:
        return "NOT";
    case COND_NE:
        return "<>";
    case COND_IN:
        return "IN";
    case COND_EXISTS:
        return "attribute_exists";
    case COND_NOT_EXISTS:
        return "attribute_not_exists";
    case COND_TYPE:
        return "attribute_type";
    case COND_CONTAINS:
    case COND_NOT_CONTAINS:
        return "contains";
    default:
        return NULL;
    }
}

/* The test as if the attribute stood on the left. */
static enum cond_kind mirrored(enum cond_kind kind)
{
    switch (kind) {
    case COND_LT:
        return COND_GT;
    case COND_LE:
        return COND_GE;
    case COND_GT:
        return COND_LT;
    case COND_GE:
        return COND_LE;
    default:
        return kind;
    }
}

static int read_operands(struct key_tests *t, const struct cond *c, struct key_test *test)
{
    size_t values = 0;
    for (size_t i = 0; i < c->n_operands; i++) {
        const struct operand *o = &c->operands[i];
        if (o->kind == OPERAND_SIZE || o->kind == OPERAND_COND)
            return refuse(t, "KeyConditionExpressions cannot contain nested operations");
        if (o->kind == OPERAND_VALUE) {
            if (values < 2) test->value[values++] = o->value;
            continue;
        }
        if (test->name.p)
            return refuse(t,
                          "Invalid condition in KeyConditionExpression: Multiple attribute names "
                          "used in one condition");
        if (o->path.n > 1)
            return refuse(t, "KeyConditionExpressions cannot have conditions on nested attributes");
        test->name = o->path.steps[0].name;
        if (i) test->kind = mirrored(c->kind);
    }
    if (!test->name.p)
        return refuse(t, "Invalid condition in KeyConditionExpression: No key attribute specified");
    return 0;
}

static int collect(struct key_tests *t, const struct cond *c)
{
    if (c->kind == COND_AND) {
        int rc = collect(t, c->left);
        return rc ? rc : collect(t, c->right);
    }
    const char *word = forbidden(c->kind);
    if (word && !c->legacy)
        return err_set(t->err, ERR_ValidationException,
                       "Invalid operator used in KeyConditionExpression: %s", word);
    if (c->kind == COND_BETWEEN || c->kind == COND_BEGINS_WITH) {
        if (c->operands[0].kind != OPERAND_PATH)
            return err_set(
                t->err, ERR_ValidationException,
                "Invalid condition in KeyConditionExpression: %s operator must have the key "
                "attribute as its first operand",
                c->kind == COND_BETWEEN ? "BETWEEN" : "begins_with");
    }
    struct key_test test = { .kind = c->kind };
    int rc = read_operands(t, c, &test);
    if (rc) return rc;
    for (size_t i = 0; i < t->n; i++)
        if (slice_eq(t->list[i].name, test.name))
            return refuse(t, "KeyConditionExpressions must only contain one condition per key");
    t->list[t->n++] = test;
    return 0;
}

static size_t count_tests(const struct cond *c)
{
    return c->kind == COND_AND ? count_tests(c->left) + count_tests(c->right) : 1;
}

static int tests_of(const struct cond *c, struct arena *a, struct key_tests *t, struct err *e)
{
    *t = (struct key_tests){ .list = ARENA_ARRAY(a, struct key_test, count_tests(c)), .err = e };
    return collect(t, c);
}

int key_cond_check(const struct cond *c, struct arena *a, struct err *e)
{
    struct key_tests t;
    return tests_of(c, a, &t, e);
}

/* ---- against the schema ---- */

static const struct key_test *on(const struct key_tests *t, struct slice name)
{
    for (size_t i = 0; i < t->n; i++)
        if (slice_eq(t->list[i].name, name)) return &t->list[i];
    return NULL;
}

static int check_test(struct key_tests *t, const struct key_test *test, const struct key_attr *attr)
{
    if (forbidden(test->kind))
        return refuse(t, "Attempted conditional constraint is not an indexable operation");
    if (val_type(test->value[0]) != attr->type ||
        (test->kind == COND_BETWEEN && val_type(test->value[1]) != attr->type))
        return refuse(
            t, "One or more parameter values were invalid: Condition parameter type does not "
               "match schema type");
    return 0;
}

static enum key_op op_of(enum cond_kind kind)
{
    switch (kind) {
    case COND_LT:
        return KEY_LT;
    case COND_LE:
        return KEY_LE;
    case COND_GT:
        return KEY_GT;
    case COND_GE:
        return KEY_GE;
    case COND_BETWEEN:
        return KEY_BETWEEN;
    case COND_BEGINS_WITH:
        return KEY_BEGINS_WITH;
    default:
        return KEY_EQ;
    }
}

static void use_range(struct key_query *q, const struct key_test *test)
{
    enum key_op op = op_of(test->kind);
    if (op == KEY_EQ) {
        q->range_eq[q->n_range_eq++] = test->value[0];
        return;
    }
    q->op = op;
    q->lo = test->value[0];
    q->hi = test->value[1];
}

static int missed(struct key_tests *t, const struct key_attr *attr)
{
    return err_set(t->err, ERR_ValidationException,
                   "Query condition missed key schema element: %.*s", SLICE_ARG(attr->name));
}

static int simple(struct key_tests *t, const struct key_schema *s, struct key_query *q)
{
    if (t->n > 2) return refuse(t, "Conditions can be of length 1 or 2 only");
    if (!s->n_range && t->n > 1) return refuse(t, "Query key condition not supported");
    const struct key_test *hash = on(t, s->hash[0].name);
    if (!hash) return missed(t, &s->hash[0]);
    int rc = check_test(t, hash, &s->hash[0]);
    if (rc) return rc;
    if (hash->kind != COND_EQ) return refuse(t, "Query key condition not supported");
    q->hash[0] = hash->value[0];
    if (t->n == 1) return 0;
    const struct key_test *range = on(t, s->range[0].name);
    if (!range) return missed(t, &s->range[0]);
    rc = check_test(t, range, &s->range[0]);
    if (rc) return rc;
    use_range(q, range);
    return 0;
}

/* Indexes with several attributes in a key. */
static int composite(struct key_tests *t, const struct key_schema *s, struct key_query *q)
{
    size_t used = 0;
    for (size_t i = 0; i < s->n_hash; i++) {
        const struct key_test *test = on(t, s->hash[i].name);
        if (!test || test->kind != COND_EQ)
            return err_set(t->err, ERR_ValidationException,
                           "Query key condition not supported: all HASH key attributes must be "
                           "specified with equality conditions: %.*s",
                           SLICE_ARG(s->hash[i].name));
        int rc = check_test(t, test, &s->hash[i]);
        if (rc) return rc;
        q->hash[i] = test->value[0];
        used++;
    }
    for (size_t i = 0; i < s->n_range; i++) {
        const struct key_test *test = on(t, s->range[i].name);
        if (!test) continue;
        if (i != q->n_range_eq || q->op != KEY_NONE)
            return err_set(
                t->err, ERR_ValidationException,
                "Query key condition not supported: RANGE key attributes must be specified "
                "from left to right, with equality conditions on all but the last: %.*s",
                SLICE_ARG(s->range[i].name));
        int rc = check_test(t, test, &s->range[i]);
        if (rc) return rc;
        use_range(q, test);
        used++;
    }
    return used == t->n ? 0 : refuse(t, "Query key condition not supported");
}

int key_query_from_cond(const struct cond *c, const struct key_schema *schema, struct arena *a,
                        struct key_query *out, struct err *e)
{
    struct key_tests t;
    *out = (struct key_query){ .op = KEY_NONE };
    int rc = tests_of(c, a, &t, e);
    if (rc) return rc;
    if (schema->n_hash == 1 && schema->n_range <= 1) return simple(&t, schema, out);
    return composite(&t, schema, out);
}
