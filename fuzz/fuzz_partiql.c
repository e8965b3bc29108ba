/* fuzz_partiql.c: any bytes as a PartiQL statement must give an error with words or a statement whose parts can be used; nothing may crash, leak
 * or run away. */
#include "expr/partiql.h"
#include "fuzz.h"
#include <stdio.h>

static const char item_json[] = "{\"a\":{\"S\":\"b\"},\"b\":{\"N\":\"5\"},\"l\":{\"L\":[{\"N\":\"1\"},{\"M\":{\"k\":{\"N\":\"1\"}}}]},"
                                "\"m\":{\"M\":{\"a\":{\"M\":{\"b\":{\"L\":[]}}},\"k\":{\"N\":\"1\"}}},\"n\":{\"NS\":[\"1\"]},"
                                "\"s\":{\"SS\":[\"a\"]},\"t\":{\"BOOL\":true},\"z\":{\"NULL\":true}}";
static const char params_json[] = "[{\"S\":\"b\"},{\"N\":\"1\"},{\"SS\":[\"a\",\"b\"]},{\"L\":[{\"N\":\"1\"}]},{\"M\":{\"a\":{\"S\":\"x\"}}}]";

static void must(bool fine, const char *what)
{
    if (fine) return;
    fprintf(stderr, "fuzz_partiql: %s\n", what);
    abort();
}

static void check_item(struct slice item)
{
    must(val_check(item) && val_type(item) == TYPE_M, "the result is no item");
}

static bool any(struct slice name, void *ctx)
{
    (void)ctx;
    return name.p != NULL;
}

static void use(struct arena *a, const struct partiql *p, struct slice item)
{
    struct err e = { .arena = a };
    struct slice out, *names;
    if (p->where) {
        cond_eval(p->where, item);
        cond_eval(p->where, slice_of(NULL, 0));
        must(cond_each_name(p->where, any, NULL) && cond_each_nested(p->where, any, NULL), "a path without a name");
        cond_operands(p->where);
    }
    if (p->columns) {
        check_item(projection_apply(p->columns, a, item));
        must(projection_names(p->columns, a, &names) > 0, "columns without a name");
    }
    if (p->kind == PARTIQL_INSERT) check_item(p->item);
    if (!p->update) return;
    check_item(update_touched(p->update, a, item));
    int rc = update_apply(p->update, a, item, &out, &e);
    must(rc == (int)e.code && (!rc || e.message.n), "an error without words");
    if (!rc) check_item(out);
}

static void run(struct arena *a, struct slice text)
{
    struct err e = { .arena = a };
    struct slice item, params[8];
    size_t n = 0;
    struct partiql *p = NULL;
    must(!item_from_json(a, json_parse(a, slice_str(item_json), 20, NULL), &item, &e), "no item");
    for (const struct json *v = json_parse(a, slice_str(params_json), 20, NULL)->first; v; v = v->next) {
        must(!val_from_json(a, v, &params[n++], &e), "no parameter");
    }
    int rc = partiql_parse(a, text, params, n, &p, &e);
    must(rc == (int)e.code && (!rc || e.message.n), "an error without words");
    if (rc) return;
    must(p->table.n > 0, "a statement without a table");
    must(!p->fault.code || p->fault.message.n, "a fault without words");
    if (!p->fault.code) use(a, p, item);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FUZZ_ARENA(a, (size_t)64 << 20);
    if (size > 8192 || !utf8_valid(slice_of(data, size))) return 0; /* a statement comes in JSON, which has seen to both */
    if (ARENA_GUARD(a)) {
        uint8_t *copy = arena_bytes(a, size);
        if (size) memcpy(copy, data, size);
        run(a, slice_of(copy, size));
    } else {
        must(false, "a statement needs 64 MB");
    }
    arena_unguard(a);
    return 0;
}
