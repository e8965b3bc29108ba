/* thread.c: threads that take no signals; see thread.h. */
#include "thread.h"
#include <signal.h>

int thread_start(pthread_t *thread, void *(*run)(void *ctx), void *ctx)
{
    sigset_t most, before;
    sigfillset(&most);
    sigdelset(&most, SIGSEGV);
    sigdelset(&most, SIGBUS);
    pthread_sigmask(SIG_SETMASK, &most, &before);
    int failed = pthread_create(thread, NULL, run, ctx);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}
