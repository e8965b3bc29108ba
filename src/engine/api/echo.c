/* echo.c: a value inside an error, as the service prints it: Java's toString. */
#include "shape.h"
#include "params.h"

static bool full(const struct buf *b)
{
    return b->n >= API_ECHO_MAX;
}

/* As much of s as there is room for, in whole characters. */
static void put_text(struct buf *b, struct slice s)
{
    size_t room = full(b) ? 0 : API_ECHO_MAX - b->n;
    if (s.n > room) {
        while (room > 0 && (s.p[room] & 0xc0) == 0x80)
            room--;
        s.n = room;
    }
    buf_slice(b, s);
}

/* The fields of the service's own AttributeValue class, in its order; those without a wire name are
 * always null. */
static const struct {
    const char *java;
    struct slice wire;
} value_fields[] = {
    { "s", SLICE("S") },       { "n", SLICE("N") },         { "b", SLICE("B") },
    { "iNT", SLICE("") },      { "dECIMAL", SLICE("") },    { "dOUBLE", SLICE("") },
    { "sS", SLICE("SS") },     { "nS", SLICE("NS") },       { "bS", SLICE("BS") },
    { "iNTSET", SLICE("") },   { "dECIMALSET", SLICE("") }, { "dOUBLESET", SLICE("") },
    { "m", SLICE("M") },       { "l", SLICE("L") },         { "nULL", SLICE("NULL") },
    { "bOOL", SLICE("BOOL") },
};

static void echo_value(struct buf *b, const struct json *node);

/* What an AttributeValue holds: text, a list or a map, of texts or of AttributeValues. */
static void echo_content(struct buf *b, const struct json *node, bool values)
{
    if (!node || node->type == JSON_NULL) {
        BUF_LIT(b, "null");
    } else if (node->type == JSON_ARRAY || (values && node->type == JSON_OBJECT)) {
        bool map = node->type == JSON_OBJECT;
        buf_u8(b, map ? '{' : '[');
        for (const struct json *c = node->first; c && !full(b); c = c->next) {
            if (c != node->first) BUF_LIT(b, ", ");
            if (map) {
                put_text(b, c->name);
                BUF_LIT(b, "=");
            }
            if (values)
                echo_value(b, c);
            else
                echo_content(b, c, false);
        }
        buf_u8(b, map ? '}' : ']');
    } else if (node->type == JSON_TRUE || node->type == JSON_FALSE) {
        buf_printf(b, "%s", node->type == JSON_TRUE ? "true" : "false");
    } else {
        put_text(b, node->text);
    }
}

static void echo_value(struct buf *b, const struct json *node)
{
    BUF_LIT(b, "AttributeValue(");
    for (size_t i = 0; i < sizeof(value_fields) / sizeof(value_fields[0]) && !full(b); i++) {
        struct slice wire = value_fields[i].wire;
        bool values = slice_eq(wire, SLICE("M")) || slice_eq(wire, SLICE("L"));
        buf_printf(b, "%s%s=", i ? ", " : "", value_fields[i].java);
        echo_content(b, wire.n ? json_get(node, wire) : NULL, values);
    }
    BUF_LIT(b, ")");
}

static void echo_structure(struct buf *b, const struct api_shape *shape, const struct json *node)
{
    buf_printf(b, "%s(", shape->name);
    for (unsigned i = 0; i < shape->count && !full(b); i++) {
        const struct api_member *m = &api_members[shape->first + i];
        buf_printf(b, "%s%c%.*s=", i ? ", " : "", m->name.p[0] | 0x20, (int)m->name.n - 1,
                   (const char *)m->name.p + 1);
        api_echo(b, &api_shapes[m->shape], json_get(node, m->name));
    }
    BUF_LIT(b, ")");
}

void api_echo(struct buf *b, const struct api_shape *shape, const struct json *node)
{
    if (api_absent(node)) {
        BUF_LIT(b, "null");
        return;
    }
    switch (shape->type) {
    case API_STRUCTURE:
        echo_structure(b, shape, node);
        break;
    case API_VALUE:
        echo_value(b, node);
        break;
    case API_LIST:
    case API_MAP:
        buf_u8(b, shape->type == API_MAP ? '{' : '[');
        for (const struct json *c = node->first; c && !full(b); c = c->next) {
            if (c != node->first) BUF_LIT(b, ", ");
            if (shape->type == API_MAP) {
                put_text(b, c->name);
                BUF_LIT(b, "=");
            }
            api_echo(b, &api_shapes[shape->first], c);
        }
        buf_u8(b, shape->type == API_MAP ? '}' : ']');
        break;
    case API_INTEGER:
        buf_printf(b, "%lld", (long long)param_number(node, INT32_MIN, INT32_MAX));
        break;
    case API_LONG:
        buf_printf(b, "%lld", (long long)param_number(node, INT64_MIN, INT64_MAX));
        break;
    default:
        echo_content(b, node, false);
    }
    if (full(b)) b->n = API_ECHO_MAX;
}
