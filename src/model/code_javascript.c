/* code_javascript.c: a pattern as an ES module for the AWS SDK for JavaScript 3. */
#include "code_impl.h"

static void put_name(struct buf *b, struct slice name)
{
    if (code_is_name(name)) buf_slice(b, name);
    else code_quoted(b, name);
}

/* A binary is base64 in JSON, and bytes for the SDK. */
static bool is_bytes(const struct json *value)
{
    return value->type == JSON_STRING && slice_eq(value->name, SLICE("B"));
}

static void put_value(struct buf *b, const struct json *value, bool typed)
{
    bool list = value->type == JSON_ARRAY;
    switch (value->type) {
    case JSON_STRING:
        if (typed && is_bytes(value)) BUF_LIT(b, "Buffer.from(");
        code_quoted(b, value->text);
        if (typed && is_bytes(value)) BUF_LIT(b, ", \"base64\")");
        return;
    case JSON_ARRAY:
    case JSON_OBJECT:
        buf_u8(b, list ? '[' : '{');
        for (const struct json *m = value->first; m; m = m->next) {
            buf_printf(b, "%s", m == value->first ? list ? "" : " " : ", ");
            if (!list) {
                put_name(b, m->name);
                BUF_LIT(b, ": ");
            }
            put_value(b, m, typed);
        }
        buf_printf(b, "%s", list ? "]" : " }");
        return;
    default: json_put(b, value);
    }
}

static bool is_typed(const struct json *member)
{
    return slice_eq(member->name, SLICE(CODE_VALUES)) || slice_eq(member->name, SLICE("Key"));
}

/* One member to a line; values: the text of ExpressionAttributeValues, NULL: the request's own. */
static void put_request(struct code *c, const struct json *request, const char *indent, const char *values)
{
    struct buf *b = c->out;
    BUF_LIT(b, "{\n");
    for (const struct json *m = request->first; m; m = m->next) {
        buf_printf(b, "%s  %.*s", indent, SLICE_ARG(m->name));
        if (values && slice_eq(m->name, SLICE(CODE_VALUES))) {
            buf_printf(b, ": %s,\n", values);
            continue;
        }
        BUF_LIT(b, ": ");
        put_value(b, m, is_typed(m));
        BUF_LIT(b, ",\n");
    }
    if (c->page) buf_printf(b, "%s  Limit: limit,\n", indent);
    buf_printf(b, "%s}", indent);
}

static void put_top(struct code *c)
{
    struct buf *b = c->out;
    code_header(c, "//");
    BUF_LIT(b, "// npm install @aws-sdk/client-dynamodb @aws-sdk/util-dynamodb\n");
    buf_printf(b, "import { DynamoDBClient, %s } from \"@aws-sdk/client-dynamodb\";\n",
               c->get ? "GetItemCommand" : "paginateQuery");
    BUF_LIT(b, "import { unmarshall } from \"@aws-sdk/util-dynamodb\";\n\n");
    if (c->endpoint.n) {
        BUF_LIT(b, "const endpoint = ");
        code_quoted(b, c->endpoint);
        BUF_LIT(b, ";\n");
    }
    BUF_LIT(b, "const region = \"us-east-1\";\n");
    if (c->limit) buf_printf(b, "const limit = %u;\n", c->limit);
    buf_printf(b, "\nconst client = new DynamoDBClient({ %sregion });\n\n", c->endpoint.n ? "endpoint, " : "");
}

static void put_print(struct code *c)
{
    BUF_LIT(c->out, "\n// As plain JSON: sets as arrays, binaries as base64.\n"
                    "function plain(name, value) {\n"
                    "  if (value instanceof Set) return [...value];\n"
                    "  return this[name] instanceof Uint8Array ? Buffer.from(this[name]).toString(\"base64\") : value;\n"
                    "}\n");
}

static void put_get(struct code *c)
{
    struct buf *b = c->out;
    BUF_LIT(b, "const { Item: item } = await client.send(new GetItemCommand(");
    put_request(c, c->requests[0], "", NULL);
    BUF_LIT(b, "));\nif (item) console.log(JSON.stringify(unmarshall(item), plain));\n");
    put_print(c);
}

/* ---- queries ---- */

static void put_requests(struct code *c)
{
    struct buf *b = c->out;
    if (c->n == 1) {
        BUF_LIT(b, "const request = ");
        put_request(c, c->requests[0], "", NULL);
        BUF_LIT(b, ";\n");
        return;
    }
    BUF_LIT(b, "const requests = [\n");
    for (size_t i = 0; i < c->n; i++) {
        BUF_LIT(b, "  ");
        if (c->uniform) put_value(b, JSON_GET(c->requests[i], CODE_VALUES), true);
        else put_request(c, c->requests[i], "  ", NULL);
        BUF_LIT(b, ",\n");
    }
    BUF_LIT(b, "]");
    if (c->n && c->uniform) {
        BUF_LIT(b, ".map((values) => (");
        put_request(c, c->requests[0], "", "values");
        BUF_LIT(b, "))");
    }
    BUF_LIT(b, ";\n");
}

static void put_attribute(struct buf *b, const char *item, const struct key_attribute *k, const char *type)
{
    if (code_is_name(k->name)) {
        buf_printf(b, "%s.%.*s.%s", item, SLICE_ARG(k->name), type);
        return;
    }
    buf_printf(b, "%s[", item);
    code_quoted(b, k->name);
    buf_printf(b, "].%s", type);
}

static void put_drop(struct code *c, const struct code_drop *d)
{
    struct buf *b = c->out;
    const char *type = val_type_name(d->attribute->type);
    if (d->attribute->type == TYPE_B) {
        BUF_LIT(b, "Buffer.compare(");
        put_attribute(b, "item", d->attribute, type);
        buf_printf(b, ", request." CODE_VALUES "[\"%.*s\"].B) !== 0", SLICE_ARG(d->value));
        return;
    }
    const char *before = d->attribute->type == TYPE_N ? "Number(" : "", *after = d->attribute->type == TYPE_N ? ")" : "";
    buf_printf(b, "%s", before);
    put_attribute(b, "item", d->attribute, type);
    buf_printf(b, "%s !== %srequest." CODE_VALUES "[\"%.*s\"].%s%s", after, before, SLICE_ARG(d->value), type, after);
}

static void put_shape(struct code *c, const struct code_shape *s)
{
    struct buf *b = c->out;
    const struct model_index *t = &c->model->indexes[0];
    const struct slice sides[2] = { s->hash, s->sort };
    bool any = false;
    for (size_t i = 0; i < 2; i++) {
        if (!sides[i].n) continue;
        buf_printf(b, "%snew RegExp(", any ? " && " : "");
        code_quoted(b, sides[i]);
        BUF_LIT(b, ").test(");
        put_attribute(b, "item", i ? &t->sort.attrs[0] : &t->hash.attrs[0], "S");
        BUF_LIT(b, ")");
        any = true;
    }
    if (!any) BUF_LIT(b, "true");
}

/* The conditions of `wanted`, joined. */
static void put_wanted(struct code *c)
{
    struct buf *b = c->out;
    if (!c->n_drops && !c->n_shapes) return;
    BUF_LIT(b, "\n");
    code_wanted_comments(c, "//");
    BUF_LIT(b, "function wanted(item, request) {\n"
               "  return ");
    for (size_t i = 0; i < c->n_drops; i++) {
        if (i) BUF_LIT(b, " && ");
        put_drop(c, &c->drops[i]);
    }
    if (c->n_drops && c->n_shapes) BUF_LIT(b, " && (");
    for (size_t i = 0; i < c->n_shapes; i++) {
        if (i) BUF_LIT(b, " || ");
        put_shape(c, &c->shapes[i]);
    }
    buf_printf(b, "%s;\n}\n", c->n_drops && c->n_shapes ? ")" : "");
}

static void put_read(struct code *c)
{
    struct buf *b = c->out;
    bool drops = c->n_drops || c->n_shapes;
    BUF_LIT(b, "\nasync function read(request) {\n"
               "  const items = [];\n"
               "  for await (const page of paginateQuery({ client }, request)) {\n");
    buf_printf(b, "    items.push(...page.Items%s);\n", drops ? ".filter((item) => wanted(item, request))" : "");
    if (c->limit) BUF_LIT(b, "    if (items.length >= limit) break;\n");
    buf_printf(b, "  }\n  return items%s;\n}\n\n", c->limit ? ".slice(0, limit)" : "");
}

static void put_key(struct code *c, size_t i)
{
    struct buf *b = c->out;
    const struct key_attribute *k = &c->order[i];
    buf_printf(b, "%s", k->type == TYPE_N ? "Number(" : "Buffer.from(");
    put_attribute(b, "item", k, val_type_name(k->type));
    if (c->stems && !i) BUF_LIT(b, ".slice(stem.length)");
    BUF_LIT(b, ")");
}

/* `key` and `compare` of what is sorted: items, or items with their stems. */
static void put_compare(struct code *c)
{
    struct buf *b = c->out;
    buf_printf(b, "%sconst key = (%s) => [", "// DynamoDB orders strings by their bytes, JavaScript would by UTF-16.\n",
               c->stems ? "{ item, stem }" : "item");
    for (size_t i = 0; i < c->n_order; i++) {
        if (i) BUF_LIT(b, ", ");
        put_key(c, i);
    }
    BUF_LIT(b, "];\nconst compare = (a, b) => ");
    for (size_t i = 0; i < c->n_order; i++) {
        if (i) BUF_LIT(b, " || ");
        buf_printf(b, c->order[i].type == TYPE_N ? "a[%zu] - b[%zu]" : "Buffer.compare(a[%zu], b[%zu])", i, i);
    }
    BUF_LIT(b, ";\n");
}

static void put_stems(struct code *c)
{
    struct buf *b = c->out;
    BUF_LIT(b, "// What each request's sort keys begin with, which is not compared.\nconst stems = [");
    for (size_t i = 0; i < c->n; i++) {
        if (i) BUF_LIT(b, ", ");
        code_quoted(b, c->stems[i]);
    }
    BUF_LIT(b, "];\n");
}

static void put_merge(struct code *c)
{
    struct buf *b = c->out;
    const char *pair = c->plan->descending ? "key(b), key(a)" : "key(a), key(b)";
    if (c->stems) put_stems(c);
    if (c->n_order) put_compare(c);
    BUF_LIT(b, "const streams = await Promise.all(requests.map(read));\nconst items = streams");
    if (c->stems) BUF_LIT(b, "\n  .flatMap((found, i) => found.map((item) => ({ item, stem: stems[i] })))");
    else BUF_LIT(b, "\n  .flat()");
    if (c->n_order) buf_printf(b, "\n  .sort((a, b) => compare(%s))", pair);
    if (c->stems) BUF_LIT(b, "\n  .map(({ item }) => item)");
    buf_printf(b, "%s;\n", c->limit ? "\n  .slice(0, limit)" : "");
}

int code_javascript(struct code *c, struct err *e)
{
    struct buf *b = c->out;
    (void)e;
    put_top(c);
    if (c->get) {
        put_get(c);
        return 0;
    }
    put_requests(c);
    put_wanted(c);
    put_read(c);
    if (c->n == 1) BUF_LIT(b, "const items = await read(request);\n");
    else put_merge(c);
    BUF_LIT(b, "for (const item of items) console.log(JSON.stringify(unmarshall(item), plain));\n");
    put_print(c);
    return 0;
}
