/* lex.h: splits an expression into tokens, one ahead of the parser. Nothing is decided here about
 * meaning: a word is a word, a character that begins no token is a token of its own (TOK_BAD) that
 * no grammar accepts, so that the parser names it in its syntax error. */
#ifndef OF_EXPR_LEX_H
#define OF_EXPR_LEX_H

#include "../base/slice.h"

enum tok {
    TOK_EOF,
    TOK_WORD,   /* a letter, then letters, digits and _ */
    TOK_NAME,   /* #placeholder */
    TOK_VALUE,  /* :placeholder */
    TOK_NUMBER, /* digits */
    TOK_LPAREN,
    TOK_RPAREN,
    TOK_LBRACKET,
    TOK_RBRACKET,
    TOK_DOT,
    TOK_COMMA,
    TOK_PLUS,
    TOK_MINUS,
    TOK_EQ,
    TOK_NE,
    TOK_LT,
    TOK_LE,
    TOK_GT,
    TOK_GE,
    TOK_BAD,
    /* words with a meaning, in the grammars that give them one */
    TOK_AND,
    TOK_OR,
    TOK_NOT,
    TOK_BETWEEN,
    TOK_IN,
    TOK_SET,
    TOK_REMOVE,
    TOK_ADD,
    TOK_DELETE
};

enum lex_words { LEX_NO_WORDS, LEX_CONDITION_WORDS, LEX_UPDATE_WORDS };

struct token {
    enum tok kind;
    struct slice text;
};

/* prev and next are kept for the error message, which quotes the text from one to the other. */
struct lexer {
    const uint8_t *at, *end;
    enum lex_words words;
    struct token prev, cur, next;
};

void lex_init(struct lexer *lx, struct slice text, enum lex_words words);
void lex_advance(struct lexer *lx);
/* What DynamoDB quotes after near: the token with its neighbours, as they were written. */
struct slice lex_near(const struct lexer *lx);

#endif
