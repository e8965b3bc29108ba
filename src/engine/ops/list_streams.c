/* list_streams.c: ListStreams: by the names of their tables, then by age. Streams that were disabled, or whose table was
 * deleted, are listed for 24 hours more. */
#include "../streams.h"

#define PAGE 100

struct list {
    int64_t limit;
    struct slice table; /* empty: of all tables */
    struct slice from, to; /* rows */
};

/* The first key behind all rows of the name, or of any. */
static struct slice end_of(struct arena *a, struct slice table)
{
    struct buf b;
    if (!table.n) return SLICE("S");
    buf_init(&b, a, STORE_MAX_KEY);
    buf_u8(&b, 'R');
    buf_slice(&b, table);
    buf_u8(&b, 1);
    return buf_view(&b);
}

static int parse(struct call *call)
{
    struct list *list = ARENA_NEW(call->arena, struct list);
    struct slice after = param_string(call->request, SLICE("ExclusiveStartStreamArn")), name;
    int64_t created_ms;
    call->state = list;
    list->limit = PAGE;
    param_int(call->request, SLICE("Limit"), &list->limit);
    list->table = param_table(call->request, SLICE("TableName"));
    list->from = list->table.n ? stream_key(call->arena, list->table, 0) : SLICE("R");
    list->to = end_of(call->arena, list->table);
    if (!after.n) return 0;
    if (!stream_read_arn(after, &name, &created_ms)) {
        return err_set(&call->err, ERR_ValidationException, "Invalid StreamArn");
    }
    struct slice start = stream_key(call->arena, name, created_ms + 1);
    if (slice_cmp(start, list->from) > 0) list->from = start;
    if (slice_cmp(list->from, list->to) > 0) list->from = list->to;
    return 0;
}

static void put_stream(struct call *call, const struct stream *s)
{
    struct buf *b = &call->response;
    BUF_LIT(b, "{\"StreamArn\":\"");
    stream_put_arn(b, &call->caller, s->name, s->created_ms);
    BUF_LIT(b, "\",\"TableName\":");
    json_put_string(b, s->name);
    BUF_LIT(b, ",\"StreamLabel\":\"");
    stream_put_label(b, s->created_ms);
    BUF_LIT(b, "\"}");
}

static int run(struct call *call, struct store_txn *txn)
{
    const struct list *list = call->state;
    struct store_range range = { .space = SPACE_META, .from = list->from, .to = list->to };
    struct store_cursor *cursor;
    struct slice key, value;
    struct stream s, last = { 0 };
    int64_t n = 0, now = call_now_ms(call);
    BUF_LIT(&call->response, "{\"Streams\":[");
    int status = store_range_open(txn, &range, &cursor);
    while (!status && !(status = store_range_next(cursor, &key, &value))) {
        if (!stream_decode(arena_dup(call->arena, key), value, &s)) return call_store_failed(call, STORE_CORRUPT);
        if (stream_is_over(&s, now)) continue;
        if (n == list->limit) break;
        if (n++) buf_u8(&call->response, ',');
        put_stream(call, &s);
        last = s;
    }
    if (status && status != STORE_END) return call_store_failed(call, status);
    store_range_close(cursor);
    buf_u8(&call->response, ']');
    if (!status) {
        BUF_LIT(&call->response, ",\"LastEvaluatedStreamArn\":\"");
        stream_put_arn(&call->response, &call->caller, last.name, last.created_ms);
        buf_u8(&call->response, '"');
    }
    buf_u8(&call->response, '}');
    return 0;
}

const struct op op_list_streams = { .name = "ListStreams", .kind = OP_READ, .parse = parse, .run = run };
