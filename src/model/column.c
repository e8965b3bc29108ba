/* column.c: attribute values and cells of relational tables. */
#include "column.h"
#include "values.h"
#include "../item/item_json.h"
#include <stdio.h>
#include <stdlib.h>

#define WRAPPER     "$dynamodb"
#define CELL_MAX    ((size_t)8 << 20)
#define JSON_LEVELS 128

static struct slice number_text(struct arena *a, struct slice value)
{
    char text[NUM_MAX_TEXT];
    return arena_dup(a, slice_of(text, num_format(val_content(value), text)));
}

struct slice exact_json(struct arena *a, const struct attribute *at, struct slice name, struct slice value)
{
    struct buf b;
    buf_init(&b, a, CELL_MAX);
    value_to_plain(&b, value);
    struct err ignored = { .arena = a };
    struct slice again;
    const struct json *n = json_parse(a, buf_view(&b), JSON_LEVELS, NULL);
    if (n && value_from_plain(a, at, name, n, &again, &ignored) == 0 && val_equal(again, value) &&
        !JSON_GET(n, WRAPPER))
        return buf_view(&b);
    buf_init(&b, a, CELL_MAX);
    BUF_LIT(&b, "{\"" WRAPPER "\":");
    val_to_json(&b, value);
    buf_u8(&b, '}');
    return buf_view(&b);
}

bool cell_fits(const struct attribute *at, struct slice value)
{
    return at && val_type(value) == at->type;
}

static struct slice base64_text(struct arena *a, struct slice bytes)
{
    struct buf b;
    buf_init(&b, a, CELL_MAX);
    base64_put(&b, bytes);
    return buf_view(&b);
}

struct slice cell_text(struct arena *a, const struct attribute *at, struct slice value)
{
    switch (val_type(value)) {
    case TYPE_S: return val_content(value);
    case TYPE_N: return number_text(a, value);
    case TYPE_BOOL: return val_bool(value) ? SLICE("true") : SLICE("false");
    case TYPE_B: return base64_text(a, val_content(value));
    default: return exact_json(a, at, at->name, value);
    }
}

/* The double whose shortest exact text is this number, if there is one. */
static bool as_real(struct slice value, double *out)
{
    char text[NUM_MAX_TEXT + 1], again[64];
    size_t n = num_format(val_content(value), text);
    text[n] = 0;
    *out = strtod(text, NULL);
    int m = snprintf(again, sizeof again, "%.15g", *out);
    struct num back;
    return num_parse(slice_of(again, (size_t)m), &back) == NUM_OK &&
           slice_eq(slice_of(back.bytes, back.n), val_content(value));
}

struct sqlite_value cell_from_value(struct arena *a, const struct attribute *at, struct slice value)
{
    struct sqlite_value cell = { .kind = SQLITE_VALUE_TEXT };
    switch (val_type(value)) {
    case TYPE_BOOL:
        cell.kind = SQLITE_VALUE_INTEGER;
        cell.integer = val_bool(value);
        return cell;
    case TYPE_N:
        if (num_to_int64(val_content(value), &cell.integer)) {
            cell.kind = SQLITE_VALUE_INTEGER;
        } else if (as_real(value, &cell.real)) {
            cell.kind = SQLITE_VALUE_REAL;
        } else {
            cell.bytes = number_text(a, value);
        }
        return cell;
    case TYPE_B:
        cell.kind = SQLITE_VALUE_BLOB;
        cell.bytes = val_content(value);
        return cell;
    default: cell.bytes = cell_text(a, at, value); return cell;
    }
}

static int no_fit(const struct attribute *at, const char *expected, struct slice got, struct err *e)
{
    return err_set(e, ERR_ValidationException, "%.*s: expected %s, but the cell holds '%.*s'%s", SLICE_ARG(at->name),
                   expected, (int)(got.n < 60 ? got.n : 60), (const char *)got.p, got.n < 60 ? "" : " ...");
}

static struct slice text_of(struct arena *a, struct sqlite_value cell)
{
    switch (cell.kind) {
    case SQLITE_VALUE_INTEGER: return arena_printf(a, "%lld", (long long)cell.integer);
    case SQLITE_VALUE_REAL: {
        /* The shortest text that gives this double again: 29.99 and not 29.989999999999998. */
        for (int digits = 15; digits <= 17; digits++) {
            struct slice s = arena_printf(a, "%.*g", digits, cell.real);
            if (strtod((const char *)s.p, NULL) == cell.real || digits == 17) return s;
        }
        return SLICE("");
    }
    default: return cell.bytes;
    }
}

static bool boolean_text(struct slice s, bool *out)
{
    static const char *const yes[] = { "1", "true", "t", "yes", "TRUE", "True", "T" };
    static const char *const no[] = { "0", "false", "f", "no", "FALSE", "False", "F" };
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        if (slice_eq(s, slice_str(yes[i]))) return *out = true, true;
        if (slice_eq(s, slice_str(no[i]))) return *out = false, true;
    }
    return false;
}

/* SQL writes "2026-05-10 14:23:01"; an attribute that holds a date-time wants the T and the Z. */
static struct slice date_time(struct arena *a, struct slice text)
{
    if (text.n < 19 || text.p[10] != ' ' || when_valid(TIME_DATE_TIME, text)) return text;
    struct slice changed = arena_printf(a, "%.*sT%.*sZ", 10, (const char *)text.p, (int)text.n - 11,
                                        (const char *)text.p + 11);
    return when_valid(TIME_DATE_TIME, changed) ? changed : text;
}

int value_from_exact(struct arena *a, const struct attribute *at, struct slice name, const struct json *n,
                     struct slice *out, struct err *e)
{
    const struct json *wrapped = n->type == JSON_OBJECT && n->count == 1 ? JSON_GET(n, WRAPPER) : NULL;
    return wrapped ? val_from_json(a, wrapped, out, e) : value_from_plain(a, at, name, n, out, e);
}

static int structured(struct arena *a, const struct attribute *at, struct slice text, struct slice *out,
                      struct err *e)
{
    const struct json *n = json_parse(a, text, JSON_LEVELS, NULL);
    return n ? value_from_exact(a, at, at->name, n, out, e) : no_fit(at, "JSON", text, e);
}

int value_from_cell(struct arena *a, const struct attribute *at, struct sqlite_value cell, struct slice *out,
                    struct err *e)
{
    *out = slice_of(NULL, 0);
    if (cell.kind == SQLITE_VALUE_NULL) return 0;
    struct slice text = text_of(a, cell);
    struct buf b;
    buf_init(&b, a, CELL_MAX);
    switch (at->type) {
    case TYPE_S:
        if (!utf8_valid(text)) return no_fit(at, "text in UTF-8", SLICE("other bytes"), e);
        *out = val_make_string(a, at->time == TIME_DATE_TIME ? date_time(a, text) : text);
        return 0;
    case TYPE_N: {
        struct num num;
        if (num_parse(slice_trim(text), &num) != NUM_OK) return no_fit(at, "a number", text, e);
        val_put_number(&b, slice_of(num.bytes, num.n));
        break;
    }
    case TYPE_BOOL: {
        bool value;
        if (!boolean_text(text, &value)) return no_fit(at, "true or false", text, e);
        val_put_bool(&b, value);
        break;
    }
    case TYPE_B:
        if (cell.kind != SQLITE_VALUE_BLOB && !base64_decode(a, text, &text))
            return no_fit(at, "base64", text, e);
        val_put_binary(&b, text);
        break;
    default: return structured(a, at, text, out, e);
    }
    *out = buf_view(&b);
    return 0;
}

int item_from_cell(struct arena *a, struct slice text, struct slice *out, struct err *e)
{
    const struct json *n = json_parse(a, text, JSON_LEVELS, NULL);
    if (!n || n->type != JSON_OBJECT)
        return err_set(e, ERR_ValidationException, "expected an item in DynamoDB JSON");
    return item_from_json(a, n, out, e);
}

struct slice cell_more(struct arena *a, const struct entity *en, struct slice attributes)
{
    struct attr *rest = ARENA_ARRAY(a, struct attr, val_count(attributes) + 1);
    size_t n = 0;
    struct val_iter it;
    val_iter_init(&it, attributes);
    for (struct attr at; val_next(&it, &at.name, &at.value);)
        if (!cell_fits(entity_attribute(en, at.name), at.value)) rest[n++] = at;
    if (n == 0) return slice_of(NULL, 0);
    struct buf encoded, b;
    buf_init(&encoded, a, CELL_MAX);
    val_put_map(&encoded, rest, n);
    buf_init(&b, a, CELL_MAX);
    item_to_json(&b, buf_view(&encoded));
    return buf_view(&b);
}
