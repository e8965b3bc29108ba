/* api.c: the tables, and the order of the checks. */
#include "shape.h"

#define S(lit)                                                                                     \
    {                                                                                              \
        (const uint8_t *)(lit), sizeof(lit) - 1                                                    \
    }
#include "shapes.inc"
#undef S

const struct api_shape *const api_shapes = shapes;
const struct api_member *const api_members = members;
const struct slice *const api_values = values;
const struct api_pattern *const api_patterns = patterns;

const struct api_op *api_find(struct slice name)
{
    size_t low = 0, high = sizeof(operations) / sizeof(operations[0]);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int c = slice_cmp(name, operations[middle].name);
        if (c == 0) return &operations[middle];
        if (c < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

size_t api_number(const struct api_op *op)
{
    return (size_t)(op - operations);
}

int api_validate(const struct api_op *op, const struct json *body, struct arena *a, struct err *e)
{
    /* The service gives no message here, as for a body that is no JSON at all. */
    if (!body || body->type != JSON_OBJECT) return err_set(e, ERR_SerializationException, "%s", "");
    bool suspect = false;
    int rc = api_check_types(&shapes[op->input], body, &suspect, e);
    if (!rc && op->flags) rc = api_check_name(op, body, e);
    if (!rc && suspect) rc = api_check_constraints(op, body, a, e);
    return rc;
}
