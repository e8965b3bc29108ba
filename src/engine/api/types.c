/* types.c: does every member have the JSON type that its shape asks for? The words are those of the
 * Java deserializer behind the service, recorded from it; they depend on whether the value is a
 * field of a structure or an element of a list or map.
 *
 * The same walk asks of each value whether it holds what its shape allows, so that a request which is fine, as nearly all are,
 * is walked once. What is to be said of one that is not comes after all types were found right: constraints.c. */
#include "shape.h"
#include "../../item/item_json.h"

#define PACKAGE "com.amazonaws.dynamodb.v20120810."

enum place { FIELD, ELEMENT };

struct check {
    struct err *err;
    bool suspect; /* see shape.h */
};

static const char *const java_names[] = {
    [API_STRING] = "String", [API_INTEGER] = "Integer", [API_LONG] = "Long",
    [API_DOUBLE] = "Double", [API_BOOLEAN] = "Boolean", [API_TIMESTAMP] = "Date",
};

static int mismatch(struct err *e, const char *text)
{
    return err_set(e, ERR_SerializationException, "%s", text);
}

/* A scalar where the shape is a list, map or structure. */
static int not_a_scalar(const struct api_shape *shape, enum place place, struct err *e)
{
    if (place == FIELD) return mismatch(e, "Unexpected field type");
    if (shape->type == API_STRUCTURE || shape->type == API_VALUE)
        return mismatch(e, "Unexpected value type in payload");
    return mismatch(e,
                    "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be "
                    "cast to class java.lang.Class "
                    "(sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and "
                    "java.lang.Class are in module java.base of loader 'bootstrap')");
}

static void put_java_type(struct buf *b, const struct api_shape *shape)
{
    switch (shape->type) {
    case API_STRUCTURE:
    case API_VALUE:
        buf_printf(b, PACKAGE "%s", shape->name);
        break;
    case API_LIST:
        BUF_LIT(b, "java.util.List<");
        put_java_type(b, &api_shapes[shape->first]);
        BUF_LIT(b, ">");
        break;
    case API_MAP:
        BUF_LIT(b, "java.util.Map<java.lang.String, ");
        put_java_type(b, &api_shapes[shape->first]);
        BUF_LIT(b, ">");
        break;
    case API_BLOB:
        BUF_LIT(b, "java.nio.ByteBuffer");
        break;
    default:
        buf_printf(b, "java.lang.%s", java_names[shape->type]);
    }
}

/* An array where the shape is no list. */
static int not_an_array(const struct api_shape *shape, struct err *e)
{
    struct buf b;
    buf_init(&b, e->arena, 1 << 10);
    put_java_type(&b, shape);
    return err_set(e, ERR_SerializationException, "Unrecognized collection type %s%.*s",
                   shape->type == API_MAP ? "" : "class ", SLICE_ARG(buf_view(&b)));
}

static int not_convertible(const char *token, const struct api_shape *shape, struct err *e)
{
    return err_set(e, ERR_SerializationException, "%s cannot be converted to %s", token,
                   java_names[shape->type]);
}

static const char *token_of(const struct json *node)
{
    switch (node->type) {
    case JSON_TRUE:
        return "TRUE_VALUE";
    case JSON_FALSE:
        return "FALSE_VALUE";
    case JSON_STRING:
        return "STRING_VALUE";
    default:
        return memchr(node->text.p, '.', node->text.n) ? "DECIMAL_VALUE" : "NUMBER_VALUE";
    }
}

static int check_scalar(const struct api_shape *shape, const struct json *node, struct err *e)
{
    if (node->type == JSON_ARRAY) return not_an_array(shape, e);
    if (node->type == JSON_OBJECT)
        return mismatch(e, "Start of structure or map found where not expected");
    bool string = node->type == JSON_STRING, number = node->type == JSON_NUMBER, yes;
    switch (shape->type) {
    case API_STRING:
        return string ? 0 : not_convertible(token_of(node), shape, e);
    case API_BLOB:
        return string ? 0 : mismatch(e, "only base-64-encoded strings are convertible to bytes");
    case API_BOOLEAN:
        if (number) return not_convertible(token_of(node), shape, e);
        return json_boolean(node, &yes) ? 0 : mismatch(e, "Unexpected token received from parser");
    case API_TIMESTAMP:
        return string || number ? 0 : not_convertible(token_of(node), shape, e);
    default:
        return number ? 0 : not_convertible(token_of(node), shape, e);
    }
}

/* Is there anything to ask of the value itself? */
static bool has_rules(const struct api_shape *shape)
{
    if (shape->type == API_MAP) return shape->flags || api_shapes[shape->first].type == API_LIST;
    return shape->flags || shape->pattern || (shape->type == API_STRING && shape->count);
}

static int check(struct check *c, const struct api_shape *shape, const struct json *node, enum place place, bool in_map);

static const struct api_member *member_named(const struct api_shape *shape, struct slice name)
{
    const struct api_member *m = &api_members[shape->first], *end = m + shape->count;
    while (m != end && !slice_eq(m->name, name)) m++;
    return m == end ? NULL : m;
}

static int check_structure(struct check *c, const struct api_shape *shape, const struct json *node)
{
    uint32_t there = 0;
    for (const struct json *child = node->first; child; child = child->next) {
        const struct api_member *m = member_named(shape, child->name);
        if (!m) continue;
        uint32_t bit = 1u << (m - &api_members[shape->first]);
        if (child->type == JSON_NULL) {
            there &= ~bit;
            continue;
        }
        there |= bit;
        int rc = check(c, &api_shapes[m->shape], child, FIELD, false);
        if (rc) return rc;
    }
    if (shape->required & ~there) c->suspect = true;
    return 0;
}

static int check_elements(struct check *c, const struct api_shape *shape, const struct json *node)
{
    const struct api_shape *type = &api_shapes[shape->first];
    for (const struct json *child = node->first; child; child = child->next) {
        if (child->type == JSON_NULL && type->type != API_VALUE) c->suspect = true;
        int rc = check(c, type, child, ELEMENT, shape->type == API_MAP);
        if (rc) return rc;
    }
    return 0;
}

static int check_composite(struct check *c, const struct api_shape *shape, const struct json *node, enum place place)
{
    if (node->type == JSON_ENCODED) return 0; /* made by hand, from checked values */
    if (node->type != JSON_ARRAY && node->type != JSON_OBJECT) return not_a_scalar(shape, place, c->err);
    if (shape->type == API_LIST && node->type == JSON_OBJECT)
        return mismatch(c->err, "Start of structure or map found where not expected");
    if (shape->type != API_LIST && node->type == JSON_ARRAY) return not_an_array(shape, c->err);
    if (shape->type == API_VALUE) return val_json_shape(node, c->err);
    return shape->type == API_STRUCTURE ? check_structure(c, shape, node) : check_elements(c, shape, node);
}

static int check(struct check *c, const struct api_shape *shape, const struct json *node, enum place place, bool in_map)
{
    if (node->type == JSON_NULL) return 0;
    bool composite = shape->type <= API_MAP || shape->type == API_VALUE;
    int rc = composite ? check_composite(c, shape, node, place) : check_scalar(shape, node, c->err);
    if (!rc && !c->suspect && has_rules(shape)) c->suspect = !api_fits(shape, node, !in_map);
    return rc;
}

int api_check_types(const struct api_shape *shape, const struct json *body, bool *suspect, struct err *e)
{
    struct check c = { .err = e };
    int rc = check_structure(&c, shape, body);
    *suspect = c.suspect;
    return rc;
}
