/* jobs.h: work that goes on behind the calls: filling a new index, purging what a dropped table or index
 * left, deleting items that have expired, forgetting old transaction tokens. One thread; each step is a small store_update, so that calls
 * get their turn in between. What is to be done stands in SPACE_META (catalog.h), so a restart goes on
 * where a kill came.
 *
 * The counters of an index ('C', 'S' of its id) say at all times what entries exist, also while it is
 * being filled. backfill.c counts an entry only if it was not there; item_change, while index->backfilling
 * is set, asks whether the old entry is there before it counts it as gone.
 *
 * Test aid: ONEFOLD_TEST_BACKFILL_DELAY_MS in the environment makes the thread rest that long after each
 * round of steps. */
#ifndef OF_ENGINE_JOBS_H
#define OF_ENGINE_JOBS_H

#include "engine.h"

struct jobs;

/* The thread is started by jobs_wake, looks what there is to do, and ends when there is nothing left. */
int jobs_open(struct jobs **out, struct engine *e, char *message, size_t message_size);
/* Ends the step under way, then the thread. */
void jobs_close(struct jobs *j);
/* An index is to be filled or something is to be purged. Any thread, after the commit. */
void jobs_wake(struct jobs *j);
/* Something was written that is to be looked at later: a transaction token. Cheap, any thread. */
void jobs_notice(struct jobs *j);

#endif
