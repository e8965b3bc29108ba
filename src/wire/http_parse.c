/* http_parse.c: llhttp's callbacks: they note where things lie in the read buffer and decide, as
 * soon as the headers are complete, whether the request is one we will take.
 *
 * A body stays in the read buffer if it fits there; otherwise it goes to the connection's body
 * buffer. A callback that refuses sets c->refusal and returns an error; the connection answers. */
#include "http_private.h"
#include <stdlib.h>
#include <strings.h>

static int refuse(struct connection *c, int status)
{
    c->refusal = status;
    return HPE_USER;
}

void http_parse_begin(struct connection *c)
{
    llhttp_init(&c->parser, HTTP_REQUEST, &parse_settings);
    c->parser.data = c;
    c->refusal = 0;
    c->head_done = c->body_begun = c->body_outside = false;
    c->url = c->url_n = c->body_at = c->body_n = 0;
    c->n_headers = 0;
    c->trailers = c->received = c->unpaid = 0;
    memset(c->headers, 0, sizeof(c->headers));
    c->body.n = 0;
}

/* Is the head too long, if a token ends there? Behind it are at least the end of its line and the empty line. */
static bool beyond_head(size_t end)
{
    return end + 4 > WIRE_MAX_HEAD;
}

/* Spans of one token arrive in pieces when reads cut it; in the buffer the pieces are adjacent. If
 * they are not, or a value does not begin on the line of its name, it is an obsolete folded header,
 * which RFC 9112 lets us refuse: what a proxy before us makes of it is anyone's guess. */
static int on_url(llhttp_t *p, const char *at, size_t n)
{
    struct connection *c = p->data;
    size_t off = (size_t)((const uint8_t *)at - (c->in + c->start));
    if (beyond_head(off + n)) return refuse(c, 400);
    if (c->url_n == 0) c->url = off;
    c->url_n = off + n - c->url;
    return 0;
}

/* Which of the names it is, in whatever case; HEADERS_KNOWN: none of them. */
static enum http_name recognise(const uint8_t *name, size_t n)
{
    static const struct slice names[] = {
#define X(name, text) { (const uint8_t *)(text), sizeof(text) - 1 },
        HTTP_NAMES(X)
#undef X
    };
    /* The first name of each length. Where there is none: 0, a name of another length. */
    static const uint8_t from[] = {
        [4] = HEADER_HOST,
        [6] = HEADER_EXPECT,
        [10] = HEADER_X_AMZ_DATE,
        [12] = HEADER_CONTENT_TYPE,
        [13] = HEADER_AUTHORIZATION,
        [15] = HEADER_ACCEPT_ENCODING,
        [16] = HEADER_CONTENT_ENCODING,
        [17] = HEADER_TRANSFER_ENCODING,
        [29] = HEADER_REQUEST_METHOD,
        [30] = HEADER_REQUEST_HEADERS,
        [38] = HEADER_REQUEST_PRIVATE_NETWORK,
    };
    if (n >= sizeof(from)) return HEADERS_KNOWN;
    for (unsigned i = from[n]; i < HEADERS_KNOWN && names[i].n == n; i++)
        if (strncasecmp((const char *)name, (const char *)names[i].p, n) == 0)
            return (enum http_name)i;
    return HEADERS_KNOWN;
}

/* Nobody wants them, and they are not without end. */
static int skip_trailer(struct connection *c, size_t n)
{
    c->trailers += n + 2; /* ": " or the line's end */
    return c->trailers > WIRE_MAX_HEAD ? refuse(c, 400) : 0;
}

static int on_name(llhttp_t *p, const char *at, size_t n)
{
    struct connection *c = p->data;
    size_t off = (size_t)((const uint8_t *)at - (c->in + c->start));
    if (c->head_done) return skip_trailer(c, n);
    if (beyond_head(off + n)) return refuse(c, 400);
    if (c->n_headers == 0 || c->line.in_value) {
        if (c->n_headers++ == WIRE_MAX_HEADERS) return refuse(c, 400);
        c->line = (struct header_line){ .name = (uint16_t)off };
    }
    c->line.name_n = (uint16_t)(off + n - c->line.name);
    return 0;
}

/* The name is complete. Of headers that come twice the first one counts. */
static void begin_value(struct connection *c)
{
    struct header_line *h = &c->line;
    enum http_name which = recognise(c->in + c->start + h->name, h->name_n);
    h->in_value = true;
    if (which < HEADERS_KNOWN && c->headers[which].count++ == 0) h->slot = &c->headers[which];
}

static unsigned line_ends(const uint8_t *from, const uint8_t *to)
{
    unsigned n = 0;
    for (; from < to; from++)
        n += *from == '\n';
    return n;
}

static int on_value(llhttp_t *p, const char *at, size_t n)
{
    struct connection *c = p->data;
    struct header_line *h = &c->line;
    size_t off = (size_t)((const uint8_t *)at - (c->in + c->start));
    if (c->head_done) return skip_trailer(c, n);
    if (beyond_head(off + n) || c->n_headers == 0) return refuse(c, 400);
    if (h->name_n == 0) return refuse(c, 400); /* llhttp lets ": x" pass */
    if (h->value_n && h->value + h->value_n != off) return refuse(c, 400);
    const uint8_t *name_end = c->in + c->start + h->name + h->name_n;
    /* No folding, not even of blanks alone; an empty value may be told behind the end of its own line. */
    if (!h->value_n && line_ends(name_end, (const uint8_t *)at) > (n ? 0 : 1)) return refuse(c, 400);
    if (!h->in_value) begin_value(c);
    if (!h->value_n) h->value = (uint16_t)off;
    h->value_n = (uint16_t)(off + n - h->value);
    if (h->slot) {
        h->slot->value = h->value;
        h->slot->value_n = h->value_n;
    }
    return 0;
}

static bool is_token(struct slice s, const char *token)
{
    return s.n == strlen(token) && strncasecmp((const char *)s.p, token, s.n) == 0;
}

/* Chunks are the one transfer coding that we undo, and HTTP/1.0 does not have it: a message of 1.0
 * that names one has, as RFC 9112 puts it, faulty framing. llhttp refuses the rest: a length beside
 * it, or chunks that are not the last coding. */
static bool framing_is_plain(const struct connection *c, const llhttp_t *p)
{
    struct slice coding = http_header(&c->request, HEADER_TRANSFER_ENCODING);
    if (!coding.p) return !(p->flags & F_CHUNKED);
    return !c->http10 && is_token(coding, "chunked") &&
           http_header_count(&c->request, HEADER_TRANSFER_ENCODING) == 1;
}

/* llhttp takes the head's empty line without its CR. Who stands before us may not, and would see the next request as a header of this one. Notes where
 * the head ends. */
static bool ends_with_crlf(struct connection *c)
{
    const struct header_line *h = &c->line;
    const uint8_t *at = c->in + c->start, *end = c->in + c->end; /* a head without the CRs may end sooner than this looks */
    if (c->n_headers == 0)
        at += c->url + c->url_n + sizeof(" HTTP/1.1") - 1;
    else
        at += h->value_n ? h->value + h->value_n : h->name + h->name_n;
    while (at < end && (*at == ':' || *at == ' ' || *at == '\t')) /* of an empty value */
        at++;
    c->head_n = (size_t)(at + 4 - (c->in + c->start));
    return at < end && slice_starts(slice_of(at, (size_t)(end - at)), SLICE("\r\n\r\n"));
}

static int on_head(llhttp_t *p)
{
    struct connection *c = p->data;
    c->head_done = true;
    p->upgrade = 0; /* "Upgrade: h2c" and the like are offers that we do not take up */
    if (p->http_major != 1 || p->http_minor > 1) return refuse(c, 505);
    if (!ends_with_crlf(c)) return refuse(c, 400);
    c->http10 = p->http_minor == 0;
    if ((p->flags & F_CONTENT_LENGTH) && p->content_length > WIRE_MAX_BODY) return refuse(c, 413);
    if (!framing_is_plain(c, p)) return refuse(c, 400);
    connection_phase(c, PHASE_BODY, c->loop->server->options.limits.body_ms);

    struct slice expect = http_header(&c->request, HEADER_EXPECT);
    if (expect.p && !c->http10) {
        if (!is_token(expect, "100-continue")) return refuse(c, 417);
        static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
        uv_buf_t b = uv_buf_init((char *)(uintptr_t)go_on, sizeof(go_on) - 1);
        /* The socket is empty here: every earlier answer was written out. A client that does not
         * get it sends its body anyway after a while, so a failure needs no handling. */
        if (p->content_length > 0 || (p->flags & F_CHUNKED)) {
            if (c->secure)
                secure_send_now(c, b.base, b.len);
            else
                uv_try_write((uv_stream_t *)&c->tcp, &b, 1);
        }
    }
    return c->phase == PHASE_CLOSED ? -1 : 0;
}

static int body_reserve(struct connection *c, size_t n)
{
    if (c->body.p && c->body.cap - c->body.n >= n) return 0;
    size_t cap = c->body.cap ? c->body.cap : 65536;
    while (cap < c->body.n + n)
        cap *= 2;
    uint8_t *grown = connection_hold_body(c, cap) ? realloc(c->body.p, cap) : NULL;
    if (!grown) return refuse(c, 503);
    c->body.p = grown;
    c->body.cap = cap;
    return 0;
}

static int on_body(llhttp_t *p, const char *at, size_t n)
{
    struct connection *c = p->data;
    const uint8_t *from = (const uint8_t *)at;
    if (!c->body_begun) {
        c->body_begun = true;
        c->body_at = (size_t)(from - (c->in + c->start));
        /* llhttp has already counted this span off content_length: what is left is still to come.
         */
        c->body_outside =
            (p->flags & F_CHUNKED) || c->body_at + n + p->content_length > WIRE_READ_BUFFER;
    }
    if (!c->body_outside) {
        c->body_n += n;
        return 0;
    }
    if (c->body.n + n > WIRE_MAX_BODY) return refuse(c, 413);
    if (c->body.p && from == c->body.p + c->body.n) { /* read straight into place */
        c->body.n += n;
        return 0;
    }
    int err = body_reserve(c, n);
    if (err) return err;
    memcpy(c->body.p + c->body.n, from, n);
    c->body.n += n;
    return 0;
}

static int on_done(llhttp_t *p)
{
    struct connection *c = p->data;
    c->keep_alive = llhttp_should_keep_alive(p);
    return HPE_PAUSED;
}

const llhttp_settings_t parse_settings = {
    .on_url = on_url,
    .on_header_field = on_name,
    .on_header_value = on_value,
    .on_headers_complete = on_head,
    .on_body = on_body,
    .on_message_complete = on_done,
};

struct slice http_header(const struct http_request *r, enum http_name name)
{
    const struct connection *c = connection_of(r);
    const struct header_slot *h = &c->headers[name];
    if (!h->count) return slice_of(NULL, 0);
    return slice_trim(slice_of(c->in + c->start + h->value, h->value_n));
}

unsigned http_header_count(const struct http_request *r, enum http_name name)
{
    return connection_of(r)->headers[name].count;
}

/* The lines as they lie in the buffer: llhttp has read them and found them good, so that this looks for their ends only. */
bool http_next_header(const struct http_request *r, size_t *at, struct slice *name, struct slice *value)
{
    const struct connection *c = connection_of(r);
    const uint8_t *head = c->in + c->start, *end = c->in + c->parsed; /* what comes behind is the loop's, which may be reading on */
    const uint8_t *from = head + (*at ? *at : c->url + c->url_n);
    if (!*at) { /* the rest of the request line */
        from = memchr(from, '\n', (size_t)(end - from));
        if (!from++) return false;
    }
    const uint8_t *stop = from < end ? memchr(from, '\n', (size_t)(end - from)) : NULL;
    const uint8_t *colon = stop ? memchr(from, ':', (size_t)(stop - from)) : NULL;
    if (!colon) return false; /* the empty line */
    *at = (size_t)(stop + 1 - head);
    *name = slice_of(from, (size_t)(colon - from));
    *value = slice_of(colon + 1, (size_t)(stop - colon - 1));
    if (value->n && value->p[value->n - 1] == '\r') value->n--;
    return true;
}
