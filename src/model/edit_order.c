/* edit_order.c: the order in which docs/model.md (and the pattern library) write the members of a model, its entities and its
 * patterns, so that what is added stands where people look for it. */
#include "edit_text.h"

static const char *const model_order[] = {
    "onefold", "table", "about", "keys", "indexes", "delimiter", "escape", "entityAttribute", "schemaAttribute", "timestamps", "ttl",
    "entities", "patterns", "data", "prices", "silence", NULL
};
static const char *const entity_order[] = {
    "about", "schema", "key", "shards", "index", "copies", "unique", "lock", "escape", "open", "rate", "expect", "attributes", NULL
};
static const char *const pattern_order[] = {
    "about", "of", "collection", "by", "where", "filter", "across", "order", "limit", "index", "expect", "rate", NULL
};

/* What the map is shows in its members. */
static const char *const *order_of(const struct node *map)
{
    if (NODE_GET(map, "onefold")) return model_order;
    if (NODE_GET(map, "of") || NODE_GET(map, "collection")) return pattern_order;
    if (NODE_GET(map, "key") && NODE_GET(map, "attributes")) return entity_order;
    return NULL;
}

static size_t rank(const char *const *order, struct slice name)
{
    size_t i = 0;
    while (order[i] && !slice_eq(name, slice_str(order[i]))) i++;
    return i;
}

const struct node *edit_after(const struct node *map, struct slice name)
{
    const char *const *order = map && map->kind == NODE_MAP ? order_of(map) : NULL;
    const struct node *after = NULL;
    if (!order) return NULL;
    size_t own = rank(order, name);
    for (const struct node *c = map->first; c; c = c->next)
        if (rank(order, c->name) < own) after = c;
    return after;
}
