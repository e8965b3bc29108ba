/* plain.c: of_entity_from_json, of_entity_to_json: an entity's attributes from plain JSON and back. */
#include "lib_model.h"
#include "../model/values.h"

struct plain {
    const of_model *model;
    const char *entity;
    struct slice json, item;
};

static int value_of(struct lib_work *w, const struct entity *en, const struct json *n, struct slice *out)
{
    struct slice path = arena_printf(&w->arena, "%.*s.%.*s", SLICE_ARG(en->name), SLICE_ARG(n->name));
    const struct attribute *declared = n->type == JSON_NULL ? NULL : entity_attribute(en, n->name);
    return value_from_plain(&w->arena, declared, path, n, out, &w->e);
}

static int from_json(struct lib_work *w)
{
    const struct plain *p = w->in;
    const struct entity *en;
    struct buf b;
    size_t where, n = 0;
    int code = lib_entity(w, p->model, p->entity, &en);
    if (code) return code;
    const struct json *tree = json_parse(&w->arena, p->json, VAL_MAX_DEPTH, &where);
    if (!tree || tree->type != JSON_OBJECT) {
        return err_set(&w->e, ERR_ValidationException, "%.*s: the attributes must be a JSON object", SLICE_ARG(en->name));
    }
    struct attr *attrs = ARENA_ARRAY(&w->arena, struct attr, tree->count + 1);
    for (const struct json *m = tree->first; m; m = m->next, n++) {
        attrs[n].name = m->name;
        if (!m->name.n) return err_set(&w->e, ERR_ValidationException, "%.*s: a name is empty", SLICE_ARG(en->name));
        if ((code = value_of(w, en, m, &attrs[n].value)) != 0) return code;
    }
    buf_init(&b, &w->arena, LIB_ITEM_MAX);
    val_put_map(&b, attrs, n);
    w->item = buf_view(&b);
    return 0;
}

int of_entity_from_json(const of_model *model, const char *entity, const char *json, ptrdiff_t len, of_item **item,
                        of_error *err)
{
    struct plain p = { .model = model, .entity = entity, .json = lib_text(json, len) };
    return lib_run(from_json, &p, (struct lib_outputs){ .item = item }, err);
}

static int to_json(struct lib_work *w)
{
    const struct plain *p = w->in;
    const struct entity *en;
    struct val_iter it;
    struct attr *attrs = ARENA_ARRAY(&w->arena, struct attr, val_count(p->item) + 1), next;
    struct buf b;
    size_t n = 0;
    int code = lib_entity(w, p->model, p->entity, &en);
    if (code) return code;
    val_iter_init(&it, p->item);
    while (val_next(&it, &next.name, &next.value)) {
        const struct attribute *at = entity_attribute(en, next.name);
        if (!at || !at->hidden) attrs[n++] = next;
    }
    buf_init(&b, &w->arena, LIB_ITEM_MAX);
    val_put_map(&b, attrs, n);
    item_to_plain(&w->report, buf_view(&b));
    return 0;
}

int of_entity_to_json(const of_model *model, const char *entity, const of_item *item, of_answer **json, of_error *err)
{
    struct plain p = { .model = model, .entity = entity };
    if (!lib_item_bytes(item, &p.item)) return lib_no_memory(err);
    return lib_run(to_json, &p, (struct lib_outputs){ .report = json }, err);
}
