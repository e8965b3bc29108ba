/* http_server.c: the loops together: listening sockets, threads, start and stop.
 *
 * Each loop listens on a socket of its own, and the kernel spreads connections over them
 * (SO_REUSEPORT); http_accept.c evens that out. The first socket is bound without that option and gets it afterwards: so a second
 * server on the same port is told that it is in use, instead of silently sharing it. */
#include "http_private.h"
#include "../base/log.h"
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

const struct http_limits http_default_limits = {
    .connections = WIRE_CONNECTIONS,
    .idle_ms = WIRE_IDLE_MS,
    .head_ms = WIRE_HEAD_MS,
    .body_ms = WIRE_BODY_MS,
    .write_ms = WIRE_WRITE_MS,
    .linger_ms = WIRE_LINGER_MS,
    .drain_ms = WIRE_DRAIN_MS,
    .evict_ms = WIRE_EVICT_MS,
    .min_rate = WIRE_MIN_RATE,
    .tls_warn_ms = WIRE_TLS_WARN_MS,
};

static uint16_t port_of(const struct sockaddr_storage *ss)
{
    return ntohs(ss->ss_family == AF_INET6 ? ((const struct sockaddr_in6 *)ss)->sin6_port
                                           : ((const struct sockaddr_in *)ss)->sin_port);
}

static void set_port(struct sockaddr_storage *ss, uint16_t port)
{
    if (ss->ss_family == AF_INET6)
        ((struct sockaddr_in6 *)ss)->sin6_port = htons(port);
    else
        ((struct sockaddr_in *)ss)->sin_port = htons(port);
}

static int resolve(const char *host, struct sockaddr_storage *ss, socklen_t *n)
{
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICHOST };
    struct addrinfo *found = NULL;
    if (strcmp(host, "localhost") == 0) host = "127.0.0.1"; /* spares loading the resolver */
    int err = getaddrinfo(host, NULL, &hints, &found);
    if (err) {
        hints.ai_flags = AI_PASSIVE;
        err = getaddrinfo(host, NULL, &hints, &found);
    }
    if (err) return err;
    memcpy(ss, found->ai_addr, found->ai_addrlen);
    *n = found->ai_addrlen;
    freeaddrinfo(found);
    return 0;
}

/* Returns a bound socket, or -1 with errno. */
static int bind_one(const struct sockaddr_storage *ss, socklen_t n, bool first)
{
    int on = 1, off = 0;
    int fd = socket(ss->ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -1;
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on))) goto err;
    if (ss->ss_family == AF_INET6) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
    if (!first && setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on))) goto err;
    if (bind(fd, (const struct sockaddr *)ss, n)) goto err;
    if (first && setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on))) goto err;
    return fd;
err:;
    int e = errno;
    close(fd);
    errno = e;
    return -1;
}

static int bind_all(struct http_server *s, char *message, size_t size)
{
    struct sockaddr_storage ss;
    socklen_t n = sizeof(ss);
    const char *host = s->options.host;
    int err = resolve(host, &ss, &n);
    if (err) {
        snprintf(message, size, "cannot listen on %s: %s; --bind takes an address of this machine, or 0.0.0.0 for all of them",
                 host, gai_strerror(err));
        return -1;
    }
    set_port(&ss, s->options.port);
    for (unsigned i = 0; i < s->n_loops; i++) {
        int fd = s->loops[i].listen_fd = bind_one(&ss, n, i == 0);
        if (fd < 0 && errno == EADDRINUSE) {
            snprintf(message, size,
                     "port %u on %s is in use: stop what listens there, or choose another with "
                     "--port (0 takes a free one)",
                     s->options.port, host);
            return -1;
        }
        if (fd < 0 && errno == EACCES) {
            snprintf(message, size, "cannot listen on %s port %u: ports below 1024 need root",
                     host, s->options.port);
            return -1;
        }
        if (fd < 0 && errno == EADDRNOTAVAIL) {
            snprintf(message, size,
                     "cannot listen on %s port %u: it is no address of this machine; --bind takes one that is, or 0.0.0.0 for all of them",
                     host, s->options.port);
            return -1;
        }
        if (fd < 0 || (i == 0 && getsockname(fd, (struct sockaddr *)&ss, &n))) {
            snprintf(message, size, "cannot listen on %s port %u: %s", host, s->options.port,
                     strerror(errno));
            return -1;
        }
    }
    s->port = port_of(&ss);
    return 0;
}

/* Connections need files: ask for enough of them and keep the cap below what the system grants.
 * Running into EMFILE is no way to find out: it would meet the store's files as well. Returns 0 if
 * there are too few. */
static unsigned connection_cap(unsigned wanted, unsigned n_loops)
{
    unsigned spare = WIRE_SPARE_FILES + n_loops * WIRE_LOOP_FILES;
    struct rlimit r;
    if (getrlimit(RLIMIT_NOFILE, &r)) return wanted;
    if (r.rlim_cur < r.rlim_max && r.rlim_cur < wanted + spare) {
        rlim_t before = r.rlim_cur;
        r.rlim_cur = wanted + spare < r.rlim_max ? wanted + spare : r.rlim_max;
        if (setrlimit(RLIMIT_NOFILE, &r)) r.rlim_cur = before;
    }
    if (r.rlim_cur >= wanted + spare) return wanted;
    return r.rlim_cur > spare + n_loops ? (unsigned)r.rlim_cur - spare : 0;
}

/* What all requests may hold, in bytes. */
static size_t held_max(const struct http_limits *limits)
{
    if (limits->held_mb) return (size_t)limits->held_mb << 20;
    uint64_t memory = uv_get_total_memory(), allowed = uv_get_constrained_memory();
    if (allowed && allowed < memory) memory = allowed;
    memory /= WIRE_HELD_PART;
    return memory > (uint64_t)WIRE_HELD_LEAST << 20 ? (size_t)memory : (size_t)WIRE_HELD_LEAST << 20;
}

int http_server_open(struct http_server **out, const struct http_options *o, char *message,
                     size_t message_size)
{
    unsigned n = o->threads ? o->threads : uv_available_parallelism();
    if (n > WIRE_MAX_THREADS) n = WIRE_MAX_THREADS;
    struct http_server *s = calloc(1, sizeof(*s) + n * sizeof(s->loops[0]));
    if (!s) {
        snprintf(message, message_size, "out of memory");
        return -1;
    }
    signal(SIGPIPE, SIG_IGN); /* a client that has gone is an error code, not a signal */
    s->options = *o;
    s->n_loops = n;
    s->held_max = held_max(&o->limits);
    unsigned cap = connection_cap(o->limits.connections, n);
    for (unsigned i = 0; i < n; i++) {
        s->loops[i].server = s;
        s->loops[i].listen_fd = -1;
        s->loops[i].max_connections = cap / n ? cap / n : 1;
    }
    if (!cap) {
        snprintf(message, message_size,
                 "this process may open too few files; raise the limit, for example with "
                 "'ulimit -n 1024'");
        goto err;
    }
    if (o->tls && secure_setup(s)) {
        snprintf(message, message_size, "out of memory");
        goto err;
    }
    if (bind_all(s, message, message_size)) goto err;
    for (unsigned i = 0; i < n; i++) {
        int err = loop_init(&s->loops[i]);
        if (err) {
            snprintf(message, message_size, "cannot listen on %s port %u: %s", o->host, s->port,
                     uv_strerror(err));
            goto err;
        }
    }
    *out = s;
    return 0;
err:
    http_server_close(s);
    return -1;
}

uint16_t http_server_port(const struct http_server *s)
{
    return s->port;
}

static void run_thread(void *arg)
{
    loop_run(arg);
}

int http_server_run(struct http_server *s, char *message, size_t message_size)
{
    unsigned started = 1;
    int err = 0;
    while (started < s->n_loops && !err) {
        err = uv_thread_create(&s->loops[started].thread, run_thread, &s->loops[started]);
        if (!err) started++;
    }
    if (err) {
        snprintf(message, message_size, "cannot start a thread: %s", uv_strerror(err));
        http_server_stop(s);
        for (unsigned i = started; i < s->n_loops; i++)
            loop_run(&s->loops[i]);
    }
    loop_run(&s->loops[0]);
    for (unsigned i = 1; i < started; i++)
        uv_thread_join(&s->loops[i].thread);
    return err ? -1 : 0;
}

void http_server_stop(struct http_server *s)
{
    __atomic_store_n(&s->stopping, 1, __ATOMIC_SEQ_CST);
    for (unsigned i = 0; i < s->n_loops; i++)
        loop_wake(&s->loops[i]);
}

void http_server_reload(struct http_server *s)
{
    __atomic_store_n(&s->reloading, 1, __ATOMIC_SEQ_CST);
    loop_wake(&s->loops[0]);
}

static void close_handle(uv_handle_t *h, void *arg)
{
    (void)arg;
    if (!uv_is_closing(h)) uv_close(h, NULL);
}

void http_server_close(struct http_server *s)
{
    for (unsigned i = 0; i < s->n_loops; i++) {
        struct http_loop *l = &s->loops[i];
        if (l->ready) {
            if (l->state && s->options.loop_close) s->options.loop_close(l->state);
            uv_walk(&l->uv, close_handle, NULL);
            uv_run(&l->uv, UV_RUN_DEFAULT);
            uv_loop_close(&l->uv);
        }
        if (l->listen_fd >= 0) close(l->listen_fd);
    }
    if (s->options.tls) secure_takedown(s);
    free(s);
}
