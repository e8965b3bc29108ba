/* json.c: the JSON reader. One pass, no recursion, no stack: while an object or array is open, its
 * node's next points to the one around it; when it closes, next becomes what the header says. Nodes
 * come from runs in the arena in the order of the text, so walking them goes forward through
 * memory.
 *
 * \u escapes of surrogates must come in pairs. RFC 8259 leaves lone ones to the reader; they stand
 * for no character, cannot be written as UTF-8, and replacing them would change data silently. */
#include "json.h"
#include "json_scan.h"

struct reader {
    struct arena *arena;
    const uint8_t *end;
    const uint8_t *trouble; /* where reading stopped, once something returned NULL */
    struct json *nodes, *nodes_end;
};

/* The reading functions take the place to read at and return the place after, so that it stays in a
 * register; or NULL, with the place of the trouble left in the reader. */
static const uint8_t *fail(struct reader *r, const uint8_t *at)
{
    r->trouble = at;
    return NULL;
}

static void more_nodes(struct reader *r, const uint8_t *p)
{
    /* About ten bytes of DynamoDB-JSON make a node. */
    size_t n = (size_t)(r->end - p) / 10 + 2;
    if (n > 256) n = 256;
    r->nodes = arena_alloc(r->arena, n * sizeof *r->nodes);
    r->nodes_end = r->nodes + n;
}

static inline bool is_space(uint8_t c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static inline const uint8_t *skip_space(const uint8_t *p, const uint8_t *end)
{
    while (p < end && *p <= ' ' && is_space(*p))
        p++;
    return p;
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

/* At a backslash: writes what the escape stands for. */
static const uint8_t *read_escape(struct reader *r, const uint8_t *p, uint8_t **to)
{
    static const uint8_t simple[128] = { ['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
                                         ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t' };
    if (r->end - p < 2) return fail(r, p);
    if (p[1] < 128 && simple[p[1]]) {
        *(*to)++ = simple[p[1]];
        return p + 2;
    }
    int unit = p[1] == 'u' ? hex4(p + 2, r->end) : -1;
    if (unit < 0) return fail(r, p);
    if (unit < 0xd800 || unit > 0xdfff) {
        *to = write_utf8(*to, (uint32_t)unit);
        return p + 6;
    }
    if (unit > 0xdbff || r->end - p < 12 || p[6] != '\\' || p[7] != 'u') return fail(r, p);
    int low = hex4(p + 8, r->end);
    if (low < 0xdc00 || low > 0xdfff) return fail(r, p);
    *to = write_utf8(*to, 0x10000 + ((uint32_t)(unit - 0xd800) << 10) + (uint32_t)(low - 0xdc00));
    return p + 12;
}

/* The end of the string that p is inside of, or end. */
static const uint8_t *find_quote(const uint8_t *p, const uint8_t *end)
{
    while (p < end && *p != '"')
        p += *p == '\\' && end - p > 1 ? 2 : 1;
    return p;
}

/* A string from start on, whose first backslash is at p, into a copy. */
static const uint8_t *read_escaped(struct reader *r, const uint8_t *start, const uint8_t *p,
                                   struct slice *out)
{
    /* No escape is shorter than what it stands for, so the bytes up to the quote are room enough.
     */
    uint8_t *copy = arena_bytes(r->arena, (size_t)(find_quote(p, r->end) - start)), *to = copy;
    for (;;) {
        p = scan_plain(start, r->end);
        memcpy(to, start, (size_t)(p - start));
        to += p - start;
        if (p == r->end) return fail(r, p);
        if (*p == '"') {
            *out = slice_of(copy, (size_t)(to - copy));
            return p + 1;
        }
        if (*p == '\\') {
            start = read_escape(r, p, &to);
            if (!start) return NULL;
        } else {
            size_t n = *p >= 0x80 ? scan_utf8(p, r->end) : 0;
            if (!n) return fail(r, p);
            memcpy(to, p, n);
            to += n;
            start = p + n;
        }
    }
}

/* The rest of a string from p on, where something is not plain ASCII. */
static __attribute__((noinline)) const uint8_t *read_rest(struct reader *r, const uint8_t *start,
                                                          const uint8_t *p, struct slice *out,
                                                          bool *escaped)
{
    for (;; p = scan_plain(p, r->end)) {
        if (p == r->end) return fail(r, p);
        if (*p == '"') {
            *out = slice_of(start, (size_t)(p - start));
            return p + 1;
        }
        if (*p == '\\') {
            *escaped = true;
            return read_escaped(r, start, p, out);
        }
        size_t n = *p >= 0x80 ? scan_utf8(p, r->end) : 0;
        if (!n) return fail(r, p);
        p += n;
    }
}

/* At the opening quote. */
static inline const uint8_t *read_string(struct reader *r, const uint8_t *p, struct slice *out,
                                         bool *escaped)
{
    const uint8_t *start = p + 1, *end = scan_plain(start, r->end);
    if (end == r->end || *end != '"') return read_rest(r, start, end, out, escaped);
    *out = slice_of(start, (size_t)(end - start));
    return end + 1;
}

static inline const uint8_t *skip_digits(const uint8_t *p, const uint8_t *end)
{
    while (p < end && (uint8_t)(*p - '0') < 10)
        p++;
    return p;
}

static const uint8_t *read_number(struct reader *r, const uint8_t *p, struct json *node)
{
    const uint8_t *start = p, *digits;
    if (*p == '-') p++;
    digits = p;
    p = skip_digits(p, r->end);
    if (p == digits) return fail(r, p);
    if (*digits == '0') p = digits + 1; /* whatever follows a leading zero is not part of it */
    if (p < r->end && *p == '.') {
        digits = ++p;
        p = skip_digits(p, r->end);
        if (p == digits) return fail(r, p);
    }
    if (p < r->end && (*p | 0x20) == 'e') {
        p++;
        if (p < r->end && (*p == '+' || *p == '-')) p++;
        digits = p;
        p = skip_digits(p, r->end);
        if (p == digits) return fail(r, p);
    }
    node->type = JSON_NUMBER;
    node->text = slice_of(start, (size_t)(p - start));
    return p;
}

static const uint8_t *read_word(struct reader *r, const uint8_t *p, struct json *node,
                                enum json_type type, struct slice word)
{
    if ((size_t)(r->end - p) < word.n || memcmp(p, word.p, word.n) != 0) return fail(r, p);
    node->type = type;
    return p + word.n;
}

/* A value that holds no others; p is not at the end. */
static inline const uint8_t *read_scalar(struct reader *r, const uint8_t *p, struct json *node)
{
    if (*p == '"') {
        bool escaped = false;
        p = read_string(r, p, &node->text, &escaped);
        node->type = JSON_STRING;
        node->text_escaped = escaped;
        return p;
    }
    switch (*p) {
    case 't':
        return read_word(r, p, node, JSON_TRUE, SLICE("true"));
    case 'f':
        return read_word(r, p, node, JSON_FALSE, SLICE("false"));
    case 'n':
        return read_word(r, p, node, JSON_NULL, SLICE("null"));
    default:
        return read_number(r, p, node);
    }
}

/* name : */
static inline const uint8_t *read_name(struct reader *r, const uint8_t *p, struct json *node)
{
    bool escaped = false;
    if (p == r->end || *p != '"') return fail(r, p);
    p = read_string(r, p, &node->name, &escaped);
    if (!p) return NULL;
    node->name_escaped = escaped;
    p = skip_space(p, r->end);
    if (p == r->end || *p != ':') return fail(r, p);
    return skip_space(p + 1, r->end);
}

static const struct json *read_tree(struct reader *r, const uint8_t *p, unsigned max_depth)
{
    struct json top = { .type = JSON_ARRAY }; /* so that every value is inside of something */
    struct json *open = &top, *last = NULL;   /* the container being read, its last child */
    unsigned depth = 0;
    p = skip_space(p, r->end);
    for (;;) {
        if (r->nodes == r->nodes_end) more_nodes(r, p);
        struct json *node = r->nodes++;
        *node = (struct json){ .type = JSON_NULL };
        open->count++;
        *(last ? &last->next : &open->first) = node;
        if (open->type == JSON_OBJECT) {
            p = read_name(r, p, node);
            if (!p) return NULL;
        }
        r->trouble = p;
        if (p == r->end) return NULL;
        if (*p == '{' || *p == '[') {
            if (depth == max_depth) return NULL;
            uint8_t closer = *p + 2; /* } is two past {, and ] two past [ */
            node->type = *p == '{' ? JSON_OBJECT : JSON_ARRAY;
            p = skip_space(p + 1, r->end);
            if (p == r->end || *p != closer) {
                node->next = open; /* until it closes */
                open = node;
                last = NULL;
                depth++;
                continue;
            }
            p++;
        } else {
            p = read_scalar(r, p, node);
            if (!p) return NULL;
        }
        last = node;
        for (;;) {
            p = skip_space(p, r->end);
            r->trouble = p;
            if (depth == 0) return p == r->end ? top.first : NULL;
            if (p == r->end) return NULL;
            if (*p != (open->type == JSON_OBJECT ? '}' : ']')) break;
            p++;
            last = open;
            open = (struct json *)last->next;
            last->next = NULL;
            depth--;
        }
        if (*p != ',') return NULL;
        p = skip_space(p + 1, r->end);
    }
}

const struct json *json_parse(struct arena *a, struct slice text, unsigned max_depth, size_t *at)
{
    if (!text.n) {
        if (at) *at = 0;
        return NULL;
    }
    struct reader r = { .arena = a, .end = text.p + text.n };
    const struct json *root = read_tree(&r, text.p, max_depth);
    if (!root && at) *at = (size_t)(r.trouble - text.p);
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
