/* workloads.c: what each workload sends and what it must be answered. */
#include "model.h"

/* Different requests of a workload: each is sent twice before the clock starts, also to servers that are slow. */
#define MOST_GETS     10000
#define MOST_OTHERS   2000
#define MOST_BYTES    ((size_t)128 << 20) /* of their bodies, and of their answers */
#define BATCH_GET     100
#define BATCH_WRITE   25
#define BATCHES       200 /* different ones, in two versions */

static void text_begin(struct bench_plan *p, struct buf *b)
{
    buf_init(b, p->arena, BENCH_BODY_MAX);
}

/* How many different requests there are, of `n` possible ones and at most so many, each of so many bytes with its answer. */
static uint64_t how_many(uint64_t n, uint64_t most, size_t bytes)
{
    uint64_t fit = MOST_BYTES / (bytes + 1000);
    if (fit < 100) fit = 100;
    if (most > fit) most = fit;
    return n < most ? n : most;
}

/* Number i of `count`, spread over 0 .. n - 1 without order but without repetition: one of each of the equal parts. */
static uint64_t spread(const struct bench *b, uint64_t i, uint64_t count, uint64_t n)
{
    uint64_t from = i * n / count, to = (i + 1) * n / count;
    return from + data_mix(b->data.seed + i) % (to - from);
}

/* The i-th of n in an order that looks random: 7919 is prime, and no multiple of it is a count. */
static uint64_t shuffled(uint64_t i, uint64_t n)
{
    return n % 7919 ? i * 7919 % n : i;
}

static void plan_read(struct bench_plan *p, const char *operation, struct buf *body, struct buf *expected)
{
    bench_plan_add(p, (struct bench_request){ .operation = slice_str(operation), .body = buf_view(body), .expected = buf_view(expected), .reads = true });
}

static void plan_write(struct bench_plan *p, const char *operation, struct buf *body, const char *expected, unsigned adds)
{
    bench_plan_add(p, (struct bench_request){ .operation = slice_str(operation), .body = buf_view(body), .expected = slice_str(expected), .adds = adds });
}

/* ---- single items ---- */

static void add_get(struct bench *b, struct bench_plan *p, uint64_t k)
{
    struct buf body, expected;
    text_begin(p, &body);
    buf_printf(&body, "{\"TableName\":\"%.*s\",\"Key\":", SLICE_ARG(b->table));
    data_key(&body, DATA_READ, k);
    buf_u8(&body, '}');
    text_begin(p, &expected);
    BUF_LIT(&expected, "{\"Item\":");
    data_item(&expected, &b->data, DATA_READ, k, 0);
    buf_u8(&expected, '}');
    plan_read(p, "GetItem", &body, &expected);
}

static int build_get(struct bench *b, struct bench_plan *p)
{
    uint64_t n = how_many(b->data.items, MOST_GETS, b->data.size);
    for (uint64_t i = 0; i < n; i++) add_get(b, p, spread(b, shuffled(i, n), n, b->data.items));
    return EXIT_OK;
}

static void add_put(struct bench *b, struct bench_plan *p, uint64_t k, unsigned version)
{
    struct buf body;
    text_begin(p, &body);
    buf_printf(&body, "{\"TableName\":\"%.*s\",\"Item\":", SLICE_ARG(b->table));
    data_item(&body, &b->data, DATA_WRITE, k, version);
    buf_u8(&body, '}');
    plan_write(p, "PutItem", &body, "{}", 0);
    bench_plan_wrote(p, DATA_WRITE, k);
}

/* Each item in two versions, by turns: a put that changes nothing would be less work. */
static int build_put(struct bench *b, struct bench_plan *p)
{
    uint64_t n = how_many(MOST_OTHERS, MOST_OTHERS, b->data.size);
    for (uint64_t i = 0; i < 2 * n; i++) add_put(b, p, shuffled(i % n, n), i >= n);
    return EXIT_OK;
}

static void add_update(struct bench *b, struct bench_plan *p, uint64_t k)
{
    struct buf body;
    text_begin(p, &body);
    buf_printf(&body, "{\"TableName\":\"%.*s\",\"Key\":", SLICE_ARG(b->table));
    data_key(&body, DATA_COUNTER, k);
    BUF_LIT(&body, ",\"UpdateExpression\":\"ADD visits :one\",\"ExpressionAttributeValues\":{\":one\":{\"N\":\"1\"}}}");
    plan_write(p, "UpdateItem", &body, "{}", 1);
}

static int build_update(struct bench *b, struct bench_plan *p)
{
    for (uint64_t i = 0; i < DATA_COUNTERS; i++) add_update(b, p, shuffled(i, DATA_COUNTERS));
    return EXIT_OK;
}

/* ---- queries ---- */

static void add_query(struct bench *b, struct bench_plan *p, uint64_t collection)
{
    struct buf body, expected;
    text_begin(p, &body);
    buf_printf(&body, "{\"TableName\":\"%.*s\",\"KeyConditionExpression\":\"" DATA_HASH " = :p\",\"ExpressionAttributeValues\":{\":p\":{\"S\":\"",
               SLICE_ARG(b->table));
    data_hash(&body, DATA_READ, collection * DATA_COLLECTION);
    BUF_LIT(&body, "\"}}}");
    text_begin(p, &expected);
    BUF_LIT(&expected, "{\"Count\":20,\"ScannedCount\":20,\"Items\":[");
    for (uint64_t i = 0; i < DATA_COLLECTION; i++) {
        if (i) buf_u8(&expected, ',');
        data_item(&expected, &b->data, DATA_READ, collection * DATA_COLLECTION + i, 0);
    }
    BUF_LIT(&expected, "]}");
    plan_read(p, "Query", &body, &expected);
}

static int build_query(struct bench *b, struct bench_plan *p)
{
    uint64_t all = b->data.items / DATA_COLLECTION, n = how_many(all, MOST_OTHERS, DATA_COLLECTION * 2 * (size_t)b->data.size);
    for (uint64_t i = 0; i < n; i++) add_query(b, p, spread(b, shuffled(i, n), n, all));
    return EXIT_OK;
}

/* The first items of the big collection, or its last. */
static void add_page(struct bench *b, struct bench_plan *p, uint64_t count, bool newest)
{
    struct buf body, expected;
    uint64_t all = b->data.collection;
    text_begin(p, &body);
    buf_printf(&body, "{\"TableName\":\"%.*s\",\"KeyConditionExpression\":\"" DATA_HASH " = :p\",\"ExpressionAttributeValues\":{\":p\":{\"S\":\"",
               SLICE_ARG(b->table));
    data_hash(&body, DATA_BIG, 0);
    buf_printf(&body, "\"}},\"Limit\":%llu%s}", (unsigned long long)count, newest ? ",\"ScanIndexForward\":false" : "");
    text_begin(p, &expected);
    buf_printf(&expected, "{\"Count\":%llu,\"ScannedCount\":%llu,\"Items\":[", (unsigned long long)count, (unsigned long long)count);
    for (uint64_t i = 0; i < count; i++) {
        if (i) buf_u8(&expected, ',');
        data_item(&expected, &b->data, DATA_BIG, newest ? all - 1 - i : i, 0);
    }
    BUF_LIT(&expected, "],\"LastEvaluatedKey\":");
    data_key(&expected, DATA_BIG, newest ? all - count : count - 1);
    buf_u8(&expected, '}');
    plan_read(p, "Query", &body, &expected);
}

static int build_newest(struct bench *b, struct bench_plan *p)
{
    add_page(b, p, 1, true);
    return EXIT_OK;
}

static int build_first_page(struct bench *b, struct bench_plan *p)
{
    add_page(b, p, DATA_COLLECTION, false);
    return EXIT_OK;
}

/* As many as the first page of a list on a screen has, from an item somewhere in the big collection. */
static void add_range(struct bench *b, struct bench_plan *p, uint64_t first)
{
    struct buf body, expected;
    text_begin(p, &body);
    buf_printf(&body, "{\"TableName\":\"%.*s\",\"KeyConditionExpression\":\"" DATA_HASH " = :p AND " DATA_SORT " >= :s\",\"ExpressionAttributeValues\":{\":p\":{\"S\":\"",
               SLICE_ARG(b->table));
    data_hash(&body, DATA_BIG, 0);
    BUF_LIT(&body, "\"},\":s\":{\"S\":\"");
    data_sort(&body, DATA_BIG, first);
    buf_printf(&body, "\"}},\"Limit\":%d}", DATA_RANGE);
    text_begin(p, &expected);
    buf_printf(&expected, "{\"Count\":%d,\"ScannedCount\":%d,\"Items\":[", DATA_RANGE, DATA_RANGE);
    for (uint64_t i = 0; i < DATA_RANGE; i++) {
        if (i) buf_u8(&expected, ',');
        data_item(&expected, &b->data, DATA_BIG, first + i, 0);
    }
    BUF_LIT(&expected, "],\"LastEvaluatedKey\":");
    data_key(&expected, DATA_BIG, first + DATA_RANGE - 1);
    buf_u8(&expected, '}');
    plan_read(p, "Query", &body, &expected);
}

static int build_range(struct bench *b, struct bench_plan *p)
{
    uint64_t all = b->data.collection - DATA_RANGE, n = how_many(all, MOST_OTHERS, (size_t)DATA_RANGE * 2 * (size_t)b->data.size);
    for (uint64_t i = 0; i < n; i++) add_range(b, p, spread(b, shuffled(i, n), n, all));
    return EXIT_OK;
}

static void add_index_query(struct bench *b, struct bench_plan *p, uint64_t group)
{
    struct buf body, expected;
    text_begin(p, &body);
    buf_printf(&body, "{\"TableName\":\"%.*s\",\"IndexName\":\"gsi1\",\"KeyConditionExpression\":\"gsi1_pk = :p\",\"ExpressionAttributeValues\":"
               "{\":p\":{\"S\":\"", SLICE_ARG(b->table));
    data_group(&body, 1, DATA_READ, group);
    BUF_LIT(&body, "\"}}}");
    text_begin(p, &expected);
    BUF_LIT(&expected, "{\"Count\":20,\"ScannedCount\":20,\"Items\":[");
    for (uint64_t i = 0; i < DATA_COLLECTION; i++) {
        if (i) buf_u8(&expected, ',');
        data_item(&expected, &b->data, DATA_READ, data_group_member(&b->data, group, i), 0);
    }
    BUF_LIT(&expected, "]}");
    plan_read(p, "Query", &body, &expected);
}

static int build_index(struct bench *b, struct bench_plan *p)
{
    uint64_t all = data_groups(&b->data), n = how_many(all, MOST_OTHERS, DATA_COLLECTION * 2 * (size_t)b->data.size);
    for (uint64_t i = 0; i < n; i++) add_index_query(b, p, spread(b, shuffled(i, n), n, all));
    return EXIT_OK;
}

/* ---- batches and transactions ---- */

static void add_batch_get(struct bench *b, struct bench_plan *p, uint64_t number, uint64_t count)
{
    struct buf body, expected;
    text_begin(p, &body);
    text_begin(p, &expected);
    buf_printf(&body, "{\"RequestItems\":{\"%.*s\":{\"Keys\":[", SLICE_ARG(b->table));
    buf_printf(&expected, "{\"UnprocessedKeys\":{},\"Responses\":{\"%.*s\":[", SLICE_ARG(b->table));
    for (uint64_t i = 0; i < BATCH_GET; i++) {
        uint64_t k = spread(b, i * count + number, BATCH_GET * count, b->data.items);
        if (i) buf_u8(&body, ','), buf_u8(&expected, ',');
        data_key(&body, DATA_READ, k);
        data_item(&expected, &b->data, DATA_READ, k, 0);
    }
    BUF_LIT(&body, "]}}}");
    BUF_LIT(&expected, "]}}");
    plan_read(p, "BatchGetItem", &body, &expected);
    p->requests[p->n - 1].unordered = true;
}

static int build_batch_get(struct bench *b, struct bench_plan *p)
{
    uint64_t n = how_many(b->data.items / BATCH_GET, MOST_OTHERS, BATCH_GET * 2 * ((size_t)b->data.size + 100));
    for (uint64_t i = 0; i < n; i++) add_batch_get(b, p, shuffled(i, n), n);
    return EXIT_OK;
}

static void add_batch_write(struct bench *b, struct bench_plan *p, uint64_t from, unsigned version)
{
    struct buf body;
    text_begin(p, &body);
    buf_printf(&body, "{\"RequestItems\":{\"%.*s\":[", SLICE_ARG(b->table));
    for (uint64_t i = 0; i < BATCH_WRITE; i++) {
        buf_printf(&body, "%s{\"PutRequest\":{\"Item\":", i ? "," : "");
        data_item(&body, &b->data, DATA_WRITE, from + i, version);
        BUF_LIT(&body, "}}");
        bench_plan_wrote(p, DATA_WRITE, from + i);
    }
    BUF_LIT(&body, "]}}");
    plan_write(p, "BatchWriteItem", &body, "{\"UnprocessedItems\":{}}", 0);
}

static int build_batch_write(struct bench *b, struct bench_plan *p)
{
    uint64_t n = how_many(BATCHES, BATCHES, BATCH_WRITE * (size_t)b->data.size);
    for (uint64_t i = 0; i < 2 * n; i++) add_batch_write(b, p, i % n * BATCH_WRITE, i >= n);
    return EXIT_OK;
}

/* A put, a counter, a change of one attribute, and a check of an item that nobody changes. No two have an item in common that they
 * write: what is measured is the work and not conflicts. */
static void add_transact(struct bench *b, struct bench_plan *p, uint64_t k, uint64_t checked, unsigned version)
{
    struct buf body;
    text_begin(p, &body);
    buf_printf(&body, "{\"TransactItems\":[{\"Put\":{\"TableName\":\"%.*s\",\"Item\":", SLICE_ARG(b->table));
    data_item(&body, &b->data, DATA_SWAP, k, version);
    buf_printf(&body, "}},{\"Update\":{\"TableName\":\"%.*s\",\"Key\":", SLICE_ARG(b->table));
    data_key(&body, DATA_TALLY, k);
    buf_printf(&body, ",\"UpdateExpression\":\"ADD visits :one\",\"ExpressionAttributeValues\":{\":one\":{\"N\":\"1\"}}}},"
               "{\"Update\":{\"TableName\":\"%.*s\",\"Key\":", SLICE_ARG(b->table));
    data_key(&body, DATA_STATE, k);
    buf_printf(&body, ",\"UpdateExpression\":\"SET phase = :phase\",\"ExpressionAttributeValues\":{\":phase\":{\"S\":\"%s\"}}}},"
               "{\"ConditionCheck\":{\"TableName\":\"%.*s\",\"Key\":", version ? "shipped" : "packed", SLICE_ARG(b->table));
    data_key(&body, DATA_READ, checked);
    BUF_LIT(&body, ",\"ConditionExpression\":\"attribute_exists(" DATA_HASH ")\"}}]}");
    plan_write(p, "TransactWriteItems", &body, "{}", 1);
    bench_plan_wrote(p, DATA_SWAP, k);
}

static int build_transact(struct bench *b, struct bench_plan *p)
{
    uint64_t n = how_many(DATA_COUNTERS, DATA_COUNTERS, b->data.size);
    for (uint64_t i = 0; i < 2 * n; i++) {
        uint64_t k = shuffled(i % n, n);
        add_transact(b, p, k, data_mix(k) % b->data.items, i >= n);
    }
    return EXIT_OK;
}

/* ---- together ---- */

/* Of ten requests five get, two query, two count, one puts. */
static int build_mixed(struct bench *b, struct bench_plan *p)
{
    uint64_t n = how_many(MOST_GETS, MOST_GETS, DATA_COLLECTION * (size_t)b->data.size) / 20 * 20, collections = b->data.items / DATA_COLLECTION;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t random = data_mix(b->data.seed + i);
        static const char kinds[] = "gqgugpgugq";
        switch (kinds[i % 10]) {
        case 'g': add_get(b, p, random % b->data.items); break;
        case 'q': add_query(b, p, random % collections); break;
        case 'u': add_update(b, p, random % DATA_COUNTERS); break;
        default: add_put(b, p, i % (n / 2), i >= n / 2); break;
        }
    }
    return EXIT_OK;
}

const struct workload workloads[] = {
    { "get", "GetItem", .build = build_get },
    { "put", "PutItem over items that are there", .build = build_put },
    { "update", "UpdateItem: ADD to a counter", .build = build_update },
    { "query", "Query of 20 items", .build = build_query },
    { "newest", "Query for the last item of the big collection", .big = true, .build = build_newest },
    { "first-page", "Query for the first 20 of the big collection", .big = true, .build = build_first_page },
    { "range", "Query for 50 of the big collection, from anywhere in it", .big = true, .build = build_range },
    { "index", "Query of 20 items of an index", .indexed = true, .build = build_index },
    { "batch-get", "BatchGetItem of 100", .build = build_batch_get },
    { "batch-write", "BatchWriteItem of 25", .build = build_batch_write },
    { "transact", "TransactWriteItems: put, counter, update, check", .build = build_transact },
    { "patterns", "the access patterns of --model, evenly", .modelled = true, .build = model_build },
    { "mixed", "5 get, 2 query, 2 update, 1 put", .build = build_mixed },
};
const size_t n_workloads = COUNT(workloads);

const struct workload *workload_find(const char *name)
{
    for (size_t i = 0; i < n_workloads; i++)
        if (strcmp(workloads[i].name, name) == 0) return &workloads[i];
    return NULL;
}
