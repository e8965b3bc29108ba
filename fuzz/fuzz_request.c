/* fuzz_request.c: whole requests on an engine with two tables. Input: lines of an operation, a blank and its JSON; operations on items are run one after
 * the other in a transaction that is given up at the end, so that every input finds the same tables; of the others preparing is all. Every answer
 * is JSON, an error has a type and words and is never the server's own fault; who fails changes nothing; at the end the index is what the table
 * says that it must be, and each item is found by its key. */
#include "calls.h"
#include "engine/ops.h"
#include "fuzz.h"
#include "item/item_json.h"
#include "mutate.h"

#define MAX_CALLS 8
#define MAX_ITEMS 256
#define MAX_ARENA ((size_t)256 << 20)

static const char tables[] =
    "{\"TableName\":\"TTT\",\"AttributeDefinitions\":[{\"AttributeName\":\"a\",\"AttributeType\":\"S\"},{\"AttributeName\":\"b\",\"AttributeType\":\"N\"},"
    "{\"AttributeName\":\"g\",\"AttributeType\":\"S\"},{\"AttributeName\":\"n\",\"AttributeType\":\"N\"},{\"AttributeName\":\"s\",\"AttributeType\":\"B\"}],"
    "\"KeySchema\":[{\"AttributeName\":\"a\",\"KeyType\":\"HASH\"},{\"AttributeName\":\"b\",\"KeyType\":\"RANGE\"}],"
    "\"GlobalSecondaryIndexes\":[{\"IndexName\":\"GGG\",\"KeySchema\":[{\"AttributeName\":\"g\",\"KeyType\":\"HASH\"},{\"AttributeName\":\"n\",\"KeyType\":"
    "\"RANGE\"}],\"Projection\":{\"ProjectionType\":\"ALL\"}}],"
    "\"LocalSecondaryIndexes\":[{\"IndexName\":\"LLL\",\"KeySchema\":[{\"AttributeName\":\"a\",\"KeyType\":\"HASH\"},{\"AttributeName\":\"s\",\"KeyType\":"
    "\"RANGE\"}],\"Projection\":{\"ProjectionType\":\"KEYS_ONLY\"}}],"
    "\"StreamSpecification\":{\"StreamEnabled\":true,\"StreamViewType\":\"NEW_AND_OLD_IMAGES\"},\"BillingMode\":\"PAY_PER_REQUEST\"}\n"
    "{\"TableName\":\"UUU\",\"AttributeDefinitions\":[{\"AttributeName\":\"k\",\"AttributeType\":\"B\"}],"
    "\"KeySchema\":[{\"AttributeName\":\"k\",\"KeyType\":\"HASH\"}],\"BillingMode\":\"PAY_PER_REQUEST\"}\n";

static const char items[] =
    "{\"a\":{\"S\":\"x\"},\"b\":{\"N\":\"1\"},\"g\":{\"S\":\"g\"},\"n\":{\"N\":\"5\"},\"s\":{\"B\":\"YQ==\"},\"l\":{\"L\":[{\"N\":\"1\"},{\"S\":\"y\"}]}}\n"
    "{\"a\":{\"S\":\"x\"},\"b\":{\"N\":\"2\"},\"g\":{\"S\":\"g\"},\"m\":{\"M\":{\"k\":{\"N\":\"1\"}}}}\n"
    "{\"a\":{\"S\":\"x\"},\"b\":{\"N\":\"-3.5\"},\"g\":{\"S\":\"h\"},\"n\":{\"N\":\"0\"},\"t\":{\"SS\":[\"a\",\"b\"]}}\n"
    "{\"a\":{\"S\":\"y\"},\"b\":{\"N\":\"1\"},\"s\":{\"B\":\"AA==\"},\"z\":{\"NULL\":true}}\n";

/* Those that neither change the catalog nor start work on other threads. */
static const char *const run_in_place[] = {
    "PutItem", "GetItem", "UpdateItem", "DeleteItem", "Query", "Scan", "BatchGetItem", "BatchWriteItem", "TransactGetItems", "TransactWriteItems",
    "ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction",
};

static struct engine *engine;
static struct store *store;

/* ---- the tables ---- */

static void open_engine(struct arena *a)
{
    static const struct store_options memory = { 0 };
    char message[256] = "";
    CHECK(store_open(&store, &memory, message, sizeof message) == 0);
    CHECK(engine_open(&engine, store, &calls_options, message, sizeof message) == 0);
    calls_create(engine, a, slice_str(tables));
    for (struct slice in = slice_str(items), line; (line = calls_line(&in)).n;)
        calls_ask(engine, a, "PutItem", arena_printf(a, "{\"TableName\":\"TTT\",\"Item\":%.*s}", SLICE_ARG(line)));
}

/* ---- what is in them ---- */

struct found {
    struct arena *arena;
    struct slice items[MAX_ITEMS];
    size_t n;
    bool more;
};

static void collect(struct call *call, struct slice item)
{
    struct found *f = call->user;
    if (!item.n) f->n = 0;
    else if (f->n == MAX_ITEMS) f->more = true;
    else f->items[f->n++] = arena_dup(f->arena, item);
}

static int by_bytes(const void *x, const void *y)
{
    return slice_cmp(*(const struct slice *)x, *(const struct slice *)y);
}

static struct found *find(struct arena *a, struct store_txn *txn, const char *operation, struct slice body)
{
    struct found *f = ARENA_NEW(a, struct found);
    struct call call = { .on_item = collect, .user = f };
    f->arena = a;
    CHECK(call_prepare(&call, engine, a, (struct caller){ 0 }, slice_str(operation), body) == 0);
    CHECK(call_run_in(&call, txn) == 0);
    if (call.last_key.n) f->more = true;
    call_end(&call);
    qsort(f->items, f->n, sizeof *f->items, by_bytes);
    return f;
}

static struct found *table_t(struct arena *a, struct store_txn *txn)
{
    return find(a, txn, "Scan", SLICE("{\"TableName\":\"TTT\"}"));
}

static bool same(const struct found *x, const struct found *y)
{
    if (x->more || y->more) return true; /* too many to tell */
    if (x->n != y->n) return false;
    for (size_t i = 0; i < x->n; i++)
        if (!slice_eq(x->items[i], y->items[i])) return false;
    return true;
}

static void check_tables(struct arena *a, struct store_txn *txn)
{
    struct found *t = table_t(a, txn), *g = find(a, txn, "Scan", SLICE("{\"TableName\":\"TTT\",\"IndexName\":\"GGG\"}"));
    struct found *should = ARENA_NEW(a, struct found);
    if (t->more || g->more) return;
    for (size_t i = 0; i < t->n; i++) {
        struct slice item = t->items[i], v, key_a, key_b;
        struct buf b;
        CHECK(val_check(item) && val_get(item, SLICE("a"), &key_a) && val_get(item, SLICE("b"), &key_b));
        if (val_get(item, SLICE("g"), &v) && val_get(item, SLICE("n"), &v)) should->items[should->n++] = item;
        buf_init(&b, a, 1 << 16);
        BUF_LIT(&b, "{\"TableName\":\"TTT\",\"Key\":{\"a\":");
        val_to_json(&b, key_a);
        BUF_LIT(&b, ",\"b\":");
        val_to_json(&b, key_b);
        BUF_LIT(&b, "}}");
        struct found *one = find(a, txn, "GetItem", buf_view(&b));
        CHECK(one->n == 1 && slice_eq(one->items[0], item));
    }
    CHECK(same(g, should));
}

/* ---- the calls ---- */

static void check_answer(struct arena *a, struct call *call)
{
    const struct json *answer = json_parse(a, call_answer(call), 200, NULL);
    CHECK(answer && answer->type == JSON_OBJECT && call_http_status(call) < 500);
    if (!call->err.code) return;
    const struct json *type = JSON_GET(answer, "__type");
    CHECK(type && type->type == JSON_STRING && call_http_status(call) >= 400);
    /* DynamoDB has no words for what is no JSON, nor for an operation that it does not know. */
    CHECK(call->err.message.n || call->err.code == ERR_SerializationException || call->err.code == ERR_UnknownOperationException);
}

static bool is_run(struct slice operation)
{
    for (size_t i = 0; i < sizeof run_in_place / sizeof *run_in_place; i++)
        if (slice_eq(operation, slice_str(run_in_place[i]))) return true;
    return false;
}

static void one_call(struct arena *a, struct store_txn *txn, struct slice line)
{
    const uint8_t *blank = memchr(line.p, ' ', line.n);
    size_t n = blank ? (size_t)(blank - line.p) : line.n;
    struct slice operation = slice_of(line.p, n), body = slice_of(line.p + n, line.n - n);
    struct call call = { 0 };
    struct found *before = table_t(a, txn);
    int rc = call_prepare(&call, engine, a, (struct caller){ 0 }, operation, body);
    if (!rc && !is_run(operation)) {
        call_end(&call);
        return;
    }
    if (!rc) call_run_in(&call, txn);
    check_answer(a, &call);
    if (call.err.code || !call_is_write(&call)) CHECK(same(before, table_t(a, txn)));
    call_end(&call);
}

struct input {
    struct arena *arena;
    struct slice lines;
};

static int run_all(struct store_txn *txn, void *ctx)
{
    struct input *in = ctx;
    struct slice rest = in->lines;
    for (int i = 0; i < MAX_CALLS && rest.n; i++) {
        struct slice line = calls_line(&rest);
        if (line.n) one_call(in->arena, txn, line);
    }
    check_tables(in->arena, txn);
    return 1; /* nothing stays */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FUZZ_ARENA(a, MAX_ARENA);
    struct input in = { a, slice_of(data, size) };
    if (!engine) open_engine(a);
    volatile bool enough = false;
    if (ARENA_GUARD(a)) {
        CHECK(store_update(store, run_all, &in) == 1);
        enough = true;
    }
    arena_unguard(a);
    CHECK(enough);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    return mutate_requests(data, size, max, seed);
}
