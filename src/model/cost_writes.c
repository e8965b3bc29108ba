/* cost_writes.c: what writing an entity takes: the item, its copies, its sentinels and the index entries of all of them;
 * counted on the sample's entities, else from `expect: { bytes }`.
 *
 * Several items are one transaction, in which each costs twice; entries of indexes do not. An update is taken to change an
 * attribute that is in every copy and in no key: it writes the item, its copies and the entries that hold more than
 * keys. */
#include "cost_impl.h"
#include "entity.h"

#define SAMPLES_MAX  1000  /* of one entity: enough for a mean */
#define ITEM_OVERHEAD 100.0 /* bytes that DynamoDB adds to each stored item and entry */

static bool has_key(const struct key_side *side, struct slice item)
{
    struct slice v;
    for (size_t i = 0; i < side->n; i++) {
        if (!val_get(item, side->attrs[i].name, &v)) return false;
    }
    return true;
}

static bool in_side(const struct key_side *side, struct slice name)
{
    for (size_t i = 0; i < side->n; i++) {
        if (slice_eq(side->attrs[i].name, name)) return true;
    }
    return false;
}

/* Bytes of the part of an item that the index holds. */
static double projected(const struct model *m, const struct model_index *ix, struct slice item)
{
    if (ix->projection == PROJECT_ALL) return (double)val_item_size(item);
    const struct model_index *t = &m->indexes[0];
    struct val_iter it;
    struct slice name, value;
    double bytes = 0;
    val_iter_init(&it, item);
    while (val_next(&it, &name, &value)) {
        bool in = in_side(&ix->hash, name) || in_side(&ix->sort, name) || in_side(&t->hash, name) || in_side(&t->sort, name);
        for (size_t i = 0; !in && ix->projection == PROJECT_INCLUDE && i < ix->n_include; i++) {
            in = slice_eq(ix->include[i], name);
        }
        if (in) bytes += (double)(name.n + val_size(value));
    }
    return bytes;
}

/* Sums over the samples of an entity. */
struct sums {
    double n, put, update, del, stored, bytes, items;
};

static void add_entries(const struct model *m, struct slice item, struct sums *s)
{
    for (size_t i = 1; i < m->n_indexes; i++) {
        const struct model_index *ix = &m->indexes[i];
        if (!has_key(&ix->hash, item) || !has_key(&ix->sort, item)) continue;
        double bytes = projected(m, ix, item), units = units_write(bytes);
        s->put += units;
        s->del += units;
        if (ix->projection != PROJECT_KEYS) s->update += units;
        s->stored += bytes + ITEM_OVERHEAD;
    }
}

static void add_stored(const struct model *m, const struct stored *x, bool tables, struct sums *s)
{
    size_t copies = tables ? 0 : x->n - 1, items = 1 + copies + x->n_sentinels;
    double each_put = items > 1 ? 2 : 1, each_update = copies ? 2 : 1;
    for (size_t i = 0; i < x->n; i++) {
        double bytes = (double)val_item_size(x->items[i]), units = units_write(bytes);
        bool entry = tables && i > 0; /* a copy's place is taken by an index of the entity's own table */
        s->put += units * (entry ? 1 : each_put);
        s->del += units * (entry ? 1 : each_put);
        s->update += units * (entry ? 1 : each_update);
        s->stored += bytes + ITEM_OVERHEAD;
        if (i == 0) s->bytes += bytes;
        add_entries(m, x->items[i], s);
    }
    for (size_t i = 0; i < x->n_sentinels; i++) {
        double bytes = (double)val_item_size(x->sentinels[i]);
        s->put += units_write(bytes) * each_put;
        s->del += units_write(bytes) * each_put;
        s->stored += bytes + ITEM_OVERHEAD;
    }
    s->items += (double)items;
    s->n++;
}

static struct sums from_sample(struct reporter *r, const struct facts *f, const struct entity *en, bool tables)
{
    struct sums s = { 0 };
    for (size_t i = 0; i < f->sample.n && s.n < SAMPLES_MAX; i++) {
        const struct sample_item *it = &f->sample.items[i];
        struct stored x = { 0 };
        struct err e = { .arena = r->arena };
        if (it->path->entity != en || it->path->kind != PATH_KEY) continue;
        if (entity_store(r->arena, f->model, en, item_attributes(r->arena, f->model, en, it->item, true), &x, &e)) continue;
        if (x.n) add_stored(f->model, &x, tables, &s);
    }
    return s;
}

/* Every item as large as the entity is expected to be. An entry that holds keys only is at most a unit. */
static void from_expect(const struct entity *en, bool tables, struct write_cost *out)
{
    double bytes = en->expect.bytes, units = units_write(bytes);
    size_t copies = tables ? 0 : en->n_copies, items = 1 + copies + en->n_uniques;
    double each_put = items > 1 ? 2 : 1, each_update = copies ? 2 : 1;
    out->put = out->del = (double)(1 + copies) * units * each_put + (double)en->n_uniques * each_put;
    out->update = (double)(1 + copies) * units * each_update;
    if (tables) out->put = out->put + (double)en->n_copies * units, out->del = out->put;
    if (tables) out->update += (double)en->n_copies * units;
    out->stored = (double)(1 + en->n_copies) * (bytes + ITEM_OVERHEAD);
    for (size_t i = 0; i <= en->n_copies; i++) {
        const struct access_path *const *list = i ? en->copies[i - 1].entries : en->entries;
        size_t n = i ? en->copies[i - 1].n_entries : en->n_entries;
        for (size_t k = 0; k < n; k++) {
            bool keys = list[k]->index->projection == PROJECT_KEYS;
            out->put += keys ? 1 : units;
            out->del += keys ? 1 : units;
            out->update += keys ? 0 : units;
            if (list[k]->index->projection != PROJECT_ALL) out->stored = NAN;
            else out->stored += bytes + ITEM_OVERHEAD;
        }
    }
    out->bytes = bytes;
    out->items = items;
    out->sentinels_unknown = en->n_uniques > 0;
}

void cost_of_writes(struct reporter *r, const struct facts *f, const struct entity *en, bool tables,
                    struct write_cost *out)
{
    *out = (struct write_cost){ .put = NAN, .update = NAN, .del = NAN, .stored = NAN, .bytes = NAN };
    struct sums s = from_sample(r, f, en, tables);
    if (s.n > 0) {
        *out = (struct write_cost){ .put = s.put / s.n, .update = s.update / s.n, .del = s.del / s.n,
                                    .stored = s.stored / s.n, .bytes = s.bytes / s.n,
                                    .items = (size_t)ceil(s.items / s.n) };
    } else if (en->expect.has_bytes) {
        from_expect(en, tables, out);
    }
}

void cost_of_reads_in_tables(const struct facts *f, size_t pattern, double *units, double *requests)
{
    const struct plan *p = &f->plans[pattern];
    const struct measure *m = &f->measures[pattern];
    *units = *requests = NAN;
    if (p->kind == PLAN_NONE) return;
    size_t kinds = 1;
    for (size_t i = 1; i < p->n_paths; i++) {
        bool seen = false;
        for (size_t k = 0; k < i; k++) seen |= p->paths[k]->entity == p->paths[i]->entity;
        kinds += !seen;
    }
    double streams = p->streams ? (double)p->streams : 1;
    *requests = streams * (double)kinds;
    if (!m->known || m->read_units <= 0) return;
    /* In a table of its own an entity has no neighbours that are read in vain. */
    double bytes = p->filter_entity && m->items > 0 ? m->bytes * m->results / m->items : m->bytes;
    *units = *requests * units_read(bytes / *requests) / 2;
}
