/* client.c: a job on its threads: connected, started together, their results put together. */
#include "client_worker.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SECOND 1000000000ull

static void *worker_main(void *arg)
{
    struct client_worker *w = arg;
    bool open = worker_open(w);
    pthread_barrier_wait(&w->start->connected);
    pthread_barrier_wait(&w->start->clock);
    w->from = w->start->from;
    w->until = w->start->until;
    if (open && w->until) worker_loop(w);
    atomic_store(&w->finished, true);
    return NULL;
}

static void example_keep(struct client_example *to, const struct client_example *from)
{
    if (!to->there) *to = *from;
}

static void add_result(struct client_result *to, const struct client_worker *w, size_t n_requests)
{
    const struct client_result *from = &w->result;
    double seconds = w->until > w->from ? (double)(w->until - w->from) / (double)SECOND : 0;
    histogram_merge(&to->latency, &from->latency);
    to->acknowledged += from->acknowledged;
    to->errors += from->errors;
    to->throttled += from->throttled;
    to->lost += from->lost;
    to->wrong += from->wrong;
    to->bytes_in += from->bytes_in;
    to->cpu_us += w->cpu_us;
    if (seconds > to->seconds) to->seconds = seconds;
    example_keep(&to->first_error, &from->first_error);
    example_keep(&to->first_lost, &from->first_lost);
    example_keep(&to->first_wrong, &from->first_wrong);
    for (size_t i = 0; i < n_requests; i++) {
        to->counts[i].all += from->counts[i].all;
        to->counts[i].measured += from->counts[i].measured;
    }
}

/* Workers with their connections and counts; false: no memory. */
static bool make_workers(const struct client_job *job, struct client_start *start, struct client_worker *workers, unsigned n)
{
    for (unsigned i = 0; i < n; i++) workers[i].epoll = -1; /* before anything can fail: 0 is a file */
    for (unsigned i = 0; i < n; i++) {
        struct client_worker *w = &workers[i];
        w->job = job;
        w->start = start;
        w->number = i;
        w->next = i % job->n_requests;
        w->step = n;
        w->n_connections = job->connections / n + (i < job->connections % n);
        w->connections = calloc(w->n_connections, sizeof *w->connections);
        w->result.counts = calloc(job->n_requests, sizeof *w->result.counts);
        if (!w->connections) w->n_connections = 0;
        for (unsigned k = 0; k < w->n_connections; k++) w->connections[k].fd = -1;
        if (!w->connections || !w->result.counts) return false;
    }
    return true;
}

static void watch_workers(const struct client_job *job, struct client_worker *workers, unsigned n)
{
    for (bool running = true; running;) {
        struct timespec pause = { 0, 50000000 };
        uint64_t answers = 0;
        nanosleep(&pause, NULL);
        running = false;
        for (unsigned i = 0; i < n; i++) {
            answers += atomic_load_explicit(&workers[i].answers, memory_order_relaxed);
            running = running || !atomic_load(&workers[i].finished);
        }
        if (job->progress && running) job->progress(job->ctx, answers);
    }
}

/* Threads must not take the signals that the program waits for. */
static bool start_threads(struct client_worker *workers, unsigned n)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    unsigned made = 0;
    while (made < n && !pthread_create(&workers[made].thread, NULL, worker_main, &workers[made])) made++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return made == n;
}

static int run_timed(const struct client_job *job, struct client_worker *workers, unsigned n, struct client_start *start)
{
    const char *trouble = NULL;
    pthread_barrier_init(&start->connected, NULL, n + 1);
    pthread_barrier_init(&start->clock, NULL, n + 1);
    /* Half a set of threads would wait at the barrier for ever: there is no way on from here. */
    if (!start_threads(workers, n)) {
        fputs("onefold: cannot start threads\n", stderr);
        exit(1);
    }
    pthread_barrier_wait(&start->connected);
    for (unsigned i = 0; i < n; i++)
        if (workers[i].result.trouble[0]) trouble = workers[i].result.trouble;
    start->from = client_now() + (uint64_t)(job->warmup * (double)SECOND);
    start->until = trouble ? 0 : start->from + (uint64_t)(job->seconds * (double)SECOND);
    pthread_barrier_wait(&start->clock);
    watch_workers(job, workers, n);
    for (unsigned i = 0; i < n; i++) pthread_join(workers[i].thread, NULL);
    pthread_barrier_destroy(&start->connected);
    pthread_barrier_destroy(&start->clock);
    return trouble ? -1 : 0;
}

static int run_once(struct client_worker *w)
{
    w->from = client_now();
    w->until = UINT64_MAX;
    w->next = 0;
    if (!worker_open(w)) return -1;
    worker_loop(w);
    return 0;
}

int client_run(const struct client_job *job, struct client_result *out)
{
    bool once = job->seconds <= 0;
    unsigned n = once ? 1 : job->threads < job->connections ? job->threads : job->connections;
    struct client_start start = { .from = 0 };
    struct client_worker *workers = calloc(n, sizeof *workers);
    int code = -1;
    memset(out, 0, sizeof *out);
    out->counts = calloc(job->n_requests, sizeof *out->counts);
    snprintf(out->trouble, sizeof out->trouble, "out of memory");
    if (workers && out->counts && make_workers(job, once ? NULL : &start, workers, n))
        code = once ? run_once(workers) : run_timed(job, workers, n, &start);
    for (unsigned i = 0; workers && i < n; i++) {
        if (workers[i].result.trouble[0]) snprintf(out->trouble, sizeof out->trouble, "%s", workers[i].result.trouble);
        if (!code) add_result(out, &workers[i], job->n_requests);
        worker_close(&workers[i]);
        free(workers[i].connections);
        free(workers[i].result.counts);
    }
    free(workers);
    if (code) client_result_free(out);
    else out->trouble[0] = 0;
    return code;
}

void client_result_free(struct client_result *r)
{
    free(r->counts);
    r->counts = NULL;
}
