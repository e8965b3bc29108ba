/* items.c: items by their keys: read from one side, put to the other; see online.h. */
#include "online.h"
#include "../backup/put_items.h"
#include "../../item/item_json.h"

#define BODY_MAX ((size_t)64 << 20)

struct slice items_key(struct arena *a, const struct copied *t, struct slice item)
{
    struct attr attrs[2];
    struct buf b;
    size_t n = 0;
    for (size_t i = 0; i < t->n_keys; i++) {
        attrs[n].name = t->keys[i];
        if (val_get(item, t->keys[i], &attrs[n].value)) n++;
    }
    buf_init(&b, a, BODY_MAX);
    val_put_map(&b, attrs, n);
    return buf_view(&b);
}

/* ---- reading ---- */

static struct slice get_body(struct arena *a, const struct copied *t, const struct slice *keys, size_t n)
{
    struct buf b;
    buf_init(&b, a, BODY_MAX);
    BUF_LIT(&b, "{\"RequestItems\":{");
    json_put_string(&b, t->name);
    BUF_LIT(&b, ":{\"ConsistentRead\":true,\"Keys\":[");
    for (size_t i = 0; i < n; i++) {
        if (i) buf_u8(&b, ',');
        item_to_json_short(&b, keys[i]);
    }
    BUF_LIT(&b, "]}}}");
    return buf_view(&b);
}

/* What was not answered, or not taken, as the next request. */
static struct slice rest_body(struct arena *a, const struct json *left)
{
    struct buf b;
    buf_init(&b, a, BODY_MAX);
    BUF_LIT(&b, "{\"RequestItems\":");
    json_put(&b, left);
    buf_u8(&b, '}');
    return buf_view(&b);
}

static int take_item(const struct service *s, struct arena *a, const struct copied *t, const struct json *node, const struct slice *keys,
                     size_t n, struct slice *items)
{
    struct err e = { .arena = a };
    struct slice item;
    if (item_from_json(a, node, &item, &e)) return service_fail(s, "BatchGetItem answered with what is no item: %.*s", SLICE_ARG(e.message));
    struct slice key = items_key(a, t, item);
    for (size_t i = 0; i < n; i++)
        if (slice_eq(keys[i], key)) items[i] = item;
    return 0;
}

int items_get(struct service *s, struct arena *a, const struct copied *t, const struct slice *keys, size_t n, struct slice *items)
{
    struct slice body = get_body(a, t, keys, n);
    unsigned ms = SERVICE_FIRST_WAIT_MS;
    for (size_t i = 0; i < n; i++) items[i] = slice_of(NULL, 0);
    for (;;) {
        const struct json *answer;
        int code = service_call(s, a, "BatchGetItem", body, &answer);
        if (code) return code;
        const struct json *found = json_get(JSON_GET(answer, "Responses"), t->name), *left = JSON_GET(answer, "UnprocessedKeys");
        for (const struct json *i = found ? found->first : NULL; i && !code; i = i->next) code = take_item(s, a, t, i, keys, n, items);
        if (code || !left || !left->count) return code;
        if (!found || !found->count) service_rest(&ms);
        body = rest_body(a, left);
    }
}

/* ---- writing ---- */

static int put_found(struct online *o, const struct copied *t, const struct slice *items, size_t n)
{
    struct put_items *put = put_items_begin(&o->to, t->name);
    int code = put ? 0 : fail_error("out of memory");
    for (size_t i = 0; i < n && !code; i++)
        if (items[i].n) code = put_items_add(put, items[i]);
    if (!code) return put_items_end(put);
    put_items_abandon(put);
    return code;
}

static int delete_missing(struct online *o, const struct copied *t, const struct slice *keys, const struct slice *items, size_t n)
{
    struct buf b;
    unsigned ms = SERVICE_FIRST_WAIT_MS;
    size_t missing = 0;
    buf_init(&b, &o->group, BODY_MAX);
    BUF_LIT(&b, "{\"RequestItems\":{");
    json_put_string(&b, t->name);
    BUF_LIT(&b, ":[");
    for (size_t i = 0; i < n; i++) {
        if (items[i].n) continue;
        if (missing++) buf_u8(&b, ',');
        BUF_LIT(&b, "{\"DeleteRequest\":{\"Key\":");
        item_to_json_short(&b, keys[i]);
        BUF_LIT(&b, "}}");
    }
    BUF_LIT(&b, "]}}");
    for (struct slice body = buf_view(&b); missing;) {
        const struct json *answer;
        int code = service_call(&o->to, &o->group, "BatchWriteItem", body, &answer);
        const struct json *left = code ? NULL : JSON_GET(answer, "UnprocessedItems");
        if (!left || !left->count) return code;
        service_rest(&ms);
        body = rest_body(&o->group, left);
    }
    return 0;
}

int items_renew(struct online *o, const struct copied *t, const struct slice *keys, size_t n)
{
    struct slice items[GROUP];
    arena_reset(&o->group);
    arena_reset(o->to.scratch);
    int code = items_get(&o->from, &o->group, t, keys, n, items);
    if (!code) code = put_found(o, t, items, n);
    return code ? code : delete_missing(o, t, keys, items, n);
}
