/* outline.c: of_model_outline, and attributes and inputs from text: of_entity_set, of_entity_set_json, of_pattern_set. */
#include "lib_model.h"
#include "../model/outline.h"
#include "../model/values.h"

static int outline(struct lib_work *w)
{
    const of_model *model = w->in;
    outline_to_json(&w->arena, &w->report, model->model);
    return 0;
}

int of_model_outline(const of_model *model, of_answer **report, of_error *err)
{
    return lib_run(outline, model, (struct lib_outputs){ .report = report }, err);
}

struct text_source {
    const of_model *model;
    const char *entity, *pattern; /* one of them */
    struct slice name, text;
    bool json;
    of_item *item;
};

/* By hand, since a set of an item that the caller owns is not one of lib_run's outputs. */
static int set(struct lib_work *w, const struct text_source *s, struct slice value)
{
    of_value v = { value.p, value.n, 0 };
    int code = of_item_set_value(s->item, (const char *)s->name.p, (ptrdiff_t)s->name.n, v);
    if (code == OF_NO_MEMORY) return err_set(&w->e, ERR_InternalServerError, "out of memory");
    if (code)
        return err_set(&w->e, ERR_ValidationException, "%.*s cannot be the name of an attribute", SLICE_ARG(s->name));
    return 0;
}

static int json_value(struct lib_work *w, const struct text_source *s, const struct attribute *at, struct slice path,
                      struct slice *out)
{
    size_t where;
    const struct json *tree = json_parse(&w->arena, s->text, VAL_MAX_DEPTH, &where);
    if (!tree)
        return err_set(&w->e, ERR_ValidationException, "%.*s: this is not JSON, from character %zu on: %.*s",
                       SLICE_ARG(path), where + 1, SLICE_ARG(s->text));
    return value_from_plain(&w->arena, at, path, tree, out, &w->e);
}

static int entity_text(struct lib_work *w)
{
    const struct text_source *s = w->in;
    const struct entity *en;
    const struct attribute *at;
    struct slice value;
    if (lib_entity(w, s->model, s->entity, &en)) return w->e.code;
    if (outline_attribute(&w->arena, s->model->model, en, s->name, &at, &w->e)) return w->e.code;
    struct slice path = arena_printf(&w->arena, "%.*s.%.*s", SLICE_ARG(en->name), SLICE_ARG(s->name));
    int code = s->json ? json_value(w, s, at, path, &value) : value_from_text(&w->arena, at, path, s->text, &value, &w->e);
    return code ? code : set(w, s, value);
}

/* Text that is not of the attribute's type stays text: it may be a date, and what binds the inputs says what is wrong
 * with it otherwise. */
static int pattern_text(struct lib_work *w)
{
    const struct text_source *s = w->in;
    const struct pattern *p;
    const struct attribute *at;
    struct slice value;
    if (outline_pattern(&w->arena, s->model->model, lib_text(s->pattern, -1), &p, &w->e)) return w->e.code;
    if (outline_input(&w->arena, p, s->name, &at, &w->e)) return w->e.code;
    struct err ignored = { .arena = &w->arena };
    if (!at || at->time != TIME_NONE || value_from_text(&w->arena, at, s->name, s->text, &value, &ignored)) {
        struct num num;
        struct buf b;
        buf_init(&b, &w->arena, LIB_ITEM_MAX);
        if (at && at->type == TYPE_N && !num_parse(s->text, &num))
            val_put_number(&b, slice_of(num.bytes, num.n));
        else
            val_put_string(&b, s->text);
        value = buf_view(&b);
    }
    return set(w, s, value);
}

int of_entity_set(const of_model *model, const char *entity, of_item *item, const char *name, ptrdiff_t name_len,
                  const char *text, ptrdiff_t len, of_error *err)
{
    struct text_source s = { .model = model, .entity = entity, .name = lib_text(name, name_len),
                             .text = lib_text(text, len), .item = item };
    return lib_run(entity_text, &s, (struct lib_outputs){ 0 }, err);
}

int of_entity_set_json(const of_model *model, const char *entity, of_item *item, const char *name, ptrdiff_t name_len,
                       const char *json, ptrdiff_t len, of_error *err)
{
    struct text_source s = { .model = model, .entity = entity, .name = lib_text(name, name_len),
                             .text = lib_text(json, len), .json = true, .item = item };
    return lib_run(entity_text, &s, (struct lib_outputs){ 0 }, err);
}

int of_pattern_set(const of_model *model, const char *pattern, of_item *inputs, const char *name, ptrdiff_t name_len,
                   const char *text, ptrdiff_t len, of_error *err)
{
    struct text_source s = { .model = model, .pattern = pattern, .name = lib_text(name, name_len),
                             .text = lib_text(text, len), .item = inputs };
    return lib_run(pattern_text, &s, (struct lib_outputs){ 0 }, err);
}
