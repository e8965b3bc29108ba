/* answer.h: an exchange, one request and the answer to it, and how the answer gets its headers. */
#ifndef OF_WIRE_ANSWER_H
#define OF_WIRE_ANSWER_H

#include "../engine/engine.h"
#include "coding.h"
#include "http.h"
#include "limits.h"
#include "service.h"

/* What comes next in an exchange. */
enum step {
    STEP_OUT_OF_MEMORY,
    STEP_READ,   /* look at the body */
    STEP_CALL,   /* run the call */
    STEP_LONG,   /* run it on a thread that may wait */
    STEP_GUEST,  /* run the guest's */
    STEP_RAN,    /* take the call's answer */
    STEP_PACK,   /* compress the answer */
    STEP_NO_ROOM, /* say that there is too little memory for it now */
    STEP_ANSWER, /* send it */
};

/* Lives in the request's arena. */
struct exchange {
    enum step step;
    struct http_request *http;
    struct call call;
    struct slice operation; /* for the log; as it came */
    struct slice access_key; /* for the log: whose the signature says it is, where one is asked for */
    const struct identity *expired; /* for the log: who has shown to be it, with a key that is no longer good; NULL: nobody */
    struct slice changed; /* for the log: the table that a guest's call changed */
    enum refusal refusal; /* for the log: why it was turned away at the door */
    struct credentials *keys; /* that the call's identity is of: held until the answer; NULL: nobody is asked for */
    uint64_t began_ns;

    int status;
    struct slice content_type, body;
    struct slice cors; /* ready header lines */
    struct slice headers; /* more of them */
    bool prepared;     /* call_prepare was called: call_end is owed */
    bool crc;          /* x-amz-crc32 is wanted */
    bool compressible;
    bool gzipped;      /* the body is compressed already */
    bool packed;       /* answer_pack has been called */
    bool of_guest;     /* a guest's call */
    enum coding coding; /* that the body is in */
    struct coder *coder; /* the exchange's own, for work on other threads; NULL: the loop's */
    struct http_response response;
};

/* answer_build's first header: the same in the log and at the client. */
#define REQUEST_ID_LABEL  "x-amzn-RequestId: "
#define REQUEST_ID_DIGITS 52

/* One per event loop. */
struct loop_state {
    struct coder *coder;
    uint64_t random;          /* splitmix64's state: ids must differ, not be unguessable */
    struct call_group writes, reads; /* of this turn, not started yet; reads where they may block */
};

/* Takes status and body from the call, or from a guest. */
void answer_call(struct exchange *x);
/* The same; in /metrics it is this error. */
void answer_call_as(struct exchange *x, enum err_code counted);
void answer_guest(struct exchange *x, const struct guest_answer *answer);
/* Would packing it take long? */
bool answer_is_large(const struct exchange *x);
/* Compresses the body if that is asked for and worth it. */
void answer_pack(struct exchange *x);
/* Makes the headers; on the loop. */
void answer_build(struct exchange *x);
void answer_send(struct exchange *x);

struct loop_state *answer_loop(const struct exchange *x);
struct coder *answer_coder(const struct exchange *x);
uint64_t answer_clock(void);

#endif
