/* api.h: a way to DynamoDB: an embedded database, a running Onefold, AWS. The model layer does everything through
 * these few functions and so knows nothing of engines and sockets. */
#ifndef OF_MODEL_API_H
#define OF_MODEL_API_H

#include "../base/err.h"
#include "../item/json.h"

#define API_MAX_LANES 32

struct api {
    /* One call. 0 and the answer's JSON text in the arena; or the service's error in e (detail then holds the
     * other members of the envelope, such as CancellationReasons). A failure to reach it is
     * ServiceUnavailable with a sentence that says what to do. */
    int (*call)(struct api *api, struct arena *a, struct slice operation, struct slice body, struct slice *answer,
                struct err *e);
    /* Puts encoded items into a table as if one by one: of two with the same key the later one stays. *put: so many from
     * the beginning are in the table, and no others; on error it is the next that was refused. Never leaves through the
     * arena's guard. NULL: there is no such way, only calls. */
    int (*put_items)(struct api *api, struct arena *a, struct slice table, const struct slice *items, size_t n, size_t *put,
                     struct err *e);
    /* Runs fn: the calls and put_items that it makes, on the thread that runs it, are one transaction. Each sees what those
     * before it wrote; nothing of that is durable before this returns, and if it returns an error nothing of it is there. fn may
     * be run again from its beginning. NULL: there is no such way. */
    int (*together)(struct api *api, void (*fn)(void *ctx), void *ctx, struct err *e);
    unsigned lanes;     /* so many calls may usefully be made at once, by threads of their own; at most API_MAX_LANES; 0: one */
    bool is_aws;        /* amazonaws.com: writing needs to be confirmed */
    struct slice where; /* a directory or an endpoint; empty: memory, which no later run finds again */
};

/* The call and its answer as a tree. */
int api_call(struct api *api, struct arena *a, struct slice operation, struct slice body, const struct json **out,
             struct err *e);
/* A request for --explain: {"operation":"Query","request":{...}} as one more element of an array. requests may be NULL. */
void request_show(struct buf *requests, struct slice operation, struct slice body);
#define API_CALL(api, a, lit, body, out, e) api_call((api), (a), SLICE(lit), (body), (out), (e))

#endif
