/* request.c: expressions, placeholders and legacy parameters, as requests carry them. */
#include "request.h"
#include "../base/slices.h"

#define S(lit) { (const uint8_t *)(lit), sizeof(lit) - 1 }
#define LIST(...) ((const struct slice[]){ __VA_ARGS__, { NULL, 0 } })

const struct request_style REQUEST_CONDITION = {
    .legacy = LIST(S("Expected"), S("ConditionalOperator")),
    .expressions = LIST(S("ConditionExpression")),
};
const struct request_style REQUEST_UPDATE = {
    .legacy = LIST(S("AttributeUpdates"), S("Expected"), S("ConditionalOperator")),
    .expressions = LIST(S("UpdateExpression"), S("ConditionExpression")),
};
const struct request_style REQUEST_PROJECTION = {
    .legacy = LIST(S("AttributesToGet")),
    .expressions = LIST(S("ProjectionExpression")),
};
const struct request_style REQUEST_QUERY = {
    .legacy = LIST(S("AttributesToGet"), S("QueryFilter"), S("ConditionalOperator"), S("KeyConditions")),
    .expressions = LIST(S("ProjectionExpression"), S("FilterExpression"), S("KeyConditionExpression")),
    .bare = true,
};
const struct request_style REQUEST_SCAN = {
    .legacy = LIST(S("AttributesToGet"), S("ScanFilter"), S("ConditionalOperator")),
    .expressions = LIST(S("ProjectionExpression"), S("FilterExpression")),
};

static bool has(const struct json *obj, struct slice name)
{
    return param_present(obj, name);
}

/* "A, B" of those names that are wanted. */
static struct slice join(struct arena *a, const struct json *obj, const struct slice names[],
                         bool (*want)(const struct json *, struct slice), const char *glue)
{
    struct buf b;
    buf_init(&b, a, 4096);
    for (size_t i = 0; names[i].n; i++) {
        if (!want(obj, names[i])) continue;
        if (b.n) buf_slice(&b, slice_str(glue));
        buf_slice(&b, names[i]);
    }
    return buf_view(&b);
}

/* KeyConditions may stand beside a FilterExpression, though not beside a KeyConditionExpression. */
static bool clashes(const struct json *obj, struct slice name)
{
    if (slice_eq(name, SLICE("KeyConditions")) && !has(obj, SLICE("KeyConditionExpression"))) return false;
    return has(obj, name);
}

static bool takes_values(const struct json *obj, struct slice name)
{
    (void)obj;
    return !slice_eq(name, SLICE("ProjectionExpression"));
}

/* ExpressionAttributeValues without an expression that could use them. */
static int refuse_values(struct call *call, const struct json *obj,
                         const struct request_style *style)
{
    const char *text = "ExpressionAttributeValues can only be specified when using expressions";
    struct slice all = join(call->arena, obj, style->expressions, takes_values, " and ");
    if (style->bare || !all.n) {
        return err_set(&call->err, ERR_ValidationException, "%s", text);
    }
    return err_set(&call->err, ERR_ValidationException, "%s: %.*s %s null", text, SLICE_ARG(all),
                   memmem(all.p, all.n, " and ", 5) ? "are" : "is");
}

/* Which of a style's parameters a request has: a bit for each place in its lists. */
struct present {
    unsigned legacy, expressions;
    bool names, values;
};

static unsigned bit_of(const struct slice names[], struct slice name)
{
    for (size_t i = 0; names[i].n; i++) {
        if (slice_eq(names[i], name)) return 1u << i;
    }
    return 0;
}

/* In one look at each member; of one that is repeated the last counts, and null is absent. */
static struct present present_in(const struct json *obj, const struct request_style *style)
{
    struct present p = { 0 };
    for (const struct json *m = obj->first; m; m = m->next) {
        bool there = m->type != JSON_NULL;
        unsigned legacy = bit_of(style->legacy, m->name), expression = bit_of(style->expressions, m->name);
        p.legacy = there ? p.legacy | legacy : p.legacy & ~legacy;
        p.expressions = there ? p.expressions | expression : p.expressions & ~expression;
        if (slice_eq(m->name, SLICE("ExpressionAttributeNames"))) p.names = there;
        if (slice_eq(m->name, SLICE("ExpressionAttributeValues"))) p.values = there;
    }
    return p;
}

int request_check_mixing(struct call *call, const struct json *obj,
                         const struct request_style *style)
{
    struct present p = present_in(obj, style);
    struct slice legacy = slice_of(NULL, 0);
    if (p.expressions && p.legacy) legacy = join(call->arena, obj, style->legacy, clashes, ", ");
    if (legacy.n) {
        struct slice present = join(call->arena, obj, style->expressions, has, ", ");
        return err_set(&call->err, ERR_ValidationException,
                       "Can not use both expression and non-expression parameters in the same "
                       "request: Non-expression parameters: {%.*s} Expression parameters: {%.*s}",
                       SLICE_ARG(legacy), SLICE_ARG(present));
    }
    if (p.names && !p.expressions) {
        return err_set(&call->err, ERR_ValidationException,
                       "ExpressionAttributeNames can only be specified when using expressions");
    }
    unsigned users = p.expressions & ~bit_of(style->expressions, SLICE("ProjectionExpression"));
    return p.values && !users ? refuse_values(call, obj, style) : 0;
}

int request_check_conditional_operator(struct call *call, const struct json *obj,
                                       const struct json *conditions)
{
    if (!has(obj, SLICE("ConditionalOperator"))) return 0;
    if (!conditions || conditions->count == 0) {
        return err_set(&call->err, ERR_ValidationException,
                       "ConditionalOperator cannot be used without Filter or Expected");
    }
    if (conditions->count == 1) {
        return err_set(
            &call->err, ERR_ValidationException,
            "ConditionalOperator can only be used when Filter or Expected has two or more "
            "elements");
    }
    return 0;
}

/* A member given as null counts as absent. */
static const struct json *member(const struct json *obj, struct slice name)
{
    const struct json *node = json_get(obj, name);
    return node && node->type != JSON_NULL ? node : NULL;
}

int request_env(struct call *call, const struct json *obj, struct expr_env *env)
{
    return expr_env_init(env, call->arena, member(obj, SLICE("ExpressionAttributeNames")),
                         member(obj, SLICE("ExpressionAttributeValues")), &call->err);
}

int request_condition(struct call *call, const struct json *obj, const char *what,
                      struct expr_env *env, struct cond **out)
{
    *out = NULL;
    const struct json *node = member(obj, slice_str(what));
    return node ? cond_parse(env, what, node->text, out, &call->err) : 0;
}

int request_projection(struct call *call, const struct json *obj, struct expr_env *env,
                       struct projection **out)
{
    *out = NULL;
    const struct json *node = member(obj, SLICE("ProjectionExpression"));
    return node ? projection_parse(env, node->text, out, &call->err) : 0;
}

int request_attributes_to_get(struct call *call, const struct json *obj, struct projection **out)
{
    *out = NULL;
    const struct json *list = member(obj, SLICE("AttributesToGet"));
    if (!list) return 0;
    struct slice *names = ARENA_ARRAY(call->arena, struct slice, list->count);
    size_t n = 0;
    for (const struct json *c = list->first; c; c = c->next)
        names[n++] = c->text;
    size_t repeat = slices_first_repeat(call->arena, names, n);
    for (size_t i = 0; i < n; i++) {
        int code = attr_name_check(names[i], &call->err);
        if (code) return code;
        if (i != repeat) continue;
        return err_set(&call->err, ERR_ValidationException,
                       "One or more parameter values were invalid: Duplicate value in attribute "
                       "name: %.*s",
                       SLICE_ARG(names[i]));
    }
    *out = projection_from_names(call->arena, names, n);
    return 0;
}

int request_item(struct call *call, const struct json *obj, struct slice name, struct slice *out)
{
    *out = slice_of(NULL, 0);
    const struct json *node = member(obj, name);
    return node ? item_from_json(call->arena, node, out, &call->err) : 0;
}

int request_read_projection(struct call *call, const struct json *obj, struct projection **out)
{
    int code = request_attributes_to_get(call, obj, out);
    return code || *out ? code : request_only_projection(call, obj, out);
}

int request_only_projection(struct call *call, const struct json *obj, struct projection **out)
{
    struct expr_env env;
    int code = request_env(call, obj, &env);
    if (!code) code = request_projection(call, obj, &env, out);
    if (!code && *out) code = expr_env_check_unused(&env, &call->err);
    return code;
}

struct key_path_check {
    struct call *call;
    const struct table *table;
};

static void refuse_key_path(struct call *call, const char *kind, struct slice name)
{
    err_set(&call->err, ERR_ValidationException,
            "Key attributes must be scalars; list random access '[]' and map lookup '.' are not "
            "allowed: %s: %.*s",
            kind, SLICE_ARG(name));
}

static bool is_no_key(struct slice name, void *ctx)
{
    const struct key_path_check *check = ctx;
    const struct table *t = check->table;
    if (key_schema_has(&t->key, name)) {
        refuse_key_path(check->call, "Key", name);
        return false;
    }
    for (size_t i = 0; i < t->n_indexes; i++) {
        if (!key_schema_has(&t->indexes[i].key, name)) continue;
        refuse_key_path(check->call, "IndexKey", name);
        return false;
    }
    return true;
}

int request_check_key_paths(struct call *call, const struct table *t, const struct projection *p,
                            const struct cond *c, const struct update *u)
{
    struct key_path_check check = { call, t };
    bool good = (!p || projection_each_nested(p, is_no_key, &check)) &&
                (!c || cond_each_nested(c, is_no_key, &check)) &&
                (!u || update_each_nested(u, is_no_key, &check));
    return good ? 0 : (int)call->err.code;
}

void request_echo(struct buf *b, const struct json *node)
{
    bool object = node->type == JSON_OBJECT;
    switch (node->type) {
    case JSON_NULL:
        BUF_LIT(b, "null");
        return;
    case JSON_FALSE:
        BUF_LIT(b, "false");
        return;
    case JSON_TRUE:
        BUF_LIT(b, "true");
        return;
    case JSON_NUMBER:
        buf_slice(b, node->text);
        return;
    case JSON_STRING:
        json_put_string(b, node->text);
        return;
    case JSON_ENCODED:
        val_to_json(b, node->text);
        return;
    case JSON_ARRAY:
    case JSON_OBJECT:
        break;
    }
    buf_u8(b, object ? '{' : '[');
    for (const struct json *c = node->first; c; c = c->next) {
        if (c != node->first) buf_u8(b, ',');
        if (object) {
            json_put_string(b, c->name);
            buf_u8(b, ':');
        }
        request_echo(b, c);
    }
    buf_u8(b, object ? '}' : ']');
}
