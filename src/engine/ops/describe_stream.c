/* describe_stream.c: DescribeStream: the stream and a page of its shards, in the order of their ids. */
#include "../streams.h"
#include "../table_params.h"

#define PAGE 100

struct describe {
    struct slice arn, after; /* after: a shard id */
    struct slice parent;     /* CHILD_SHARDS: the shard whose heirs are asked for */
    bool children;
    int64_t limit;
};

static int parse(struct call *call)
{
    struct describe *d = ARENA_NEW(call->arena, struct describe);
    const struct json *filter = PARAM_GET(call->request, "ShardFilter");
    call->state = d;
    d->arn = param_string(call->request, SLICE("StreamArn"));
    d->after = param_string(call->request, SLICE("ExclusiveStartShardId"));
    d->limit = PAGE;
    param_int(call->request, SLICE("Limit"), &d->limit);
    if (!filter) return 0;
    d->children = true;
    d->parent = param_string(filter, SLICE("ShardId"));
    if (PARAM_GET(filter, "Type") && d->parent.n) return 0;
    return err_set(&call->err, ERR_ValidationException,
                   PARAMS_INVALID "ShardFilter must have both a Type and a ShardId");
}

static void put_stream(struct call *call, const struct stream *s, struct slice arn)
{
    struct buf *b = &call->response;
    BUF_LIT(b, "{\"StreamDescription\":{\"StreamArn\":");
    json_put_string(b, arn);
    BUF_LIT(b, ",\"StreamLabel\":\"");
    stream_put_label(b, s->created_ms);
    buf_printf(b, "\",\"StreamStatus\":\"%s\",\"StreamViewType\":\"%.*s\"", s->closed_ms ? "DISABLED" : "ENABLED",
               SLICE_ARG(s->view));
    buf_printf(b, ",\"CreationRequestDateTime\":%lld.%03d,\"TableName\":", (long long)(s->created_ms / 1000),
               (int)(s->created_ms % 1000));
    json_put_string(b, s->name);
    table_put_key_schema(b, &s->key);
}

/* The end of a closed shard is that of its last change, if some came with the commit that closed it (history.h). */
static int put_shard(struct call *call, struct store_txn *txn, const struct stream *s, const struct segment *shard)
{
    struct buf *b = &call->response;
    uint64_t end = shard->end, last;
    if (end) {
        int status = history_find(txn, call->arena, s->table_id, shard->number, end, UINT64_MAX, true, &last);
        if (status && status != STORE_NOT_FOUND) return status;
        if (!status) end = last;
    }
    BUF_LIT(b, "{\"ShardId\":\"");
    stream_put_shard_id(b, s, shard->number);
    BUF_LIT(b, "\",\"SequenceNumberRange\":{\"StartingSequenceNumber\":\"");
    stream_put_sequence(b, shard->start);
    if (end) {
        BUF_LIT(b, "\",\"EndingSequenceNumber\":\"");
        stream_put_sequence(b, end);
    }
    BUF_LIT(b, "\"}");
    if (shard->parent) {
        BUF_LIT(b, ",\"ParentShardId\":\"");
        stream_put_shard_id(b, s, shard->parent);
        buf_u8(b, '"');
    }
    buf_u8(b, '}');
    return STORE_OK;
}

/* The segment that a page begins with. An id is compared as text, so that one which is no shard's is a place too. */
static uint32_t first_after(struct call *call, const struct stream *s, struct slice after)
{
    uint64_t low = s->first, high = (s->last ? s->last : UINT32_MAX - 1) + (uint64_t)1;
    while (after.n && low < high) {
        struct buf b;
        uint64_t middle = low + (high - low) / 2;
        buf_init(&b, call->arena, 64);
        stream_put_shard_id(&b, s, (uint32_t)middle);
        if (slice_cmp(buf_view(&b), after) > 0)
            high = middle;
        else
            low = middle + 1;
    }
    return (uint32_t)low;
}

static int put_shards(struct call *call, struct store_txn *txn, const struct stream *s)
{
    const struct describe *d = call->state;
    uint32_t parent = 0, end = s->last ? s->last : UINT32_MAX - 1;
    bool none = d->children && !stream_read_shard_id(s, d->parent, &parent);
    struct store_range range = { .space = SPACE_META,
                                 .from = history_segment_key(call->arena, s->table_id, first_after(call, s, d->after)),
                                 .to = history_segment_key(call->arena, s->table_id, end + 1) };
    struct store_cursor *cursor;
    struct slice key, value;
    struct segment shard, last = { 0 };
    int64_t n = 0, now = call_now_ms(call);
    BUF_LIT(&call->response, ",\"Shards\":[");
    int status = none ? STORE_END : store_range_open(txn, &range, &cursor);
    while (!status && !(status = store_range_next(cursor, &key, &value))) {
        if (!history_read_segment(key, value, &shard)) return STORE_CORRUPT;
        if (!stream_shows(&shard, now) || (d->children && shard.parent != parent)) continue;
        if (n == d->limit) break;
        if (n++) buf_u8(&call->response, ',');
        status = put_shard(call, txn, s, &shard);
        last = shard;
    }
    if (status && status != STORE_END) return status;
    buf_u8(&call->response, ']');
    if (!status) {
        BUF_LIT(&call->response, ",\"LastEvaluatedShardId\":\"");
        stream_put_shard_id(&call->response, s, last.number);
        buf_u8(&call->response, '"');
    }
    return STORE_OK;
}

static int run(struct call *call, struct store_txn *txn)
{
    const struct describe *d = call->state;
    struct stream s;
    int code = stream_find(call, txn, ACTION_DescribeStream, d->arn, &s);
    if (code) return code;
    put_stream(call, &s, d->arn);
    int status = put_shards(call, txn, &s);
    BUF_LIT(&call->response, "}}");
    return status ? call_store_failed(call, status) : 0;
}

const struct op op_describe_stream = { .name = "DescribeStream", .kind = OP_READ, .parse = parse, .run = run };
