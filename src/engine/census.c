/* census.c: see census.h. What an index should hold is asked of the function that writes its entries. */
#include "census.h"
#include "api/params.h"
#include "record.h"
#include "write.h"
#define XXH_INLINE_ALL
#include <xxhash.h>

struct census {
    struct table table; /* keys and indexes; nothing else of it matters */
    struct digest items;
    struct digest entries[TABLE_MAX_INDEXES];
};

void digest_add(struct digest *d, struct slice item)
{
    XXH128_hash_t h = XXH3_128bits(item.p, item.n);
    d->items++;
    d->bytes += val_item_size(item);
    d->low += h.low64;
    d->high += h.high64;
}

bool digest_same(const struct digest *a, const struct digest *b)
{
    return a->items == b->items && a->bytes == b->bytes && a->low == b->low && a->high == b->high;
}

/* ---- the definition ---- */

static const struct json *first_of(const struct json *object, struct slice name)
{
    const struct json *list = json_get(object, name);
    return list && list->type == JSON_ARRAY ? list->first : NULL;
}

static enum val_type type_of(const struct json *definition, struct slice attribute)
{
    for (const struct json *i = first_of(definition, SLICE("AttributeDefinitions")); i; i = i->next) {
        if (!slice_eq(param_string(i, SLICE("AttributeName")), attribute)) continue;
        return val_type_from_name(param_string(i, SLICE("AttributeType")));
    }
    return TYPE_NONE;
}

static bool read_keys(const struct json *definition, const struct json *of, struct key_schema *out)
{
    for (const struct json *i = first_of(of, SLICE("KeySchema")); i; i = i->next) {
        bool hash = slice_eq(param_string(i, SLICE("KeyType")), SLICE("HASH"));
        size_t *n = hash ? &out->n_hash : &out->n_range;
        struct key_attr attr = { .name = param_string(i, SLICE("AttributeName")) };
        attr.type = type_of(definition, attr.name);
        if (*n == sizeof out->hash / sizeof *out->hash || attr.type == TYPE_NONE) return false;
        (hash ? out->hash : out->range)[(*n)++] = attr;
    }
    return out->n_hash > 0;
}

static bool read_index(struct arena *a, const struct json *definition, const struct json *node, enum index_kind kind, struct index *out)
{
    const struct json *projection = json_get(node, SLICE("Projection")), *include = json_get(projection, SLICE("NonKeyAttributes"));
    struct slice words = param_string(projection, SLICE("ProjectionType"));
    struct slice *names = ARENA_ARRAY(a, struct slice, include ? include->count + 1 : 1);
    *out = (struct index){ .kind = kind, .status = INDEX_ACTIVE, .name = param_string(node, SLICE("IndexName")), .include = names };
    for (const struct json *i = include ? include->first : NULL; i; i = i->next) names[out->n_include++] = i->text;
    if (slice_eq(words, SLICE("KEYS_ONLY"))) out->projection = PROJECT_KEYS_ONLY;
    else if (slice_eq(words, SLICE("INCLUDE"))) out->projection = PROJECT_INCLUDE;
    else out->projection = PROJECT_ALL;
    return read_keys(definition, node, &out->key);
}

static bool read_indexes(struct arena *a, const struct json *definition, const char *list, enum index_kind kind, struct table *t)
{
    for (const struct json *i = first_of(definition, slice_str(list)); i; i = i->next) {
        if (t->n_indexes == TABLE_MAX_INDEXES || !read_index(a, definition, i, kind, &t->indexes[t->n_indexes])) return false;
        t->n_indexes++;
    }
    return true;
}

struct census *census_begin(struct arena *a, const struct json *definition)
{
    struct census *c = ARENA_NEW(a, struct census);
    struct table *t = &c->table;
    t->name = param_string(definition, SLICE("TableName"));
    t->indexes = ARENA_ARRAY(a, struct index, TABLE_MAX_INDEXES);
    if (!t->name.n || !read_keys(definition, definition, &t->key)) return NULL;
    if (!read_indexes(a, definition, "LocalSecondaryIndexes", INDEX_LOCAL, t)) return NULL;
    if (!read_indexes(a, definition, "GlobalSecondaryIndexes", INDEX_GLOBAL, t)) return NULL;
    table_derive(t, a);
    return c;
}

bool census_needs_first(const struct census *c, struct slice attribute)
{
    bool needs = key_schema_has(&c->table.key, attribute);
    for (size_t i = 0; i < c->table.n_indexes; i++) {
        const struct index *ix = &c->table.indexes[i];
        needs = needs || (ix->kind == INDEX_LOCAL && key_schema_has(&ix->key, attribute));
    }
    return needs;
}

/* ---- counting ---- */

void census_add(struct census *c, struct arena *scratch, struct slice item)
{
    digest_add(&c->items, item);
    for (size_t i = 0; i < c->table.n_indexes; i++) {
        struct slice key, record, entry;
        size_t size;
        if (index_entry(scratch, &c->table, &c->table.indexes[i], item, &key, &record, &size) && record_read(record, &entry, &size))
            digest_add(&c->entries[i], entry);
    }
}

const struct digest *census_table(const struct census *c)
{
    return &c->items;
}

size_t census_indexes(const struct census *c)
{
    return c->table.n_indexes;
}

struct slice census_index_name(const struct census *c, size_t i)
{
    return c->table.indexes[i].name;
}

const struct digest *census_index(const struct census *c, size_t i)
{
    return &c->entries[i];
}
