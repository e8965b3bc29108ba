/* fuzz_expr.c: any bytes as an expression, or as a legacy parameter, must give an error or a result
 * that is a well-formed item; nothing may crash, leak or run away. The first byte chooses what the
 * rest is. */
#include "expr/expr.h"
#include "fuzz.h"
#include <stdio.h>

static const char names_json[] =
    "{\"#a\":\"a\",\"#b\":\"b\",\"#c\":\"c d\",\"#l\":\"l\",\"#m\":\"m\",\"#x\":\"[3]\"}";
static const char values_json[] =
    "{\":s\":{\"S\":\"b\"},\":n\":{\"N\":\"1\"},\":b\":{\"B\":\"YQ==\"},\":t\":{\"BOOL\":true},\":"
    "z\":"
    "{\"NULL\":true},\":l\":{\"L\":[{\"N\":\"1\"},{\"S\":\"x\"}]},\":m\":{\"M\":{\"k\":{\"N\":"
    "\"2\"}}},"
    "\":ss\":{\"SS\":[\"a\",\"b\"]},\":ns\":{\"NS\":[\"1\",\"2\"]},\":bs\":{\"BS\":[\"YQ==\"]}}";
static const char item_json[] =
    "{\"a\":{\"S\":\"b\"},\"b\":{\"N\":\"5\"},\"c "
    "d\":{\"B\":\"YQ==\"},\"l\":{\"L\":[{\"N\":\"1\"},{\"L\":["
    "{\"S\":\"y\"}]},{\"M\":{\"k\":{\"N\":\"1\"}}}]},\"m\":{\"M\":{\"a\":{\"M\":{\"b\":{\"L\":[]}}}"
    ",\"k\":"
    "{\"N\":\"1\"},\"s\":{\"SS\":[\"a\",\"z\"]}}},\"n\":{\"NS\":[\"1\"]},\"s\":{\"SS\":[\"a\"]}}";

static void must(bool fine, const char *what)
{
    if (fine) return;
    fprintf(stderr, "fuzz_expr: %s\n", what);
    abort();
}

/* An error must be said; a result must be whole. */
static void settled(int rc, const struct err *e)
{
    must(rc == (rc ? (int)e->code : 0), "the code returned is not the code set");
    must(!rc || e->message.n, "an error without words");
}

static void check_item(struct arena *a, struct slice item)
{
    must(val_check(item) && val_type(item) == TYPE_M, "the result is no item");
    struct buf b;
    struct slice again = { NULL, 0 };
    struct err e = { .arena = a };
    buf_init(&b, a, (size_t)8 << 20);
    item_to_json(&b, item);
    const struct json *node = json_parse(a, buf_view(&b), 200, NULL);
    must(node && item_from_json(a, node, &again, &e) == 0, "the result does not read back");
    must(val_equal(item, again), "the result is not canonical");
}

/* What expressions refer to: read once, since that takes longer than most inputs do. */
struct fixtures {
    struct expr_env env;
    struct slice item;
};

static const struct fixtures *fixtures(void)
{
    static struct arena kept;
    static struct fixtures f;
    struct err e = { .arena = &kept };
    if (f.item.n) return &f;
    arena_init(&kept, (size_t)1 << 20);
    must(!expr_env_init(&f.env, &kept, json_parse(&kept, slice_str(names_json), 9, NULL), json_parse(&kept, slice_str(values_json), 9, NULL), &e) &&
             !item_from_json(&kept, json_parse(&kept, slice_str(item_json), 20, NULL), &f.item, &e),
         "the fixtures do not read");
    return &f;
}

static struct expr_placeholder *unused(struct arena *a, const struct expr_placeholder *from, size_t n)
{
    struct expr_placeholder *to = ARENA_ARRAY(a, struct expr_placeholder, n);
    memcpy(to, from, n * sizeof *to);
    return to;
}

static bool any(struct slice name, void *ctx)
{
    (void)ctx;
    return name.n > 0;
}

static void apply(struct arena *a, const struct update *u, struct slice item)
{
    struct err e = { .arena = a };
    struct slice out, *names;
    update_names(u, a, &names);
    update_each_nested(u, any, NULL);
    update_type_of(u, SLICE("a"));
    check_item(a, update_touched(u, a, item));
    int rc = update_apply(u, a, item, &out, &e);
    settled(rc, &e);
    if (rc) return;
    check_item(a, out);
    check_item(a, update_touched(u, a, out));
}

static void evaluate(struct arena *a, const struct cond *c, struct slice item)
{
    struct key_schema schema = { .hash = { { SLICE("a"), TYPE_S }, { SLICE("s"), TYPE_S } },
                                 .range = { { SLICE("b"), TYPE_N }, { SLICE("l"), TYPE_S } } };
    cond_eval(c, item);
    cond_eval(c, slice_of(NULL, 0));
    cond_each_name(c, any, NULL);
    cond_each_nested(c, any, NULL);
    for (schema.n_hash = 1; schema.n_hash <= 2; schema.n_hash++)
        for (schema.n_range = 0; schema.n_range <= 2; schema.n_range++) {
            struct err e = { .arena = a };
            struct key_query q;
            settled(key_query_from_cond(c, &schema, a, &q, &e), &e);
        }
}

static void expressions(struct arena *a, char mode, struct slice text)
{
    struct err e = { .arena = a };
    struct expr_env env = fixtures()->env;
    struct slice item = fixtures()->item;
    int rc;
    env.arena = a;
    env.names = unused(a, env.names, env.n_names);
    env.values = unused(a, env.values, env.n_values);
    if (mode == 'u') {
        struct update *u;
        rc = update_parse(&env, text, &u, &e);
        if (!rc) apply(a, u, item);
    } else if (mode == 'p') {
        struct projection *p;
        struct slice *names;
        rc = projection_parse(&env, text, &p, &e);
        if (!rc) check_item(a, projection_apply(p, a, item));
        if (!rc) projection_names(p, a, &names);
        if (!rc) projection_each_nested(p, any, NULL);
    } else {
        struct cond *c;
        rc = cond_parse(&env, "ConditionExpression", text, &c, &e);
        if (!rc) evaluate(a, c, item);
    }
    settled(rc, &e);
    struct err unused = { .arena = a };
    settled(expr_env_check_unused(&env, &unused), &unused);
}

static void parameters(struct arena *a, char mode, struct slice text)
{
    struct err e = { .arena = a };
    struct cond *c = NULL;
    struct slice item = fixtures()->item;
    const struct json *node = json_parse(a, text, 100, NULL);
    if (!node) return;
    if (mode == 'U') {
        struct update *u;
        int rc = legacy_attribute_updates(a, node, &u, &e);
        settled(rc, &e);
        if (!rc) apply(a, u, item);
        return;
    }
    if (mode == 'V') {
        struct expr_env env;
        settled(expr_env_init(&env, a, JSON_GET(node, "n"), JSON_GET(node, "v"), &e), &e);
        return;
    }
    int rc = mode == 'K'   ? legacy_key_conditions(a, node, &c, &e)
             : mode == 'F' ? legacy_filter(a, "ScanFilter", node, SLICE("OR"), &c, &e)
                           : legacy_expected(a, node, slice_of(NULL, 0), &c, &e);
    settled(rc, &e);
    if (!rc && c) evaluate(a, c, item);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FUZZ_ARENA(a, (size_t)64 << 20);
    if (!size) return 0;
    struct slice text = slice_of(data + 1, size - 1);
    if (ARENA_GUARD(a)) {
        if (strchr("UVKFE", data[0]) && data[0])
            parameters(a, (char)data[0], text);
        else
            expressions(a, (char)data[0], text);
    }
    arena_unguard(a);
    return 0;
}
