/* direct.c: an item by its key, straight from the store. */
#include "direct.h"
#include "engine_impl.h"
#include "keys.h"
#include "record.h"

/* The longest key of an item: id, hash, length and bytes of the partition key, the sort key with each byte escaped, its end. */
#define KEY_BYTES (4 + 4 + 2 + KEY_MAX_HASH_BYTES + 2 * KEY_MAX_RANGE_BYTES + 2)

const struct table *direct_table(struct engine *e, struct direct_table *held, struct slice name)
{
    if (e->counters || e->throttle || e->conflicts) return NULL;
    if (held->catalog && !catalog_is_current(e->catalogs, held->catalog)) direct_release(e, held);
    if (held->table && slice_eq(held->table->name, name)) return held->table;
    if (!held->catalog) held->catalog = catalog_acquire(e->catalogs);
    held->table = catalog_find_ready(held->catalog, name);
    return held->table;
}

void direct_release(struct engine *e, struct direct_table *held)
{
    if (held->catalog) catalog_release(e->catalogs, held->catalog);
    *held = (struct direct_table){ NULL, NULL };
}

static bool take(const struct key_attr *attr, size_t max, const struct attr *key, size_t n, struct slice *value)
{
    for (size_t i = 0; i < n; i++) {
        if (!slice_eq(key[i].name, attr->name)) continue;
        *value = key[i].value;
        return key_fits(attr, max, *value);
    }
    return false;
}

bool direct_key(const struct table *t, const struct attr *key, size_t n, struct slice values[2])
{
    const struct key_schema *k = &t->key;
    return n == k->n_hash + k->n_range && take(&k->hash[0], KEY_MAX_HASH_BYTES, key, n, &values[0]) &&
           (!k->n_range || take(&k->range[0], KEY_MAX_RANGE_BYTES, key, n, &values[1]));
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
