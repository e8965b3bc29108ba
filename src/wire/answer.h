/* answer.h: an exchange, one request and the answer to it, and how the answer gets its headers. */
#ifndef OF_WIRE_ANSWER_H
#define OF_WIRE_ANSWER_H

#include "../engine/engine.h"
#include "coding.h"
#include "http.h"
#include "limits.h"

/* Lives in the request's arena. */
struct exchange {
    struct http_request *http;
    struct call call;
    struct slice operation; /* for the log */
    uint64_t began_ns;

    int status;
    struct slice content_type, body;
    struct slice cors; /* ready header lines */
    struct slice headers; /* more of them */
    bool prepared;     /* call_prepare was called: call_end is owed */
    bool crc;          /* x-amz-crc32 is wanted */
    bool compressible;
    bool gzipped;      /* the body is compressed already */
    bool refused;      /* a guest's call that ran out of memory */
    struct http_response response;
};

/* One per event loop. */
struct loop_state {
    struct coder *coder;
    uint64_t random;          /* splitmix64's state: ids must differ, not be unguessable */
    struct call_group writes; /* of this turn, not started yet */
};

/* Takes status and body from the call. */
void answer_call(struct exchange *x);
/* Compresses if that is asked for and worth it, and makes the headers. */
void answer_build(struct exchange *x);
void answer_send(struct exchange *x);

struct loop_state *answer_loop(const struct exchange *x);
struct coder *answer_coder(const struct exchange *x);
uint64_t answer_clock(void);

#endif
