/* coding.h: content codings: which one a request has, which one its client accepts, gzip and
 * deflate. */
#ifndef OF_WIRE_CODING_H
#define OF_WIRE_CODING_H

#include "../base/arena.h"

enum coding { CODING_NONE, CODING_GZIP, CODING_DEFLATE, CODING_UNKNOWN };

/* Of a Content-Encoding header's value; absent and "identity" are CODING_NONE. */
enum coding coding_named(struct slice content_encoding);
/* The coding to answer in, by an Accept-Encoding header's value: NONE, GZIP or DEFLATE. */
enum coding coding_accepted(struct slice accept_encoding);
struct slice coding_name(enum coding coding);

/* Compressor and decompressor, made when first needed. One thread at a time. */
struct coder;
struct coder *coder_new(void);
void coder_free(struct coder *c);

enum decode_status { DECODE_OK, DECODE_BROKEN, DECODE_TOO_LARGE };
/* The result lives in the arena. gzip may hold several members; nothing may follow them. */
enum decode_status coder_decode(struct coder *c, struct arena *a, enum coding coding,
                                struct slice body, size_t max, struct slice *out);
/* False if it could not (no memory): send the body as it is. */
bool coder_encode(struct coder *c, struct arena *a, enum coding coding, struct slice body,
                  struct slice *out);

#endif
