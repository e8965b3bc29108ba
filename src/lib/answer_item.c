/* answer_item.c: a JSON answer as an item, so that a program in C reads reports without a JSON parser of its own. */
#include "lib_model.h"
#include "../model/values.h"

#define ANSWER_MAX_DEPTH 128 /* what the reports of this library nest at most is far below */

static int read_answer(struct lib_work *w)
{
    const of_answer *answer = w->in;
    size_t n;
    const char *text = of_answer_body(answer, &n);
    const struct json *tree = json_parse(&w->arena, slice_of(text, n), ANSWER_MAX_DEPTH, NULL);
    if (!tree || tree->type != JSON_OBJECT) {
        return err_set(&w->e, ERR_ValidationException, "the answer is not a JSON object");
    }
    return value_from_plain(&w->arena, NULL, SLICE("answer"), tree, &w->item, &w->e);
}

int of_answer_item(const of_answer *answer, of_item **item, of_error *err)
{
    return lib_run(read_answer, answer, (struct lib_outputs){ .item = item }, err);
}
