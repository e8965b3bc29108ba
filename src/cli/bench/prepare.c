/* prepare.c: the benchmark's table: made, filled, recognised, deleted. A table is ours if its keys have our names; one that is
 * not is never touched. The item "about" is written last and says how the table was made. */
#include "bench.h"
#include <stdlib.h>
#include <time.h>

#define BATCH        25
#define ROUND        1000 /* batches that are made before they are sent */
#define ARENA_BYTES  ((size_t)4 << 30)
#define BATCH_BYTES  ((size_t)12 << 20)
#define WAIT_SECONDS 120

/* ---- the table ---- */

static struct slice name_of(struct arena *a, struct slice table)
{
    return arena_printf(a, "{\"TableName\":\"%.*s\"}", SLICE_ARG(table));
}

int prepare_describe(struct bench *b, struct arena *a, struct slice name, const struct json **table)
{
    int status;
    struct slice text;
    int code = bench_call(b, a, SLICE("DescribeTable"), name_of(a, name), &status, &text);
    if (code) return code;
    const struct json *answer = json_parse(a, text, 64, NULL);
    *table = status == 200 ? JSON_GET(answer, "Table") : NULL;
    if (*table || memmem(text.p, text.n, "ResourceNotFound", 16)) return EXIT_OK;
    return fail_error("DescribeTable: %.*s answered %d %.*s", SLICE_ARG(b->target.url), status, (int)(text.n < 300 ? text.n : 300),
                      (const char *)text.p);
}

static bool is_ours(const struct json *table)
{
    const struct json *keys = JSON_GET(table, "KeySchema"), *hash = keys ? keys->first : NULL, *sort = hash ? hash->next : NULL;
    return slice_eq(json_text(hash, "AttributeName"), SLICE(DATA_HASH)) && slice_eq(json_text(sort, "AttributeName"), SLICE(DATA_SORT));
}

int prepare_wait(struct bench *b, struct slice name, bool gone)
{
    struct arena a;
    int code = EXIT_OK;
    arena_init(&a, ARENA_BYTES);
    for (unsigned i = 0; i < WAIT_SECONDS * 20 && !code; i++) {
        const struct json *table;
        code = prepare_describe(b, &a, name, &table);
        if (code || (gone && !table) || (!gone && slice_eq(json_text(table, "TableStatus"), SLICE("ACTIVE")))) goto end;
        arena_reset(&a);
        nanosleep(&(struct timespec){ 0, 50000000 }, NULL);
    }
    code = fail_error("the table %.*s is not %s after two minutes", SLICE_ARG(name), gone ? "deleted" : "ready");
end:
    arena_free(&a);
    return code;
}

int prepare_remove(struct bench *b, struct slice name)
{
    struct arena a;
    const struct json *answer;
    arena_init(&a, ARENA_BYTES);
    int code = bench_must(b, &a, SLICE("DeleteTable"), name_of(&a, name), &answer);
    arena_free(&a);
    return code ? code : prepare_wait(b, name, true);
}

static int create(struct bench *b, struct arena *a)
{
    struct buf body;
    const struct json *answer;
    buf_init(&body, a, BENCH_BODY_MAX);
    buf_printf(&body, "{\"TableName\":\"%.*s\",\"BillingMode\":\"PAY_PER_REQUEST\",\"KeySchema\":[{\"AttributeName\":\"" DATA_HASH
               "\",\"KeyType\":\"HASH\"},{\"AttributeName\":\"" DATA_SORT "\",\"KeyType\":\"RANGE\"}],\"AttributeDefinitions\":["
               "{\"AttributeName\":\"" DATA_HASH "\",\"AttributeType\":\"S\"},{\"AttributeName\":\"" DATA_SORT "\",\"AttributeType\":\"S\"}",
               SLICE_ARG(b->table));
    for (unsigned i = 1; i <= b->data.indexes; i++)
        buf_printf(&body, ",{\"AttributeName\":\"gsi%u_pk\",\"AttributeType\":\"S\"},{\"AttributeName\":\"gsi%u_sk\",\"AttributeType\":\"S\"}", i, i);
    BUF_LIT(&body, "]");
    for (unsigned i = 1; i <= b->data.indexes; i++)
        buf_printf(&body, "%s{\"IndexName\":\"gsi%u\",\"Projection\":{\"ProjectionType\":\"ALL\"},\"KeySchema\":[{\"AttributeName\":\"gsi%u_pk\","
                   "\"KeyType\":\"HASH\"},{\"AttributeName\":\"gsi%u_sk\",\"KeyType\":\"RANGE\"}]}",
                   i == 1 ? ",\"GlobalSecondaryIndexes\":[" : ",", i, i, i);
    buf_printf(&body, "%s}", b->data.indexes ? "]" : "");
    int code = bench_must(b, a, SLICE("CreateTable"), buf_view(&body), &answer);
    b->made = !code;
    return code ? code : prepare_wait(b, b->table, false);
}

/* ---- loading ---- */

void prepare_loaded(void *ctx, size_t request, int status, struct slice body)
{
    struct loading *l = ctx;
    (void)request;
    if (status == 200 && (memmem(body.p, body.n, "\"UnprocessedItems\":{}", 21) || body.n <= 2)) return;
    if (!l->refused++) snprintf(l->first, sizeof l->first, "%d %.*s", status, (int)(body.n < 250 ? body.n : 250), (const char *)body.p);
}

static void add_batch(struct bench *b, struct bench_plan *p, enum data_space space, uint64_t from, uint64_t to)
{
    struct buf body;
    buf_init(&body, p->arena, BENCH_BODY_MAX);
    buf_reserve(&body, (size_t)(to - from) * (b->data.size + 400));
    buf_printf(&body, "{\"RequestItems\":{\"%.*s\":[", SLICE_ARG(b->table));
    for (uint64_t k = from; k < to; k++) {
        buf_printf(&body, "%s{\"PutRequest\":{\"Item\":", k > from ? "," : "");
        data_item(&body, &b->data, space, k, 0);
        BUF_LIT(&body, "}}");
    }
    BUF_LIT(&body, "]}}");
    bench_plan_add(p, (struct bench_request){ .operation = SLICE("BatchWriteItem"), .body = buf_view(&body) });
}

/* The first `to` items of a space, in rounds of as many batches as fit into moderate memory. */
static int load(struct bench *b, struct loading *l, enum data_space space, uint64_t to, uint64_t before, uint64_t all)
{
    struct arena a;
    int code = EXIT_OK;
    uint64_t round = BATCH_BYTES * 8 / ((uint64_t)BATCH * (b->data.size + 400));
    if (round > ROUND) round = ROUND;
    if (round < 1) round = 1;
    arena_init(&a, ARENA_BYTES);
    for (uint64_t from = 0; from < to && !code && !l->refused;) {
        struct bench_plan p = { .arena = &a };
        for (; p.n < round && from < to; from += BATCH) add_batch(b, &p, space, from, from + BATCH < to ? from + BATCH : to);
        code = bench_each(b, &p, NULL, 0, 0, prepare_loaded, l);
        show_progress(NULL, "items loaded", before + (from < to ? from : to), all);
        arena_reset(&a);
    }
    arena_free(&a);
    return code;
}

static int write_about(struct bench *b, struct arena *a)
{
    const struct json *answer;
    const struct data *d = &b->data;
    struct slice body = arena_printf(
        a, "{\"TableName\":\"%.*s\",\"Item\":{\"" DATA_HASH "\":{\"S\":\"about\"},\"" DATA_SORT "\":{\"S\":\"about\"},\"items\":{\"N\":\"%llu\"},"
        "\"size\":{\"N\":\"%u\"},\"collection\":{\"N\":\"%llu\"},\"indexes\":{\"N\":\"%u\"},\"seed\":{\"N\":\"%llu\"}}}", SLICE_ARG(b->table),
        (unsigned long long)d->items, d->size, (unsigned long long)d->collection, d->indexes, (unsigned long long)d->seed);
    return bench_must(b, a, SLICE("PutItem"), body, &answer);
}

int prepare_table(struct bench *b)
{
    struct arena a;
    const struct json *table;
    struct loading l = { .refused = 0 };
    uint64_t all = b->data.items + b->data.collection;
    arena_init(&a, ARENA_BYTES);
    int code = prepare_describe(b, &a, b->table, &table);
    if (!code && table && !is_ours(table))
        code = fail_error("there is a table %.*s that bench did not make; choose another name with --table", SLICE_ARG(b->table));
    if (!code && table) code = prepare_remove(b, b->table);
    if (!code) code = create(b, &a);
    if (!code) code = load(b, &l, DATA_READ, b->data.items, 0, all);
    if (!code) code = load(b, &l, DATA_BIG, b->data.collection, b->data.items, all);
    end_progress();
    if (!code && l.refused)
        code = fail_error("%zu batches were not written (is the table's capacity too small?); the first was answered %s", l.refused, l.first);
    if (!code) code = write_about(b, &a);
    arena_free(&a);
    return code;
}

/* ---- a table that is there ---- */

static int adopt(struct bench *b, const struct json *item, const char *name, bool given, uint64_t *value)
{
    struct slice text = json_text(json_get(item, slice_str(name)), "N");
    uint64_t there = 0;
    if (!text.n) return fail_error("the table %.*s is not filled: run with --prepare", SLICE_ARG(b->table));
    for (size_t i = 0; i < text.n; i++) there = there * 10 + (uint64_t)(text.p[i] - '0');
    if (given && there != *value)
        return fail_error("the table %.*s was made with --%s %llu and not %llu; prepare it again", SLICE_ARG(b->table), name,
                          (unsigned long long)there, (unsigned long long)*value);
    *value = there;
    return EXIT_OK;
}

/* Asks what may be no DynamoDB at all: whatever it answers, only a table of ours counts. */
static int find_ours(struct bench *b, struct arena *a, const struct json **table)
{
    int status;
    struct slice text;
    int code = bench_call(b, a, SLICE("DescribeTable"), name_of(a, b->table), &status, &text);
    *table = code || status != 200 ? NULL : JSON_GET(json_parse(a, text, 64, NULL), "Table");
    if (*table && !is_ours(*table)) *table = NULL;
    return code;
}

int prepare_adopt(struct bench *b, bool if_ours)
{
    struct arena a;
    const struct json *table, *answer = NULL;
    const struct bench_options *o = b->options;
    arena_init(&a, ARENA_BYTES);
    int code = if_ours ? find_ours(b, &a, &table) : prepare_describe(b, &a, b->table, &table);
    if (!code && !table && if_ours) goto end;
    if (!code && !table) code = fail_error("there is no table %.*s: run with --prepare first", SLICE_ARG(b->table));
    if (!code && !is_ours(table)) code = fail_error("the table %.*s is not one that bench made", SLICE_ARG(b->table));
    if (!code)
        code = bench_must(b, &a, SLICE("GetItem"),
                          arena_printf(&a, "{\"TableName\":\"%.*s\",\"Key\":{\"" DATA_HASH "\":{\"S\":\"about\"},\"" DATA_SORT "\":{\"S\":\"about\"}}}",
                                       SLICE_ARG(b->table)), &answer);
    const struct json *item = JSON_GET(answer, "Item");
    uint64_t size = b->data.size, indexes = b->data.indexes;
    if (!code) code = adopt(b, item, "items", o->items_given, &b->data.items);
    if (!code) code = adopt(b, item, "size", o->size_given, &size);
    if (!code) code = adopt(b, item, "collection", o->collection_given, &b->data.collection);
    if (!code) code = adopt(b, item, "indexes", o->indexes_given, &indexes);
    if (!code) code = adopt(b, item, "seed", o->seed_given, &b->data.seed);
    b->data.size = (uint32_t)size;
    b->data.indexes = (uint32_t)indexes;
end:
    arena_free(&a);
    return code;
}
