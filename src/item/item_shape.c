/* item_shape.c: does the JSON fit the shape of an AttributeValue? What does not is a
 * SerializationException, and DynamoDB finds those in the whole request before it looks at any
 * value. The words are those that AWS's deserialiser uses. */
#include "item_json.h"

/* Deeper values are refused for their nesting, so their shape does not matter. */
#define MAX_SHAPE_DEPTH 64

#define JAVA_VALUE "com.amazonaws.dynamodb.v20120810.AttributeValue"

static int fail(struct err *e, const char *text)
{
    return err_set(e, ERR_SerializationException, "%s", text);
}

/* A number literal with a fraction or an exponent is a DECIMAL_VALUE. */
static const char *token_name(const struct json *node)
{
    switch (node->type) {
    case JSON_TRUE:
        return "TRUE_VALUE";
    case JSON_FALSE:
        return "FALSE_VALUE";
    default:
        for (size_t i = 0; i < node->text.n; i++)
            if (node->text.p[i] == '.' || (node->text.p[i] | 0x20) == 'e') return "DECIMAL_VALUE";
        return "NUMBER_VALUE";
    }
}

static int shape_scalar(const struct json *node, const char *java, struct err *e)
{
    if (node->type == JSON_ARRAY)
        return err_set(e, ERR_SerializationException, "Unrecognized collection type class %s",
                       java);
    if (node->type == JSON_OBJECT)
        return fail(e, "Start of structure or map found where not expected");
    return 0;
}

static int shape_string(const struct json *node, struct err *e)
{
    if (node->type == JSON_STRING || node->type == JSON_NULL) return 0;
    int rc = shape_scalar(node, "java.lang.String", e);
    if (rc) return rc;
    return err_set(e, ERR_SerializationException, "%s cannot be converted to String",
                   token_name(node));
}

static int shape_boolean(const struct json *node, struct err *e)
{
    bool v;
    if (node->type == JSON_NULL || json_boolean(node, &v)) return 0;
    if (node->type == JSON_STRING) return fail(e, "Unexpected token received from parser");
    int rc = shape_scalar(node, "java.lang.Boolean", e);
    if (rc) return rc;
    return err_set(e, ERR_SerializationException, "%s cannot be converted to Boolean",
                   token_name(node));
}

static int shape_blob(const struct json *node, struct err *e)
{
    if (node->type == JSON_NULL) return 0;
    int rc = shape_scalar(node, "java.nio.ByteBuffer", e);
    if (rc) return rc;
    if (node->type != JSON_STRING)
        return fail(e, "only base-64-encoded strings are convertible to bytes");
    if (node->text.n % 4)
        return err_set(e, ERR_SerializationException,
                       "Base64 encoded length is expected a multiple of 4 bytes but found: %zu",
                       node->text.n);
    struct slice bytes;
    if (!base64_decode(e->arena, node->text, &bytes))
        return fail(e, "Invalid last non-pad Base64 character dectected"); /* their spelling */
    return 0;
}

static int shape_value(const struct json *node, unsigned depth, struct err *e);

static int shape_list(const struct json *node, enum val_type type, unsigned depth, struct err *e)
{
    int rc = 0;
    if (node->type == JSON_NULL) return 0;
    if (node->type == JSON_OBJECT)
        return fail(e, "Start of structure or map found where not expected");
    if (node->type != JSON_ARRAY) return fail(e, "Unexpected field type");
    for (const struct json *m = node->first; m && !rc; m = m->next) {
        if (type == TYPE_L)
            rc = shape_value(m, depth, e);
        else if (type == TYPE_BS)
            rc = shape_blob(m, e);
        else
            rc = shape_string(m, e);
    }
    return rc;
}

static int shape_map(const struct json *node, unsigned depth, struct err *e)
{
    int rc = 0;
    if (node->type == JSON_NULL || node->type == JSON_ENCODED) return 0;
    if (node->type == JSON_ARRAY)
        return fail(e,
                    "Unrecognized collection type java.util.Map<java.lang.String, " JAVA_VALUE ">");
    if (node->type != JSON_OBJECT) return fail(e, "Unexpected field type");
    for (const struct json *m = node->first; m && !rc; m = m->next)
        rc = shape_value(m, depth, e);
    return rc;
}

/* Recursion ends at MAX_SHAPE_DEPTH. */
static int shape_value(const struct json *node, unsigned depth, struct err *e)
{
    int rc = 0;
    if (node->type == JSON_NULL || node->type == JSON_ENCODED || depth > MAX_SHAPE_DEPTH) return 0;
    if (node->type == JSON_ARRAY) return fail(e, "Unrecognized collection type class " JAVA_VALUE);
    if (node->type != JSON_OBJECT) return fail(e, "Unexpected value type in payload");
    for (const struct json *m = node->first; m && !rc; m = m->next) {
        enum val_type type = val_type_from_name(m->name);
        switch (type) {
        case TYPE_S:
        case TYPE_N:
            rc = shape_string(m, e);
            break;
        case TYPE_B:
            rc = shape_blob(m, e);
            break;
        case TYPE_BOOL:
        case TYPE_NULL:
            rc = shape_boolean(m, e);
            break;
        case TYPE_M:
            rc = shape_map(m, depth + 1, e);
            break;
        case TYPE_NONE:
            break; /* AWS ignores members it does not know */
        default:
            rc = shape_list(m, type, depth + 1, e);
        }
    }
    return rc;
}

int val_json_shape(const struct json *node, struct err *e)
{
    return shape_value(node, 0, e);
}

int item_json_shape(const struct json *node, struct err *e)
{
    return shape_map(node, 0, e);
}

bool json_boolean(const struct json *node, bool *out)
{
    static const struct {
        const char *text;
        bool value;
    } words[] = { { "true", true },   { "1", true },  { "yes", true },
                  { "false", false }, { "0", false }, { "no", false } };
    if (node->type == JSON_TRUE || node->type == JSON_FALSE) {
        *out = node->type == JSON_TRUE;
        return true;
    }
    if (node->type != JSON_STRING) return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (node->text.n != strlen(words[i].text)) continue;
        if (strncasecmp((const char *)node->text.p, words[i].text, node->text.n) != 0) continue;
        *out = words[i].value;
        return true;
    }
    return false;
}
