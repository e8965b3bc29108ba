/* identity.h: who asks: the owner of an access key, as the credentials file has it. Made when that file is read, unchanged and alive
 * as long as any request that holds it. */
#ifndef OF_AUTH_IDENTITY_H
#define OF_AUTH_IDENTITY_H

#include "../base/slice.h"
#include <stddef.h>

struct policy; /* policy.h */

/* "${aws:PrincipalTag/tenant}" in a policy: name is "tenant". */
struct identity_tag {
    struct slice name, value;
};

struct identity {
    struct slice access_key, secret;
    struct slice session_token; /* empty: a key of its own, not a session's */
    struct slice user;          /* the name in the credentials file; "${aws:username}" */
    struct slice account;       /* twelve digits */
    int64_t expires;            /* seconds since 1970 from which on it is refused; 0: never */
    const struct identity_tag *tags;
    size_t n_tags;
    const struct policy *policy; /* NULL: everything is allowed */
};

#endif
