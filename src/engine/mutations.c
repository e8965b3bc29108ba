/* mutations.c: reading, accounting and answering for several mutations at once. */
#include "mutations.h"
#include "record.h"
#include <xxhash.h>

int mutations_find_tables(struct call *call, struct mutations *ms)
{
    const struct mutation *last = NULL;
    for (size_t i = 0; i < ms->n; i++) {
        struct mutation *m = &ms->all[i];
        int code = 0;
        if (last && slice_eq(m->table_name, last->table_name)) m->table = last->table;
        else code = call_find_table(call, m->table_name, &m->table);
        if (code) return code;
        last = m;
    }
    return 0;
}

/* There are at most a hundred, so all pairs are looked at; but keys of one partition are alike for most of their length, so
 * their prints are compared first. */
bool mutations_overlap(struct arena *a, const struct mutations *ms)
{
    uint64_t *prints = ARENA_ARRAY(a, uint64_t, ms->n);
    for (size_t i = 0; i < ms->n; i++) {
        struct slice key = ms->all[i].change.store_key;
        prints[i] = XXH3_64bits(key.p, key.n);
        for (size_t k = 0; k < i; k++) {
            if (prints[k] == prints[i] && slice_eq(ms->all[k].change.store_key, key)) return true;
        }
    }
    return false;
}

void mutations_footprint(struct call *call, const struct mutations *ms, struct footprint *f)
{
    struct footprint_item *items = footprint_room(call, f, ms->n);
    for (size_t i = 0; i < ms->n; i++) mutation_footprint(&ms->all[i], &items[i]);
}

int mutations_read(struct call *call, struct store_txn *txn, struct mutations *ms,
                   struct store_read *extra)
{
    struct store_read *reads = ARENA_ARRAY(call->arena, struct store_read, ms->n + 1);
    for (size_t i = 0; i < ms->n; i++) {
        reads[i] = (struct store_read){ .space = SPACE_ITEM, .key = ms->all[i].change.store_key };
    }
    if (extra) reads[ms->n] = *extra;
    int status = store_get_many(txn, reads, ms->n + (extra ? 1 : 0));
    if (status) return call_store_failed(call, status);
    for (size_t i = 0; i < ms->n; i++) {
        struct change *c = &ms->all[i].change;
        c->old_item = slice_of(NULL, 0);
        c->old_size = 0;
        if (reads[i].status) continue;
        struct slice record = arena_dup(call->arena, reads[i].value);
        if (!record_read(record, &c->old_item, &c->old_size)) {
            return call_store_failed(call, STORE_CORRUPT);
        }
    }
    if (extra) {
        *extra = reads[ms->n];
        if (!extra->status) extra->value = arena_dup(call->arena, extra->value);
    }
    return 0;
}

/* At least as many as there are tables: requests mostly name them one after the other. */
static size_t count_tables(const struct mutations *ms)
{
    size_t n = 1;
    for (size_t i = 1; i < ms->n; i++) n += ms->all[i].table != ms->all[i - 1].table;
    return n;
}

struct usage *mutations_usage(struct call *call, struct mutations *ms, const struct mutation *m)
{
    const struct table *t = m->table;
    if (!ms->n_usages) ms->usages = ARENA_ARRAY(call->arena, struct usage, count_tables(ms));
    for (size_t i = 0; i < ms->n_usages; i++) {
        if (ms->usages[i].table == t) return &ms->usages[i];
    }
    struct usage *u = &ms->usages[ms->n_usages++];
    *u = (struct usage){ .table = t, .name = m->table_name, .write = true, .transaction = ms->transaction, .tally = &call->tally };
    return u;
}

bool mutations_put_capacity(struct call *call, const struct mutations *ms, bool first)
{
    enum capacity_detail detail = capacity_detail(call->request);
    struct buf *b = &call->response;
    if (detail == CAPACITY_NONE) return false;
    if (!first) buf_u8(b, ',');
    BUF_LIT(b, "\"ConsumedCapacity\":[");
    for (size_t i = 0; i < ms->n_usages; i++) {
        if (i) buf_u8(b, ',');
        capacity_put(b, &ms->usages[i], detail);
    }
    buf_u8(b, ']');
    return true;
}

bool mutations_put_collection_metrics(struct call *call, const struct mutations *ms, bool first)
{
    struct buf *b = &call->response;
    size_t tables = 0;
    for (size_t u = 0; u < ms->n_usages; u++) {
        const struct table *t = ms->usages[u].table;
        if (!collection_metrics_wanted(call->request, t)) continue;
        if (!first || tables) buf_u8(b, ',');
        if (!tables++) BUF_LIT(b, "\"ItemCollectionMetrics\":{");
        json_put_string(b, t->name);
        BUF_LIT(b, ":[");
        size_t n = 0;
        for (size_t i = 0; i < ms->n; i++) {
            if (ms->all[i].table != t) continue;
            if (n++) buf_u8(b, ',');
            collection_metrics_put(b, &ms->all[i]);
        }
        buf_u8(b, ']');
    }
    if (tables) buf_u8(b, '}');
    return tables != 0;
}
