/* partiql_lex.h: splits a PartiQL statement into tokens, all at once: a statement has at most 8,192 bytes. */
#ifndef OF_EXPR_PARTIQL_LEX_H
#define OF_EXPR_PARTIQL_LEX_H

#include "../base/err.h"

enum pq_tok {
    PQ_END,
    PQ_WORD,    /* an unquoted name that is no keyword */
    PQ_KEYWORD, /* text as it was written, in any case */
    PQ_QUOTED,  /* "a name", without its quotes */
    PQ_STRING,  /* 'text', without its quotes */
    PQ_NUMBER,  /* unsigned: a sign is an operator */
    PQ_PARAM,   /* ? */
    PQ_SYMBOL   /* punctuation and operators: text tells which */
};

struct pq_token {
    enum pq_tok kind;
    struct slice text;
    unsigned line, column, length; /* where errors say it is: from 1, in characters */
};

/* The last of the tokens is PQ_END. A text that cannot be split is not well formed: 0 or an err_code. */
int pq_lex(struct arena *a, struct slice text, struct pq_token **out, struct err *e);
/* Is it this keyword or word, in any case? word: in lower case. */
bool pq_word_is(const struct pq_token *t, const char *word);
bool pq_symbol_is(const struct pq_token *t, const char *symbol);
/* The text in lower case, in the arena. */
struct slice pq_lower(struct arena *a, struct slice text);

#endif
