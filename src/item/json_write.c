/* json_write.c: JSON strings out, and what text is fit for them. */
#include "json.h"
#include "json_scan.h"

bool json_needs_escape(struct slice text)
{
    const uint8_t *p = text.p, *end = text.p + text.n;
    for (; end - p >= 8; p += 8)
        if (scan_escape(scan_load(p))) return true;
    for (; p < end; p++)
        if (scan_must_escape(*p)) return true;
    return false;
}

bool utf8_valid(struct slice text)
{
    const uint8_t *p = text.p, *end = text.p + text.n;
    while (p < end) {
        if (end - p >= 8 && !(scan_load(p) & SCAN_EACH(0x80))) {
            p += 8;
            continue;
        }
        if (*p < 0x80) {
            p++;
            continue;
        }
        size_t n = scan_utf8(p, end);
        if (!n) return false;
        p += n;
    }
    return true;
}

void json_put_plain(struct buf *b, struct slice text)
{
    uint8_t *p = buf_reserve(b, text.n + 2);
    *p++ = '"';
    if (text.n) memcpy(p, text.p, text.n);
    p[text.n] = '"';
    b->n += text.n + 2;
}

static void put_escape(struct buf *b, uint8_t c)
{
    static const char hex[] = "0123456789ABCDEF";
    static const char letters[128] = { ['"'] = '"',  ['\\'] = '\\', ['\b'] = 'b', ['\f'] = 'f',
                                       ['\n'] = 'n', ['\r'] = 'r',  ['\t'] = 't' };
    if (letters[c])
        buf_bytes(b, (char[]){ '\\', letters[c] }, 2);
    else
        buf_bytes(b, (char[]){ '\\', 'u', '0', '0', hex[c >> 4], hex[c & 15] }, 6);
}

void json_put_string(struct buf *b, struct slice text)
{
    const uint8_t *p = text.p, *end = text.p + text.n;
    buf_reserve(b, text.n + 2);
    buf_u8(b, '"');
    while (p < end) {
        const uint8_t *start = p;
        for (; end - p >= 8; p += 8) {
            uint64_t hit = scan_escape(scan_load(p));
            if (!hit) continue;
            p += __builtin_ctzll(hit) >> 3;
            break;
        }
        while (p < end && !scan_must_escape(*p)) p++;
        buf_bytes(b, start, (size_t)(p - start));
        if (p < end) put_escape(b, *p++);
    }
    buf_u8(b, '"');
}
