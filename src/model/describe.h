/* describe.h: everything that a designer shows of a model that is being written: its problems, its text as a tree, and,
 * where it is a model, the document, and what lint finds. */
#ifndef OF_MODEL_DESCRIBE_H
#define OF_MODEL_DESCRIBE_H

#include "report.h"

struct describe_input {
    struct slice name, text;
    const struct model_files *files; /* NULL: on disk */
};
/* {"problems":[...],"tree":{...}|null,"invented":true,"model":{...}|null,"lint":{...}|null}: docs/json.md. invented: the sample of
 * the document was made up, since the model names no data. r->model is not used. A text
 * that is no model is no error here; sample data that does not fit is a problem, and left out of the document. */
int report_describe(struct reporter *r, const struct describe_input *in);

#endif
