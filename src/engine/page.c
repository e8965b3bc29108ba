/* page.c: reading one page. */
#include "page.h"
#include "partition_count.h"
#include "record.h"

enum { FETCH_BLOCK = 100 }; /* entries completed per round trip */
enum { PAGE_FULL = 1 };     /* beside the store's statuses, which are not positive */

/* An entry read, waiting for its item. */
struct pending {
    struct slice entry;
    size_t size;
    bool wanted; /* passed the filter */
    bool fetch;  /* its item is to be read */
};

struct reader {
    struct call *call;
    struct store_txn *txn;
    struct page *page;
    struct store_cursor *cursor;
    uint64_t bytes;   /* of the items or entries read */
    uint64_t fetched; /* of items fetched for entries */
    uint64_t tests;   /* that the filter makes of one item */
};

static void put_item(struct reader *r, struct slice item)
{
    struct page *p = r->page;
    if (p->count_only) return;
    if (p->count > 1 && !r->call->on_item) buf_u8(&r->call->response, ',');
    call_put_item(r->call, p->projection, item);
}

static bool page_is_full(const struct reader *r)
{
    const struct page *p = r->page;
    return (p->limit && p->scanned == p->limit) || p->bytes + r->bytes + r->fetched >= PAGE_MAX_BYTES ||
           r->call->response.n >= PAGE_MAX_TEXT || p->scanned * r->tests >= PAGE_MAX_TESTS;
}

/* STORE_OK, STORE_END, or a failure. */
static int next_record(struct reader *r, struct slice *item, size_t *size)
{
    struct slice record;
    int status = store_range_next(r->cursor, NULL, &record);
    if (status == STORE_OK && !record_read(record, item, size)) return STORE_CORRUPT;
    return status;
}

/* A record of the range: 0 for the next one, PAGE_FULL, or a failure. */
static int take_record(void *ctx, struct slice record)
{
    struct reader *r = ctx;
    struct page *p = r->page;
    struct slice item;
    size_t size;
    if (!record_read(record, &item, &size)) return STORE_CORRUPT;
    p->scanned++;
    r->bytes += size;
    if (!p->filter || cond_eval(p->filter, item)) {
        p->count++;
        put_item(r, item);
    }
    if (!page_is_full(r)) return 0;
    p->last = item;
    return PAGE_FULL;
}

static int read_plain(struct reader *r)
{
    int status = store_range_each(r->cursor, take_record, r);
    return status == STORE_END || status == PAGE_FULL ? STORE_OK : status;
}

/* Fills a block with entries, no more than the page may still take. */
static int read_block(struct reader *r, struct pending *block, size_t *n, bool *end)
{
    struct page *p = r->page;
    uint64_t bytes = 0;
    size_t max = FETCH_BLOCK;
    if (p->limit && p->limit - p->scanned < max) max = (size_t)(p->limit - p->scanned);
    for (*n = 0; *n < max && p->bytes + r->bytes + bytes < PAGE_MAX_BYTES; ++*n) {
        struct pending *e = &block[*n];
        int status = next_record(r, &e->entry, &e->size);
        if (status == STORE_END) {
            *end = true;
            return STORE_OK;
        }
        if (status != STORE_OK) return status;
        e->wanted = !p->filter || cond_eval(p->filter, e->entry);
        e->fetch = e->wanted || p->fetch_all;
        bytes += e->size;
    }
    return STORE_OK;
}

static int fetch_block(struct reader *r, const struct pending *block, size_t n,
                       struct store_read *reads)
{
    struct page *p = r->page;
    size_t wanted = 0;
    for (size_t i = 0; i < n; i++) {
        if (!block[i].fetch) continue;
        reads[wanted++] = (struct store_read){
            .space = SPACE_ITEM,
            .key = key_item(r->call->arena, p->table, block[i].entry),
        };
    }
    return wanted ? store_get_many(r->txn, reads, wanted) : STORE_OK;
}

static int take_fetched(struct reader *r, const struct store_read *read, bool wanted)
{
    struct page *p = r->page;
    struct slice item;
    size_t size;
    if (read->status == STORE_NOT_FOUND) return STORE_OK;
    if (!record_read(read->value, &item, &size)) return STORE_CORRUPT;
    r->fetched += size;
    p->usage.table_halves += capacity_read_halves(size, p->consistent);
    if (!wanted) return STORE_OK;
    p->count++;
    put_item(r, item);
    return STORE_OK;
}

static int read_with_fetch(struct reader *r)
{
    struct page *p = r->page;
    struct pending *block = ARENA_ARRAY(r->call->arena, struct pending, FETCH_BLOCK);
    struct store_read *reads = ARENA_ARRAY(r->call->arena, struct store_read, FETCH_BLOCK);
    for (bool end = false; !end;) {
        size_t n;
        int status = read_block(r, block, &n, &end);
        if (status == STORE_OK) status = fetch_block(r, block, n, reads);
        const struct store_read *read = reads;
        for (size_t i = 0; status == STORE_OK && i < n; i++) {
            p->scanned++;
            r->bytes += block[i].size;
            if (block[i].fetch) status = take_fetched(r, read++, block[i].wanted);
            if (page_is_full(r)) {
                p->last = block[i].entry;
                return status;
            }
        }
        if (status != STORE_OK) return status;
    }
    return STORE_OK;
}

static void charge(struct page *p, uint64_t bytes)
{
    uint64_t halves = capacity_read_halves(bytes, p->consistent);
    if (p->index) {
        p->usage.index_halves[p->index - p->table->indexes] += halves;
    } else {
        p->usage.table_halves += halves;
    }
}

void page_begin(struct call *call, struct page *p)
{
    p->scanned = p->count = p->bytes = 0;
    p->last = call->last_key = slice_of(NULL, 0);
    p->usage = (struct usage){ .table = p->table, .name = p->usage.name, .read = true };
}

int page_read_part(struct call *call, struct store_txn *txn, struct page *p)
{
    struct reader r = { .call = call, .txn = txn, .page = p };
    if (p->filter) r.tests = cond_operands(p->filter);
    if (p->limit && p->limit - p->scanned <= 1000) p->range.limit = (size_t)(p->limit - p->scanned);

    int status = store_range_open(txn, &p->range, &r.cursor);
    if (status == STORE_OK) {
        status = p->fetch && !p->count_only ? read_with_fetch(&r) : read_plain(&r);
        store_range_close(r.cursor);
    }
    if (status != STORE_OK) return call_store_failed(call, status);
    p->bytes += r.bytes + r.fetched;
    charge(p, r.bytes);
    return 0;
}

int page_read(struct call *call, struct store_txn *txn, struct page *p)
{
    page_begin(call, p);
    if (!p->count_only) BUF_LIT(&call->response, "\"Items\":[");
    int code = page_read_part(call, txn, p);
    if (code) return code;
    if (!p->count_only) BUF_LIT(&call->response, "],");
    return 0;
}

static uint32_t hash_of(struct slice key)
{
    if (key.n < 8) return 0;
    return (uint32_t)key.p[4] << 24 | (uint32_t)key.p[5] << 16 | (uint32_t)key.p[6] << 8 | key.p[7];
}

/* A Scan pays at least the least for each partition that it visits: an almost empty on-demand table, which
 * has four, costs 2 units, not 0.5. */
void page_charge_scan(struct call *call, struct page *p)
{
    if (p->index) return;
    const uint32_t n = table_partitions(p->table);
    uint32_t first = partition_of_hash(hash_of(p->range.from), n), last = n - 1;
    if (p->last.n) {
        last = partition_of_hash(hash_of(key_item(call->arena, p->table, p->last)), n);
    } else if (p->range.to.n >= 8) { /* the next segment begins there */
        uint32_t end = hash_of(p->range.to);
        last = partition_of_hash(end ? end - 1 : 0, n);
    }
    uint64_t least = (last - first + 1) * capacity_read_halves(0, p->consistent);
    if (p->usage.table_halves < least) p->usage.table_halves = least;
}

void page_footprint(struct call *call, const struct page *p, struct footprint *f)
{
    *footprint_room(call, f, 1) = (struct footprint_item){ .key = p->range.from, .table = p->table, .index = p->index };
}

void page_count(struct call *call, const struct page *p)
{
    uint64_t halves = p->index ? p->usage.index_halves[p->index - p->table->indexes] : p->usage.table_halves;
    tally_note(&call->tally, call->arena,
               (struct touch){ .key = p->range.from, .halves = (uint32_t)halves, .parts = p->parts });
    if (!p->index || !p->usage.table_halves) return;
    /* Entries of a local index were completed from the table, whose partitions have the same keys. */
    uint8_t id[4];
    for (int i = 0; i < 4; i++) id[i] = (uint8_t)(p->table->id >> (24 - 8 * i));
    struct buf key;
    buf_init(&key, call->arena, STORE_MAX_KEY);
    buf_bytes(&key, id, sizeof id);
    buf_bytes(&key, p->range.from.p + sizeof id, p->range.from.n - sizeof id);
    tally_note(&call->tally, call->arena,
               (struct touch){ .key = buf_view(&key), .halves = (uint32_t)p->usage.table_halves, .parts = p->parts });
}

void page_put_summary(struct call *call, struct page *p)
{
    struct buf *b = &call->response;
    BUF_LIT(b, "\"Count\":");
    buf_decimal(b, p->count);
    BUF_LIT(b, ",\"ScannedCount\":");
    buf_decimal(b, p->scanned);
    page_put_end(call, p, p->last.n && !p->one_row);
}

void page_put_end(struct call *call, struct page *p, bool more)
{
    struct buf *b = &call->response;
    if (more) {
        call->last_key = key_attributes(call->arena, p->table, p->index, p->last);
        if (!call->on_item) {
            BUF_LIT(b, ",\"LastEvaluatedKey\":");
            item_to_json(b, call->last_key);
        }
    }
    enum capacity_detail detail = capacity_detail(call->request);
    if (detail == CAPACITY_NONE) return;
    BUF_LIT(b, ",\"ConsumedCapacity\":");
    capacity_put(b, &p->usage, detail);
}
