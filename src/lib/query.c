/* query.c: queries as cursors. One page at a time is in memory; nothing is held in the store between
 * pages. */
#include "tree.h"
#include <stdlib.h>

struct of_query {
    of_db *db;
    struct lib_room *room; /* held from open to close: its arena has the page */
    const char *table, *index, *condition, *filter, *projection;
    struct slice names, values;
    bool descending;
    size_t left;          /* items still to give; SIZE_MAX: no limit */
    struct slice *items;
    size_t n, at, cap;
    struct slice start;   /* ExclusiveStartKey of the next page, in this one */
    uint8_t *kept_start;  /* owned: start, while the page's arena is reset */
    bool started;
    of_item current;
    char bytes[];         /* of the texts, names and values */
};

static size_t text_bytes(const char *s)
{
    return s ? strlen(s) + 1 : 0;
}

static const void *put(char **at, const void *p, size_t n)
{
    if (!p) return NULL;
    void *copy = memcpy(*at, p, n);
    *at += n;
    return copy;
}

/* A query with a copy of all that was asked; NULL: no memory. */
static of_query *copy_options(const char *table, const of_query_options *o, struct slice names, struct slice values)
{
    size_t n = text_bytes(table) + text_bytes(o->index) + text_bytes(o->condition) + text_bytes(o->filter) +
               text_bytes(o->projection) + names.n + values.n;
    of_query *q = malloc(sizeof *q + n);
    if (!q) return NULL;
    char *at = q->bytes;
    *q = (of_query){ .descending = o->descending, .left = o->limit ? o->limit : SIZE_MAX };
    q->table = put(&at, table, text_bytes(table));
    q->index = put(&at, o->index, text_bytes(o->index));
    q->condition = put(&at, o->condition, text_bytes(o->condition));
    q->filter = put(&at, o->filter, text_bytes(o->filter));
    q->projection = put(&at, o->projection, text_bytes(o->projection));
    q->names = slice_of(put(&at, names.p, names.n), names.n);
    q->values = slice_of(put(&at, values.p, values.n), values.n);
    return q;
}

int of_query_open(of_query **out, of_db *db, const char *table, const of_query_options *o,
                  of_error *err)
{
    if (!db->engine) return lib_not_embedded(err);
    struct slice names, values;
    if (!lib_item_bytes(o->names, &names) || !lib_item_bytes(o->values, &values)) {
        return lib_no_memory(err);
    }
    of_query *q = copy_options(table, o, names, values);
    struct lib_room *room = q ? lib_room_take(db) : NULL;
    if (!room) {
        free(q);
        return lib_no_memory(err);
    }
    q->db = db;
    q->room = room;
    *out = q;
    return OF_OK;
}

void of_query_close(of_query *q)
{
    if (!q) return;
    lib_room_give(q->db, q->room);
    free(q->kept_start);
    free(q);
}

static void grow(of_query *q)
{
    size_t cap = q->cap ? q->cap * 2 : 64;
    struct slice *items = arena_alloc(&q->room->arena, cap * sizeof *items);
    if (q->n) memcpy(items, q->items, q->n * sizeof *items);
    q->items = items;
    q->cap = cap;
}

static void keep(void *ctx, struct slice item)
{
    of_query *q = ctx;
    if (q->n == q->cap) grow(q);
    q->items[q->n++] = arena_dup(&q->room->arena, item);
}

static void keep_item(struct call *call, struct slice item)
{
    of_query *q = call->user;
    if (item.n) {
        keep(q, item);
    } else {
        q->n = 0; /* the run begins */
    }
}

static const struct json *build(of_query *q)
{
    struct tree t = tree_object(&q->room->arena);
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

/* The first page of a condition on the table, without a request. False: it is not that, or something is wrong, which a request's
 * own steps are to say (direct.h). */
static bool read_directly(of_query *q)
{
    struct arena *a = &q->room->arena;
    struct direct_page page = { .limit = q->left, .fn = keep, .ctx = q };
    if (q->started || !q->condition || !q->table || q->index || q->filter || q->projection) return false;
    const struct table *table = direct_table(q->db->engine, &q->room->table, slice_str(q->table));
    if (!table) return false;
    struct tree t = tree_object(a);
    tree_add_placeholders(&t, q->names, q->values);
    struct direct_query query = { JSON_GET(t.node, "ExpressionAttributeNames"), JSON_GET(t.node, "ExpressionAttributeValues"),
                                  slice_str(q->condition), q->descending };
    if (!direct_query(table, a, &query, &page.range) || direct_page(q->db->engine, table, a, &page)) return false;
    q->start = page.last_key;
    return true;
}

static int read_page(of_query *q, of_error *err)
{
    struct call call = { .on_item = keep_item, .user = q };
    struct slice operation = q->condition ? SLICE("Query") : SLICE("Scan");
    q->items = NULL;
    q->n = q->at = q->cap = 0;
    if (read_directly(q)) return OF_OK;
    if (!call_prepare_tree(&call, q->db->engine, &q->room->arena, operation, build(q))) call_run(&call);
    int result = call.err.code ? lib_fail_call(err, &call) : OF_OK;
    if (!result) q->start = call.last_key;
    call_end(&call);
    return result;
}

/* The start key lies in the page that is given up for the next one, unless no page came since it was kept. */
static bool save_start(of_query *q)
{
    if (!q->start.n || q->start.p == q->kept_start) return true;
    uint8_t *kept = realloc(q->kept_start, q->start.n);
    if (!kept) return false;
    q->kept_start = memcpy(kept, q->start.p, q->start.n);
    q->start.p = kept;
    return true;
}

static int next_page(of_query *q, of_error *err)
{
    int result;
    if (!save_start(q)) return lib_no_memory(err);
    struct arena *a = &q->room->arena;
    arena_reset(a);
    if (ARENA_GUARD(a)) {
        result = read_page(q, err);
    } else {
        result = lib_no_memory(err);
    }
    arena_unguard(a);
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
