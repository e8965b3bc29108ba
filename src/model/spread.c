/* spread.c: by what a crowded key is spread, and how to say so. */
#include "spread.h"
#include "lint/lint.h"

static bool hash_holds(const struct access_path *p, struct slice attribute)
{
    for (size_t i = 0; i < p->n_hash; i++) {
        const struct template *t = &p->hash[i].template;
        for (size_t j = 0; j < t->n; j++) {
            if (t->parts[j].hole && slice_eq(t->parts[j].text, attribute)) return true;
        }
        if (p->hash[i].natural && slice_eq(p->hash[i].attribute->name, attribute)) return true;
    }
    return false;
}

/* The first one of the entity's own key; other: that the path does not use at all, for it tells items apart best. */
static struct slice choose(const struct access_path *p, bool other)
{
    const struct access_path *key = p->entity->key;
    for (size_t i = 0; i < path_n_keys(key); i++) {
        const struct template *t = &path_key(key, i)->template;
        for (size_t j = 0; j < t->n; j++) {
            struct slice name = t->parts[j].text;
            if (!t->parts[j].hole || hash_holds(p, name) || (other && path_uses(p, name))) continue;
            if (!attribute_is_narrow(entity_attribute(p->entity, name))) return name;
        }
    }
    return SLICE("");
}

struct slice spread_by(const struct access_path *p)
{
    struct slice by = choose(p, true);
    return by.n ? by : choose(p, false);
}

struct slice spread_advice(struct arena *a, const struct access_path *p)
{
    struct slice by = spread_by(p), of = p->hash[0].attribute->name;
    if (!by.n) return SLICE("put an attribute with many values into the key");
    if (p->hash[0].natural) {
        return arena_printf(a, "%.*s is the attribute itself and cannot be spread: give the key a name of its own, with a "
                            "template and shards: { by: %.*s, count: %d }", SLICE_ARG(of), SLICE_ARG(by), SPREAD_COUNT);
    }
    if (p->kind == PATH_INDEX && !p->copy) {
        return arena_printf(a, "spread it: index: { %.*s: { ..., shards: { of: %.*s, by: %.*s, count: %d } } }",
                            SLICE_ARG(p->index->name), SLICE_ARG(of), SLICE_ARG(by), SPREAD_COUNT);
    }
    return arena_printf(a, "spread it: %sshards: { of: %.*s, by: %.*s, count: %d }", p->copy ? "in the copy, " : "",
                        SLICE_ARG(of), SLICE_ARG(by), SPREAD_COUNT);
}
