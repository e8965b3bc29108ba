/* statement_plan.c: spreading a WHERE into reads. */
#include "statement_plan.h"
#include <stdlib.h>

/* ---- which tests are about keys ---- */

static bool is_value(const struct operand *o)
{
    return o->kind == OPERAND_VALUE;
}

static enum cond_kind mirrored(enum cond_kind kind)
{
    switch (kind) {
    case COND_LT: return COND_GT;
    case COND_LE: return COND_GE;
    case COND_GT: return COND_LT;
    case COND_GE: return COND_LE;
    default: return kind;
    }
}

/* The operand that is a key attribute and nothing more; sets hash. NULL if there is none, or something else than values beside it. */
static const struct operand *key_operand(const struct key_schema *key, const struct cond *c, bool *hash)
{
    const struct operand *found = NULL;
    for (size_t i = 0; i < c->n_operands; i++) {
        const struct operand *o = &c->operands[i];
        if (is_value(o)) continue;
        if (found || o->kind != OPERAND_PATH || o->path.n != 1) return NULL;
        found = o;
    }
    if (!found) return NULL;
    struct slice name = found->path.steps[0].name;
    *hash = slice_eq(name, key->hash[0].name);
    bool range = key->n_range && slice_eq(name, key->range[0].name);
    return *hash || range ? found : NULL;
}

static bool is_key_test(const struct key_schema *key, const struct cond *c)
{
    bool hash = false;
    switch (c->kind) {
    case COND_EQ:
        return key_operand(key, c, &hash) != NULL;
    case COND_IN:
        return key_operand(key, c, &hash) == &c->operands[0];
    case COND_LT:
    case COND_LE:
    case COND_GT:
    case COND_GE:
        return key_operand(key, c, &hash) != NULL && !hash;
    case COND_BETWEEN:
    case COND_BEGINS_WITH:
        return key_operand(key, c, &hash) == &c->operands[0] && !hash;
    default:
        return false;
    }
}

static bool names_key(const struct key_schema *key, const struct cond *c)
{
    if (c->kind == COND_AND || c->kind == COND_OR) return names_key(key, c->left) || names_key(key, c->right);
    return c->kind != COND_NOT && is_key_test(key, c);
}

/* ---- spreading ---- */

struct branches {
    struct read_branch *first, *last;
    size_t n;
};

struct spreader {
    struct arena *arena;
    struct reads *plan;
};

static void append(struct branches *to, struct read_branch *b)
{
    if (to->last)
        to->last->next = b;
    else
        to->first = b;
    to->last = b;
    to->n++;
}

static struct branches filter_only(struct spreader *s, const struct cond *c)
{
    struct branches out = { NULL, NULL, 0 };
    struct read_branch *b = ARENA_NEW(s->arena, struct read_branch);
    b->filter = (struct cond *)(uintptr_t)c; /* read only: cond_join takes what it joins without const */
    append(&out, b);
    return out;
}

static void add_key_branch(struct spreader *s, struct branches *out, bool hash, enum cond_kind kind, struct slice v, struct slice w)
{
    struct read_branch *b = ARENA_NEW(s->arena, struct read_branch);
    b->keys = ARENA_NEW(s->arena, struct read_key);
    *b->keys = (struct read_key){ .hash = hash, .kind = kind, .values = { v, w } };
    append(out, b);
}

/* A test of a key: one branch, or one for each value of IN. */
static struct branches key_branches(struct spreader *s, const struct cond *c)
{
    struct branches out = { NULL, NULL, 0 };
    struct slice none = { NULL, 0 }, values[2] = { none, none };
    bool hash = false;
    const struct operand *key = key_operand(s->plan->key, c, &hash);
    if (c->kind == COND_IN) {
        for (size_t i = 1; i < c->n_operands; i++) add_key_branch(s, &out, hash, COND_EQ, c->operands[i].value, none);
        return out;
    }
    size_t n = 0;
    for (size_t i = 0; i < c->n_operands && n < 2; i++) {
        if (is_value(&c->operands[i])) values[n++] = c->operands[i].value;
    }
    add_key_branch(s, &out, hash, key == &c->operands[0] ? c->kind : mirrored(c->kind), values[0], values[1]);
    return out;
}

/* Both branches at once. */
static struct read_branch *both(struct spreader *s, const struct read_branch *x, const struct read_branch *y)
{
    struct read_branch *b = ARENA_NEW(s->arena, struct read_branch);
    b->keys = x->keys;
    for (const struct read_key *k = y->keys; k; k = k->next) {
        struct read_key *copy = ARENA_NEW(s->arena, struct read_key);
        *copy = *k;
        copy->next = b->keys;
        b->keys = copy;
    }
    b->filter = x->filter && y->filter ? cond_join(s->arena, COND_AND, x->filter, y->filter) : x->filter ? x->filter : y->filter;
    return b;
}

static struct branches spread(struct spreader *s, const struct cond *c);

static struct branches spread_and(struct spreader *s, const struct cond *c)
{
    struct branches left = spread(s, c->left), right = spread(s, c->right), out = { NULL, NULL, 0 };
    if (s->plan->too_many || left.n * right.n > READS_MAX) {
        s->plan->too_many = true;
        return left;
    }
    for (const struct read_branch *x = left.first; x; x = x->next) {
        for (const struct read_branch *y = right.first; y; y = y->next) append(&out, both(s, x, y));
    }
    return out;
}

static struct branches spread(struct spreader *s, const struct cond *c)
{
    if (c->kind == COND_AND) return spread_and(s, c);
    if (c->kind == COND_OR && names_key(s->plan->key, c)) {
        struct branches left = spread(s, c->left), right = spread(s, c->right);
        left.last->next = right.first;
        left.last = right.last;
        left.n += right.n;
        if (left.n > READS_MAX) s->plan->too_many = true;
        return left;
    }
    if (c->kind != COND_OR && is_key_test(s->plan->key, c)) return key_branches(s, c);
    return filter_only(s, c);
}

/* Has it one partition? The values of two tests must be the same then. */
static bool pin(struct read_branch *b)
{
    b->hash = slice_of(NULL, 0);
    for (const struct read_key *k = b->keys; k; k = k->next) {
        if (!k->hash) continue;
        if (b->hash.p && !val_equal(b->hash, k->values[0])) return false;
        b->hash = k->values[0];
    }
    return b->hash.p != NULL;
}

/* Would every branch have a partition, if they were spread? */
static bool pins(const struct key_schema *key, const struct cond *c)
{
    bool hash = false;
    if (c->kind == COND_AND) return pins(key, c->left) || pins(key, c->right);
    if (c->kind == COND_OR) return pins(key, c->left) && pins(key, c->right);
    return (c->kind == COND_EQ || c->kind == COND_IN) && is_key_test(key, c) && key_operand(key, c, &hash) && hash;
}

struct filter_names {
    struct slice name;
    bool met;
};

static bool meet(struct slice name, void *ctx)
{
    struct filter_names *f = ctx;
    f->met = slice_eq(name, f->name);
    return !f->met;
}

static bool filters_on(const struct read_branch *b, struct slice name)
{
    struct filter_names f = { .name = name };
    if (b->filter) cond_each_name(b->filter, meet, &f);
    return f.met;
}

void reads_make(struct arena *a, const struct key_schema *key, const struct cond *where, struct reads *plan)
{
    *plan = (struct reads){ .key = key };
    if (!where) return;
    struct spreader s = { a, plan };
    struct branches all = spread(&s, where);
    plan->first = all.first;
    plan->last = all.last;
    plan->n = all.n;
    if (plan->too_many) {
        plan->keyed = pins(key, where);
        return;
    }
    plan->keyed = true;
    for (struct read_branch *b = plan->first; b; b = b->next) {
        if (!pin(b)) plan->keyed = false;
        /* NOT sk = 'x' and its like narrow no range, so branches beside it could meet in an item: DynamoDB takes these, and they
         * give each item once. */
        if (plan->n > 1 && key->n_range && filters_on(b, key->range[0].name)) plan->keyed = false;
    }
}

/* ---- types ---- */

static const struct key_attr *attr_of(const struct reads *plan, const struct read_key *k)
{
    return k->hash ? &plan->key->hash[0] : &plan->key->range[0];
}

static bool value_fits(const struct reads *plan, const struct read_key *k, struct slice v)
{
    return !v.p || val_type(v) == attr_of(plan, k)->type;
}

bool reads_types_fit(const struct reads *plan)
{
    for (const struct read_branch *b = plan->first; b; b = b->next) {
        for (const struct read_key *k = b->keys; k; k = k->next) {
            if (!value_fits(plan, k, k->values[0]) || !value_fits(plan, k, k->values[1])) return false;
        }
    }
    return true;
}

static int check_type(const struct reads *plan, const struct read_key *k, struct slice v, struct err *e)
{
    if (value_fits(plan, k, v)) return 0;
    enum val_type type = val_type(v);
    struct slice name = attr_of(plan, k)->name;
    if (type != TYPE_S && type != TYPE_N && type != TYPE_B) {
        return err_set(e, ERR_ValidationException, "Key value must be of type S, N, or B. Key name: %.*s, Key type: %s",
                       SLICE_ARG(name), val_type_name(type));
    }
    return err_set(e, ERR_ValidationException,
                   "Key attribute's data type should match its data type in table's schema: Key %.*s", SLICE_ARG(name));
}

int reads_check_types(const struct reads *plan, struct err *e)
{
    for (const struct read_branch *b = plan->first; b; b = b->next) {
        for (const struct read_key *k = b->keys; k; k = k->next) {
            int code = check_type(plan, k, k->values[0], e);
            if (!code) code = check_type(plan, k, k->values[1], e);
            if (code) return code;
        }
    }
    return 0;
}

/* ---- ranges ---- */

static enum key_op op_of(enum cond_kind kind)
{
    switch (kind) {
    case COND_LT: return KEY_LT;
    case COND_LE: return KEY_LE;
    case COND_GT: return KEY_GT;
    case COND_GE: return KEY_GE;
    case COND_BETWEEN: return KEY_BETWEEN;
    case COND_BEGINS_WITH: return KEY_BEGINS_WITH;
    default: return KEY_EQ;
    }
}

static void narrow(struct store_range *r, const struct store_range *by)
{
    if (slice_cmp(by->from, r->from) > 0) r->from = by->from;
    if (by->to.n && (!r->to.n || slice_cmp(by->to, r->to) < 0)) r->to = by->to;
}

static bool is_empty(const struct store_range *r)
{
    return r->to.n && slice_cmp(r->from, r->to) >= 0;
}

static int branch_range(struct call *call, const struct page *page, const struct reads *plan, struct read_branch *b)
{
    struct key_query q = { .hash = { b->hash }, .op = KEY_NONE };
    int code = ranged_check_key_values(call, page, &q);
    if (code) return code;
    range_of_query(call->arena, page->table, page->index, &q, &b->range);
    b->one_row = !page->index && !plan->key->n_range;
    for (const struct read_key *k = b->keys; k; k = k->next) {
        struct key_query one = q;
        struct store_range range = { 0 };
        if (k->hash) continue;
        if (k->kind == COND_EQ) {
            one.range_eq[one.n_range_eq++] = k->values[0];
            b->one_row = !page->index;
        } else {
            one.op = op_of(k->kind);
            one.lo = k->values[0];
            one.hi = k->values[1];
        }
        code = ranged_check_key_values(call, page, &one);
        if (code) return code;
        range_of_query(call->arena, page->table, page->index, &one, &range);
        narrow(&b->range, &range);
    }
    return 0;
}

/* By the partition's value, then by where the range begins. */
static int by_key(const void *x, const void *y)
{
    const struct read_branch *a = *(struct read_branch *const *)x, *b = *(struct read_branch *const *)y;
    int c = val_compare(a->hash, b->hash);
    return c ? c : slice_cmp(a->range.from, b->range.from);
}

int reads_ranges(struct call *call, const struct page *page, struct reads *plan)
{
    if (!plan->keyed) return 0;
    if (plan->too_many || plan->n > READS_MAX) {
        return err_set(&call->err, ERR_ValidationException, "Too many decomposed read operations for a given query.");
    }
    plan->reads = ARENA_ARRAY(call->arena, struct read_branch *, plan->n);
    for (struct read_branch *b = plan->first; b; b = b->next) {
        int code = branch_range(call, page, plan, b);
        if (code) return code;
        plan->reads[plan->n_reads++] = b;
    }
    if (plan->n_reads > 1) qsort(plan->reads, plan->n_reads, sizeof *plan->reads, by_key);
    size_t kept = 0;
    for (size_t i = 0; i < plan->n_reads; i++) {
        struct read_branch *b = plan->reads[i];
        plan->n_partitions += !i || !val_equal(b->hash, plan->reads[i - 1]->hash);
        if (is_empty(&b->range)) continue;
        /* In this order two that overlap are neighbours: the one before reaches furthest of all that begin earlier, or it had
         * been refused. */
        const struct read_branch *before = kept ? plan->reads[kept - 1] : NULL;
        if (before && val_equal(before->hash, b->hash) &&
            (!before->range.to.n || slice_cmp(b->range.from, before->range.to) < 0)) {
            return err_set(&call->err, ERR_ValidationException,
                           "Overlapping conditions with range keys are not supported in where clause");
        }
        plan->reads[kept++] = b;
    }
    plan->n_reads = kept;
    return 0;
}
