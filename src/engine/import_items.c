/* import_items.c: items out of the JSON objects or CSV rows of an import's source. */
#include "import.h"
#include "mutation.h"

/* An item that was read: can the table hold it? */
static enum import_result check(struct import_source *s, struct arena *a, struct import_item *out,
                                const char **problem)
{
    struct err e = { .arena = a };
    out->size = val_item_size(out->item);
    if (out->size > ITEM_MAX_BYTES) {
        *problem = "it is larger than 400 KB";
        return IMPORT_BAD_ITEM;
    }
    if (!key_of_item(a, s->table, out->item, false, &out->store_key, &e)) return IMPORT_ITEM;
    *problem = "its key, or that of an index, does not fit the table";
    return IMPORT_BAD_ITEM;
}

/* ---- DynamoDB JSON: {"Item":{...}} ---- */

static enum import_result next_json(struct import_source *s, struct arena *a, struct import_item *out,
                                    const char **problem)
{
    struct slice text;
    struct err e = { .arena = a };
    *problem = "it is not a JSON object with an Item; the rest of the object is left";
    switch (object_reader_json(s->reader, &text)) {
    case OBJECT_END: return IMPORT_END;
    case OBJECT_BROKEN: return IMPORT_BAD_OBJECT;
    case OBJECT_JSON: break;
    }
    /* Strings borrow from the text, which the reader will overwrite: values are copied when they are encoded. */
    const struct json *item = JSON_GET(json_parse(a, text, JSON_MAX_DEPTH, NULL), "Item");
    if (!item || item->type != JSON_OBJECT) return IMPORT_BAD_OBJECT;
    *problem = "an attribute has no valid value";
    if (item_from_json(a, item, &out->item, &e)) return IMPORT_BAD_ITEM;
    return check(s, a, out, problem);
}

/* ---- CSV ---- */

static enum import_result read_row(struct import_source *s, struct arena *a, struct csv_field **fields, size_t *n,
                                   const char **problem)
{
    enum csv_status status = csv_read(&s->rows, a, fields, n);
    bool broken = object_reader_broken(s->reader);
    *problem = status == CSV_BAD ? s->rows.problem : "the object cannot be read";
    if (status == CSV_BAD || broken) return IMPORT_BAD_OBJECT;
    return status == CSV_END ? IMPORT_END : IMPORT_ITEM;
}

enum import_result import_read_header(struct import_source *s, struct arena *a, const char **problem)
{
    struct csv_field *fields;
    enum import_result result = read_row(s, a, &fields, &s->n_header, problem);
    if (result != IMPORT_ITEM) {
        s->n_header = 0;
        return result;
    }
    struct slice *names = ARENA_ARRAY(a, struct slice, s->n_header);
    for (size_t i = 0; i < s->n_header; i++)
        names[i] = fields[i].text;
    s->header = names;
    return IMPORT_ITEM;
}

/* Keys have the types of their definitions, everything else is a string. */
static enum val_type column_type(const struct table *t, struct slice name)
{
    for (size_t i = 0; i < t->n_attrs; i++) {
        if (slice_eq(t->attrs[i].name, name)) return t->attrs[i].type;
    }
    return TYPE_S;
}

static bool cell_value(struct arena *a, enum val_type type, struct slice text, struct slice *out)
{
    struct buf b;
    struct slice bytes;
    struct num number;
    buf_init(&b, a, text.n + 64);
    switch (type) {
    case TYPE_N:
        if (num_parse(text, &number) != NUM_OK) return false;
        val_put_number(&b, slice_of(number.bytes, number.n));
        break;
    case TYPE_B:
        if (!base64_decode(a, text, &bytes)) return false;
        val_put_binary(&b, bytes);
        break;
    default:
        if (!utf8_valid(text)) return false;
        val_put_string(&b, text);
    }
    *out = buf_view(&b);
    return true;
}

static enum import_result next_row(struct import_source *s, struct arena *a, struct import_item *out,
                                   const char **problem)
{
    struct csv_field *fields;
    struct err e = { .arena = a };
    size_t n, n_attrs = 0;
    enum import_result result = read_row(s, a, &fields, &n, problem);
    if (result != IMPORT_ITEM) return result;
    *problem = "it has not as many columns as the header";
    if (n != s->n_header) return IMPORT_BAD_ITEM;
    struct attr *attrs = ARENA_ARRAY(a, struct attr, n);
    *problem = "a cell has no valid value, or a column no valid name";
    for (size_t i = 0; i < n; i++) {
        if (fields[i].nothing) continue; /* an empty cell is no attribute */
        struct attr *attr = &attrs[n_attrs++];
        attr->name = s->header[i];
        if (!utf8_valid(attr->name) || attr_name_check(attr->name, &e)) return IMPORT_BAD_ITEM;
        if (!cell_value(a, column_type(s->table, attr->name), fields[i].text, &attr->value)) return IMPORT_BAD_ITEM;
    }
    struct buf b;
    buf_init(&b, a, (size_t)32 << 20);
    val_put_map(&b, attrs, n_attrs);
    out->item = buf_view(&b);
    return check(s, a, out, problem);
}

enum import_result import_next(struct import_source *s, struct arena *a, struct import_item *out,
                               const char **problem)
{
    return (s->csv ? next_row : next_json)(s, a, out, problem);
}
