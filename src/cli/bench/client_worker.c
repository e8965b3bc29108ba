/* client_worker.c: a thread's event loop: answers are read and checked, and the next request leaves at once.
 *
 * Connections are watched edge-triggered, for reading and writing at once and for as long as they live: epoll need not look at a socket again
 * after it was read, and nothing is changed when a request does not fit into a socket. What follows from that: a socket is read until a read
 * leaves room in the buffer, which is when it is empty. */
#include "client_worker.h"
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#define CONNECT_MS  5000
#define FIRST_BUFFER ((size_t)16 << 10)
#define EVENTS      256
#define SECOND      1000000000ull

static uint64_t clock_ns(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

uint64_t client_now(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

/* ---- connections ---- */

/* NULL, or why not. */
static const char *connect_one(struct client_worker *w, struct connection *c)
{
    const struct client_job *job = w->job;
    int on = 1, trouble = 0;
    socklen_t size = sizeof trouble;
    c->fd = socket(job->address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (c->fd < 0) return strerror(errno);
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(c->fd, (const struct sockaddr *)&job->address, job->address_n) && errno != EINPROGRESS) return strerror(errno);
    struct pollfd ready = { .fd = c->fd, .events = POLLOUT };
    if (poll(&ready, 1, CONNECT_MS) != 1) return "no connection within 5 seconds";
    if (getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &trouble, &size) || trouble) return strerror(trouble ? trouble : errno);
    const char *why;
    if (job->secure && !(c->secure = secure_client_connect(job->secure, c->fd, CONNECT_MS, &why))) return why;
    struct epoll_event event = { .events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = c };
    if (epoll_ctl(w->epoll, EPOLL_CTL_ADD, c->fd, &event)) return strerror(errno);
    c->busy = c->writing = false;
    c->n = c->need = 0;
    return NULL;
}

static void disconnect(struct client_worker *w, struct connection *c)
{
    secure_connection_end(c->secure);
    c->secure = NULL;
    if (c->fd >= 0) close(c->fd); /* epoll forgets it by itself */
    if (c->busy) w->busy--;
    c->fd = -1;
    c->busy = false;
}

bool worker_open(struct client_worker *w)
{
    const char *why = NULL;
    for (unsigned i = 0; i < w->n_connections; i++) w->connections[i].fd = -1;
    w->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (w->epoll < 0) why = strerror(errno);
    for (unsigned i = 0; i < w->n_connections && !why; i++) {
        struct connection *c = &w->connections[i];
        c->in = malloc(c->cap = FIRST_BUFFER);
        why = c->in ? connect_one(w, c) : "out of memory";
    }
    if (why) snprintf(w->result.trouble, sizeof w->result.trouble, "%s", why);
    return !why;
}

void worker_close(struct client_worker *w)
{
    for (unsigned i = 0; i < w->n_connections; i++) {
        disconnect(w, &w->connections[i]);
        free(w->connections[i].in);
    }
    if (w->epoll >= 0) close(w->epoll);
}

/* ---- requests ---- */

static void note(struct client_example *e, size_t request, int status, struct slice text)
{
    if (e->there) return;
    *e = (struct client_example){ .there = true, .request = request, .status = status };
    snprintf(e->text, sizeof e->text, "%.*s", (int)(text.n < sizeof e->text ? text.n : sizeof e->text - 1), (const char *)text.p);
}

/* Nothing more is to be sent. */
static bool is_over(const struct client_worker *w, uint64_t now)
{
    const struct client_job *job = w->job;
    if (job->stop && atomic_load_explicit(job->stop, memory_order_relaxed)) return true;
    return w->start ? now >= w->until : w->next >= job->n_requests;
}

static uint32_t pick(struct client_worker *w)
{
    uint32_t request = (uint32_t)w->next;
    w->next += w->step;
    if (w->start && w->next >= w->job->n_requests) w->next = w->number % w->job->n_requests;
    return request;
}

/* As send; of TLS at most a record. */
static ssize_t send_some(struct connection *c, const uint8_t *p, size_t n)
{
    return c->secure ? secure_connection_send(c->secure, p, n) : send(c->fd, p, n, MSG_NOSIGNAL);
}

/* As much of the request as the socket takes. False: the connection is broken. */
static bool push(struct client_worker *w, struct connection *c)
{
    struct slice bytes = w->job->requests[c->request].bytes;
    ssize_t n;
    do {
        n = send_some(c, bytes.p + c->sent, bytes.n - c->sent);
        if (n > 0) c->sent += (size_t)n;
        c->writing = c->sent < bytes.n;
    } while ((n < 0 && errno == EINTR) || (n > 0 && c->writing && c->secure));
    return n >= 0 || errno == EAGAIN;
}

static void lose(struct client_worker *w, struct connection *c, const char *why);

/* On a connection that turns out to be broken the request is lost, and the next goes out on the new one: nobody else would send it. */
static void send_next(struct client_worker *w, struct connection *c, uint64_t now)
{
    for (; c->fd >= 0 && !is_over(w, now); now = client_now()) {
        c->request = pick(w);
        c->busy = true;
        c->n = c->need = c->sent = 0;
        c->started = now;
        w->busy++;
        if (push(w, c)) return;
        lose(w, c, strerror(errno));
    }
}

/* A request that gets no answer, and a new connection in place of the old while there is something to send. One that cannot be had counts as well: it would have sent
 * more. */
static void lose(struct client_worker *w, struct connection *c, const char *why)
{
    bool counted = c->busy;
    if (counted) {
        w->result.lost++;
        note(&w->result.first_lost, c->request, 0, slice_str(why));
    }
    disconnect(w, c);
    if (is_over(w, client_now())) return;
    why = connect_one(w, c);
    if (!why) return;
    if (!counted) w->result.lost++;
    note(&w->result.first_lost, c->request, 0, slice_str(why));
    disconnect(w, c);
}

/* ---- answers ---- */

bool client_is_throttling(struct slice body)
{
    static const char *const names[] = { "ProvisionedThroughputExceeded", "ThrottlingException", "RequestLimitExceeded" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (memmem(body.p, body.n, names[i], strlen(names[i]))) return true;
    return false;
}

static bool is_right(const struct client_worker *w, uint32_t request, struct slice body)
{
    const struct client_job *job = w->job;
    struct slice expect = job->requests[request].expect;
    return !expect.p || slice_eq(body, expect) || (job->same && job->same(job->ctx, request, body));
}

static void count(struct client_worker *w, struct connection *c, uint64_t now)
{
    struct client_result *r = &w->result;
    struct slice body = slice_of(c->in + c->head.n, c->head.body);
    bool measured = now >= w->from && now < w->until;
    if (measured && !w->cpu_from) w->cpu_from = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    if (measured) r->bytes_in += c->n;
    if (c->head.status != 200) {
        if (client_is_throttling(body)) {
            r->throttled++;
            return;
        }
        r->errors++;
        note(&r->first_error, c->request, c->head.status, body);
        return;
    }
    r->acknowledged++;
    r->counts[c->request].all++;
    if (!is_right(w, c->request, body)) {
        r->wrong++;
        note(&r->first_wrong, c->request, 200, body);
    } else if (measured) {
        r->counts[c->request].measured++;
        histogram_add(&r->latency, (now - c->started) / 100);
    }
}

static void finish(struct client_worker *w, struct connection *c)
{
    const struct client_job *job = w->job;
    uint64_t now = client_now();
    w->last_answer = now;
    c->busy = false;
    w->busy--;
    atomic_fetch_add_explicit(&w->answers, 1, memory_order_relaxed);
    count(w, c, now);
    if (!w->start && job->answered)
        job->answered(job->ctx, c->request, c->head.status, slice_of(c->in + c->head.n, c->head.body));
    if (c->head.closes) lose(w, c, "");
    send_next(w, c, now);
}

/* What has come: *whole, the answer is. NULL, or why it cannot be had. */
static const char *look(struct connection *c, bool *whole)
{
    bool incomplete;
    *whole = false;
    if (!c->busy) return "the server sent something that nobody asked for";
    if (!c->need) {
        const char *wrong = http_head_read(c->in, c->n, &c->head, &incomplete);
        if (wrong || incomplete) return wrong;
        c->need = c->head.n + c->head.body;
        if (c->need > c->cap) {
            uint8_t *more = realloc(c->in, c->need);
            if (!more) return "out of memory";
            c->in = more;
            c->cap = c->need;
        }
    }
    *whole = c->n == c->need;
    return c->n > c->need ? "the server sent more than its Content-Length" : NULL;
}

static const char *receive(struct client_worker *w, struct connection *c)
{
    for (bool whole;;) {
        size_t room = c->cap - c->n;
        ssize_t n = c->secure ? secure_connection_recv(c->secure, c->in + c->n, room) : recv(c->fd, c->in + c->n, room, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno == EAGAIN ? NULL : strerror(errno);
        if (n == 0) return "the server closed the connection";
        c->n += (size_t)n;
        const char *wrong = look(c, &whole);
        if (wrong) return wrong;
        if (whole) finish(w, c);
        if (whole || (!c->secure && (size_t)n < room)) return NULL; /* of TLS there may be another record */
    }
}

static void handle(struct client_worker *w, struct connection *c, uint32_t events)
{
    const char *why = NULL;
    if (c->fd < 0) return;
    if (events & EPOLLOUT && c->writing && !push(w, c)) why = strerror(errno);
    if (!why && events & (EPOLLIN | EPOLLERR | EPOLLHUP)) why = receive(w, c);
    if (!why) return;
    lose(w, c, why);
    send_next(w, c, client_now());
}

/* Nobody has answered for very long. */
static void give_up(struct client_worker *w)
{
    for (unsigned i = 0; i < w->n_connections; i++) {
        struct connection *c = &w->connections[i];
        if (!c->busy) continue;
        w->result.lost++;
        note(&w->result.first_lost, c->request, 0, SLICE("no answer for 30 seconds"));
        disconnect(w, c);
    }
}

void worker_loop(struct client_worker *w)
{
    struct epoll_event events[EVENTS];
    uint64_t begun = w->last_answer = client_now(), shown = begun;
    for (unsigned i = 0; i < w->n_connections; i++) send_next(w, &w->connections[i], client_now());
    while (w->busy) {
        int n = epoll_wait(w->epoll, events, EVENTS, 100);
        for (int i = 0; i < n; i++) handle(w, events[i].data.ptr, events[i].events);
        if (n == EVENTS) continue;
        uint64_t now = w->last_answer;
        if (n <= 0) now = client_now();
        if (now > w->last_answer + CLIENT_STALL_SECONDS * SECOND) give_up(w);
        if (!w->start && w->job->progress && now > shown + SECOND / 10) {
            shown = now;
            w->job->progress(w->job->ctx, atomic_load_explicit(&w->answers, memory_order_relaxed));
        }
    }
    uint64_t ended = client_now();
    if (w->until > ended) w->until = ended; /* it was stopped */
    if (w->cpu_from) w->cpu_us = (clock_ns(CLOCK_THREAD_CPUTIME_ID) - w->cpu_from) / 1000;
}
