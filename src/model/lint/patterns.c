/* patterns.c: rules about how patterns are answered: needs-scan, filter-on-key, unbounded-read, range-shared. */
#include "lint.h"

#define MANY_ITEMS 1000 /* one page of a megabyte, of items of a kilobyte */

/* The first condition that filters on what is a key attribute wherever the entity lies; NULL: none. The resolver gives no
 * plan then, since DynamoDB would refuse it. */
static const struct condition *filter_on_key(const struct pattern *p)
{
    const struct entity *en = p->n_entities ? p->entities[0] : NULL;
    for (size_t i = 0; i < p->n_filter && en; i++) {
        for (size_t k = 0; k < path_n_keys(en->key); k++) {
            if (slice_eq(path_key(en->key, k)->attribute->name, p->filter[i].attribute)) return &p->filter[i];
        }
    }
    return NULL;
}

void lint_needs_scan(struct linter *l)
{
    for (size_t i = 0; i < l->model->n_patterns; i++) {
        const struct pattern *p = &l->model->patterns[i];
        if (l->plans[i].kind != PLAN_NONE || filter_on_key(p)) continue;
        lint_tell(l, p->place, p->name,
                  arena_printf(l->arena, "onefold model explain %.*s proposes changes with what each costs",
                               SLICE_ARG(p->name)),
                  "no key answers %.*s, so it would need a Scan: %.*s", SLICE_ARG(p->name),
                  SLICE_ARG(l->plans[i].reason));
    }
}

/* The hole of the sort key that comes right behind what the plan knows; NULL: none. */
static const struct part *next_hole(const struct plan *pl)
{
    if (pl->sort_fixed >= pl->path->n_sort || pl->range) return NULL;
    const struct template *t = &pl->path->sort[pl->sort_fixed].template;
    for (size_t i = pl->sort_parts; i < t->n; i++) {
        if (t->parts[i].hole) return &t->parts[i];
    }
    return NULL;
}

void lint_filter_on_key(struct linter *l)
{
    for (size_t i = 0; i < l->model->n_patterns; i++) {
        const struct pattern *p = &l->model->patterns[i];
        const struct plan *pl = &l->plans[i];
        const struct condition *refused = pl->kind == PLAN_NONE ? filter_on_key(p) : NULL;
        if (refused) {
            lint_tell(l, refused->place, p->name, SLICE("move it from filter: to by: or where:"),
                      "%.*s filters on %.*s, a key attribute of what it reads, which DynamoDB refuses",
                      SLICE_ARG(p->name), SLICE_ARG(refused->attribute));
        }
        const struct part *hole = pl->kind == PLAN_NONE || !pl->path ? NULL : next_hole(pl);
        for (size_t k = 0; k < p->n_filter && hole; k++) {
            const struct condition *c = &p->filter[k];
            if (!slice_eq(hole->text, c->attribute)) continue;
            lint_tell(l, c->place, p->name, SLICE("move it from filter: to by: or where:"),
                      "%.*s filters on %.*s after reading, although the sort key could answer it: it pays for what it "
                      "throws away", SLICE_ARG(p->name), SLICE_ARG(c->attribute));
        }
    }
}

void lint_unbounded_read(struct linter *l)
{
    for (size_t i = 0; i < l->model->n_patterns; i++) {
        const struct pattern *p = &l->model->patterns[i];
        const struct plan *pl = &l->plans[i];
        if (pl->kind != PLAN_QUERY && pl->kind != PLAN_MERGE) continue;
        if (p->limit || (p->expect.has_items && p->expect.items <= MANY_ITEMS)) continue;
        struct slice hint = SLICE("state limit: 50, say; or where the collection is small by nature, "
                                  "expect: { items: 10 }");
        if (p->expect.has_items) {
            lint_tell(l, p->place, p->name, hint, "%.*s reads about %.0f items at once and has no limit",
                      SLICE_ARG(p->name), p->expect.items);
        } else {
            lint_tell(l, p->place, p->name, hint, "%.*s reads a whole collection, and nothing says how large it gets",
                      SLICE_ARG(p->name));
        }
    }
}

void lint_range_shared(struct linter *l)
{
    for (size_t i = 0; i < l->model->n_patterns; i++) {
        const struct pattern *p = &l->model->patterns[i];
        const struct plan *pl = &l->plans[i];
        if (pl->kind == PLAN_NONE || !pl->filter_entity || !pl->neighbours) continue;
        struct buf names;
        buf_init(&names, l->arena, (size_t)1 << 20);
        for (const struct neighbour *n = pl->neighbours; n; n = n->next) {
            if (names.n) BUF_LIT(&names, ", ");
            buf_slice(&names, n->path->entity->name);
            if (n->path->copy) BUF_LIT(&names, " (copy)");
        }
        struct measure m = { 0 };
        plan_measure(l->arena, l->model, pl, &l->sample, &m);
        struct slice figures = SLICE("");
        if (m.known && m.from_sample) {
            figures = arena_printf(l->arena, "; in the sample it reads %.3g items for %.3g results", m.items, m.results);
        }
        lint_tell(l, p->place, p->name,
                  SLICE("give the entity a prefix of its own in the sort key, or accept what is read and thrown away"),
                  "the key range of %.*s also holds %.*s, which a filter throws away after they are paid for%.*s",
                  SLICE_ARG(p->name), SLICE_ARG(buf_view(&names)), SLICE_ARG(figures));
    }
}
