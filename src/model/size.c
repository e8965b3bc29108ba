/* size.c: what one item weighs and costs: bytes by attribute as DynamoDB counts them, and units per operation. */
#include "report.h"
#include "jsonw.h"
#include "units.h"
#include "values.h"
#include "../item/item_json.h"

#define SIZE_MAX_DEPTH 100 /* of the JSON text; values are checked for DynamoDB's 32 */

/* {"S":"x"}: an object with one member that is named like a type. */
static bool looks_typed(const struct json *n)
{
    return n->type == JSON_OBJECT && n->count == 1 && val_type_from_name(n->first->name) != TYPE_NONE;
}

/* DynamoDB JSON if every attribute looks so. */
static bool is_dynamodb_json(const struct json *item)
{
    for (const struct json *n = item->first; n; n = n->next) {
        if (!looks_typed(n)) return false;
    }
    return item->count > 0;
}

static int from_plain(struct arena *a, const struct json *item, struct slice *out, struct err *e)
{
    struct attr *attrs = ARENA_ARRAY(a, struct attr, item->count + 1);
    size_t n = 0;
    for (const struct json *m = item->first; m; m = m->next) {
        int rc = attr_name_check(m->name, e);
        if (rc) return rc;
        attrs[n].name = m->name;
        rc = value_from_plain(a, NULL, m->name, m, &attrs[n].value, e);
        if (!rc) rc = val_check_depth(attrs[n].value, e);
        if (rc) return rc;
        n++;
    }
    struct buf b;
    buf_init(&b, a, (size_t)64 << 20);
    val_put_map(&b, attrs, n);
    *out = buf_view(&b);
    return 0;
}

static void put_queries(struct buf *b, double bytes)
{
    static const double counts[] = { 1, 10, 100, 1000 };
    js_open(b, "query", '[');
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        double pages;
        double units = units_query(counts[i], bytes, &pages);
        js_open(b, NULL, '{');
        js_number(b, "items", counts[i]);
        js_number(b, "bytes", counts[i] * bytes);
        js_number(b, "requests", pages);
        js_number(b, "eventual", units / 2);
        js_number(b, "strong", units);
        js_close(b, '}');
    }
    js_close(b, ']');
}

static void put_size(struct buf *b, struct slice item, bool typed)
{
    double bytes = (double)val_item_size(item);
    js_open(b, NULL, '{');
    js_string(b, "form", typed ? SLICE("dynamodb") : SLICE("plain"));
    js_number(b, "bytes", bytes);
    js_number(b, "limit", ITEM_BYTES_MAX);
    js_number(b, "percent", round(bytes / ITEM_BYTES_MAX * 1e6) / 1e4);
    js_bool(b, "fits", bytes <= ITEM_BYTES_MAX);
    js_open(b, "attributes", '[');
    struct val_iter it;
    struct slice name, value;
    val_iter_init(&it, item);
    while (val_next(&it, &name, &value)) {
        js_open(b, NULL, '{');
        js_string(b, "name", name);
        js_string(b, "type", slice_str(val_type_name(val_type(value))));
        js_number(b, "nameBytes", (double)name.n);
        js_number(b, "valueBytes", (double)val_size(value));
        js_number(b, "bytes", (double)(name.n + val_size(value)));
        js_close(b, '}');
    }
    js_close(b, ']');
    double read = units_read(bytes), write = units_write(bytes);
    js_open(b, "read", '{');
    js_number(b, "eventual", read / 2);
    js_number(b, "strong", read);
    js_number(b, "transactional", read * 2);
    js_close(b, '}');
    js_open(b, "write", '{');
    js_number(b, "standard", write);
    js_number(b, "transactional", write * 2);
    js_close(b, '}');
    put_queries(b, bytes);
    js_close(b, '}');
}

int report_size(struct reporter *r, struct slice text)
{
    size_t at = 0;
    const struct json *root = json_parse(r->arena, text, SIZE_MAX_DEPTH, &at);
    if (!root) {
        return err_set(r->err, ERR_ValidationException,
                       "the item is not JSON: the trouble is at byte %zu; give DynamoDB JSON ({\"a\":{\"S\":\"x\"}}) "
                       "or plain JSON ({\"a\":\"x\"})", at);
    }
    if (root->type != JSON_OBJECT) {
        return err_set(r->err, ERR_ValidationException, "an item is a JSON object: {\"attribute\": value, ...}");
    }
    bool typed = is_dynamodb_json(root);
    struct slice item;
    int rc = typed ? item_from_json(r->arena, root, &item, r->err) : from_plain(r->arena, root, &item, r->err);
    if (rc) return rc;
    put_size(r->out, item, typed);
    return 0;
}
