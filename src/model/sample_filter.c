/* sample_filter.c: a pattern's filter on an item in memory, and the inputs that sample data suggests. */
#include "sample_impl.h"
#include "values.h"
#include <stdlib.h>

struct slice value_text(struct arena *a, struct slice value)
{
    if (val_type(value) != TYPE_N) return val_content(value);
    char *text = (char *)arena_bytes(a, NUM_MAX_TEXT);
    return slice_of(text, num_format(val_content(value), text));
}

/* ---- the filter ---- */

struct filter {
    struct arena *arena;
    const struct attribute *attribute;
    struct slice inputs;
    int64_t now;
};

static bool operand_value(const struct filter *f, const struct condition *c, const struct operand *o, struct slice *out)
{
    struct err e = { .arena = f->arena };
    if (o->input) return val_get(f->inputs, o->text, out);
    return !value_from_text(f->arena, f->attribute, c->attribute, o->text, out, &e);
}

static bool operand_span(const struct filter *f, const struct operand *o, struct span *out)
{
    struct slice text = o->text, v;
    if (o->input) {
        if (!val_get(f->inputs, o->text, &v)) return false;
        text = value_text(f->arena, v);
    }
    return when_parse(text, f->now, out);
}

static bool time_holds(const struct filter *f, const struct condition *c, struct slice value)
{
    struct span a, b = { 0 };
    int64_t at;
    if (!f->attribute || !when_of(f->attribute->time, value_text(f->arena, value), &at)) return false;
    if (!operand_span(f, &c->a, &a) || (c->op == COMPARE_DURING && !operand_span(f, &c->b, &b))) return false;
    switch (c->op) {
    case COMPARE_SINCE: return at >= a.start;
    case COMPARE_UNTIL: return at < a.start;
    case COMPARE_ON: return at >= a.start && at < a.end;
    default: return at >= a.start && at < b.start;
    }
}

static bool holds(const struct filter *f, const struct condition *c, struct slice value)
{
    struct slice x, y = { 0 };
    if (c->op >= COMPARE_SINCE) return time_holds(f, c, value);
    if (!operand_value(f, c, &c->a, &x) || (c->op == COMPARE_BETWEEN && !operand_value(f, c, &c->b, &y))) return false;
    if (c->op == COMPARE_EQ) return val_equal(value, x);
    enum val_type t = val_type(value);
    if (t != val_type(x) || (y.n && t != val_type(y)) || (t != TYPE_S && t != TYPE_N && t != TYPE_B)) return false;
    switch (c->op) {
    case COMPARE_PREFIX: return t != TYPE_N && slice_starts(val_content(value), val_content(x));
    case COMPARE_AT_LEAST: return val_compare(value, x) >= 0;
    case COMPARE_ABOVE: return val_compare(value, x) > 0;
    case COMPARE_AT_MOST: return val_compare(value, x) <= 0;
    case COMPARE_BELOW: return val_compare(value, x) < 0;
    default: return val_compare(value, x) >= 0 && val_compare(value, y) <= 0;
    }
}

bool filter_holds(struct arena *a, const struct pattern *p, struct slice inputs, int64_t now, struct slice item)
{
    struct filter f = { .arena = a, .inputs = inputs, .now = now };
    for (size_t i = 0; i < p->n_filter; i++) {
        struct slice value;
        f.attribute = entity_attribute(p->entities[0], p->filter[i].attribute);
        if (!val_get(item, p->filter[i].attribute, &value) || !holds(&f, &p->filter[i], value)) return false;
    }
    return true;
}

/* ---- inputs ---- */

static bool is_date_in(const struct condition *list, size_t n, struct slice input)
{
    for (size_t i = 0; i < n; i++) {
        const struct condition *c = &list[i];
        if (c->op < COMPARE_SINCE) continue;
        if ((c->a.input && slice_eq(c->a.text, input)) || (c->b.input && slice_eq(c->b.text, input))) return true;
    }
    return false;
}

static int by_bytes(const void *a, const void *b)
{
    return slice_cmp(*(const struct slice *)a, *(const struct slice *)b);
}

/* A date is given by its day: that is what people ask for. */
static bool input_of(struct arena *a, const struct pattern *p, const struct attribute *at, struct slice name,
                     struct slice item, struct slice *out)
{
    int64_t ms;
    if (!at || !val_get(item, at->name, out)) return false;
    if (!is_date_in(p->where, p->n_where, name) && !is_date_in(p->filter, p->n_filter, name)) return true;
    if (!when_of(at->time, value_text(a, *out), &ms)) return false;
    struct slice iso = when_iso(a, ms);
    *out = val_make_string(a, slice_of(iso.p, iso.n < 10 ? iso.n : 10));
    return true;
}

size_t sample_inputs(struct arena *a, const struct pattern *p, const struct sample *s, const struct slice **out)
{
    const struct slice *names;
    const struct attribute *const *attributes;
    size_t n = pattern_inputs(a, p, &names, &attributes), count = 0, distinct = 0;
    struct slice *list = ARENA_ARRAY(a, struct slice, s->n + 1);
    struct attr *attrs = ARENA_ARRAY(a, struct attr, n + 1);
    for (size_t i = 0; i < s->n; i++) {
        if (s->items[i].path != p->entities[0]->key) continue;
        size_t k = 0;
        while (k < n && input_of(a, p, attributes[k], names[k], s->items[i].item, &attrs[k].value)) {
            attrs[k].name = names[k];
            k++;
        }
        if (k < n) continue;
        struct buf b;
        buf_init(&b, a, MODEL_MAX_FILE);
        val_put_map(&b, attrs, n);
        list[count++] = buf_view(&b);
    }
    if (count) qsort(list, count, sizeof *list, by_bytes);
    for (size_t i = 0; i < count; i++) {
        if (!distinct || !slice_eq(list[i], list[distinct - 1])) list[distinct++] = list[i];
    }
    *out = list;
    return distinct;
}

int64_t sample_now(const struct sample *s)
{
    int64_t latest = 0;
    for (size_t i = 0; i < s->n; i++) {
        const struct entity *en = s->items[i].path->entity;
        for (size_t k = 0; k < en->n_attributes; k++) {
            const struct attribute *at = &en->attributes[k];
            struct slice v;
            int64_t ms;
            char text[NUM_MAX_TEXT];
            if (at->time == TIME_NONE || !val_get(s->items[i].item, at->name, &v)) continue;
            struct slice t = val_content(v);
            if (val_type(v) == TYPE_N) t = slice_of(text, num_format(t, text));
            if (when_of(at->time, t, &ms) && ms > latest) latest = ms;
        }
    }
    return latest;
}
