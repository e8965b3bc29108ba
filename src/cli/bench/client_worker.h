/* client_worker.h: one thread of the client: its connections and its event loop. */
#ifndef OF_CLI_BENCH_CLIENT_WORKER_H
#define OF_CLI_BENCH_CLIENT_WORKER_H

#include "client.h"
#include "http_answer.h"
#include <pthread.h>
#include <stdatomic.h>

struct connection {
    int fd;            /* -1: none */
    struct secure_connection *secure; /* NULL: not encrypted */
    bool busy, writing;
    uint32_t request;
    size_t sent;
    uint64_t started;  /* ns */
    struct http_head head;
    size_t need;       /* bytes of the whole answer; 0: not known yet */
    uint8_t *in;
    size_t n, cap;
};

/* What begins together: the workers wait until all are connected and the clock is set. */
struct client_start {
    pthread_barrier_t connected, clock;
    uint64_t from, until; /* ns; the measured time */
};

struct client_worker {
    const struct client_job *job;
    struct client_start *start;  /* NULL: each request once */
    unsigned number;
    pthread_t thread;
    struct connection *connections;
    unsigned n_connections, busy;
    size_t next, step;           /* which request comes next */
    uint64_t from, until;        /* ns */
    uint64_t last_answer;        /* ns */
    uint64_t cpu_from, cpu_us;   /* ns when the measured time began; 0: not yet */
    int epoll;
    atomic_ullong answers;       /* for the progress, read by another thread */
    atomic_bool finished;
    struct client_result result; /* with counts of its own */
};

uint64_t client_now(void);
/* Opens the connections: false after setting result.trouble. */
bool worker_open(struct client_worker *w);
/* Sends until the time is over or each request was sent, then waits for what is under way. */
void worker_loop(struct client_worker *w);
void worker_close(struct client_worker *w);

#endif
