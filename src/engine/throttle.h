/* throttle.h: `serve --throttle`: tables have the capacity that they were given, so that retries can be tested on a laptop.
 *
 * Buckets of units, by the engine's clock, each filled at its rate:
 *
 *   a provisioned table or global index   its read and write capacity; up to 300 s of what was not used are kept (burst)
 *   one on demand                         MaxReadRequestUnits and MaxWriteRequestUnits, where set, likewise
 *   each partition (partition_count.h)    3,000 read and 1,000 write units; nothing is kept beyond one second's
 *
 * A partition takes of the whole table's capacity, up to its own limit: adaptive capacity. A local index takes of its table. A new
 * table begins with one second's units, and one that nothing is known of as if it had not been used since.
 *
 * An item is let in while its buckets hold something; when the call has run they are charged what it consumed (its tally), and may
 * fall below nothing. A write also needs something in every global index of its table, whether it changes the index or not: that
 * is the back pressure of an index. What is known of it is held in memory, for THROTTLE_METERS tables and indexes; the longest
 * unused makes room and begins anew. */
#ifndef OF_ENGINE_THROTTLE_H
#define OF_ENGINE_THROTTLE_H

#include "footprint.h"

#define THROTTLE_METERS  256
#define THROTTLE_BURST_S 300

struct throttle;

/* NULL: no memory. */
struct throttle *throttle_open(void);
void throttle_close(struct throttle *t);

/* Before a run, and before it is bound again: gives back what an earlier run of the call took. */
void throttle_give_back(struct throttle *t, struct call *call);
/* Before a run: looks at each item of the footprint. 0, or an err_code with call->err filled; items of a batch are marked instead
 * (footprint.h). May leave through the arena's guard. */
int throttle_admit(struct throttle *t, struct call *call);
/* After a run: charges what it consumed. May leave through the arena's guard. */
void throttle_settle(struct throttle *t, struct call *call);

#endif
