/* plan_inputs.c: the inputs of a pattern, and the values of its operands: what was given or
 * written, as encoded values of the attribute they are compared with. */
#include "plan_impl.h"
#include "values.h"

struct input_list {
    struct slice *names;
    const struct attribute **attributes;
    size_t n;
};

static void add_input(struct input_list *l, const struct entity *en, const struct condition *c,
                      const struct operand *o)
{
    if (!o->input) return;
    for (size_t i = 0; i < l->n; i++) {
        if (slice_eq(l->names[i], o->text)) return;
    }
    l->names[l->n] = o->text;
    l->attributes[l->n++] = condition_is_date(c->op) ? NULL : entity_attribute(en, c->attribute);
}

static void add_inputs(struct input_list *l, const struct pattern *p, const struct condition *c,
                       size_t n)
{
    for (size_t i = 0; i < n; i++) {
        add_input(l, p->entities[0], &c[i], &c[i].a);
        if (c[i].op == COMPARE_BETWEEN || c[i].op == COMPARE_DURING)
            add_input(l, p->entities[0], &c[i], &c[i].b);
    }
}

size_t pattern_inputs(struct arena *a, const struct pattern *p, const struct slice **names,
                      const struct attribute *const **attributes)
{
    size_t most = 2 * (p->n_by + p->n_where + p->n_filter) + 1;
    struct input_list l = { ARENA_ARRAY(a, struct slice, most),
                            ARENA_ARRAY(a, const struct attribute *, most), 0 };
    add_inputs(&l, p, p->by, p->n_by);
    add_inputs(&l, p, p->where, p->n_where);
    add_inputs(&l, p, p->filter, p->n_filter);
    if (names) *names = l.names;
    if (attributes) *attributes = l.attributes;
    return l.n;
}

static const char *type_words(enum val_type t)
{
    switch (t) {
    case TYPE_S:
        return "a string";
    case TYPE_N:
        return "a number";
    case TYPE_B:
        return "binary";
    case TYPE_BOOL:
        return "true or false";
    default:
        return "a set, list or map";
    }
}

static int check_type(struct binder *b, const struct attribute *at, const struct operand *o,
                      struct slice value)
{
    if (!at || val_type(value) == at->type) return 0;
    return err_set(b->err, ERR_ValidationException,
                   "%.*s: the input %.*s must be %s, as the attribute %.*s is",
                   SLICE_ARG(b->plan->pattern->name), SLICE_ARG(o->text), type_words(at->type),
                   SLICE_ARG(at->name));
}

int bind_operand(struct binder *b, const struct entity *en, const struct condition *c,
                 const struct operand *o, bool check, struct slice *out)
{
    const struct attribute *at = entity_attribute(en, c->attribute);
    int rc;
    if (!o->input) {
        rc = value_from_text(b->arena, at, c->attribute, o->text, out, b->err);
    } else if (!val_get(b->inputs, o->text, out)) {
        rc = err_set(b->err, ERR_ValidationException, "%.*s needs the input %.*s",
                     SLICE_ARG(b->plan->pattern->name), SLICE_ARG(o->text));
    } else {
        rc = check_type(b, at, o, *out);
    }
    if (!rc && check && at) rc = value_check(en, at, *out, b->err);
    return rc;
}

int bind_date(struct binder *b, const struct condition *c, const struct operand *o,
              struct span *out)
{
    struct slice text = o->text, value;
    if (o->input) {
        if (!val_get(b->inputs, o->text, &value)) {
            return err_set(b->err, ERR_ValidationException, "%.*s needs the input %.*s",
                           SLICE_ARG(b->plan->pattern->name), SLICE_ARG(o->text));
        }
        text = val_content(value);
        if (val_type(value) == TYPE_N) { /* a year is a number to whoever read it */
            char digits[NUM_MAX_TEXT];
            size_t n = num_format(text, digits);
            text = arena_dup(b->arena, slice_of(digits, n));
        } else if (val_type(value) != TYPE_S) {
            text = (struct slice){ 0 };
        }
    }
    if (when_parse(text, b->now, out)) return 0;
    return err_set(
        b->err, ERR_ValidationException,
        "%.*s: %.*s is not a date for %.*s: write 2026-05-10, 2026-05-10T14:23:01Z, today or -30d",
        SLICE_ARG(b->plan->pattern->name), SLICE_ARG(text), SLICE_ARG(c->attribute));
}
