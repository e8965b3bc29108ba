/* sizes.c: rules about data: item-size, data-wrong. */
#include "lint.h"
#include "../units.h"
#include "../values.h"
#include <stdlib.h>

#define NEAR 0.8 /* of the limit */

static double number_of(struct slice encoded)
{
    char text[NUM_MAX_TEXT + 1];
    if (!encoded.n) return 0;
    text[num_format(val_content(encoded), text)] = 0;
    return strtod(text, NULL);
}

/* What the stated maxima allow, a character counted as one byte; attributes without a maximum count nothing. */
static double bytes_allowed(const struct attribute *list, size_t n)
{
    double bytes = 0;
    for (size_t i = 0; i < n; i++) {
        const struct attribute *at = &list[i];
        double max = number_of(at->max);
        if (at->type == TYPE_S || at->type == TYPE_B) bytes += max;
        else if (at->type == TYPE_M) bytes += bytes_allowed(at->members, at->n_members);
        else if (at->type == TYPE_L && at->members) bytes += max * bytes_allowed(at->members, 1);
        bytes += (double)at->name.n;
    }
    return bytes;
}

void lint_item_size(struct linter *l)
{
    const struct model *m = l->model;
    double *largest = ARENA_ARRAY(l->arena, double, m->n_entities + 1);
    for (size_t i = 0; i < l->sample.n; i++) {
        const struct sample_item *s = &l->sample.items[i];
        double *most = &largest[s->path->entity->number];
        if ((double)s->size > *most) *most = (double)s->size;
    }
    for (size_t i = 0; i < m->n_entities; i++) {
        const struct entity *en = &m->entities[i];
        double expected = en->expect.has_bytes ? en->expect.bytes : 0;
        double allowed = bytes_allowed(en->attributes, en->n_attributes);
        const char *source = "in the sample data";
        double bytes = largest[i];
        if (expected > bytes) bytes = expected, source = "by its expect:";
        if (bytes < NEAR * ITEM_BYTES_MAX && allowed > bytes) bytes = allowed, source = "if its attributes use their max:";
        if (bytes < NEAR * ITEM_BYTES_MAX) continue;
        lint_tell(l, en->place, en->name,
                  SLICE("split it into several items of one partition, or keep the large part in S3 and its address here"),
                  "%.*s has %.0f bytes %s; an item may have 409,600", SLICE_ARG(en->name), bytes, source);
    }
}

void lint_data_wrong(struct linter *l)
{
    for (const struct problem *p = l->data_problems.first; p; p = p->next) {
        lint_tell(l, p->place, l->model->table, p->hint.n ? p->hint : SLICE("correct it in the data file"),
                  "the sample data cannot be used: %.*s", SLICE_ARG(p->message));
    }
}
