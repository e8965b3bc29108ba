/* table.c: the life of a struct table, and small questions about it. */
#include "own_names.h"
#include "table.h"
#include "tags.h"
#include <stdlib.h>
#include <unistd.h>

#define TABLE_ARENA_MAX ((size_t)16 << 20)

struct table *table_new(void)
{
    struct table *t = calloc(1, sizeof *t);
    if (t) arena_init(&t->arena, TABLE_ARENA_MAX);
    return t;
}

void table_free(struct table *t)
{
    if (!t) return;
    arena_free(&t->arena);
    free(t);
}

struct table *table_draft(struct arena *a, const struct table *t)
{
    struct table *draft = ARENA_NEW(a, struct table);
    memcpy(draft, t, offsetof(struct table, refs)); /* the count changes under a lock that we do not have */
    draft->indexes = ARENA_ARRAY(a, struct index, t->n_indexes + 1);
    if (t->n_indexes) memcpy(draft->indexes, t->indexes, t->n_indexes * sizeof *t->indexes);
    return draft;
}

/* A random (version 4) UUID. */
struct slice table_new_uuid(struct arena *a)
{
    uint8_t r[16];
    if (getentropy(r, sizeof r) != 0) arena_fail(a);
    r[6] = (uint8_t)((r[6] & 0x0f) | 0x40);
    r[8] = (uint8_t)((r[8] & 0x3f) | 0x80);
    return arena_printf(a, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
                        r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8], r[9], r[10], r[11],
                        r[12], r[13], r[14], r[15]);
}

bool table_restoring(const struct table *t)
{
    return t->restore_table.n != 0;
}

bool key_schema_has(const struct key_schema *k, struct slice attribute)
{
    for (size_t i = 0; i < k->n_hash; i++) {
        if (slice_eq(k->hash[i].name, attribute)) return true;
    }
    for (size_t i = 0; i < k->n_range; i++) {
        if (slice_eq(k->range[i].name, attribute)) return true;
    }
    return false;
}

const struct index *table_index(const struct table *t, struct slice name)
{
    for (size_t i = 0; i < t->n_indexes; i++) {
        if (slice_eq(t->indexes[i].name, name)) return &t->indexes[i];
    }
    return NULL;
}

static void add_name(struct slice *names, size_t *n, struct slice name)
{
    for (size_t i = 0; i < *n; i++) {
        if (slice_eq(names[i], name)) return;
    }
    names[(*n)++] = name;
}

static void add_key_names(struct slice *names, size_t *n, const struct key_schema *k)
{
    for (size_t i = 0; i < k->n_hash; i++)
        add_name(names, n, k->hash[i].name);
    for (size_t i = 0; i < k->n_range; i++)
        add_name(names, n, k->range[i].name);
}

void table_derive(struct table *t, struct arena *a)
{
    t->is_copy = slice_starts(t->name, SLICE(WORKING_COPY));
    t->is_unfinished = tags_unfinished(t->tags);
    for (size_t i = 0; i < t->n_indexes; i++) {
        struct index *ix = &t->indexes[i];
        ix->entry = NULL;
        if (ix->projection == PROJECT_ALL) continue;
        struct slice *names = ARENA_ARRAY(a, struct slice, ix->n_include + 16);
        size_t n = 0;
        add_key_names(names, &n, &ix->key);
        add_key_names(names, &n, &t->key);
        for (size_t k = 0; k < ix->n_include; k++)
            add_name(names, &n, ix->include[k]);
        ix->entry = projection_from_names(a, names, n);
    }
}
