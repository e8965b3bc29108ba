/* tables.c: a model's table made and filled from the page, ApplyModel and LoadSample; and for a table that has no model, the bare one
 * that its description gives (ReadModel with Table), so that it can be browsed and designed on. */
#include "operations.h"

/* By the report of apply, which goes with the call: the log is written later. */
static struct slice table_changed(struct arena *a, struct slice report)
{
    const struct json *said = json_parse(a, report, STUDIO_DEPTH, NULL), *plan = said ? JSON_GET(said, "plan") : NULL;
    for (const struct json *step = plan ? plan->first : NULL; step; step = step->next) {
        const struct json *status = JSON_GET(step, "status");
        if (status && slice_eq(status->text, SLICE("done"))) return arena_dup(a, JSON_GET(said, "table")->text);
    }
    return slice_of(NULL, 0);
}

int apply_model(struct studio_call *c)
{
    of_model *model;
    of_apply_options o = { 0 };
    of_answer *report;
    int rc = call_bool(c, "DryRun", &o.dry_run);
    if (!rc) rc = call_model(c, &model);
    if (rc) return rc;
    if (of_model_apply(model, c->studio->o.db, &o, &report, &c->of)) return call_failed(c);
    struct slice json = call_keep(c, report);
    c->changed = table_changed(c->arena, json);
    buf_slice(&c->out, json);
    return 0;
}

int load_sample(struct studio_call *c)
{
    of_model *model;
    of_answer *report;
    int rc = call_model(c, &model);
    if (rc) return rc;
    if (of_model_load_sample(model, c->studio->o.db, &report, &c->of)) return call_failed(c);
    call_put(c, NULL, report);
    return 0;
}

/* ---- the bare model ---- */

static const char *type_of(const struct json *table, struct slice attribute)
{
    const struct json *list = JSON_GET(table, "AttributeDefinitions");
    for (const struct json *d = list ? list->first : NULL; d; d = d->next) {
        const struct json *name = JSON_GET(d, "AttributeName"), *type = JSON_GET(d, "AttributeType");
        if (!name || !type || !slice_eq(name->text, attribute)) continue;
        return slice_eq(type->text, SLICE("N")) ? "number" : slice_eq(type->text, SLICE("B")) ? "binary" : "string";
    }
    return "string";
}

/* Names stand in quotes: YAML would read some of them as something else, and JSON's strings are YAML's too. */
static void put_side(struct buf *b, const struct json *table, const struct json *schema, const char *kind, const char *name)
{
    size_t n = 0;
    for (const struct json *k = schema->first; k; k = k->next) {
        const struct json *type = JSON_GET(k, "KeyType");
        n += type && slice_eq(type->text, slice_str(kind));
    }
    if (!n) return;
    size_t i = 0;
    buf_printf(b, "%s%s: %s", b->p[b->n - 1] == '{' ? " " : ", ", name, n > 1 ? "[" : "");
    for (const struct json *k = schema->first; k; k = k->next) {
        const struct json *type = JSON_GET(k, "KeyType"), *attribute = JSON_GET(k, "AttributeName");
        if (!type || !attribute || !slice_eq(type->text, slice_str(kind))) continue;
        buf_printf(b, "%s{ name: ", i++ ? ", " : "");
        json_put_string(b, attribute->text);
        buf_printf(b, ", type: %s }", type_of(table, attribute->text));
    }
    if (n > 1) buf_u8(b, ']');
}

static void put_projection(struct buf *b, const struct json *index)
{
    const struct json *projection = JSON_GET(index, "Projection"), *type = JSON_GET(projection, "ProjectionType");
    const struct json *list = JSON_GET(projection, "NonKeyAttributes");
    if (type && slice_eq(type->text, SLICE("KEYS_ONLY"))) BUF_LIT(b, ", project: keys");
    if (!type || !slice_eq(type->text, SLICE("INCLUDE")) || !list) return;
    BUF_LIT(b, ", project: ");
    json_put(b, list);
}

static void put_index(struct buf *b, const struct json *table, const struct json *index, bool local)
{
    const struct json *name = JSON_GET(index, "IndexName"), *schema = JSON_GET(index, "KeySchema");
    if (!name || !schema) return;
    BUF_LIT(b, "  ");
    json_put_string(b, name->text);
    BUF_LIT(b, ": {");
    if (local) BUF_LIT(b, " local: true");
    else put_side(b, table, schema, "HASH", "hash");
    put_side(b, table, schema, "RANGE", "sort");
    put_projection(b, index);
    BUF_LIT(b, " }\n");
}

static void put_model(struct buf *b, const struct json *table, struct slice name)
{
    const struct json *global = JSON_GET(table, "GlobalSecondaryIndexes"), *local = JSON_GET(table, "LocalSecondaryIndexes");
    BUF_LIT(b, "# The table as it is. Describe the entities in it, and take Item out.\nonefold: 1\ntable: ");
    json_put_string(b, name);
    BUF_LIT(b, "\nkeys: {");
    const struct json *schema = JSON_GET(table, "KeySchema");
    put_side(b, table, schema, "HASH", "hash");
    put_side(b, table, schema, "RANGE", "sort");
    BUF_LIT(b, " }\n");
    if (global || local) BUF_LIT(b, "indexes:\n");
    for (const struct json *i = global ? global->first : NULL; i; i = i->next) put_index(b, table, i, false);
    for (const struct json *i = local ? local->first : NULL; i; i = i->next) put_index(b, table, i, true);
    BUF_LIT(b, "entityAttribute: none\nentities:\n  Item:\n    about: Any item of the table.\n    open: true\n    attributes:\n");
    const struct json *list = JSON_GET(table, "AttributeDefinitions");
    for (const struct json *d = list ? list->first : NULL; d; d = d->next) {
        const struct json *attribute = JSON_GET(d, "AttributeName");
        if (!attribute) continue;
        BUF_LIT(b, "      ");
        json_put_string(b, attribute->text);
        buf_printf(b, ": { type: %s }\n", type_of(table, attribute->text));
    }
}

int read_table_model(struct studio_call *c, const char *name)
{
    of_answer *answer;
    struct buf request, text;
    buf_init(&request, c->arena, STUDIO_ANSWER_MAX); /* who sends a name that is far too long is told so */
    buf_init(&text, c->arena, (size_t)1 << 20);
    BUF_LIT(&request, "{\"TableName\":");
    json_put_string(&request, slice_str(name));
    buf_u8(&request, '}');
    if (of_call(c->studio->o.db, "DescribeTable", -1, (const char *)request.p, (ptrdiff_t)request.n, &answer, &c->of))
        return call_failed(c);
    struct slice body = call_keep(c, answer);
    const struct json *reply = json_parse(c->arena, body, 32, NULL);
    if (of_answer_status(answer) != 200) {
        const struct json *message = JSON_GET(reply, "message");
        return err_set(&c->err, ERR_ResourceNotFoundException, "%.*s", SLICE_ARG(message ? message->text : body));
    }
    put_model(&text, JSON_GET(reply, "Table"), slice_str(name));
    js_open(&c->out, NULL, '{');
    js_string(&c->out, "Name", slice_str(name));
    js_string(&c->out, "Text", buf_view(&text));
    js_open(&c->out, "Files", '{');
    js_close(&c->out, '}');
    js_close(&c->out, '}');
    return 0;
}
