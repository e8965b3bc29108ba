/* direct_query.c: the first page of a table's partition, straight from the store. */
#include "direct.h"
#include "engine_impl.h"
#include "page.h"
#include "record.h"

static bool values_fit(const struct key_schema *k, const struct key_query *q)
{
    bool fit = key_fits(&k->hash[0], KEY_MAX_HASH_BYTES, q->hash[0]);
    for (size_t i = 0; fit && i < q->n_range_eq; i++) fit = key_fits(&k->range[i], KEY_MAX_RANGE_BYTES, q->range_eq[i]);
    const struct key_attr *attr = &k->range[q->n_range_eq];
    if (fit && q->op != KEY_NONE) fit = key_fits(attr, KEY_MAX_RANGE_BYTES, q->lo);
    if (fit && q->op == KEY_BETWEEN) fit = key_fits(attr, KEY_MAX_RANGE_BYTES, q->hi);
    return fit;
}

bool direct_query(const struct table *t, struct arena *a, const struct direct_query *q, struct store_range *out)
{
    struct err e = { .arena = a };
    struct expr_env env;
    struct cond *condition;
    struct key_query kq;
    if (expr_env_init(&env, a, q->names, q->values, &e)) return false;
    if (cond_parse(&env, "KeyConditionExpression", q->condition, &condition, &e)) return false;
    if (expr_env_check_unused(&env, &e)) return false;
    if (key_query_from_cond(condition, &t->key, a, &kq, &e) || !values_fit(&t->key, &kq)) return false;
    *out = (struct store_range){ .reverse = q->reverse };
    range_of_query(a, t, NULL, &kq, out);
    return true;
}

enum { FULL = 1 }; /* beside the store's statuses */

struct reading {
    const struct table *table;
    struct arena *arena;
    struct direct_page *page;
    size_t left; /* items that it may still take */
    uint64_t bytes;
};

static int take(void *ctx, struct slice record)
{
    struct reading *r = ctx;
    struct slice item;
    size_t size;
    if (!record_read(record, &item, &size)) return STORE_CORRUPT;
    r->bytes += size;
    r->page->fn(r->page->ctx, item);
    if (--r->left && r->bytes < PAGE_MAX_BYTES) return 0;
    if (r->left) r->page->last_key = key_attributes(r->arena, r->table, NULL, item);
    return FULL;
}

static int read_page(struct store_txn *txn, void *ctx)
{
    struct reading *r = ctx;
    struct store_cursor *cursor;
    int status = store_range_open(txn, &r->page->range, &cursor);
    if (status) return status;
    if (ARENA_GUARD(r->arena)) {
        status = store_range_each(cursor, take, r);
    } else {
        status = STORE_NO_MEMORY;
    }
    arena_unguard(r->arena);
    return status == STORE_END || status == FULL ? STORE_OK : status;
}

int direct_page(struct engine *e, const struct table *t, struct arena *a, struct direct_page *p)
{
    struct reading r = { .table = t, .arena = a, .page = p, .left = p->limit };
    p->last_key = slice_of(NULL, 0);
    return store_view(e->store, read_page, &r);
}
