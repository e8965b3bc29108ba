/* questions.c: what the tables answer: RunPattern, WriteCode, QueryModel, ScanModel, BrowseModel. */
#include "operations.h"

#define PAGE_MAX        10000
#define READ_MAX        1000000
#define PROPOSALS_SHOWN 3

/* The members that the three questions share. */
static int run_options(struct studio_call *c, of_run_options *o)
{
    int rc = call_count(c, "Limit", PAGE_MAX, &o->limit);
    if (!rc) rc = call_string(c, "After", false, &o->after);
    if (!rc) rc = call_string(c, "Filter", false, &o->filter);
    return rc ? rc : call_bool(c, "DryRun", &o->dry_run);
}

/* The members Result and Requests. Both answers are the call's before anything is written: writing may run out of memory. */
static void put_answers(struct studio_call *c, of_answer *report, of_answer *requests)
{
    struct slice result = call_keep(c, report), sent = call_keep(c, requests);
    js_name(&c->out, "Result");
    buf_slice(&c->out, result);
    js_name(&c->out, "Requests");
    buf_slice(&c->out, sent);
}

/* failed is a value of its own, since arguments are evaluated in any order. */
static int put_result(struct studio_call *c, int failed, of_answer *report, of_answer *requests)
{
    if (failed) return call_failed(c);
    js_open(&c->out, NULL, '{');
    put_answers(c, report, requests);
    js_close(&c->out, '}');
    return 0;
}

/* Texts, as a person types them. */
static int take_inputs(struct studio_call *c, const of_model *model, const char *pattern, of_item *inputs)
{
    const struct json *given = call_member(c, "Inputs");
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
    int failed = of_pattern_run(model, c->studio->o.db, pattern, inputs, &o, &report, &c->of);
    return put_result(c, failed, report, requests);
}

int write_code(struct studio_call *c)
{
    of_model *model;
    const char *pattern, *language, *endpoint;
    of_answer *text;
    int rc = call_string(c, "Pattern", true, &pattern);
    if (!rc) rc = call_string(c, "Language", true, &language);
    if (!rc) rc = call_string(c, "Endpoint", false, &endpoint);
    if (!rc) rc = call_model(c, &model);
    if (rc) return rc;
    of_item *inputs = call_item(c);
    if (!inputs) return (int)c->err.code;
    if ((rc = take_inputs(c, model, pattern, inputs))) return rc;
    if (of_pattern_code(model, pattern, inputs, language, endpoint, &text, &c->of)) return call_failed(c);
    js_open(&c->out, NULL, '{');
    js_string(&c->out, "Text", call_keep(c, text));
    js_close(&c->out, '}');
    return 0;
}

/* No key answers it. Without DryRun that is an error: what reads the whole table must be asked for by its name. */
static int refuse_scan(struct studio_call *c, const struct json *scan)
{
    const struct json *proposals = JSON_GET(scan, "proposals"), *p = proposals->first;
    struct buf b;
    buf_init(&b, c->arena, STUDIO_ANSWER_MAX);
    for (size_t i = 1; p && i <= PROPOSALS_SHOWN; p = p->next, i++) {
        buf_printf(&b, "%s\n  %zu. %.*s", i == 1 ? "\nWhat would help:" : "", i, SLICE_ARG(JSON_GET(p, "text")->text));
    }
    return err_set(&c->err, ERR_ValidationException,
                   "no key answers this query: it %.*s%.*s\nScanModel reads the whole table; DryRun tells what that costs",
                   SLICE_ARG(JSON_GET(scan, "reason")->text), SLICE_ARG(buf_view(&b)));
}

/* The members of of_model_query_explain's report, whose names here begin with a capital. */
static void put_explained(struct studio_call *c, const struct json *explained)
{
    static const char *const names[][2] = { { "plan", "Plan" }, { "match", "Match" }, { "scan", "Scan" } };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        js_name(&c->out, names[i][1]);
        json_put(&c->out, json_get(explained, slice_str(names[i][0])));
    }
}

static int answer_query(struct studio_call *c, const of_model *model, const char *entity, const char *where, of_run_options o)
{
    of_answer *answer, *requests;
    if (of_model_query_explain(model, c->studio->o.db, entity, where, &o, &answer, &c->of)) return call_failed(c);
    const struct json *explained = json_parse(c->arena, call_keep(c, answer), STUDIO_DEPTH, NULL);
    const struct json *scan = JSON_GET(explained, "scan");
    if (scan->type == JSON_NULL) scan = NULL;
    if (scan && !o.dry_run) return refuse_scan(c, scan);
    js_open(&c->out, NULL, '{');
    if (scan) {
        js_name(&c->out, "Result");
        BUF_LIT(&c->out, "null");
        js_open(&c->out, "Requests", '[');
        js_close(&c->out, ']');
    } else {
        o.requests = &requests;
        if (of_model_query(model, c->studio->o.db, entity, where, &o, &answer, &c->of)) return call_failed(c);
        put_answers(c, answer, requests);
    }
    put_explained(c, explained);
    js_close(&c->out, '}');
    return 0;
}

int query_model(struct studio_call *c)
{
    of_model *model;
    const char *entity, *where = NULL;
    of_run_options o = { 0 };
    int rc = call_string(c, "Entity", false, &entity);
    if (!rc) rc = call_string(c, "Where", false, &where);
    if (!rc) rc = call_string(c, "Index", false, &o.index);
    if (!rc) rc = call_bool(c, "Raw", &o.raw);
    if (!rc) rc = call_bool(c, "Descending", &o.descending);
    if (!rc) rc = run_options(c, &o);
    if (!rc) rc = call_model(c, &model);
    return rc ? rc : answer_query(c, model, entity, where, o);
}

int scan_model(struct studio_call *c)
{
    of_model *model;
    const char *entity;
    of_answer *report, *requests;
    of_run_options o = { .requests = &requests };
    int rc = call_string(c, "Entity", false, &entity);
    if (!rc) rc = call_bool(c, "Raw", &o.raw);
    if (!rc) rc = call_count(c, "Read", READ_MAX, &o.read);
    if (!rc) rc = run_options(c, &o);
    if (!rc) rc = call_model(c, &model);
    if (rc) return rc;
    int failed = of_model_scan(model, c->studio->o.db, entity, &o, &report, &c->of);
    return put_result(c, failed, report, requests);
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
