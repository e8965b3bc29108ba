/* hold.h: a test aid: calls that wait, with what they have claimed, until a test lets them go, and work behind the calls that waits.
 *
 * ONEFOLD_TEST_HOLD in the environment names a file. While the file is there, the first write of an operation that it names
 * ("TransactWriteItems") is parked when it is about to be handed to the store; others pass. A number before the names ("2 PutItem
 * DeleteItem") says how many are parked. When the file is gone they are handed over together, in the order in which they came, so that they
 * become one batch. "jobs:N" among the words lets N more rounds of the work behind the calls pass, and then holds it; the rounds are counted anew
 * when the text changes. FILE.1, FILE.2 ... and FILE.jobs are made when the first, the second call and the work are parked.
 * Neither an event loop nor the writer waits: a thread of this file's own looks after the file. */
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
/* On the jobs' thread, before a round: must it wait? Then it asks again in a moment. */
bool hold_jobs(struct hold *h);

#endif
