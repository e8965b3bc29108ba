/* params.h: reads the members of a request that api_validate let through, so nothing here can fail.
 * A member that is null counts as absent. Numbers and booleans are read as the service's
 * deserializer does: fractions are cut off, numbers out of range become the nearest in range,
 * "true", "yes" and "1" are true. */
#ifndef OF_ENGINE_API_PARAMS_H
#define OF_ENGINE_API_PARAMS_H

#include "../../item/json.h"

/* The member, or NULL if absent. */
const struct json *param_get(const struct json *req, struct slice name);
#define PARAM_GET(req, lit) param_get((req), SLICE(lit))

bool param_present(const struct json *req, struct slice name);
/* Borrowed from the request; p is NULL if absent (an empty string has a p). */
struct slice param_string(const struct json *req, struct slice name);
bool param_bool(const struct json *req, struct slice name, bool otherwise);
/* False if absent; *out is then left alone. */
bool param_int(const struct json *req, struct slice name, int64_t *out);
/* A timestamp, which is in seconds with a fraction, in milliseconds. False if absent. */
bool param_time_ms(const struct json *req, struct slice name, int64_t *out);
/* The index in values, a list of n; otherwise if absent or not in the list. */
int param_enum(const struct json *req, struct slice name, const char *const *values, int n,
               int otherwise);

/* A table is named or given by its ARN: the name of either. */
struct slice param_table(const struct json *req, struct slice name);
struct slice table_of(struct slice name_or_arn);

/* The integer that a JSON number stands for, within [low, high]. */
int64_t param_number(const struct json *node, int64_t low, int64_t high);

#endif
