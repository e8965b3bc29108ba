/* where_impl.h: what the files of the where-language share: the tree of a parsed text, and its tokens. */
#ifndef OF_MODEL_WHERE_IMPL_H
#define OF_MODEL_WHERE_IMPL_H

#include "where.h"

#define WHERE_MAX_TEXT  ((size_t)16 << 10)
#define WHERE_MAX_DEPTH 32  /* parentheses and `not` within each other */
#define WHERE_MAX_TERMS 300 /* DynamoDB's limit on operators of one expression */
#define WHERE_MAX_IN    100 /* DynamoDB's limit on the operands of IN */
#define WHERE_MAX_PATH  8   /* names in address.city.name */

enum where_kind { WHERE_AND, WHERE_OR, WHERE_NOT, WHERE_TEST };

enum where_op {
    OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE, OP_BETWEEN, OP_IN, OP_BEGINS, OP_CONTAINS, OP_EXISTS, OP_MISSING,
    OP_SINCE, OP_UNTIL, OP_ON, OP_DURING
};

struct where {
    enum where_kind kind;
    const struct where *first, *next; /* AND, OR, NOT: operands, linked by next */
    /* WHERE_TEST */
    enum where_op op;
    bool size;                        /* the test is on size(path) */
    struct slice path[WHERE_MAX_PATH];
    size_t n_path;
    const struct attribute *attribute; /* what stands at path; NULL: not declared */
    const struct slice *texts;        /* values as written, without quotes */
    const struct slice *values;       /* encoded; of time operators the bounds (ON, DURING: [low, high)) */
    size_t n_texts, n_values;
};

enum token_kind { TOKEN_END, TOKEN_WORD, TOKEN_QUOTED, TOKEN_SIGN };

struct token {
    enum token_kind kind;
    struct slice text;   /* QUOTED: without quotes */
    size_t at;           /* byte offset in the text */
};

/* Whose names may be used. */
struct where_scope {
    const struct entity *entity;      /* attributes of an entity; or else: */
    const struct model_index *index;  /* the key attributes of the table or an index */
};

struct where_parser {
    struct arena *arena;
    struct where_scope scope;
    struct slice text;
    int64_t now;
    size_t at;           /* behind token */
    struct token token;  /* the one to look at */
    unsigned depth, terms;
    struct err *err;
};

/* Steps to the next token. 0 or an error. */
int where_next(struct where_parser *p);
bool where_is_word(const struct where_parser *p, const char *word); /* in any case, not quoted */
bool where_is_sign(const struct where_parser *p, const char *sign);
/* "column 8 of the condition: ..." with the column of byte offset at. Returns the code. */
int where_fail(struct where_parser *p, size_t at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The same at the token to look at: "expected WHAT, but found X". */
int where_expected(struct where_parser *p, const char *what);
#ifdef __clang_analyzer__ /* as in base/err.h: they never return 0 */
#define where_fail(p, at, ...) (where_fail((p), (at), __VA_ARGS__), (int)ERR_ValidationException)
#define where_expected(p, what) (where_expected((p), (what)), (int)ERR_ValidationException)
#endif

/* Finds the attribute a name stands for and fills path and attribute. */
int where_resolve(struct where_parser *p, struct token name, struct where *test);
/* The typed value of a token for this test. */
int where_value(struct where_parser *p, const struct where *test, struct token t, struct slice *out);
/* The span a token stands for, on a time attribute; encodes its start (end: its end). */
int where_time(struct where_parser *p, const struct where *test, struct token t, struct slice *start,
               struct slice *end);
/* Can the attribute be tested so? Says why not, pointing at `at`. */
int where_check_op(struct where_parser *p, const struct where *test, size_t at);

#endif
