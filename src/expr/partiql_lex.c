/* partiql_lex.c: tokens of PartiQL: names, keywords, literals, comments. */
#include "partiql_lex.h"
#include "partiql.h"
#include <stdlib.h>
#include <strings.h>

static const char *const keywords[] = {
#include "partiql_words.inc"
};

struct lexer {
    struct arena *arena;
    const uint8_t *at, *end;
    unsigned line, column;
    struct pq_token *tokens;
    size_t n;
};

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static bool is_name_start(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

static int by_word(const void *key, const void *element)
{
    const struct slice *text = key;
    const char *word = *(const char *const *)element;
    size_t n = strlen(word);
    int c = strncasecmp((const char *)text->p, word, text->n < n ? text->n : n);
    return c ? c : (text->n > n) - (text->n < n);
}

static bool is_keyword(struct slice text)
{
    return bsearch(&text, keywords, sizeof keywords / sizeof *keywords, sizeof *keywords, by_word) != NULL;
}

bool pq_word_is(const struct pq_token *t, const char *word)
{
    return (t->kind == PQ_KEYWORD || t->kind == PQ_WORD) && t->text.n == strlen(word) &&
           strncasecmp((const char *)t->text.p, word, t->text.n) == 0;
}

bool pq_symbol_is(const struct pq_token *t, const char *symbol)
{
    return t->kind == PQ_SYMBOL && slice_eq(t->text, slice_str(symbol));
}

struct slice pq_lower(struct arena *a, struct slice text)
{
    uint8_t *p = arena_bytes(a, text.n);
    for (size_t i = 0; i < text.n; i++) {
        uint8_t c = text.p[i];
        p[i] = c >= 'A' && c <= 'Z' ? (uint8_t)(c | 0x20) : c;
    }
    return slice_of(p, text.n);
}

/* Passes n bytes, keeping count of lines and characters. */
static void pass(struct lexer *lx, size_t n)
{
    for (; n; n--, lx->at++) {
        if (*lx->at == '\n') {
            lx->line++;
            lx->column = 1;
        } else if ((*lx->at & 0xC0) != 0x80) { /* the bytes behind a character's first are no characters */
            lx->column++;
        }
    }
}

static size_t left(const struct lexer *lx)
{
    return (size_t)(lx->end - lx->at);
}

static bool starts(const struct lexer *lx, const char *text)
{
    return slice_starts(slice_of(lx->at, left(lx)), slice_str(text));
}

/* Spaces and comments. False: a comment that does not end. */
static bool skip(struct lexer *lx)
{
    for (;;) {
        if (left(lx) && strchr(" \t\r\n\f", *lx->at) && *lx->at) {
            pass(lx, 1);
        } else if (starts(lx, "--")) {
            while (left(lx) && *lx->at != '\n') pass(lx, 1);
        } else if (starts(lx, "/*")) {
            pass(lx, 2);
            while (left(lx) && !starts(lx, "*/")) pass(lx, 1);
            if (!left(lx)) return false;
            pass(lx, 2);
        } else {
            return true;
        }
    }
}

/* The bytes between quotes, a doubled quote being one. 0: it does not end. */
static size_t quoted(const struct lexer *lx, struct slice *out)
{
    const uint8_t quote = *lx->at, *start = lx->at + 1, *p = start;
    size_t doubled = 0;
    for (;; p++) {
        if (p == lx->end) return 0;
        if (*p != quote) continue;
        if (p + 1 == lx->end || p[1] != quote) break;
        doubled++;
        p++;
    }
    size_t n = (size_t)(p - start);
    *out = slice_of(start, n);
    if (doubled) {
        uint8_t *copy = arena_bytes(lx->arena, n), *to = copy;
        for (const uint8_t *from = start; from < p; from++) {
            *to++ = *from;
            if (*from == quote) from++;
        }
        *out = slice_of(copy, n - doubled);
    }
    return n + 2;
}

/* digits [. digits] [e [sign] digits]. 0: an exponent without digits, or one that no 32-bit integer holds, be it by itself or
 * as the scale that it leaves the number with. */
static size_t number(const struct lexer *lx)
{
    const uint8_t *p = lx->at;
    int64_t places = 0, exponent = 0;
    while (p < lx->end && is_digit(*p)) p++;
    if (p < lx->end && *p == '.') {
        for (p++; p < lx->end && is_digit(*p); p++) places++;
    }
    if (p < lx->end && (*p == 'e' || *p == 'E')) {
        bool negative = p + 1 < lx->end && p[1] == '-';
        p += p + 1 < lx->end && (p[1] == '-' || p[1] == '+') ? 2 : 1;
        if (p == lx->end || !is_digit(*p)) return 0;
        for (; p < lx->end && is_digit(*p); p++) {
            if (exponent <= INT32_MAX) exponent = exponent * 10 + (*p - '0');
        }
        if (negative) exponent = -exponent;
    }
    int64_t scale = places - exponent;
    if (exponent > INT32_MAX || exponent < INT32_MIN || scale > INT32_MAX || scale < INT32_MIN) return 0;
    if (p < lx->end && is_name_start(*p)) return 0;
    return (size_t)(p - lx->at);
}

static size_t name(const struct lexer *lx)
{
    const uint8_t *p = lx->at;
    while (p < lx->end && (is_name_start(*p) || is_digit(*p))) p++;
    return (size_t)(p - lx->at);
}

static size_t symbol(const struct lexer *lx)
{
    static const char *const pairs[] = { "<<", ">>", "<=", ">=", "<>", "!=", "||" };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (starts(lx, pairs[i])) return 2;
    }
    return strchr("=<>+-*/%.,:;()[]{}", *lx->at) && *lx->at ? 1 : 0;
}

/* One token; its size in bytes, 0 if there is none here. */
static size_t scan(struct lexer *lx, struct pq_token *t)
{
    size_t n;
    uint8_t c = *lx->at;
    t->text = slice_of(NULL, 0);
    if (c == '\'' || c == '"') {
        t->kind = c == '"' ? PQ_QUOTED : PQ_STRING;
        return quoted(lx, &t->text);
    }
    if (is_digit(c) || (c == '.' && left(lx) > 1 && is_digit(lx->at[1]) &&
                        (lx->n == 0 || lx->tokens[lx->n - 1].kind == PQ_SYMBOL || lx->tokens[lx->n - 1].kind == PQ_KEYWORD))) {
        t->kind = PQ_NUMBER;
        n = number(lx);
    } else if (is_name_start(c)) {
        n = name(lx);
        t->kind = is_keyword(slice_of(lx->at, n)) ? PQ_KEYWORD : PQ_WORD;
    } else if (c == '?') {
        t->kind = PQ_PARAM;
        n = 1;
    } else {
        t->kind = PQ_SYMBOL;
        n = symbol(lx);
    }
    t->text = slice_of(lx->at, n);
    return n;
}

int pq_lex(struct arena *a, struct slice text, struct pq_token **out, struct err *e)
{
    struct lexer lx = { .arena = a, .at = text.p, .end = text.p + text.n, .line = 1, .column = 1 };
    *out = lx.tokens = ARENA_ARRAY(a, struct pq_token, text.n + 1);
    for (;;) {
        bool fine = skip(&lx);
        struct pq_token *t = &lx.tokens[lx.n];
        t->line = lx.line;
        t->column = lx.column;
        if (fine && !left(&lx)) return 0; /* the array was zeroed: PQ_END */
        size_t n = fine ? scan(&lx, t) : 0;
        if (!n) return err_set(e, ERR_ValidationException, PARTIQL_MALFORMED);
        pass(&lx, n);
        t->length = lx.line == t->line ? lx.column - t->column : 1;
        lx.n++;
    }
}
