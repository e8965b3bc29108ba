/* questions.c: what the tables answer: RunPattern, QueryModel, ScanModel, BrowseModel. */
#include "operations.h"

#define PAGE_MAX 10000

/* The members that the three questions share. */
static int run_options(struct studio_call *c, of_run_options *o)
{
    int rc = call_count(c, "Limit", PAGE_MAX, &o->limit);
    if (!rc) rc = call_string(c, "After", false, &o->after);
    if (!rc) rc = call_string(c, "Filter", false, &o->filter);
    return rc ? rc : call_bool(c, "DryRun", &o->dry_run);
}

/* {"Result":{...},"Requests":[...]} */
static int put_result(struct studio_call *c, int failed, of_answer *report, of_answer *requests)
{
    if (failed) return call_failed(c);
    js_open(&c->out, NULL, '{');
    call_put(c, "Result", report);
    call_put(c, "Requests", requests);
    js_close(&c->out, '}');
    return 0;
}

/* Texts, as a person types them. */
static int take_inputs(struct studio_call *c, const of_model *model, const char *pattern, of_item *inputs)
{
    const struct json *given = JSON_GET(c->request, "Inputs");
    if (!given) return 0;
    if (given->type != JSON_OBJECT) return err_set(&c->err, ERR_ValidationException, "Inputs must be an object of texts");
    for (const struct json *i = given->first; i; i = i->next) {
        if (i->type != JSON_STRING)
            return err_set(&c->err, ERR_ValidationException, "the input %.*s must be a string", SLICE_ARG(i->name));
        if (of_pattern_set(model, pattern, inputs, (const char *)i->name.p, (ptrdiff_t)i->name.n, (const char *)i->text.p,
                           (ptrdiff_t)i->text.n, &c->of))
            return call_failed(c);
    }
    return 0;
}

int run_pattern(struct studio_call *c)
{
    of_model *model;
    const char *pattern;
    of_answer *report, *requests;
    of_run_options o = { .requests = &requests };
    int rc = call_string(c, "Pattern", true, &pattern);
    if (!rc) rc = run_options(c, &o);
    if (!rc) rc = call_model(c, &model);
    if (rc) return rc;
    of_item *inputs = call_item(c);
    if (!inputs) return (int)c->err.code;
    rc = take_inputs(c, model, pattern, inputs);
    if (rc) return rc;
    rc = of_pattern_run(model, c->studio->o.db, pattern, inputs, &o, &report, &c->of);
    return put_result(c, rc, report, requests);
}

int query_model(struct studio_call *c)
{
    of_model *model;
    const char *entity, *where;
    of_answer *report, *requests;
    of_run_options o = { .requests = &requests };
    int rc = call_string(c, "Entity", false, &entity);
    if (!rc) rc = call_string(c, "Where", true, &where);
    if (!rc) rc = call_string(c, "Index", false, &o.index);
    if (!rc) rc = call_bool(c, "Raw", &o.raw);
    if (!rc) rc = call_bool(c, "Descending", &o.descending);
    if (!rc) rc = run_options(c, &o);
    if (!rc) rc = call_model(c, &model);
    if (rc) return rc;
    rc = of_model_query(model, c->studio->o.db, entity, where, &o, &report, &c->of);
    return put_result(c, rc, report, requests);
}

int scan_model(struct studio_call *c)
{
    of_model *model;
    const char *entity;
    of_answer *report, *requests;
    of_run_options o = { .requests = &requests };
    int rc = call_string(c, "Entity", false, &entity);
    if (!rc) rc = call_bool(c, "Raw", &o.raw);
    if (!rc) rc = run_options(c, &o);
    if (!rc) rc = call_model(c, &model);
    if (rc) return rc;
    rc = of_model_scan(model, c->studio->o.db, entity, &o, &report, &c->of);
    return put_result(c, rc, report, requests);
}

int browse_model(struct studio_call *c)
{
    of_model *model;
    of_answer *report;
    of_browse_options o = { 0 };
    int rc = call_string(c, "Partition", false, &o.partition);
    if (!rc) rc = call_string(c, "Index", false, &o.index);
    if (!rc) rc = call_string(c, "Beside", false, &o.beside);
    if (!rc) rc = call_string(c, "After", false, &o.after);
    if (!rc) rc = call_count(c, "Limit", PAGE_MAX, &o.limit);
    if (!rc) rc = call_model(c, &model);
    if (rc) return rc;
    if (of_model_browse(model, c->studio->o.db, &o, &report, &c->of)) return call_failed(c);
    call_put(c, NULL, report);
    return 0;
}
