/* data.c: the benchmark's items from their numbers. */
#include "data.h"

static const struct {
    const char *hash;
    const char *sort;
} spaces[] = {
    [DATA_READ] = { "read", NULL },         [DATA_BIG] = { "big", NULL },           [DATA_WRITE] = { "write", "item" },
    [DATA_SWAP] = { "swap", "item" },       [DATA_STATE] = { "state", "item" },     [DATA_COUNTER] = { "counter", "counter" },
    [DATA_TALLY] = { "tally", "counter" },  [DATA_ABOUT] = { "about", "about" },
};

uint64_t data_mix(uint64_t v)
{
    v += 0x9e3779b97f4a7c15u;
    v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9u;
    v = (v ^ v >> 27) * 0x94d049bb133111ebu;
    return v ^ v >> 31;
}

void data_hash(struct buf *b, enum data_space space, uint64_t k)
{
    if (space == DATA_BIG || space == DATA_ABOUT)
        buf_printf(b, "%s", spaces[space].hash);
    else
        buf_printf(b, "%s#%09llu", spaces[space].hash, (unsigned long long)(space == DATA_READ ? k / DATA_COLLECTION : k));
}

void data_sort(struct buf *b, enum data_space space, uint64_t k)
{
    if (spaces[space].sort)
        buf_printf(b, "%s", spaces[space].sort);
    else if (space == DATA_READ)
        buf_printf(b, "item#%02u", (unsigned)(k % DATA_COLLECTION));
    else
        buf_printf(b, "item#%010llu", (unsigned long long)k);
}

static void put_keys(struct buf *b, enum data_space space, uint64_t k)
{
    BUF_LIT(b, "\"" DATA_HASH "\":{\"S\":\"");
    data_hash(b, space, k);
    BUF_LIT(b, "\"},\"" DATA_SORT "\":{\"S\":\"");
    data_sort(b, space, k);
    BUF_LIT(b, "\"}");
}

void data_key(struct buf *b, enum data_space space, uint64_t k)
{
    buf_u8(b, '{');
    put_keys(b, space, k);
    buf_u8(b, '}');
}

uint64_t data_groups(const struct data *d)
{
    return d->items / DATA_COLLECTION;
}

uint64_t data_group_member(const struct data *d, uint64_t group, uint64_t i)
{
    return group + i * data_groups(d);
}

void data_group(struct buf *b, unsigned index, enum data_space space, uint64_t group)
{
    buf_printf(b, "%s%u#%09llu", spaces[space].hash, index, (unsigned long long)group);
}

/* Every index spreads the items over its groups in its own way: the first as data_group_member says. */
static void put_index_keys(struct buf *b, const struct data *d, enum data_space space, uint64_t k)
{
    for (unsigned i = 1; i <= d->indexes; i++) {
        buf_printf(b, ",\"gsi%u_pk\":{\"S\":\"", i);
        data_group(b, i, space, (k + i - 1) % data_groups(d));
        buf_printf(b, "\"},\"gsi%u_sk\":{\"S\":\"%010llu\"}", i, (unsigned long long)k);
    }
}

/* Words without meaning, of n letters in all. */
static void put_text(struct buf *b, uint64_t random, size_t n)
{
    uint8_t *p = buf_reserve(b, n);
    for (size_t i = 0; i < n; i++) {
        if (i % 12 == 0) random = data_mix(random);
        unsigned letter = (unsigned)(random >> (5 * (i % 12))) & 31;
        p[i] = letter < 26 ? (uint8_t)('a' + letter) : ' ';
    }
    b->n += n;
}

/* Bytes that are JSON and not the item's: {"":{"S":""}, ...}; what a number and a bool count is near enough to their text. */
static size_t json_bytes(const struct data *d, bool indexed)
{
    return (6 + (indexed ? 2 * (size_t)d->indexes : 0)) * (sizeof "\"\":{\"S\":\"\"}," - 1);
}

void data_item(struct buf *b, const struct data *d, enum data_space space, uint64_t k, unsigned version)
{
    size_t from = b->n;
    uint64_t random = data_mix(d->seed ^ data_mix(k * 16 + version * 8 + (uint64_t)space));
    bool indexed = space == DATA_READ || space == DATA_WRITE || space == DATA_SWAP;
    buf_u8(b, '{');
    put_keys(b, space, k);
    if (indexed) put_index_keys(b, d, space, k);
    buf_printf(b, ",\"number\":{\"N\":\"%llu\"},\"made\":{\"S\":\"2026-%02u-%02uT%02u:%02u:00Z\"},\"active\":{\"BOOL\":%s},\"text\":{\"S\":\"",
               (unsigned long long)k * 2 + version, (unsigned)(random % 12 + 1), (unsigned)(random / 16 % 28 + 1),
               (unsigned)(random / 512 % 24), (unsigned)(random / 16384 % 60), random & 1 << 20 ? "true" : "false");
    size_t used = b->n - from - json_bytes(d, indexed);
    put_text(b, random, used + 1 < d->size ? d->size - used : 1);
    BUF_LIT(b, "\"}}");
}

size_t data_size(const struct data *d, struct arena *a)
{
    struct buf b;
    buf_init(&b, a, (size_t)d->size + 4096);
    data_item(&b, d, DATA_READ, d->items - 1, 0); /* the longest number */
    return b.n - json_bytes(d, true) - (sizeof "\"}}" - 1);
}
