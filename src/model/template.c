/* template.c: templates parsed and rendered. Taking keys apart again is template_match.c, comparing templates
 * with each other template_meet.c. */
#include "template_private.h"

/* ---- parsing ---- */

struct parser {
    struct problems *ps;
    struct place at;
    struct slice text;
    size_t i;
};

/* Digits of a padding, at most two of them; false if there are none or the number is not in 1..38. */
static bool read_width(struct slice s, size_t *i, uint8_t *out)
{
    unsigned v = 0;
    size_t from = *i;
    while (*i < s.n && *i - from < 2 && s.p[*i] >= '0' && s.p[*i] <= '9') v = v * 10 + (s.p[(*i)++] - '0');
    *out = (uint8_t)v;
    return v >= 1 && v <= NUM_MAX_DIGITS;
}

static bool parse_padding(struct parser *p, struct slice padding, struct part *part)
{
    size_t i = 1;
    bool ok = padding.n && padding.p[0] == '0' && read_width(padding, &i, &part->digits);
    if (ok && i < padding.n && padding.p[i] == '.') {
        i++;
        ok = read_width(padding, &i, &part->decimals);
    }
    if (ok && i == padding.n && part->digits + part->decimals <= NUM_MAX_DIGITS) return true;
    problem_add(p->ps, p->at, SLICE("write ${name:08} for 8 digits, ${name:08.2} for 8 digits and 2 decimals; at most 38 in all"),
                "\"%.*s\" is no padding", SLICE_ARG(padding));
    return false;
}

/* A hole, of which "${" has been read. */
static bool parse_hole(struct parser *p, struct part *part)
{
    const uint8_t *close = memchr(p->text.p + p->i, '}', p->text.n - p->i);
    if (!close) {
        problem_add(p->ps, p->at, SLICE("close it with }, or write $${ for a ${ that is meant"),
                    "a hole is not closed in \"%.*s\"", SLICE_ARG(p->text));
        return false;
    }
    struct slice inside = slice_of(p->text.p + p->i, (size_t)(close - p->text.p) - p->i);
    p->i += inside.n + 1;
    part->hole = true;
    part->text = inside;
    const uint8_t *colon = inside.n ? memchr(inside.p, ':', inside.n) : NULL;
    if (colon) {
        part->text.n = (size_t)(colon - inside.p);
        if (!parse_padding(p, slice_of(colon + 1, inside.n - part->text.n - 1), part)) return false;
    }
    if (part->text.n && slice_trim(part->text).n == part->text.n) return true;
    problem_add(p->ps, p->at, SLICE("write the attribute's name between the braces, without blanks: ${orderId}"),
                "a hole names no attribute in \"%.*s\"", SLICE_ARG(p->text));
    return false;
}

/* Text up to the next hole, into the buffer; "$${" stands for "${". */
static void parse_literal(struct parser *p, struct buf *b)
{
    while (p->i < p->text.n) {
        struct slice rest = slice_of(p->text.p + p->i, p->text.n - p->i);
        if (slice_starts(rest, SLICE("$${"))) {
            BUF_LIT(b, "${");
            p->i += 3;
        } else if (slice_starts(rest, SLICE("${"))) {
            return;
        } else {
            buf_u8(b, rest.p[0]);
            p->i++;
        }
    }
}

bool template_parse(struct problems *ps, struct slice text, struct place at, struct slice delimiter, bool escape,
                    struct template *out)
{
    struct parser p = { ps, at, text, 0 };
    struct part parts[TEMPLATE_MAX_PARTS];
    size_t n = 0;
    *out = (struct template){ .source = text, .place = at, .escape = escape, .delimiter = delimiter };
    if (!text.n || text.n > TEMPLATE_MAX_TEXT) {
        problem_add(ps, at, SLICE("a key has 1 to 2048 bytes"), text.n ? "the template is too long" : "the template is empty");
        return false;
    }
    while (p.i < text.n) {
        if (n == TEMPLATE_MAX_PARTS) {
            problem_add(ps, at, SLICE("use fewer attributes in one key"), "the template has more than %d parts",
                        TEMPLATE_MAX_PARTS);
            return false;
        }
        struct part *part = &parts[n++];
        *part = (struct part){ 0 };
        if (slice_starts(slice_of(text.p + p.i, text.n - p.i), SLICE("${"))) {
            p.i += 2;
            if (!parse_hole(&p, part)) return false;
            if (n > 1 && parts[n - 2].hole && !parts[n - 2].digits) {
                problem_add(ps, at, SLICE("put the delimiter between them"),
                            "\"%.*s\" follows \"%.*s\" at once, so that the key could not be taken apart again",
                            SLICE_ARG(part->text), SLICE_ARG(parts[n - 2].text));
                return false;
            }
        } else {
            struct buf b;
            buf_init(&b, ps->arena, TEMPLATE_MAX_TEXT);
            parse_literal(&p, &b);
            part->text = buf_view(&b);
        }
    }
    out->parts = ARENA_ARRAY(ps->arena, struct part, n);
    memcpy(out->parts, parts, n * sizeof *parts);
    out->n = n;
    out->whole = n == 1 && parts[0].hole && !parts[0].digits;
    return true;
}

/* ---- rendering ---- */

bool value_text(struct slice value, char scratch[NUM_MAX_TEXT], struct slice *out)
{
    switch (val_type(value)) {
    case TYPE_S:
        *out = val_content(value);
        return true;
    case TYPE_N:
        *out = slice_of(scratch, num_format(val_content(value), scratch));
        return true;
    case TYPE_BOOL:
        *out = val_bool(value) ? SLICE("true") : SLICE("false");
        return true;
    default:
        return false;
    }
}

/* A plain decimal (no sign, no exponent) to exactly this many digits and decimals. */
static bool pad(struct slice number, const struct part *hole, char out[2 * NUM_MAX_DIGITS + 2], size_t *n)
{
    const uint8_t *point = memchr(number.p, '.', number.n);
    size_t whole = point ? (size_t)(point - number.p) : number.n;
    size_t fraction = point ? number.n - whole - 1 : 0;
    if (whole > hole->digits || fraction > hole->decimals) return false;
    for (size_t i = 0; i < whole; i++) {
        if (number.p[i] < '0' || number.p[i] > '9') return false;
    }
    memset(out, '0', hole->digits);
    memcpy(out + hole->digits - whole, number.p, whole);
    *n = hole->digits;
    if (!hole->decimals) return true;
    out[(*n)++] = '.';
    memset(out + *n, '0', hole->decimals);
    if (fraction) memcpy(out + *n, point + 1, fraction);
    *n += hole->decimals;
    return true;
}

/* Does the delimiter stand at i of text, or would it, if the delimiter followed the text? The latter so that
 * "a:" is not followed by "::" where "::" is the delimiter: the key would come apart one byte too early. */
static bool delimiter_at(struct slice text, size_t i, struct slice delimiter)
{
    size_t inside = text.n - i < delimiter.n ? text.n - i : delimiter.n;
    return memcmp(text.p + i, delimiter.p, inside) == 0 &&
           memcmp(delimiter.p, delimiter.p + inside, delimiter.n - inside) == 0;
}

void put_escaped(struct buf *b, struct slice text, struct slice delimiter)
{
    static const char hex[] = "0123456789ABCDEF";
    size_t until = 0; /* bytes before this one belong to a delimiter that was found */
    for (size_t i = 0; i < text.n; i++) {
        if (i >= until && delimiter_at(text, i, delimiter)) until = i + delimiter.n;
        if (i < until || text.p[i] == '%') {
            uint8_t c = text.p[i], three[3] = { '%', (uint8_t)hex[c >> 4], (uint8_t)hex[c & 15] };
            buf_bytes(b, three, 3);
        } else {
            buf_u8(b, text.p[i]);
        }
    }
}

enum render_status part_render(struct buf *b, const struct template *t, const struct part *hole, struct slice value)
{
    char scratch[NUM_MAX_TEXT], padded[2 * NUM_MAX_DIGITS + 2];
    struct slice text;
    if (!value.n || val_type(value) == TYPE_NULL) return RENDER_MISSING;
    if (!value_text(value, scratch, &text)) return RENDER_TYPE;
    if (hole->digits) {
        size_t n = 0;
        if (val_type(value) != TYPE_N) return RENDER_TYPE;
        if (!pad(text, hole, padded, &n)) return RENDER_WIDE;
        text = slice_of(padded, n);
    }
    if (!text.n) return RENDER_EMPTY;
    if (t->whole) {
        buf_slice(b, text);
        return RENDER_OK;
    }
    if (t->escape) {
        put_escaped(b, text, t->delimiter);
        return RENDER_OK;
    }
    for (size_t i = 0; i < text.n; i++) {
        if (delimiter_at(text, i, t->delimiter)) return RENDER_DELIMITER;
    }
    buf_slice(b, text);
    return RENDER_OK;
}

/* "POST#123" for the hole of POST#${postId}: people give the key where the attribute is meant. */
static void notice_prefix(const struct template *t, size_t hole, struct slice value, struct rendered *r)
{
    if (hole == 0 || t->parts[hole - 1].hole || val_type(value) != TYPE_S) return;
    struct slice literal = t->parts[hole - 1].text, text = val_content(value), d = t->delimiter;
    /* Its last segment: of USER#POST# the POST#. */
    for (size_t i = literal.n > d.n ? literal.n - d.n : 0; i-- > 0;) {
        if (!slice_starts(slice_of(literal.p + i, literal.n - i), d)) continue;
        literal = slice_of(literal.p + i + d.n, literal.n - i - d.n);
        break;
    }
    if (!slice_starts(text, literal) || text.n == literal.n) return;
    r->carries = literal;
    r->rest = slice_of(text.p + literal.n, text.n - literal.n);
}

struct rendered template_render_prefix(struct arena *a, const struct template *t, size_t n, struct slice item,
                                       size_t *used)
{
    struct rendered r = { .status = RENDER_OK };
    struct buf b;
    size_t i = 0;
    buf_init(&b, a, (size_t)64 << 20);
    for (; i < n && i < t->n; i++) {
        const struct part *part = &t->parts[i];
        struct slice value = { 0 };
        if (!part->hole) {
            buf_slice(&b, part->text);
            continue;
        }
        val_get(item, part->text, &value);
        r.status = part_render(&b, t, part, value);
        if (r.status == RENDER_OK) continue;
        r.attribute = part->text;
        if (r.status == RENDER_DELIMITER) notice_prefix(t, i, value, &r);
        break;
    }
    if (used) *used = i;
    if (r.status == RENDER_OK || r.status == RENDER_MISSING) r.value = val_make_string(a, buf_view(&b));
    return r;
}

struct rendered template_render(struct arena *a, const struct template *t, struct slice item)
{
    if (!t->whole) {
        struct rendered r = template_render_prefix(a, t, t->n, item, NULL);
        if (r.status != RENDER_OK) r.value = (struct slice){ 0 };
        return r;
    }
    struct rendered r = { .status = RENDER_OK, .attribute = t->parts[0].text };
    struct slice v = { 0 };
    if (!val_get(item, r.attribute, &v) || val_type(v) == TYPE_NULL) {
        r.status = RENDER_MISSING;
        return r;
    }
    switch (val_type(v)) {
    case TYPE_S:
    case TYPE_B:
        if (!val_content(v).n) r.status = RENDER_EMPTY;
        break;
    case TYPE_N:
        break;
    case TYPE_BOOL:
        v = val_make_string(a, val_bool(v) ? SLICE("true") : SLICE("false"));
        break;
    default:
        r.status = RENDER_TYPE;
    }
    if (r.status == RENDER_OK) r = (struct rendered){ .status = RENDER_OK, .value = v };
    return r;
}

struct slice render_reason(struct arena *a, struct rendered r)
{
    static const char *const what[] = {
        [RENDER_OK] = "is well",
        [RENDER_MISSING] = "is missing",
        [RENDER_DELIMITER] = "contains the delimiter",
        [RENDER_EMPTY] = "is empty",
        [RENDER_TYPE] = "is of a type that cannot stand in a key",
        [RENDER_WIDE] = "does not fit the padding (it is negative, has more digits or more decimals)",
    };
    if (r.carries.n)
        return arena_printf(a, "%.*s already begins with \"%.*s\", which the key adds by itself: give \"%.*s\"",
                            SLICE_ARG(r.attribute), SLICE_ARG(r.carries), SLICE_ARG(r.rest));
    return arena_printf(a, "%.*s %s", SLICE_ARG(r.attribute), what[r.status]);
}

size_t template_holes(const struct template *t)
{
    size_t n = 0;
    for (size_t i = 0; i < t->n; i++) n += t->parts[i].hole;
    return n;
}
