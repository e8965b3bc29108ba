/* http_respond.c: writes an answer: head and body in one system call where the socket takes them.
 */
#include "http_private.h"
#include "../base/buf.h"
#include <stdio.h>
#include <time.h>

static struct slice reason(int status)
{
    switch (status) {
    case 200:
        return SLICE("OK");
    case 301:
        return SLICE("Moved Permanently");
    case 400:
        return SLICE("Bad Request");
    case 403:
        return SLICE("Forbidden");
    case 404:
        return SLICE("Not Found");
    case 408:
        return SLICE("Request Timeout");
    case 413:
        return SLICE("Request Entity Too Large");
    case 417:
        return SLICE("Expectation Failed");
    case 500:
        return SLICE("Internal Server Error");
    case 503:
        return SLICE("Service Unavailable");
    case 505:
        return SLICE("HTTP Version Not Supported");
    default:
        return SLICE("Unknown");
    }
}

/* The Date header's text, made once a second. Not strftime: names must not follow the locale. */
static struct slice date_text(struct http_loop *l)
{
    static const char days[][4] = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" };
    static const char months[][4] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
    time_t now = time(NULL);
    if (now != l->date_of) {
        struct tm t;
        gmtime_r(&now, &t);
        snprintf(l->date, sizeof(l->date), "%s, %02d %s %04d %02d:%02d:%02d GMT", days[t.tm_wday],
                 t.tm_mday, months[t.tm_mon], (t.tm_year + 1900) % 10000, t.tm_hour, t.tm_min,
                 t.tm_sec);
        l->date_of = now;
    }
    return slice_of(l->date, sizeof("Sun, 06 Nov 1994 08:49:37 GMT") - 1);
}

static void on_written(uv_write_t *w, int status)
{
    struct connection *c = w->data;
    if (c->phase == PHASE_CLOSED) return;
    if (status < 0)
        connection_close(c);
    else
        connection_answered(c);
}

unsigned http_skip_written(uv_buf_t bufs[2], unsigned n_bufs, size_t n)
{
    while (n_bufs && n >= bufs[0].len) {
        n -= bufs[0].len;
        bufs[0] = bufs[1];
        n_bufs--;
    }
    if (n_bufs) {
        bufs[0].base += n;
        bufs[0].len -= n;
    }
    return n_bufs;
}

bool connection_writing(struct connection *c)
{
    const struct http_limits *limits = &c->loop->server->options.limits;
    connection_phase(c, PHASE_WRITING,
                     limits->write_ms + (c->out_head.n + c->out_body.n) * 1000 / limits->min_rate);
    /* A client that does not read keeps its answer here; there is a limit to how many may. */
    if (http_hold(&c->request)) return true;
    connection_close(c);
    return false;
}

static void send_out(struct connection *c)
{
    struct slice head = c->out_head, body = c->out_body;
    uv_buf_t bufs[2] = { uv_buf_init((char *)(uintptr_t)head.p, (unsigned)head.n),
                         uv_buf_init((char *)(uintptr_t)body.p, (unsigned)body.n) };
    unsigned n_bufs = body.n ? 2 : 1;
    if (c->secure) {
        secure_send(c, bufs, n_bufs);
        return;
    }
    int n = uv_try_write((uv_stream_t *)&c->tcp, bufs, n_bufs);
    if (n < 0 && n != UV_EAGAIN) {
        connection_close(c);
        return;
    }
    n_bufs = http_skip_written(bufs, n_bufs, n > 0 ? (size_t)n : 0);
    if (n_bufs == 0) {
        connection_answered(c);
        return;
    }
    c->write.data = c;
    if (!connection_writing(c)) return;
    if (uv_write(&c->write, (uv_stream_t *)&c->tcp, bufs, n_bufs, on_written)) connection_close(c);
}

static struct slice make_head(struct connection *c, const struct http_response *r)
{
    struct buf b;
    buf_init(&b, &c->arena, 65536);
    buf_reserve(&b, 384 + r->headers.n);
    BUF_LIT(&b, "HTTP/1.1 ");
    buf_decimal(&b, (unsigned)r->status);
    BUF_LIT(&b, " ");
    buf_slice(&b, reason(r->status));
    BUF_LIT(&b, "\r\nServer: Server\r\nDate: ");
    buf_slice(&b, date_text(c->loop));
    if (r->content_type.n) {
        BUF_LIT(&b, "\r\nContent-Type: ");
        buf_slice(&b, r->content_type);
    }
    BUF_LIT(&b, "\r\nContent-Length: ");
    buf_decimal(&b, r->body.n);
    if (!c->keep_alive)
        BUF_LIT(&b, "\r\nConnection: close");
    else if (c->http10)
        BUF_LIT(&b, "\r\nConnection: keep-alive");
    BUF_LIT(&b, "\r\n");
    buf_slice(&b, r->headers);
    BUF_LIT(&b, "\r\n");
    return buf_view(&b);
}

static void make_answer(struct connection *c, const struct http_response *r)
{
    static const char out_of_memory[] =
        "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    volatile bool made = false;
    struct slice head = slice_of(out_of_memory, sizeof(out_of_memory) - 1);
    struct slice body = slice_of(NULL, 0);
    /* At the cap a connection serves one request and makes room. */
    if (r->close || c->loop->draining || c->loop->accept_waiting) c->keep_alive = false;
    if (ARENA_GUARD(&c->arena)) {
        head = make_head(c, r);
        made = true;
    }
    arena_unguard(&c->arena);
    if (!made) {
        c->keep_alive = false;
        head = slice_of(out_of_memory, sizeof(out_of_memory) - 1);
    } else if (c->request.verb != VERB_HEAD) {
        body = r->body;
    }
    c->out_head = head;
    c->out_body = body;
}

void http_respond(struct http_request *r, const struct http_response *response)
{
    struct connection *c = connection_of(r);
    struct http_loop *l = c->loop;
    /* Held until here by the request; the handle, if still open, has its own hold. */
    if (c->phase == PHASE_CLOSED) {
        connection_hand_back(c);
        connection_release(c);
        return;
    }
    make_answer(c, response);
    c->next_out = NULL;
    *l->out_end = c;
    l->out_end = &c->next_out;
    bool much = c->arena.used + c->body.cap > WIRE_ANSWER_MEMORY;
    if (!l->n_out++) l->out_began_ns = uv_hrtime();
    if (much || l->n_out >= WIRE_MAX_ANSWERS || (l->n_out > 1 && uv_hrtime() - l->out_began_ns > WIRE_ANSWERS_NS))
        loop_send_answers(l);
}

void loop_send_answers(struct http_loop *l)
{
    struct connection *c;
    if (l->sending) return; /* for a request that waited behind one of them: its answer is the last in the row */
    l->sending = true;
    while ((c = l->out)) {
        if (!(l->out = c->next_out)) l->out_end = &l->out;
        l->n_out--;
        connection_hand_back(c);
        if (c->phase != PHASE_CLOSED) send_out(c);
        connection_release(c);
    }
    l->sending = false;
}

void connection_refuse_saying(struct connection *c, int status, const char *text)
{
    struct http_response r = { .status = status, .body = slice_str(text), .close = true };
    if (r.body.n) r.content_type = SLICE("text/plain");
    c->request.verb = VERB_OTHER;
    c->linger = true;
    make_answer(c, &r);
    send_out(c);
}

void connection_refuse(struct connection *c, int status)
{
    static const struct {
        int status;
        const char *text;
    } texts[] = {
        { 400, "The request is not valid HTTP/1.1, or its request line and headers are over 16384 "
               "bytes.\n" },
        { 408, "The request took too long to arrive.\n" },
        { 413, "The request is larger than 16 MB, as it came or unpacked.\n" },
        { 417, "Expect: only 100-continue is supported.\n" },
        { 503, "Too many large requests at once: try again.\n" },
        { 505, "Only HTTP/1.0 and HTTP/1.1 are supported.\n" },
    };
    const char *text = "";
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        if (texts[i].status == status) text = texts[i].text;
    connection_refuse_saying(c, status, text);
}
