/* partitions.c: counts what lies in each partition, straight from the stored records. */
#include "partitions.h"
#include "partition_hash.h"
#include "ranged.h"
#include "record.h"
#include <time.h>

#define HEAD_BYTES 8 /* id and hash, before the partition key */
#define ID_BYTES   4
#define LOOK_EVERY 64 /* items between two looks at the clock */

struct listing {
    const struct partitions_query *query;
    const struct table *table;
    const struct index *index;
    struct store_range range;
};

struct counter {
    struct call *call;
    const struct listing *list;
    struct store_cursor *cursor;
    const struct key_schema *schema;
    int64_t deadline; /* 0: none */
    uint64_t counted; /* items, in all partitions of the page */
    uint32_t listed;
    /* the partition that is being counted */
    struct buf prefix;
    struct slice sample; /* an item of it, which has the partition's key; empty: none yet */
    uint64_t items, bytes;
    /* the last one that was listed */
    struct buf last;
};

static int64_t clock_ms(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* How much of a key names its partition; 0 if it is too short for one. */
static size_t prefix_length(struct slice key, size_t n_hash)
{
    size_t at = HEAD_BYTES;
    for (size_t part = 0; part < n_hash; part++) {
        uint64_t n = 0;
        unsigned shift = 0;
        do {
            if (at >= key.n || shift > 28) return 0;
            n |= (uint64_t)(key.p[at] & 0x7f) << shift;
            shift += 7;
        } while (key.p[at++] & 0x80);
        if (at > key.n || n > key.n - at) return 0;
        at += (size_t)n;
    }
    return at;
}

/* Begins behind the partition that `after` names: it holds the prefix without the id, in base64. */
static int go_on(struct call *call, struct listing *list, const struct key_schema *schema)
{
    struct slice place;
    struct buf prefix;
    bool good = base64_decode(call->arena, list->query->after, &place) && place.n <= STORE_MAX_KEY - ID_BYTES;
    if (good) {
        buf_init(&prefix, call->arena, STORE_MAX_KEY);
        buf_u32be(&prefix, list->index ? list->index->id : list->table->id);
        buf_slice(&prefix, place);
        good = prefix_length(buf_view(&prefix), schema->n_hash) == prefix.n;
    }
    if (!good) {
        return err_set(&call->err, ERR_ValidationException,
                       "After is not a place in this table or index that an earlier page gave");
    }
    list->range.from = keybytes_after(call->arena, buf_view(&prefix));
    return 0;
}

static const struct key_schema *schema_of(const struct listing *list)
{
    return list->index ? &list->index->key : &list->table->key;
}

static int bind(struct call *call)
{
    struct listing *list = call->state;
    const struct partitions_query *q = list->query;
    list->index = NULL;
    int code = call_find_table(call, q->table, &list->table);
    if (!code && q->index.p)
        code = ranged_find_index(list->table, q->index, false, &list->index, &call->err);
    if (code) return code;
    range_of_segment(call->arena, list->table, list->index, 0, 1, &list->range);
    return q->after.n ? go_on(call, list, schema_of(list)) : 0;
}

static void put_partition(struct counter *c, bool more)
{
    struct buf *b = &c->call->response;
    struct attr attrs[PARTITION_MAX_VALUES];
    size_t n = 0;
    for (; n < c->schema->n_hash; n++) {
        attrs[n].name = c->schema->hash[n].name;
        if (!val_get(c->sample, attrs[n].name, &attrs[n].value)) break;
    }
    struct buf key;
    buf_init(&key, c->call->arena, STORE_MAX_KEY + STORE_MAX_VALUE);
    val_put_map(&key, attrs, n);
    if (c->listed++) buf_u8(b, ',');
    BUF_LIT(b, "{\"Key\":");
    item_to_json(b, buf_view(&key));
    buf_printf(b, ",\"Items\":%llu,\"Bytes\":%llu,\"More\":%s}", (unsigned long long)c->items,
               (unsigned long long)c->bytes, more ? "true" : "false");
    c->last.n = 0;
    buf_slice(&c->last, buf_view(&c->prefix));
}

static void begin_partition(struct counter *c, struct slice prefix, struct slice item)
{
    c->prefix.n = 0;
    buf_slice(&c->prefix, prefix);
    c->sample = item;
    c->items = c->bytes = 0;
}

static bool budget_is_spent(const struct counter *c)
{
    if (c->counted >= c->list->query->most_items) return true;
    return c->deadline && c->counted % LOOK_EVERY == 0 && clock_ms() >= c->deadline;
}

/* STORE_END: all partitions were met. STORE_OK: more follow behind the last one listed. */
static int count(struct counter *c)
{
    const uint32_t limit = c->list->query->limit;
    struct slice key, record, item;
    size_t size;
    int status;
    while ((status = store_range_next(c->cursor, &key, &record)) == STORE_OK) {
        size_t n = prefix_length(key, c->schema->n_hash);
        if (!n || !record_read(record, &item, &size)) return STORE_CORRUPT;
        struct slice prefix = slice_of(key.p, n);
        bool same = c->sample.n && slice_eq(prefix, buf_view(&c->prefix));
        if (c->sample.n && !same) put_partition(c, false);
        if (limit && c->listed == limit) return STORE_OK;
        if (c->counted && budget_is_spent(c)) {
            if (!c->listed) put_partition(c, true);
            return STORE_OK;
        }
        if (!same) begin_partition(c, prefix, item);
        c->items++;
        c->bytes += size;
        c->counted++;
    }
    if (status == STORE_END && c->sample.n) put_partition(c, false);
    return status;
}

static int run(struct call *call, struct store_txn *txn)
{
    const struct listing *list = call->state;
    struct buf *b = &call->response;
    struct counter c = { .call = call, .list = list, .schema = schema_of(list) };
    if (list->query->most_ms) c.deadline = clock_ms() + list->query->most_ms;
    buf_init(&c.prefix, call->arena, STORE_MAX_KEY);
    buf_init(&c.last, call->arena, STORE_MAX_KEY);

    BUF_LIT(b, "{\"Partitions\":[");
    int status = store_range_open(txn, &list->range, &c.cursor);
    if (status != STORE_OK) return call_store_failed(call, status);
    status = count(&c);
    store_range_close(c.cursor);
    if (status != STORE_OK && status != STORE_END) return call_store_failed(call, status);
    buf_u8(b, ']');
    if (status == STORE_OK) {
        BUF_LIT(b, ",\"After\":\"");
        base64_put(b, slice_of(c.last.p + ID_BYTES, c.last.n - ID_BYTES));
        buf_u8(b, '"');
    }
    buf_u8(b, '}');
    return 0;
}

int partitions_list(struct engine *e, struct arena *a, const struct partitions_query *query,
                    struct buf *out, struct err *err)
{
    static const struct op op = { .name = "ListPartitions", .kind = OP_READ, .bind = bind, .run = run };
    struct listing list = { .query = query };
    struct call call = { 0 };
    if (!call_prepare_op(&call, e, a, &op, &list)) call_run(&call);
    call_end(&call);
    *err = call.err;
    if (!err->code) buf_slice(out, buf_view(&call.response));
    return (int)err->code;
}
