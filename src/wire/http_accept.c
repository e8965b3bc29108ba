/* http_accept.c: a loop's listener: accepting connections, dealing them out, waiting when there is no
 * room.
 *
 * The kernel spreads connections over the loops' sockets by chance. Each is therefore given to the
 * loop that has the fewest (docs/decisions/0011): one that is another's is pushed on that loop's stack
 * and counted as its own from then on. */
#include "http_private.h"
#include "../base/log.h"
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- no room ---- */

/* Who goes first when there is no room. Nobody whose request is complete goes. */
enum worth { KEPT_ALIVE, REFUSED, SLOW, WANTED };

/* One that was just accepted may have sent its request already, and one that has begun may be about to end: each is left alone for a moment, a handshake
 * as long as it waits for us, and a body as long as it comes at the pace that is asked of it. */
static enum worth worth_of(const struct connection *c, uint64_t now)
{
    const struct http_limits *limits = &c->loop->server->options.limits;
    if (now - c->phase_began < limits->evict_ms) return WANTED;
    switch (c->phase) {
    case PHASE_IDLE: return KEPT_ALIVE;
    case PHASE_LINGER: return REFUSED;
    case PHASE_HEAD: return SLOW;
    case PHASE_HANDSHAKE: return c->reading ? SLOW : WANTED;
    case PHASE_BODY: return c->deadline + limits->evict_ms <= now + limits->body_ms ? SLOW : WANTED;
    default: return WANTED;
    }
}

/* At the cap a connection that is only being kept alive makes room for a new one; where there is none, one that was refused and is still being
 * read from, or else the one that has been about to ask something for the longest time: those who send half a request, and wait, keep nobody out. */
static bool evict(struct http_loop *l)
{
    uint64_t now = uv_now(&l->uv);
    enum worth least = WANTED;
    struct connection *first = NULL; /* the list has the newest first, hence <= */
    for (struct connection *c = l->connections; c; c = c->next) {
        enum worth worth = worth_of(c, now);
        if (worth == WANTED || worth > least || (worth == least && c->phase_began > first->phase_began)) continue;
        least = worth;
        first = c;
    }
    if (first) connection_close(first);
    return first != NULL;
}

/* Only a loop's own thread may touch its connections. Where ours are all wanted, one of the others may have one that is not; then there is room
 * at our next tick. Whoever has stopped has room anyway. */
static void ask_others_for_room(struct http_loop *l)
{
    struct http_server *s = l->server;
    if (__atomic_load_n(&s->stopping, __ATOMIC_RELAXED)) return;
    for (unsigned i = 0; i < s->n_loops; i++) {
        if (&s->loops[i] != l && !__atomic_exchange_n(&s->loops[i].room_wanted, true, __ATOMIC_RELAXED)) loop_wake(&s->loops[i]);
    }
}

void listener_make_room(struct http_loop *l)
{
    if (__atomic_exchange_n(&l->room_wanted, false, __ATOMIC_RELAXED)) evict(l);
}

/* Clients wait in the listener's backlog until a connection has gone, or until the next tick. */
static void wait_for_room(struct http_loop *l)
{
    uv_poll_stop(&l->listener);
    l->accept_waiting = true;
    loop_tick(l);
}

static void on_readable(uv_poll_t *p, int status, int events);

void listener_resume(struct http_loop *l)
{
    if (!l->accept_waiting || l->draining) return;
    l->accept_waiting = false;
    uv_poll_start(&l->listener, UV_READABLE, on_readable);
}

/* ---- accepting ---- */

static unsigned load_of(const struct http_loop *l)
{
    return __atomic_load_n(&l->n_connections, __ATOMIC_RELAXED);
}

/* The loop with the fewest connections, of several this one; `fewest` is set to how many it had. */
static struct http_loop *next_loop(struct http_loop *l, unsigned *fewest)
{
    struct http_server *s = l->server;
    struct http_loop *best = l;
    *fewest = load_of(l);
    if (__atomic_load_n(&s->stopping, __ATOMIC_RELAXED)) return l;
    for (unsigned i = 0; i < s->n_loops; i++) {
        unsigned n = load_of(&s->loops[i]);
        if (n >= *fewest) continue;
        *fewest = n;
        best = &s->loops[i];
    }
    return best;
}

/* Counts one more connection for the loop that is to have it, provided that nobody has since it was
 * chosen: two loops that accept at the same moment must not choose the same one. */
static struct http_loop *claim_loop(struct http_loop *l)
{
    struct http_loop *to;
    unsigned n;
    do {
        to = next_loop(l, &n);
    } while (!__atomic_compare_exchange_n(&to->n_connections, &n, n + 1, false, __ATOMIC_SEQ_CST,
                                          __ATOMIC_RELAXED));
    return to;
}

static void give(struct http_loop *to, struct connection *c)
{
    struct connection *head = __atomic_load_n(&to->given, __ATOMIC_RELAXED);
    do {
        c->next = head;
    } while (!__atomic_compare_exchange_n(&to->given, &head, c, true, __ATOMIC_RELEASE,
                                          __ATOMIC_RELAXED));
    if (!head) loop_wake(to);
}

void listener_take_given(struct http_loop *l)
{
    struct connection *c = __atomic_exchange_n(&l->given, NULL, __ATOMIC_ACQUIRE);
    for (struct connection *next; c; c = next) {
        next = c->next;
        connection_start(c);
    }
}

/* False: there is none, or it cannot be taken. */
static bool accept_one(struct http_loop *l)
{
    int fd = accept4(l->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0 && (errno == EINTR || errno == ECONNABORTED)) return true;
    if (fd < 0 && errno == EAGAIN) return false;
    struct connection *c = fd < 0 ? NULL : connection_new(fd);
    if (!c) {
        /* Out of files or of memory. Of files only if somebody else takes them: see connection_cap. */
        if (loop_may_warn(l)) log_line(LOG_WARN, "cannot accept connections: %s", strerror(errno));
        if (fd >= 0) close(fd);
        evict(l);
        wait_for_room(l);
        return false;
    }
    struct http_loop *to = c->loop = claim_loop(l);
    /* It is counted, so a loop that hears of the stop only now waits for it; one that had heard may have ended. */
    if (to != l && __atomic_load_n(&l->server->stopping, __ATOMIC_SEQ_CST)) {
        connection_move(c, l);
        to = l;
    }
    if (to == l)
        connection_start(c);
    else
        give(to, c);
    return true;
}

static void on_readable(uv_poll_t *p, int status, int events)
{
    (void)status; /* accept4 will say it better */
    (void)events;
    struct http_loop *l = p->data;
    for (unsigned i = 0; i < WIRE_ACCEPTS; i++) {
        unsigned fewest;
        struct http_loop *to = next_loop(l, &fewest);
        bool room = fewest < to->max_connections;
        if (!room && i == 0) { /* only of the first we know that it is there */
            if (!evict(l)) {
                ask_others_for_room(l);
                if (loop_may_warn(l)) log_line(LOG_WARN, "%u connections, the most allowed: new ones wait", fewest);
            }
            wait_for_room(l);
        }
        if (!room || !accept_one(l)) return;
    }
}

/* ---- life ---- */

int listener_open(struct http_loop *l)
{
    if (listen(l->listen_fd, WIRE_BACKLOG)) return uv_translate_sys_error(errno);
    int err = uv_poll_init(&l->uv, &l->listener, l->listen_fd);
    if (err) return err;
    l->listener.data = l;
    return uv_poll_start(&l->listener, UV_READABLE, on_readable);
}

void listener_close(struct http_loop *l)
{
    /* Who is connected may have sent something, and does not know that nobody has taken it yet. */
    for (unsigned i = 0; i < WIRE_BACKLOG && load_of(l) < l->max_connections; i++)
        if (!accept_one(l)) break;
    uv_close((uv_handle_t *)&l->listener, NULL);
    close(l->listen_fd);
    l->listen_fd = -1;
}
