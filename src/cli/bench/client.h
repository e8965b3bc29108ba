/* client.h: sends prebuilt requests over kept connections and measures the answers: the core of the load generator.
 *
 * It knows bytes only: what a request asks and what its answer should say is the business of those who make a job. Each
 * connection has one request under way. A request costs one write, mostly one read, one look at the clock and, in a busy
 * loop, a share of one epoll_wait; nothing is allocated but a larger buffer for a larger answer. */
#ifndef OF_CLI_BENCH_CLIENT_H
#define OF_CLI_BENCH_CLIENT_H

#include "histogram.h"
#include "secure.h"
#include "../../base/slice.h"
#include <stdatomic.h>
#include <sys/socket.h>

#define CLIENT_MAX_THREADS     64
#define CLIENT_MAX_CONNECTIONS 10000
#define CLIENT_STALL_SECONDS   30 /* no answer at all for so long: what is under way counts as lost */

struct client_request {
    struct slice bytes;  /* head and body */
    struct slice expect; /* the body its answer must have; p NULL: any */
};

/* How often a request was answered with 200, and how often of that within the measured time. */
struct client_count {
    uint32_t all, measured;
};

struct client_job {
    struct sockaddr_storage address;
    socklen_t address_n;
    struct secure_client *secure;          /* NULL: not encrypted */
    const struct client_request *requests; /* thread i of n sends numbers i, i + n, i + 2n, ... and then again */
    size_t n_requests;
    unsigned connections, threads;         /* at least a connection to each thread */
    double warmup, seconds;                /* seconds 0: each request once, on the caller's thread */
    /* A body that is not the expected bytes: is it still right (its members in another order)? Any thread. NULL: no. */
    bool (*same)(void *ctx, size_t request, struct slice body);
    /* Each request once: every answer, in the order they come. May be NULL. */
    void (*answered)(void *ctx, size_t request, int status, struct slice body);
    /* Every tenth of a second: answers so far. May be NULL. */
    void (*progress)(void *ctx, uint64_t answers);
    void *ctx;
    const atomic_bool *stop;              /* becomes true: end early. May be NULL */
};

/* The first of a kind, to be shown. */
struct client_example {
    bool there;
    size_t request;
    int status;       /* 0: no answer */
    char text[600];   /* the beginning of the body, or why there is none */
};

struct client_result {
    struct histogram latency;    /* of right answers within the measured time */
    uint64_t acknowledged;       /* answers with 200 in all, warm-up and the last ones included */
    uint64_t errors;             /* answers that are errors, all the time */
    uint64_t throttled;          /* errors that ask to come more slowly; not in errors */
    uint64_t lost;               /* requests whose connection broke, or that nobody answered; connections that could not be made anew */
    uint64_t wrong;              /* 200, but not the expected body */
    uint64_t bytes_in;           /* within the measured time */
    double seconds;              /* that were measured: fewer than asked for if it was stopped */
    uint64_t cpu_us;             /* of the client's threads, within the measured time */
    struct client_count *counts; /* one for each request; owned by the result */
    struct client_example first_error, first_lost, first_wrong; /* throttled ones are no errors here */
    char trouble[200];           /* why it could not be done, when client_run gave -1 */
};

/* 0, and a result to be freed; or -1 and only trouble: nothing answers, no memory. */
int client_run(const struct client_job *job, struct client_result *out);
void client_result_free(struct client_result *r);
/* Is this the body of an error that asks to come more slowly? */
bool client_is_throttling(struct slice body);

#endif
