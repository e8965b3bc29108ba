/* policy_pattern.c: reading patterns, and matching them. */
#include "policy_pattern.h"

static uint8_t fold(uint8_t c)
{
    return c >= 'A' && c <= 'Z' ? (uint8_t)(c | 0x20) : c;
}

/* ---- reading ---- */

static void add(struct pattern *p, struct piece piece)
{
    p->pieces[p->n++] = piece;
}

static void add_literal(struct pattern *p, struct slice text)
{
    if (text.n) add(p, (struct piece){ .kind = PIECE_LITERAL, .text = text });
}

/* What stands between ${ and }: a key, perhaps a default in single quotes behind a comma; or one of the three that stand for themselves. */
static int read_variable(struct slice inside, struct pattern *p, struct err *e)
{
    struct piece v = { .kind = PIECE_VARIABLE };
    if (inside.n == 1 && memchr("*?$", inside.p[0], 3)) {
        add_literal(p, inside);
        return 0;
    }
    struct slice name = inside;
    const uint8_t *comma = inside.n ? memchr(inside.p, ',', inside.n) : NULL;
    if (comma) {
        name.n = (size_t)(comma - inside.p);
        struct slice rest = slice_trim(slice_of(comma + 1, inside.n - name.n - 1));
        if (rest.n < 2 || rest.p[0] != '\'' || rest.p[rest.n - 1] != '\'') {
            return err_set(e, ERR_ValidationException, "the default of ${%.*s} must stand in single quotes", SLICE_ARG(inside));
        }
        v.has_default = true;
        v.text = slice_of(rest.p + 1, rest.n - 2);
    }
    name = slice_trim(name);
    v.key = policy_key_read(name, &v.tag);
    if (v.key == KEY_COUNT || v.key <= KEY_FULL_SCAN) {
        return err_set(e, ERR_ValidationException, "there is no variable ${%.*s}", SLICE_ARG(name));
    }
    add(p, v);
    return 0;
}

int pattern_read(struct arena *a, struct slice text, bool wild, bool variables, struct pattern *out, struct err *e)
{
    size_t from = 0, i = 0, most = 1;
    for (size_t k = 0; k < text.n; k++) most += 2u * (text.p[k] == '*' || text.p[k] == '?' || text.p[k] == '$');
    *out = (struct pattern){ .pieces = ARENA_ARRAY(a, struct piece, most) };
    while (i < text.n) {
        bool variable = text.p[i] == '$' && i + 1 < text.n && text.p[i + 1] == '{';
        bool star = text.p[i] == '*', one = text.p[i] == '?';
        if (!variable && !(wild && (star || one))) {
            i++;
            continue;
        }
        if (variable && !variables) {
            return err_set(e, ERR_ValidationException, "${...} needs \"Version\": \"2012-10-17\" (without it, it would be plain text)");
        }
        add_literal(out, slice_of(text.p + from, i - from));
        if (!variable) {
            /* Two stars are one. */
            bool again = star && out->n && out->pieces[out->n - 1].kind == PIECE_RUN;
            if (!again) add(out, (struct piece){ .kind = star ? PIECE_RUN : PIECE_ONE });
            from = ++i;
            continue;
        }
        const uint8_t *end = memchr(text.p + i, '}', text.n - i);
        if (!end) return err_set(e, ERR_ValidationException, "${ has no } in \"%.*s\"", SLICE_ARG(text));
        struct slice inside = slice_of(text.p + i + 2, (size_t)(end - text.p) - i - 2);
        int code = read_variable(inside, out, e);
        if (code) return code;
        from = i = (size_t)(end - text.p) + 1;
    }
    add_literal(out, slice_of(text.p + from, text.n - from));
    return 0;
}

bool pattern_is_literal(const struct pattern *p, struct slice *out)
{
    if (p->n > 1 || (p->n == 1 && p->pieces[0].kind != PIECE_LITERAL)) return false;
    *out = p->n ? p->pieces[0].text : slice_of("", 0);
    return true;
}

/* ---- matching ---- */

/* What a piece stands for; false: a variable without a value. */
static bool piece_text(const struct piece *piece, const struct policy_request *r, struct policy_values *room, struct slice *out)
{
    *out = piece->text;
    if (piece->kind != PIECE_VARIABLE) return true;
    policy_values(r, piece->key, piece->tag, room);
    if (room->n == 1 && !room->unknown) {
        *out = room->all[0];
        return true;
    }
    return piece->has_default && !room->unknown;
}

bool pattern_has_values(const struct pattern *p, const struct policy_request *r)
{
    struct policy_values room;
    struct slice text;
    for (size_t i = 0; i < p->n; i++) {
        if (p->pieces[i].kind == PIECE_VARIABLE && !piece_text(&p->pieces[i], r, &room, &text)) return false;
    }
    return true;
}

/* Bytes of the character at the beginning, of valid UTF-8. */
static size_t character(struct slice text)
{
    size_t n = 1;
    while (n < text.n && (text.p[n] & 0xC0) == 0x80) n++;
    return n;
}

/* How much of text the piece takes; SIZE_MAX: it does not fit. */
static size_t take(const struct piece *piece, const struct policy_request *r, struct slice text, bool folded, bool open)
{
    struct policy_values room;
    struct slice want;
    if (piece->kind == PIECE_ONE) return text.n ? character(text) : SIZE_MAX;
    if (!piece_text(piece, r, &room, &want)) return SIZE_MAX;
    if (open && text.n < want.n) want.n = text.n; /* the rest of it is still to come */
    if (text.n < want.n) return SIZE_MAX;
    struct slice have = slice_of(text.p, want.n);
    return (folded ? slice_eq_fold(have, want) : slice_eq(have, want)) ? want.n : SIZE_MAX;
}

/* Only the last run is ever tried again: what the ones before it took can stay. open: the text may go on. */
static bool match(const struct pattern *p, const struct policy_request *r, struct slice text, bool folded, bool open)
{
    size_t i = 0, at = 0, run = SIZE_MAX, from = 0;
    while (i < p->n || at < text.n) {
        if (open && at == text.n) return true;
        if (i < p->n && p->pieces[i].kind == PIECE_RUN) {
            run = i++;
            from = at;
            if (i == p->n) return true;
            continue;
        }
        size_t taken = i < p->n ? take(&p->pieces[i], r, slice_of(text.p + at, text.n - at), folded, open) : SIZE_MAX;
        if (taken != SIZE_MAX) {
            at += taken;
            i++;
            continue;
        }
        if (run == SIZE_MAX || from >= text.n) return false;
        at = ++from;
        i = run + 1;
    }
    return true;
}

enum truth pattern_match(const struct pattern *p, const struct policy_request *r, struct slice text, bool folded)
{
    if (!pattern_has_values(p, r)) return MAYBE;
    return match(p, r, text, folded, false) ? YES : NO;
}

enum truth pattern_match_all(const struct pattern *p, const struct policy_request *r, struct slice beginning)
{
    if (!pattern_has_values(p, r)) return MAYBE;
    if (p->n && p->pieces[p->n - 1].kind == PIECE_RUN && match(p, r, beginning, false, false)) return YES;
    return match(p, r, beginning, false, true) ? MAYBE : NO;
}

bool pattern_covers(struct slice pattern, struct slice name)
{
    size_t p = 0, n = 0, star = SIZE_MAX, resume = 0;
    while (n < name.n) {
        if (p < pattern.n && pattern.p[p] == '*') {
            star = p++;
            resume = n;
        } else if (p < pattern.n && (pattern.p[p] == '?' || fold(pattern.p[p]) == fold(name.p[n]))) {
            p++, n++;
        } else if (star != SIZE_MAX) {
            p = star + 1;
            n = ++resume;
        } else {
            return false;
        }
    }
    while (p < pattern.n && pattern.p[p] == '*') p++;
    return p == pattern.n;
}
