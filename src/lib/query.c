/* query.c: queries as cursors. One page at a time is in memory; nothing is held in the store between
 * pages. */
#include "tree.h"
#include <stdlib.h>

struct of_query {
    of_db *db;
    struct arena options; /* owns what follows */
    const char *table, *index, *condition, *filter, *projection;
    struct slice names, values;
    bool descending;
    size_t left;          /* items still to give; SIZE_MAX: no limit */
    struct arena page;    /* owns items */
    struct slice *items;
    size_t n, at, cap;
    struct slice start;   /* ExclusiveStartKey of the next page */
    struct arena key;     /* owns start while the page's arena is reset */
    bool started;
    of_item current;
};

static const char *copy_text(struct arena *a, const char *s)
{
    return s ? (const char *)arena_printf(a, "%s", s).p : NULL;
}

static void copy_options(of_query *q, const char *table, const of_query_options *o,
                         struct slice names, struct slice values)
{
    q->table = copy_text(&q->options, table);
    q->index = copy_text(&q->options, o->index);
    q->condition = copy_text(&q->options, o->condition);
    q->filter = copy_text(&q->options, o->filter);
    q->projection = copy_text(&q->options, o->projection);
    q->names = arena_dup(&q->options, names);
    q->values = arena_dup(&q->options, values);
    q->descending = o->descending;
    q->left = o->limit ? o->limit : SIZE_MAX;
}

int of_query_open(of_query **out, of_db *db, const char *table, const of_query_options *o,
                  of_error *err)
{
    if (!db->engine) return lib_not_embedded(err);
    struct slice names, values;
    if (!lib_item_bytes(o->names, &names) || !lib_item_bytes(o->values, &values)) {
        return lib_no_memory(err);
    }
    of_query *q = calloc(1, sizeof *q);
    if (!q) return lib_no_memory(err);
    q->db = db;
    arena_init(&q->options, LIB_ITEM_MAX);
    arena_init(&q->page, LIB_REQUEST_MAX);
    arena_init(&q->key, 64 << 10);
    bool copied;
    if (ARENA_GUARD(&q->options)) {
        copy_options(q, table, o, names, values);
        copied = true;
    } else {
        copied = false;
    }
    arena_unguard(&q->options);
    if (!copied) {
        of_query_close(q);
        return lib_no_memory(err);
    }
    *out = q;
    return OF_OK;
}

void of_query_close(of_query *q)
{
    if (!q) return;
    arena_free(&q->options);
    arena_free(&q->page);
    arena_free(&q->key);
    free(q);
}

static void keep_item(struct call *call, struct slice item)
{
    of_query *q = call->user;
    if (!item.n) {
        q->n = 0;
        return;
    }
    if (q->n == q->cap) {
        size_t cap = q->cap ? q->cap * 2 : 64;
        struct slice *items = ARENA_ARRAY(&q->page, struct slice, cap);
        if (q->n) memcpy(items, q->items, q->n * sizeof *items);
        q->items = items;
        q->cap = cap;
    }
    q->items[q->n++] = arena_dup(&q->page, item);
}

static const struct json *build(of_query *q)
{
    struct tree t = tree_object(&q->page);
    tree_add_text(&t, SLICE("TableName"), q->table);
    tree_add_text(&t, SLICE("IndexName"), q->index);
    tree_add_text(&t, SLICE("KeyConditionExpression"), q->condition);
    tree_add_text(&t, SLICE("FilterExpression"), q->filter);
    tree_add_text(&t, SLICE("ProjectionExpression"), q->projection);
    tree_add_placeholders(&t, q->names, q->values);
    if (q->descending) tree_add_bool(&t, SLICE("ScanIndexForward"), false);
    /* DynamoDB's Limit counts before the filter, ours after. */
    if (!q->filter && q->left < 1000) tree_add_int(&t, SLICE("Limit"), q->left);
    if (q->start.n) tree_add_encoded(&t, SLICE("ExclusiveStartKey"), q->start);
    return t.node;
}

static int read_page(of_query *q, of_error *err)
{
    struct call call = { .on_item = keep_item, .user = q };
    struct slice operation = q->condition ? SLICE("Query") : SLICE("Scan");
    q->items = NULL;
    q->n = q->at = q->cap = 0;
    if (!call_prepare_tree(&call, q->db->engine, &q->page, operation, build(q))) call_run(&call);
    int result = call.err.code ? lib_fail_call(err, &call) : OF_OK;
    if (!result) q->start = call.last_key;
    call_end(&call);
    return result;
}

/* The start key lies in the page that is given up for the next one. */
static bool save_start(of_query *q)
{
    bool saved;
    arena_reset(&q->key);
    if (ARENA_GUARD(&q->key)) {
        q->start = arena_dup(&q->key, q->start);
        saved = true;
    } else {
        saved = false;
    }
    arena_unguard(&q->key);
    return saved;
}

static int next_page(of_query *q, of_error *err)
{
    int result;
    if (!save_start(q)) return lib_no_memory(err);
    arena_reset(&q->page);
    if (ARENA_GUARD(&q->page)) {
        result = read_page(q, err);
    } else {
        result = lib_no_memory(err);
    }
    arena_unguard(&q->page);
    q->started = true;
    return result;
}

int of_query_next(of_query *q, const of_item **item, of_error *err)
{
    *item = NULL;
    if (!q->left) return OF_END;
    while (q->at == q->n) {
        if (q->started && !q->start.n) return OF_END;
        int result = next_page(q, err);
        if (result) {
            q->left = 0;
            return result;
        }
    }
    if (q->left != SIZE_MAX) q->left--;
    q->current.encoded = q->items[q->at++];
    q->current.dirty = q->current.listed = false;
    *item = &q->current;
    return OF_OK;
}
