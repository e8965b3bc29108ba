/* values.c: encoded values from JSON, from YAML nodes and from text, by the type that the attribute declares. JSON and
 * YAML are read by the same code through `struct source`; they differ in that an unquoted word of YAML is also a
 * string, where one is asked for. */
#include "values_private.h"
#include "../item/item_json.h"

#define VALUE_MAX_BYTES ((size_t)16 << 20)

/* Exactly one of the two. */
struct source {
    const struct json *json;
    const struct node *node;
};

struct builder {
    struct arena *a;
    struct err *e;
};

static int build(struct builder *b, const struct attribute *at, struct source s, const struct crumb *c, unsigned depth,
                 struct slice *out);

/* ---- a source ---- */

/* What it is when nothing is declared: S, N, BOOL, NULL, L, M. */
static enum val_type natural_type(struct source s)
{
    bool truth;
    struct num number;
    if (s.json) {
        static const enum val_type types[] = {
            [JSON_NULL] = TYPE_NULL, [JSON_FALSE] = TYPE_BOOL, [JSON_TRUE] = TYPE_BOOL, [JSON_NUMBER] = TYPE_N,
            [JSON_STRING] = TYPE_S,  [JSON_ARRAY] = TYPE_L,    [JSON_OBJECT] = TYPE_M,
        };
        return types[s.json->type];
    }
    if (s.node->kind != NODE_SCALAR) return s.node->kind == NODE_LIST ? TYPE_L : TYPE_M;
    if (s.node->quoted) return TYPE_S;
    if (node_is_null(s.node)) return TYPE_NULL;
    if (node_bool(s.node, &truth)) return TYPE_BOOL;
    return node_number(s.node, &number) ? TYPE_N : TYPE_S;
}

static struct slice source_text(struct source s)
{
    return s.json ? s.json->text : s.node->text;
}

static bool is_text(struct source s)
{
    if (s.json) return s.json->type == JSON_STRING;
    return s.node->kind == NODE_SCALAR && (s.node->quoted || !node_is_null(s.node));
}

static bool source_bool(struct source s)
{
    bool truth = false;
    if (s.json) return s.json->type == JSON_TRUE;
    node_bool(s.node, &truth);
    return truth;
}

static bool is_there(struct source s)
{
    return s.json || s.node;
}

static size_t children(struct source s)
{
    return s.json ? s.json->count : s.node->count;
}

static struct source first_child(struct source s)
{
    if (s.json) return (struct source){ .json = s.json->first };
    return (struct source){ .node = s.node->first };
}

static struct source sibling(struct source s)
{
    if (s.json) return (struct source){ .json = s.json->next };
    return (struct source){ .node = s.node->next };
}

static struct slice child_name(struct source s)
{
    return s.json ? s.json->name : s.node->name;
}

/* ---- errors ---- */

static int wrong(struct builder *b, const struct crumb *c, const char *what)
{
    return err_set(b->e, ERR_ValidationException, "%.*s: %s", SLICE_ARG(crumb_text(b->e->arena, NULL, c)), what);
}

static int wrong_type(struct builder *b, const struct crumb *c, enum val_type wanted, struct source s)
{
    struct arena *a = b->e->arena;
    enum val_type is = natural_type(s);
    struct slice shown = slice_str(type_says(is));
    if (is == TYPE_BOOL) shown = source_bool(s) ? SLICE("true") : SLICE("false");
    else if (is == TYPE_S || (is == TYPE_N && wanted == TYPE_N)) shown = text_says(a, source_text(s));
    else if (is == TYPE_N) shown = source_text(s);
    return err_set(b->e, ERR_ValidationException, "%.*s: must be %s, but is %.*s", SLICE_ARG(crumb_text(a, NULL, c)),
                   type_says(wanted), SLICE_ARG(shown));
}

/* ---- by type ---- */

static int read_number(struct builder *b, struct source s, const struct crumb *c, struct num *out)
{
    if (natural_type(s) != TYPE_N) return wrong_type(b, c, TYPE_N, s);
    switch (num_parse(source_text(s), out)) {
    case NUM_OK:
        return 0;
    case NUM_TOO_LARGE:
        return wrong(b, c, "is too large for a number: the largest has 126 digits before the point");
    case NUM_TOO_SMALL:
        return wrong(b, c, "is too near to zero for a number: the smallest is 1E-130");
    case NUM_TOO_PRECISE:
        return wrong(b, c, "has more than the 38 digits that a number can have");
    default:
        return wrong_type(b, c, TYPE_N, s);
    }
}

static int read_binary(struct builder *b, struct source s, const struct crumb *c, struct slice *out)
{
    if (!is_text(s)) return wrong_type(b, c, TYPE_B, s);
    if (!base64_decode(b->a, source_text(s), out)) return wrong(b, c, "is not base64 (with padding, without blanks)");
    return 0;
}

static int build_set(struct builder *b, enum val_type type, struct source s, const struct crumb *c, struct slice *out)
{
    if (natural_type(s) != TYPE_L) return wrong_type(b, c, type, s);
    size_t n = children(s), i = 0;
    if (!n) return wrong(b, c, "is an empty set, which cannot be stored: leave it out");
    struct slice *contents = ARENA_ARRAY(b->a, struct slice, n);
    struct num number = { 0 };
    for (struct source k = first_child(s); is_there(k); k = sibling(k), i++) {
        struct crumb at = { c, { 0 }, i };
        int rc = 0;
        if (type == TYPE_SS && !is_text(k)) rc = wrong_type(b, &at, TYPE_S, k);
        else if (type == TYPE_SS) contents[i] = source_text(k);
        else if (type == TYPE_BS) rc = read_binary(b, k, &at, &contents[i]);
        else if (!(rc = read_number(b, k, &at, &number))) contents[i] = arena_dup(b->a, slice_of(number.bytes, number.n));
        if (rc) return rc;
        if (!contents[i].n) return wrong(b, &at, "is empty, which no member of a set can be");
    }
    struct buf v;
    buf_init(&v, b->a, VALUE_MAX_BYTES);
    if (!val_put_set(&v, type, contents, n)) return wrong(b, c, "holds a value twice, which a set cannot");
    *out = buf_view(&v);
    return 0;
}

static int build_list(struct builder *b, const struct attribute *at, struct source s, const struct crumb *c,
                      unsigned depth, struct slice *out)
{
    const struct attribute *element = at && at->n_members ? &at->members[0] : NULL;
    size_t n = children(s), i = 0;
    struct slice *values = ARENA_ARRAY(b->a, struct slice, n + 1);
    for (struct source k = first_child(s); is_there(k); k = sibling(k), i++) {
        struct crumb here = { c, { 0 }, i };
        int rc = build(b, element, k, &here, depth + 1, &values[i]);
        if (rc) return rc;
    }
    struct buf v;
    buf_init(&v, b->a, VALUE_MAX_BYTES);
    val_put_list(&v, values, n);
    *out = buf_view(&v);
    return 0;
}

static int build_map(struct builder *b, const struct attribute *at, struct source s, const struct crumb *c,
                     unsigned depth, struct slice *out)
{
    size_t n = children(s), i = 0;
    struct attr *attrs = ARENA_ARRAY(b->a, struct attr, n + 1);
    for (struct source k = first_child(s); is_there(k); k = sibling(k), i++) {
        attrs[i].name = child_name(k);
        struct crumb here = { c, attrs[i].name, 0 };
        if (!attrs[i].name.n) return wrong(b, c, "has a member without a name");
        if (attrs[i].name.n > ATTR_NAME_MAX) return wrong(b, c, "has a member whose name is too long");
        int rc = build(b, at ? attribute_member(at, attrs[i].name) : NULL, k, &here, depth + 1, &attrs[i].value);
        if (rc) return rc;
    }
    struct buf v;
    buf_init(&v, b->a, VALUE_MAX_BYTES);
    val_put_map(&v, attrs, n);
    *out = buf_view(&v);
    return 0;
}

static int build(struct builder *b, const struct attribute *at, struct source s, const struct crumb *c, unsigned depth,
                 struct slice *out)
{
    if (s.json && s.json->type == JSON_ENCODED) {
        *out = s.json->text;
        return 0;
    }
    enum val_type is = natural_type(s), type = at ? at->type : is;
    struct num number = { 0 };
    struct slice bytes = { NULL, 0 };
    struct buf v;
    int rc;
    /* The item itself is one level. */
    if (depth >= VAL_MAX_DEPTH - 1 && (is == TYPE_L || is == TYPE_M)) return wrong(b, c, "nests deeper than 32 levels");
    buf_init(&v, b->a, VALUE_MAX_BYTES);
    if (is == TYPE_NULL) type = TYPE_NULL; /* "not given": whoever takes it decides */
    switch (type) {
    case TYPE_NULL:
        val_put_null(&v);
        break;
    case TYPE_S:
        if (!is_text(s)) return wrong_type(b, c, type, s);
        val_put_string(&v, source_text(s));
        break;
    case TYPE_N:
        if ((rc = read_number(b, s, c, &number))) return rc;
        val_put_number(&v, slice_of(number.bytes, number.n));
        break;
    case TYPE_B:
        if ((rc = read_binary(b, s, c, &bytes))) return rc;
        val_put_binary(&v, bytes);
        break;
    case TYPE_BOOL:
        if (is != TYPE_BOOL) return wrong_type(b, c, type, s);
        val_put_bool(&v, source_bool(s));
        break;
    case TYPE_L:
        if (is != TYPE_L) return wrong_type(b, c, type, s);
        return build_list(b, at, s, c, depth, out);
    case TYPE_M:
        if (is != TYPE_M) return wrong_type(b, c, type, s);
        return build_map(b, at, s, c, depth, out);
    default:
        return build_set(b, type, s, c, out);
    }
    *out = buf_view(&v);
    return 0;
}

/* ---- the three ways in ---- */

int value_from_node(struct arena *a, const struct attribute *at, const struct node *n, struct slice *out, struct err *e)
{
    struct builder b = { a, e };
    struct crumb c = { NULL, at ? at->name : n->name, 0 };
    if (!c.name.p) c.name = SLICE("");
    return build(&b, at, (struct source){ .node = n }, &c, 0, out);
}

int value_from_plain(struct arena *a, const struct attribute *at, struct slice name, const struct json *n,
                     struct slice *out, struct err *e)
{
    struct builder b = { a, e };
    struct crumb c = { NULL, name, 0 };
    if (!c.name.p) c.name = SLICE("");
    return build(&b, at, (struct source){ .json = n }, &c, 0, out);
}

/* Does this look like JSON that is not a bare word? For attributes that are not declared. */
static bool looks_like_json(struct slice text)
{
    return text.n && (strchr("{[\"-0123456789", text.p[0]) || slice_eq(text, SLICE("true")) ||
                      slice_eq(text, SLICE("false")) || slice_eq(text, SLICE("null")));
}

int value_from_text(struct arena *a, const struct attribute *at, struct slice name, struct slice text,
                    struct slice *out, struct err *e)
{
    struct builder b = { a, e };
    struct crumb c = { NULL, name.p ? name : SLICE(""), 0 };
    struct json bare = { .type = JSON_STRING, .text = text };
    const struct json *n = &bare;
    enum val_type type = at ? at->type : TYPE_NONE;
    if (!utf8_valid(text)) return wrong(&b, &c, "is not UTF-8");
    if (!at && looks_like_json(text)) {
        const struct json *parsed = json_parse(a, text, VAL_MAX_DEPTH + 1, NULL);
        if (parsed) n = parsed;
    } else if (type == TYPE_N) {
        bare.type = JSON_NUMBER; /* also forms that JSON lacks: +3, .5 */
    } else if (type == TYPE_BOOL) {
        if (slice_eq(text, SLICE("true"))) bare.type = JSON_TRUE;
        if (slice_eq(text, SLICE("false"))) bare.type = JSON_FALSE;
    } else if (at && type != TYPE_S && type != TYPE_B) {
        n = json_parse(a, text, VAL_MAX_DEPTH + 1, NULL);
        if (!n || n->type == JSON_NULL)
            return err_set(e, ERR_ValidationException, "%.*s: must be %s, written as JSON such as %s, but is %.*s",
                           SLICE_ARG(name), type_says(type), type == TYPE_M ? "{\"a\": 1}" : "[\"a\", \"b\"]",
                           SLICE_ARG(text_says(e->arena, text)));
    }
    return build(&b, at, (struct source){ .json = n }, &c, 0, out);
}
