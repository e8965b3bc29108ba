/* answer.c: status, compression, x-amzn-RequestId and x-amz-crc32.
 *
 * x-amz-crc32 is of the bytes as sent, after compression: botocore checks it on the raw body, and
 * the teams of the AWS SDKs for Kotlin, Swift and Rust say so of the service (smithy-kotlin issue
 * 158). */
#include "answer.h"
#include <libdeflate.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

void *service_loop_open(void *service)
{
    (void)service;
    struct loop_state *s = calloc(1, sizeof(*s));
    if (!s) return NULL;
    s->coder = coder_new();
    if (!s->coder) {
        free(s);
        return NULL;
    }
    if (getrandom(&s->random, sizeof(s->random), GRND_NONBLOCK) != (ssize_t)sizeof(s->random))
        s->random = answer_clock() ^ (uint64_t)(uintptr_t)s;
    return s;
}

void service_loop_close(void *loop_state)
{
    struct loop_state *s = loop_state;
    coder_free(s->coder);
    free(s);
}

struct loop_state *answer_loop(const struct exchange *x)
{
    return x->http->loop_state;
}

struct coder *answer_coder(const struct exchange *x)
{
    return x->coder ? x->coder : answer_loop(x)->coder;
}

uint64_t answer_clock(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static uint64_t next_random(struct loop_state *s)
{
    uint64_t z = s->random += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* 52 digits in base 32, as DynamoDB's: 13 of each number, the last with the four bits that remain. */
static void put_request_id(struct buf *b, struct loop_state *s)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUV";
    uint8_t *to = buf_reserve(b, REQUEST_ID_DIGITS);
    for (int i = 0; i < 4; i++) {
        uint64_t bits = next_random(s);
        for (int j = 0; j < 13; j++, bits >>= 5)
            *to++ = (uint8_t)digits[bits & 31];
    }
    b->n += REQUEST_ID_DIGITS;
}

void answer_call(struct exchange *x)
{
    answer_call_as(x, x->call.err.code);
}

void answer_call_as(struct exchange *x, enum err_code counted)
{
    const struct service *service = x->http->service;
    if (counted) __atomic_add_fetch(&service->counts->errors[counted], 1, __ATOMIC_RELAXED);
    x->status = call_http_status(&x->call);
    x->body = call_answer(&x->call);
    x->crc = x->compressible = true;
}

void answer_guest(struct exchange *x, const struct guest_answer *answer)
{
    x->status = answer->status;
    x->content_type = answer->content_type;
    x->headers = answer->headers;
    x->body = answer->body;
    x->changed = answer->changed;
    x->gzipped = answer->gzipped;
    x->compressible = !answer->gzipped;
}

static enum coding wanted(const struct exchange *x)
{
    return coding_accepted(http_header(x->http, HEADER_ACCEPT_ENCODING));
}

bool answer_is_large(const struct exchange *x)
{
    if (x->body.n <= WIRE_LOOP_BYTES) return false;
    return x->gzipped ? wanted(x) != CODING_GZIP : x->compressible && wanted(x) != CODING_NONE;
}

/* What came compressed goes out so, but to a client that cannot take it. */
static void undo_or_keep(struct exchange *x)
{
    if (wanted(x) == CODING_GZIP)
        x->coding = CODING_GZIP;
    else if (coder_decode(answer_coder(x), x->http->arena, CODING_GZIP, x->body, WIRE_MAX_BODY,
                          &x->body) != DECODE_OK)
        arena_fail(x->http->arena);
}

void answer_pack(struct exchange *x)
{
    x->packed = true;
    if (x->gzipped) {
        undo_or_keep(x);
    } else if (x->compressible && x->body.n > WIRE_COMPRESS_MIN) {
        enum coding coding = wanted(x);
        if (coding != CODING_NONE &&
            coder_encode(answer_coder(x), x->http->arena, coding, x->body, &x->body))
            x->coding = coding;
    }
}

void answer_build(struct exchange *x)
{
    struct http_request *r = x->http;
    struct buf b;
    buf_init(&b, r->arena, 65536);
    buf_reserve(&b, 192 + x->cors.n);
    BUF_LIT(&b, REQUEST_ID_LABEL);
    put_request_id(&b, r->loop_state);
    BUF_LIT(&b, "\r\n");
    if (x->gzipped) BUF_LIT(&b, "Vary: Accept-Encoding\r\n");
    if (x->coding != CODING_NONE) {
        BUF_LIT(&b, "Content-Encoding: ");
        buf_slice(&b, coding_name(x->coding));
        BUF_LIT(&b, "\r\n");
    }
    if (x->crc) {
        BUF_LIT(&b, "x-amz-crc32: ");
        buf_decimal(&b, libdeflate_crc32(0, x->body.p, x->body.n));
        BUF_LIT(&b, "\r\n");
    }
    buf_slice(&b, x->cors);
    buf_slice(&b, x->headers);
    x->response = (struct http_response){ .status = x->status,
                                          .content_type = x->content_type,
                                          .headers = buf_view(&b),
                                          .body = x->body };
}

void answer_send(struct exchange *x)
{
    http_respond(x->http, &x->response);
}
