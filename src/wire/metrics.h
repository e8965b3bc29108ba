/* metrics.h: the server's figures in Prometheus' text format, and whether it is ready. All of them are kept elsewhere (the engine's
 * counters, the store, the loops) and only written down here. */
#ifndef OF_WIRE_METRICS_H
#define OF_WIRE_METRICS_H

#include "service.h"

#define METRICS_TYPE "text/plain; version=0.0.4; charset=utf-8"

void metrics_put(struct buf *b, struct http_request *r);
/* Empty: it answers reads and writes. Otherwise a sentence that says why it does not. */
struct slice metrics_not_ready(struct http_request *r);

#endif
