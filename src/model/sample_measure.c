/* sample_measure.c: what running a plan reads, counted on sample data; else what the model expects; else unknown. */
#include "run_impl.h"
#include "sample_impl.h"
#include <stdlib.h>

/* The sample's items in the order of the index that the plan reads. */
struct entry {
    struct slice hash[KEY_MAX_PARTS], sort[KEY_MAX_PARTS]; /* contents, which sort bytewise */
    const struct sample_item *item;
    size_t size;  /* as projected into the index */
};

struct table {
    const struct model_index *index;
    struct entry *entries;
    size_t n;
};

struct counts {
    double items, results, bytes, units;
};

static int compare_side(const struct slice *a, const struct slice *b)
{
    for (size_t i = 0; i < KEY_MAX_PARTS; i++) {
        int c = slice_cmp(a[i], b[i]);
        if (c) return c;
    }
    return 0;
}

static int by_place(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int c = compare_side(x->hash, y->hash);
    return c ? c : compare_side(x->sort, y->sort);
}

static bool key_side(const struct key_side *side, struct slice item, struct slice out[KEY_MAX_PARTS])
{
    for (size_t i = 0; i < side->n; i++) {
        struct slice v;
        if (!val_get(item, side->attrs[i].name, &v)) return false;
        out[i] = val_content(v);
    }
    return true;
}

static bool has_name(const struct key_side *side, struct slice name)
{
    for (size_t i = 0; i < side->n; i++) {
        if (slice_eq(side->attrs[i].name, name)) return true;
    }
    return false;
}

/* Bytes of the part of an item that the index holds. */
static size_t projected(const struct model *m, const struct model_index *ix, struct slice item)
{
    struct val_iter it;
    struct slice name, value;
    size_t size = 0;
    if (ix->projection == PROJECT_ALL) return val_item_size(item);
    val_iter_init(&it, item);
    while (val_next(&it, &name, &value)) {
        bool in = has_name(&ix->hash, name) || has_name(&ix->sort, name) || has_name(&m->indexes[0].hash, name) ||
                  has_name(&m->indexes[0].sort, name);
        for (size_t i = 0; !in && ix->projection == PROJECT_INCLUDE && i < ix->n_include; i++) {
            in = slice_eq(ix->include[i], name);
        }
        if (in) size += name.n + val_size(value);
    }
    return size;
}

static struct table table_of(struct arena *a, const struct model *m, const struct model_index *ix,
                             const struct sample *s)
{
    struct table t = { .index = ix, .entries = ARENA_ARRAY(a, struct entry, s->n + 1) };
    for (size_t i = 0; i < s->n; i++) {
        struct entry *e = &t.entries[t.n];
        *e = (struct entry){ .item = &s->items[i] };
        if (!key_side(&ix->hash, s->items[i].item, e->hash) || !key_side(&ix->sort, s->items[i].item, e->sort)) continue;
        e->size = projected(m, ix, s->items[i].item);
        t.n++;
    }
    if (t.n) qsort(t.entries, t.n, sizeof *t.entries, by_place);
    return t;
}

/* The entries of one partition: [*from, *to). */
static void partition(const struct table *t, const struct key_range *r, size_t *from, size_t *to)
{
    struct entry wanted = { .size = 0 };
    for (size_t i = 0; i < t->index->hash.n; i++) wanted.hash[i] = val_content(r->hash[i]);
    size_t low = 0, high = t->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (compare_side(t->entries[mid].hash, wanted.hash) < 0) low = mid + 1;
        else high = mid;
    }
    *from = *to = low;
    while (*to < t->n && compare_side(t->entries[*to].hash, wanted.hash) == 0) ++*to;
}

static void count_stream(const struct table *t, const struct bound_plan *bp, const struct key_range *r,
                         struct counts *c)
{
    const struct plan *p = bp->plan;
    struct segment g = { .fixed = p->sort_fixed, .range = *r };
    size_t from, to, results = 0;
    uint64_t bytes = 0;
    partition(t, r, &from, &to);
    for (size_t i = 0; i < to - from; i++) {
        const struct entry *e = &t->entries[p->descending ? to - 1 - i : from + i];
        if (!range_holds(t->index, &g, e->item->item)) continue;
        if (p->pattern->limit && results == p->pattern->limit) break;
        c->items++;
        bytes += e->size;
        results += (p->pattern->collection || plan_finds(p, e->item->path)) && filter_holds(bp, e->item->item);
    }
    uint64_t blocks = (bytes + 4095) / 4096;
    c->units += 0.5 * (double)(blocks ? blocks : 1);
    c->bytes += (double)bytes;
    c->results += (double)results;
}

static bool from_sample(struct arena *a, const struct model *m, const struct plan *p, const struct sample *s,
                        struct measure *out)
{
    const struct slice *inputs;
    size_t n = sample_inputs(a, p->pattern, s, &inputs), step = n / MEASURE_MAX_INPUTS + 1;
    if (!n) return false;
    struct table t = table_of(a, m, p->path->index, s);
    int64_t now = sample_now(s);
    for (size_t i = 0; i < n; i += step) {
        struct bound_plan bp;
        struct err e = { .arena = a };
        struct counts c = { 0 };
        if (plan_bind(a, m, p, inputs[i], now, &bp, &e)) continue;
        for (size_t k = 0; k < bp.n; k++) count_stream(&t, &bp, &bp.ranges[k], &c);
        if (p->pattern->limit && c.results > p->pattern->limit) c.results = p->pattern->limit;
        out->inputs++;
        out->items += c.items;
        out->results += c.results;
        out->bytes += c.bytes;
        out->read_units += c.units;
        if (c.items > out->items_most) out->items_most = c.items;
    }
    if (!out->inputs) return false;
    double runs = (double)out->inputs;
    out->items /= runs;
    out->results /= runs;
    out->bytes /= runs;
    out->read_units /= runs;
    out->known = out->from_sample = true;
    return true;
}

static void from_expect(const struct plan *p, struct measure *out)
{
    const struct expectation *x = &p->pattern->expect, *entity = &p->pattern->entities[0]->expect;
    bool has_items = x->has_items || p->kind == PLAN_GET;
    bool has_bytes = x->has_bytes || entity->has_bytes;
    if (!has_items || !has_bytes) return;
    double streams = p->streams ? (double)p->streams : 1;
    out->known = true;
    out->items = out->items_most = x->has_items ? x->items : 1;
    out->results = out->items;
    if (p->pattern->limit && out->results > p->pattern->limit) out->results = p->pattern->limit;
    out->bytes = out->items * (x->has_bytes ? x->bytes : entity->bytes);
    /* Each stream reads its share, rounded up. */
    double blocks = out->bytes / streams / 4096;
    uint64_t whole = (uint64_t)blocks;
    if ((double)whole < blocks) whole++;
    out->read_units = streams * 0.5 * (double)(whole ? whole : 1);
}

void plan_measure(struct arena *a, const struct model *m, const struct plan *p, const struct sample *s,
                  struct measure *out)
{
    *out = (struct measure){ .known = false };
    if (p->kind == PLAN_NONE) return;
    if (s && s->present && from_sample(a, m, p, s, out)) return;
    *out = (struct measure){ .known = false };
    from_expect(p, out);
}
