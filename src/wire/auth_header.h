/* auth_header.h: reads who signed a request, from the Authorization header or from a presigned
 * query, and refuses what is not well formed, in DynamoDB's words. Whether the signature is right
 * is another matter (src/auth, later). */
#ifndef OF_WIRE_AUTH_HEADER_H
#define OF_WIRE_AUTH_HEADER_H

#include "../base/err.h"

/* What the check looks at; absent headers have p == NULL. */
struct auth_input {
    struct slice authorization, x_amz_date, date, query;
};

/* Slices borrow from the input or live in e->arena. */
struct auth {
    struct slice access_key, region;
};

int auth_read(const struct auth_input *in, struct auth *out, struct err *e);

#endif
