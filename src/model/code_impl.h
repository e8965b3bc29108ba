/* code_impl.h: what the writers of programs share: a description of the program, made once of a bound plan, and the quoting
 * of texts in each language.
 *
 *   code.c             the description, and the choice of the writer
 *   code_text.c        strings, names and comments of each language
 *   code_javascript.c  AWS SDK for JavaScript 3
 *   code_python.c      boto3
 *   code_cli.c         AWS CLI in a POSIX shell
 *   code_own.c         `onefold run`, and C with libonefold
 *
 * A program reads the pages of each request, drops what only the reader can tell (`drops`), and, where there are several
 * requests, merges them by the sort key behind each one's stem, of equal ones the earlier request first. */
#ifndef OF_MODEL_CODE_IMPL_H
#define OF_MODEL_CODE_IMPL_H

#include "code.h"
#include "../item/item_json.h"

#define CODE_MAX ((size_t)64 << 20)

/* Both ends of a range are included in BETWEEN; one that is open is dropped by the reader. */
struct code_drop {
    const struct key_attribute *attribute;
    struct slice value; /* ":t0": its name among the values of the request */
};

/* The table key of what is asked for, as extended regular expressions; empty: any, or not a string. */
struct code_shape {
    struct slice hash, sort;
};

struct code {
    struct arena *arena;
    struct buf *out;
    const struct model *model;
    const struct plan *plan;
    struct slice endpoint;        /* empty: AWS */
    const struct attr *inputs;    /* names, and values as text */
    size_t n_inputs;
    bool get;                     /* GetItem; else Queries */
    const struct json *const *requests; /* without Limit, ReturnConsumedCapacity */
    size_t n;                     /* 0: nothing can lie in the range */
    bool uniform;                 /* they differ in nothing but ExpressionAttributeValues */
    uint32_t limit;               /* 0: none */
    uint32_t page;                /* Limit of one request; 0: none, since a filter drops some */
    const struct key_attribute *order; /* the sort attributes to merge by */
    size_t n_order;
    const struct slice *stems;    /* of each request, left out of the first of them; NULL: they are all the same */
    struct code_drop drops[2];
    size_t n_drops;
    const struct code_shape *shapes; /* one of them must fit */
    size_t n_shapes;
};

typedef int code_writer(struct code *c, struct err *e);
code_writer code_javascript, code_python, code_cli, code_onefold, code_c;

/* ---- code_text.c ---- */

/* A line `mark text`, of one line whatever the text is. */
void code_comment(struct buf *b, const char *mark, struct slice text);
/* What the program does: the pattern, its inputs, the plan. */
void code_header(struct code *c, const char *mark);
/* Why some items are dropped after reading. */
void code_wanted_comments(struct code *c, const char *mark);
/* In double quotes, for JavaScript and Python. */
void code_quoted(struct buf *b, struct slice text);
void code_c_quoted(struct buf *b, struct slice text);
/* As one word of a POSIX shell: in single quotes where it must be. */
void code_shell_word(struct buf *b, struct slice text);
bool code_is_name(struct slice text); /* of letters, digits, _, $ and not beginning with a digit */
/* The member in which the requests of a merge differ. */
#define CODE_VALUES "ExpressionAttributeValues"

#endif
