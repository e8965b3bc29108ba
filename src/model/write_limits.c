/* write_limits.c: what one transaction may hold, said before anything is written. */
#include "write_impl.h"

static struct slice where_is(struct arena *a, const struct write *w, size_t step)
{
    const struct place *p = &w->works[step].step->place;
    if (!p->line) return arena_printf(a, "step %zu", step + 1);
    return arena_printf(a, "%.*s:%u:%u", SLICE_ARG(p->file), p->line, p->column);
}

static int twice(const struct write *w, const struct action *x, const struct action *y,
                 struct err *e)
{
    struct arena *a = w->s->arena;
    const struct work *k = &w->works[x->step];
    struct slice key = value_label(a, x->key);
    if (x->step == y->step) {
        return err_set(
            e, ERR_ValidationException,
            "%.*s: two of its items would have the same key %.*s; its copies need keys that differ",
            SLICE_ARG(k->entity->name), SLICE_ARG(key));
    }
    return err_set(
        e, ERR_ValidationException,
        "%.*s and %.*s both write the item %.*s; one transaction can write an item only once",
        SLICE_ARG(where_is(a, w, x->step)), SLICE_ARG(where_is(a, w, y->step)), SLICE_ARG(key));
}

/* The condition that nothing has changed names every attribute. */
static int too_many(const struct write *w, const struct action *x, struct err *e)
{
    const struct work *k = &w->works[x->step];
    return err_set(
        e, ERR_ValidationException,
        "%.*s: this write depends on %zu attributes, more than one condition can hold (%d bytes); "
        "give the entity a lock in the model: then its version is enough",
        SLICE_ARG(k->entity->name), k->n_guards, WRITE_MAX_CONDITION);
}

int actions_check(const struct write *w, struct err *e)
{
    size_t bytes = 0;
    if (w->n_actions > WRITE_MAX_ACTIONS) {
        return err_set(
            e, ERR_ValidationException,
            "that is %zu actions (items, copies and unique values); a transaction has at most %d",
            w->n_actions, WRITE_MAX_ACTIONS);
    }
    for (size_t i = 0; i < w->n_actions; i++) {
        if (w->actions[i].condition.n > WRITE_MAX_CONDITION) return too_many(w, &w->actions[i], e);
        bytes += w->actions[i].size;
        for (size_t j = 0; j < i; j++) {
            if (val_equal(w->actions[i].key, w->actions[j].key)) {
                return twice(w, &w->actions[j], &w->actions[i], e);
            }
        }
    }
    if (bytes > WRITE_MAX_BYTES && w->n_actions > 1) {
        return err_set(
            e, ERR_ValidationException,
            "the items of this transaction have %zu bytes; at most %zu (4 MB) are allowed", bytes,
            WRITE_MAX_BYTES);
    }
    return 0;
}
