/* sigv4.h: AWS Signature Version 4, from the side that checks it: what a request should have been signed with, and whether it was. The
 * exceptions and their texts are DynamoDB's (README.md says how we know). No clock, no sockets: time and request are given. */
#ifndef OF_AUTH_SIGV4_H
#define OF_AUTH_SIGV4_H

#include "credentials.h"

#define SIGV4_WINDOW_MINUTES 15 /* by which the time of a signature may differ from ours: DynamoDB's */
#define SIGV4_MAX_EXPIRES    604800 /* seconds: what a presigned request may ask for, a week */
#define SIGV4_MAX_HEADERS    128u   /* that are signed: as many as a request may have */

struct sigv4_header {
    struct slice name, value;
};

/* A request as it was sent: nothing decoded, nothing joined. */
struct sigv4_request {
    struct slice method, path, query;
    const struct sigv4_header *headers;
    size_t n_headers;
    struct slice body;
};

/* What a signature says of itself. */
struct sigv4_claim {
    struct slice access_key, day, region, service, term; /* the credential's parts */
    struct slice signed_headers, signature;
    struct slice date;    /* 20150830T123600Z */
    struct slice expires; /* X-Amz-Expires of a presigned request; .p NULL: none */
    struct slice token;   /* X-Amz-Security-Token; empty: none */
    bool presigned;       /* the signature is in the query */
    bool token_apart;     /* which was signed before the token was put there */
    bool checked;         /* sigv4_check_claim had nothing against it */
};

/* Regions end up in ARNs: this is how they are written. */
bool sigv4_is_region(struct slice s);
/* What is looked at first, before the credential is even read: whether it is in time, and whether what must be signed is among what it says that it has
 * signed. now: seconds since 1970. */
int sigv4_check_claim(const struct sigv4_request *r, const struct sigv4_claim *c, int64_t now, struct err *e);
/* Whether the key is known and the request signed with it. who lives as long as the set is held. */
int sigv4_verify(const struct sigv4_request *r, const struct sigv4_claim *c, struct credentials *set, int64_t now,
                 const struct identity **who, struct err *e);

/* The two texts that a signature is made of. Visible for tests. */
struct slice sigv4_canonical(struct arena *a, const struct sigv4_request *r, const struct sigv4_claim *c);
struct slice sigv4_string_to_sign(struct arena *a, struct slice canonical, const struct sigv4_claim *c);

#endif
