/* template_meet.c: could two templates give the same text?
 *
 * Each template is unrolled into symbols: a byte, the delimiter (one symbol, whatever its length), a digit of a
 * padded hole, and for a hole "any but the delimiter" once and then any number of times. Pairs of places in both
 * that some text reaches are then found row by row: a step consumes a symbol that both allow, and a repeated
 * symbol stays or is left. All steps go forward, so that one pass in order finds them all. */
#include "template_private.h"

enum symbol_kind { SYMBOL_BYTE, SYMBOL_DELIMITER, SYMBOL_DIGIT, SYMBOL_TEXT, SYMBOL_ANY };

struct symbol {
    uint8_t kind, byte;
    bool repeated; /* none or more of it */
};

/* A literal byte is one symbol, a padded hole at most 39: beyond this the answer is "perhaps". */
#define MAX_SYMBOLS 4096

static bool add(struct symbol *s, size_t *n, enum symbol_kind kind, uint8_t byte, bool repeated)
{
    if (*n == MAX_SYMBOLS) return false;
    s[(*n)++] = (struct symbol){ (uint8_t)kind, byte, repeated };
    return true;
}

static bool add_literal(struct symbol *s, size_t *n, struct slice text, struct slice delimiter)
{
    for (size_t i = 0; i < text.n; i++) {
        if (slice_starts(slice_of(text.p + i, text.n - i), delimiter)) {
            if (!add(s, n, SYMBOL_DELIMITER, 0, false)) return false;
            i += delimiter.n - 1;
        } else if (!add(s, n, SYMBOL_BYTE, text.p[i], false)) {
            return false;
        }
    }
    return true;
}

static bool add_hole(struct symbol *s, size_t *n, const struct template *t, const struct part *hole)
{
    if (!hole->digits) {
        enum symbol_kind kind = t->whole ? SYMBOL_ANY : SYMBOL_TEXT;
        return add(s, n, kind, 0, false) && add(s, n, kind, 0, true);
    }
    for (unsigned i = 0; i < hole->digits; i++) {
        if (!add(s, n, SYMBOL_DIGIT, 0, false)) return false;
    }
    if (hole->decimals && !add(s, n, SYMBOL_BYTE, '.', false)) return false;
    for (unsigned i = 0; i < hole->decimals; i++) {
        if (!add(s, n, SYMBOL_DIGIT, 0, false)) return false;
    }
    return true;
}

/* False if there are too many. */
static bool unroll(const struct template *t, size_t parts, struct symbol *s, size_t *n)
{
    *n = 0;
    for (size_t i = 0; i < parts; i++) {
        const struct part *p = &t->parts[i];
        if (!(p->hole ? add_hole(s, n, t, p) : add_literal(s, n, p->text, t->delimiter))) return false;
    }
    return true;
}

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static bool symbols_meet(struct symbol a, struct symbol b)
{
    if (a.kind > b.kind) {
        struct symbol t = a;
        a = b;
        b = t;
    }
    switch (a.kind) {
    case SYMBOL_BYTE:
        if (b.kind == SYMBOL_BYTE) return a.byte == b.byte;
        if (b.kind == SYMBOL_DIGIT) return is_digit(a.byte);
        return b.kind != SYMBOL_DELIMITER;
    case SYMBOL_DELIMITER:
        return b.kind == SYMBOL_DELIMITER || b.kind == SYMBOL_ANY;
    default:
        return true;
    }
}

/* Most templates differ in their first literal: those need no symbols. */
static bool first_literals_differ(const struct template *a, size_t parts, const struct template *b)
{
    if (!parts || a->parts[0].hole || b->parts[0].hole) return false;
    struct slice x = a->parts[0].text, y = b->parts[0].text;
    return memcmp(x.p, y.p, x.n < y.n ? x.n : y.n) != 0;
}

bool template_may_meet(const struct template *a, size_t prefix_parts, const struct template *b)
{
    bool prefix = prefix_parts < a->n;
    size_t parts = prefix ? prefix_parts : a->n;
    if (first_literals_differ(a, parts, b)) return false;

    struct symbol x[MAX_SYMBOLS], y[MAX_SYMBOLS];
    size_t nx, ny;
    if (!unroll(a, parts, x, &nx) || !unroll(b, b->n, y, &ny)) return true;

    /* Reached: (i, j), (i + 1, j). Only places from low to high are; long literals keep that narrow. */
    bool row[MAX_SYMBOLS + 2] = { true }, next[MAX_SYMBOLS + 2] = { false };
    size_t low = 0, high = 0;
    for (size_t i = 0;; i++) {
        size_t first = SIZE_MAX, last = 0;
        bool any = false;
        for (size_t j = low; j <= high; j++) {
            if (!row[j]) continue;
            any = true;
            bool at_x = i < nx, at_y = j < ny, stays = at_x && x[i].repeated, on = false;
            if (at_y && y[j].repeated) row[j + 1] = true;
            if (at_x && at_y && symbols_meet(x[i], y[j])) {
                if (!x[i].repeated) stays |= y[j].repeated, on = !y[j].repeated;
                else if (!y[j].repeated) row[j + 1] = true;
            }
            if (j == high && row[j + 1]) high++;
            if (stays) next[j] = true;
            if (on) next[j + 1] = true;
            if (!stays && !on) continue;
            if (first == SIZE_MAX) first = stays ? j : j + 1;
            last = on ? j + 1 : j > last ? j : last;
        }
        if (i == nx) return prefix ? any : row[ny];
        if (first == SIZE_MAX) return false;
        memset(row + low, 0, high - low + 1);
        memcpy(row + first, next + first, last - first + 1);
        memset(next + first, 0, last - first + 1);
        low = first;
        high = last;
    }
}
