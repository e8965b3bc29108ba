/* http_connection.c: a connection from accept to free: reading, parsing request after request,
 * handing each to the handler, timing out, closing.
 *
 * A connection is freed when nothing holds it: its handle is one hold, a request in the handler's
 * hands another. So a client may vanish while a write is being committed; the answer then finds the
 * connection closed and only lets go of it. */
#include "http_private.h"
#include "../base/log.h"
#include <stdlib.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

void connection_phase(struct connection *c, enum phase phase, uint64_t ms)
{
    uint64_t now = uv_now(&c->loop->uv);
    c->phase = phase;
    c->phase_began = now;
    if (c->loop->draining && (phase == PHASE_HEAD || phase == PHASE_BODY || phase == PHASE_HANDSHAKE) &&
        ms > c->loop->server->options.limits.drain_ms)
        ms = c->loop->server->options.limits.drain_ms;
    c->deadline = ms ? now + ms : 0;
}

static void drop_body(struct connection *c)
{
    free(c->body.p);
    c->body.p = NULL;
    c->body.cap = c->body.n = 0;
    connection_hold(c, 0);
}

/* Of a closed connection, at once: libuv tells of the close at the end of its turn, and hundreds may be refused in one. */
static void drop_memory(struct connection *c)
{
    arena_free(&c->arena);
    drop_body(c);
}

void connection_hand_back(struct connection *c)
{
    c->handed = false;
    if (c->phase == PHASE_CLOSED) drop_memory(c);
}

void connection_release(struct connection *c)
{
    if (--c->holds) return;
    struct http_loop *l = c->loop;
    if (c->prev)
        c->prev->next = c->next;
    else
        l->connections = c->next;
    if (c->next) c->next->prev = c->prev;
    drop_memory(c);
    secure_free(c->secure);
    free(c->in);
    free(c);
    loop_connection_gone(l);
}

static void on_close(uv_handle_t *h)
{
    connection_release((struct connection *)h);
}

void connection_close(struct connection *c)
{
    if (c->phase == PHASE_CLOSED) return;
    if (c->secure && c->phase != PHASE_LINGER) secure_goodbye(c);
    c->phase = PHASE_CLOSED;
    c->deadline = 0;
    c->reading = false;
    uv_close((uv_handle_t *)&c->tcp, on_close);
    if (!c->handed) drop_memory(c);
}

/* ---- reading ---- */

static bool body_goes_straight(const struct connection *c)
{
    return c->phase == PHASE_BODY && c->body_outside && !(c->parser.flags & F_CHUNKED);
}

void connection_alloc(uv_handle_t *h, size_t hint, uv_buf_t *out)
{
    (void)hint;
    struct connection *c = (struct connection *)h;
    if (body_goes_straight(c)) {
        /* Never more than this body, so that a pipelined request does not end up in here. */
        size_t left = c->parser.content_length;
        if (c->body.cap == c->body.n) {
            size_t want = c->body.n + left, cap = c->body.cap * 2;
            if (cap > want) cap = want;
            uint8_t *grown = connection_hold_body(c, cap) ? realloc(c->body.p, cap) : NULL;
            if (!grown) {
                *out = uv_buf_init(NULL, 0); /* reported to on_read as UV_ENOBUFS */
                return;
            }
            c->body.p = grown;
            c->body.cap = cap;
        }
        size_t room = c->body.cap - c->body.n;
        *out = uv_buf_init((char *)c->body.p + c->body.n, (unsigned)(room < left ? room : left));
        return;
    }
    if (!c->in) c->in = aligned_alloc(4096, WIRE_READ_BUFFER); /* whole pages, see connection_rest */
    if (!c->in) {
        *out = uv_buf_init(NULL, 0);
        return;
    }
    if (c->start && c->phase != PHASE_HANDLING && c->phase != PHASE_WRITING) {
        memmove(c->in, c->in + c->start, c->end - c->start);
        c->parsed -= c->start;
        c->end -= c->start;
        c->start = 0;
    }
    *out = uv_buf_init((char *)c->in + c->end, (unsigned)(WIRE_READ_BUFFER - c->end));
}

static bool same_text(struct slice a, struct slice b)
{
    return a.n == b.n && strncasecmp((const char *)a.p, (const char *)b.p, a.n) == 0;
}

/* "http://host/path", as it is sent to a proxy: leaves the path. The host in it counts for more than the header, says RFC 9112; we want them
 * to be the same, so that who checks the one has checked the other. False: they are not, or it is something else than a path. */
static bool leave_path(const struct connection *c, struct slice *url)
{
    static const struct slice schemes[] = { { (const uint8_t *)"http://", 7 }, { (const uint8_t *)"https://", 8 } };
    if (url->n && (url->p[0] == '/' || slice_eq(*url, SLICE("*")))) return true;
    for (size_t i = 0; i < 2; i++) {
        size_t from = schemes[i].n, to = from;
        if (url->n < from || !same_text(slice_of(url->p, from), schemes[i])) continue;
        while (to < url->n && url->p[to] != '/' && url->p[to] != '?')
            to++;
        struct slice host = slice_of(url->p + from, to - from);
        if (!host.n || (!c->http10 && !same_text(host, http_header(&c->request, HEADER_HOST)))) return false;
        *url = slice_of(url->p + to, url->n - to);
        return true;
    }
    return false;
}

static void begin_handling(struct connection *c)
{
    struct http_request *r = &c->request;
    const uint8_t *base = c->in + c->start;
    struct slice url = slice_of(base + c->url, c->url_n);
    /* llhttp would take any number of them. */
    bool two_spaces = (c->url >= 2 && base[c->url - 2] == ' ') || base[c->url + c->url_n + 1] == ' ';
    if (two_spaces || !leave_path(c, &url)) {
        connection_refuse(c, 400);
        return;
    }
    const uint8_t *mark = url.n ? memchr(url.p, '?', url.n) : NULL;
    r->path = mark ? slice_of(url.p, (size_t)(mark - url.p)) : url;
    if (!r->path.n) r->path = SLICE("/"); /* "http://host" */
    r->query = mark ? slice_of(mark + 1, (size_t)(url.p + url.n - mark) - 1) : slice_of(NULL, 0);
    r->body =
        c->body_outside ? slice_of(c->body.p, c->body.n) : slice_of(base + c->body_at, c->body_n);
    switch (llhttp_get_method(&c->parser)) {
    case HTTP_GET:
        r->verb = VERB_GET;
        break;
    case HTTP_HEAD:
        r->verb = VERB_HEAD;
        break;
    case HTTP_POST:
        r->verb = VERB_POST;
        break;
    case HTTP_OPTIONS:
        r->verb = VERB_OPTIONS;
        break;
    default:
        r->verb = VERB_OTHER;
        break;
    }
    r->may_lack_host = c->http10;
    connection_phase(c, PHASE_HANDLING, 0);
    c->holds++;
    c->handed = true;
    c->loop->server->options.handle(r);
}

static int refusal_for(const struct connection *c, llhttp_errno_t err)
{
    if (c->refusal) return c->refusal; /* a callback refused; llhttp reports that in several ways */
    if (err == HPE_INVALID_VERSION || err == HPE_PAUSED_H2_UPGRADE) return 505;
    return 400;
}

/* The head is complete or may still grow: is it too long already? The same for trailers behind an
 * empty body, which fill the read buffer. */
static bool head_too_long(const struct connection *c)
{
    if (!c->head_done) return c->end - c->start > WIRE_MAX_HEAD;
    return !c->body_outside && c->end - c->start == WIRE_READ_BUFFER;
}

/* True if a whole request is there. */
static bool feed(struct connection *c, const uint8_t *p, size_t n)
{
    llhttp_errno_t err = llhttp_execute(&c->parser, (const char *)p, n);
    if (c->phase == PHASE_CLOSED) return false; /* "100 Continue" could not be sent */
    if (err == HPE_OK) return false;
    if (err == HPE_PAUSED) return true;
    log_line(LOG_DEBUG, "refused a request: %s", llhttp_errno_name(err));
    connection_refuse(c, refusal_for(c, err));
    return false;
}

void connection_parse(struct connection *c)
{
    if (c->parsing) return;
    c->parsing = true;
    while (c->parsed < c->end && c->phase <= PHASE_BODY) {
        if (c->phase == PHASE_IDLE) {
            c->resting = false;
            connection_phase(c, PHASE_HEAD, c->loop->server->options.limits.head_ms);
        }
        if (feed(c, c->in + c->parsed, c->end - c->parsed)) {
            c->parsed = (size_t)((const uint8_t *)llhttp_get_error_pos(&c->parser) - c->in);
            begin_handling(c);
            continue;
        }
        if (c->phase > PHASE_BODY) break;
        c->parsed = c->end;
        if (head_too_long(c)) connection_refuse(c, 400);
        /* What went to the body buffer need not stay in this one, nor what stood before it: a long chunk extension would leave no room. */
        if (c->body_outside) c->parsed = c->end = c->start + c->head_n;
    }
    c->parsing = false;
    if (c->phase == PHASE_CLOSED) return;
    if (c->peer_done && c->phase <= PHASE_BODY) {
        connection_close(c);
        return;
    }
    /* A full buffer behind a request under way: leave the rest to the client's socket. */
    if (c->reading && c->end == WIRE_READ_BUFFER &&
        (c->phase == PHASE_HANDLING || c->phase == PHASE_WRITING)) {
        uv_read_stop((uv_stream_t *)&c->tcp);
        c->reading = false;
    } else if (!c->reading && c->phase <= PHASE_BODY) {
        connection_read_on(c);
    }
}

/* Bytes of a body buy time at the least rate that we ask for, but no silence: much at once is no reason to wait longer for the rest. */
static void earn_time(struct connection *c, size_t n)
{
    const struct http_limits *limits = &c->loop->server->options.limits;
    uint64_t last = uv_now(&c->loop->uv) + limits->body_ms;
    c->unpaid += n;
    uint64_t ms = c->unpaid * 1000 / limits->min_rate;
    c->unpaid -= ms * limits->min_rate / 1000;
    c->deadline += ms;
    if (c->deadline > last) c->deadline = last;
}

void connection_received(uv_stream_t *s, ssize_t n, const uv_buf_t *buf)
{
    struct connection *c = (struct connection *)s;
    if (c->phase == PHASE_CLOSED || n == 0) return;
    if (n == UV_EOF) {
        c->peer_done = true;
        c->reading = false;
        uv_read_stop(s);
        /* A client may send, shut down its side and wait for the answers: finish what is there. */
        if (c->phase <= PHASE_BODY || c->phase == PHASE_LINGER) connection_close(c);
        return;
    }
    if (n == UV_ENOBUFS && c->phase == PHASE_BODY) {
        connection_refuse(c, 503);
        return;
    }
    if (n < 0) {
        connection_close(c);
        return;
    }
    if (c->phase == PHASE_LINGER) return;
    if (c->phase == PHASE_BODY) {
        c->received += (size_t)n;
        if (c->received > WIRE_MAX_FRAMING + WIRE_FRAMING_RATE * (c->body.n + c->body_n) + (size_t)n) {
            connection_refuse(c, 400);
            return;
        }
        earn_time(c, (size_t)n);
    }
    if (buf->base >= (char *)c->in && buf->base < (char *)c->in + WIRE_READ_BUFFER) {
        c->end += (size_t)n;
    } else if (feed(c, (const uint8_t *)buf->base, (size_t)n)) {
        begin_handling(c);
    }
    connection_parse(c);
}

/* While lingering the buffer is only a place to throw things. */
static void on_linger_alloc(uv_handle_t *h, size_t hint, uv_buf_t *out)
{
    (void)hint;
    struct connection *c = (struct connection *)h;
    *out = uv_buf_init((char *)(c->in ? c->in : c->loop->raw), WIRE_READ_BUFFER);
}

void connection_read_on(struct connection *c)
{
    bool tls = c->loop->server->options.tls != NULL;
    c->reading = true;
    if (uv_read_start((uv_stream_t *)&c->tcp, tls ? secure_alloc : connection_alloc,
                      tls ? secure_received : connection_received))
        connection_close(c);
    else if (tls)
        secure_pump(c);
}

/* ---- after an answer ---- */

static void on_shutdown(uv_shutdown_t *req, int status)
{
    (void)req;
    (void)status;
}

/* Closing with unread bytes in the socket makes the kernel send a reset, which may overtake the
 * answer. So: no more answers from us, but go on reading until the client closes, for a while. */
void connection_linger(struct connection *c)
{
    if (c->secure) secure_goodbye(c);
    connection_phase(c, PHASE_LINGER, c->loop->server->options.limits.linger_ms);
    if (c->peer_done || uv_shutdown(&c->shutdown, (uv_stream_t *)&c->tcp, on_shutdown)) {
        connection_close(c);
        return;
    }
    if (c->reading) uv_read_stop((uv_stream_t *)&c->tcp);
    c->reading = true;
    if (uv_read_start((uv_stream_t *)&c->tcp, on_linger_alloc, connection_received)) connection_close(c);
}

void connection_answered(struct connection *c)
{
    arena_reset(&c->arena);
    drop_body(c);
    if (c->linger) {
        connection_linger(c);
        return;
    }
    if (!c->keep_alive) {
        connection_close(c);
        return;
    }
    c->start = c->parsed;
    if (c->start == c->end) c->start = c->parsed = c->end = 0;
    http_parse_begin(c);
    connection_phase(c, PHASE_IDLE, c->loop->server->options.limits.idle_ms);
    if (c->loop->draining && c->start == c->end) {
        connection_close(c);
        return;
    }
    connection_parse(c);
}

/* What the kernel has taken of an answer that nobody reads it would keep for minutes, unless the connection is reset. */
static void drop_unsent(struct connection *c)
{
    const struct linger none = { .l_onoff = 1, .l_linger = 0 };
    uv_os_fd_t fd;
    if (!uv_fileno((const uv_handle_t *)&c->tcp, &fd)) setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof none);
}

void connection_expire(struct connection *c)
{
    if (c->phase == PHASE_HEAD || c->phase == PHASE_BODY) {
        connection_refuse(c, 408);
        return;
    }
    if (c->phase == PHASE_WRITING) drop_unsent(c);
    connection_close(c);
}

bool connection_rest(struct connection *c, uint64_t now)
{
    if (c->phase != PHASE_IDLE || c->resting || now - c->phase_began < WIRE_REST_MS) return false;
    c->resting = true;
    if (c->in) madvise(c->in, WIRE_READ_BUFFER, MADV_DONTNEED);
    arena_rest(&c->arena);
    return true;
}

/* Bytes that the loop has not come to yet: a request that was sent before the stop. */
static bool has_unread(const struct connection *c)
{
    char byte;
    uv_os_fd_t fd;
    return !uv_fileno((const uv_handle_t *)&c->tcp, &fd) && recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 1;
}

void connection_drain(struct connection *c)
{
    if (c->phase == PHASE_IDLE && !has_unread(c)) {
        connection_close(c);
    } else if (c->deadline) {
        const struct http_limits *limits = &c->loop->server->options.limits;
        uint64_t last = uv_now(&c->loop->uv) +
                        (c->phase == PHASE_WRITING ? limits->write_ms : limits->drain_ms);
        if (c->deadline > last) c->deadline = last;
    }
}

/* ---- beginning ---- */

struct connection *connection_new(int fd)
{
    struct connection *c = calloc(1, sizeof(*c));
    if (!c) return NULL;
    c->fd = fd;
    c->holds = 1;
    return c;
}

void connection_move(struct connection *c, struct http_loop *to)
{
    struct http_loop *from = c->loop;
    c->loop = to;
    __atomic_add_fetch(&to->n_connections, 1, __ATOMIC_RELAXED);
    __atomic_sub_fetch(&from->n_connections, 1, __ATOMIC_SEQ_CST);
    loop_wake(from); /* it may have waited for this one only */
}

void connection_start(struct connection *c)
{
    struct http_loop *l = c->loop;
    c->prev = NULL;
    c->next = l->connections;
    if (c->next) c->next->prev = c;
    l->connections = c;
    loop_tick(l);
    arena_init(&c->arena, WIRE_MAX_ARENA);
    c->request.arena = &c->arena;
    c->request.loop = l;
    c->request.loop_state = l->state;
    c->request.service = l->server->options.service;
    uv_tcp_init(&l->uv, &c->tcp);
    if (uv_tcp_open(&c->tcp, c->fd)) {
        close(c->fd);
        connection_close(c);
        return;
    }
    uv_tcp_nodelay(&c->tcp, 1);
    http_parse_begin(c);
    connection_phase(c, PHASE_IDLE, l->server->options.limits.idle_ms);
    connection_read_on(c);
    if (l->draining) connection_drain(c);
}
