/* template_match.c: takes a key apart by its template.
 *
 * A hole holds no delimiter, so where the literal after it begins with the delimiter there is one way to go.
 * Otherwise ("${name}.json") each end is tried; a bitmap of (part, place) that failed keeps that from growing
 * beyond parts x bytes. */
#include "template_private.h"

struct match {
    struct arena *arena;
    const struct template *t;
    struct slice text;
    struct slice *raw;  /* by part: what the hole took */
    uint8_t *failed;    /* made when first needed; bit: part * (text.n + 1) + place */
};

static bool match_from(struct match *m, size_t part, size_t at);

static bool is_padded(struct slice text, const struct part *hole)
{
    for (size_t i = 0; i < text.n; i++) {
        bool point = hole->decimals && i == hole->digits;
        if (point ? text.p[i] != '.' : text.p[i] < '0' || text.p[i] > '9') return false;
    }
    return true;
}

/* The first place from `at` on where the delimiter stands, else the end. */
static size_t next_delimiter(const struct match *m, size_t at)
{
    const uint8_t *p = memmem(m->text.p + at, m->text.n - at, m->t->delimiter.p, m->t->delimiter.n);
    return p ? (size_t)(p - m->text.p) : m->text.n;
}

static bool take(struct match *m, size_t part, size_t at, size_t end)
{
    m->raw[part] = slice_of(m->text.p + at, end - at);
    return match_from(m, part + 1, end);
}

static bool match_hole(struct match *m, size_t part, size_t at)
{
    const struct part *hole = &m->t->parts[part];
    if (hole->digits) {
        size_t n = hole->digits + (hole->decimals ? hole->decimals + 1u : 0);
        return m->text.n - at >= n && is_padded(slice_of(m->text.p + at, n), hole) && take(m, part, at, at + n);
    }
    size_t end = next_delimiter(m, at);
    if (end == at) return false;
    if (part + 1 == m->t->n || (!m->t->parts[part + 1].hole && slice_starts(m->t->parts[part + 1].text, m->t->delimiter)))
        return take(m, part, at, end);
    size_t bit = part * (m->text.n + 1) + at;
    if (!m->failed) m->failed = arena_zalloc(m->arena, m->t->n * (m->text.n + 1) / 8 + 1);
    if (m->failed[bit / 8] & 1u << bit % 8) return false;
    for (size_t i = at + 1; i <= end; i++) {
        if (take(m, part, at, i)) return true;
    }
    m->failed[bit / 8] |= (uint8_t)(1u << bit % 8);
    return false;
}

/* As deep as the template has parts. */
static bool match_from(struct match *m, size_t part, size_t at)
{
    if (part == m->t->n) return at == m->text.n;
    if (m->t->parts[part].hole) return match_hole(m, part, at);
    struct slice literal = m->t->parts[part].text;
    return slice_starts(slice_of(m->text.p + at, m->text.n - at), literal) && match_from(m, part + 1, at + literal.n);
}

static int hex_digit(uint8_t c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* False if a "%" is not followed by two hexadecimal digits: then nobody wrote it with this template. */
static bool unescape(struct arena *a, struct slice text, struct slice *out)
{
    if (!text.n || !memchr(text.p, '%', text.n)) {
        *out = text;
        return true;
    }
    uint8_t *p = arena_bytes(a, text.n);
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] != '%') {
            p[n++] = text.p[i];
            continue;
        }
        if (text.n - i < 3 || hex_digit(text.p[i + 1]) < 0 || hex_digit(text.p[i + 2]) < 0) return false;
        p[n++] = (uint8_t)(hex_digit(text.p[i + 1]) << 4 | hex_digit(text.p[i + 2]));
        i += 2;
    }
    *out = slice_of(p, n);
    return true;
}

bool template_match(struct arena *a, const struct template *t, struct slice text, struct slice *values)
{
    struct slice raw[TEMPLATE_MAX_PARTS];
    struct match m = { a, t, text, raw, NULL };
    if (t->whole) {
        values[0] = text;
        return true;
    }
    if (!match_from(&m, 0, 0)) return false;
    size_t hole = 0;
    for (size_t i = 0; i < t->n; i++) {
        if (!t->parts[i].hole) continue;
        if (!t->escape) values[hole++] = raw[i];
        else if (!unescape(a, raw[i], &values[hole++])) return false;
    }
    return true;
}

bool template_same_shape(const struct template *a, const struct template *b)
{
    if (a->n != b->n) return false;
    for (size_t i = 0; i < a->n; i++) {
        if (a->parts[i].hole != b->parts[i].hole) return false;
        if (!a->parts[i].hole && !slice_eq(a->parts[i].text, b->parts[i].text)) return false;
    }
    return true;
}
