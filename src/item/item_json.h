/* item_json.h: between DynamoDB-JSON ({"S": "x"}, {"N": "1"} ...) and encoded values, with DynamoDB's
 * checks and words for what is wrong with an attribute value. */
#ifndef OF_ITEM_ITEM_JSON_H
#define OF_ITEM_ITEM_JSON_H

#include "../base/err.h"
#include "json.h"
#include "value.h"

/* One AttributeValue, e.g. {"S": "x"}. Returns 0 or an err_code with e filled:
 * SerializationException for a JSON type that does not fit, ValidationException for the rest
 * (no type or several types, NaN, empty or duplicate set members, bad base64, nesting over 32 ...).
 * Empty strings and binaries are accepted here; that a key may not be empty is the engine's to say. */
int val_from_json(struct arena *a, const struct json *node, struct slice *out, struct err *e);
/* The same for a value that is only compared with: it may nest deeper, since it is not stored. */
int operand_from_json(struct arena *a, const struct json *node, struct slice *out, struct err *e);
/* Is a value, as it was read, one that an attribute can have? 0 or a ValidationException. */
int val_check_depth(struct slice value, struct err *e);
/* A map of attribute name to AttributeValue, to an encoded item (a VAL_M). */
int item_from_json(struct arena *a, const struct json *node, struct slice *out, struct err *e);

/* Only whether the JSON fits: 0, or a SerializationException in AWS's words. The two functions above look
 * for these first by themselves; a request with values in several places should have all its places
 * looked over before any value is judged, as DynamoDB does. A JSON null fits anywhere. */
int val_json_shape(const struct json *node, struct err *e);
int item_json_shape(const struct json *node, struct err *e);
/* AWS takes true and false, and as strings in any case true, false, yes, no, 1, 0. */
bool json_boolean(const struct json *node, bool *out);

/* A ValidationException for what num_parse, num_add or num_sub said, or 0 for NUM_OK; text: what was
 * parsed. */
int num_error(struct err *e, enum num_status status, struct slice text);

/* Is it a name an attribute, or a map's member, can have? 0 or a ValidationException. The two functions at
 * the top check every name with it. */
#define ATTR_NAME_MAX 65535
int attr_name_check(struct slice name, struct err *e);

/* {"S":"x"} for a value; {"a":{"S":"x"},...} for an item. */
void val_to_json(struct buf *b, struct slice value);
void item_to_json(struct buf *b, struct slice item);
/* The longest text of an item of 400 KB: a list of sets whose numbers have 2 bytes (1E-130 to 99E-130) and are written with 132 characters,
 * two quotes and a comma, 67.5 for each byte. */
#define ITEM_MAX_JSON ((size_t)32 << 20)
/* The same item in what is sent or kept and not answered: numbers as num_format_short has them. Of 400 KB it is at most 4 MB: a list of
 * empty strings, {"S":""}, has 9 characters for each byte. Slower than item_to_json. */
void item_to_json_short(struct buf *b, struct slice item);

/* Base64 with padding, as AWS writes it. Decoding: strict; false if it is not base64. */
void base64_put(struct buf *b, struct slice bytes);
bool base64_decode(struct arena *a, struct slice text, struct slice *out);

#endif
