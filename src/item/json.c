/* json.c: the JSON reader. One pass, no recursion, no stack: while an object or array is open, its node's
 * next points to the one around it; when it closes, next becomes what the header says. Nodes come from
 * runs in the arena in the order of the text, so walking them goes forward through memory.
 *
 * \u escapes of surrogates must come in pairs. RFC 8259 leaves lone ones to the reader; they stand for no
 * character, cannot be written as UTF-8, and replacing them would change data silently. */
#include "json.h"
#include "json_scan.h"

struct reader {
    struct arena *arena;
    const uint8_t *p, *end; /* p is where the trouble is when reading fails */
    struct json *nodes, *nodes_end;
};

static struct json *new_node(struct reader *r)
{
    if (r->nodes == r->nodes_end) {
        /* About ten bytes of DynamoDB-JSON make a node. */
        size_t n = (size_t)(r->end - r->p) / 10 + 2;
        if (n > 256) n = 256;
        r->nodes = arena_alloc(r->arena, n * sizeof *r->nodes);
        r->nodes_end = r->nodes + n;
    }
    return r->nodes++;
}

static inline void skip_space(struct reader *r)
{
    while (r->p < r->end && *r->p <= ' ' && (*r->p == ' ' || *r->p == '\n' || *r->p == '\r' || *r->p == '\t'))
        r->p++;
}

static int hex4(const uint8_t *p, const uint8_t *end)
{
    if (end - p < 4) return -1;
    int v = 0;
    for (int i = 0; i < 4; i++) {
        uint8_t c = p[i], lower = c | 0x20;
        if ((uint8_t)(c - '0') < 10)
            v = v << 4 | (c - '0');
        else if (lower >= 'a' && lower <= 'f')
            v = v << 4 | (lower - 'a' + 10);
        else
            return -1;
    }
    return v;
}

static uint8_t *write_utf8(uint8_t *to, uint32_t c)
{
    if (c < 0x80) {
        *to++ = (uint8_t)c;
    } else if (c < 0x800) {
        *to++ = (uint8_t)(0xc0 | c >> 6);
        *to++ = (uint8_t)(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        *to++ = (uint8_t)(0xe0 | c >> 12);
        *to++ = (uint8_t)(0x80 | (c >> 6 & 0x3f));
        *to++ = (uint8_t)(0x80 | (c & 0x3f));
    } else {
        *to++ = (uint8_t)(0xf0 | c >> 18);
        *to++ = (uint8_t)(0x80 | (c >> 12 & 0x3f));
        *to++ = (uint8_t)(0x80 | (c >> 6 & 0x3f));
        *to++ = (uint8_t)(0x80 | (c & 0x3f));
    }
    return to;
}

/* At a backslash. Advances past the escape, or returns NULL and stays. */
static uint8_t *read_escape(struct reader *r, uint8_t *to)
{
    static const uint8_t simple[128] = { ['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
                                         ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t' };
    const uint8_t *p = r->p;
    if (r->end - p < 2) return NULL;
    if (p[1] < 128 && simple[p[1]]) {
        *to = simple[p[1]];
        r->p += 2;
        return to + 1;
    }
    int unit = p[1] == 'u' ? hex4(p + 2, r->end) : -1;
    if (unit < 0) return NULL;
    if (unit < 0xd800 || unit > 0xdfff) {
        r->p += 6;
        return write_utf8(to, (uint32_t)unit);
    }
    if (unit > 0xdbff || r->end - p < 12 || p[6] != '\\' || p[7] != 'u') return NULL;
    int low = hex4(p + 8, r->end);
    if (low < 0xdc00 || low > 0xdfff) return NULL;
    r->p += 12;
    return write_utf8(to, 0x10000 + ((uint32_t)(unit - 0xd800) << 10) + (uint32_t)(low - 0xdc00));
}

/* The end of the string that p is inside of, or end. */
static const uint8_t *find_quote(const uint8_t *p, const uint8_t *end)
{
    while (p < end && *p != '"') p += *p == '\\' && end - p > 1 ? 2 : 1;
    return p;
}

/* The rest of a string whose first backslash is at r->p, into a copy. */
static bool read_escaped(struct reader *r, const uint8_t *start, struct slice *out)
{
    /* No escape is longer than what it stands for, so the bytes up to the quote are room enough. */
    uint8_t *copy = arena_bytes(r->arena, (size_t)(find_quote(r->p, r->end) - start));
    uint8_t *to = copy;
    while (r->p < r->end) {
        const uint8_t *plain = scan_plain(start, r->end);
        memcpy(to, start, (size_t)(plain - start));
        to += plain - start;
        r->p = start = plain;
        if (plain == r->end) return false;
        if (*plain == '"') {
            r->p++;
            *out = slice_of(copy, (size_t)(to - copy));
            return true;
        }
        if (*plain == '\\') {
            to = read_escape(r, to);
            if (!to) return false;
        } else {
            size_t n = *plain >= 0x80 ? scan_utf8(plain, r->end) : 0;
            if (!n) return false;
            memcpy(to, plain, n);
            to += n;
            r->p += n;
        }
        start = r->p;
    }
    return false;
}

/* At the opening quote. */
static inline bool read_string(struct reader *r, struct slice *out, bool *escaped)
{
    const uint8_t *start = ++r->p;
    for (;;) {
        const uint8_t *p = r->p = scan_plain(r->p, r->end);
        if (p == r->end) return false;
        if (*p == '"') {
            *out = slice_of(start, (size_t)(p - start));
            *escaped = false;
            r->p++;
            return true;
        }
        if (*p == '\\') {
            *escaped = true;
            return read_escaped(r, start, out);
        }
        size_t n = *p >= 0x80 ? scan_utf8(p, r->end) : 0;
        if (!n) return false;
        r->p += n;
    }
}

static inline bool take_digits(struct reader *r)
{
    const uint8_t *start = r->p;
    while (r->p < r->end && (uint8_t)(*r->p - '0') < 10) r->p++;
    return r->p > start;
}

static bool read_number(struct reader *r, struct json *node)
{
    const uint8_t *start = r->p;
    if (*r->p == '-') r->p++;
    if (r->p < r->end && *r->p == '0')
        r->p++;
    else if (!take_digits(r))
        return false;
    if (r->p < r->end && *r->p == '.') {
        r->p++;
        if (!take_digits(r)) return false;
    }
    if (r->p < r->end && (*r->p | 0x20) == 'e') {
        r->p++;
        if (r->p < r->end && (*r->p == '+' || *r->p == '-')) r->p++;
        if (!take_digits(r)) return false;
    }
    node->type = JSON_NUMBER;
    node->text = slice_of(start, (size_t)(r->p - start));
    return true;
}

static bool read_word(struct reader *r, struct json *node, enum json_type type, struct slice word)
{
    if ((size_t)(r->end - r->p) < word.n || memcmp(r->p, word.p, word.n) != 0) return false;
    r->p += word.n;
    node->type = type;
    return true;
}

/* A value that holds no others; r->p is not at the end. */
static inline bool read_scalar(struct reader *r, struct json *node)
{
    bool escaped;
    switch (*r->p) {
    case '"':
        node->type = JSON_STRING;
        if (!read_string(r, &node->text, &escaped)) return false;
        node->text_escaped = escaped;
        return true;
    case 't':
        return read_word(r, node, JSON_TRUE, SLICE("true"));
    case 'f':
        return read_word(r, node, JSON_FALSE, SLICE("false"));
    case 'n':
        return read_word(r, node, JSON_NULL, SLICE("null"));
    default:
        return read_number(r, node);
    }
}

/* name : */
static inline bool read_name(struct reader *r, struct json *node)
{
    bool escaped;
    if (r->p == r->end || *r->p != '"' || !read_string(r, &node->name, &escaped)) return false;
    node->name_escaped = escaped;
    skip_space(r);
    if (r->p == r->end || *r->p != ':') return false;
    r->p++;
    skip_space(r);
    return true;
}

static const struct json *read_tree(struct reader *r, unsigned max_depth)
{
    struct json *root = NULL, *open = NULL, *last = NULL; /* the container being read, its last child */
    unsigned depth = 0;
    skip_space(r);
    for (;;) {
        struct json *node = new_node(r);
        memset(node, 0, sizeof *node);
        if (!root) root = node;
        if (open) {
            if (open->type == JSON_OBJECT && !read_name(r, node)) return NULL;
            open->count++;
            if (last)
                last->next = node;
            else
                open->first = node;
        }
        if (r->p == r->end) return NULL;
        if (*r->p == '{' || *r->p == '[') {
            if (depth == max_depth) return NULL;
            uint8_t closer = *r->p == '{' ? '}' : ']';
            node->type = *r->p++ == '{' ? JSON_OBJECT : JSON_ARRAY;
            skip_space(r);
            if (r->p < r->end && *r->p == closer) {
                r->p++;
            } else {
                node->next = open; /* until it closes */
                open = node;
                last = NULL;
                depth++;
                continue;
            }
        } else if (!read_scalar(r, node)) {
            return NULL;
        }
        last = node;
        for (;;) {
            skip_space(r);
            if (!open) return r->p == r->end ? root : NULL;
            if (r->p == r->end) return NULL;
            uint8_t c = *r->p;
            if (c != (open->type == JSON_OBJECT ? '}' : ']')) break;
            r->p++;
            last = open;
            open = (struct json *)last->next;
            last->next = NULL;
            depth--;
        }
        if (*r->p != ',') return NULL;
        r->p++;
        skip_space(r);
    }
}

const struct json *json_parse(struct arena *a, struct slice text, unsigned max_depth, size_t *at)
{
    struct reader r = { .arena = a, .p = text.p, .end = text.p + text.n };
    const struct json *root = read_tree(&r, max_depth);
    if (!root && at) *at = (size_t)(r.p - text.p);
    return root;
}

const struct json *json_get(const struct json *obj, struct slice name)
{
    const struct json *found = NULL;
    if (!obj || obj->type != JSON_OBJECT) return NULL;
    for (const struct json *m = obj->first; m; m = m->next)
        if (slice_eq(m->name, name)) found = m;
    return found;
}
