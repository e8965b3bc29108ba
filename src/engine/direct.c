/* direct.c: an item by its key, straight from the store. */
#include "direct.h"
#include "engine_impl.h"
#include "keys.h"
#include "record.h"

/* The longest key of an item: id, hash, length and bytes of the partition key, the sort key with each byte escaped, its end. */
#define KEY_BYTES (4 + 4 + 2 + KEY_MAX_HASH_BYTES + 2 * KEY_MAX_RANGE_BYTES + 2)

const struct table *direct_table(struct engine *e, struct direct_table *held, struct slice name)
{
    if (e->counters || e->throttle || e->conflicts || catalog_is_shared(e->catalogs)) return NULL;
    if (held->catalog && !catalog_is_current(e->catalogs, held->catalog)) direct_release(e, held);
    if (held->table && slice_eq(held->table->name, name)) return held->table;
    if (!held->catalog) held->catalog = catalog_acquire(e->catalogs);
    held->table = catalog_is_stale(e->catalogs) ? NULL : catalog_find_ready(held->catalog, name);
    return held->table;
}

void direct_release(struct engine *e, struct direct_table *held)
{
    if (held->catalog) catalog_release(e->catalogs, held->catalog);
    *held = (struct direct_table){ NULL, NULL };
}

static bool is_value(const struct key_attr *attr, size_t max, const struct attr *key, struct slice *value)
{
    *value = key->value;
    return slice_eq(key->name, attr->name) && key_fits(attr, max, key->value);
}

bool direct_key(const struct table *t, const struct attr *key, size_t n, struct slice values[2])
{
    const struct key_schema *k = &t->key;
    if (n != k->n_hash + k->n_range) return false;
    size_t first = n == 2 && !slice_eq(key[0].name, k->hash[0].name); /* they may come in either order */
    return is_value(&k->hash[0], KEY_MAX_HASH_BYTES, &key[first], &values[0]) &&
           (n == 1 || is_value(&k->range[0], KEY_MAX_RANGE_BYTES, &key[1 - first], &values[1]));
}

struct get {
    struct slice key;
    int (*fn)(void *ctx, struct slice item);
    void *ctx;
};

static int get(struct store_txn *txn, void *ctx)
{
    struct get *g = ctx;
    struct slice record, item;
    size_t size;
    int status = store_get(txn, SPACE_ITEM, g->key, &record);
    if (status) return status == STORE_NOT_FOUND ? STORE_OK : status;
    return record_read(record, &item, &size) ? g->fn(g->ctx, item) : STORE_CORRUPT;
}

int direct_get(struct engine *e, const struct table *t, const struct slice values[2],
               int (*fn)(void *ctx, struct slice item), void *ctx)
{
    uint8_t bytes[KEY_BYTES];
    struct buf key = { .p = bytes, .cap = sizeof bytes, .max = sizeof bytes }; /* never grows: it needs no arena */
    key_put_item(&key, t, values);
    struct get g = { buf_view(&key), fn, ctx };
    return store_view(e->store, get, &g);
}
