/* answer.c: of_answer: a text with a status, which the caller frees. */
#include "common.h"
#include <stdlib.h>

struct of_answer {
    int status;
    size_t n;
    char text[]; /* n bytes and a NUL */
};

of_answer *lib_answer_status(struct slice text, int status)
{
    of_answer *a = malloc(sizeof *a + text.n + 1);
    if (!a) return NULL;
    a->status = status;
    a->n = text.n;
    if (text.n) memcpy(a->text, text.p, text.n);
    a->text[text.n] = 0;
    return a;
}

of_answer *lib_answer(struct slice text)
{
    return lib_answer_status(text, 200);
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
    free(a);
}
