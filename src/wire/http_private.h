/* http_private.h: what the http_*.c files share. See README.md for the lifetimes. */
#ifndef OF_WIRE_HTTP_PRIVATE_H
#define OF_WIRE_HTTP_PRIVATE_H

#include "http.h"
#include "limits.h"
#include "tls.h"
#include <llhttp.h>
#include <time.h>
#include <uv.h>

/* Where a connection stands. Exactly one phase has a request in the handler's hands: HANDLING. */
enum phase {
    PHASE_IDLE,     /* between requests */
    PHASE_HEAD,     /* receiving request line and headers */
    PHASE_BODY,     /* receiving the body */
    PHASE_HANDLING, /* the handler has it; no time limit of ours */
    PHASE_WRITING,  /* the answer did not fit into the socket at once */
    PHASE_HANDSHAKE, /* TLS: encrypted, but not a byte of a request yet */
    PHASE_LINGER,   /* refused and shut down; reading on so that the client can read the refusal */
    PHASE_CLOSED    /* uv_close called */
};

/* The header line being read, as offsets from the request's first byte, so that the read buffer may
 * be compacted. */
struct header_line {
    uint16_t name, name_n, value, value_n;
    bool in_value;           /* its name is complete */
    struct header_slot *slot; /* where the value is kept; NULL: nowhere */
};

/* The first header of one of the names of HTTP_NAMES, and how often the name came. */
struct header_slot {
    uint16_t value, value_n, count;
};

struct connection {
    uv_tcp_t tcp; /* first: libuv hands this back */
    struct http_loop *loop;
    struct connection *prev, *next; /* loop->connections */
    enum phase phase;
    unsigned holds;    /* open handle: 1, request in the handler's hands: 1; freed at 0 */
    uint64_t deadline; /* uv_now() beyond which the phase has taken too long; 0: none */
    uint64_t phase_began;
    int fd; /* until connection_start */
    struct secure *secure; /* its encryption; NULL: none, or nothing received yet */
    char remote[48];       /* where it comes from, once somebody has asked */

    /* Read buffer: in[start, parsed) is the request under way, in[parsed, end) not looked at yet.
     * NULL before the first byte. */
    uint8_t *in;
    size_t start, parsed, end;
    bool reading;   /* uv_read_start is in force */
    bool resting;   /* its pages are given back */
    bool peer_done; /* the client has sent its last byte */
    bool parsing;   /* connection_parse is on the stack */
    bool handed;    /* the handler has the request, or its answer waits to be sent: arena and body are in use */

    llhttp_t parser;
    int refusal; /* HTTP status a parser callback asked for, or 0 */
    bool head_done, body_begun;
    bool body_outside; /* the body is in `body`, not in the read buffer */
    size_t url, url_n; /* offsets from start */
    size_t head_n;     /* with its empty line */
    size_t body_at, body_n;
    unsigned n_headers;
    size_t trailers;    /* bytes of names and values behind the last chunk */
    size_t received;    /* since the head was complete, framing too */
    size_t unpaid;      /* of that, what has not bought a millisecond yet */
    struct header_line line;
    struct header_slot headers[HEADERS_KNOWN];
    struct {
        uint8_t *p;
        size_t n, cap;
    } body; /* malloc'ed, owned; used when the body does not fit the read buffer */
    size_t held; /* its part of server->held */

    bool keep_alive; /* of the request under way */
    bool http10;
    bool linger; /* read on after the answer, see PHASE_LINGER */
    struct http_request request;
    struct arena arena;
    struct slice out_head, out_body;
    struct connection *next_out; /* loop->out */
    uv_write_t write;
    uv_shutdown_t shutdown;
    uv_work_t work;
    void (*work_fn)(struct http_request *r);
    void (*work_after)(struct http_request *r);
};

struct http_loop {
    struct http_server *server;
    uv_loop_t uv;
    uv_poll_t listener;
    uv_async_t async; /* http_wake, connections given by other loops and http_server_stop */
    uv_timer_t timer; /* deadlines; runs only while there are connections */
    uv_timer_t day;   /* of the first loop, with TLS: has the certificate looked at */
    uv_prepare_t turn; /* about to wait */
    int listen_fd;    /* -1: closed */
    bool ready;       /* the handles above are initialised */
    bool draining;
    bool accept_waiting; /* the listener is stopped: connections wait in it because there is no room */
    unsigned n_connections, max_connections; /* the former, atomic, with those given to this loop */
    struct connection *connections;
    struct connection *given;   /* atomic stack */
    bool room_wanted;           /* atomic: another loop has no idle connection to close */
    uint64_t body_waits;        /* atomic: another loop has no room for a body with this deadline; 0: none asks */
    struct http_request *woken; /* atomic stack */
    struct connection *out, **out_end; /* with answers that are to be sent, held */
    bool sending; /* loop_send_answers is on the stack */
    unsigned n_out;
    uint64_t out_began_ns; /* the first of them came */
    uint8_t *raw, *record; /* TLS: where encrypted bytes are received, and where a small answer is put together */
    struct connection *handshakes, **handshakes_end; /* wait for a worker, held */
    bool handshaking; /* a worker has one */
    void *state;
    uint64_t warned; /* uv_now() of the last warning about connections */
    time_t date_of;
    char date[40];
    uv_thread_t thread;
};

struct http_server {
    struct http_options options;
    uint16_t port;
    unsigned n_loops;
    int stopping, reloading; /* atomic */
    BIO_METHOD *memory; /* TLS: see http_tls.c */
    size_t held, held_max; /* bytes in bodies and in requests that wait; held is atomic */
    struct http_loop loops[];
};

/* http_loop.c */
int loop_init(struct http_loop *l);
void loop_wake(struct http_loop *l);
void loop_run(struct http_loop *l);
/* The timer runs: there are connections, or the listener is to be tried again. */
void loop_tick(struct http_loop *l);
void loop_connection_gone(struct http_loop *l);
/* Those that were made in this turn. Their clients are woken one after the other, and not each between two
 * requests: half as many context switches. */
void loop_send_answers(struct http_loop *l);
/* True at most once a second: a flood of connections must not become a flood of lines. */
bool loop_may_warn(struct http_loop *l);

/* http_accept.c */
int listener_open(struct http_loop *l);
/* Takes those that are connected already. */
void listener_close(struct http_loop *l);
void listener_resume(struct http_loop *l);
void listener_take_given(struct http_loop *l);
/* Closes an idle connection if another loop asked for it. */
void listener_make_room(struct http_loop *l);

/* http_connection.c */
/* On any thread: a connection of no loop yet. Takes fd; NULL: no memory. */
struct connection *connection_new(int fd);
/* On its loop. */
void connection_start(struct connection *c);
/* For one that was not started yet: it will be the other loop's. */
void connection_move(struct connection *c, struct http_loop *to);
void connection_expire(struct connection *c);
/* Gives the pages of a connection that has been idle for a while back to the system; true if it did. */
bool connection_rest(struct connection *c, uint64_t now);
void connection_drain(struct connection *c);
void connection_close(struct connection *c);
void connection_phase(struct connection *c, enum phase phase, uint64_t ms);
void connection_release(struct connection *c);
/* The handler has no more to do with the request. */
void connection_hand_back(struct connection *c);
void connection_parse(struct connection *c);
/* The answer is out: next request, linger or close. */
void connection_answered(struct connection *c);
void connection_read_on(struct connection *c);
/* A place for what is received, and what was received there: a libuv read, or a decrypted one. */
void connection_alloc(uv_handle_t *h, size_t hint, uv_buf_t *out);
void connection_received(uv_stream_t *s, ssize_t n, const uv_buf_t *buf);
/* Sends no more, reads on for a while and closes. */
void connection_linger(struct connection *c);

/* http_held.c */
/* Changes what the connection is counted with to n bytes; false if that would be too much. */
bool connection_hold(struct connection *c, size_t n);
/* The same for a body that is being received: a part is left for requests that are complete, and a body that arrives more slowly
 * is refused to make room for it. */
bool connection_hold_body(struct connection *c, size_t n);
/* Refuses a slow body if another loop asked for it. */
void held_make_room(struct http_loop *l);

/* http_respond.c */
/* Answers with a plain sentence and closes; for requests that never reach the handler. */
void connection_refuse(struct connection *c, int status);
void connection_refuse_saying(struct connection *c, int status, const char *text);
/* The socket does not take the whole answer at once. False: too many do that, and the connection is closed. */
bool connection_writing(struct connection *c);
/* What is left of bufs after n bytes of them are out: how many, and which. */
unsigned http_skip_written(uv_buf_t bufs[2], unsigned n_bufs, size_t n);

/* http_tls.c; the functions are for connections whose server has TLS, those with `c` but secure_pump for such that have begun it. */
int secure_setup(struct http_server *s);
void secure_takedown(struct http_server *s);
void secure_alloc(uv_handle_t *h, size_t hint, uv_buf_t *out);
void secure_received(uv_stream_t *s, ssize_t n, const uv_buf_t *buf);
/* Takes what is there already, where reading had stopped. */
void secure_pump(struct connection *c);
void secure_send(struct connection *c, const uv_buf_t *bufs, unsigned n);
/* A few bytes beside the answers. */
void secure_send_now(struct connection *c, const void *p, size_t n);
void secure_goodbye(struct connection *c);
void secure_free(struct secure *s);

/* http_parse.c */
extern const llhttp_settings_t parse_settings;
void http_parse_begin(struct connection *c);

static inline struct connection *connection_of(const struct http_request *r)
{
    return (struct connection *)((char *)(uintptr_t)r - offsetof(struct connection, request));
}

#endif
