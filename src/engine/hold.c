/* hold.c: parking a call while a file exists. */
#include "hold.h"
#include "ops.h"
#include "../base/thread.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define LOOK_NS 2000000

struct hold {
    struct store *store;
    const char *file;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* Under the lock. */
    struct store_job *held; /* NULL: none */
    bool stop;
};

static void *thread_main(void *arg)
{
    struct hold *h = arg;
    const struct timespec rest = { .tv_nsec = LOOK_NS };
    pthread_mutex_lock(&h->lock);
    for (;;) {
        while (!h->stop && !h->held) pthread_cond_wait(&h->changed, &h->lock);
        if (h->stop) break;
        pthread_mutex_unlock(&h->lock);
        nanosleep(&rest, NULL);
        bool there = access(h->file, F_OK) == 0;
        pthread_mutex_lock(&h->lock);
        if (there) continue;
        store_submit(h->store, h->held);
        h->held = NULL;
    }
    pthread_mutex_unlock(&h->lock);
    return NULL;
}

struct hold *hold_open(struct store *store)
{
    const char *file = getenv("ONEFOLD_TEST_HOLD");
    struct hold *h = file ? calloc(1, sizeof *h) : NULL;
    if (!h) return NULL;
    h->store = store;
    h->file = file;
    pthread_mutex_init(&h->lock, NULL);
    pthread_cond_init(&h->changed, NULL);
    if (!thread_start(&h->thread, thread_main, h)) return h;
    free(h);
    return NULL;
}

void hold_close(struct hold *h)
{
    if (!h) return;
    pthread_mutex_lock(&h->lock);
    h->stop = true;
    pthread_cond_signal(&h->changed);
    pthread_mutex_unlock(&h->lock);
    pthread_join(h->thread, NULL);
    pthread_cond_destroy(&h->changed);
    pthread_mutex_destroy(&h->lock);
    free(h);
}

/* Does the file name this operation? */
static bool is_named(const struct hold *h, const char *operation)
{
    char text[64];
    int fd = open(h->file, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    ssize_t n = read(fd, text, sizeof text);
    close(fd);
    return n > 0 && slice_eq(slice_of(text, (size_t)n), slice_str(operation));
}

bool hold_call(struct hold *h, struct call *call)
{
    if (!is_named(h, call->op->name)) return false;
    pthread_mutex_lock(&h->lock);
    bool parked = !h->held;
    if (parked) h->held = &call->job;
    pthread_cond_signal(&h->changed);
    pthread_mutex_unlock(&h->lock);
    return parked;
}
