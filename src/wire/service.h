/* service.h: the DynamoDB API over HTTP: what stands between http.h below and engine.h beside it.
 */
#ifndef OF_WIRE_SERVICE_H
#define OF_WIRE_SERVICE_H

#include "../auth/credentials.h"
#include "../base/log.h"
#include "../engine/engine.h"
#include "http.h"
#include "origin.h"
#include <time.h>

/* What the port serves beside the API; the studio is one. Nothing of it is known here but this. */
struct guest_answer {
    int status;
    struct slice content_type;
    struct slice headers; /* more header lines, each with its CRLF */
    struct slice body;    /* static, or in the request's arena */
    struct slice changed; /* for the log: the table that a call made or changed, in the request's arena; empty: none */
    bool gzipped;         /* the body is: undone for a client that does not take it */
};
struct guest {
    void *ctx;
    struct slice path;   /* "/studio": GET of it, and of what is below it */
    struct slice target; /* "Onefold_20261101.": operations of its own */
    /* On the loop, under the arena's guard. */
    void (*get)(void *ctx, struct http_request *r, struct guest_answer *out);
    /* On a worker thread, under the arena's guard. The body is JSON text. */
    void (*call)(void *ctx, struct arena *a, struct slice operation, struct slice body, struct guest_answer *out);
    bool (*knows)(struct slice operation); /* is there one of that name? */
};

/* Why somebody was turned away before anything was asked about signatures: as /metrics and the log name it, and in words. */
#define REFUSAL_LIST(X)                                                                                \
    X(HOST, "host", "its Host is not one that the server answers to (--allow-host)")                   \
    X(ORIGIN, "origin", "it is of a web page whose Origin is not allowed (--cors)")                     \
    X(METRICS, "metrics", "/metrics is for this machine alone (--metrics)")                            \
    X(NO_CERTIFICATE, "no_certificate", "the client has no certificate, which --tls-client-ca asks for") \
    X(CERTIFICATE, "certificate", "the client's certificate is not valid by --tls-client-ca")          \
    X(HANDSHAKE, "handshake", "no TLS connection came about")                                          \
    X(PLAIN, "plain", "it speaks plain HTTP, and this port TLS")

enum refusal {
    REFUSAL_NONE,
#define X(id, name, words) REFUSAL_##id,
    REFUSAL_LIST(X)
#undef X
    REFUSALS
};

/* What is counted here and nowhere else. */
struct service_counts {
    uint64_t errors[ERR_COUNT];   /* atomic: answers that are this error */
    uint64_t refusals[REFUSALS];  /* atomic */
    struct log_budget refused, damaged; /* lines in the log */
};

/* Set up before the server runs, read by every loop, changed by none. */
struct service {
    struct engine *engine;
    struct origin_rules origins;
    const struct guest *guest; /* NULL: none */
    struct service_counts *counts;
    const char *version;
    time_t started;
    bool metrics_for_all; /* or for this machine alone */
    uint64_t slow_ns;     /* a request that takes this long is told in the log; 0: none is */
    struct keyring *keys;      /* who may ask; NULL: whoever reaches us. The one thing that changes, behind its own lock */
};

/* For http_options: handle, turn_end, refused, loop_open, loop_close; http_options.service is a struct service. */
void service_handle(struct http_request *r);
void service_turn_end(void *service, void *loop_state);
void service_refused(void *service, enum http_refusal refusal, struct slice address, const char *why);
void *service_loop_open(void *service);
void service_loop_close(void *loop_state);

#endif
