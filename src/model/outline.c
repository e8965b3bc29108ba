/* outline.c: the names that a model holds, and an error with the nearest one for a name it does not. */
#include "outline.h"
#include "jsonw.h"
#include "plan.h"
#include "values.h"

static const char *type_name(enum val_type t)
{
    switch (t) {
    case TYPE_N: return "number";
    case TYPE_B: return "binary";
    case TYPE_BOOL: return "boolean";
    case TYPE_L: return "list";
    case TYPE_M: return "map";
    case TYPE_SS: return "string-set";
    case TYPE_NS: return "number-set";
    case TYPE_BS: return "binary-set";
    default: return "string";
    }
}

static void put_attribute(struct buf *b, const struct entity *en, const struct attribute *at)
{
    js_open(b, NULL, '{');
    js_string(b, "name", at->name);
    js_string(b, "type", slice_str(type_name(at->type)));
    js_string_if(b, "about", at->about);
    if (path_uses(en->key, at->name)) js_bool(b, "key", true);
    if (at->required) js_bool(b, "required", true);
    if (at->read_only) js_bool(b, "readOnly", true);
    if (at->hidden) js_bool(b, "hidden", true);
    if (at->automatic) js_bool(b, "automatic", true);
    if (at->n_enumeration) {
        js_open(b, "enum", '[');
        for (size_t i = 0; i < at->n_enumeration; i++) {
            js_sep(b);
            value_to_plain(b, at->enumeration[i]);
        }
        js_close(b, ']');
    }
    js_close(b, '}');
}

static void put_entity(struct buf *b, const struct entity *en)
{
    js_open(b, NULL, '{');
    js_string(b, "name", en->name);
    js_string_if(b, "about", en->about);
    if (en->open) js_bool(b, "open", true);
    if (en->schema) js_number(b, "schema", en->schema);
    js_open(b, "attributes", '[');
    for (size_t i = 0; i < en->n_attributes; i++) put_attribute(b, en, &en->attributes[i]);
    js_close(b, ']');
    js_close(b, '}');
}

static void put_pattern(struct arena *a, struct buf *b, const struct pattern *p)
{
    const struct slice *inputs;
    const struct attribute *const *attributes;
    size_t n = pattern_inputs(a, p, &inputs, &attributes);
    js_open(b, NULL, '{');
    js_string(b, "name", p->name);
    js_string_if(b, "about", p->about);
    js_open(b, "entities", '[');
    for (size_t i = 0; i < p->n_entities; i++) js_string(b, NULL, p->entities[i]->name);
    js_close(b, ']');
    js_open(b, "inputs", '[');
    for (size_t i = 0; i < n; i++) js_string(b, NULL, inputs[i]);
    js_close(b, ']');
    js_close(b, '}');
}

void outline_to_json(struct arena *a, struct buf *b, const struct model *m)
{
    js_open(b, NULL, '{');
    js_string(b, "table", m->table);
    js_open(b, "indexes", '[');
    for (size_t i = 1; i < m->n_indexes; i++) js_string(b, NULL, m->indexes[i].name);
    js_close(b, ']');
    js_open(b, "entities", '[');
    for (size_t i = 0; i < m->n_entities; i++) put_entity(b, &m->entities[i]);
    js_close(b, ']');
    js_open(b, "patterns", '[');
    for (size_t i = 0; i < m->n_patterns; i++) put_pattern(a, b, &m->patterns[i]);
    js_close(b, ']');
    js_close(b, '}');
}

/* ---- names that are not there ---- */

static int no_such(struct err *e, struct slice what, struct slice name, const struct slice *names, size_t n)
{
    struct slice near = near_name(name, names, n);
    if (near.n)
        return err_set(e, ERR_ValidationException, "%.*s %.*s; did you mean %.*s?", SLICE_ARG(what),
                       SLICE_ARG(name), SLICE_ARG(near));
    if (!n) return err_set(e, ERR_ValidationException, "%.*s %.*s: it has none", SLICE_ARG(what), SLICE_ARG(name));
    struct buf list;
    buf_init(&list, e->arena, 1 << 20);
    for (size_t i = 0; i < n && i < 12; i++)
        buf_printf(&list, "%s%.*s", i ? ", " : "", SLICE_ARG(names[i]));
    if (n > 12) BUF_LIT(&list, " ...");
    return err_set(e, ERR_ValidationException, "%.*s %.*s; it has %.*s", SLICE_ARG(what), SLICE_ARG(name),
                   SLICE_ARG(buf_view(&list)));
}

int outline_attribute(struct arena *a, const struct model *m, const struct entity *en, struct slice name,
                      const struct attribute **out, struct err *e)
{
    *out = entity_attribute(en, name);
    if (*out) return 0;
    if (model_is_key_attribute(m, name))
        return err_set(e, ERR_ValidationException,
                       "%.*s: the model computes %.*s; give the attributes its template uses", SLICE_ARG(en->name),
                       SLICE_ARG(name));
    if (en->open) return 0;
    struct slice *names = ARENA_ARRAY(a, struct slice, en->n_attributes);
    for (size_t i = 0; i < en->n_attributes; i++) names[i] = en->attributes[i].name;
    struct slice what = arena_printf(a, "%.*s has no attribute", SLICE_ARG(en->name));
    return no_such(e, what, name, names, en->n_attributes);
}

int outline_pattern(struct arena *a, const struct model *m, struct slice name, const struct pattern **out,
                    struct err *e)
{
    *out = model_pattern(m, name);
    if (*out) return 0;
    struct slice *names = ARENA_ARRAY(a, struct slice, m->n_patterns);
    for (size_t i = 0; i < m->n_patterns; i++) names[i] = m->patterns[i].name;
    return no_such(e, SLICE("the model has no pattern"), name, names, m->n_patterns);
}

int outline_input(struct arena *a, const struct pattern *p, struct slice name, const struct attribute **out,
                  struct err *e)
{
    const struct slice *inputs;
    const struct attribute *const *attributes;
    size_t n = pattern_inputs(a, p, &inputs, &attributes);
    for (size_t i = 0; i < n; i++) {
        if (!slice_eq(inputs[i], name)) continue;
        *out = attributes[i];
        return 0;
    }
    struct slice what = arena_printf(a, "pattern %.*s has no input", SLICE_ARG(p->name));
    return no_such(e, what, name, inputs, n);
}
