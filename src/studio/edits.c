/* edits.c: changes of a model's text: EditModel. */
#include "operations.h"

int edit_model(struct studio_call *c)
{
    struct model_source s;
    of_answer *report;
    struct buf edits;
    const struct json *given = call_member(c, "Edits");
    int rc = call_source(c, &s);
    if (rc) return rc;
    if (!given) return err_set(&c->err, ERR_ValidationException, "Edits is missing");
    buf_init(&edits, c->arena, STUDIO_ANSWER_MAX);
    json_put(&edits, given);
    if (of_model_edit((const char *)s.text.p, (ptrdiff_t)s.text.n, "model", s.files, s.n_files, (const char *)edits.p,
                      (ptrdiff_t)edits.n, &report, &c->of))
        return call_failed(c);
    const struct json *answer = json_parse(c->arena, call_keep(c, report), 3, NULL);
    js_open(&c->out, NULL, '{');
    js_string(&c->out, "Text", JSON_GET(answer, "text")->text);
    js_name(&c->out, "Notes");
    json_put(&c->out, JSON_GET(answer, "notes"));
    js_close(&c->out, '}');
    return 0;
}
