/* check_items.c: items and what is made of them: entries of indexes, times of expiry. Both ways: each item has its entries, and each
 * entry its item. */
#include "check_impl.h"
#include "expiry.h"
#include "record.h"

#define ID_BYTES      4
#define EXPIRY_PREFIX 16 /* id, bucket, second */

static struct slice behind_id(struct slice key)
{
    return slice_of(key.p + ID_BYTES, key.n - ID_BYTES);
}

/* An index that is being filled has nothing of the items behind the place it has reached but what was written since. */
static bool may_lack(const struct owner *o, struct slice item_key)
{
    return o->filling && slice_cmp(item_key, o->position) > 0;
}

static void compare_entry(struct check *k, const struct lookup *l, int status, struct slice there)
{
    if (status == STORE_NOT_FOUND)
        check_tell(k, "index", l->owner, l->of, "the item has no entry");
    else if (status == STORE_OK && !slice_eq(there, l->made))
        check_tell(k, "index", l->owner, l->of, "the entry is not what the item makes of it");
}

static void nothing_to_compare(struct check *k, const struct lookup *l, int status, struct slice there)
{
    if (status == STORE_OK) compare_entry(k, l, status, there);
}

/* Of both kinds of entries. record: what should stand there. */
static void check_entry(struct check *k, struct owner *o, struct slice item_key, struct slice item, struct slice key, struct slice record)
{
    check_lookup(k, (struct lookup){ .space = SPACE_INDEX, .key = key, .owner = o, .of = item, .made = record,
                                     .then = may_lack(o, item_key) ? nothing_to_compare : compare_entry });
}

static void check_entries_of(struct check *k, const struct table *t, struct slice item_key, struct slice item)
{
    struct slice key, record;
    size_t size;
    for (size_t i = 0; i < t->n_indexes; i++) {
        const struct index *ix = &t->indexes[i];
        struct owner *o = check_owner(k, ix->id);
        if (!o || ix->status == INDEX_DELETING) continue;
        if (index_entry(&k->scratch, t, ix, item, &key, &record, &size)) check_entry(k, o, item_key, item, key, record);
    }
    struct owner *o = t->ttl_id ? check_owner(k, t->ttl_id) : NULL;
    if (o && expiry_entry(&k->scratch, t, item_key, item, &key)) check_entry(k, o, item_key, item, key, slice_of(NULL, 0));
}

static void check_item(struct check *k, struct slice key, struct slice value, void *ctx)
{
    struct owner *o = key.n > ID_BYTES ? check_owner(k, (uint32_t)slice_big_endian(key.p, ID_BYTES)) : NULL;
    struct slice item, at;
    size_t size;
    (void)ctx;
    k->report->items++;
    if (!o || o->kind == OWNER_INDEX || o->kind == OWNER_EXPIRY) {
        check_tell_key(k, "item", NULL, key, "belongs to no table");
        return;
    }
    if (o->kind == OWNER_CHANGES) {
        if (!val_check(value)) check_tell_key(k, "item", o, key, "cannot be decoded");
        return;
    }
    if (o->kind == OWNER_DROPPED) return; /* whatever it was: items, or what an export gathered */
    o->count++;
    if (!check_record(k, "item", o, key, value, &item, &size)) return;
    o->bytes += (int64_t)size;
    if (!o->table) return;
    at = key_item(&k->scratch, o->table, item);
    if (at.n <= ID_BYTES || !slice_eq(behind_id(at), behind_id(key))) {
        check_tell_key(k, "item", o, key, "lies under a key that is not the item's");
        return;
    }
    if (o->kind == OWNER_TABLE && !k->damaged[SPACE_INDEX]) check_entries_of(k, o->table, key, item);
}

int check_items(struct check *k)
{
    struct store_range all = { .space = SPACE_ITEM };
    return check_each(k, &all, check_item, NULL);
}

/* ---- the other way ---- */

/* The item that an entry comes from, or a finding. l->of: the entry's key. */
static bool find_item(struct check *k, const struct lookup *l, int status, struct slice record, struct slice *item)
{
    size_t size;
    if (status == STORE_NOT_FOUND) check_tell_key(k, "index", l->owner, l->of, "the entry has no item");
    /* Any other failure was told where the items were checked. */
    return status == STORE_OK && record_read(record, item, &size) && val_check(*item);
}

static void look_for_item(struct check *k, struct lookup l)
{
    l.space = SPACE_ITEM;
    if (l.key.n)
        check_lookup(k, l);
    else
        l.then(k, &l, STORE_NOT_FOUND, slice_of(NULL, 0));
}

static void compare_index_entry(struct check *k, const struct lookup *l, int status, struct slice found)
{
    struct slice item, expected, record;
    size_t size;
    if (!find_item(k, l, status, found, &item)) return;
    /* What stands in it was compared when the item was checked. */
    if (!index_entry(&k->scratch, l->owner->table, l->owner->index, item, &expected, &record, &size) || !slice_eq(expected, l->of))
        check_tell(k, "index", l->owner, item, "the index has an entry that the item does not make");
}

static void check_index_entry(struct check *k, struct owner *o, struct slice key, struct slice value)
{
    struct slice entry;
    size_t size;
    o->count++;
    if (!check_record(k, "index", o, key, value, &entry, &size)) return;
    o->bytes += (int64_t)size;
    if (k->damaged[SPACE_ITEM]) return;
    look_for_item(k, (struct lookup){ .key = key_item(&k->scratch, o->table, entry), .then = compare_index_entry, .owner = o, .of = arena_dup(&k->scratch, key) });
}

static void compare_expiry(struct check *k, const struct lookup *l, int status, struct slice found)
{
    struct slice item, expected;
    if (!find_item(k, l, status, found, &item)) return;
    if (!expiry_entry(&k->scratch, l->owner->table, l->key, item, &expected) || !slice_eq(expected, l->of))
        check_tell(k, "index", l->owner, item, "the item does not expire at that time");
}

static void check_expiry(struct check *k, struct owner *o, struct slice key, struct slice value)
{
    struct buf b;
    if (key.n <= EXPIRY_PREFIX || value.n) {
        check_tell_key(k, "index", o, key, "is no time of expiry");
        return;
    }
    if (k->damaged[SPACE_ITEM]) return;
    buf_init(&b, &k->scratch, STORE_MAX_KEY);
    buf_u32be(&b, o->table->id);
    buf_bytes(&b, key.p + EXPIRY_PREFIX, key.n - EXPIRY_PREFIX);
    look_for_item(k, (struct lookup){ .key = buf_view(&b), .then = compare_expiry, .owner = o, .of = arena_dup(&k->scratch, key) });
}

static void check_any_entry(struct check *k, struct slice key, struct slice value, void *ctx)
{
    struct owner *o = key.n > ID_BYTES ? check_owner(k, (uint32_t)slice_big_endian(key.p, ID_BYTES)) : NULL;
    (void)ctx;
    k->report->entries++;
    if (o && o->kind == OWNER_INDEX)
        check_index_entry(k, o, key, value);
    else if (o && o->kind == OWNER_EXPIRY)
        check_expiry(k, o, key, value);
    else if (!o || o->kind != OWNER_DROPPED)
        check_tell_key(k, "index", NULL, key, "belongs to no index");
}

int check_entries(struct check *k)
{
    struct store_range all = { .space = SPACE_INDEX };
    return check_each(k, &all, check_any_entry, NULL);
}
