/* lex.c: tokens of expressions. */
#include "lex.h"
#include <strings.h>

static bool is_letter(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static bool is_part(uint8_t c)
{
    return is_letter(c) || is_digit(c) || c == '_';
}

static bool is_space(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static enum tok word_kind(enum lex_words words, struct slice w)
{
    static const struct {
        const char *word;
        enum lex_words in;
        enum tok kind;
    } table[] = {
        { "AND", LEX_CONDITION_WORDS, TOK_AND },
        { "OR", LEX_CONDITION_WORDS, TOK_OR },
        { "NOT", LEX_CONDITION_WORDS, TOK_NOT },
        { "IN", LEX_CONDITION_WORDS, TOK_IN },
        { "BETWEEN", LEX_CONDITION_WORDS, TOK_BETWEEN },
        { "SET", LEX_UPDATE_WORDS, TOK_SET },
        { "ADD", LEX_UPDATE_WORDS, TOK_ADD },
        { "REMOVE", LEX_UPDATE_WORDS, TOK_REMOVE },
        { "DELETE", LEX_UPDATE_WORDS, TOK_DELETE },
    };
    if (w.n > sizeof("BETWEEN") - 1) return TOK_WORD;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        const char *word = table[i].word;
        if (table[i].in == words && (w.p[0] & 0xDF) == word[0] && /* 0xDF: to upper case */
            strncasecmp(word, (const char *)w.p, w.n) == 0 && word[w.n] == 0)
            return table[i].kind;
    }
    return TOK_WORD;
}

static enum tok single(uint8_t c)
{
    switch (c) {
    case '(':
        return TOK_LPAREN;
    case ')':
        return TOK_RPAREN;
    case '[':
        return TOK_LBRACKET;
    case ']':
        return TOK_RBRACKET;
    case '.':
        return TOK_DOT;
    case ',':
        return TOK_COMMA;
    case '+':
        return TOK_PLUS;
    case '-':
        return TOK_MINUS;
    case '=':
        return TOK_EQ;
    default:
        return TOK_BAD;
    }
}

/* Bytes of the character at p, so that an error never quotes half of one. */
static size_t character(const uint8_t *p, const uint8_t *end)
{
    size_t n = *p < 0xC0 ? 1 : *p < 0xE0 ? 2 : *p < 0xF0 ? 3 : 4;
    size_t left = (size_t)(end - p);
    return n < left ? n : left;
}

static struct token scan(struct lexer *lx)
{
    while (lx->at < lx->end && is_space(*lx->at))
        lx->at++;
    const uint8_t *p = lx->at, *q = p;
    enum tok kind;
    if (p == lx->end) return (struct token){ TOK_EOF, slice_of(p, 0) };
    if (is_letter(*p)) {
        while (q < lx->end && is_part(*q))
            q++;
        kind = word_kind(lx->words, slice_of(p, (size_t)(q - p)));
    } else if (is_digit(*p)) {
        while (q < lx->end && is_digit(*q))
            q++;
        kind = TOK_NUMBER;
    } else if ((*p == '#' || *p == ':') && p + 1 < lx->end && is_part(p[1])) {
        for (q++; q < lx->end && is_part(*q);)
            q++;
        kind = *p == '#' ? TOK_NAME : TOK_VALUE;
    } else if (*p == '<' || *p == '>') {
        bool less = *p == '<';
        kind = less ? TOK_LT : TOK_GT;
        q++;
        if (q < lx->end && (*q == '=' || (less && *q == '>'))) {
            kind = *q == '>' ? TOK_NE : less ? TOK_LE : TOK_GE;
            q++;
        }
    } else {
        kind = single(*p);
        q += character(p, lx->end);
    }
    lx->at = q;
    return (struct token){ kind, slice_of(p, (size_t)(q - p)) };
}

void lex_init(struct lexer *lx, struct slice text, enum lex_words words)
{
    lx->at = text.p;
    lx->end = text.p + text.n;
    lx->words = words;
    lx->prev = (struct token){ TOK_EOF, slice_of(text.p, 0) };
    lx->cur = scan(lx);
    lx->next = scan(lx);
}

void lex_advance(struct lexer *lx)
{
    lx->prev = lx->cur;
    lx->cur = lx->next;
    lx->next = scan(lx);
}

struct slice lex_near(const struct lexer *lx)
{
    const uint8_t *from = lx->prev.kind == TOK_EOF ? lx->cur.text.p : lx->prev.text.p;
    const struct token *last = lx->next.kind != TOK_EOF  ? &lx->next
                               : lx->cur.kind != TOK_EOF ? &lx->cur
                                                         : &lx->prev;
    const uint8_t *to = last->text.p + last->text.n;
    return slice_of(from, to > from ? (size_t)(to - from) : 0);
}
