/* http_answer.h: the head of an HTTP answer, as much of it as a load generator must know. */
#ifndef OF_CLI_BENCH_HTTP_ANSWER_H
#define OF_CLI_BENCH_HTTP_ANSWER_H

#include "../../base/slice.h"

#define HTTP_HEAD_MAX ((size_t)16 << 10)
#define HTTP_BODY_MAX ((size_t)64 << 20)

struct http_head {
    size_t n;    /* bytes of the head, with the empty line */
    size_t body; /* Content-Length */
    int status;
    bool closes; /* the server ends the connection after it */
};

/* NULL: read; or what is wrong with it. incomplete: there is more to come, and nothing else was set. */
const char *http_head_read(const uint8_t *p, size_t n, struct http_head *out, bool *incomplete);

#endif
