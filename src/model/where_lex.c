/* where_lex.c: the tokens of the where-language, and errors that point at a column. */
#include "where_impl.h"

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* What ends a bare word. Everything else may stand in one: 2026-05-10T14:23Z, alice@example.com, -30d. */
static bool ends_word(uint8_t c)
{
    return is_blank(c) || memchr("(),=<>!'\"", c, 9) != NULL;
}

#undef where_fail /* for the analyzer, where_impl.h */
#undef where_expected

int where_fail(struct where_parser *p, size_t at, const char *fmt, ...)
{
    va_list ap;
    size_t column = 1;
    for (size_t i = 0; i < at && i < p->text.n; i++) {
        if ((p->text.p[i] & 0xc0) != 0x80) column++;
    }
    va_start(ap, fmt);
    struct slice what = arena_vprintf(p->arena, fmt, ap);
    va_end(ap);
    return err_set(p->err, ERR_ValidationException, "column %zu of the condition: %.*s", column, SLICE_ARG(what));
}

int where_expected(struct where_parser *p, const char *what)
{
    const struct token *t = &p->token;
    if (t->kind == TOKEN_END) {
        return where_fail(p, t->at, "expected %s, but the text ends here", what);
    }
    struct slice shown = t->text;
    if (shown.n > 60) shown.n = 60;
    return where_fail(p, t->at, "expected %s, but found %s%.*s%s", what, t->kind == TOKEN_QUOTED ? "\"" : "",
                      SLICE_ARG(shown), t->kind == TOKEN_QUOTED ? "\"" : "");
}

static int quoted(struct where_parser *p)
{
    size_t start = p->at++;
    uint8_t quote = p->text.p[start];
    struct buf b;
    buf_init(&b, p->arena, WHERE_MAX_TEXT);
    for (;; p->at++) {
        if (p->at == p->text.n) {
            return where_fail(p, start, "this quote is not closed; write %c at the end of the value", quote);
        }
        if (p->text.p[p->at] == quote) {
            if (p->at + 1 == p->text.n || p->text.p[p->at + 1] != quote) break;
            p->at++;
        }
        buf_u8(&b, p->text.p[p->at]);
    }
    p->at++;
    p->token = (struct token){ TOKEN_QUOTED, buf_view(&b), start };
    return 0;
}

static int sign(struct where_parser *p)
{
    static const char *const signs[] = { "!=", "<>", "<=", ">=", "(", ")", ",", "=", "<", ">" };
    struct slice rest = slice_of(p->text.p + p->at, p->text.n - p->at);
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        struct slice s = slice_str(signs[i]);
        if (!slice_starts(rest, s)) continue;
        p->token = (struct token){ TOKEN_SIGN, slice_of(rest.p, s.n), p->at };
        p->at += s.n;
        return 0;
    }
    return where_fail(p, p->at, "! stands alone; \"not equal\" is written != or <>");
}

int where_next(struct where_parser *p)
{
    while (p->at < p->text.n && is_blank(p->text.p[p->at])) p->at++;
    if (p->at == p->text.n) {
        p->token = (struct token){ TOKEN_END, slice_of(NULL, 0), p->at };
        return 0;
    }
    uint8_t c = p->text.p[p->at];
    if (c == '\'' || c == '"') return quoted(p);
    if (ends_word(c)) return sign(p);
    size_t start = p->at;
    while (p->at < p->text.n && !ends_word(p->text.p[p->at])) p->at++;
    p->token = (struct token){ TOKEN_WORD, slice_of(p->text.p + start, p->at - start), start };
    return 0;
}

bool where_is_word(const struct where_parser *p, const char *word)
{
    size_t n = strlen(word);
    if (p->token.kind != TOKEN_WORD || p->token.text.n != n) return false;
    for (size_t i = 0; i < n; i++) {
        uint8_t c = p->token.text.p[i];
        if (c >= 'A' && c <= 'Z') c = (uint8_t)(c | 0x20);
        if (c != (uint8_t)word[i]) return false;
    }
    return true;
}

bool where_is_sign(const struct where_parser *p, const char *text)
{
    return p->token.kind == TOKEN_SIGN && slice_eq(p->token.text, slice_str(text));
}
