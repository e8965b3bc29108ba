/* waiting.h: a job in the queue that stands for another one, whose owner waits for it. */
#ifndef OF_STORE_WAITING_H
#define OF_STORE_WAITING_H

#include "store.h"
#include <semaphore.h>

struct waiting_job {
    struct store_job job; /* first: what the queue has */
    struct store_job *owners;
    sem_t done;
};

/* Then the job is queued, and waited for. */
void waiting_begin(struct waiting_job *w, struct store_job *owners);
void waiting_end(struct waiting_job *w);

#endif
