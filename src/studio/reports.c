/* reports.c: what a model says of itself: DescribeModel, ExplainPattern, ExportModel, CostModel; SizeItem and ModelSchema. */
#include "operations.h"
#include <stdlib.h>

#define SCALES_MAX 100

int describe_model(struct studio_call *c)
{
    struct model_source s;
    of_answer *report;
    int rc = call_source(c, &s);
    if (rc) return rc;
    if (of_model_describe((const char *)s.text.p, (ptrdiff_t)s.text.n, "model", s.files, s.n_files, &report, &c->of))
        return call_failed(c);
    call_put(c, NULL, report);
    return 0;
}

int explain_pattern(struct studio_call *c)
{
    of_model *model;
    const char *pattern;
    of_answer *report;
    int rc = call_string(c, "Pattern", false, &pattern);
    if (!rc) rc = call_model(c, &model);
    if (rc) return rc;
    if (of_model_explain(model, pattern, &report, &c->of)) return call_failed(c);
    call_put(c, NULL, report);
    return 0;
}

static const char *const documents[] = { "markdown", "svg", "mermaid", "json", NULL };

int export_model(struct studio_call *c)
{
    of_model *model;
    const char *format;
    of_answer *report;
    bool document = false;
    int rc = call_string(c, "Format", true, &format);
    if (!rc) rc = call_model(c, &model);
    if (rc) return rc;
    for (size_t i = 0; documents[i]; i++) document |= strcmp(format, documents[i]) == 0;
    if (document ? of_model_docs(model, format, &report, &c->of) : of_model_table(model, format, &report, &c->of)) return call_failed(c);
    js_open(&c->out, NULL, '{');
    js_string(&c->out, "Text", call_keep(c, report));
    js_close(&c->out, '}');
    return 0;
}

static int take_scales(struct studio_call *c, of_cost_options *o)
{
    const struct json *list = call_member(c, "Scales");
    if (!list || list->type == JSON_NULL) return 0;
    bool good = list->type == JSON_ARRAY && list->count <= SCALES_MAX;
    double *scales = ARENA_ARRAY(c->arena, double, good ? list->count + 1 : 1);
    for (const struct json *s = list->first; good && s; s = s->next) {
        good = s->type == JSON_NUMBER;
        if (good) scales[o->n_scales++] = strtod((const char *)arena_printf(c->arena, "%.*s", SLICE_ARG(s->text)).p, NULL);
    }
    o->scales = scales;
    return good ? 0 : err_set(&c->err, ERR_ValidationException, "Scales must be a list of at most %d numbers", SCALES_MAX);
}

int cost_model(struct studio_call *c)
{
    of_model *model;
    of_cost_options o = { 0 };
    of_answer *report;
    int rc = call_bool(c, "Provisioned", &o.provisioned);
    if (!rc) rc = call_bool(c, "AgainstTables", &o.against_tables);
    if (!rc) rc = take_scales(c, &o);
    if (!rc) rc = call_model(c, &model);
    if (rc) return rc;
    if (of_model_cost(model, &o, &report, &c->of)) return call_failed(c);
    call_put(c, NULL, report);
    return 0;
}

int size_item(struct studio_call *c)
{
    struct slice item;
    of_answer *report;
    int rc = call_text(c, "Item", true, &item);
    if (rc) return rc;
    if (of_size((const char *)item.p, (ptrdiff_t)item.n, &report, &c->of)) return call_failed(c);
    call_put(c, NULL, report);
    return 0;
}

/* For the editor's completion. */
int give_model_schema(struct studio_call *c)
{
    of_answer *report;
    if (of_model_schema(&report, &c->of)) return call_failed(c);
    call_put(c, NULL, report);
    return 0;
}
