/* sample_filter.c: a pattern's filter on an item in memory, and the inputs that sample data suggests. */
#include "sample_impl.h"
#include <stdlib.h>

static struct slice value_text(struct arena *a, struct slice value)
{
    if (val_type(value) != TYPE_N) return val_content(value);
    char *text = (char *)arena_bytes(a, NUM_MAX_TEXT);
    return slice_of(text, num_format(val_content(value), text));
}

/* ---- the filter ---- */

static bool holds(const struct condition *c, const struct slice bounds[2], struct slice value)
{
    enum val_type t = val_type(value);
    const struct slice *low = &bounds[0], *high = &bounds[1];
    if (c->op == COMPARE_EQ) return val_equal(value, *low);
    if ((low->n && val_type(*low) != t) || (high->n && val_type(*high) != t)) return false;
    if (t != TYPE_S && t != TYPE_N && t != TYPE_B) return false;
    switch (c->op) {
    case COMPARE_PREFIX: return t != TYPE_N && slice_starts(val_content(value), val_content(*low));
    case COMPARE_AT_LEAST:
    case COMPARE_SINCE: return val_compare(value, *low) >= 0;
    case COMPARE_ABOVE: return val_compare(value, *low) > 0;
    case COMPARE_AT_MOST: return val_compare(value, *high) <= 0;
    case COMPARE_BELOW:
    case COMPARE_UNTIL: return val_compare(value, *high) < 0;
    case COMPARE_BETWEEN: return val_compare(value, *low) >= 0 && val_compare(value, *high) <= 0;
    default: return val_compare(value, *low) >= 0 && val_compare(value, *high) < 0;
    }
}

bool filter_holds(const struct bound_plan *bp, struct slice item)
{
    const struct pattern *p = bp->plan->pattern;
    for (size_t i = 0; i < p->n_filter; i++) {
        struct slice value;
        if (!val_get(item, p->filter[i].attribute, &value)) return false;
        if (!holds(&p->filter[i], &bp->filter_values[2 * i], value)) return false;
    }
    return true;
}

/* ---- inputs ---- */

static const struct condition *user_of(const struct condition *list, size_t n, struct slice input)
{
    for (size_t i = 0; i < n; i++) {
        const struct condition *c = &list[i];
        if ((c->a.input && slice_eq(c->a.text, input)) || (c->b.input && slice_eq(c->b.text, input))) return c;
    }
    return NULL;
}

static int by_bytes(const void *a, const void *b)
{
    return slice_cmp(*(const struct slice *)a, *(const struct slice *)b);
}

/* A date is given by its day: that is what people ask for. */
static bool input_of(struct arena *a, const struct pattern *p, struct slice name, struct slice item, struct slice *out)
{
    int64_t ms;
    const struct condition *c = user_of(p->by, p->n_by, name);
    if (!c) c = user_of(p->where, p->n_where, name);
    if (!c) c = user_of(p->filter, p->n_filter, name);
    if (!c || !val_get(item, c->attribute, out)) return false;
    if (c->op < COMPARE_SINCE) return true;
    const struct attribute *at = entity_attribute(p->entities[0], c->attribute);
    if (!at || !when_of(at->time, value_text(a, *out), &ms)) return false;
    struct slice iso = when_iso(a, ms);
    *out = val_make_string(a, slice_of(iso.p, iso.n < 10 ? iso.n : 10));
    return true;
}

/* How wide a range is that the caller gives both ends of, no item tells. */
static bool both_ends_given(const struct pattern *p)
{
    for (size_t i = 0; i < p->n_where; i++) {
        const struct condition *c = &p->where[i];
        if (c->a.input && c->b.input) return true;
        for (size_t k = i + 1; k < p->n_where; k++)
            if (c->a.input && p->where[k].a.input && slice_eq(c->attribute, p->where[k].attribute)) return true;
    }
    return false;
}

size_t sample_inputs(struct arena *a, const struct pattern *p, const struct sample *s, const struct slice **out)
{
    const struct slice *names;
    const struct attribute *const *attributes;
    size_t n = pattern_inputs(a, p, &names, &attributes), count = 0, distinct = 0;
    if (both_ends_given(p)) return 0;
    struct slice *list = ARENA_ARRAY(a, struct slice, s->n + 1);
    struct attr *attrs = ARENA_ARRAY(a, struct attr, n + 1);
    for (size_t i = 0; i < s->n; i++) {
        if (s->items[i].path != p->entities[0]->key) continue;
        size_t k = 0;
        while (k < n && input_of(a, p, names[k], s->items[i].item, &attrs[k].value)) {
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
