/* statement.c: PartiQL statements against tables: parameters, keys in WHERE, mutations. */
#include "statement.h"
#include "statement_plan.h"

/* ---- reading ---- */

int statement_parse(struct call *call, const struct json *obj, struct statement *s)
{
    struct slice *values;
    size_t n;
    *s = (struct statement){ .err = { .arena = call->arena } };
    s->show_old = slice_eq(param_string(obj, SLICE("ReturnValuesOnConditionCheckFailure")), SLICE("ALL_OLD"));
    int code = statement_parameters(call, JSON_GET(obj, "Parameters"), &values, &n, &s->err);
    s->bad_parameter = code != 0;
    if (!code) code = partiql_parse(call->arena, param_string(obj, SLICE("Statement")), values, n, &s->ql, &s->err);
    if (code) s->ql = NULL;
    return code;
}

bool statement_writes(const struct statement *s)
{
    return s->ql->kind != PARTIQL_SELECT;
}

int statement_bind(struct call *call, const struct statement *s, const struct table **table, const struct index **index)
{
    const struct partiql *ql = s->ql;
    *index = NULL;
    int missing = call_find_table(call, ql->table, table);
    struct err missing_err = call->err;
    call->err.code = ERR_NONE;
    if (!missing && ql->index.p) *index = table_index(*table, ql->index);
    if (*index && ((*index)->key.n_hash > 1 || (*index)->key.n_range > 1)) {
        return err_set(&call->err, ERR_ValidationException,
                       "PartiQL statements cannot be executed on tables with multi-attribute HASH keys or multi-attribute "
                       "RANGE keys.");
    }
    if (ql->fault.code || missing) call->err = ql->fault.code ? ql->fault : missing_err;
    return (int)call->err.code;
}

/* ---- keys in WHERE ---- */

/* The tests that a WHERE joins by AND, told apart: those that fix the table's keys, and the rest. */
struct key_split {
    struct arena *arena;
    const struct table *table;
    bool one_in;        /* IN with one value is an equality, too */
    bool first_counts;  /* a second value for the same key is a test like any other */
    struct slice values[2]; /* .p NULL: not fixed */
    struct slice conflict;  /* a key with two values; .p NULL: none */
    struct cond *rest;      /* NULL: nothing */
};

static const struct key_attr *key_attr(const struct table *t, size_t i)
{
    return i ? &t->key.range[0] : &t->key.hash[0];
}

/* Which key the test fixes; 2: none. */
static size_t fixed_key(const struct key_split *s, const struct cond *c, struct slice *value)
{
    bool equality = c->kind == COND_EQ || (s->one_in && c->kind == COND_IN);
    if (!equality || c->n_operands != 2) return 2;
    const struct operand *path = &c->operands[0], *other = &c->operands[1];
    if (path->kind == OPERAND_VALUE && c->kind == COND_EQ) path = &c->operands[1], other = &c->operands[0];
    if (path->kind != OPERAND_PATH || path->path.n != 1 || other->kind != OPERAND_VALUE) return 2;
    *value = other->value;
    for (size_t i = 0; i < 1 + s->table->key.n_range; i++) {
        if (slice_eq(path->path.steps[0].name, key_attr(s->table, i)->name)) return i;
    }
    return 2;
}

static void split(struct key_split *s, const struct cond *c)
{
    if (c->kind == COND_AND) {
        split(s, c->left);
        split(s, c->right);
        return;
    }
    struct slice value;
    size_t i = fixed_key(s, c, &value);
    if (i < 2 && !s->values[i].p) {
        s->values[i] = value;
        return;
    }
    if (i < 2 && val_equal(s->values[i], value)) return;
    if (i < 2 && !s->first_counts) {
        s->conflict = key_attr(s->table, i)->name;
        return;
    }
    struct cond *test = (struct cond *)(uintptr_t)c; /* not changed, only joined */
    s->rest = s->rest ? cond_join(s->arena, COND_AND, s->rest, test) : test;
}

static bool is_whole(const struct key_split *s)
{
    return s->values[0].p && (!s->table->key.n_range || s->values[1].p);
}

static struct slice key_item_of(const struct key_split *s)
{
    struct attr attrs[2];
    struct buf b;
    size_t n = 0;
    for (size_t i = 0; i < 2; i++) {
        if (s->values[i].p) attrs[n++] = (struct attr){ key_attr(s->table, i)->name, s->values[i] };
    }
    buf_init(&b, s->arena, SIZE_MAX / 4);
    val_put_map(&b, attrs, n);
    return buf_view(&b);
}

/* ---- writes ---- */

static int refuse_where(struct call *call, const struct key_split *s, enum statement_style style)
{
    if (style == STATEMENT_IN_TRANSACTION) {
        return err_set(&call->err, ERR_ValidationException, "The provided key element does not match the schema");
    }
    if (s->conflict.p && is_whole(s)) {
        return err_set(&call->err, ERR_ValidationException,
                       "Multiple conditions on same key %.*s. Only single item Update/Insert/Delete are supported",
                       SLICE_ARG(s->conflict));
    }
    return err_set(&call->err, ERR_ValidationException,
                   "Where clause does not contain a mandatory equality on all key attributes");
}

static enum return_values returns_of(enum partiql_returning r)
{
    switch (r) {
    case PARTIQL_RETURNING_ALL_OLD: return RETURN_ALL_OLD;
    case PARTIQL_RETURNING_ALL_NEW: return RETURN_ALL_NEW;
    case PARTIQL_RETURNING_MODIFIED_OLD: return RETURN_UPDATED_OLD;
    case PARTIQL_RETURNING_MODIFIED_NEW: return RETURN_UPDATED_NEW;
    case PARTIQL_RETURNING_NONE: break;
    }
    return RETURN_NONE;
}

static int insert_mutation(struct call *call, const struct partiql *ql, struct mutation *m)
{
    m->kind = MUTATION_PUT;
    m->presence = PRESENCE_FORBIDDEN;
    m->item = ql->item;
    return mutation_check_put_size(call, m);
}

int statement_mutation(struct call *call, const struct statement *s, const struct table *t, enum statement_style style,
                       struct mutation *m)
{
    const struct partiql *ql = s->ql;
    *m = (struct mutation){ .table_name = ql->table, .show_old_on_failure = s->show_old, .returns = returns_of(ql->returning) };
    if (ql->kind == PARTIQL_INSERT) return insert_mutation(call, ql, m);

    bool exists = ql->kind == PARTIQL_EXISTS;
    struct key_split keys = { .arena = call->arena, .table = t, .first_counts = exists };
    if (ql->where) split(&keys, ql->where);
    if (exists && (!is_whole(&keys) || !keys.rest)) {
        return err_set(&call->err, ERR_ValidationException,
                       "EXISTS() must contain a single item read with additional condition");
    }
    if (!is_whole(&keys) || keys.conflict.p) return refuse_where(call, &keys, style);
    m->item = key_item_of(&keys);
    m->condition = keys.rest;
    if (exists) {
        m->kind = MUTATION_CHECK;
    } else if (ql->kind == PARTIQL_DELETE) {
        m->kind = MUTATION_DELETE;
        m->presence = PRESENCE_EXCUSED;
    } else {
        m->kind = MUTATION_UPDATE;
        m->presence = PRESENCE_REQUIRED;
        m->update = ql->update;
        m->removes_only = update_only_removes(ql->update);
    }
    return 0;
}

/* ---- reads by key ---- */

int statement_key(struct call *call, const struct statement *s, const struct table *t, const char *operation, struct slice *key)
{
    const struct partiql *ql = s->ql;
    struct key_split keys = { .arena = call->arena, .table = t, .one_in = true };
    struct page page = { .table = t };
    struct reads plan;
    reads_make(call->arena, &t->key, ql->where, &plan);
    if (reads_types_fit(&plan)) {
        int code = reads_ranges(call, &page, &plan);
        if (code) return code;
    }
    if (ql->where) split(&keys, ql->where);
    if (ql->index.p || ql->n_order || !is_whole(&keys) || keys.conflict.p || keys.rest) {
        return err_set(&call->err, ERR_ValidationException,
                       "Select statements within %s must specify the primary key in the where clause.", operation);
    }
    *key = key_item_of(&keys);
    return 0;
}
