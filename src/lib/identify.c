/* identify.c: of_items_identify, of_entity_keys: what items are, and the keys that attributes give. */
#include "lib_model.h"
#include "../model/identify.h"

struct input {
    const of_model *model;
    const char *entity;
    struct slice json;
};

static struct reporter reporter_of(struct lib_work *w)
{
    const struct input *in = w->in;
    return (struct reporter){ .model = in->model->model, .env = &model_env_system, .arena = &w->arena, .out = &w->report,
                              .err = &w->e };
}

static int identify(struct lib_work *w)
{
    struct reporter r = reporter_of(w);
    return report_identify(&r, ((const struct input *)w->in)->json);
}

int of_items_identify(const of_model *model, const char *items, ptrdiff_t len, of_answer **report, of_error *err)
{
    struct input in = { .model = model, .json = lib_text(items, len) };
    return lib_run(identify, &in, (struct lib_outputs){ .report = report }, err);
}

static int keys(struct lib_work *w)
{
    const struct input *in = w->in;
    const struct entity *en;
    struct reporter r = reporter_of(w);
    int code = lib_entity(w, in->model, in->entity, &en);
    return code ? code : report_keys(&r, en, in->json);
}

int of_entity_keys(const of_model *model, const char *entity, const char *attributes, ptrdiff_t len, of_answer **report,
                   of_error *err)
{
    struct input in = { .model = model, .entity = entity, .json = lib_text(attributes, len) };
    return lib_run(keys, &in, (struct lib_outputs){ .report = report }, err);
}
