/* types.c: does every member have the JSON type that its shape asks for? The words are those of the
 * Java deserializer behind the service, recorded from it; they depend on whether the value is a
 * field of a structure or an element of a list or map. */
#include "shape.h"
#include "../../item/item_json.h"

#define PACKAGE "com.amazonaws.dynamodb.v20120810."

enum place { FIELD, ELEMENT };

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

static int check(const struct api_shape *shape, const struct json *node, enum place place,
                 struct err *e);

static int check_structure(const struct api_shape *shape, const struct json *node, struct err *e)
{
    const struct api_member *m = &api_members[shape->first];
    for (const struct json *child = node->first; child; child = child->next) {
        for (unsigned i = 0; i < shape->count; i++) {
            if (!slice_eq(m[i].name, child->name)) continue;
            int rc = check(&api_shapes[m[i].shape], child, FIELD, e);
            if (rc) return rc;
            break;
        }
    }
    return 0;
}

static int check(const struct api_shape *shape, const struct json *node, enum place place,
                 struct err *e)
{
    if (node->type == JSON_NULL) return 0;
    bool composite = shape->type <= API_MAP || shape->type == API_VALUE;
    if (!composite) return check_scalar(shape, node, e);
    if (node->type == JSON_ENCODED) return 0; /* made by hand, from checked values */
    if (node->type != JSON_ARRAY && node->type != JSON_OBJECT) return not_a_scalar(shape, place, e);
    if (shape->type == API_LIST && node->type == JSON_OBJECT)
        return mismatch(e, "Start of structure or map found where not expected");
    if (shape->type != API_LIST && node->type == JSON_ARRAY) return not_an_array(shape, e);
    if (shape->type == API_VALUE) return val_json_shape(node, e);
    if (shape->type == API_STRUCTURE) return check_structure(shape, node, e);
    for (const struct json *child = node->first; child; child = child->next) {
        int rc = check(&api_shapes[shape->first], child, ELEMENT, e);
        if (rc) return rc;
    }
    return 0;
}

int api_check_types(const struct api_shape *shape, const struct json *body, struct err *e)
{
    return check_structure(shape, body, e);
}
