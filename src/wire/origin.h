/* origin.h: which Host and which Origin a request may carry. A database without a password must not
 * be readable by any web page: a page of another site carries a foreign Origin, and a page that had
 * its own name rebound to 127.0.0.1 carries a foreign Host. Pure functions over header values. */
#ifndef OF_WIRE_ORIGIN_H
#define OF_WIRE_ORIGIN_H

#include "../base/slice.h"

struct origin_rules {
    const char *const *allow_hosts; /* --allow-host: names, with or without port; "*": any */
    size_t n_allow_hosts;
    const char *const *cors; /* --cors: origins; "*": any */
    size_t n_cors;
};

/* "localhost", 127.0.0.0/8, [::1], each with or without a port. */
bool host_is_loopback(struct slice host);
/* local: address and port the connection came in on, which a client may well name. */
bool host_allowed(const struct origin_rules *rules, struct slice host, struct slice local);

enum origin_verdict {
    ORIGIN_REFUSED,
    ORIGIN_ALLOWED, /* answer Access-Control-Allow-Origin with this origin */
    ORIGIN_ANY      /* answer with "*", as DynamoDB does */
};
enum origin_verdict origin_check(const struct origin_rules *rules, struct slice origin,
                                 struct slice host);

#endif
