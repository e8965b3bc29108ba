/* edit_value.c: JSON values as YAML in the house's style. */
#include "edit_value.h"
#include "model.h"

#define LINE_WIDTH 120

/* ---- scalars ---- */

/* Would libyaml not read the character at p, which is valid UTF-8, or take it for a line end? *code: it as a number. */
static bool unprintable(const uint8_t *p, size_t n, unsigned *code)
{
    if (*p < 0x80) {
        *code = *p;
        return *p < 0x20 || *p == 0x7f;
    }
    if (n >= 2 && *p < 0xe0) {
        *code = (unsigned)(*p & 0x1f) << 6 | (p[1] & 0x3f);
        return *code < 0xa0;
    }
    if (n >= 3 && *p < 0xf0) {
        *code = (unsigned)(*p & 0x0f) << 12 | (unsigned)(p[1] & 0x3f) << 6 | (p[2] & 0x3f);
        return *code == 0x2028 || *code == 0x2029 || *code == 0xfeff || *code >= 0xfffe;
    }
    return false;
}

static size_t char_bytes(uint8_t lead)
{
    return lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

void yaml_put_quoted(struct buf *b, struct slice text)
{
    buf_u8(b, '"');
    for (size_t i = 0; i < text.n;) {
        unsigned code;
        size_t n = char_bytes(text.p[i]);
        if (n > text.n - i) n = text.n - i;
        bool hidden = unprintable(text.p + i, text.n - i, &code);
        if (text.p[i] == '"' || text.p[i] == '\\') buf_u8(b, '\\');
        if (!hidden) buf_bytes(b, text.p + i, n);
        else if (code == '\n') BUF_LIT(b, "\\n");
        else if (code == '\t') BUF_LIT(b, "\\t");
        else buf_printf(b, "\\u%04x", code);
        i += n;
    }
    buf_u8(b, '"');
}

static bool holds(struct slice text, const char *what)
{
    return memmem(text.p, text.n, what, strlen(what)) != NULL;
}

/* May it stand without quotes and be read as just this text? flow: within brackets, where more has a meaning. */
static bool plain_text(struct slice t, bool flow)
{
    unsigned code;
    if (!t.n || strchr("?:,[]{}#&*!|>'\"%@` \t", t.p[0]) || (t.p[0] == '-' && (t.n == 1 || t.p[1] == ' ')) ||
        strchr(" \t:", t.p[t.n - 1]))
        return false;
    for (size_t i = 0; i < t.n; i += char_bytes(t.p[i])) {
        if (unprintable(t.p + i, t.n - i, &code)) return false;
        if (flow && strchr(",[]{}:", t.p[i])) return false;
    }
    return !holds(t, ": ") && !holds(t, " #") && !holds(t, ":\t") && !holds(t, "\t#") && !holds(t, "${") &&
           !slice_starts(t, SLICE("---")) && !slice_starts(t, SLICE("..."));
}

void yaml_put_string(struct buf *b, struct slice text, bool flow, bool json)
{
    struct node n = { .kind = NODE_SCALAR, .text = text };
    struct num number;
    bool truth, other = node_is_null(&n) || node_bool(&n, &truth) || node_number(&n, &number);
    if (json || other || !plain_text(text, flow)) yaml_put_quoted(b, text);
    else buf_slice(b, text);
}

void yaml_put_name(struct buf *b, struct slice name, bool json)
{
    if (json || !plain_text(name, true) || slice_eq(name, SLICE("<<"))) yaml_put_quoted(b, name);
    else buf_slice(b, name);
}

static void put_scalar(struct buf *b, const struct json *v, bool flow, bool json)
{
    switch (v->type) {
    case JSON_TRUE: BUF_LIT(b, "true"); break;
    case JSON_FALSE: BUF_LIT(b, "false"); break;
    case JSON_NUMBER: buf_slice(b, v->text); break;
    case JSON_STRING: yaml_put_string(b, v->text, flow, json); break;
    default: BUF_LIT(b, "null"); break;
    }
}

/* ---- in brackets ---- */

static bool is_collection(const struct json *v)
{
    return v->type == JSON_OBJECT || v->type == JSON_ARRAY;
}

void yaml_put_flow(struct buf *b, const struct json *v, bool json)
{
    if (!is_collection(v)) {
        put_scalar(b, v, true, json);
        return;
    }
    bool map = v->type == JSON_OBJECT;
    if (!v->first) {
        buf_slice(b, map ? SLICE("{}") : SLICE("[]"));
        return;
    }
    buf_slice(b, map ? SLICE("{ ") : SLICE("["));
    for (const struct json *c = v->first; c; c = c->next) {
        if (c != v->first) BUF_LIT(b, ", ");
        if (map) {
            yaml_put_name(b, c->name, json);
            BUF_LIT(b, ": ");
        }
        yaml_put_flow(b, c, json);
    }
    buf_slice(b, map ? SLICE(" }") : SLICE("]"));
}

static struct slice flow_text(struct arena *a, const struct json *v, bool json)
{
    struct buf b;
    buf_init(&b, a, 2 * MODEL_MAX_FILE);
    yaml_put_flow(&b, v, json);
    return buf_view(&b);
}

/* ---- in lines ---- */

static bool part_is(const struct edit_path *p, size_t i, const char *name)
{
    return i < p->n && slice_eq(p->parts[i], slice_str(name));
}

/* Entities, patterns, indexes and what an entity holds have a line for each. */
static bool is_outline(const struct edit_path *p)
{
    switch (p->n) {
    case 0: return true;
    case 1: return part_is(p, 0, "entities") || part_is(p, 0, "patterns") || part_is(p, 0, "indexes") || part_is(p, 0, "silence");
    case 2: return part_is(p, 0, "entities") || part_is(p, 0, "patterns");
    case 3:
        return part_is(p, 0, "entities") && (part_is(p, 2, "attributes") || part_is(p, 2, "index") || part_is(p, 2, "copies"));
    default: return false;
    }
}

struct writer {
    struct buf b;
    struct edit_path path;
    struct edit_style style;
};

/* Does it go into lines? If not, *flow is its text. */
static bool goes_into_lines(struct writer *w, const struct json *v, size_t indent, struct slice *flow)
{
    *flow = flow_text(w->b.arena, v, false);
    if (!is_collection(v) || !v->first) return false;
    return is_outline(&w->path) || w->style.indent + indent + flow->n > LINE_WIDTH;
}

static void put_block(struct writer *w, const struct json *v, size_t indent);

static void put_child(struct writer *w, const struct json *c, bool map, size_t indent)
{
    struct slice flow;
    size_t before = w->b.n;
    if (map) {
        yaml_put_name(&w->b, c->name, false);
        buf_u8(&w->b, ':');
    } else {
        buf_u8(&w->b, '-');
    }
    if (w->path.n < EDIT_PATH_MAX) w->path.parts[w->path.n] = map ? c->name : SLICE("-");
    w->path.n++;
    if (w->path.n <= EDIT_PATH_MAX && goes_into_lines(w, c, indent + w->b.n - before + 1, &flow)) {
        if (map) {
            buf_u8(&w->b, '\n');
            for (size_t i = 0; i < indent + 2; i++) buf_u8(&w->b, ' ');
        } else {
            buf_u8(&w->b, ' ');
        }
        put_block(w, c, indent + 2);
    } else {
        buf_u8(&w->b, ' ');
        if (is_collection(c)) yaml_put_flow(&w->b, c, false);
        else put_scalar(&w->b, c, false, false);
    }
    w->path.n--;
}

/* The first line is indented already. */
static void put_block(struct writer *w, const struct json *v, size_t indent)
{
    for (const struct json *c = v->first; c; c = c->next) {
        if (c != v->first) {
            buf_u8(&w->b, '\n');
            for (size_t i = 0; i < indent; i++) buf_u8(&w->b, ' ');
        }
        put_child(w, c, v->type == JSON_OBJECT, indent);
    }
}

struct edit_value yaml_value(struct arena *a, const struct json *v, const struct edit_path *path, struct edit_style style)
{
    struct writer w = { .path = *path, .style = style };
    struct slice flow;
    buf_init(&w.b, a, 2 * MODEL_MAX_FILE);
    if (style.flow || style.json) return edit_inline(flow_text(a, v, style.json));
    bool lines = goes_into_lines(&w, v, 0, &flow);
    if (!lines || (style.like_flow && style.indent + flow.n <= LINE_WIDTH)) {
        if (is_collection(v)) return edit_inline(flow);
        put_scalar(&w.b, v, false, false);
        return edit_inline(buf_view(&w.b));
    }
    put_block(&w, v, 0);
    return (struct edit_value){ buf_view(&w.b), true };
}
