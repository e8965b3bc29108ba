/* write_put.c: the steps put, delete and check as actions. */
#include "write_impl.h"

/* ---- put ---- */

static bool has_read_only(const struct entity *en)
{
    for (size_t i = 0; i < en->n_attributes; i++) {
        const struct attribute *at = &en->attributes[i];
        if (at->read_only && !at->automatic && !path_uses(en->key, at->name)) return true;
    }
    return false;
}

/* Attributes that cannot be changed once written keep their values; giving another is an error. */
static int keep_read_only(struct write *w, struct work *k, struct slice *attributes, struct err *e)
{
    struct arena *a = w->s->arena;
    const struct entity *en = k->entity;
    for (size_t i = 0; i < en->n_attributes; i++) {
        const struct attribute *at = &en->attributes[i];
        struct slice old, given;
        if (!at->read_only || at->automatic || !val_get(k->old_attributes, at->name, &old))
            continue;
        if (!val_get(k->step->attributes, at->name, &given)) {
            *attributes = map_with(a, *attributes, at->name, old);
        } else if (!val_equal(old, given)) {
            return err_set(e, ERR_ValidationException,
                           "%.*s.%.*s: is read-only and is %.*s, so it cannot become %.*s",
                           SLICE_ARG(en->name), SLICE_ARG(at->name), SLICE_ARG(value_label(a, old)),
                           SLICE_ARG(value_label(a, given)));
        }
    }
    return 0;
}

/* An item that is replaced has a version, which whoever replaces it must know. */
static int next_version(struct write *w, struct work *k, struct slice *attributes, struct err *e)
{
    struct arena *a = w->s->arena;
    const struct entity *en = k->entity;
    int64_t is = lock_version(k->old_attributes, en->lock);
    int64_t given = lock_version(k->step->attributes, en->lock);
    if (!given) {
        return err_set(
            e, ERR_ConditionalCheckFailedException,
            "%.*s exists already; to replace it give the version that you read (%.*s is %lld now)",
            SLICE_ARG(entity_label(a, en, k->attributes)), SLICE_ARG(en->lock), (long long)is);
    }
    if (given != is) return version_differs(w, k, is, given, e);
    *attributes = map_with(a, *attributes, en->lock, val_make_number(a, is + 1));
    return 0;
}

/* It is updated now, also where the time of its last update is given back. Putting exactly what is
 * there changes neither time nor version: so a load can be repeated. */
static int renew(struct write *w, struct work *k, struct slice *attributes, struct err *e)
{
    const struct model *m = w->s->model;
    const struct attribute *updated = m->updated.n ? entity_attribute(k->entity, m->updated) : NULL;
    struct slice given, old;
    if (val_equal(*attributes, k->old_attributes)) return 0;
    if (updated && val_get(*attributes, m->updated, &given) &&
        val_get(k->old_attributes, m->updated, &old) && val_equal(given, old)) {
        *attributes = map_with(w->s->arena, *attributes, m->updated, now_value(w, updated, 0));
    }
    return k->entity->lock.n ? next_version(w, k, attributes, e) : 0;
}

static int begin_put(struct write *w, struct work *k, struct err *e)
{
    if (k->key.n) return 0; /* an earlier attempt did: generated values stay */
    struct session *s = w->s;
    int code = entity_complete(s->arena, s->model, k->entity, s->env, k->step->attributes,
                               &k->attributes, e);
    return code ? code : entity_key(s->arena, s->model, k->entity, k->attributes, &k->key, e);
}

int work_put(struct write *w, struct work *k, struct err *e)
{
    struct arena *a = w->s->arena;
    const struct entity *en = k->entity;
    struct stored before = { 0 }, now;
    int code = begin_put(w, k, e);
    if (code) return code;
    struct slice updated;
    bool must_read =
        en->lock.n || k->step->expected.n || parts_wander(en) || has_read_only(en) ||
        (w->s->model->updated.n && val_get(k->step->attributes, w->s->model->updated, &updated));
    if (must_read && !k->step->if_absent && (code = work_read(w, k, e)) != 0) return code;
    if ((code = expected_check(w, k, e)) != 0) return code;
    struct slice attributes = k->attributes;
    if (k->old.n) {
        if ((code = keep_read_only(w, k, &attributes, e)) != 0) return code;
        if ((code = renew(w, k, &attributes, e)) != 0) return code;
        parts_of(a, w->s->model, en, k->old_attributes, &before);
    }
    if ((code = entity_store(a, w->s->model, en, attributes, &now, e)) != 0) return code;
    k->result = attributes;
    struct slice *more = ARENA_ARRAY(a, struct slice, en->n_attributes);
    size_t n = 0;
    for (size_t i = 0; i < en->n_attributes; i++) {
        if (en->attributes[i].read_only && !en->attributes[i].automatic)
            more[n++] = en->attributes[i].name;
    }
    guard_make(w, k, GUARD_PLACES, more, n);
    struct action *x = action_add(w, ACTION_PUT, ROLE_ITEM, k, k->key);
    x->item = now.items[0];
    x->size = val_item_size(x->item);
    guard_item(w, k, x);
    parts_move(w, k, &before, &now, k->key, true);
    return 0;
}

/* ---- delete ---- */

int work_delete(struct write *w, struct work *k, struct err *e)
{
    struct session *s = w->s;
    const struct entity *en = k->entity;
    const struct stored none = { 0 };
    struct stored before = { 0 };
    int code = entity_key(s->arena, s->model, en, k->step->attributes, &k->key, e);
    if (code) return code;
    bool has_parts = en->n_copies || en->n_uniques;
    if (k->step->expected.n || parts_wander(en) || (has_parts && w->alone)) {
        if ((code = work_read(w, k, e)) != 0) return code;
        if ((code = expected_check(w, k, e)) != 0) return code;
        if (!k->old.n && k->where) return not_there(w, k, e);
        if (!k->old.n && w->alone) return 0; /* nothing to delete */
    }
    if (k->old.n) {
        parts_of(s->arena, s->model, en, k->old_attributes, &before);
    } else if (has_parts && !k->was_read) {
        parts_of(s->arena, s->model, en, k->step->attributes, &before);
    }
    k->result = k->old_attributes;
    guard_make(w, k, GUARD_PLACES, NULL, 0);
    bool nothing = k->was_read && !k->old.n; /* in a transaction: that it stays so */
    guard_item(w, k, action_add(w, nothing ? ACTION_CHECK : ACTION_DELETE, ROLE_ITEM, k, k->key));
    parts_move(w, k, &before, &none, k->key, false);
    return 0;
}

/* ---- check ---- */

int work_check(struct write *w, struct work *k, struct err *e)
{
    int code = entity_key(w->s->arena, w->s->model, k->entity, k->step->attributes, &k->key, e);
    if (!code) guard_item(w, k, action_add(w, ACTION_CHECK, ROLE_ITEM, k, k->key));
    return code;
}
