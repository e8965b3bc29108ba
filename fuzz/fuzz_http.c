/* fuzz_http.c: a stream of bytes to a connection as the server has it (http_connection.c, http_held.c, http_parse.c, http_respond.c and llhttp), without
 * sockets: libuv's functions are these here. However the stream is cut into reads, and whether answers go out at once or when the turn ends, the
 * same requests must be handed over and the same refusal made; and what lies behind the bytes received is never looked at.
 *
 * Input: four bytes for cuts and answers, then the stream. In it 0xfe and a byte n stand for n x 256 letters, so that small inputs reach the limits
 * of head, body and read buffer. */
#include <sanitizer/asan_interface.h>
#include "fuzz.h"
#include "wire/http_private.h"

#define MAX_STREAM ((size_t)1 << 20)
#define MAX_LOG    ((size_t)4 << 20)

/* One way to bring the stream. */
struct way {
    uint32_t dice;      /* sizes of the pieces; 0: as large as they may be */
    unsigned at_once;   /* answers leave within http_respond */
    unsigned piecemeal; /* the socket takes only a part of an answer at first */
};

/* What happened on the way: requests and refusals. */
struct events {
    uint8_t *bytes;
    size_t n;
    unsigned requests;
};

static struct way way;
static struct events *events;
static struct connection *conn; /* NULL: gone */
static uv_alloc_cb alloc_cb;
static uv_read_cb read_cb; /* NULL: not reading */
static uv_close_cb close_cb;
static char status[3]; /* of the last answer */
static uv_write_t *write_req;
static uv_write_cb write_cb;

/* ---- libuv, as far as a connection asks ---- */

uint64_t uv_now(const uv_loop_t *loop)
{
    (void)loop;
    return 1000;
}

uint64_t uv_hrtime(void)
{
    static uint64_t now;
    return now += way.at_once ? WIRE_ANSWERS_NS + 1 : 0;
}

uv_buf_t uv_buf_init(char *base, unsigned len)
{
    return (uv_buf_t){ .base = base, .len = len };
}

int uv_read_start(uv_stream_t *s, uv_alloc_cb alloc, uv_read_cb read)
{
    (void)s;
    alloc_cb = alloc;
    read_cb = read;
    return 0;
}

int uv_read_stop(uv_stream_t *s)
{
    (void)s;
    read_cb = NULL;
    return 0;
}

void uv_close(uv_handle_t *h, uv_close_cb cb)
{
    (void)h;
    CHECK(!close_cb);
    close_cb = cb;
    read_cb = NULL;
}

int uv_shutdown(uv_shutdown_t *req, uv_stream_t *s, uv_shutdown_cb cb)
{
    (void)req, (void)s, (void)cb;
    return 0;
}

/* What is sent is HTTP; of an answer perhaps only the beginning is taken. */
int uv_try_write(uv_stream_t *s, const uv_buf_t bufs[], unsigned n)
{
    size_t all = 0;
    (void)s;
    CHECK(conn && conn->phase != PHASE_CLOSED);
    CHECK(bufs[0].len > 12 && memcmp(bufs[0].base, "HTTP/1.1 ", 9) == 0);
    memcpy(status, bufs[0].base + 9, sizeof status);
    for (unsigned i = 0; i < n; i++) all += bufs[i].len;
    return way.piecemeal ? (int)(all * way.piecemeal / 256) : (int)all;
}

int uv_write(uv_write_t *req, uv_stream_t *s, const uv_buf_t bufs[], unsigned n, uv_write_cb cb)
{
    (void)s, (void)bufs;
    CHECK(n && !write_cb);
    write_req = req;
    write_cb = cb;
    return 0;
}

int uv_tcp_init(uv_loop_t *loop, uv_tcp_t *tcp)
{
    (void)loop, (void)tcp;
    return 0;
}

int uv_tcp_open(uv_tcp_t *tcp, uv_os_sock_t fd)
{
    (void)tcp, (void)fd;
    return 0;
}

int uv_tcp_nodelay(uv_tcp_t *tcp, int on)
{
    (void)tcp, (void)on;
    return 0;
}

int uv_fileno(const uv_handle_t *h, uv_os_fd_t *fd)
{
    (void)h, (void)fd;
    return UV_EBADF;
}

/* ---- the other files of the wire ---- */

void loop_tick(struct http_loop *l)
{
    (void)l;
}

void loop_wake(struct http_loop *l)
{
    (void)l;
}

void loop_connection_gone(struct http_loop *l)
{
    (void)l;
    conn = NULL;
}

bool http_hold(struct http_request *r)
{
    return r != NULL;
}

/* No connection here has TLS. */
void secure_alloc(uv_handle_t *h, size_t hint, uv_buf_t *out)
{
    (void)h, (void)hint, (void)out;
    abort();
}

void secure_received(uv_stream_t *s, ssize_t n, const uv_buf_t *buf)
{
    (void)s, (void)n, (void)buf;
    abort();
}

void secure_pump(struct connection *c)
{
    (void)c;
    abort();
}

void secure_send(struct connection *c, const uv_buf_t *bufs, unsigned n)
{
    (void)c, (void)bufs, (void)n;
    abort();
}

void secure_send_now(struct connection *c, const void *p, size_t n)
{
    (void)c, (void)p, (void)n;
    abort();
}

void secure_goodbye(struct connection *c)
{
    (void)c;
    abort();
}

void secure_free(struct secure *s)
{
    CHECK(!s);
}

/* ---- what is noted ---- */

static void note(const void *p, size_t n)
{
    CHECK(events->n + n <= MAX_LOG);
    if (n) memcpy(events->bytes + events->n, p, n);
    events->n += n;
}

static void note_slice(struct slice s)
{
    note(&s.n, sizeof s.n);
    note(s.p, s.n);
}

static void handle(struct http_request *r)
{
    const struct connection *c = connection_of(r);
    struct slice name, value;
    size_t lines = 0;
    CHECK(r->path.n && (r->path.p[0] == '/' || slice_eq(r->path, SLICE("*"))));
    CHECK(!memchr(r->path.p, ' ', r->path.n) && !memchr(r->path.p, '\n', r->path.n) && r->body.n <= WIRE_MAX_BODY);
    note(&r->verb, sizeof r->verb);
    note_slice(r->path);
    note_slice(r->query);
    note_slice(r->body);
    for (int i = 0; i < HEADERS_KNOWN; i++) {
        unsigned count = http_header_count(r, (enum http_name)i);
        note(&count, sizeof count);
        note_slice(http_header(r, (enum http_name)i));
    }
    for (size_t at = 0; http_next_header(r, &at, &name, &value); lines++) {
        CHECK(name.n && !memchr(value.p, '\n', value.n));
        note_slice(name);
        note_slice(value);
    }
    CHECK(lines == c->n_headers);
    note(&c->keep_alive, sizeof c->keep_alive);
    events->requests++;
    http_respond(r, &(struct http_response){ .status = 200, .body = SLICE("{}") });
}

/* ---- bringing the stream ---- */

static size_t piece(void)
{
    if (!way.dice) return MAX_STREAM;
    way.dice = way.dice * 1664525 + 1013904223;
    unsigned kind = way.dice >> 30, n = way.dice >> 8 & 0xffff;
    return 1 + (kind == 0 ? 0 : kind == 1 ? n % 8 : kind == 2 ? n % 256 : n);
}

/* What the loop does after a read: answers, rest of answers, closing. */
static void end_turn(struct http_loop *l)
{
    loop_send_answers(l);
    while (conn && write_cb) {
        uv_write_cb cb = write_cb;
        write_cb = NULL;
        cb(write_req, conn->phase == PHASE_CLOSED ? UV_ECANCELED : 0);
        loop_send_answers(l);
    }
    if (conn && close_cb) {
        uv_close_cb cb = close_cb;
        close_cb = NULL;
        cb((uv_handle_t *)&conn->tcp);
    }
}

/* Of the read buffer only what was received may be looked at. */
static void guard_buffer(const struct connection *c, bool on)
{
    if (!c || !c->in) return;
    if (on) ASAN_POISON_MEMORY_REGION(c->in + c->end, WIRE_READ_BUFFER - c->end);
    else ASAN_UNPOISON_MEMORY_REGION(c->in, WIRE_READ_BUFFER);
}

static void bring(struct http_loop *l, struct slice stream)
{
    while (stream.n && conn && read_cb && conn->phase != PHASE_LINGER) {
        uv_buf_t buf;
        guard_buffer(conn, false);
        alloc_cb((uv_handle_t *)&conn->tcp, 65536, &buf);
        CHECK(buf.len > 0);
        size_t n = piece();
        if (n > buf.len) n = buf.len;
        struct slice part = fuzz_bytes(&stream, n);
        memcpy(buf.base, part.p, part.n);
        /* connection_received counts them to `end` itself. */
        if (conn->in && buf.base == (char *)conn->in + conn->end)
            ASAN_POISON_MEMORY_REGION(buf.base + part.n, buf.len - part.n);
        read_cb((uv_stream_t *)&conn->tcp, (ssize_t)part.n, &buf);
        end_turn(l);
    }
    guard_buffer(conn, false);
    if (conn && read_cb && conn->phase != PHASE_LINGER) read_cb((uv_stream_t *)&conn->tcp, UV_EOF, NULL);
    end_turn(l);
}

static void run(struct way chosen, struct slice stream, struct events *out)
{
    static struct http_server *server;
    if (!server) server = calloc(1, sizeof *server + sizeof server->loops[0]);
    struct http_loop *l = &server->loops[0];
    way = chosen;
    events = out;
    events->n = events->requests = 0;
    server->options = (struct http_options){ .handle = handle, .limits = { .min_rate = WIRE_MIN_RATE } };
    server->held_max = (size_t)64 << 20;
    *l = (struct http_loop){ .server = server };
    l->out_end = &l->out;
    read_cb = NULL;
    close_cb = NULL;
    write_cb = NULL;
    conn = connection_new(-1);
    conn->loop = l;
    connection_start(conn);
    bring(l, stream);
    bool refused = conn && conn->phase == PHASE_LINGER;
    note(&refused, sizeof refused);
    if (refused) note(status, sizeof status);
    if (conn) connection_close(conn);
    end_turn(l);
    CHECK(!conn && server->held == 0);
}

static struct slice expand(struct slice in)
{
    static uint8_t stream[MAX_STREAM];
    size_t n = 0;
    while (in.n) {
        uint8_t c = fuzz_byte(&in);
        size_t times = c == 0xfe ? (size_t)fuzz_byte(&in) * 256 : 1;
        if (n + times > sizeof stream) break;
        memset(stream + n, c == 0xfe ? 'a' : c, times);
        n += times;
    }
    return slice_of(stream, n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t bytes[2][MAX_LOG];
    struct events first = { bytes[0], 0, 0 }, other = { bytes[1], 0, 0 };
    struct slice in = slice_of(data, size);
    uint8_t a = fuzz_byte(&in), b = fuzz_byte(&in), c = fuzz_byte(&in), d = fuzz_byte(&in);
    struct slice stream = expand(in);
    run((struct way){ 0 }, stream, &first);
    run((struct way){ .dice = 1u + (uint32_t)(a << 8 | b), .at_once = c & 1, .piecemeal = d }, stream, &other);
    CHECK(first.requests == other.requests);
    CHECK(slice_eq(slice_of(first.bytes, first.n), slice_of(other.bytes, other.n)));
    return 0;
}
