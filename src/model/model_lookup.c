/* model_lookup.c: finds the parts of a model by name, and gives a model back. */
#include "model_reader.h"
#include <stdlib.h>

static const struct model_whole *whole_of(const struct model *m)
{
    return (const struct model_whole *)m; /* its first member */
}

void model_free(struct model *m)
{
    if (!m) return;
    struct model_whole *whole = (struct model_whole *)m;
    for (struct model_regex *re = whole->regexes; re; re = re->next) regfree(&re->regex);
    arena_free(&m->arena);
    free(whole);
}

const struct entity *model_entity(const struct model *m, struct slice name)
{
    size_t i;
    return names_find(&whole_of(m)->entity_names, name, &i) ? &m->entities[i] : NULL;
}

const struct pattern *model_pattern(const struct model *m, struct slice name)
{
    size_t i;
    return names_find(&whole_of(m)->pattern_names, name, &i) ? &m->patterns[i] : NULL;
}

/* "table" is the table, as in patterns; no index may be called that. */
const struct model_index *model_index(const struct model *m, struct slice name)
{
    if (slice_eq(name, SLICE("table"))) return &m->indexes[0];
    for (size_t i = 0; i < m->n_indexes; i++)
        if (slice_eq(m->indexes[i].name, name)) return &m->indexes[i];
    return NULL;
}

const struct attribute *entity_attribute(const struct entity *e, struct slice name)
{
    size_t i;
    return e->names && names_find(e->names, name, &i) ? &e->attributes[i] : NULL;
}

const struct attribute *attribute_member(const struct attribute *map, struct slice name)
{
    size_t i = 0;
    if (map->names) return names_find(map->names, name, &i) ? &map->members[i] : NULL;
    while (i < map->n_members && !slice_eq(map->members[i].name, name)) i++; /* one that no file declares */
    return i < map->n_members ? &map->members[i] : NULL;
}

static bool side_uses(const struct key_template *list, size_t n, struct slice attribute)
{
    for (size_t i = 0; i < n; i++) {
        if (list[i].shards && slice_eq(list[i].shards->by, attribute)) return true;
        for (size_t k = 0; k < list[i].template.n; k++) {
            const struct part *part = &list[i].template.parts[k];
            if (part->hole && slice_eq(part->text, attribute)) return true;
        }
    }
    return false;
}

bool path_uses(const struct access_path *p, struct slice attribute)
{
    return side_uses(p->hash, p->n_hash, attribute) || side_uses(p->sort, p->n_sort, attribute);
}

static bool is_index_hash(const struct entity *en, struct slice name)
{
    for (size_t i = 0; i < en->n_entries; i++) {
        const struct access_path *p = en->entries[i];
        for (size_t k = 0; k < p->n_hash; k++)
            if (p->hash[k].natural && slice_eq(p->hash[k].attribute->name, name)) return true;
    }
    return false;
}

bool copy_holds(const struct copy *c, struct slice attribute)
{
    if (path_uses(c->key, attribute)) return true;
    for (size_t i = 0; i < c->n_entries; i++)
        if (path_uses(c->entries[i], attribute)) return true;
    if (!c->only) return !is_index_hash(c->key->entity, attribute);
    for (size_t i = 0; i < c->n_only; i++)
        if (slice_eq(c->only[i], attribute)) return true;
    return false;
}

bool model_is_key_attribute(const struct model *m, struct slice name)
{
    size_t i;
    return names_find(&whole_of(m)->key_names, name, &i);
}
