/* run_range.c: Query and Scan on both sides, page by page. */
#include "run.h"
#include <stdlib.h>
#include <string.h>

/* The pages of one range as they come in. */
struct pages {
    struct run *r;
    const struct range *range;
    struct val **entries; /* as they should come */
    size_t n, scanned, items;
    struct val *got; /* a list: what came */
};

static int64_t count_of(const struct said *said, const char *name)
{
    const struct val *v = map_get(said->json, name);
    return v && v->type == V_N ? v->n / 100 : -1;
}

/* A page ends at its limit even where nothing follows, but for a query of a table that has no sort key. */
static bool names_one(const struct range *g)
{
    return g->index < 0 && g->hash && !table_defs[g->table].range;
}

/* LastEvaluatedKey: the keys of the entry that was evaluated last, or of one that stands in the same place. */
static bool check_last(struct pages *p, const struct val *last, bool full)
{
    struct run *r = p->r;
    const struct range *g = p->range;
    if (!full || names_one(g)) return !last || differ(r, "LastEvaluatedKey where the range ends", NULL, NULL);
    const struct val *key = last ? item_of(&r->mem, last) : NULL;
    if (!key) return differ(r, "no LastEvaluatedKey", NULL, NULL);
    if (g->segments) return true; /* which entries are in a segment is not said */
    const struct val *at = p->entries[p->scanned - 1];
    for (size_t i = 0; i < p->n; i++) {
        const struct index_def *ix = g->index < 0 ? NULL : &table_defs[g->table].indexes[g->index];
        if (range_tied(g, p->entries[i], at) && val_equal(key_of(&r->mem, &table_defs[g->table], ix, p->entries[i]), key)) return true;
    }
    return differ(r, "LastEvaluatedKey is another one's", at, NULL);
}

static bool take_page(struct pages *p, const struct said *said)
{
    struct run *r = p->r;
    const struct range *g = p->range;
    if (said->kind) return differ(r, "refused", NULL, said);
    int64_t scanned = count_of(said, "ScannedCount"), count = count_of(said, "Count");
    const struct val *items = map_get(said->json, "Items"), *last = map_get(said->json, "LastEvaluatedKey");
    size_t left = p->n - p->scanned;
    bool full = g->limit && (g->segments ? scanned == g->limit : left >= (size_t)g->limit);
    if (!g->segments && scanned != (int64_t)(full ? (size_t)g->limit : left)) return differ(r, "ScannedCount", NULL, said);
    if (scanned < 0 || count < 0 || (size_t)scanned > left) return differ(r, "counts", NULL, said);
    if (g->count ? items != NULL : !items || (int64_t)items->count != count) return differ(r, "Count is not the number of items", NULL, said);
    p->scanned += (size_t)scanned;
    p->items += (size_t)count;
    for (size_t i = 0; items && i < items->count; i++) {
        struct val *item = item_of(&r->mem, items->at[i]);
        if (!item) return differ(r, "not an item", NULL, said);
        list_add(&r->mem, p->got, item);
    }
    return check_last(p, last, full);
}

static bool read_pages(struct pages *p, int segment)
{
    struct run *r = p->r;
    const struct val *start = NULL;
    do {
        struct said said;
        r->request.n = 0;
        add_page_request(&r->request, p->range, segment, start);
        if (!ask(r, p->range->hash ? "Query" : "Scan", &said) || !take_page(p, &said)) return false;
        const struct val *last = map_get(said.json, "LastEvaluatedKey");
        start = last ? item_of(&r->mem, last) : NULL;
    } while (start);
    return true;
}

/* The items that came beside those that should: in order, and in any order where several have one place. */
static bool check_items(struct pages *p)
{
    struct run *r = p->r;
    const struct range *g = p->range;
    size_t at = 0, passed = 0;
    for (size_t i = 0, end; i < p->n; i = end) {
        struct val *group = val_empty(&r->mem, V_L);
        for (end = i; end < p->n && range_tied(g, p->entries[i], p->entries[end]); end++) {
            if (g->filter && !cond_holds(g->filter, p->entries[end])) continue;
            list_add(&r->mem, group, range_shown(&r->mem, &r->world, g, p->entries[end]));
        }
        passed += group->count;
        for (; !g->count && group->count; at++) {
            size_t k = 0;
            if (at == p->got->count) return differ(r, "items are missing", group->at[0], NULL);
            while (k < group->count && !val_equal(group->at[k], p->got->at[at])) k++;
            if (k == group->count) {
                differ(r, "an item that should not be here", group->at[0], NULL);
                add(&r->fault, "  answered: ");
                add_item(&r->fault, p->got->at[at]);
                add(&r->fault, "\n");
                return false;
            }
            list_remove(group, k);
        }
    }
    if (p->scanned != p->n || p->items != passed) return differ(r, "the sums of the pages' counts", NULL, NULL);
    return g->count || at == p->got->count || differ(r, "more items than there are", NULL, NULL);
}

bool run_range(struct run *r, const struct op *op)
{
    const struct range *g = &op->range;
    struct pages p = { .r = r, .range = g, .got = val_empty(&r->mem, V_L) };
    p.entries = range_entries(&r->mem, &r->world, g, &p.n);
    bool same = true;
    for (int segment = 0; same && segment < (g->segments ? g->segments : 1); segment++) same = read_pages(&p, segment);
    same = same && check_items(&p);
    free(p.entries);
    return same;
}
