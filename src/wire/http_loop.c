/* http_loop.c: one event loop: being woken from other threads, deadlines, draining. */
#include "http_private.h"
#include "../base/log.h"
#include <netinet/in.h>
#include <arpa/inet.h>
#include <stdio.h>
#include <unistd.h>

bool loop_may_warn(struct http_loop *l)
{
    uint64_t now = uv_now(&l->uv);
    if (l->warned && now - l->warned < 1000) return false;
    l->warned = now;
    return true;
}

static void end_if_drained(struct http_loop *l)
{
    /* In one order with `stopping`, see accept_one. */
    if (!l->draining || __atomic_load_n(&l->n_connections, __ATOMIC_SEQ_CST)) return;
    if (!uv_is_closing((uv_handle_t *)&l->async)) uv_close((uv_handle_t *)&l->async, NULL);
    if (!uv_is_closing((uv_handle_t *)&l->timer)) uv_close((uv_handle_t *)&l->timer, NULL);
    if (!uv_is_closing((uv_handle_t *)&l->turn)) uv_close((uv_handle_t *)&l->turn, NULL);
}

void loop_connection_gone(struct http_loop *l)
{
    __atomic_sub_fetch(&l->n_connections, 1, __ATOMIC_RELAXED);
    listener_resume(l);
    end_if_drained(l);
}

/* ---- deadlines ---- */

static void on_tick(uv_timer_t *t)
{
    struct http_loop *l = t->data;
    uint64_t now = uv_now(&l->uv);
    unsigned rested = 0;
    for (struct connection *c = l->connections, *next; c; c = next) {
        next = c->next;
        if (c->deadline && now >= c->deadline)
            connection_expire(c);
        else if (rested < WIRE_RESTS)
            rested += connection_rest(c, now);
    }
    if (!l->connections && !l->accept_waiting) uv_timer_stop(t);
    listener_resume(l);
}

static void on_day(uv_timer_t *t)
{
    struct http_loop *l = t->data;
    tls_warn(l->server->options.tls);
}

/* Nobody starts a server every day, and few read what it said when it started. The timer keeps no loop from ending. */
static void watch_certificate(struct http_loop *l)
{
    unsigned every = l->server->options.limits.tls_warn_ms;
    uv_timer_init(&l->uv, &l->day);
    l->day.data = l;
    uv_timer_start(&l->day, on_day, every, every);
    uv_unref((uv_handle_t *)&l->day);
}

/* ---- waiting and waking ---- */

bool http_hold(struct http_request *r)
{
    struct connection *c = connection_of(r);
    if (connection_hold(c, c->body.cap + c->arena.used + (c->secure ? WIRE_TLS_PIECE : 0))) return true;
    if (loop_may_warn(c->loop))
        log_line(LOG_WARN, "requests hold %zu MB, the most allowed: refusing large ones",
                 c->loop->server->held_max >> 20);
    return false;
}

/* uv_async_send does nothing if an earlier one is still to be noticed. The fence makes sure that
 * what we changed is visible to the loop if it notices that one now: without it both sides could
 * miss. */
void loop_wake(struct http_loop *l)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    uv_async_send(&l->async);
}

void http_wake(struct http_request *r)
{
    struct http_loop *l = r->loop;
    struct http_request *head = __atomic_load_n(&l->woken, __ATOMIC_RELAXED);
    do {
        r->next_woken = head;
    } while (!__atomic_compare_exchange_n(&l->woken, &head, r, true, __ATOMIC_RELEASE,
                                          __ATOMIC_RELAXED));
    /* After this exchange the request may be answered and gone: touch only what is ours. The loop
     * outlives it: it does not end while a request is under way. */
    if (!head) loop_wake(l);
}

static void take_woken(struct http_loop *l)
{
    struct http_request *r = __atomic_exchange_n(&l->woken, NULL, __ATOMIC_ACQUIRE), *first = NULL;
    while (r) { /* the stack is newest first */
        struct http_request *next = r->next_woken;
        r->next_woken = first;
        first = r;
        r = next;
    }
    while (first) {
        struct http_request *next = first->next_woken;
        first->woken(first);
        first = next;
    }
}

static void begin_drain(struct http_loop *l)
{
    if (l == l->server->loops) log_event(LOG_INFO, "stopping", NULL, 0, "stopping: requests under way are finished");
    listener_close(l);
    l->draining = true;
    for (struct connection *c = l->connections, *next; c; c = next) {
        next = c->next;
        connection_drain(c);
    }
}

static void on_async(uv_async_t *a)
{
    struct http_loop *l = a->data;
    listener_take_given(l);
    listener_make_room(l);
    held_make_room(l);
    if (!l->draining && __atomic_load_n(&l->server->stopping, __ATOMIC_SEQ_CST)) begin_drain(l);
    const struct http_options *o = &l->server->options;
    if (l == l->server->loops && __atomic_exchange_n(&l->server->reloading, 0, __ATOMIC_SEQ_CST) && o->reload)
        o->reload(o->service);
    take_woken(l); /* behind that: answers say that it is the last */
    end_if_drained(l);
}

static void end_turn(struct http_loop *l)
{
    const struct http_options *o = &l->server->options;
    if (o->turn_end) o->turn_end(o->service, l->state);
}

/* A request can be handed to the handler from a socket, a waking or an answer that is out at last: libuv comes by here after each
 * of them, before it waits. */
static void on_turn(uv_prepare_t *p)
{
    struct http_loop *l = p->data;
    end_turn(l); /* first: the writer has something to do while we send */
    loop_send_answers(l);
    end_turn(l); /* of pipelined requests that waited behind those answers */
}

/* ---- work on other threads ---- */

static void on_work(uv_work_t *w)
{
    struct connection *c = w->data;
    c->work_fn(&c->request);
}

static void on_worked(uv_work_t *w, int status)
{
    (void)status; /* never cancelled */
    struct connection *c = w->data;
    c->work_after(&c->request);
}

void http_work(struct http_request *r, void (*work)(struct http_request *r),
               void (*after)(struct http_request *r))
{
    struct connection *c = connection_of(r);
    c->work.data = c;
    c->work_fn = work;
    c->work_after = after;
    uv_queue_work(&c->loop->uv, &c->work, on_work, on_worked);
}

/* An IPv4 address in IPv6's clothes is one of IPv4. Returns whether it is one of IPv6. */
static bool address_text(const struct sockaddr_storage *ss, char ip[INET6_ADDRSTRLEN], unsigned *port)
{
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)ss;
    const struct sockaddr_in *four = (const struct sockaddr_in *)ss;
    *port = ntohs(ss->ss_family == AF_INET6 ? six->sin6_port : four->sin_port);
    if (ss->ss_family != AF_INET6) {
        uv_ip4_name(four, ip, INET6_ADDRSTRLEN);
        return false;
    }
    bool v4 = IN6_IS_ADDR_V4MAPPED(&six->sin6_addr);
    if (v4) inet_ntop(AF_INET, &six->sin6_addr.s6_addr[12], ip, INET6_ADDRSTRLEN);
    else uv_ip6_name(six, ip, INET6_ADDRSTRLEN);
    return !v4;
}

bool http_is_secure(struct http_request *r)
{
    return connection_of(r)->secure != NULL;
}

struct slice http_remote_address(struct http_request *r)
{
    struct connection *c = connection_of(r);
    struct sockaddr_storage ss;
    int n = sizeof(ss);
    unsigned port;
    if (!c->remote[0] && c->phase != PHASE_CLOSED && !uv_tcp_getpeername(&c->tcp, (struct sockaddr *)&ss, &n))
        address_text(&ss, c->remote, &port);
    return slice_str(c->remote);
}

struct slice http_local_address(struct http_request *r, char *to, size_t size)
{
    struct connection *c = connection_of(r);
    struct sockaddr_storage ss;
    int n = sizeof(ss);
    unsigned port;
    char ip[INET6_ADDRSTRLEN] = "";
    if (c->phase == PHASE_CLOSED || uv_tcp_getsockname(&c->tcp, (struct sockaddr *)&ss, &n))
        return slice_of(NULL, 0);
    bool six = address_text(&ss, ip, &port);
    int len = snprintf(to, size, six ? "[%s]:%u" : "%s:%u", ip, port);
    return len > 0 && (size_t)len < size ? slice_of(to, (size_t)len) : slice_of(NULL, 0);
}

/* ---- life ---- */

int loop_init(struct http_loop *l)
{
    const struct http_options *o = &l->server->options;
    int err = uv_loop_init(&l->uv);
    if (err) return err;
    uv_timer_init(&l->uv, &l->timer);
    uv_prepare_init(&l->uv, &l->turn);
    if (o->tls && l == l->server->loops) watch_certificate(l);
    l->out_end = &l->out;
    err = uv_async_init(&l->uv, &l->async, on_async);
    l->timer.data = l->async.data = l->turn.data = l;
    if (!err) err = listener_open(l);
    if (!err && o->loop_open && !(l->state = o->loop_open(o->service))) err = UV_ENOMEM;
    if (!err) err = uv_prepare_start(&l->turn, on_turn);
    l->ready = true;
    return err;
}

/* How often deadlines are looked at: often enough for the shortest, never oftener than 20 ms. */
static uint64_t tick_ms(const struct http_limits *limits)
{
    const unsigned all[] = { limits->idle_ms,  limits->head_ms,   limits->body_ms,
                             limits->write_ms, limits->linger_ms, limits->drain_ms };
    uint64_t least = 4000;
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        if (all[i] && all[i] < least) least = all[i];
    return least / 4 < 20 ? 20 : least / 4;
}

void loop_tick(struct http_loop *l)
{
    uint64_t every = tick_ms(&l->server->options.limits);
    if (!uv_is_active((uv_handle_t *)&l->timer)) uv_timer_start(&l->timer, on_tick, every, every);
}

void loop_run(struct http_loop *l)
{
    uv_run(&l->uv, UV_RUN_DEFAULT);
}
