/* coding.c: see coding.h. libdeflate works on whole buffers, which is what we have on both sides.
 */
#include "coding.h"
#include <libdeflate.h>
#include <stdlib.h>
#include <strings.h>

/* Level 1: an answer is compressed once and read once, on the loop that serves others. */
#define LEVEL 1

static bool same_text(struct slice a, const char *b)
{
    return a.n == strlen(b) && strncasecmp((const char *)a.p, b, a.n) == 0;
}

enum coding coding_named(struct slice content_encoding)
{
    struct slice s = slice_trim(content_encoding);
    if (s.n == 0 || same_text(s, "identity")) return CODING_NONE;
    if (same_text(s, "gzip")) return CODING_GZIP;
    if (same_text(s, "deflate")) return CODING_DEFLATE;
    return CODING_UNKNOWN;
}

struct slice coding_name(enum coding coding)
{
    return coding == CODING_GZIP ? SLICE("gzip") : SLICE("deflate");
}

/* ---- Accept-Encoding ---- */

/* A weight as DynamoDB reads it: a plain decimal, below 0 as 0, over 1 as 1; anything else as 1. */
static double weight(struct slice s)
{
    s = slice_trim(s);
    char text[32], *end;
    if (s.n == 0 || s.n >= sizeof(text)) return 1;
    for (size_t i = 0; i < s.n; i++)
        if (!strchr("0123456789.-", s.p[i] ? s.p[i] : 'x')) return 1;
    memcpy(text, s.p, s.n);
    text[s.n] = 0;
    double q = strtod(text, &end);
    if (*end) return 1;
    return q < 0 ? 0 : q > 1 ? 1 : q;
}

/* The weight in an element's parameters: whatever follows the first "q=", wherever that stands. */
static double element_weight(struct slice parameters)
{
    for (size_t i = 0; i + 1 < parameters.n; i++) {
        if (parameters.p[i] != 'q' || parameters.p[i + 1] != '=') continue;
        struct slice value = slice_of(parameters.p + i + 2, parameters.n - i - 2);
        const uint8_t *end = value.n ? memchr(value.p, ';', value.n) : NULL;
        if (end) value.n = (size_t)(end - value.p);
        return weight(value);
    }
    return 1;
}

/* Alternator's test_compressed_response.py records what DynamoDB does with odd values: identity
 * plays no part, the higher weight wins, the first named wins a tie, "*" stands for those not named
 * and loses a tie against one that is, gzip before deflate; named twice, the higher weight counts.
 */
enum coding coding_accepted(struct slice accept)
{
    enum { STAR = CODING_UNKNOWN, N = CODING_UNKNOWN + 1 };
    double q[N] = { 0 };
    bool named[N] = { false };
    enum coding best = CODING_NONE;
    while (accept.n) {
        const uint8_t *comma = memchr(accept.p, ',', accept.n);
        struct slice element = slice_of(accept.p, comma ? (size_t)(comma - accept.p) : accept.n);
        size_t used = element.n + (comma != NULL);
        accept = slice_of(accept.p + used, accept.n - used);

        const uint8_t *semicolon = element.n ? memchr(element.p, ';', element.n) : NULL;
        struct slice name =
            slice_trim(slice_of(element.p, semicolon ? (size_t)(semicolon - element.p) : element.n));
        int which = CODING_NONE;
        if (same_text(name, "gzip"))
            which = CODING_GZIP;
        else if (same_text(name, "deflate"))
            which = CODING_DEFLATE;
        else if (same_text(name, "*"))
            which = STAR;
        else
            continue;
        double w =
            semicolon
                ? element_weight(slice_of(semicolon, element.n - (size_t)(semicolon - element.p)))
                : 1;
        if (!named[which] || w > q[which]) q[which] = w;
        named[which] = true;
        if (which != STAR && q[which] > q[best]) best = (enum coding)which;
    }
    for (int i = CODING_GZIP; named[STAR] && i <= CODING_DEFLATE; i++)
        if (!named[i] && q[STAR] > q[best]) {
            q[i] = q[STAR];
            best = (enum coding)i;
        }
    return best;
}

/* ---- compressing ---- */

struct coder {
    struct libdeflate_compressor *compressor;
    struct libdeflate_decompressor *decompressor;
};

struct coder *coder_new(void)
{
    return calloc(1, sizeof(struct coder));
}

void coder_free(struct coder *c)
{
    if (c->compressor) libdeflate_free_compressor(c->compressor);
    if (c->decompressor) libdeflate_free_decompressor(c->decompressor);
    free(c);
}

static enum libdeflate_result decode_one(struct coder *c, enum coding coding, struct slice in,
                                         uint8_t *to, size_t room, size_t *used, size_t *made)
{
    return coding == CODING_GZIP
               ? libdeflate_gzip_decompress_ex(c->decompressor, in.p, in.n, to, room, used, made)
               : libdeflate_zlib_decompress_ex(c->decompressor, in.p, in.n, to, room, used, made);
}

enum decode_status coder_decode(struct coder *c, struct arena *a, enum coding coding,
                                struct slice body, size_t max, struct slice *out)
{
    if (!c->decompressor) c->decompressor = libdeflate_alloc_decompressor();
    if (!c->decompressor) arena_fail(a);
    if (body.n == 0) return DECODE_BROKEN;
    /* The size is not known beforehand (a gzip trailer tells only its member's). Guess, and double.
     */
    size_t cap = body.n * 8 < 65536 ? 65536 : body.n * 8;
    if (cap > max) cap = max;
    uint8_t *to = arena_bytes(a, cap);
    size_t n = 0;
    while (body.n) {
        size_t used = 0, made = 0;
        enum libdeflate_result r = decode_one(c, coding, body, to + n, cap - n, &used, &made);
        if (r == LIBDEFLATE_INSUFFICIENT_SPACE) {
            if (cap == max) return DECODE_TOO_LARGE;
            size_t larger = cap * 2 < max ? cap * 2 : max;
            uint8_t *moved = arena_bytes(a, larger);
            memcpy(moved, to, n);
            to = moved;
            cap = larger;
            continue;
        }
        if (r != LIBDEFLATE_SUCCESS || used == 0) return DECODE_BROKEN;
        n += made;
        body = slice_of(body.p + used, body.n - used);
        /* RFC 1950 knows no second stream, and DynamoDB refuses one. */
        if (coding == CODING_DEFLATE && body.n) return DECODE_BROKEN;
    }
    *out = slice_of(to, n);
    return DECODE_OK;
}

bool coder_encode(struct coder *c, struct arena *a, enum coding coding, struct slice body,
                  struct slice *out)
{
    if (!c->compressor) c->compressor = libdeflate_alloc_compressor(LEVEL);
    if (!c->compressor) return false;
    bool gzip = coding == CODING_GZIP;
    size_t bound = gzip ? libdeflate_gzip_compress_bound(c->compressor, body.n)
                        : libdeflate_zlib_compress_bound(c->compressor, body.n);
    uint8_t *to = arena_bytes(a, bound);
    size_t n = gzip ? libdeflate_gzip_compress(c->compressor, body.p, body.n, to, bound)
                    : libdeflate_zlib_compress(c->compressor, body.p, body.n, to, bound);
    if (n) *out = slice_of(to, n);
    return n > 0;
}
