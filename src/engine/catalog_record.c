/* catalog_record.c: the catalog's records in the store: what an operation reads and writes inside
 * its transaction. */
#include "catalog.h"

#define NAME_KEY_MAX 1100 /* "T" and a name; names are checked before, ARNs reach 1,024 bytes */

static struct slice name_key(uint8_t bytes[NAME_KEY_MAX], struct slice name)
{
    size_t n = name.n < NAME_KEY_MAX - 1 ? name.n : NAME_KEY_MAX - 1;
    bytes[0] = 'T';
    if (n) memcpy(bytes + 1, name.p, n);
    return slice_of(bytes, n + 1);
}

static void put_id(uint8_t bytes[4], uint32_t id)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(id >> (24 - 8 * i));
}

struct slice catalog_id_key(uint8_t bytes[5], char what, uint32_t id)
{
    bytes[0] = (uint8_t)what;
    put_id(bytes + 1, id);
    return slice_of(bytes, 5);
}

struct table *catalog_read(struct store_txn *txn, struct arena *a, struct slice name, int *status)
{
    uint8_t bytes[NAME_KEY_MAX];
    struct slice record;
    *status = store_get(txn, SPACE_META, name_key(bytes, name), &record);
    if (*status) return NULL;
    struct table *t = table_decode_in(a, record);
    if (!t) *status = STORE_CORRUPT;
    return t;
}

int catalog_write(struct store_txn *txn, struct arena *a, const struct table *t,
                  struct slice *record)
{
    uint8_t bytes[NAME_KEY_MAX];
    *record = table_encode(t, a);
    int status = store_new_epoch(txn);
    return status ? status : store_put(txn, SPACE_META, name_key(bytes, t->name), *record);
}

int catalog_remove(struct store_txn *txn, struct slice name)
{
    uint8_t bytes[NAME_KEY_MAX];
    int status = store_new_epoch(txn);
    return status ? status : store_delete(txn, SPACE_META, name_key(bytes, name));
}

int catalog_next_id(struct store_txn *txn, uint32_t *id)
{
    struct slice value;
    uint8_t bytes[4];
    uint32_t last = 0;
    int status = store_get(txn, SPACE_META, SLICE("N"), &value);
    if (status && status != STORE_NOT_FOUND) return status;
    if (!status) {
        if (value.n != 4) return STORE_CORRUPT;
        for (int i = 0; i < 4; i++)
            last = last << 8 | value.p[i];
    }
    /* The largest id is never given out: ranges end at id + 1. */
    if (last >= UINT32_MAX - 1) return STORE_FULL;
    *id = last + 1;
    put_id(bytes, *id);
    return store_put(txn, SPACE_META, SLICE("N"), slice_of(bytes, 4));
}

int catalog_give_ids(struct store_txn *txn, struct table *t)
{
    int status = catalog_next_id(txn, &t->id);
    for (size_t i = 0; !status && i < t->n_indexes; i++) {
        status = catalog_next_id(txn, &t->indexes[i].id);
    }
    return status;
}

static int mark_dropped(struct store_txn *txn, uint32_t id, char what)
{
    uint8_t bytes[5];
    return store_put(txn, SPACE_META, catalog_id_key(bytes, 'D', id), slice_of(&what, 1));
}

int catalog_drop_index(struct store_txn *txn, uint32_t index_id)
{
    uint8_t bytes[5];
    int status = store_delete(txn, SPACE_META, catalog_id_key(bytes, 'B', index_id));
    return status ? status : mark_dropped(txn, index_id, 'I');
}

int catalog_drop_items(struct store_txn *txn, uint32_t id)
{
    return mark_dropped(txn, id, 'T');
}

int catalog_drop_waiting(struct store_txn *txn, uint32_t id)
{
    uint8_t bytes[5];
    struct slice key = catalog_id_key(bytes, 'W', id), value;
    int status = store_get(txn, SPACE_META, key, &value);
    if (status) return status == STORE_NOT_FOUND ? STORE_OK : status;
    status = store_delete(txn, SPACE_META, key);
    return status ? status : catalog_drop_items(txn, id);
}

static int drop_items_of(struct store_txn *txn, const struct table *t)
{
    uint8_t bytes[5];
    if (!t->copies) return catalog_drop_items(txn, t->id);
    return store_put(txn, SPACE_META, catalog_id_key(bytes, 'W', t->id), SLICE("T"));
}

int catalog_drop_table(struct store_txn *txn, const struct table *t, bool keep_items)
{
    int status = catalog_remove(txn, t->name);
    if (!status && !keep_items) status = drop_items_of(txn, t);
    for (size_t i = 0; !status && i < t->n_indexes; i++) {
        status = catalog_drop_index(txn, t->indexes[i].id);
    }
    if (!status && t->ttl_id) status = catalog_drop_index(txn, t->ttl_id);
    return status;
}

int catalog_begin_backfill(struct store_txn *txn, uint32_t index_id, uint32_t table_id)
{
    uint8_t bytes[5], from[4];
    put_id(from, table_id);
    return store_put(txn, SPACE_META, catalog_id_key(bytes, 'B', index_id), slice_of(from, 4));
}
