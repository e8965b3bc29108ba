/* ranged.c: the parameters that Query and Scan share. */
#include "ranged.h"
#include "../base/slices.h"

/* Query counts these errors, Scan does not. */
static int refuse_select(struct call *call, const struct ranged *r, struct slice text)
{
    return err_set(&call->err, ERR_ValidationException, "%s%.*s",
                   r->is_query ? "1 validation error detected: " : "", SLICE_ARG(text));
}

static enum select select_of(struct slice text)
{
    if (slice_eq(text, SLICE("ALL_ATTRIBUTES"))) return SELECT_ALL;
    if (slice_eq(text, SLICE("ALL_PROJECTED_ATTRIBUTES"))) return SELECT_ALL_PROJECTED;
    if (slice_eq(text, SLICE("SPECIFIC_ATTRIBUTES"))) return SELECT_SPECIFIC;
    if (slice_eq(text, SLICE("COUNT"))) return SELECT_COUNT;
    return SELECT_DEFAULT;
}

int ranged_select(struct call *call, struct ranged *r)
{
    const struct json *req = call->request;
    struct slice text = param_string(req, SLICE("Select"));
    const char *projection = NULL;
    if (param_present(req, SLICE("AttributesToGet"))) projection = "AttributesToGet";
    if (param_present(req, SLICE("ProjectionExpression"))) projection = "ProjectionExpression";

    r->select = select_of(text);
    if (r->select == SELECT_DEFAULT) return 0;
    if (r->select == SELECT_SPECIFIC) {
        if (projection) return 0;
        return refuse_select(call, r,
                             SLICE("Must specify the AttributesToGet or ProjectionExpression when "
                                   "choosing to get SPECIFIC_ATTRIBUTES"));
    }
    if (projection) {
        struct slice what = r->select == SELECT_COUNT ? SLICE("only the Count") : text;
        return refuse_select(call, r,
                             arena_printf(call->arena,
                                          "Cannot specify the %s when choosing to get %.*s",
                                          projection, SLICE_ARG(what)));
    }
    if (r->select == SELECT_ALL_PROJECTED && !param_present(req, SLICE("IndexName"))) {
        /* The word is "Querying" for a Scan, too. */
        return refuse_select(
            call, r,
            SLICE("ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName"));
    }
    return 0;
}

int ranged_legacy_filter(struct call *call, struct ranged *r, const char *what)
{
    const struct json *filter = json_get(call->request, slice_str(what));
    if (filter && filter->type != JSON_OBJECT) filter = NULL;
    int code = request_check_conditional_operator(call, call->request, filter);
    if (code || !filter) return code;
    r->filter_name = what;
    return legacy_filter(call->arena, what, filter,
                         param_string(call->request, SLICE("ConditionalOperator")), &r->filter,
                         &call->err);
}

int ranged_attributes_to_get(struct call *call, struct ranged *r)
{
    return request_attributes_to_get(call, call->request, &r->projection);
}

/* Faults of numbers and sets are told as they are, the others with the parameter they are in. */
static bool told_bare(struct slice message)
{
    static const char *const marks[] = { "contains duplicates", "number set", "numeric value",
                                         "significant digits", "number with magnitude" };
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        if (memmem(message.p, message.n, marks[i], strlen(marks[i]))) return true;
    }
    return false;
}

int ranged_start_values(struct call *call, struct ranged *r)
{
    const struct json *node = JSON_GET(call->request, "ExclusiveStartKey");
    r->has_start = node && node->type != JSON_NULL;
    if (!r->has_start) return 0;
    int code = item_from_json(call->arena, node, &r->start, &call->err);
    if (code == ERR_ValidationException && !told_bare(call->err.message)) {
        struct slice message = call->err.message;
        err_set(&call->err, code, "The provided starting key is invalid: %.*s", SLICE_ARG(message));
    }
    return code;
}

int ranged_expressions(struct call *call, struct ranged *r, struct cond **key_condition)
{
    struct expr_env env;
    const struct json *req = call->request;
    int code = request_env(call, req, &env);
    if (!code && key_condition) {
        code = request_condition(call, req, "KeyConditionExpression", &env, key_condition);
    }
    if (!code && param_present(req, SLICE("FilterExpression"))) {
        r->filter_name = "Filter Expression";
        code = request_condition(call, req, "FilterExpression", &env, &r->filter);
    }
    if (!code && param_present(req, SLICE("ProjectionExpression"))) {
        code = request_projection(call, req, &env, &r->projection);
    }
    if (!code) code = expr_env_check_unused(&env, &call->err);
    return code;
}

int ranged_find_index(const struct table *t, struct slice name, bool consistent,
                      const struct index **out, struct err *e)
{
    const struct index *ix = *out = table_index(t, name);
    if (!ix || ix->status == INDEX_DELETING) {
        return err_set(e, ERR_ValidationException,
                       "The table does not have the specified index: %.*s", SLICE_ARG(name));
    }
    if (ix->kind == INDEX_GLOBAL && consistent) {
        return err_set(e, ERR_ValidationException,
                       "Consistent reads are not supported on global secondary indexes");
    }
    if (ix->status == INDEX_CREATING) {
        return err_set(e, ERR_ValidationException,
                       "Cannot read from backfilling global secondary index: %.*s",
                       SLICE_ARG(name));
    }
    return 0;
}

int ranged_bind(struct call *call, struct ranged *r)
{
    const struct json *req = call->request;
    struct slice name = param_string(req, SLICE("TableName"));
    struct page *p = &r->page;
    *p = (struct page){
        .consistent = param_bool(req, SLICE("ConsistentRead"), false),
        .count_only = r->select == SELECT_COUNT,
        .filter = r->filter,
        .projection = r->projection,
    };
    int64_t limit;
    if (param_int(req, SLICE("Limit"), &limit)) p->limit = (uint64_t)limit;
    int code = call_find_table(call, name, &p->table);
    if (code) return code;
    if (!slice_eq(name, p->table->name)) p->usage.name = name; /* an ARN: answered in kind */
    if (!param_present(req, SLICE("IndexName"))) return 0;
    return ranged_find_index(p->table, param_string(req, SLICE("IndexName")), p->consistent,
                             &p->index, &call->err);
}

/* ---- values of keys ---- */

static bool is_empty(struct slice v)
{
    return val_type(v) != TYPE_N && val_content(v).n == 0;
}

/* A value that no key can have is refused, not searched for. */
static int check_value(struct call *call, const struct page *p, const struct key_attr *attr,
                       bool hash, struct slice v)
{
    const char *kind = attr->type == TYPE_B ? "binary" : "string";
    if (is_empty(v) && p->index) {
        return err_set(
            &call->err, ERR_ValidationException,
            "One or more parameter values are not valid. A value specified for a "
            "secondary index key is not supported. The AttributeValue for a key attribute "
            "cannot contain an empty %s value. IndexName: %.*s, IndexKey: %.*s",
            kind, SLICE_ARG(p->index->name), SLICE_ARG(attr->name));
    }
    if (is_empty(v)) {
        return err_set(&call->err, ERR_ValidationException,
                       "One or more parameter values are not valid. The AttributeValue for a key "
                       "attribute cannot contain an empty %s value. Key: %.*s",
                       kind, SLICE_ARG(attr->name));
    }
    return key_check_length(v, hash, &call->err);
}

int ranged_check_key_values(struct call *call, const struct page *p, const struct key_query *kq)
{
    const struct key_schema *k = p->index ? &p->index->key : &p->table->key;
    int code = 0;
    for (size_t i = 0; !code && i < k->n_hash; i++) {
        code = check_value(call, p, &k->hash[i], true, kq->hash[i]);
    }
    for (size_t i = 0; !code && i < kq->n_range_eq; i++) {
        code = check_value(call, p, &k->range[i], false, kq->range_eq[i]);
    }
    if (!code && kq->op != KEY_NONE) {
        code = check_value(call, p, &k->range[kq->n_range_eq], false, kq->lo);
    }
    if (!code && kq->op == KEY_BETWEEN) {
        code = check_value(call, p, &k->range[kq->n_range_eq], false, kq->hi);
    }
    return code;
}

/* ---- which attributes ---- */

static bool index_projects(const struct page *p, struct slice name)
{
    const struct index *ix = p->index;
    if (ix->projection == PROJECT_ALL || key_schema_has(&ix->key, name) ||
        key_schema_has(&p->table->key, name)) {
        return true;
    }
    for (size_t i = 0; i < ix->n_include; i++) {
        if (slice_eq(ix->include[i], name)) return true;
    }
    return false;
}

struct slice ranged_not_projected(struct call *call, const struct page *p, const struct slice *names, size_t n)
{
    struct buf b;
    buf_init(&b, call->arena, SIZE_MAX / 4);
    for (size_t i = 0; i < n; i++) {
        if (index_projects(p, names[i])) continue;
        if (b.n) BUF_LIT(&b, ", ");
        buf_slice(&b, names[i]);
    }
    return buf_view(&b);
}

int ranged_check_select(struct call *call, struct ranged *r)
{
    struct page *p = &r->page;
    if (!p->index || p->index->projection == PROJECT_ALL || r->select != SELECT_ALL) return 0;
    p->fetch = p->index->kind == INDEX_LOCAL;
    if (p->fetch) return 0;
    return err_set(
        &call->err, ERR_ValidationException,
        "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not "
        "supported for global secondary index %.*s because its projection type is not ALL",
        SLICE_ARG(p->index->name));
}

int ranged_check_projection(struct call *call, struct ranged *r)
{
    struct page *p = &r->page;
    if (!p->index || !r->projection || p->index->projection == PROJECT_ALL) return 0;
    struct slice *names;
    size_t n = projection_names(r->projection, call->arena, &names);
    struct slice missing = ranged_not_projected(call, p, names, n);
    if (!missing.n) return 0;
    p->fetch = p->index->kind == INDEX_LOCAL;
    if (p->fetch) return 0;
    return err_set(
        &call->err, ERR_ValidationException,
        "One or more parameter values were invalid: Global secondary index %.*s does not "
        "project [%.*s]",
        SLICE_ARG(p->index->name), SLICE_ARG(missing));
}

/* The names a filter reads, as often as it does. */
struct names {
    struct slice *at;
    size_t n, cap;
    struct arena *arena;
};

static bool collect_name(struct slice name, void *ctx)
{
    struct names *names = ctx;
    if (names->n == names->cap) {
        size_t cap = names->cap ? names->cap * 2 : 16;
        struct slice *grown = ARENA_ARRAY(names->arena, struct slice, cap);
        if (names->n) memcpy(grown, names->at, names->n * sizeof *grown);
        names->at = grown;
        names->cap = cap;
    }
    names->at[names->n++] = name;
    return true;
}

size_t ranged_filter_names(struct arena *a, const struct cond *filter, struct slice **out)
{
    struct names names = { .arena = a };
    cond_each_name(filter, collect_name, &names);
    *out = names.at;
    return slices_sort_unique(names.at, names.n);
}

int ranged_refuse_filter(struct call *call, const struct page *p, struct slice missing)
{
    return err_set(
        &call->err, ERR_ValidationException,
        "One or more parameter values were invalid: Secondary index %.*s does not project "
        "one or more filter attributes: [%.*s]",
        SLICE_ARG(p->index->name), SLICE_ARG(missing));
}

static int refuse_key_in_filter(struct call *call, const struct ranged *r, struct slice name)
{
    return err_set(&call->err, ERR_ValidationException,
                   "%s can only contain non-primary key attributes: Primary key attribute: %.*s",
                   r->filter_name, SLICE_ARG(name));
}

/* Query: a key belongs in the key condition, and an index must hold what it filters on. A Scan's
 * filter may name anything; what an index does not hold is not there. */
static int check_query_filter(struct call *call, const struct ranged *r)
{
    const struct page *p = &r->page;
    const struct key_schema *key = p->index ? &p->index->key : &p->table->key;
    struct slice *names;
    size_t n_names = ranged_filter_names(call->arena, r->filter, &names);
    const struct key_attr *const parts[2] = { key->hash, key->range };
    const size_t counts[2] = { key->n_hash, key->n_range };
    for (int part = 0; part < 2; part++) {
        for (size_t k = 0; k < counts[part]; k++) {
            for (size_t i = 0; i < n_names; i++) {
                if (slice_eq(names[i], parts[part][k].name)) {
                    return refuse_key_in_filter(call, r, names[i]);
                }
            }
        }
    }
    if (!p->index) return 0;
    struct slice missing = ranged_not_projected(call, p, names, n_names);
    return missing.n ? ranged_refuse_filter(call, p, missing) : 0;
}

int ranged_check_attributes(struct call *call, struct ranged *r)
{
    int code = request_check_key_paths(call, r->page.table, r->projection, NULL, NULL);
    if (!code && r->is_query && r->filter) code = check_query_filter(call, r);
    if (!code && r->is_query) code = ranged_check_select(call, r);
    if (!code) code = ranged_check_projection(call, r);
    if (!code) code = request_check_key_paths(call, r->page.table, NULL, r->filter, NULL);
    return code;
}
