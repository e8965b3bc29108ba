/* json_write.c: JSON strings out, and what text is fit for them. */
#include "json.h"
#include "json_scan.h"

bool json_needs_escape(struct slice text)
{
    if (!text.n) return false;
    const uint8_t *p = text.p, *end = text.p + text.n;
    for (; end - p > 8; p += 8)
        if (scan_escape(scan_load(p))) return true;
    if (text.n >= 8) return scan_escape(scan_load(end - 8)) != 0; /* may look at some bytes again */
    if (text.n >= 4) return scan_escape(scan_load_short(p, text.n)) != 0;
    for (; p < end; p++)
        if (scan_must_escape(*p)) return true;
    return false;
}

static bool is_ascii(struct slice text)
{
    const uint8_t *p = text.p, *end = text.p + text.n;
    uint64_t all = 0;
    for (; end - p > 8; p += 8)
        all |= scan_load(p);
    if (text.n >= 8)
        all |= scan_load(end - 8);
    else if (text.n >= 4)
        all |= scan_load_short(p, text.n);
    else
        for (; p < end; p++)
            all |= *p;
    return !(all & SCAN_EACH(0x80));
}

bool utf8_valid(struct slice text)
{
    if (!text.n || is_ascii(text)) return true;
    const uint8_t *p = text.p, *end = text.p + text.n;
    while (p < end) {
        size_t n = *p < 0x80 ? 1 : scan_utf8(p, end);
        if (!n) return false;
        p += n;
    }
    return true;
}

struct slice utf8_mended(struct arena *a, struct slice text)
{
    static const uint8_t instead[3] = { 0xef, 0xbf, 0xbd }; /* U+FFFD */
    if (utf8_valid(text)) return text;
    uint8_t *to = arena_bytes(a, text.n * sizeof instead);
    size_t at = 0;
    for (const uint8_t *p = text.p, *end = text.p + text.n; p < end;) {
        size_t n = *p < 0x80 ? 1 : scan_utf8(p, end);
        memcpy(to + at, n ? p : instead, n ? n : sizeof instead);
        at += n ? n : sizeof instead;
        p += n ? n : 1;
    }
    return slice_of(to, at);
}

size_t utf16_length(struct slice text)
{
    size_t n = 0;
    if (is_ascii(text)) return text.n;
    for (size_t i = 0; i < text.n; i++)
        n += (size_t)((text.p[i] & 0xc0) != 0x80) + (text.p[i] >= 0xf0);
    return n;
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
    if (!text.n) {
        BUF_LIT(b, "\"\"");
        return;
    }
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
        while (p < end && !scan_must_escape(*p))
            p++;
        buf_bytes(b, start, (size_t)(p - start));
        if (p < end) put_escape(b, *p++);
    }
    buf_u8(b, '"');
}

void json_put(struct buf *b, const struct json *v)
{
    bool object = v->type == JSON_OBJECT;
    switch (v->type) {
    case JSON_NULL: BUF_LIT(b, "null"); return;
    case JSON_FALSE: BUF_LIT(b, "false"); return;
    case JSON_TRUE: BUF_LIT(b, "true"); return;
    case JSON_NUMBER: buf_slice(b, v->text); return;
    case JSON_STRING: json_put_string(b, v->text); return;
    case JSON_ARRAY:
    case JSON_OBJECT: break;
    default: return;
    }
    buf_u8(b, object ? '{' : '[');
    for (const struct json *c = v->first; c; c = c->next) {
        if (c != v->first) buf_u8(b, ',');
        if (object) {
            json_put_string(b, c->name);
            buf_u8(b, ':');
        }
        json_put(b, c);
    }
    buf_u8(b, object ? '}' : ']');
}
