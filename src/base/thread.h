/* thread.h: a thread of the library's own. Signals are for the program's threads: it has them blocked, but for those that its own
 * instructions cause, which must reach whoever watches them (store/local/guard.h). */
#ifndef OF_BASE_THREAD_H
#define OF_BASE_THREAD_H

#include <pthread.h>

/* 0, or what pthread_create said. */
int thread_start(pthread_t *thread, void *(*run)(void *ctx), void *ctx);

#endif
