/* request_log.h: what the log says of single requests. Never an item or its key, never a secret or a signature. */
#ifndef OF_WIRE_REQUEST_LOG_H
#define OF_WIRE_REQUEST_LOG_H

#include "answer.h"

/* Its answer is made and not sent, its call not ended: a line if it took long (service.slow_ns), one if it was refused (for its Host, its
 * Origin, its signature or by a policy) or met damaged data, ten of each a second at the most, one if it changed something of the control
 * plane, and one for every request at LOG_DEBUG. */
void request_log(const struct exchange *x);

#endif
