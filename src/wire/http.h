/* http.h: an HTTP/1.1 server on event loops. Knows nothing of DynamoDB; nothing outside this
 * folder's http_*.c includes libuv or llhttp, so the HTTP library can be changed behind this
 * header.
 *
 * Threads: one event loop per thread, each with its own listening socket and its own connections. A
 * request is handled on the loop of its connection. One request of a connection is under way at a
 * time; a pipelined one waits in the read buffer, so answers are in order by construction.
 *
 * A handler gets the request and must call http_respond exactly once, on the loop: at once, or
 * later after http_work or http_wake brought it back. Until then the request, its body and its
 * arena live, even if the client has gone meanwhile. After http_respond the request must not be
 * touched. */
#ifndef OF_WIRE_HTTP_H
#define OF_WIRE_HTTP_H

#include "../base/arena.h"

struct tls;

enum http_verb { VERB_GET, VERB_HEAD, VERB_POST, VERB_OPTIONS, VERB_OTHER };

/* The headers that anyone asks for; the others are only checked. In order of their length, then as
 * often as they come. */
#define HTTP_NAMES(X)                                                                              \
    X(HOST, "host")                                                                                \
    X(DATE, "date")                                                                                \
    X(EXPECT, "expect")                                                                            \
    X(ORIGIN, "origin")                                                                            \
    X(X_AMZ_DATE, "x-amz-date")                                                                    \
    X(CONTENT_TYPE, "content-type")                                                                \
    X(X_AMZ_TARGET, "x-amz-target")                                                                \
    X(AUTHORIZATION, "authorization")                                                              \
    X(ACCEPT_ENCODING, "accept-encoding")                                                          \
    X(CONTENT_ENCODING, "content-encoding")                                                        \
    X(TRANSFER_ENCODING, "transfer-encoding")                                                      \
    X(REQUEST_METHOD, "access-control-request-method")                                             \
    X(REQUEST_HEADERS, "access-control-request-headers")                                           \
    X(REQUEST_PRIVATE_NETWORK, "access-control-request-private-network")
enum http_name {
#define X(name, text) HEADER_##name,
    HTTP_NAMES(X)
#undef X
    HEADERS_KNOWN
};

struct http_loop;

struct http_request {
    enum http_verb verb;
    struct slice path, query; /* the query is without its '?' */
    struct slice body;        /* transfer coding undone, content coding not */
    bool may_lack_host;       /* HTTP/1.0 */
    struct arena *arena;      /* the request's; the handler sets guards as it needs them */
    void *service;            /* http_options.service */
    void *loop_state;         /* what loop_open made for this request's loop */
    void *user;               /* the handler's */

    void (*woken)(struct http_request *r); /* set before http_wake */
    struct http_request *next_woken;       /* http_wake's */
    struct http_loop *loop;                /* the loop the request belongs to */
};

/* The first header of that name, trimmed; p is NULL if there is none. */
struct slice http_header(const struct http_request *r, enum http_name name);
unsigned http_header_count(const struct http_request *r, enum http_name name);
/* Header after header, of whatever name, in the order in which they were sent: *at is 0 at the beginning. False: there are no more. Values
 * are not trimmed. */
bool http_next_header(const struct http_request *r, size_t *at, struct slice *name, struct slice *value);
/* The address and port that this connection was accepted on, as "127.0.0.1:8000" or "[::1]:8000".
 */
struct slice http_local_address(struct http_request *r, char *to, size_t size);
/* The address it came from, without a port, as "127.0.0.1" or "::1"; lives as long as the connection. Empty: not known. */
struct slice http_remote_address(struct http_request *r);
/* Did it come over TLS? */
bool http_is_secure(struct http_request *r);

/* Whether the other end is on this machine. */
bool http_from_loopback(struct http_request *r);
/* How the server is, as seen from a request. */
struct http_stats {
    unsigned connections, connections_max, loops;
    size_t held, held_max; /* bytes that requests hold */
    bool stopping;
    int64_t certificate_ends; /* seconds since 1970; 0: plain HTTP */
};
void http_get_stats(const struct http_request *r, struct http_stats *out);

struct http_response {
    int status;
    struct slice content_type; /* empty: no such header */
    struct slice headers;      /* more header lines, each with its CRLF */
    struct slice body;         /* static or in the request's arena */
    bool close;                /* close the connection after it */
};

void http_respond(struct http_request *r, const struct http_response *response);
/* On the loop, before waiting: counts the request's memory as held until it is answered. False: all
 * requests together hold as much as they may, and this one should be refused. */
bool http_hold(struct http_request *r);
/* From any thread: r->woken(r) is called on the request's loop. */
void http_wake(struct http_request *r);
/* Runs work on a worker thread, then after on the loop. One at a time per request. */
void http_work(struct http_request *r, void (*work)(struct http_request *r),
               void (*after)(struct http_request *r));

/* What limits.h says, changeable for tests. */
struct http_limits {
    unsigned connections;
    unsigned idle_ms, head_ms, body_ms, write_ms, linger_ms, drain_ms, evict_ms;
    unsigned min_rate;
    unsigned tls_warn_ms; /* between two warnings of a certificate that ends soon */
    unsigned held_mb; /* 0: by the machine's memory */
};
extern const struct http_limits http_default_limits;

/* Why a client got no TLS connection. */
enum http_refusal { HTTP_NO_CERTIFICATE, HTTP_BAD_CERTIFICATE, HTTP_NO_HANDSHAKE, HTTP_NOT_TLS };

struct http_options {
    const char *host; /* to listen on: an address, or a name that resolves to one */
    uint16_t port;    /* 0: any free one */
    unsigned threads; /* 0: one per core */
    struct http_limits limits;
    void (*handle)(struct http_request *r);
    void *service;
    void *(*loop_open)(void *service); /* per-loop state; NULL result: out of memory */
    void (*loop_close)(void *loop_state);
    /* Before the loop waits, at least once: all that had arrived was handed to `handle`. For what is better done once for all of it. NULL:
     * none. */
    void (*turn_end)(void *service, void *loop_state);
    /* On a loop, after http_server_reload: files that the service has read are to be read again. NULL: none. */
    void (*reload)(void *service);
    /* On a loop: a client did not come in. address: as http_remote_address has it; why: OpenSSL's words, or NULL. NULL: nobody wants to know. */
    void (*refused)(void *service, enum http_refusal refusal, struct slice address, const char *why);
    struct tls *tls; /* borrowed; NULL: plain HTTP */
};

struct http_server;

/* Binds and listens: connections queue up from here on and are answered once http_server_run runs.
 * On failure returns -1 and writes one sentence into message. */
int http_server_open(struct http_server **out, const struct http_options *o, char *message,
                     size_t message_size);
uint16_t http_server_port(const struct http_server *s);
/* Serves until http_server_stop, then finishes what is under way. Returns -1 if it could not start.
 */
int http_server_run(struct http_server *s, char *message, size_t message_size);
/* From any thread or signal handler. */
void http_server_stop(struct http_server *s);
/* Likewise; options.reload is called soon. */
void http_server_reload(struct http_server *s);
void http_server_close(struct http_server *s);

#endif
