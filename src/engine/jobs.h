/* jobs.h: work that goes on behind the calls: filling a new index, purging what a dropped table or index
 * left, forgetting old transaction tokens. One thread; each step is a small store_update, so that calls
 * get their turn in between. What is to be done stands in SPACE_META (catalog.h), so a restart goes on
 * where a kill came. */
#ifndef OF_ENGINE_JOBS_H
#define OF_ENGINE_JOBS_H

#include "engine.h"

struct jobs;

/* Starts the thread (lazily: no thread before there is something to do). */
int jobs_open(struct jobs **out, struct engine *e, char *message, size_t message_size);
/* Ends the step under way, then the thread. */
void jobs_close(struct jobs *j);
/* There is something to do. Any thread. */
void jobs_wake(struct jobs *j);

#endif
