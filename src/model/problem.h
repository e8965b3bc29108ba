/* problem.h: what is wrong with a model or a data file: where, what, and what to do. */
#ifndef OF_MODEL_PROBLEM_H
#define OF_MODEL_PROBLEM_H

#include "../base/buf.h"
#include "../item/number.h"

struct place {
    struct slice file;
    unsigned line, column; /* from 1; 0: the file as a whole */
};

struct problem {
    struct place place;
    struct slice message; /* what is wrong: one sentence without a full stop */
    struct slice hint;    /* what to do, may be empty */
    struct slice rule;    /* lint only: the rule's id */
    struct slice on;      /* lint only: the entity, pattern or index it is about */
    const struct problem *next;
};

/* In the order found; sorted by place when the reader is done. */
struct problems {
    struct arena *arena;
    const struct problem *first;
    struct problem *last;
    size_t n;
};

#define PROBLEMS_MAX 200 /* after so many, further ones are only counted */

void problems_init(struct problems *ps, struct arena *a);
/* hint: what to do ("declare it under attributes:"), or an empty slice. */
void problem_add(struct problems *ps, struct place at, struct slice hint, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void problems_sort(struct problems *ps);
/* {"problems":[{"file":...,"line":...,"column":...,"message":...,"hint":...,"rule":...,"on":...}]} */
void problems_to_json(struct buf *b, const struct problems *ps);
/* The name in list that name was probably meant to be; empty where none is near. For hints. */
struct slice near_name(struct slice name, const struct slice *list, size_t n);

#endif
