/* jsonw.c: numbers in reports, and JSON for people to read. */
#include "jsonw.h"
#include <math.h>
#include <stdio.h>

void number_put(struct buf *b, double v)
{
    char text[40];
    bool whole = v >= 1 && v < 1e9 && v == (double)(uint32_t)v; /* lines, columns, counts: a report has a great many of them */
    int n = whole ? snprintf(text, sizeof text, "%u", (unsigned)v) : snprintf(text, sizeof text, "%.12g", v);
    /* The host program may have a locale with a decimal comma. */
    for (int i = 0; i < n; i++) {
        if (text[i] == ',') text[i] = '.';
    }
    buf_bytes(b, text, (size_t)n);
}

void js_number(struct buf *b, const char *name, double v)
{
    js_name(b, name);
    if (isfinite(v)) number_put(b, v);
    else BUF_LIT(b, "null");
}

static void line(struct buf *out, unsigned depth)
{
    buf_u8(out, '\n');
    for (unsigned i = 0; i < depth; i++) BUF_LIT(out, "  ");
}

void json_indent(struct buf *out, struct slice json)
{
    unsigned depth = 0;
    bool quoted = false;
    for (size_t i = 0; i < json.n; i++) {
        uint8_t c = json.p[i];
        if (quoted) {
            buf_u8(out, c);
            if (c == '\\' && i + 1 < json.n) buf_u8(out, json.p[++i]);
            else if (c == '"') quoted = false;
            continue;
        }
        bool empty = (c == '{' || c == '[') && i + 1 < json.n && (json.p[i + 1] == '}' || json.p[i + 1] == ']');
        if (empty) {
            buf_u8(out, c);
            buf_u8(out, json.p[++i]);
            continue;
        }
        if (c == '}' || c == ']') line(out, --depth);
        buf_u8(out, c);
        if (c == '"') quoted = true;
        else if (c == '{' || c == '[') line(out, ++depth);
        else if (c == ',') line(out, depth);
        else if (c == ':') buf_u8(out, ' ');
    }
    buf_u8(out, '\n');
}
