/* partitions.c: rules about hash and base keys: hot-partition, mutable-key. */
#include "lint.h"
#include "../spread.h"
#include <strings.h>

/* How many different values the hash key of the path can have; 0: nobody knows, so many. */
static double partitions_of(const struct access_path *p)
{
    double n = 1;
    for (size_t i = 0; i < p->n_hash; i++) {
        const struct key_template *k = &p->hash[i];
        if (k->shards) return 0;
        for (size_t j = 0; j < k->template.n; j++) {
            const struct part *part = &k->template.parts[j];
            if (!part->hole) continue;
            const struct attribute *at = entity_attribute(p->entity, part->text);
            if (!attribute_is_narrow(at)) return 0;
            n *= at->type == TYPE_BOOL ? 2 : (double)at->n_enumeration;
        }
    }
    return n;
}

static bool has_holes(const struct key_template *k, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (template_holes(&k[i].template)) return true;
    }
    return false;
}

void lint_hot_partition(struct linter *l)
{
    for (size_t i = 0; i < l->model->n_paths; i++) {
        const struct access_path *p = &l->model->paths[i];
        double n = partitions_of(p);
        if (n == 0 || p->index->local) continue;
        /* A key without any hole is one item, and one item is not a crowd. */
        if (p->kind == PATH_KEY && !has_holes(p->hash, p->n_hash) && !has_holes(p->sort, p->n_sort)) continue;
        struct slice where = p->index->name.n ? p->index->name : SLICE("the table");
        struct slice text = p->hash[0].template.source.n ? p->hash[0].template.source : p->hash[0].attribute->name;
        if (n == 1) {
            lint_tell(l, p->place, p->entity->name, spread_advice(l->arena, p),
                      "every %.*s lies in the one partition %.*s of %.*s, which takes 1,000 writes a second and no more",
                      SLICE_ARG(p->entity->name), SLICE_ARG(text), SLICE_ARG(where));
        } else {
            lint_tell(l, p->place, p->entity->name, spread_advice(l->arena, p),
                      "every %.*s lies in one of %.0f partitions %.*s of %.*s, each of which takes 1,000 writes a "
                      "second and no more", SLICE_ARG(p->entity->name), n, SLICE_ARG(text), SLICE_ARG(where));
        }
    }
}

/* Names of things that change during the life of an item. */
static bool name_tells_change(struct slice name)
{
    static const char *const words[] = { "status", "state", "title", "email", "price", "total", "score", "balance",
                                         "amount", "quantity", "count", "rank", "rating", "priority" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i]);
        if (name.n < n || strncasecmp((const char *)name.p + name.n - n, words[i], n) != 0) continue;
        if (name.n == n || (name.p[name.n - n] >= 'A' && name.p[name.n - n] <= 'Z') ||
            name.p[name.n - n - 1] == '_') {
            return true;
        }
    }
    return false;
}

static struct slice why_mutable(const struct model *m, const struct entity *en, const struct attribute *at)
{
    if (at->read_only) return SLICE("");
    if (m->updated.n && slice_eq(at->name, m->updated)) return SLICE("is written by every update");
    if (en->lock.n && slice_eq(at->name, en->lock)) return SLICE("counts every update");
    if (at->type == TYPE_BOOL) return SLICE("is a boolean, which is there to be switched");
    if (at->n_enumeration > 1) return SLICE("has an enum, from one value of which to another it may go");
    if (at->default_value.n) return SLICE("has a default, which is there to be changed");
    if (name_tells_change(at->name)) return SLICE("has a name that tells of change");
    return SLICE("");
}

static void check_mutable(struct linter *l, const struct entity *en, const struct key_template *k, struct slice name)
{
    const struct attribute *at = entity_attribute(en, name);
    struct slice why = at ? why_mutable(l->model, en, at) : SLICE("");
    if (!why.n) return;
    lint_tell(l, k->template.place.line ? k->template.place : en->key->place, en->name,
              arena_printf(l->arena, "say readOnly: true of %.*s if it never changes; else leave it out of the key and ask "
                           "through an index, whose keys follow an update", SLICE_ARG(name)),
              "%.*s of %.*s holds %.*s, which %.*s: to change it the item is deleted and written anew",
              SLICE_ARG(k->attribute->name), SLICE_ARG(en->name), SLICE_ARG(name), SLICE_ARG(why));
}

void lint_mutable_key(struct linter *l)
{
    for (size_t i = 0; i < l->model->n_entities; i++) {
        const struct entity *en = &l->model->entities[i];
        for (size_t k = 0; k < path_n_keys(en->key); k++) {
            const struct key_template *key = path_key(en->key, k);
            for (size_t j = 0; j < key->template.n; j++) {
                if (key->template.parts[j].hole) check_mutable(l, en, key, key->template.parts[j].text);
            }
            if (key->shards) check_mutable(l, en, key, key->shards->by);
        }
    }
}
