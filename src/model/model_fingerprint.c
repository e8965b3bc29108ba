/* model_fingerprint.c: a number for everything that decides where items lie: keys, indexes, delimiter, templates,
 * shards, copies. Comments, sentences, rules and the order of the file do not change it. Sums make it
 * indifferent to the order of indexes and entities. */
#include "model_reader.h"

static uint64_t add_text(uint64_t h, struct slice s)
{
    uint64_t n = s.n;
    uint8_t length[4] = { (uint8_t)n, (uint8_t)(n >> 8), (uint8_t)(n >> 16), (uint8_t)(n >> 24) };
    return fnv64(fnv64(h, slice_of(length, 4)), s);
}

static uint64_t add_number(uint64_t h, uint64_t v)
{
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)(v >> (8 * i));
    return fnv64(h, slice_of(bytes, 8));
}

static uint64_t add_side(uint64_t h, const struct key_side *side)
{
    h = add_number(h, side->n);
    for (size_t i = 0; i < side->n; i++) h = add_number(add_text(h, side->attrs[i].name), side->attrs[i].type);
    return h;
}

static uint64_t add_template(uint64_t h, const struct key_template *kt)
{
    const struct template *t = &kt->template;
    h = add_number(add_number(add_text(h, kt->attribute->name), t->escape), t->n);
    for (size_t i = 0; i < t->n; i++) {
        const struct part *p = &t->parts[i];
        h = add_text(add_number(h, (uint64_t)p->hole << 16 | (uint64_t)p->digits << 8 | p->decimals), p->text);
    }
    const struct shards *s = kt->shards;
    h = add_number(h, s != NULL);
    if (!s) return h;
    h = add_text(add_number(h, s->kind), s->by);
    return add_number(add_number(add_number(h, s->count), s->letters), (uint64_t)s->since);
}

static uint64_t of_path(const struct access_path *p)
{
    uint64_t h = add_text(add_number(FNV64_START, p->kind), p->index->name);
    for (size_t i = 0; i < p->n_hash; i++) h = add_template(h, &p->hash[i]);
    for (size_t i = 0; i < p->n_sort; i++) h = add_template(h, &p->sort[i]);
    return h;
}

static uint64_t of_entity(const struct entity *en)
{
    uint64_t h = add_number(add_text(FNV64_START, en->name), of_path(en->key)), sum = 0;
    for (size_t i = 0; i < en->n_entries; i++) sum += of_path(en->entries[i]);
    for (size_t i = 0; i < en->n_copies; i++) {
        const struct copy *c = &en->copies[i];
        uint64_t entries = 0;
        for (size_t k = 0; k < c->n_entries; k++) entries += of_path(c->entries[k]);
        sum += add_number(add_number(add_number(FNV64_START, of_path(c->key)), c->sparse), entries);
    }
    return add_number(h, sum);
}

uint64_t model_fingerprint(const struct model *m)
{
    uint64_t h = add_text(add_number(FNV64_START, 1), m->delimiter), sum = 0;
    for (size_t i = 0; i < m->n_indexes; i++) {
        const struct model_index *ix = &m->indexes[i];
        uint64_t one = add_number(add_text(FNV64_START, ix->name), ix->local);
        sum += add_side(add_side(one, &ix->hash), &ix->sort);
    }
    h = add_number(h, sum);
    sum = 0;
    for (size_t i = 0; i < m->n_entities; i++) sum += of_entity(&m->entities[i]);
    return add_number(h, sum);
}
