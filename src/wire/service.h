/* service.h: the DynamoDB API over HTTP: what stands between http.h below and engine.h beside it.
 */
#ifndef OF_WIRE_SERVICE_H
#define OF_WIRE_SERVICE_H

#include "../engine/engine.h"
#include "http.h"
#include "origin.h"

/* Set up before the server runs, read by every loop, changed by none. */
struct service {
    struct engine *engine;
    struct origin_rules origins;
};

/* For http_options: handle, loop_open, loop_close; http_options.service is a struct service. */
void service_handle(struct http_request *r);
void *service_loop_open(void *service);
void service_loop_close(void *loop_state);

#endif
