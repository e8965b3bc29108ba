/* start_key.c: ExclusiveStartKey: where a page begins. It names the item the last page ended with:
 * the table's key and, for an index, the index's too. The item need not exist. */
#include "ranged.h"

static int refuse(struct call *call, const char *text)
{
    return err_set(&call->err, ERR_ValidationException, "%s", text);
}

static const char invalid[] = "The provided starting key is invalid";
static const char mismatch[] = "The provided key element does not match the schema";

static const struct key_schema *schema_of(const struct page *p)
{
    return p->index ? &p->index->key : &p->table->key;
}

/* Attributes of the table's key and the index's, each counted once. */
static size_t key_count(const struct page *p)
{
    const struct key_schema *t = &p->table->key;
    size_t n = t->n_hash + t->n_range;
    if (!p->index) return n;
    const struct key_schema *k = &p->index->key;
    for (size_t i = 0; i < k->n_hash; i++)
        n += !key_schema_has(t, k->hash[i].name);
    for (size_t i = 0; i < k->n_range; i++)
        n += !key_schema_has(t, k->range[i].name);
    return n;
}

static int check_attrs(struct call *call, const struct ranged *r, const struct key_attr *attrs,
                       size_t n, struct slice *values)
{
    for (size_t i = 0; i < n; i++) {
        if (!val_get(r->start, attrs[i].name, &values[i])) return refuse(call, invalid);
        if (val_type(values[i]) != attrs[i].type) return refuse(call, mismatch);
    }
    return 0;
}

int start_key_check_hash(struct call *call, const struct ranged *r)
{
    struct slice values[4];
    const struct key_schema *k = schema_of(&r->page);
    if (!r->has_start) return 0;
    if (val_count(r->start) != key_count(&r->page)) return refuse(call, invalid);
    return check_attrs(call, r, k->hash, k->n_hash, values);
}

/* The table's own key within the start key: right types, right sizes. */
static int check_table_part(struct call *call, const struct ranged *r)
{
    const struct page *p = &r->page;
    struct slice key = key_attributes(call->arena, p->table, NULL, r->start);
    struct slice store_key;
    int code = key_of_request(call->arena, p->table, key, &store_key, &call->err);
    if (!code) return 0;
    struct slice message = call->err.message;
    return err_set(&call->err, code, "%s: %.*s", invalid, SLICE_ARG(message));
}

/* Where the item or entry of the start key lies. */
static bool position(struct call *call, const struct ranged *r, struct slice *key)
{
    const struct page *p = &r->page;
    if (p->index) return key_entry(call->arena, p->table, p->index, r->start, key);
    *key = key_item(call->arena, p->table, r->start);
    return key->n > 0;
}

static int apply(struct call *call, struct ranged *r, const char *outside)
{
    struct slice key;
    if (!position(call, r, &key)) return refuse(call, invalid);
    if (!range_start_behind(call->arena, &r->page.range, key)) return refuse(call, outside);
    return 0;
}

/* A partition of one item cannot be gone on with; DynamoDB shows the key in Java's manner. */
static int refuse_one_row(struct call *call, const struct ranged *r)
{
    struct val_iter it;
    struct slice name, value;
    struct buf b;
    buf_init(&b, call->arena, 1u << 16);
    val_iter_init(&it, r->start);
    if (!val_next(&it, &name, &value)) return refuse(call, invalid);
    const char *type = val_type_name(val_type(value));
    if (val_type(value) == TYPE_N) {
        char text[NUM_MAX_TEXT];
        size_t n = num_format(val_content(value), text);
        buf_bytes(&b, text, n);
    } else if (val_type(value) == TYPE_B) {
        base64_put(&b, val_content(value));
    } else {
        buf_slice(&b, val_content(value));
    }
    return err_set(&call->err, ERR_ValidationException,
                   "The provided exclusive start key is invalid: ExclusiveStartKey: "
                   "{%.*s=AttributeValue: {%s:%.*s}}",
                   SLICE_ARG(name), type, (int)b.n, (const char *)b.p);
}

int start_key_apply_query(struct call *call, struct ranged *r, const struct key_query *q)
{
    struct slice hash[4], range[4];
    const struct key_schema *k = schema_of(&r->page);
    if (!r->has_start) return 0;
    int code = check_attrs(call, r, k->hash, k->n_hash, hash);
    if (!code) code = check_attrs(call, r, k->range, k->n_range, range);
    if (!code) code = check_table_part(call, r);
    if (code) return code;

    bool same_partition = true;
    for (size_t i = 0; i < k->n_hash; i++) {
        same_partition = same_partition && val_equal(hash[i], q->hash[i]);
    }
    static const char outside[] =
        "The provided starting key is outside query boundaries based on provided conditions";
    if (q->n_range_eq || q->op != KEY_NONE) {
        if (!range_matches(q, range, k->n_range)) {
            return refuse(call, "The provided starting key does not match the range key predicate");
        }
        if (!same_partition) {
            return refuse(call, "The query can return at most one row and cannot be restarted");
        }
    } else if (!same_partition) {
        return refuse(call, outside);
    }
    if (r->page.one_row && k->n_range == 0) return refuse_one_row(call, r);
    return apply(call, r, outside);
}

int start_key_check_scan(struct call *call, const struct ranged *r)
{
    struct slice values[4];
    if (!r->has_start) return 0;
    if (val_count(r->start) != key_count(&r->page)) {
        if (r->page.index) return refuse(call, invalid);
        return err_set(&call->err, ERR_ValidationException, "%s: %s", invalid, mismatch);
    }
    if (!r->page.index) return 0;
    const struct key_schema *k = schema_of(&r->page);
    int code = check_attrs(call, r, k->hash, k->n_hash, values);
    return code ? code : check_attrs(call, r, k->range, k->n_range, values);
}

int start_key_apply_scan(struct call *call, struct ranged *r, uint32_t segment, uint32_t total)
{
    if (!r->has_start) return 0;
    int code = check_table_part(call, r);
    if (code) return code;
    struct slice outside = arena_printf(
        call->arena,
        "%s: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. "
        "TotalSegments: %u Segment: %u",
        invalid, total, segment);
    return apply(call, r, (const char *)outside.p);
}
