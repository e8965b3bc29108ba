/* hold.h: a test aid for --conflicts: a call that waits, with what it has claimed, until a test lets it go.
 *
 * ONEFOLD_TEST_HOLD in the environment names a file. While the file is there, the first write of the operation that it names
 * ("TransactWriteItems") is parked when it is about to be handed to the store; others pass. When the file is gone, it is
 * handed over. Neither an event loop nor the writer waits: a thread of this file's own looks after the file. */
#ifndef OF_ENGINE_HOLD_H
#define OF_ENGINE_HOLD_H

#include "engine.h"

struct hold;

/* NULL: there is no such variable (or no thread to be had). */
struct hold *hold_open(struct store *store);
/* No call may be held any more. */
void hold_close(struct hold *h);
/* True: the call, whose job is ready, is parked and will be submitted. */
bool hold_call(struct hold *h, struct call *call);

#endif
