/* constraints.c: does every member hold what its shape allows?
 *
 * Every member is checked, and up to ten errors are reported at once, each with the value and the
 * path in lower camel case:
 *     "2 validation errors detected: Value 'x' at 'keySchema.1.member.keyType' failed ..."
 * Some operations look at lengths and ranges before the rest ("lengths_first", overrides.json): the
 * first such error ends it, and names only the member, in the API's own case:
 *     "1 validation error detected: Value at 'Limit' failed ..."
 * unless a required member is missing, which is answered as above.
 *
 * Nearly all requests are fine, which types.c finds out on its way (api_fits); only when something does not fit do the
 * passes here find the words. */
#include "shape.h"
#include "params.h"

enum { CHECK_NULL = 1, CHECK_LENGTH = 2, CHECK_ENUM = 4, CHECK_PATTERN = 8, CHECK_ALL = 15 };

#define MAX_ERRORS  10
#define KEY_SHOWN   1024 /* of a map's key within a path; no valid name is longer */
#define MESSAGE_MAX (MAX_ERRORS * (API_ECHO_MAX + (16 << 10)))

/* Where in the request we are; lives on the stack, and is only printed when there is an error. */
struct path {
    const struct path *up;
    struct slice name; /* of a member or a map's key; none for an element of a list */
    size_t index;      /* of an element, from 1 */
    bool element;      /* of a list or map: ".member" follows */
};

struct walk {
    struct arena *arena;
    unsigned checks, errors, limit;
    bool quiet;        /* only count */
    bool terse;        /* name only the member */
    struct buf text;   /* the errors so far, joined */
    const char *alone; /* a sentence that replaces all others */
};

/* ---- Words ---- */

static void put_path(struct buf *b, const struct path *at, bool lower)
{
    if (at->up) {
        put_path(b, at->up, lower);
        buf_u8(b, '.');
    }
    if (!at->name.p) {
        buf_printf(b, "%zu", at->index);
    } else if (lower && !at->element && at->name.n) {
        buf_u8(b, at->name.p[0] | 0x20);
        buf_bytes(b, at->name.p + 1, at->name.n - 1);
    } else {
        size_t n = at->name.n < KEY_SHOWN ? at->name.n : KEY_SHOWN;
        while (n < at->name.n && (at->name.p[n] & 0xc0) == 0x80) /* whole characters */
            n--;
        buf_bytes(b, at->name.p, n);
    }
    if (at->element) BUF_LIT(b, ".member");
}

static bool begin_error(struct walk *w)
{
    if (w->errors >= w->limit) return false;
    if (w->errors++ && !w->quiet) BUF_LIT(&w->text, "; ");
    return !w->quiet;
}

static void put_value(struct walk *w, const struct api_shape *shape, const struct json *node)
{
    if (api_absent(node)) {
        BUF_LIT(&w->text, "null");
        return;
    }
    struct buf value;
    buf_init(&value, w->arena, MESSAGE_MAX);
    api_echo(&value, shape, node);
    BUF_LIT(&w->text, "'");
    buf_slice(&w->text, buf_view(&value));
    BUF_LIT(&w->text, "'");
}

/* Begins "Value 'x' at 'path' failed to satisfy constraint: "; the caller goes on if it says so. */
static bool begin_constraint(struct walk *w, const struct api_shape *shape, const struct json *node,
                             const struct path *at)
{
    if (!begin_error(w)) return false;
    BUF_LIT(&w->text, "Value ");
    if (!w->terse) {
        put_value(w, shape, node);
        BUF_LIT(&w->text, " ");
    }
    BUF_LIT(&w->text, "at '");
    put_path(&w->text, at, !w->terse);
    BUF_LIT(&w->text, "' failed to satisfy constraint: ");
    return true;
}

static void put_enum(struct walk *w, const struct api_shape *shape)
{
    BUF_LIT(&w->text, "Member must satisfy enum value set: [");
    for (unsigned i = 0; i < shape->count; i++) {
        if (i) BUF_LIT(&w->text, ", ");
        buf_slice(&w->text, api_values[shape->first + i]);
    }
    BUF_LIT(&w->text, "]");
}

#define PATTERN_RULE "Member must satisfy regular expression pattern: "

/* ---- Checks of one value ---- */

static bool in_set(const uint64_t set[2], uint8_t c)
{
    return c < 0x80 && (set[c >> 6] >> (c & 63) & 1);
}

static bool at_end(const struct api_pattern *pattern, uint8_t c)
{
    return in_set(pattern->ends, c) || (pattern->wide && c >= 0x80);
}

static bool matches(const struct api_pattern *pattern, struct slice s)
{
    if (s.n < pattern->min || s.n % pattern->multiple || (pattern->max && s.n > pattern->max))
        return false;
    for (size_t i = 1; i + 1 < s.n; i++)
        if (!in_set(pattern->all, s.p[i]) && !(pattern->wide && s.p[i] >= 0x80)) return false;
    return !s.n || (at_end(pattern, s.p[0]) && at_end(pattern, s.p[s.n - 1]));
}

#define NAME_MIN 3
#define NAME_MAX 255

bool api_is_name(struct slice s)
{
    return matches(api_patterns, s) && s.n >= NAME_MIN && s.n <= NAME_MAX;
}

static int64_t measure(const struct api_shape *shape, const struct json *node)
{
    switch (shape->type) {
    case API_INTEGER:
        return param_number(node, INT32_MIN, INT32_MAX);
    case API_LONG:
        return param_number(node, INT64_MIN, INT64_MAX);
    case API_STRING:
        return (int64_t)utf16_length(node->text);
    default:
        return node->count;
    }
}

static void check_length(struct walk *w, const struct api_shape *shape, const struct json *node,
                         const struct path *at)
{
    if (!(w->checks & CHECK_LENGTH) || !(shape->flags & (API_MIN | API_MAX))) return;
    const char *what = shape->type == API_INTEGER || shape->type == API_LONG ? "value" : "length";
    int64_t n = measure(shape, node);
    if ((shape->flags & API_MIN) && n < shape->min) {
        if (shape->empty && !w->alone) w->alone = shape->empty;
        if (begin_constraint(w, shape, node, at))
            buf_printf(&w->text, "Member must have %s greater than or equal to %lld", what,
                       (long long)shape->min);
    }
    if ((shape->flags & API_MAX) && n > shape->max && begin_constraint(w, shape, node, at))
        buf_printf(&w->text, "Member must have %s less than or equal to %lld", what,
                   (long long)shape->max);
}

static bool in_enum(const struct api_shape *shape, struct slice s)
{
    for (unsigned i = 0; i < shape->count; i++)
        if (slice_eq(api_values[shape->first + i], s)) return true;
    return false;
}

static void check_enum(struct walk *w, const struct api_shape *shape, const struct json *node,
                       const struct path *at)
{
    if (!(w->checks & CHECK_ENUM) || !shape->count || in_enum(shape, node->text)) return;
    if (begin_constraint(w, shape, node, at)) put_enum(w, shape);
}

static void check_pattern(struct walk *w, const struct api_pattern *pattern,
                          const struct api_shape *shape, const struct json *node,
                          const struct path *at, struct slice text)
{
    if (matches(pattern, text) || !begin_constraint(w, shape, node, at)) return;
    BUF_LIT(&w->text, PATTERN_RULE);
    buf_slice(&w->text, pattern->text);
}

/* The description bounds "name or ARN" only by 1 and 1,024; the name's own rules follow it. */
static void check_table_name(struct walk *w, const struct api_shape *shape, const struct json *node,
                             const struct path *at)
{
    struct slice name = table_of(node->text);
    if (!node->text.n) return;
    check_pattern(w, api_patterns, shape, node, at, name);
    if (name.n < NAME_MIN && begin_constraint(w, shape, node, at))
        buf_printf(&w->text, "Member must have length greater than or equal to %d", NAME_MIN);
    if (name.n > NAME_MAX && begin_constraint(w, shape, node, at))
        buf_printf(&w->text, "Member must have length less than or equal to %d", NAME_MAX);
}

static void check_string(struct walk *w, const struct api_shape *shape, const struct json *node,
                         const struct path *at)
{
    check_enum(w, shape, node, at);
    if ((w->checks & CHECK_PATTERN) && shape->pattern)
        check_pattern(w, &api_patterns[shape->pattern - 1], shape, node, at, node->text);
    check_length(w, shape, node, at);
    if ((w->checks & CHECK_PATTERN) && (shape->flags & API_TABLE))
        check_table_name(w, shape, node, at);
}

/* ---- The walk ---- */

static void walk_value(struct walk *w, const struct api_shape *shape, const struct json *node,
                       const struct path *at, bool length);

static void walk_members(struct walk *w, const struct api_shape *shape, const struct json *node,
                         const struct path *at)
{
    for (unsigned i = 0; i < shape->count && w->errors < w->limit; i++) {
        const struct api_member *m = &api_members[shape->first + i];
        const struct api_shape *type = &api_shapes[m->shape];
        struct path here = { .up = at, .name = m->name };
        const struct json *value = json_get(node, m->name);
        if (!api_absent(value))
            walk_value(w, type, value, &here, true);
        else if ((m->flags & API_REQUIRED) && (w->checks & CHECK_NULL) &&
                 begin_constraint(w, type, NULL, &here))
            BUF_LIT(&w->text, "Member must not be null");
    }
}

/* Keys and lengths of values are reported at the map itself, once. */
static void check_map(struct walk *w, const struct api_shape *shape, const struct json *node,
                      const struct path *at)
{
    const struct api_shape *type = &api_shapes[shape->first];
    bool bad_key = false, bad_length = false;
    for (const struct json *c = node->first; c; c = c->next) {
        if (shape->flags & API_TABLE_KEYS) bad_key = bad_key || !api_is_name(table_of(c->name));
        if (type->type == API_LIST && type->flags && !api_absent(c))
            bad_length = bad_length || c->count < type->min || c->count > type->max;
    }
    if (bad_key && (w->checks & CHECK_PATTERN) && begin_constraint(w, shape, node, at))
        buf_printf(&w->text,
                   "Map keys must satisfy constraint: [Member must have length less than or "
                   "equal to %d, Member must have length greater than or equal to %d, " PATTERN_RULE
                   "%.*s]",
                   NAME_MAX, NAME_MIN, SLICE_ARG(api_patterns->text));
    if (bad_length && (w->checks & CHECK_LENGTH) && begin_constraint(w, shape, node, at))
        buf_printf(
            &w->text,
            "Map value must satisfy constraint: [Member must have length less than or equal to "
            "%lld, Member must have length greater than or equal to %lld]",
            (long long)type->max, (long long)type->min);
}

static void walk_elements(struct walk *w, const struct api_shape *shape, const struct json *node,
                          const struct path *at)
{
    const struct api_shape *type = &api_shapes[shape->first];
    /* Values of attributes are the item layer's, null or not. */
    if (type->type == API_VALUE) return;
    struct path here = { .up = at, .element = true };
    for (const struct json *c = node->first; c && w->errors < w->limit; c = c->next) {
        here.index++;
        if (shape->type == API_MAP) here.name = c->name.p ? c->name : SLICE("");
        if (!api_absent(c))
            walk_value(w, type, c, &here, shape->type == API_LIST);
        else if ((w->checks & CHECK_NULL) && begin_constraint(w, type, NULL, &here))
            BUF_LIT(&w->text, "Member must not be null");
    }
}

/* The value without what is in it. */
static void check_value(struct walk *w, const struct api_shape *shape, const struct json *node,
                        const struct path *at, bool length)
{
    switch (shape->type) {
    case API_STRING:
        check_string(w, shape, node, at);
        break;
    case API_INTEGER:
    case API_LONG:
        check_length(w, shape, node, at);
        break;
    case API_LIST:
    case API_MAP:
        if (length) check_length(w, shape, node, at);
        if (shape->type == API_MAP) check_map(w, shape, node, at);
        break;
    default:
        break;
    }
}

bool api_fits(const struct api_shape *shape, const struct json *node, bool length)
{
    static const struct path nowhere; /* of which nothing is said */
    struct walk w = { .checks = CHECK_ALL, .limit = 1, .quiet = true };
    check_value(&w, shape, node, &nowhere, length);
    return !w.errors;
}

static void walk_value(struct walk *w, const struct api_shape *shape, const struct json *node,
                       const struct path *at, bool length)
{
    check_value(w, shape, node, at, length);
    if (shape->type == API_LIST || shape->type == API_MAP) walk_elements(w, shape, node, at);
    if (shape->type == API_STRUCTURE) walk_members(w, shape, node, at);
}

/* ---- Passes ---- */

struct request {
    const struct api_op *op;
    const struct json *body;
    struct arena *arena;
    struct err *err;
};

static void pass(struct walk *w, const struct request *r, unsigned checks, unsigned limit,
                 bool quiet)
{
    *w = (struct walk){ .arena = r->arena, .checks = checks, .limit = limit };
    w->quiet = quiet;
    w->terse = checks == CHECK_LENGTH;
    if (!quiet) buf_init(&w->text, r->arena, MESSAGE_MAX);
    walk_members(w, &api_shapes[r->op->input], r->body, NULL);
}

static int report(const struct walk *w, const struct request *r)
{
    if (w->alone) return err_set(r->err, ERR_ValidationException, "%s", w->alone);
    return err_set(r->err, ERR_ValidationException, "%u validation error%s detected: %.*s",
                   w->errors, w->errors == 1 ? "" : "s", SLICE_ARG(buf_view(&w->text)));
}

static int report_lengths(const struct request *r)
{
    struct walk w;
    pass(&w, r, CHECK_NULL, 1, true);
    if (w.errors) return 0;
    pass(&w, r, CHECK_LENGTH, 1, false);
    return w.errors ? report(&w, r) : 0;
}

static int report_all(const struct request *r)
{
    struct walk w;
    bool names_last = r->op->flags & API_OP_NAMES_LAST;
    pass(&w, r, names_last ? CHECK_ALL & ~CHECK_PATTERN : CHECK_ALL, MAX_ERRORS, false);
    if (!w.errors) pass(&w, r, CHECK_PATTERN, MAX_ERRORS, false);
    return w.errors ? report(&w, r) : 0;
}

int api_check_name(const struct api_op *op, const struct json *body, struct err *e)
{
    if ((op->flags & API_OP_NAMED) && api_absent(JSON_GET(body, "TableName")))
        return err_set(e, ERR_ValidationException,
                       "The parameter 'TableName' is required but was not present in the request");
    if ((op->flags & API_OP_RESOURCE) && api_absent(JSON_GET(body, "ResourceArn")))
        return err_set(e, ERR_ValidationException, "Invalid TableArn");
    return 0;
}

int api_check_constraints(const struct api_op *op, const struct json *body, struct arena *a,
                          struct err *e)
{
    struct request r = { op, body, a, e };
    int rc = op->flags & API_OP_LENGTHS_FIRST ? report_lengths(&r) : 0;
    return rc ? rc : report_all(&r);
}
