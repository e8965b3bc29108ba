/* write_parts.c: the copies and sentinels that belong to an entity, and how they move when it
 * changes. */
#include "write_impl.h"

/* ---- what uses an attribute ---- */

static bool uniques_use(const struct entity *en, struct slice attribute)
{
    for (size_t i = 0; i < en->n_uniques; i++) {
        for (size_t j = 0; j < en->uniques[i].n; j++) {
            if (slice_eq(en->uniques[i].attributes[j], attribute)) return true;
        }
    }
    return false;
}

bool places_use(const struct entity *en, struct slice attribute)
{
    for (size_t i = 0; i < en->n_copies; i++) {
        if (path_uses(en->copies[i].key, attribute)) return true;
    }
    return uniques_use(en, attribute);
}

bool keys_use(const struct entity *en, struct slice attribute)
{
    if (places_use(en, attribute) || path_uses(en->key, attribute)) return true;
    for (size_t i = 0; i < en->n_entries; i++) {
        if (path_uses(en->entries[i], attribute)) return true;
    }
    for (size_t i = 0; i < en->n_copies; i++) {
        for (size_t j = 0; j < en->copies[i].n_entries; j++) {
            if (path_uses(en->copies[i].entries[j], attribute)) return true;
        }
    }
    return false;
}

bool copies_hold(const struct entity *en, struct slice attribute)
{
    for (size_t i = 0; i < en->n_copies; i++) {
        if (copy_holds(&en->copies[i], attribute)) return true;
    }
    return false;
}

bool parts_wander(const struct entity *en)
{
    for (size_t i = 0; i < en->n_attributes; i++) {
        struct slice name = en->attributes[i].name;
        if (places_use(en, name) && !path_uses(en->key, name)) return true;
    }
    return false;
}

/* ---- where they are ---- */

static struct slice keys_as_map(struct arena *a, const struct model *m, const struct access_path *p,
                                struct slice attributes)
{
    struct attr attrs[2 * KEY_MAX_PARTS];
    struct err ignored = { .arena = a };
    bool absent = false;
    if (path_keys(a, m, p, attributes, attrs, &absent, &ignored) || absent)
        return slice_of(NULL, 0);
    return map_make(a, attrs, p->n_hash + p->n_sort);
}

static struct slice sentinel_key(struct arena *a, const struct model *m, const struct unique *u,
                                 struct slice attributes)
{
    const struct model_index *t = &m->indexes[0];
    struct rendered hash = template_render(a, &u->hash, attributes);
    if (hash.status != RENDER_OK) return slice_of(NULL, 0);
    struct attr attrs[2] = { { t->hash.attrs[0].name, hash.value } };
    if (!t->sort.n) return map_make(a, attrs, 1);
    struct rendered sort = template_render(a, &u->sort, attributes);
    if (sort.status != RENDER_OK) return slice_of(NULL, 0);
    attrs[1] = (struct attr){ t->sort.attrs[0].name, sort.value };
    return map_make(a, attrs, 2);
}

bool parts_of(struct arena *a, const struct model *m, const struct entity *en,
              struct slice attributes, struct stored *out)
{
    struct err ignored = { .arena = a };
    if (!entity_store(a, m, en, attributes, out, &ignored)) return true;
    *out = (struct stored){ .items = ARENA_ARRAY(a, struct slice, en->n_copies + 1),
                            .paths = ARENA_ARRAY(a, const struct access_path *, en->n_copies + 1),
                            .sentinels = ARENA_ARRAY(a, struct slice, en->n_uniques) };
    out->items[0] = keys_as_map(a, m, en->key, attributes);
    out->paths[out->n++] = en->key;
    for (size_t i = 0; i < en->n_copies; i++) {
        struct slice key = keys_as_map(a, m, en->copies[i].key, attributes);
        if (!key.n) continue;
        out->items[out->n] = key;
        out->paths[out->n++] = en->copies[i].key;
    }
    for (size_t i = 0; i < en->n_uniques; i++) {
        struct slice key = sentinel_key(a, m, &en->uniques[i], attributes);
        if (key.n) out->sentinels[out->n_sentinels++] = key;
    }
    return false;
}

const struct unique *sentinel_unique(struct arena *a, const struct entity *en,
                                     struct slice attributes, struct slice hash)
{
    for (size_t i = 0; i < en->n_uniques; i++) {
        struct rendered r = template_render(a, &en->uniques[i].hash, attributes);
        if (r.status == RENDER_OK && val_equal(r.value, hash)) return &en->uniques[i];
    }
    return NULL;
}

/* ---- how they move ---- */

struct move {
    struct write *w;
    struct work *k;
    struct slice owner; /* the item's key as it will be */
    bool whole;
};

static struct slice key_in(const struct move *mv, struct slice item)
{
    return table_key_of(mv->w->s->arena, mv->w->s->model, item);
}

/* The copy of this path, from 1; 0: there is none. */
static size_t find_copy(const struct stored *st, const struct access_path *p)
{
    for (size_t i = 1; i < st->n; i++) {
        if (st->paths[i] == p) return i;
    }
    return 0;
}

static void put_item(const struct move *mv, enum action_role role, struct slice key,
                     struct slice item)
{
    struct action *x = action_add(mv->w, ACTION_PUT, role, mv->k, key);
    x->item = item;
    x->size = val_item_size(item);
}

static void delete_copies(const struct move *mv, const struct stored *old, const struct stored *now)
{
    for (size_t i = 1; i < old->n; i++) {
        struct slice key = key_in(mv, old->items[i]);
        size_t j = find_copy(now, old->paths[i]);
        if (j && val_equal(key_in(mv, now->items[j]), key)) continue;
        action_add(mv->w, ACTION_DELETE, ROLE_COPY, mv->k, key);
    }
}

static void put_copies(const struct move *mv, const struct stored *old, const struct stored *now)
{
    const struct model *m = mv->w->s->model;
    for (size_t i = 1; i < now->n; i++) {
        struct slice key = key_in(mv, now->items[i]);
        size_t j = find_copy(old, now->paths[i]);
        if (mv->whole || !j || !val_equal(key_in(mv, old->items[j]), key)) {
            put_item(mv, ROLE_COPY, key, now->items[i]);
            continue;
        }
        struct action *x = action_add(mv->w, ACTION_UPDATE, ROLE_COPY, mv->k, key);
        action_difference(x, m, old->items[j], now->items[i]);
        if (action_is_empty(x)) {
            mv->w->n_actions--;
        } else {
            action_exists(x, m->indexes[0].hash.attrs[0].name,
                          true); /* else an update would make a piece of one */
            x->size = val_item_size(now->items[i]);
        }
    }
}

static bool has_sentinel(const struct move *mv, const struct stored *st, struct slice key)
{
    for (size_t i = 0; i < st->n_sentinels; i++) {
        if (val_equal(key_in(mv, st->sentinels[i]), key)) return true;
    }
    return false;
}

/* "not there, or owned by this very item" (under its old or new key) */
static void own(const struct move *mv, struct action *x)
{
    struct slice hash = mv->w->s->model->indexes[0].hash.attrs[0].name;
    buf_printf(&x->condition, "attribute_not_exists(#a%u)", action_name(x, hash));
    unsigned name = action_name(x, SLICE("owner"));
    buf_printf(&x->condition, " OR #a%u = :a%u", name, action_value(x, mv->owner));
    if (!val_equal(mv->owner, mv->k->key)) {
        buf_printf(&x->condition, " OR #a%u = :a%u", name, action_value(x, mv->k->key));
    }
}

static void move_sentinels(const struct move *mv, const struct stored *old,
                           const struct stored *now, struct slice attributes)
{
    struct arena *a = mv->w->s->arena;
    for (size_t i = 0; i < old->n_sentinels && !mv->k->keep_sentinels; i++) {
        struct slice key = key_in(mv, old->sentinels[i]);
        if (has_sentinel(mv, now, key)) continue;
        own(mv, action_add(mv->w, ACTION_DELETE, ROLE_SENTINEL, mv->k, key));
    }
    for (size_t i = 0; i < now->n_sentinels; i++) {
        struct slice key = key_in(mv, now->sentinels[i]), hash;
        if (!mv->whole && has_sentinel(mv, old, key)) continue;
        put_item(mv, ROLE_SENTINEL, key, now->sentinels[i]);
        struct action *x = &mv->w->actions[mv->w->n_actions - 1];
        own(mv, x);
        if (val_get(key, mv->w->s->model->indexes[0].hash.attrs[0].name, &hash)) {
            x->unique = sentinel_unique(a, mv->k->entity, attributes, hash);
        }
    }
}

void parts_move(struct write *w, struct work *k, const struct stored *old, const struct stored *now,
                struct slice owner, bool whole)
{
    struct move mv = { .w = w, .k = k, .owner = owner, .whole = whole };
    delete_copies(&mv, old, now);
    put_copies(&mv, old, now);
    move_sentinels(&mv, old, now, k->result);
}
