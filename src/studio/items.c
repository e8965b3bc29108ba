/* items.c: what items are, and the keys that attributes give: IdentifyItems, ComputeKeys. */
#include "operations.h"

/* The member as JSON text. */
static int call_json(struct studio_call *c, const char *name, enum json_type type, const char *wanted, struct slice *out)
{
    const struct json *m = call_member(c, name);
    if (!m || m->type != type) return err_set(&c->err, ERR_ValidationException, "%s must be %s", name, wanted);
    struct buf text;
    buf_init(&text, c->arena, STUDIO_ANSWER_MAX);
    json_put(&text, m);
    *out = buf_view(&text);
    return 0;
}

int identify_items(struct studio_call *c)
{
    of_model *model;
    of_answer *report;
    struct slice items = { 0 };
    int rc = call_json(c, "Items", JSON_ARRAY, "a list of items in DynamoDB JSON", &items);
    if (!rc) rc = call_model(c, &model);
    if (rc) return rc;
    if (of_items_identify(model, (const char *)items.p, (ptrdiff_t)items.n, &report, &c->of)) return call_failed(c);
    js_open(&c->out, NULL, '{');
    call_put(c, "Items", report);
    js_close(&c->out, '}');
    return 0;
}

int compute_keys(struct studio_call *c)
{
    of_model *model;
    of_answer *report;
    const char *entity;
    struct slice attributes = { 0 };
    int rc = call_string(c, "Entity", true, &entity);
    if (!rc) rc = call_json(c, "Attributes", JSON_OBJECT, "attributes in DynamoDB JSON", &attributes);
    if (!rc) rc = call_model(c, &model);
    if (rc) return rc;
    if (of_entity_keys(model, entity, (const char *)attributes.p, (ptrdiff_t)attributes.n, &report, &c->of))
        return call_failed(c);
    call_put(c, NULL, report);
    return 0;
}
