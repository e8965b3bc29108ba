/* code_cli.c: a pattern as AWS CLI commands in a POSIX shell script.
 *
 * One request is one command. Where several are merged, or something must be dropped that no expression can tell, each command
 * prints a line per item: the keys to look at, a tab between them, then the item as JSON; sort, grep, head and cut do the rest. */
#include "code_impl.h"

static const struct {
    const char *member, *option;
} options[] = {
    { "TableName", "--table-name" },
    { "IndexName", "--index-name" },
    { "Key", "--key" },
    { "KeyConditionExpression", "--key-condition-expression" },
    { "FilterExpression", "--filter-expression" },
    { "ExpressionAttributeNames", "--expression-attribute-names" },
    { CODE_VALUES, "--expression-attribute-values" },
};

static struct slice member_text(struct code *c, const struct json *m)
{
    struct buf b;
    if (m->type == JSON_STRING) return m->text;
    buf_init(&b, c->arena, CODE_MAX);
    json_put(&b, m);
    return buf_view(&b);
}

/* values: instead of the request's own. */
static void put_options(struct code *c, const struct json *request, const char *indent, const char *values)
{
    struct buf *b = c->out;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const struct json *m = json_get(request, slice_str(options[i].member));
        if (!m) continue;
        buf_printf(b, " \\\n%s%s ", indent, options[i].option);
        if (values && strcmp(options[i].member, CODE_VALUES) == 0) buf_printf(b, "%s", values);
        else code_shell_word(b, member_text(c, m));
    }
    if (JSON_GET(request, "ScanIndexForward")) buf_printf(b, " \\\n%s--no-scan-index-forward", indent);
}

static bool holds_binary(const struct json *tree)
{
    for (const struct json *m = tree->first; m; m = m->next) {
        if ((m->type == JSON_STRING && slice_eq(m->name, SLICE("B"))) || holds_binary(m)) return true;
    }
    return false;
}

static void put_top(struct code *c)
{
    struct buf *b = c->out;
    BUF_LIT(b, "#!/bin/sh\n");
    code_header(c, "#");
    if (c->n && holds_binary(c->requests[0])) BUF_LIT(b, "# Binary values are in base64, as version 2 of the AWS CLI reads them.\n");
    if (c->endpoint.n) {
        BUF_LIT(b, "endpoint=");
        code_shell_word(b, c->endpoint);
        BUF_LIT(b, "\n");
    }
    BUF_LIT(b, "region=us-east-1\n");
    if (c->limit) buf_printf(b, "limit=%u\n", c->limit);
    BUF_LIT(b, "\n");
}

static void put_command(struct code *c, const char *name, const char *indent)
{
    buf_printf(c->out, "%saws dynamodb %s%s --region \"$region\"", indent, name,
               c->endpoint.n ? " --endpoint-url \"$endpoint\"" : "");
}

/* ---- one command ---- */

static void put_one(struct code *c)
{
    struct buf *b = c->out;
    put_command(c, c->get ? "get-item" : "query", "");
    put_options(c, c->requests[0], "  ", NULL);
    if (c->get) {
        BUF_LIT(b, " \\\n  --output json\n");
        return;
    }
    if (c->page) BUF_LIT(b, " \\\n  --page-size \"$limit\"");
    if (c->limit) BUF_LIT(b, " \\\n  --max-items \"$limit\"");
    BUF_LIT(b, " \\\n  --query Items --output json\n");
}

/* ---- lines ---- */

/* An attribute's content in the language of --query. */
static void put_path(struct buf *b, const struct key_attribute *k)
{
    json_put_string(b, k->name);
    buf_printf(b, ".%s", val_type_name(k->type));
}

static void put_literal(struct buf *b, struct arena *a, struct slice text)
{
    struct buf json;
    buf_init(&json, a, CODE_MAX);
    json_put_string(&json, text);
    buf_u8(b, '`');
    for (size_t i = 0; i < json.n; i++) {
        if (json.p[i] == '`') buf_u8(b, '\\');
        buf_u8(b, json.p[i]);
    }
    buf_u8(b, '`');
}

/* The table key as a list in JSON, so that it is one line and has no tab whatever it holds. */
static void put_key_column(struct buf *b, const struct model_index *table)
{
    BUF_LIT(b, "to_string([");
    put_path(b, &table->hash.attrs[0]);
    if (table->sort.n) {
        BUF_LIT(b, ", ");
        put_path(b, &table->sort.attrs[0]);
    }
    BUF_LIT(b, "]), ");
}

/* [[the table key,] keys to merge by, the item]: one line of text output. */
static struct slice columns(struct code *c, const struct json *request)
{
    struct buf b;
    buf_init(&b, c->arena, CODE_MAX);
    BUF_LIT(&b, "Items[");
    for (size_t i = 0; i < c->n_drops; i++) {
        const struct json *value = json_get(JSON_GET(request, CODE_VALUES), c->drops[i].value);
        buf_printf(&b, "%s", i ? " && " : "?");
        put_path(&b, c->drops[i].attribute);
        BUF_LIT(&b, " != ");
        put_literal(&b, c->arena, value->first->text);
    }
    BUF_LIT(&b, "].[");
    if (c->n_shapes) put_key_column(&b, &c->model->indexes[0]);
    for (size_t i = 0; i < c->n_order; i++) {
        put_path(&b, &c->order[i]);
        BUF_LIT(&b, ", ");
    }
    BUF_LIT(&b, "to_string(@)]");
    return buf_view(&b);
}

/* A character that is not ASCII as the CLI's JSON has it, \\uXXXX, with the backslash escaped for the expression. */
static size_t put_unicode(struct buf *b, struct slice text)
{
    uint8_t first = text.p[0];
    size_t n = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    uint32_t ch = first & (0xffu >> (n + 1));
    for (size_t k = 1; k < n; k++) ch = ch << 6 | (text.p[k] & 0x3f);
    if (ch < 0x10000) {
        buf_printf(b, "\\\\u%04x", ch);
    } else {
        ch -= 0x10000;
        buf_printf(b, "\\\\u%04x\\\\u%04x", 0xd800 + (ch >> 10), 0xdc00 + (ch & 0x3ff));
    }
    return n;
}

/* An expression for a text as one for the text in JSON. */
static void put_json_expression(struct buf *b, struct slice expression)
{
    for (size_t i = 0; i < expression.n;) {
        struct slice rest = slice_of(expression.p + i, expression.n - i);
        if (rest.p[0] >= 0x80) {
            i += put_unicode(b, rest);
        } else if (slice_starts(rest, SLICE("\\\\"))) { /* a backslash that is meant */
            BUF_LIT(b, "\\\\\\\\");
            i += 2;
        } else {
            if (rest.p[0] == '"') BUF_LIT(b, "\\\\");
            buf_u8(b, rest.p[0]);
            i++;
        }
    }
}

/* Lines of which the first column is a key as the model writes it. */
static void put_grep(struct code *c)
{
    struct buf b;
    size_t sides = c->model->indexes[0].sort.n ? 2 : 1;
    buf_init(&b, c->arena, CODE_MAX);
    for (size_t i = 0; i < c->n_shapes; i++) {
        struct slice side[2] = { c->shapes[i].hash, c->shapes[i].sort };
        buf_printf(&b, "%s^\\[", i ? "|" : "");
        for (size_t s = 0; s < sides; s++) {
            if (s) BUF_LIT(&b, ",");
            if (!side[s].n) {
                BUF_LIT(&b, ".*");
                continue;
            }
            BUF_LIT(&b, "\"");
            put_json_expression(&b, slice_of(side[s].p + 1, side[s].n - 2)); /* without ^ and $ */
            BUF_LIT(&b, "\"");
        }
        BUF_LIT(&b, "\\]\t");
    }
    BUF_LIT(c->out, " |\n    grep -E ");
    code_shell_word(c->out, buf_view(&b));
    BUF_LIT(c->out, " |\n    cut -f 2-");
}

static void put_stream_function(struct code *c)
{
    struct buf *b = c->out;
    buf_printf(b, "# A line for each item: %sthe item.%s\nstream() {\n", c->n_order ? "its sort key, a tab, " : "",
               c->n_order && c->order[0].type != TYPE_N ? " The sort key may hold no tab and no line end." : "");
    put_command(c, "query", "  ");
    put_options(c, c->requests[0], "    ", "\"$1\"");
    if (c->page) BUF_LIT(b, " \\\n    --page-size \"$limit\" --max-items \"$limit\"");
    BUF_LIT(b, " \\\n    --query ");
    if (c->n_drops) BUF_LIT(b, "\"$2\"");
    else code_shell_word(b, columns(c, c->requests[0]));
    BUF_LIT(b, " --output text | grep -v '^None$'");
    if (c->n_shapes) put_grep(c);
    if (c->stems) buf_printf(b, " |\n    LC_ALL=C cut -b \"$%d-\"", c->n_drops ? 3 : 2);
    BUF_LIT(b, "\n}\n\n");
}

static void put_stream(struct code *c, size_t i)
{
    struct buf *b = c->out;
    BUF_LIT(b, "  stream ");
    code_shell_word(b, member_text(c, JSON_GET(c->requests[i], CODE_VALUES)));
    if (c->n_drops) {
        BUF_LIT(b, " ");
        code_shell_word(b, columns(c, c->requests[i]));
    }
    if (c->stems) buf_printf(b, " %zu", c->stems[i].n + 1); /* from the byte behind the stem */
    BUF_LIT(b, "\n");
}

static void put_sort(struct code *c)
{
    struct buf *b = c->out;
    BUF_LIT(b, " |\n  LC_ALL=C sort -s -t \"$(printf '\\t')\"");
    for (size_t i = 0; i < c->n_order; i++) {
        buf_printf(b, " -k %zu,%zu%s%s", i + 1, i + 1, c->order[i].type == TYPE_N ? "n" : "", c->plan->descending ? "r" : "");
    }
}

static void put_lines(struct code *c)
{
    struct buf *b = c->out;
    put_stream_function(c);
    BUF_LIT(b, "{\n");
    for (size_t i = 0; i < c->n; i++) put_stream(c, i);
    BUF_LIT(b, "}");
    if (c->n_order) put_sort(c);
    if (c->limit) BUF_LIT(b, " |\n  head -n \"$limit\"");
    if (c->n_order) buf_printf(b, " |\n  cut -f %zu-", c->n_order + 1);
    BUF_LIT(b, "\n");
}

/* One function takes the values of all requests, so they must be of one form; the streams of a plan are. */
int code_cli(struct code *c, struct err *e)
{
    put_top(c);
    if (!c->n) return 0;
    if (!c->uniform) {
        return err_set(e, ERR_ValidationException,
                       "the requests of this pattern are of different forms, for which there is no shell script");
    }
    if (c->get || (c->n == 1 && !c->n_drops && !c->n_shapes)) put_one(c);
    else put_lines(c);
    return 0;
}
