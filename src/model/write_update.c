/* write_update.c: the step update as actions: without reading where nothing depends on what is
 * changed, else from the item as it is. */
#include "values.h"
#include "write_impl.h"
#include "write_update.h"

/* ---- without reading ---- */

static bool stands_alone(const struct entity *en, struct slice attribute)
{
    return !keys_use(en, attribute) && !copies_hold(en, attribute);
}

static bool has_rules(const struct attribute *at)
{
    return at->min.n || at->max.n || at->n_enumeration || at->time != TIME_NONE;
}

/* Can it be one update of the item, that needs nothing to be known? */
static bool is_simple(const struct model *m, const struct work *k)
{
    const struct entity *en = k->entity;
    if (k->step->expected.n) return false;
    if (m->updated.n && !stands_alone(en, m->updated)) return false;
    if (en->lock.n && !stands_alone(en, en->lock)) return false;
    for (size_t i = 0; i < k->step->n_changes; i++) {
        const struct attribute_change *c = &k->step->changes[i];
        const struct attribute *at = entity_attribute(en, c->attribute);
        if (!stands_alone(en, c->attribute) || (at && at->read_only)) return false;
        if (c->kind == CHANGE_ADD && at && has_rules(at)) return false;
    }
    return true;
}

static void update_simply(struct write *w, struct work *k)
{
    struct arena *a = w->s->arena;
    const struct model *m = w->s->model;
    const struct entity *en = k->entity;
    struct action *x = action_add(w, ACTION_UPDATE, ROLE_ITEM, k, k->key);
    for (size_t i = 0; i < k->step->n_changes; i++) {
        const struct attribute_change *c = &k->step->changes[i];
        if (!slice_eq(c->attribute, en->lock)) {
            action_change(x, c);
            continue;
        }
        k->guards = ARENA_NEW(a, struct guard);
        k->guards[k->n_guards++] = (struct guard){ c->attribute, c->value };
    }
    const struct attribute *updated = m->updated.n ? entity_attribute(en, m->updated) : NULL;
    if (updated) action_set(x, m->updated, now_value(w, updated, 0));
    if (en->lock.n) {
        action_change(x, &(struct attribute_change){ CHANGE_ADD, en->lock, val_make_number(a, 1) });
    }
    guard_item(w, k, x);
}

/* ---- from the item as it is ---- */

static int refuse_read_only(struct write *w, const struct work *k, const struct attribute *at,
                            struct slice is, struct err *e)
{
    return err_set(
        e, ERR_ValidationException, "%.*s.%.*s: is read-only and cannot be changed; it is %.*s",
        SLICE_ARG(k->entity->name), SLICE_ARG(at->name), SLICE_ARG(value_label(w->s->arena, is)));
}

static int apply_change(struct write *w, struct work *k, const struct attribute_change *c,
                        struct slice *attributes, struct err *e)
{
    struct arena *a = w->s->arena;
    const struct attribute *at = entity_attribute(k->entity, c->attribute);
    struct slice is, value = c->value;
    bool there = val_get(*attributes, c->attribute, &is);
    int code;
    if (c->kind == CHANGE_REMOVE) {
        value = slice_of(NULL, 0);
    } else if (c->kind == CHANGE_ADD && there) {
        if ((code = change_sum(a, k->entity, c, is, &value, e)) != 0) return code;
    }
    if (value.n && at && (code = value_check(k->entity, at, value, e)) != 0) return code;
    if (at && at->read_only && there && !(value.n && val_equal(is, value))) {
        return refuse_read_only(w, k, at, is, e);
    }
    *attributes = map_with(a, *attributes, c->attribute, value);
    return 0;
}

/* The time of this update. Of an open entity it is never that of the one before: a copy that moves
 * is put as a whole, and that nobody has added an attribute which it did not know can only be told
 * by this one having changed. */
static struct slice time_after(struct write *w, const struct work *k,
                               const struct attribute *updated)
{
    struct slice now = now_value(w, updated, 0), old;
    if (!k->entity->open || !val_get(k->old_attributes, updated->name, &old) ||
        !val_equal(now, old))
        return now;
    return now_value(w, updated, updated->time == TIME_EPOCH ? 1000 : 1);
}

static int new_attributes(struct write *w, struct work *k, struct err *e)
{
    struct arena *a = w->s->arena;
    const struct model *m = w->s->model;
    const struct entity *en = k->entity;
    int64_t version = lock_version(k->old_attributes, en->lock);
    struct slice attributes = k->old_attributes;
    for (size_t i = 0; i < k->step->n_changes; i++) {
        const struct attribute_change *c = &k->step->changes[i];
        int64_t given = -1;
        if (!slice_eq(c->attribute, en->lock)) {
            int code = apply_change(w, k, c, &attributes, e);
            if (code) return code;
        } else if (!num_to_int64(val_content(c->value), &given) || given != version) {
            return version_differs(w, k, version, given, e);
        }
    }
    const struct attribute *updated = m->updated.n ? entity_attribute(en, m->updated) : NULL;
    if (updated) attributes = map_with(a, attributes, m->updated, time_after(w, k, updated));
    if (en->lock.n) attributes = map_with(a, attributes, en->lock, val_make_number(a, version + 1));
    k->result = attributes;
    return 0;
}

static bool is_same(struct slice item, struct slice other, struct slice attribute)
{
    struct slice a, b;
    bool there = val_get(item, attribute, &a);
    return there == val_get(other, attribute, &b) && (!there || val_equal(a, b));
}

/* Attributes of which more than the new value was used: also those that are as they shall be, since nothing is written of them. */
static size_t used_attributes(const struct work *k, struct slice item, struct slice *out)
{
    size_t n = 0;
    for (size_t i = 0; i < k->step->n_changes; i++) {
        const struct attribute_change *c = &k->step->changes[i];
        const struct attribute *at = entity_attribute(k->entity, c->attribute);
        if (c->kind == CHANGE_ADD || (at && at->read_only) || is_same(k->old, item, c->attribute)) out[n++] = c->attribute;
    }
    return n;
}

static bool puts_copies(const struct write *w, size_t from)
{
    for (size_t i = from; i < w->n_actions; i++) {
        if (w->actions[i].role == ROLE_COPY && w->actions[i].kind == ACTION_PUT) return true;
    }
    return false;
}

static void update_moved(struct write *w, struct work *k, const struct stored *before,
                         const struct stored *now, struct slice key)
{
    struct slice hash = w->s->model->indexes[0].hash.attrs[0].name;
    guard_make(w, k, GUARD_ALL, NULL, 0);
    guard_item(w, k, action_add(w, ACTION_DELETE, ROLE_ITEM, k, k->key));
    struct action *x = action_add(w, ACTION_PUT, ROLE_NEW_ITEM, k, key);
    x->item = now->items[0];
    x->size = val_item_size(x->item);
    action_exists(x, hash, false);
    parts_move(w, k, before, now, key, true);
}

static int update_from_item(struct write *w, struct work *k, struct err *e)
{
    struct arena *a = w->s->arena;
    const struct model *m = w->s->model;
    struct stored before, now;
    int code = work_read(w, k, e);
    if (code) return code;
    if ((code = expected_check(w, k, e)) != 0) return code;
    if (!k->old.n) return not_there(w, k, e);
    if ((code = new_attributes(w, k, e)) != 0) return code;
    if ((code = entity_store(a, m, k->entity, k->result, &now, e)) != 0) return code;
    bool exact = parts_of(a, m, k->entity, k->old_attributes, &before);
    struct slice key = table_key_of(a, m, now.items[0]);
    if (!val_equal(key, k->key)) {
        update_moved(w, k, &before, &now, key);
        return 0;
    }
    /* Of an older shape: what was filled in is written now, and copies, which hold other things,
     * are put anew. */
    bool older = item_identify(a, m, k->old).schema != k->entity->schema;
    size_t first = w->n_actions;
    action_add(w, ACTION_UPDATE, ROLE_ITEM, k, k->key);
    parts_move(w, k, &before, &now, k->key, k->rewrite || !exact || older);
    struct slice *used = ARENA_ARRAY(a, struct slice, k->step->n_changes + 1);
    size_t n = used_attributes(k, now.items[0], used);
    guard_make(w, k,
               older                   ? GUARD_ALL
               : puts_copies(w, first) ? GUARD_COPIES
                                       : GUARD_KEYS,
               used, n);
    struct action *x = &w->actions[first];
    action_difference(x, m, k->old, now.items[0]);
    if (action_is_empty(x)) x->kind = ACTION_CHECK;
    x->size = val_item_size(now.items[0]);
    guard_item(w, k, x);
    return 0;
}

int work_update(struct write *w, struct work *k, struct err *e)
{
    struct session *s = w->s;
    int code = entity_key(s->arena, s->model, k->entity, k->step->attributes, &k->key, e);
    if (code) return code;
    k->n_guards = 0;
    for (size_t i = 0; i < k->step->n_changes; i++) {
        if ((code = change_check(s->arena, s->model, k, i, e)) != 0) return code;
    }
    if (!is_simple(s->model, k)) return update_from_item(w, k, e);
    update_simply(w, k);
    return 0;
}
