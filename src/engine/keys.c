/* keys.c: building the store's keys from items. What is wrong with a key is said by key_check.c. */
#include "keys.h"
#include "partition_hash.h"

#define KEY_BUF_MAX (STORE_MAX_KEY)

/* The partition key's part: its length and its bytes. */
static void put_part(struct buf *b, struct slice value)
{
    struct slice content = val_content(value);
    buf_varint(b, content.n);
    buf_slice(b, content);
}

void key_put_partition(struct buf *b, const struct table *t, const struct index *ix,
                       const struct slice *hash_values)
{
    const struct key_schema *schema = ix ? &ix->key : &t->key;
    buf_u32be(b, ix ? ix->id : t->id);
    buf_u32be(b, partition_hash(hash_values, schema->n_hash));
    for (size_t i = 0; i < schema->n_hash; i++) put_part(b, hash_values[i]);
}

void key_put_item(struct buf *b, const struct table *t, const struct slice *values)
{
    key_put_partition(b, t, NULL, values);
    if (t->key.n_range) keybytes_put(b, values[1]);
}

struct slice key_of_values(struct arena *a, const struct table *t, const struct slice *values)
{
    struct buf b;
    buf_init(&b, a, KEY_BUF_MAX);
    key_put_item(&b, t, values);
    return buf_view(&b);
}

struct slice key_item(struct arena *a, const struct table *t, struct slice item)
{
    struct slice values[2];
    if (!val_get(item, t->key.hash[0].name, &values[0])) return slice_of(NULL, 0);
    if (t->key.n_range && !val_get(item, t->key.range[0].name, &values[1])) return slice_of(NULL, 0);
    return key_of_values(a, t, values);
}

bool key_fits(const struct key_attr *attr, size_t max, struct slice value)
{
    if (val_type(value) != attr->type) return false;
    size_t length = val_content(value).n;
    return attr->type == TYPE_N || (length > 0 && length <= max);
}

/* Reads the attributes in order; false if one is missing or cannot be a key. */
static bool take_attributes(const struct key_attr *attrs, size_t n, size_t max, struct slice item,
                            struct slice *values)
{
    for (size_t i = 0; i < n; i++) {
        if (!val_get(item, attrs[i].name, &values[i]) || !key_fits(&attrs[i], max, values[i])) return false;
    }
    return true;
}

bool key_entry_attrs(const struct index *ix, struct slice item, struct entry_attrs *out)
{
    return take_attributes(ix->key.hash, ix->key.n_hash, KEY_MAX_HASH_BYTES, item, out->hash) &&
           take_attributes(ix->key.range, ix->key.n_range, KEY_MAX_RANGE_BYTES, item, out->range);
}

bool key_entry_attrs_equal(const struct index *ix, const struct entry_attrs *x, const struct entry_attrs *y)
{
    for (size_t i = 0; i < ix->key.n_hash; i++) {
        if (!slice_eq(x->hash[i], y->hash[i])) return false;
    }
    for (size_t i = 0; i < ix->key.n_range; i++) {
        if (!slice_eq(x->range[i], y->range[i])) return false;
    }
    return true;
}

struct slice key_entry_end(struct arena *a, const struct table *t, struct slice item)
{
    struct slice own[2];
    size_t n = t->key.n_hash + t->key.n_range;
    struct buf b;
    if (!val_get(item, t->key.hash[0].name, &own[0])) return slice_of(NULL, 0);
    if (t->key.n_range && !val_get(item, t->key.range[0].name, &own[1])) return slice_of(NULL, 0);
    buf_init(&b, a, KEY_BUF_MAX);
    /* Entries with equal index keys come in the order of their items' hashes, as on DynamoDB. */
    buf_u32be(&b, partition_hash(own, n));
    put_part(&b, own[0]);
    if (t->key.n_range) keybytes_put(&b, own[1]);
    return buf_view(&b);
}

struct slice key_entry_at(struct arena *a, const struct table *t, const struct index *ix, const struct entry_attrs *attrs,
                          struct slice end)
{
    struct buf b;
    buf_init(&b, a, KEY_BUF_MAX);
    key_put_partition(&b, t, ix, attrs->hash);
    for (size_t i = 0; i < ix->key.n_range; i++) keybytes_put(&b, attrs->range[i]);
    buf_slice(&b, end);
    return buf_view(&b);
}

bool key_entry(struct arena *a, const struct table *t, const struct index *ix, struct slice item,
               struct slice *out)
{
    struct entry_attrs attrs;
    if (!key_entry_attrs(ix, item, &attrs)) return false;
    struct slice end = key_entry_end(a, t, item);
    if (!end.n) return false;
    *out = key_entry_at(a, t, ix, &attrs, end);
    return true;
}

void key_segment(struct arena *a, uint32_t id, uint32_t segment, uint32_t total, struct slice *from,
                 struct slice *to)
{
    const uint64_t space = (uint64_t)1 << 32;
    uint64_t first = (space * segment + total - 1) / total;
    uint64_t end = (space * (segment + 1) + total - 1) / total;
    struct buf b;
    buf_init(&b, a, 64);
    buf_u32be(&b, id);
    buf_u32be(&b, (uint32_t)first);
    *from = buf_view(&b);
    buf_init(&b, a, 64);
    if (end == space) {
        buf_u32be(&b, id + 1);
    } else {
        buf_u32be(&b, id);
        buf_u32be(&b, (uint32_t)end);
    }
    *to = buf_view(&b);
}

static void collect(const struct key_schema *k, struct slice item,
                    struct attr *attrs, size_t *n)
{
    for (size_t i = 0; i < k->n_hash; i++) {
        attrs[*n].name = k->hash[i].name;
        *n += val_get(item, k->hash[i].name, &attrs[*n].value);
    }
    for (size_t i = 0; i < k->n_range; i++) {
        attrs[*n].name = k->range[i].name;
        *n += val_get(item, k->range[i].name, &attrs[*n].value);
    }
}

struct slice key_attributes(struct arena *a, const struct table *t, const struct index *ix,
                            struct slice item)
{
    struct attr attrs[10];
    size_t n = 0;
    collect(&t->key, item, attrs, &n);
    if (ix) collect(&ix->key, item, attrs, &n);
    struct buf b;
    /* A start key is shown here before its values are known to be short enough. */
    buf_init(&b, a, SIZE_MAX / 4);
    val_put_map(&b, attrs, n);
    return buf_view(&b);
}
