/* run_json.c: an answer as JSON: a list per entity in the order of first appearance, and what was read for it. */
#include "run.h"
#include "values.h"
#include <stdlib.h>

/* Defaults are for items of an older schema, not for what an index leaves out. */
static struct slice attributes_of(struct arena *a, const struct model *m, const struct result *r)
{
    struct entity en = *r->entity;
    if (r->partial) en.schema = 0;
    return item_attributes(a, m, &en, r->item, false);
}

/* 0: not known. An item that states none is of the first. */
static unsigned schema_of(const struct result *r)
{
    return r->schema ? r->schema : !r->partial;
}

static void put_list(struct buf *b, const struct model *m, const struct results *r, const struct entity *en,
                     struct slice name, bool sentinel)
{
    bool first = true;
    json_put_string(b, name);
    BUF_LIT(b, ":[");
    for (size_t i = 0; i < r->n; i++) {
        const struct result *x = &r->list[i];
        if (x->entity != en || (!en && x->sentinel != sentinel)) continue;
        if (!first) buf_u8(b, ',');
        first = false;
        item_to_plain(b, en ? attributes_of(b->arena, m, x) : x->item);
    }
    BUF_LIT(b, "],");
}

static int by_number(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

/* {"Order":{"1":3,"2":10}}: only for entities that state a schema. */
static void put_schemas(struct buf *b, const struct model *m, const struct results *r)
{
    bool any = false;
    unsigned *versions = NULL;
    for (size_t e = 0; e < m->n_entities; e++) {
        const struct entity *en = &m->entities[e];
        if (!en->schema) continue;
        if (!versions) versions = ARENA_ARRAY(b->arena, unsigned, r->n + 1);
        size_t n = 0;
        for (size_t i = 0; i < r->n; i++) {
            unsigned v = schema_of(&r->list[i]);
            if (r->list[i].entity == en && v) versions[n++] = v;
        }
        if (!n) continue;
        qsort(versions, n, sizeof *versions, by_number); /* few, but a foreign item may say any number */
        buf_printf(b, "%s", any ? "," : ",\"schema\":{");
        any = true;
        json_put_string(b, en->name);
        for (size_t from = 0, to; from < n; from = to) {
            for (to = from; to < n && versions[to] == versions[from]; to++) continue;
            buf_printf(b, "%s\"%u\":%zu", from ? "," : ":{", versions[from], to - from);
        }
        BUF_LIT(b, "}");
    }
    if (any) BUF_LIT(b, "}");
}

void results_to_json(struct buf *b, const struct model *m, const struct results *r)
{
    bool *listed = ARENA_ARRAY(b->arena, bool, m->n_entities + 1);
    bool other = false, sentinels = false;
    BUF_LIT(b, "{");
    for (size_t i = 0; i < r->n; i++) {
        const struct entity *en = r->list[i].entity;
        bool *seen = en ? &listed[en->number] : r->list[i].sentinel ? &sentinels : &other;
        if (*seen) continue;
        *seen = true;
        put_list(b, m, r, en, en ? en->name : r->list[i].sentinel ? SLICE("unique") : SLICE("other"),
                 r->list[i].sentinel);
    }
    for (size_t i = 0; i < r->n_asked; i++) {
        if (listed[r->asked[i]->number]) continue;
        listed[r->asked[i]->number] = true;
        json_put_string(b, r->asked[i]->name);
        BUF_LIT(b, ":[],");
    }
    buf_printf(b, "\"read\":{\"items\":%llu,\"requests\":%llu,\"units\":%.10g%s", (unsigned long long)r->items_read,
               (unsigned long long)r->requests, r->read_units, r->reckoned ? ",\"reckoned\":true" : "");
    put_schemas(b, m, r);
    BUF_LIT(b, "}");
    if (r->token.n) {
        BUF_LIT(b, ",\"after\":");
        json_put_string(b, r->token);
    }
    BUF_LIT(b, "}");
}
