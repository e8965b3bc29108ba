/* sample.c: the model's data files as the items a table would hold. */
#include "sample.h"
#include "side_file.h"
#include <errno.h>
#include <stdlib.h>

struct keyed {
    struct slice key;
    struct place place;
};

struct loader {
    struct arena *arena;
    struct problems *ps;
    const struct model *m;
    const struct model_env *env;
    struct sample *out;
    size_t cap;
    struct keyed *keys;
    size_t n_keys, cap_keys;
};

/* A slice with NULL in it: not read, and a problem says why. */
static struct slice read_file(struct loader *l, struct slice path)
{
    struct place at = { .file = path };
    struct slice text;
    int trouble = side_file_bytes(l->arena, l->m, path, MODEL_MAX_FILE, &text);
    if (!trouble) return text.n ? text : SLICE("");
    if (trouble == EFBIG)
        problem_add(l->ps, at, SLICE("load large data with onefold load"), "is larger than %zu bytes", MODEL_MAX_FILE);
    else
        problem_add(l->ps, at, SLICE("data: names files relative to the model"), "cannot be read: %s", strerror(trouble));
    return slice_of(NULL, 0);
}

static void add_item(struct loader *l, const struct access_path *path, struct slice item)
{
    struct sample *s = l->out;
    if (s->n == l->cap) {
        size_t cap = l->cap ? l->cap * 2 : 64;
        struct sample_item *items = ARENA_ARRAY(l->arena, struct sample_item, cap);
        if (s->n) memcpy(items, s->items, s->n * sizeof *items);
        s->items = items;
        l->cap = cap;
    }
    s->items[s->n++] = (struct sample_item){ path, item, val_item_size(item) };
}

static void add_key(struct loader *l, struct slice item, struct place place)
{
    const struct model_index *table = &l->m->indexes[0];
    struct buf b;
    if (l->n_keys == l->cap_keys) {
        size_t cap = l->cap_keys ? l->cap_keys * 2 : 64;
        struct keyed *keys = ARENA_ARRAY(l->arena, struct keyed, cap);
        if (l->n_keys) memcpy(keys, l->keys, l->n_keys * sizeof *keys);
        l->keys = keys;
        l->cap_keys = cap;
    }
    buf_init(&b, l->arena, 64 << 10);
    for (size_t i = 0; i < table->hash.n + table->sort.n; i++) {
        struct slice v;
        struct slice name = i < table->hash.n ? table->hash.attrs[i].name : table->sort.attrs[i - table->hash.n].name;
        if (val_get(item, name, &v)) buf_slice(&b, v);
    }
    l->keys[l->n_keys++] = (struct keyed){ buf_view(&b), place };
}

static void add_record(struct loader *l, const struct record *r)
{
    struct slice complete;
    struct stored stored;
    struct err e = { .arena = l->arena };
    if (entity_complete(l->arena, l->m, r->entity, l->env, r->attributes, &complete, &e) ||
        entity_store(l->arena, l->m, r->entity, complete, &stored, &e)) {
        problem_add(l->ps, r->place, slice_of(NULL, 0), "%.*s", SLICE_ARG(e.message));
        return;
    }
    for (size_t i = 0; i < stored.n; i++) {
        add_item(l, stored.paths[i], stored.items[i]);
        add_key(l, stored.items[i], r->place);
    }
    for (size_t i = 0; i < stored.n_sentinels; i++) add_key(l, stored.sentinels[i], r->place);
}

static int by_key(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    int c = slice_cmp(x->key, y->key);
    if (c) return c;
    return (x->place.line > y->place.line) - (x->place.line < y->place.line);
}

/* Two records with the same key, or the same unique value. */
static void refuse_doubles(struct loader *l)
{
    if (l->n_keys) qsort(l->keys, l->n_keys, sizeof *l->keys, by_key);
    for (size_t i = 1; i < l->n_keys; i++) {
        if (!slice_eq(l->keys[i].key, l->keys[i - 1].key)) continue;
        struct slice hint = arena_printf(l->ps->arena, "the other one is in line %u of %.*s",
                                         l->keys[i - 1].place.line, SLICE_ARG(l->keys[i - 1].place.file));
        problem_add(l->ps, l->keys[i].place, hint, "the same key or unique value is there already");
    }
}

bool sample_read(struct arena *a, struct problems *ps, const struct model *m, const struct model_env *env,
                 struct sample *out)
{
    struct loader l = { .arena = a, .ps = ps, .m = m, .env = env, .out = out };
    size_t before = ps->n;
    *out = (struct sample){ .present = m->n_data > 0 };
    for (size_t i = 0; i < m->n_data; i++) {
        struct record *records;
        size_t n;
        struct slice text = read_file(&l, m->data[i]);
        if (!text.p || !records_read(ps, m, m->data[i], text, &records, &n)) continue;
        for (size_t j = 0; j < n; j++) add_record(&l, &records[j]);
    }
    refuse_doubles(&l);
    return ps->n == before;
}
