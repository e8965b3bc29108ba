/* auth_header.h: reads what a request's signature says of itself, from the Authorization header or from a presigned query, and refuses
 * what is not well formed, in DynamoDB's words. Whether the signature is right is sigv4.h's. */
#ifndef OF_WIRE_AUTH_HEADER_H
#define OF_WIRE_AUTH_HEADER_H

#include "../auth/sigv4.h"

/* What the check looks at; absent headers have p == NULL. */
struct auth_input {
    struct slice authorization, x_amz_date, date, security_token, query;
    const struct sigv4_request *request; /* whose signature will be verified: then time and signed headers are looked at in between; NULL: none */
    int64_t now;
};

/* Slices borrow from the input or live in e->arena. A claim that is refused has its access key nevertheless, if it has one. */
int auth_read(const struct auth_input *in, struct sigv4_claim *out, struct err *e);

#endif
