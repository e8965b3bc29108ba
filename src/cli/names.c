/* names.c: the names that a model holds. */
#include "session.h"

const struct json *outline_tree(struct arena *arena, const of_model *model, of_error *err)
{
    of_answer *report;
    size_t n;
    if (of_model_outline(model, &report, err)) return NULL;
    const char *body = of_answer_body(report, &n);
    struct slice text = arena_dup(arena, slice_of(body, n));
    of_answer_free(report);
    return json_parse(arena, text, 64, NULL);
}

static const struct json *named(const struct json *list, struct slice name)
{
    if (!list) return NULL;
    for (const struct json *j = list->first; j; j = j->next) {
        const struct json *n = JSON_GET(j, "name");
        if (n && slice_eq(n->text, name)) return j;
    }
    return NULL;
}

const struct json *outline_named(const struct json *outline, const char *kind, struct slice name)
{
    return named(json_get(outline, slice_str(kind)), name);
}

const struct json *outline_member(const struct json *entity, struct slice name)
{
    return named(JSON_GET(entity, "attributes"), name);
}

bool outline_key(const struct json *entity, struct slice name)
{
    const struct json *key = JSON_GET(outline_member(entity, name), "key");
    return key && key->type == JSON_TRUE;
}

const struct json *find_entity(struct session *s, const char *name)
{
    const struct json *list = JSON_GET(s->names, "entities"), *found = outline_named(s->names, "entities", slice_str(name));
    if (found) return found;
    size_t n = 0;
    const char **names = ARENA_ARRAY(s->arena, const char *, list ? list->count : 0);
    for (const struct json *j = list ? list->first : NULL; j; j = j->next)
        names[n++] = (const char *)arena_printf(s->arena, "%.*s", SLICE_ARG(json_text(j, "name"))).p;
    const char *near = nearest(name, names, n);
    if (near)
        fail_error("the model has no entity %s; did you mean %s?", name, near);
    else
        fail_error("the model has no entity %s; 'onefold model explain' and 'onefold model docs' show what it has", name);
    return NULL;
}
