/* write_guard.c: what a write stands on: attributes that must still be what they were when the item
 * was read. */
#include "write_impl.h"

/* A hole of the entity's own key: as long as the key is the same it cannot have changed. */
static bool is_in_key(const struct entity *en, struct slice attribute)
{
    const struct access_path *p = en->key;
    const struct key_template *sides[2] = { p->hash, p->sort };
    for (size_t s = 0; s < 2; s++) {
        size_t n = s ? p->n_sort : p->n_hash;
        for (size_t i = 0; i < n; i++) {
            const struct template *t = &sides[s][i].template;
            for (size_t j = 0; j < t->n; j++) {
                if (t->parts[j].hole && slice_eq(t->parts[j].text, attribute)) return true;
            }
        }
    }
    return false;
}

static bool in_scope(const struct entity *en, enum guard_scope scope, struct slice attribute)
{
    if (scope == GUARD_ALL || places_use(en, attribute)) return true;
    if (scope >= GUARD_KEYS && keys_use(en, attribute)) return true;
    return scope >= GUARD_COPIES && copies_hold(en, attribute);
}

static bool is_among(const struct slice *list, size_t n, struct slice name)
{
    for (size_t i = 0; i < n; i++) {
        if (slice_eq(list[i], name)) return true;
    }
    return false;
}

static bool is_guarded(const struct work *k, struct slice attribute)
{
    for (size_t i = 0; i < k->n_guards; i++) {
        if (slice_eq(k->guards[i].attribute, attribute)) return true;
    }
    return false;
}

static void add(struct work *k, struct slice attribute)
{
    struct slice value;
    if (is_guarded(k, attribute)) return;
    if (!val_get(k->old, attribute, &value)) value = slice_of(NULL, 0);
    k->guards[k->n_guards++] = (struct guard){ attribute, value };
}

/* As the item holds them, which need not be how they are read. */
static void add_expected(struct work *k)
{
    struct val_iter it;
    struct slice name, value;
    if (!k->step->expected.n) return;
    val_iter_init(&it, k->step->expected);
    while (val_next(&it, &name, &value)) {
        if (!is_in_key(k->entity, name)) add(k, name);
    }
}

static void add_scope(struct write *w, struct work *k, enum guard_scope scope, const struct slice *more, size_t n_more)
{
    const struct entity *en = k->entity;
    const struct model *m = w->s->model;
    struct val_iter it;
    struct slice name, value;
    for (size_t i = 0; i < en->n_attributes; i++) {
        name = en->attributes[i].name;
        if (is_among(more, n_more, name)) continue;
        if (!is_in_key(en, name) && in_scope(en, scope, name)) add(k, name);
    }
    for (size_t i = 0; i < n_more; i++) {
        if (!is_in_key(en, more[i])) add(k, more[i]);
    }
    if (scope < GUARD_COPIES) return;
    val_iter_init(&it, k->old); /* those that are not declared, of an open entity */
    while (val_next(&it, &name, &value)) {
        if (entity_attribute(en, name) || model_is_key_attribute(m, name) ||
            is_among(more, n_more, name))
            continue;
        if (in_scope(en, scope, name)) add(k, name);
    }
}

void guard_make(struct write *w, struct work *k, enum guard_scope scope, const struct slice *more,
                size_t n_more)
{
    size_t most = k->entity->n_attributes + val_count(k->old) + n_more + 1;
    if (k->step->expected.n) most += val_count(k->step->expected);
    k->guards = ARENA_ARRAY(w->s->arena, struct guard, most);
    k->n_guards = 0;
    if (!k->old.n) return;
    /* The version alone is not enough: an entity that was deleted and came anew begins with the same one. */
    if (k->entity->lock.n) add(k, k->entity->lock);
    add_scope(w, k, scope, more, n_more);
    add_expected(k);
}

bool guard_holds(const struct work *k, struct slice item)
{
    for (size_t i = 0; i < k->n_guards; i++) {
        struct slice value;
        bool there = val_get(item, k->guards[i].attribute, &value);
        if (there != (k->guards[i].value.n > 0)) return false;
        if (there && !val_equal(value, k->guards[i].value)) return false;
    }
    return true;
}

void guard_item(struct write *w, struct work *k, struct action *x)
{
    struct slice hash = w->s->model->indexes[0].hash.attrs[0].name;
    const struct step *st = k->step;
    if (st->kind == STEP_PUT) {
        if (st->if_absent || k->was_read) action_exists(x, hash, !st->if_absent && k->old.n > 0);
    } else if (st->kind != STEP_DELETE || k->was_read) {
        action_exists(x, hash, st->kind != STEP_DELETE || k->old.n > 0);
    }
    for (size_t i = 0; i < k->n_guards; i++) {
        if (k->guards[i].value.n) {
            action_equals(x, k->guards[i].attribute, k->guards[i].value);
        } else {
            action_exists(x, k->guards[i].attribute, false);
        }
    }
    if (k->where) action_where(x, k->where);
}
