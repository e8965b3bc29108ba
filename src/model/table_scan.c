/* table_scan.c: Scan until the end. */
#include "table_scan.h"
#include "../item/item_json.h"

#define PAGE_MEMORY ((size_t)256 << 20)
#define KEY_MAX     ((size_t)64 << 10)

struct state {
    struct arena page, keys; /* keys holds the last page's key while page is reset */
    int code;
};

static struct slice request(struct arena *a, struct slice table, struct slice start)
{
    struct buf b;
    buf_init(&b, a, KEY_MAX);
    BUF_LIT(&b, "{\"TableName\":");
    json_put_string(&b, table);
    if (start.n) {
        BUF_LIT(&b, ",\"ExclusiveStartKey\":");
        item_to_json(&b, start);
    }
    buf_u8(&b, '}');
    return buf_view(&b);
}

static int one_page(const struct table_scan *scan, struct state *s, struct slice *start, struct err *e)
{
    const struct json *answer;
    int code = API_CALL(scan->api, &s->page, "Scan", request(&s->page, scan->table, *start), &answer, e);
    if (code) return code;
    const struct json *items = JSON_GET(answer, "Items");
    for (const struct json *n = items ? items->first : NULL; n; n = n->next) {
        struct slice item;
        code = item_from_json(&s->page, n, &item, e);
        if (!code) code = scan->each(scan->ctx, &s->page, item, e);
        if (code) return code;
    }
    *start = slice_of(NULL, 0);
    const struct json *last = JSON_GET(answer, "LastEvaluatedKey");
    if (last) code = item_from_json(&s->page, last, start, e);
    return code;
}

static void all_pages(const struct table_scan *scan, struct state *s, struct err *e)
{
    struct slice start = slice_of(NULL, 0);
    do {
        s->code = one_page(scan, s, &start, e);
        if (s->code) return;
        arena_reset(&s->keys);
        start = arena_dup(&s->keys, start);
        arena_reset(&s->page);
        if (scan->after_page) scan->after_page(scan->ctx);
    } while (start.n);
}

int table_scan(const struct table_scan *scan, struct err *e)
{
    struct state s = { .code = 0 };
    arena_init(&s.page, PAGE_MEMORY);
    arena_init(&s.keys, PAGE_MEMORY);
    if (ARENA_GUARD(&s.page)) {
        if (ARENA_GUARD(&s.keys))
            all_pages(scan, &s, e);
        else
            s.code = ERR_InternalServerError;
        arena_unguard(&s.keys);
    } else {
        s.code = ERR_InternalServerError;
    }
    arena_unguard(&s.page);
    arena_free(&s.page);
    arena_free(&s.keys);
    if (s.code == ERR_InternalServerError && !e->code) return err_set(e, ERR_InternalServerError, "out of memory");
    return s.code;
}
