/* shape.h: the form of the tables in shapes.inc, and what the parts of api_validate share. */
#ifndef OF_ENGINE_API_SHAPE_H
#define OF_ENGINE_API_SHAPE_H

#include "api.h"

enum api_type {
    API_STRUCTURE,
    API_LIST,
    API_MAP,
    API_STRING,
    API_INTEGER,
    API_LONG,
    API_DOUBLE,
    API_BOOLEAN,
    API_BLOB,
    API_TIMESTAMP,
    API_VALUE /* AttributeValue: not ours to look into */
};

/* of a shape */
#define API_MIN        1 /* min holds: of a number its value, else its length */
#define API_MAX        2
#define API_TABLE      4 /* a table's name or ARN */
#define API_TABLE_KEYS 8 /* a map whose keys are such */

/* of a member */
#define API_REQUIRED 1

/* of an operation, see overrides.json */
#define API_OP_NAMED         1
#define API_OP_NAMES_LAST    2
#define API_OP_LENGTHS_FIRST 4
#define API_OP_RESOURCE      8

struct api_member {
    struct slice name;
    uint16_t shape;
    uint8_t flags;
};

/* What a regular expression of the description matches, said in a simpler way: overrides.json. */
struct api_pattern {
    struct slice text;         /* the expression, as errors show it */
    uint64_t all[2], ends[2];  /* sets of ASCII characters: for all, for the first and the last */
    uint32_t min, max;         /* characters; max 0: any number */
    uint32_t multiple;
    bool wide;                 /* characters outside ASCII match as well */
};

struct api_shape {
    const char *name;
    uint8_t type, flags;
    uint16_t first, count; /* structure: its members; enum: its values; list, map: first is the
                              element's shape */
    int64_t min, max;
    const char *empty; /* what is said of it when it is empty, or NULL for the usual form */
    uint8_t pattern;   /* its place in api_patterns, from 1; 0: none */
    uint32_t required; /* structure: a bit for each member that must be there */
};

extern const struct api_shape *const api_shapes;
extern const struct api_member *const api_members;
extern const struct slice *const api_values;
extern const struct api_pattern *const api_patterns; /* the first: of names */

static inline bool api_absent(const struct json *node)
{
    return !node || node->type == JSON_NULL;
}

/* types.c: 0, or a SerializationException. *suspect: something may not hold what its shape allows, and
 * api_check_constraints is to be asked; of a member that is repeated all are looked at here, there only the last, which counts. */
int api_check_types(const struct api_shape *shape, const struct json *body, bool *suspect, struct err *e);
/* constraints.c: does the value itself, without what is in it, hold what its shape allows? length: its length too. */
bool api_fits(const struct api_shape *shape, const struct json *node, bool length);
/* 0, or a ValidationException that says all that does not fit. */
int api_check_constraints(const struct api_op *op, const struct json *body, struct arena *a,
                          struct err *e);
/* 0, or a ValidationException for the member without which an operation looks at nothing else. */
int api_check_name(const struct api_op *op, const struct json *body, struct err *e);

/* echo.c: a value as the service prints it inside an error, cut at API_ECHO_MAX bytes. */
#define API_ECHO_MAX (64 << 10)
void api_echo(struct buf *b, const struct api_shape *shape, const struct json *node);

#endif
