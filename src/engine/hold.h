/* hold.h: a test aid for --conflicts: calls that wait, with what they have claimed, until a test lets them go.
 *
 * ONEFOLD_TEST_HOLD in the environment names a file. While the file is there, a write of the operation that it names
 * ("TransactWriteItems") is parked when it is about to be handed to the store; when the file is gone, all are handed over in
 * their order. Neither an event loop nor the writer waits: a thread of this file's own looks after the file. */
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
