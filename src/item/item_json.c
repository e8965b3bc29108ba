/* item_json.c: DynamoDB-JSON into encoded values, in one pass. Members of a map are sorted before
 * they are written, so every byte is written once in its place; only a container's length may have
 * to be made longer when it closes (enc_open, enc_close).
 *
 * On the way only the code of an error is kept exact. DynamoDB answers with a
 * SerializationException for a wrong JSON type anywhere in the request before it judges any value;
 * so when something is wrong, and only then, item_shape.c looks over the whole node again. */
#include "item_json.h"
#include "enc.h"

#define BAD_PARAMETER "One or more parameter values were invalid: "

struct writer {
    struct buf b;
    struct err *e;
    unsigned max_depth;
};

static int invalid(struct writer *w, const char *text)
{
    return err_set(w->e, ERR_ValidationException, "%s", text);
}

int num_error(struct err *e, enum num_status status, struct slice text)
{
    switch (status) {
    case NUM_OK:
        return 0;
    case NUM_TOO_LARGE:
        return err_set(e, ERR_ValidationException,
                       "Number overflow. Attempting to store a number with magnitude larger than "
                       "supported range");
    case NUM_TOO_SMALL:
        return err_set(e, ERR_ValidationException,
                       "Number underflow. Attempting to store a number with magnitude smaller than "
                       "supported range");
    case NUM_TOO_PRECISE:
        return err_set(e, ERR_ValidationException,
                       "Attempting to store more than 38 significant digits in a Number");
    default:
        if (!text.n)
            return err_set(e, ERR_ValidationException,
                           "The parameter cannot be converted to a numeric value");
        return err_set(e, ERR_ValidationException,
                       "The parameter cannot be converted to a numeric value: %.*s",
                       SLICE_ARG(text));
    }
}

static int put_string(struct writer *w, const struct json *node)
{
    if (node->type != JSON_STRING) return ERR_SerializationException;
    bool escape = node->text_escaped && json_needs_escape(node->text);
    uint8_t *start = enc_room(&w->b, 1 + ENC_VARINT_MAX + node->text.n), *p = start;
    *p++ = escape ? VAL_SQ : VAL_S;
    p = enc_write_varint(p, node->text.n);
    p = enc_write_bytes(p, node->text);
    w->b.n += (size_t)(p - start);
    return 0;
}

static int put_number(struct writer *w, const struct json *node)
{
    struct num num;
    if (node->type != JSON_STRING) return ERR_SerializationException;
    enum num_status status = num_parse(node->text, &num);
    if (status) return num_error(w->e, status, node->text);
    val_put_number(&w->b, slice_of(num.bytes, num.n));
    return 0;
}

static int put_binary(struct writer *w, const struct json *node)
{
    struct slice bytes;
    if (node->type != JSON_STRING || !base64_decode(w->e->arena, node->text, &bytes))
        return ERR_SerializationException;
    val_put_binary(&w->b, bytes);
    return 0;
}

/* "[a, b]": how Java prints the collection that was sent. */
static struct slice print_collection(struct arena *a, const struct json *list)
{
    struct buf b;
    buf_init(&b, a, SIZE_MAX / 4);
    buf_u8(&b, '[');
    for (const struct json *m = list->first; m; m = m->next) {
        buf_slice(&b, m->text);
        if (m->next) BUF_LIT(&b, ", ");
    }
    buf_u8(&b, ']');
    return buf_view(&b);
}

static int duplicate_members(struct writer *w, enum val_type type, const struct json *list)
{
    if (type == TYPE_NS) return invalid(w, "Input collection contains duplicates");
    struct slice all = print_collection(w->e->arena, list);
    return err_set(w->e, ERR_ValidationException,
                   BAD_PARAMETER "Input collection %.*s%s contains duplicates.", SLICE_ARG(all),
                   type == TYPE_BS ? "of type BS" : "");
}

static const char *const set_words[] = {
    [TYPE_SS] = "string", [TYPE_NS] = "number", [TYPE_BS] = "binary"
};

/* The content of one member as val_put_set takes it. */
static int set_member(struct writer *w, enum val_type type, const struct json *m, struct slice *out)
{
    struct arena *a = w->e->arena;
    if (m->type == JSON_NULL)
        return err_set(w->e, ERR_ValidationException,
                       BAD_PARAMETER "An %s set may not have a null %s as a member",
                       set_words[type], set_words[type]);
    if (m->type != JSON_STRING) return ERR_SerializationException;
    *out = m->text;
    if (type == TYPE_BS && !base64_decode(a, m->text, out)) return ERR_SerializationException;
    if (type == TYPE_NS) {
        struct num *num = arena_alloc(a, sizeof *num);
        enum num_status status = num_parse(m->text, num);
        if (status) return num_error(w->e, status, m->text);
        *out = slice_of(num->bytes, num->n);
    }
    return 0;
}

static int put_set(struct writer *w, enum val_type type, const struct json *node)
{
    if (node->type != JSON_ARRAY) return ERR_SerializationException;
    if (node->count == 0) {
        if (type == TYPE_BS) return invalid(w, BAD_PARAMETER "Binary sets should not be empty");
        /* Two blanks: theirs. */
        return err_set(w->e, ERR_ValidationException, BAD_PARAMETER "An %s set  may not be empty",
                       set_words[type]);
    }
    struct slice *contents = ARENA_ARRAY(w->e->arena, struct slice, node->count);
    size_t n = 0;
    for (const struct json *m = node->first; m; m = m->next) {
        int rc = set_member(w, type, m, &contents[n++]);
        if (rc) return rc;
    }
    if (!val_put_set(&w->b, type, contents, n)) return duplicate_members(w, type, node);
    return 0;
}

static int too_deep(struct err *e)
{
    return err_set(e, ERR_ValidationException,
                   "Nesting Levels have exceeded supported limits: Attributes in the item have "
                   "nested levels beyond supported limit");
}

/* A tree made by hand holds ready values: nothing is left to read, but they may be too deep. */
static int check_encoded(const struct json *node, unsigned depth, unsigned max_depth,
                         struct err *e)
{
    return val_depth(node->text) + depth > max_depth ? too_deep(e) : 0;
}

int val_check_depth(struct slice value, struct err *e)
{
    return val_depth(value) >= VAL_MAX_DEPTH ? too_deep(e) : 0;
}

static int put_value(struct writer *w, const struct json *node, unsigned depth);

int attr_name_check(struct slice name, struct err *e)
{
    if (name.n == 0)
        return err_set(e, ERR_ValidationException, "Empty attribute name");
    if (name.n > ATTR_NAME_MAX)
        return err_set(e, ERR_ValidationException,
                       "Attribute name is too large, must be less than %d bytes",
                       ATTR_NAME_MAX + 1);
    return 0;
}

static int put_list(struct writer *w, const struct json *node, unsigned depth)
{
    if (node->type != JSON_ARRAY) return ERR_SerializationException;
    size_t opened = enc_open(&w->b, VAL_L, node->count);
    for (const struct json *m = node->first; m; m = m->next) {
        int rc = put_value(w, m, depth);
        if (rc) return rc;
    }
    enc_close(&w->b, opened);
    return 0;
}

static int put_map(struct writer *w, const struct json *node, unsigned depth)
{
    if (node->type != JSON_OBJECT) return ERR_SerializationException;
    /* While they are sorted, an attribute's value is the address of its node. */
    struct attr few[32], *attrs = few;
    if (node->count > 32) attrs = ARENA_ARRAY(w->e->arena, struct attr, node->count);
    size_t n = 0;
    for (const struct json *m = node->first; m; m = m->next)
        attrs[n++] = (struct attr){ m->name, slice_of(m, 0) };
    n = enc_sort_attrs(w->e->arena, attrs, n);
    size_t opened = enc_open(&w->b, VAL_M, n);
    for (size_t i = 0; i < n; i++) {
        const struct json *m = (const struct json *)attrs[i].value.p;
        int rc = attr_name_check(m->name, w->e);
        if (rc) return rc;
        bool escape = m->name_escaped && json_needs_escape(m->name);
        uint8_t *start = enc_room(&w->b, ENC_VARINT_MAX + m->name.n), *p = start;
        p = enc_write_varint(p, (uint64_t)m->name.n << 1 | escape);
        p = enc_write_bytes(p, m->name);
        w->b.n += (size_t)(p - start);
        rc = put_value(w, m, depth);
        if (rc) return rc;
    }
    enc_close(&w->b, opened);
    return 0;
}

/* depth: lists and maps around this value, the item included. */
static int put_typed(struct writer *w, enum val_type type, const struct json *node, unsigned depth)
{
    bool v;
    switch (type) {
    case TYPE_S:
        return put_string(w, node);
    case TYPE_N:
        return put_number(w, node);
    case TYPE_B:
        return put_binary(w, node);
    case TYPE_BOOL:
        if (!json_boolean(node, &v)) return ERR_SerializationException;
        val_put_bool(&w->b, v);
        return 0;
    case TYPE_NULL:
        if (!json_boolean(node, &v)) return ERR_SerializationException;
        if (!v)
            return invalid(w,
                           BAD_PARAMETER "Null attribute value types must have the value of true");
        val_put_null(&w->b);
        return 0;
    case TYPE_L:
    case TYPE_M:
        if (depth == w->max_depth) return too_deep(w->e);
        return type == TYPE_L ? put_list(w, node, depth + 1) : put_map(w, node, depth + 1);
    default:
        return put_set(w, type, node);
    }
}

/* Several members: null and unknown ones do not count, of a repeated one the last does. */
static int put_one_of_several(struct writer *w, const struct json *node, unsigned depth)
{
    const struct json *last[TYPE_BOOL + 1] = { NULL };
    for (const struct json *m = node->first; m; m = m->next)
        last[val_type_from_name(m->name)] = m;
    unsigned found = 0;
    size_t start = w->b.n;
    for (const struct json *m = node->first; m; m = m->next) {
        enum val_type type = val_type_from_name(m->name);
        if (type == TYPE_NONE || m != last[type] || m->type == JSON_NULL) continue;
        w->b.n = start;
        int rc = put_typed(w, type, m, depth);
        if (rc) return rc;
        found++;
    }
    if (found == 1) return 0;
    if (found > 1)
        return invalid(
            w, "Supplied AttributeValue has more than one datatypes set, must contain exactly "
               "one of the supported datatypes");
    return invalid(w, "Supplied AttributeValue is empty, must contain exactly one of the supported "
                      "datatypes");
}

static int put_value(struct writer *w, const struct json *node, unsigned depth)
{
    if (node->type == JSON_OBJECT && node->count == 1 && node->first->type != JSON_NULL) {
        enum val_type type = val_type_from_name(node->first->name);
        if (type != TYPE_NONE) return put_typed(w, type, node->first, depth);
    }
    if (node->type == JSON_ENCODED) {
        int rc = check_encoded(node, depth, w->max_depth, w->e);
        if (!rc) buf_slice(&w->b, node->text);
        return rc;
    }
    if (node->type != JSON_OBJECT && node->type != JSON_NULL) return ERR_SerializationException;
    return put_one_of_several(w, node, depth);
}

/* The shape's complaint, if there is one, comes before the value's. */
static int judge(int rc, int (*shape)(const struct json *, struct err *), const struct json *node,
                 struct err *e)
{
    if (!rc) return 0;
    struct err misfit = { .arena = e->arena };
    if (shape(node, &misfit))
        *e = misfit;
    else if (rc == ERR_SerializationException)
        return err_set(e, ERR_SerializationException, "Unexpected value type in payload");
    return (int)e->code;
}

static int value_from_json(struct arena *a, const struct json *node, unsigned max_depth,
                           struct slice *out, struct err *e)
{
    if (node->type == JSON_ENCODED) {
        *out = node->text;
        return check_encoded(node, 1, max_depth, e);
    }
    struct writer w = { .e = e, .max_depth = max_depth };
    buf_init(&w.b, a, SIZE_MAX / 4);
    int rc = put_value(&w, node, 1);
    *out = buf_view(&w.b);
    return judge(rc, val_json_shape, node, e);
}

int val_from_json(struct arena *a, const struct json *node, struct slice *out, struct err *e)
{
    return value_from_json(a, node, VAL_MAX_DEPTH, out, e);
}

int operand_from_json(struct arena *a, const struct json *node, struct slice *out, struct err *e)
{
    return value_from_json(a, node, VAL_MAX_OPERAND_DEPTH, out, e);
}

int item_from_json(struct arena *a, const struct json *node, struct slice *out, struct err *e)
{
    if (node->type == JSON_ENCODED) {
        *out = node->text;
        return check_encoded(node, 0, VAL_MAX_DEPTH, e);
    }
    struct writer w = { .e = e, .max_depth = VAL_MAX_DEPTH };
    buf_init(&w.b, a, SIZE_MAX / 4);
    int rc = put_map(&w, node, 1);
    *out = buf_view(&w.b);
    return judge(rc, item_json_shape, node, e);
}
