/* request_log.h: what the log says of single requests. Never a key, never an item. */
#ifndef OF_WIRE_REQUEST_LOG_H
#define OF_WIRE_REQUEST_LOG_H

#include "answer.h"

/* Its answer is made and not sent, its call not ended: a line if it took long (service.slow_ns), and one for every request at LOG_DEBUG. */
void request_log(const struct exchange *x);

#endif
