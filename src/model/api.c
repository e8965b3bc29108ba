/* api.c: a call and its answer as a tree. */
#include "api.h"

#define ANSWER_MAX_DEPTH 128 /* an item nests 32 deep, each level two objects of JSON */

int api_call(struct api *api, struct arena *a, struct slice operation, struct slice body, const struct json **out,
             struct err *e)
{
    struct slice answer;
    int code = api->call(api, a, operation, body, &answer, e);
    if (code) return code;
    *out = json_parse(a, answer, ANSWER_MAX_DEPTH, NULL);
    if (*out) return 0;
    return err_set(e, ERR_ServiceUnavailable, "the answer to %.*s is not JSON; is this a DynamoDB endpoint?",
                   SLICE_ARG(operation));
}

void request_show(struct buf *requests, struct slice operation, struct slice body)
{
    if (!requests) return;
    if (requests->n && requests->p[requests->n - 1] == '}') buf_u8(requests, ',');
    BUF_LIT(requests, "{\"operation\":");
    json_put_string(requests, operation);
    BUF_LIT(requests, ",\"request\":");
    buf_slice(requests, body);
    buf_u8(requests, '}');
}
