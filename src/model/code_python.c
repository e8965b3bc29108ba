/* code_python.c: a pattern as a Python program for boto3, with the table as a resource, whose values are Python's own. */
#include "code_impl.h"

static void put_map(struct buf *b, const struct json *map, bool typed);

/* The content of a type: of "N" the text of the number. A set's elements are of the type that the first letter names. */
static void put_content(struct buf *b, struct slice type, const struct json *value);

/* A value of DynamoDB JSON ({"S": ...}) as boto3's resources take it. Values nest at most 32 deep. */
static void put_typed(struct buf *b, const struct json *typed)
{
    if (typed->first) put_content(b, typed->first->name, typed->first);
}

static void put_elements(struct buf *b, struct slice type, const struct json *list)
{
    bool set = type.n == 2;
    buf_u8(b, set ? '{' : '[');
    for (const struct json *m = list->first; m; m = m->next) {
        if (m != list->first) BUF_LIT(b, ", ");
        if (set) put_content(b, slice_of(type.p, 1), m);
        else put_typed(b, m);
    }
    buf_u8(b, set ? '}' : ']');
}

static void put_content(struct buf *b, struct slice type, const struct json *value)
{
    if (value->type == JSON_ARRAY) {
        put_elements(b, type, value);
    } else if (value->type == JSON_OBJECT) {
        put_map(b, value, true);
    } else if (slice_eq(type, SLICE("N"))) {
        buf_printf(b, "Decimal(\"%.*s\")", SLICE_ARG(value->text));
    } else if (slice_eq(type, SLICE("B"))) {
        buf_printf(b, "base64.b64decode(\"%.*s\")", SLICE_ARG(value->text));
    } else if (slice_eq(type, SLICE("BOOL"))) {
        buf_slice(b, value->type == JSON_TRUE ? SLICE("True") : SLICE("False"));
    } else if (slice_eq(type, SLICE("NULL"))) {
        BUF_LIT(b, "None");
    } else {
        code_quoted(b, value->text);
    }
}

static void put_map(struct buf *b, const struct json *map, bool typed)
{
    buf_u8(b, '{');
    for (const struct json *m = map->first; m; m = m->next) {
        if (m != map->first) BUF_LIT(b, ", ");
        code_quoted(b, m->name);
        BUF_LIT(b, ": ");
        if (typed) put_typed(b, m);
        else json_put(b, m);
    }
    buf_u8(b, '}');
}

static void put_member(struct buf *b, const struct json *m)
{
    bool typed = slice_eq(m->name, SLICE(CODE_VALUES)) || slice_eq(m->name, SLICE("Key"));
    switch (m->type) {
    case JSON_OBJECT: put_map(b, m, typed); break;
    case JSON_STRING: code_quoted(b, m->text); break;
    case JSON_TRUE: BUF_LIT(b, "True"); break;
    case JSON_FALSE: BUF_LIT(b, "False"); break;
    default: json_put(b, m);
    }
}

/* As arguments of a call, one to a line, or as the members of a dict. values: of ExpressionAttributeValues. */
static void put_request(struct code *c, const struct json *request, const char *indent, bool dict, const char *values)
{
    struct buf *b = c->out;
    for (const struct json *m = request->first; m; m = m->next) {
        if (slice_eq(m->name, SLICE("TableName"))) continue;
        buf_printf(b, dict ? "%s\"%.*s\": " : "%s%.*s=", indent, SLICE_ARG(m->name));
        if (values && slice_eq(m->name, SLICE(CODE_VALUES))) buf_printf(b, "%s", values);
        else put_member(b, m);
        BUF_LIT(b, ",\n");
    }
    if (c->page) buf_printf(b, dict ? "%s\"Limit\": LIMIT,\n" : "%sLimit=LIMIT,\n", indent);
}

static void put_top(struct code *c)
{
    struct buf *b = c->out;
    BUF_LIT(b, "# coding: utf-8\n"); /* else Python looks for such words in the first two comments, which others wrote */
    code_header(c, "#");
    BUF_LIT(b, "# pip install boto3\n"
               "import base64\n"
               "import json\n"
               "from decimal import Decimal\n");
    if (c->n_shapes) BUF_LIT(b, "import re\n");
    BUF_LIT(b, "\nimport boto3\n\n");
    if (c->endpoint.n) {
        BUF_LIT(b, "ENDPOINT = ");
        code_quoted(b, c->endpoint);
        BUF_LIT(b, "\n");
    }
    BUF_LIT(b, "REGION = \"us-east-1\"\n");
    if (c->limit) buf_printf(b, "LIMIT = %u\n", c->limit);
    buf_printf(b, "\ntable = boto3.resource(\"dynamodb\", %sregion_name=REGION).Table(",
               c->endpoint.n ? "endpoint_url=ENDPOINT, " : "");
    code_quoted(b, c->model->table);
    BUF_LIT(b, ")\n\n\n"
               "def plain(value):\n"
               "    \"\"\"What JSON has no form for: numbers, sets, binaries.\"\"\"\n"
               "    if isinstance(value, Decimal):\n"
               "        return int(value) if value == int(value) else float(value)\n"
               "    if isinstance(value, set):\n"
               "        return list(value)\n"
               "    return base64.b64encode(bytes(value)).decode()\n\n\n");
}

static void put_print(struct code *c, const char *indent)
{
    buf_printf(c->out, "%sprint(json.dumps(item, default=plain, ensure_ascii=False))\n", indent);
}

static void put_get(struct code *c)
{
    BUF_LIT(c->out, "item = table.get_item(\n");
    put_request(c, c->requests[0], "    ", false, NULL);
    BUF_LIT(c->out, ").get(\"Item\")\nif item:\n");
    put_print(c, "    ");
}

/* ---- queries ---- */

static void put_attribute(struct buf *b, const struct key_attribute *k)
{
    BUF_LIT(b, "item[");
    code_quoted(b, k->name);
    BUF_LIT(b, "]");
}

static void put_shape(struct code *c, const struct code_shape *s)
{
    struct buf *b = c->out;
    const struct model_index *t = &c->model->indexes[0];
    const struct slice sides[2] = { s->hash, s->sort };
    bool any = false;
    for (size_t i = 0; i < 2; i++) {
        if (!sides[i].n) continue;
        buf_printf(b, "%sre.search(", any ? " and " : "");
        code_quoted(b, sides[i]);
        BUF_LIT(b, ", ");
        put_attribute(b, i ? &t->sort.attrs[0] : &t->hash.attrs[0]);
        BUF_LIT(b, ", re.DOTALL)");
        any = true;
    }
    if (!any) BUF_LIT(b, "True");
}

static void put_wanted(struct code *c)
{
    struct buf *b = c->out;
    if (!c->n_drops && !c->n_shapes) return;
    BUF_LIT(b, "def wanted(item, values):\n");
    code_wanted_comments(c, "    #");
    BUF_LIT(b, "    return ");
    for (size_t i = 0; i < c->n_drops; i++) {
        if (i) BUF_LIT(b, " and ");
        put_attribute(b, c->drops[i].attribute);
        buf_printf(b, " != values[\"%.*s\"]", SLICE_ARG(c->drops[i].value));
    }
    if (c->n_drops && c->n_shapes) BUF_LIT(b, " and (");
    for (size_t i = 0; i < c->n_shapes; i++) {
        if (i) BUF_LIT(b, " or ");
        put_shape(c, &c->shapes[i]);
    }
    buf_printf(b, "%s\n\n\n", c->n_drops && c->n_shapes ? ")" : "");
}

static void put_read(struct code *c)
{
    struct buf *b = c->out;
    BUF_LIT(b, "def read(request):\n"
               "    items = []\n"
               "    while True:\n"
               "        page = table.query(**request)\n");
    if (c->n_drops || c->n_shapes)
        BUF_LIT(b, "        items += [item for item in page[\"Items\"] if wanted(item, request[\"" CODE_VALUES "\"])]\n");
    else
        BUF_LIT(b, "        items += page[\"Items\"]\n");
    buf_printf(b, "        if \"LastEvaluatedKey\" not in page%s:\n", c->limit ? " or len(items) >= LIMIT" : "");
    buf_printf(b, "            return items%s\n", c->limit ? "[:LIMIT]" : "");
    BUF_LIT(b, "        request = {**request, \"ExclusiveStartKey\": page[\"LastEvaluatedKey\"]}\n\n\n");
}

static void put_requests(struct code *c)
{
    struct buf *b = c->out;
    if (c->n == 1) {
        BUF_LIT(b, "request = {\n");
        put_request(c, c->requests[0], "    ", true, NULL);
        BUF_LIT(b, "}\n");
        return;
    }
    if (!c->uniform) {
        BUF_LIT(b, "requests = [\n");
        for (size_t i = 0; i < c->n; i++) {
            BUF_LIT(b, "    {\n");
            put_request(c, c->requests[i], "        ", true, NULL);
            BUF_LIT(b, "    },\n");
        }
        BUF_LIT(b, "]\n");
        return;
    }
    BUF_LIT(b, "requests = [\n");
    if (c->n) {
        BUF_LIT(b, "    {\n");
        put_request(c, c->requests[0], "        ", true, "values");
        BUF_LIT(b, "    }\n    for values in [\n");
    }
    for (size_t i = 0; i < c->n; i++) {
        BUF_LIT(b, "        ");
        put_map(b, JSON_GET(c->requests[i], CODE_VALUES), true);
        BUF_LIT(b, ",\n");
    }
    buf_printf(b, "%s]\n", c->n ? "    ]\n" : "");
}

/* Python orders strings by code points, as DynamoDB does; a sort keeps the order of equal ones, also in reverse. */
static void put_merge(struct code *c)
{
    struct buf *b = c->out;
    if (!c->stems) {
        BUF_LIT(b, "items = [item for request in requests for item in read(request)]\n");
        if (!c->n_order) return;
        BUF_LIT(b, "items.sort(key=lambda item: (");
    } else {
        BUF_LIT(b, "# What each request's sort keys begin with, which is not compared.\nstems = [");
        for (size_t i = 0; i < c->n; i++) {
            if (i) BUF_LIT(b, ", ");
            code_quoted(b, c->stems[i]);
        }
        BUF_LIT(b, "]\nfound = [(item, len(stem)) for request, stem in zip(requests, stems) for item in read(request)]\n"
                   "found.sort(key=lambda pair: (");
    }
    for (size_t i = 0; i < c->n_order; i++) {
        if (c->stems) BUF_LIT(b, "pair[0][");
        else BUF_LIT(b, "item[");
        code_quoted(b, c->order[i].name);
        BUF_LIT(b, "]");
        if (c->stems && !i) BUF_LIT(b, "[pair[1]:]");
        if (c->order[i].type == TYPE_B) BUF_LIT(b, ".value");
        BUF_LIT(b, ",");
        if (i + 1 < c->n_order) BUF_LIT(b, " ");
    }
    buf_printf(b, ")%s)\n", c->plan->descending ? ", reverse=True" : "");
    if (c->stems) BUF_LIT(b, "items = [item for item, _ in found]\n");
}

int code_python(struct code *c, struct err *e)
{
    struct buf *b = c->out;
    (void)e;
    put_top(c);
    if (c->get) {
        put_get(c);
        return 0;
    }
    put_wanted(c);
    put_read(c);
    put_requests(c);
    if (c->n == 1) BUF_LIT(b, "items = read(request)\n");
    else put_merge(c);
    buf_printf(b, "for item in items%s:\n", c->limit && c->n > 1 ? "[:LIMIT]" : "");
    put_print(c, "    ");
    return 0;
}
