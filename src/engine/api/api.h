/* api.h: the API as data: which operations exist, what a request may hold, and one check of a
 * request against that, in the service's order and words. shapes.inc holds the data
 * (tools/gen_api.py). */
#ifndef OF_ENGINE_API_API_H
#define OF_ENGINE_API_API_H

#include "../../base/err.h"
#include "../../item/json.h"

struct api_op {
    struct slice name;
    const char *target; /* "DynamoDB_20120810" or "DynamoDBStreams_20120810" */
    uint16_t input;     /* its shape */
    uint8_t flags;
};

/* Every operation the service has; NULL if there is none. */
const struct api_op *api_find(struct slice name);
/* Its place among all of them, which go by name. */
size_t api_number(const struct api_op *op);

/* Can it be a table's or an index's name? */
bool api_is_name(struct slice s);

/* Checks types (SerializationException), then constraints (ValidationException). What holds when it
 * returns 0: every member that the shape knows has its JSON type or is null, which counts as
 * absent; required members are there; strings of an enum are one of its values; elements of lists
 * and maps are not null. AttributeValues have the JSON types of their kinds, or are null; what they
 * say is for the item layer to judge. Members that the shape does not know are ignored, as the
 * service does. */
int api_validate(const struct api_op *op, const struct json *body, struct arena *a, struct err *e);

#endif
