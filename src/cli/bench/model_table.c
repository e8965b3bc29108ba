/* model_table.c: a model's table on the endpoint: made with our tag, filled with the same items as the one in memory, or read from.
 * A table without the tag is never touched. */
#include "model.h"

#define TAG         "onefold-bench"
#define BATCH       25
#define ARENA_BYTES ((size_t)1 << 30)

/* *ours: it has our tag. A server that knows no tags cannot tell, and then it is not. */
static int has_tag(struct bench *b, struct arena *a, const struct json *table, bool *ours)
{
    int status;
    struct slice text, body = arena_printf(a, "{\"ResourceArn\":\"%.*s\"}", SLICE_ARG(json_text(table, "TableArn")));
    int code = bench_call(b, a, SLICE("ListTagsOfResource"), body, &status, &text);
    *ours = !code && status == 200 && memmem(text.p, text.n, "\"" TAG "\"", sizeof TAG + 1);
    return code;
}

/* *there: there is such a table, and it is ours; one that is not ours is an error. */
static int find(struct bench *b, struct arena *a, bool *there)
{
    const struct json *table;
    int code = prepare_describe(b, a, b->model->table, &table);
    *there = false;
    if (code || !table) return code;
    code = has_tag(b, a, table, there);
    if (code || *there) return code;
    return fail_error("there is a table %.*s that bench did not make, or the server does not keep tags; delete it, or choose another name with "
                      "--table", SLICE_ARG(b->model->table));
}

static int create(struct bench *b, struct arena *a)
{
    of_answer *report;
    of_error err;
    size_t n;
    const struct json *answer;
    if (of_model_table(b->model->session.model, "create-table", &report, &err)) return fail_of(&err);
    const char *text = of_answer_body(report, &n);
    while (n && text[n - 1] != '}') n--; /* a line end, perhaps */
    struct slice body = arena_printf(a, "%.*s,\"Tags\":[{\"Key\":\"" TAG "\",\"Value\":\"patterns\"}]}", n ? (int)n - 1 : 0, text);
    of_answer_free(report);
    int code = bench_must(b, a, SLICE("CreateTable"), body, &answer);
    b->made_model = !code;
    return code ? code : prepare_wait(b, b->model->table, false);
}

/* ---- items ---- */

static struct slice scan_body(struct arena *a, struct slice table, const struct json *after)
{
    struct buf b;
    buf_init(&b, a, BENCH_BODY_MAX);
    buf_printf(&b, "{\"TableName\":\"%.*s\"", SLICE_ARG(table));
    if (after) {
        BUF_LIT(&b, ",\"ExclusiveStartKey\":");
        json_put(&b, after);
    }
    buf_u8(&b, '}');
    return buf_view(&b);
}

/* Batches that write a page of a scan, added to the plan. */
static void add_batches(struct bench *b, struct bench_plan *p, const struct json *items)
{
    const struct json *item = items ? items->first : NULL;
    while (item) {
        struct buf body;
        buf_init(&body, p->arena, BENCH_BODY_MAX);
        buf_printf(&body, "{\"RequestItems\":{\"%.*s\":[", SLICE_ARG(b->model->table));
        for (unsigned i = 0; i < BATCH && item; i++, item = item->next) {
            buf_printf(&body, "%s{\"PutRequest\":{\"Item\":", i ? "," : "");
            json_put(&body, item);
            BUF_LIT(&body, "}}");
        }
        BUF_LIT(&body, "]}}");
        bench_plan_add(p, (struct bench_request){ .operation = SLICE("BatchWriteItem"), .body = buf_view(&body) });
    }
}

/* An operation in memory, its answer as a tree. */
static int in_memory(struct bench *b, struct arena *a, const char *operation, struct slice body, const struct json **out)
{
    of_answer *answer;
    of_error err;
    size_t n;
    if (of_call(b->model->session.db, operation, -1, (const char *)body.p, (ptrdiff_t)body.n, &answer, &err)) return fail_of(&err);
    const char *text = of_answer_body(answer, &n);
    *out = json_parse(a, arena_dup(a, slice_of(text, n)), 64, NULL);
    bool good = of_answer_status(answer) == 200;
    of_answer_free(answer);
    return good ? EXIT_OK : fail_error("%s in memory failed: %.*s", operation, SLICE_ARG(json_text(*out, "message")));
}

static int copy_out(struct bench *b, struct arena *a)
{
    struct bench_plan p = { .arena = a };
    struct loading l = { .refused = 0 };
    const struct json *page = NULL;
    int code;
    do {
        code = in_memory(b, a, "Scan", scan_body(a, b->model->table, JSON_GET(page, "LastEvaluatedKey")), &page);
        if (!code) add_batches(b, &p, JSON_GET(page, "Items"));
    } while (!code && JSON_GET(page, "LastEvaluatedKey"));
    if (!code && !p.n) code = fail_error("%s names no sample data (data: FILE), so that there is nothing to ask for", b->model->path);
    if (!code) code = bench_each(b, &p, "batches loaded", 0, p.n, prepare_loaded, &l);
    end_progress();
    if (!code && l.refused) code = fail_error("the sample data was not written; the first batch was answered %s", l.first);
    return code;
}

static int copy_in(struct bench *b, struct arena *a)
{
    struct bench_plan p = { .arena = a };
    const struct json *page = NULL, *written;
    int code;
    do {
        code = bench_must(b, a, SLICE("Scan"), scan_body(a, b->model->table, JSON_GET(page, "LastEvaluatedKey")), &page);
        if (!code) add_batches(b, &p, JSON_GET(page, "Items"));
    } while (!code && JSON_GET(page, "LastEvaluatedKey"));
    for (size_t i = 0; i < p.n && !code; i++) code = in_memory(b, a, "BatchWriteItem", p.requests[i].body, &written);
    return code;
}

int model_prepare(struct bench *b)
{
    struct arena a;
    bool there;
    of_answer *report;
    of_error err;
    if (of_model_load_sample(b->model->session.model, b->model->session.db, &report, &err)) return fail_of(&err);
    of_answer_free(report);
    arena_init(&a, ARENA_BYTES);
    int code = find(b, &a, &there);
    if (!code && there) code = prepare_remove(b, b->model->table);
    if (!code) code = create(b, &a);
    if (!code) code = copy_out(b, &a);
    arena_free(&a);
    return code;
}

int model_adopt(struct bench *b)
{
    struct arena a;
    bool there;
    arena_init(&a, ARENA_BYTES);
    int code = find(b, &a, &there);
    if (!code && !there) code = fail_error("there is no table %.*s: run with --prepare first", SLICE_ARG(b->model->table));
    if (!code) code = copy_in(b, &a);
    arena_free(&a);
    return code;
}
