/* hold.c: parking calls, and the work behind them, while a file exists. */
#include "hold.h"
#include "ops.h"
#include "../base/thread.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define LOOK_NS 2000000
#define TEXT_MAX 256

struct hold {
    struct store *store;
    const char *file;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* Under the lock. */
    struct store_job *first, *last; /* parked, in the order in which they came; NULL: none */
    size_t n;
    bool stop;
    /* The jobs' thread's own. */
    char text[TEXT_MAX]; /* the file when the rounds were last counted from 0 */
    unsigned long rounds;
};

static void let_go(struct hold *h)
{
    struct store_job *first = h->first, *last = h->last;
    h->first = h->last = NULL;
    h->n = 0;
    store_submit_all(h->store, first, last);
}

static void *thread_main(void *arg)
{
    struct hold *h = arg;
    const struct timespec rest = { .tv_nsec = LOOK_NS };
    pthread_mutex_lock(&h->lock);
    for (;;) {
        while (!h->stop && !h->first) pthread_cond_wait(&h->changed, &h->lock);
        if (h->stop) break;
        pthread_mutex_unlock(&h->lock);
        nanosleep(&rest, NULL);
        bool there = access(h->file, F_OK) == 0;
        pthread_mutex_lock(&h->lock);
        if (!there) let_go(h);
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

/* The file's words; empty if it is not there. */
static struct slice read_file(const struct hold *h, char text[TEXT_MAX])
{
    int fd = open(h->file, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, TEXT_MAX - 1);
    if (fd >= 0) close(fd);
    if (n < 0) n = 0;
    text[n] = 0;
    return slice_of(text, (size_t)n);
}

static struct slice next_word(struct slice *rest)
{
    while (rest->n && rest->p[0] == ' ') *rest = slice_of(rest->p + 1, rest->n - 1);
    size_t n = 0;
    while (n < rest->n && rest->p[n] != ' ') n++;
    struct slice word = slice_of(rest->p, n);
    *rest = slice_of(rest->p + n, rest->n - n);
    return word;
}

/* How many calls of this operation may be parked; 0: the file does not name it. */
static size_t most_parked(const struct hold *h, const char *operation)
{
    char text[TEXT_MAX];
    struct slice rest = read_file(h, text);
    size_t most = (size_t)strtoul(text, NULL, 10);
    for (struct slice word = next_word(&rest); word.n; word = next_word(&rest)) {
        if (slice_eq(word, slice_str(operation))) return most ? most : 1;
    }
    return 0;
}

/* Tells the test. */
static void mark(const struct hold *h, const char *what)
{
    char path[1024];
    snprintf(path, sizeof path, "%s.%s", h->file, what);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0) close(fd);
}

bool hold_call(struct hold *h, struct call *call)
{
    size_t most = most_parked(h, call->op->name);
    if (!most) return false;
    char number[24] = "";
    pthread_mutex_lock(&h->lock);
    bool parked = h->n < most;
    if (parked) {
        if (h->last) h->last->next = &call->job;
        else h->first = &call->job;
        h->last = &call->job;
        snprintf(number, sizeof number, "%zu", ++h->n);
        mark(h, number);
    }
    pthread_cond_signal(&h->changed);
    pthread_mutex_unlock(&h->lock);
    return parked;
}

bool hold_jobs(struct hold *h)
{
    char text[TEXT_MAX];
    struct slice file = read_file(h, text), rest = file;
    if (!slice_eq(file, slice_str(h->text))) {
        memcpy(h->text, text, sizeof text);
        h->rounds = 0;
    }
    for (struct slice word = next_word(&rest); word.n; word = next_word(&rest)) {
        if (!slice_starts(word, SLICE("jobs:"))) continue;
        if (h->rounds++ < strtoul((const char *)word.p + 5, NULL, 10)) return false;
        mark(h, "jobs");
        return true;
    }
    return false;
}
