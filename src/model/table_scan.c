/* table_scan.c: Scan until the end. */
#include "table_scan.h"
#include "scratch.h"
#include "../item/item_json.h"

#define KEY_MAX ((size_t)64 << 10)

struct state {
    const struct table_scan *scan;
    uint8_t start[KEY_MAX]; /* the key to go on behind, encoded; survives the page's memory */
    size_t n;
};

static struct slice request(struct arena *a, const struct state *s)
{
    struct buf b;
    buf_init(&b, a, 2 * KEY_MAX);
    BUF_LIT(&b, "{\"TableName\":");
    json_put_string(&b, s->scan->table);
    if (s->n) {
        BUF_LIT(&b, ",\"ExclusiveStartKey\":");
        item_to_json(&b, slice_of(s->start, s->n));
    }
    buf_u8(&b, '}');
    return buf_view(&b);
}

static int page(void *ctx, struct arena *a, struct err *e)
{
    struct state *s = ctx;
    const struct json *answer;
    int code = API_CALL(s->scan->api, a, "Scan", request(a, s), &answer, e);
    if (code) return code;
    const struct json *items = JSON_GET(answer, "Items");
    for (const struct json *n = items ? items->first : NULL; n; n = n->next) {
        struct slice item;
        code = item_from_json(a, n, &item, e);
        if (!code) code = s->scan->each(s->scan->ctx, a, item, e);
        if (code) return code;
    }
    struct slice last = slice_of(NULL, 0);
    const struct json *key = JSON_GET(answer, "LastEvaluatedKey");
    if (key) code = item_from_json(a, key, &last, e);
    if (!code && last.n > KEY_MAX) code = err_set(e, ERR_InternalServerError, "a key is longer than keys can be");
    if (code) return code;
    if (last.n) memcpy(s->start, last.p, last.n);
    s->n = last.n;
    return 0;
}

int table_scan(const struct table_scan *scan, struct err *e)
{
    struct state s = { .scan = scan, .n = 0 };
    struct arena a;
    int code;
    arena_init(&a, SCRATCH_MAX);
    do {
        code = scratch_step(&a, page, &s, e);
        if (!code && scan->after_page) scan->after_page(scan->ctx);
    } while (!code && s.n);
    arena_free(&a);
    return code;
}
