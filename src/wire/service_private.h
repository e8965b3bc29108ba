/* service_private.h: what service.c and service_run.c share. */
#ifndef OF_WIRE_SERVICE_PRIVATE_H
#define OF_WIRE_SERVICE_PRIVATE_H

#include "answer.h"
#include "service.h"

/* On the loop: Host, Origin, path, method and content type. STEP_READ: a call of the API. */
enum step service_route(struct exchange *x);
/* On any thread, while the request is the exchange's: content coding, target, signature, body. */
enum step service_read(struct exchange *x);

/* The header's value; of one that comes several times, all of them with commas between them, as HTTP has it. */
struct slice service_header(const struct http_request *r, enum http_name name);

/* On a thread that may wait. False: x->call.err says why not. */
bool service_guest_allowed(struct exchange *x);

/* service_auth.c. 0: *who may ask (its identity is NULL where nobody is asked for); otherwise x->call.err says why not. Looks at headers, and
 * at the body as it was sent. */
int service_authenticate(struct exchange *x, struct caller *who);

#endif
