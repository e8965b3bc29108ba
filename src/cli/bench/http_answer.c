/* http_answer.c: reads status, length and "close" of an answer's head. */
#include "http_answer.h"
#include <strings.h>

static bool is_header(const uint8_t *line, size_t n, const char *name, size_t name_n)
{
    return n > name_n && line[name_n] == ':' && strncasecmp((const char *)line, name, name_n) == 0;
}

/* Content-Length's digits; false if it is no number or too large. */
static bool read_length(struct slice value, size_t *out)
{
    size_t n = 0;
    if (!value.n) return false;
    for (size_t i = 0; i < value.n; i++) {
        if (value.p[i] < '0' || value.p[i] > '9') return false;
        n = n * 10 + (size_t)(value.p[i] - '0');
        if (n > HTTP_BODY_MAX) return false;
    }
    *out = n;
    return true;
}

static const char *read_line(const uint8_t *line, size_t n, struct http_head *out, bool *sized)
{
    static const char length[] = "content-length", connection[] = "connection", coding[] = "transfer-encoding";
    /* All three begin with one of two letters: most lines are passed over by looking at one byte. */
    uint8_t first = n ? line[0] | 0x20 : 0;
    if (first != 'c' && first != 't') return NULL;
    if (is_header(line, n, length, sizeof length - 1)) {
        struct slice value = slice_trim(slice_of(line + sizeof length, n - sizeof length));
        if (!read_length(value, &out->body)) return "the answer has a Content-Length that cannot be read";
        *sized = true;
    } else if (is_header(line, n, connection, sizeof connection - 1)) {
        struct slice value = slice_trim(slice_of(line + sizeof connection, n - sizeof connection));
        out->closes = value.n == 5 && strncasecmp((const char *)value.p, "close", 5) == 0;
    } else if (is_header(line, n, coding, sizeof coding - 1)) {
        return "the answer comes in pieces (Transfer-Encoding), which this client does not read";
    }
    return NULL;
}

const char *http_head_read(const uint8_t *p, size_t n, struct http_head *out, bool *incomplete)
{
    const uint8_t *end = memmem(p, n, "\r\n\r\n", 4);
    bool sized = false;
    *incomplete = false;
    if (!end && n < HTTP_HEAD_MAX) {
        *incomplete = true;
        return NULL;
    }
    if (!end) return "the answer has a head of more than 16 KB";
    if (n < 16 || memcmp(p, "HTTP/1.", 7) != 0) return "the answer is not HTTP/1.1";
    *out = (struct http_head){ .n = (size_t)(end - p) + 4 };
    for (size_t i = 9; i < 12; i++) {
        if (p[i] < '0' || p[i] > '9') return "the answer has no status";
        out->status = out->status * 10 + (p[i] - '0');
    }
    out->closes = p[7] == '0';
    for (const uint8_t *line = p, *stop; line < end + 2; line = stop + 1) {
        stop = memchr(line, '\n', (size_t)(end + 2 - line));
        if (!stop) break;
        const char *wrong = read_line(line, (size_t)(stop - line) - (stop > line && stop[-1] == '\r'), out, &sized);
        if (wrong) return wrong;
    }
    return sized ? NULL : "the answer has no Content-Length";
}
