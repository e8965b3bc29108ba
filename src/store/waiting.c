/* waiting.c: see waiting.h. */
#include "waiting.h"

static int run_owners(struct store_txn *txn, void *ctx)
{
    struct store_job *job = ((struct waiting_job *)ctx)->owners;

    return job->fn(txn, job->ctx);
}

static void wake(struct store_job *job)
{
    struct waiting_job *w = (struct waiting_job *)job;

    w->owners->status = job->status;
    if (w->owners->done) w->owners->done(w->owners);
    sem_post(&w->done);
}

void waiting_begin(struct waiting_job *w, struct store_job *owners)
{
    *w = (struct waiting_job){ .job = { .fn = run_owners, .ctx = w, .done = wake }, .owners = owners };
    sem_init(&w->done, 0, 0);
}

void waiting_end(struct waiting_job *w)
{
    while (sem_wait(&w->done))
        continue; /* a signal came */
    sem_destroy(&w->done);
}
