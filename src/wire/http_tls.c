/* http_tls.c: a connection's encryption, between its socket and http_connection.c. OpenSSL never sees the socket: it reads from and writes
 * to memory, so a step of it neither waits nor is interrupted.
 *
 *   socket -> loop->raw -> (SSL_read) -> connection_alloc's buffer -> connection_received: what follows is as without TLS
 *   answer -> (SSL_write, WIRE_TLS_PIECE at a time) -> out -> socket; what the socket does not take is `flying`
 *
 * A handshake costs a signature, from 0.1 to 5 ms by the kind of key. It is made on a worker thread, one at a time for each loop: so a
 * flood of them holds up neither the loop nor everything else that workers do. The worker has the whole struct secure meanwhile (busy),
 * with what was received copied to `left`, and the loop neither reads nor writes. */
#include "http_private.h"
#include <stdlib.h>

struct secure {
    const struct tls_library *lib;
    SSL *ssl;
    bool open;     /* the handshake is done */
    bool pumping;  /* secure_pump is on the stack */
    bool answering; /* an answer is being sent */
    bool goodbye;  /* close_notify is sent */
    int verdict;   /* of the handshake's last step: SSL_ERROR_* */
    unsigned long trouble;
    const uint8_t *in; /* received and not yet taken by OpenSSL; in loop->raw, or in left */
    size_t in_n;
    uint8_t *left;
    uint8_t *out; /* encrypted, to be sent */
    size_t out_n, out_cap;
    uint8_t *flying; /* libuv is sending it */
    uv_write_t write;
    uv_buf_t plain[2]; /* what is left of the answer */
    unsigned n_plain;
    struct connection *next; /* loop->handshakes, held */
};

/* ---- memory as OpenSSL's socket ---- */

static int memory_read(BIO *b, char *to, int n)
{
    const char *why;
    const struct tls_library *lib = tls_library(&why);
    struct secure *s = lib->BIO_get_data(b);
    lib->BIO_clear_flags(b, BIO_FLAGS_RWS | BIO_FLAGS_SHOULD_RETRY);
    if (n <= 0) return 0;
    if (!s->in_n) {
        lib->BIO_set_flags(b, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY);
        return -1;
    }
    if ((size_t)n > s->in_n) n = (int)s->in_n;
    memcpy(to, s->in, (size_t)n);
    s->in += n;
    s->in_n -= (size_t)n;
    return n;
}

/* Takes everything: how much that can be is bounded by who calls SSL_write, and by secure_pump for what OpenSSL says by itself. */
static int memory_write(BIO *b, const char *from, int n)
{
    const char *why;
    const struct tls_library *lib = tls_library(&why);
    struct secure *s = lib->BIO_get_data(b);
    if (n <= 0) return 0;
    if (s->out_cap - s->out_n < (size_t)n) {
        size_t cap = s->out_cap ? s->out_cap : 4096;
        while (cap - s->out_n < (size_t)n)
            cap *= 2;
        uint8_t *grown = realloc(s->out, cap);
        if (!grown) return -1;
        s->out = grown;
        s->out_cap = cap;
    }
    memcpy(s->out + s->out_n, from, (size_t)n);
    s->out_n += (size_t)n;
    return n;
}

static long memory_ctrl(BIO *b, int what, long n, void *p)
{
    (void)b;
    (void)n;
    (void)p;
    return what == BIO_CTRL_FLUSH;
}

int secure_setup(struct http_server *s)
{
    const struct tls_library *lib = tls_functions(s->options.tls);
    s->memory = lib->BIO_meth_new(lib->BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "connection");
    if (!s->memory) return UV_ENOMEM;
    lib->BIO_meth_set_read(s->memory, memory_read);
    lib->BIO_meth_set_write(s->memory, memory_write);
    lib->BIO_meth_set_ctrl(s->memory, memory_ctrl);
    for (unsigned i = 0; i < s->n_loops; i++) {
        struct http_loop *l = &s->loops[i];
        l->handshakes_end = &l->handshakes;
        if (!(l->raw = malloc(WIRE_TLS_READ)) || !(l->record = malloc(WIRE_TLS_RECORD))) return UV_ENOMEM;
    }
    return 0;
}

void secure_takedown(struct http_server *s)
{
    for (unsigned i = 0; i < s->n_loops; i++) {
        free(s->loops[i].raw);
        free(s->loops[i].record);
    }
    if (s->memory) tls_functions(s->options.tls)->BIO_meth_free(s->memory);
}

static struct secure *secure_new(struct http_server *server)
{
    const struct tls_library *lib = tls_functions(server->options.tls);
    struct secure *s = calloc(1, sizeof(*s));
    BIO *b = s ? lib->BIO_new(server->memory) : NULL;
    if (!b) {
        free(s);
        return NULL;
    }
    lib->BIO_set_data(b, s);
    lib->BIO_set_init(b, 1);
    s->lib = lib;
    s->ssl = tls_new(server->options.tls);
    if (!s->ssl) {
        lib->BIO_free(b);
        free(s);
        return NULL;
    }
    lib->SSL_set_bio(s->ssl, b, b); /* takes it */
    lib->SSL_set_accept_state(s->ssl);
    return s;
}

void secure_free(struct secure *s)
{
    if (!s) return;
    s->lib->SSL_free(s->ssl);
    free(s->left);
    free(s->out);
    free(s);
}

/* What is not taken yet, out of the loop's buffer, which the next connection reads into. False: no memory. */
static bool keep_rest(struct secure *s)
{
    uint8_t *rest = NULL;
    if (s->in_n) {
        if (!(rest = malloc(s->in_n))) return false;
        memcpy(rest, s->in, s->in_n);
    }
    free(s->left);
    s->in = s->left = rest;
    return true;
}

/* ---- sending ---- */

static void send_more(struct connection *c);

static void on_flown(uv_write_t *w, int status)
{
    struct connection *c = w->data;
    struct secure *s = c->secure;
    free(s->flying);
    s->flying = NULL;
    if (c->phase == PHASE_CLOSED) return;
    if (status < 0)
        connection_close(c);
    else
        send_more(c);
}

/* True if the socket took all there was. A broken connection is closed. */
static bool flush(struct connection *c)
{
    struct secure *s = c->secure;
    if (s->flying) return false;
    if (!s->out_n) return true;
    uv_buf_t b = uv_buf_init((char *)s->out, (unsigned)s->out_n);
    int n = uv_try_write((uv_stream_t *)&c->tcp, &b, 1);
    if (n == (int)s->out_n) {
        s->out_n = 0;
        return true;
    }
    if (n < 0 && n != UV_EAGAIN) {
        s->out_n = 0;
        connection_close(c);
        return false;
    }
    if (n < 0) n = 0;
    b = uv_buf_init((char *)s->out + n, (unsigned)(s->out_n - (size_t)n));
    s->flying = s->out;
    s->out = NULL;
    s->out_n = s->out_cap = 0;
    s->write.data = c;
    if (uv_write(&s->write, (uv_stream_t *)&c->tcp, &b, 1, on_flown)) {
        free(s->flying);
        s->flying = NULL;
        connection_close(c);
    }
    return false;
}

static bool encrypt(struct secure *s, const void *p, size_t n)
{
    s->lib->ERR_clear_error();
    return s->lib->SSL_write(s->ssl, p, (int)n) == (int)n;
}

/* The next piece of the answer. A small one, head and body, is one record. */
static bool encrypt_piece(struct connection *c)
{
    struct secure *s = c->secure;
    uv_buf_t *b = s->plain;
    if (s->n_plain == 2 && b[0].len + b[1].len <= WIRE_TLS_RECORD) {
        memcpy(c->loop->record, b[0].base, b[0].len);
        memcpy(c->loop->record + b[0].len, b[1].base, b[1].len);
        s->n_plain = 0;
        return encrypt(s, c->loop->record, b[0].len + b[1].len);
    }
    size_t n = b[0].len < WIRE_TLS_PIECE ? b[0].len : WIRE_TLS_PIECE;
    bool good = encrypt(s, b[0].base, n);
    s->n_plain = http_skip_written(b, s->n_plain, n);
    return good;
}

static void send_more(struct connection *c)
{
    struct secure *s = c->secure;
    while (flush(c)) {
        if (!s->answering) return;
        if (!s->n_plain) {
            s->answering = false;
            free(s->out);
            s->out = NULL;
            s->out_cap = 0;
            connection_answered(c);
            return;
        }
        if (!encrypt_piece(c)) {
            connection_close(c);
            return;
        }
    }
    if (c->phase != PHASE_CLOSED && c->phase != PHASE_WRITING && s->answering) connection_writing(c);
}

void secure_send(struct connection *c, const uv_buf_t *bufs, unsigned n)
{
    struct secure *s = c->secure;
    memcpy(s->plain, bufs, n * sizeof(*bufs));
    s->n_plain = n;
    s->answering = true;
    send_more(c);
}

void secure_send_now(struct connection *c, const void *p, size_t n)
{
    if (encrypt(c->secure, p, n)) flush(c);
}

void secure_goodbye(struct connection *c)
{
    struct secure *s = c->secure;
    if (!s->open || s->goodbye || s->flying || s->answering) return;
    s->goodbye = true;
    s->lib->ERR_clear_error();
    s->lib->SSL_shutdown(s->ssl);
    uv_buf_t b = uv_buf_init((char *)s->out, (unsigned)s->out_n);
    if (s->out_n) uv_try_write((uv_stream_t *)&c->tcp, &b, 1); /* who does not take it sees the connection close */
    s->out_n = 0;
}

/* ---- the handshake ---- */

static void next_handshake(struct http_loop *l);

static void on_step(uv_work_t *w)
{
    struct connection *c = w->data;
    struct secure *s = c->secure;
    s->lib->ERR_clear_error();
    int n = s->lib->SSL_do_handshake(s->ssl);
    s->verdict = n == 1 ? SSL_ERROR_NONE : s->lib->SSL_get_error(s->ssl, n);
    s->trouble = s->lib->ERR_peek_error();
    s->lib->ERR_clear_error();
}

static void handshake_failed(struct connection *c)
{
    struct secure *s = c->secure;
    const struct http_options *o = &c->loop->server->options;
    const char *text = s->lib->ERR_reason_error_string(s->trouble);
    enum http_refusal refusal = HTTP_NO_HANDSHAKE;
    bool ours = ERR_GET_LIB(s->trouble) == ERR_LIB_SSL;
    if (ours && ERR_GET_REASON(s->trouble) == SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE) refusal = HTTP_NO_CERTIFICATE;
    if (ours && ERR_GET_REASON(s->trouble) == SSL_R_CERTIFICATE_VERIFY_FAILED) {
        refusal = HTTP_BAD_CERTIFICATE;
        text = s->lib->X509_verify_cert_error_string(s->lib->SSL_get_verify_result(s->ssl));
    }
    if (o->refused) o->refused(o->service, refusal, http_remote_address(&c->request), text ? text : "the client went away");
    if (c->phase != PHASE_CLOSED) connection_linger(c); /* so that the client gets to read the alert */
}

static void handshake_took(struct connection *c)
{
    struct secure *s = c->secure;
    flush(c);
    if (c->phase == PHASE_CLOSED) return;
    if (s->verdict == SSL_ERROR_WANT_READ) {
        connection_read_on(c);
        return;
    }
    if (s->verdict != SSL_ERROR_NONE) {
        handshake_failed(c);
        return;
    }
    s->open = true;
    connection_phase(c, PHASE_IDLE, c->loop->server->options.limits.idle_ms);
    connection_read_on(c); /* and takes what came with it */
    if (c->loop->draining && c->phase == PHASE_IDLE) connection_drain(c);
}

static void on_stepped(uv_work_t *w, int status)
{
    (void)status; /* never cancelled */
    struct connection *c = w->data;
    struct http_loop *l = c->loop;
    l->handshaking = false;
    if (c->phase != PHASE_CLOSED) handshake_took(c);
    connection_release(c);
    next_handshake(l);
}

static void next_handshake(struct http_loop *l)
{
    while (!l->handshaking && l->handshakes) {
        struct connection *c = l->handshakes;
        if (!(l->handshakes = c->secure->next)) l->handshakes_end = &l->handshakes;
        if (c->phase == PHASE_CLOSED) {
            connection_release(c);
            continue;
        }
        l->handshaking = true;
        c->work.data = c;
        uv_queue_work(&l->uv, &c->work, on_step, on_stepped);
    }
}

static void queue_handshake(struct connection *c)
{
    struct http_loop *l = c->loop;
    uv_read_stop((uv_stream_t *)&c->tcp);
    c->reading = false;
    if (!keep_rest(c->secure)) {
        connection_close(c);
        return;
    }
    c->holds++;
    c->secure->next = NULL;
    *l->handshakes_end = c;
    l->handshakes_end = &c->secure->next;
    next_handshake(l);
}

/* ---- receiving ---- */

void secure_pump(struct connection *c)
{
    struct secure *s = c->secure;
    if (!s || !s->open || s->pumping) return;
    s->pumping = true;
    while (c->reading && c->phase != PHASE_CLOSED && c->phase != PHASE_LINGER) {
        uv_buf_t b;
        connection_alloc((uv_handle_t *)&c->tcp, 0, &b);
        ssize_t n = UV_ENOBUFS;
        if (b.base && b.len) {
            s->lib->ERR_clear_error();
            n = s->lib->SSL_read(s->ssl, b.base, (int)b.len);
            /* Alerts that a client asks for again and again, and does not read. */
            bool floods = s->flying && s->out_n > WIRE_TLS_RECORD;
            if (floods) n = UV_EPROTO;
            else if (n <= 0) {
                int why = s->lib->SSL_get_error(s->ssl, (int)n);
                if (why == SSL_ERROR_WANT_READ) break;
                n = why == SSL_ERROR_ZERO_RETURN ? UV_EOF : UV_EPROTO;
            }
        }
        connection_received((uv_stream_t *)&c->tcp, n, &b);
    }
    s->pumping = false;
    if (c->phase == PHASE_CLOSED) return;
    if (!keep_rest(s)) {
        connection_close(c);
        return;
    }
    flush(c); /* alerts, and new keys that the client asked for */
}

void secure_alloc(uv_handle_t *h, size_t hint, uv_buf_t *out)
{
    (void)hint;
    *out = uv_buf_init((char *)((struct connection *)h)->loop->raw, WIRE_TLS_READ);
}

/* TLS begins with a handshake record, never with a letter: this is the beginning of a method. */
static bool is_plain_http(uint8_t first)
{
    return (first >= 'A' && first <= 'Z') || (first >= 'a' && first <= 'z');
}

static void begin(struct connection *c, const uint8_t *p)
{
    const struct http_options *o = &c->loop->server->options;
    if (is_plain_http(*p)) {
        if (o->refused) o->refused(o->service, HTTP_NOT_TLS, http_remote_address(&c->request), NULL);
        connection_refuse_saying(c, 400, "This port speaks TLS: use https:// instead of http://.\n");
        return;
    }
    c->secure = secure_new(c->loop->server);
    if (!c->secure) {
        connection_close(c);
        return;
    }
    connection_phase(c, PHASE_HANDSHAKE, o->limits.head_ms);
}

void secure_received(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    struct connection *c = (struct connection *)stream;
    if (c->phase == PHASE_CLOSED || n == 0) return;
    if (n < 0) {
        if (c->secure && c->secure->open)
            connection_received(stream, n, buf);
        else
            connection_close(c);
        return;
    }
    if (!c->secure) begin(c, (const uint8_t *)buf->base);
    struct secure *s = c->secure;
    if (!s || c->phase == PHASE_CLOSED) return;
    s->in = (const uint8_t *)buf->base;
    s->in_n = (size_t)n;
    if (s->open)
        secure_pump(c);
    else
        queue_handshake(c);
}
