/* capacity.c: capacity units, counted in halves: an eventually consistent read of 4 KB is one, a
 * consistent one two, a write of 1 KB two; transactions pay twice that. */
#include "capacity.h"
#include "../item/item_json.h"

enum { READ_UNIT = 4096, WRITE_UNIT = 1024 };

enum capacity_detail capacity_detail(const struct json *request)
{
    const struct json *node = JSON_GET(request, "ReturnConsumedCapacity");
    if (!node || node->type != JSON_STRING) return CAPACITY_NONE;
    if (slice_eq(node->text, SLICE("TOTAL"))) return CAPACITY_TOTAL;
    if (slice_eq(node->text, SLICE("INDEXES"))) return CAPACITY_INDEXES;
    return CAPACITY_NONE;
}

static uint64_t units(uint64_t bytes, uint64_t unit)
{
    return bytes ? (bytes + unit - 1) / unit : 1;
}

uint64_t capacity_read_halves(uint64_t bytes, bool consistent)
{
    return units(bytes, READ_UNIT) * (consistent ? 2 : 1);
}

uint64_t capacity_write_halves(uint64_t bytes)
{
    return units(bytes, WRITE_UNIT) * 2;
}

void usage_write(struct usage *u, struct arena *a, const struct index *ix, struct slice store_key, uint64_t halves)
{
    if (!u) return;
    if (u->transaction && !ix) halves *= 2; /* to prepare and to commit; indexes follow, once */
    *(ix ? &u->index_halves[ix - u->table->indexes] : &u->table_halves) += halves;
    if (!u->tally) return;
    tally_note(u->tally, a, (struct touch){ .key = store_key, .halves = (uint32_t)halves, .write = true,
                                            .parts = (uint8_t)(ix ? ix->key.n_hash : u->table->key.n_hash) });
}

/* DynamoDB writes doubles: 1.0, not 1. */
static void put_halves(struct buf *b, uint64_t halves)
{
    buf_decimal(b, halves / 2);
    buf_bytes(b, halves % 2 ? ".5" : ".0", 2);
}

/* The members of one Capacity object. */
static void put_units(struct buf *b, const struct usage *u, uint64_t halves)
{
    BUF_LIT(b, "\"CapacityUnits\":");
    put_halves(b, halves);
    if (u->transaction && u->read) {
        BUF_LIT(b, ",\"ReadCapacityUnits\":");
        put_halves(b, halves);
    }
    if (u->transaction && u->write) {
        BUF_LIT(b, ",\"WriteCapacityUnits\":");
        put_halves(b, halves);
    }
}

static void put_indexes(struct buf *b, const struct usage *u, enum index_kind kind,
                        const char *member)
{
    bool any = false;
    for (size_t i = 0; i < u->table->n_indexes; i++) {
        const struct index *ix = &u->table->indexes[i];
        if (ix->kind != kind || u->index_halves[i] == 0) continue;
        if (any)
            buf_u8(b, ',');
        else
            buf_printf(b, ",\"%s\":{", member);
        any = true;
        json_put_plain(b, ix->name);
        BUF_LIT(b, ":{");
        put_units(b, u, u->index_halves[i]);
        buf_u8(b, '}');
    }
    if (any) buf_u8(b, '}');
}

void capacity_put(struct buf *b, const struct usage *u, enum capacity_detail detail)
{
    uint64_t total = u->table_halves + u->failed_halves;
    for (size_t i = 0; i < u->table->n_indexes; i++)
        total += u->index_halves[i];

    BUF_LIT(b, "{\"TableName\":");
    json_put_plain(b, u->name.n ? u->name : u->table->name);
    buf_u8(b, ',');
    put_units(b, u, total);
    if (detail == CAPACITY_INDEXES) {
        BUF_LIT(b, ",\"Table\":{");
        put_units(b, u, u->table_halves);
        buf_u8(b, '}');
        put_indexes(b, u, INDEX_LOCAL, "LocalSecondaryIndexes");
        put_indexes(b, u, INDEX_GLOBAL, "GlobalSecondaryIndexes");
    }
    buf_u8(b, '}');
}
