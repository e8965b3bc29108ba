/* answer.c: of_answer: a text with a status, which the caller frees. */
#include "common.h"
#include <stdlib.h>

of_answer *lib_answer(struct slice text)
{
    of_answer *a = malloc(sizeof *a + text.n + 1);
    if (!a) return NULL;
    char *copy = (char *)(a + 1);
    if (text.n) memcpy(copy, text.p, text.n);
    copy[text.n] = 0;
    *a = (of_answer){ .status = 200, .text = copy, .n = text.n };
    return a;
}

int of_answer_status(const of_answer *a)
{
    return a->status;
}

const char *of_answer_body(const of_answer *a, size_t *len)
{
    if (len) *len = a->n;
    return a->text;
}

void of_answer_free(of_answer *a)
{
    if (a && a->end) a->end(a);
    else free(a);
}
