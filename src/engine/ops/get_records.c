/* get_records.c: GetRecords: the changes of a shard from an iterator on: up to 1,000 or 1 MB of them. */
#include "../../base/md5.h"
#include "../streams.h"

#define RECORDS_MAX   1000
#define PAGE_BYTES    ((size_t)1 << 20)
#define ITERATOR_MS   ((int64_t)15 * 60 * 1000)
#define GRACE_MS      ((int64_t)60 * 1000)

struct reading {
    struct stream_position at;
    int64_t limit;
};

static int parse(struct call *call)
{
    struct reading *r = ARENA_NEW(call->arena, struct reading);
    call->state = r;
    r->limit = RECORDS_MAX;
    param_int(call->request, SLICE("Limit"), &r->limit);
    if (!stream_read_iterator(call->arena, param_string(call->request, SLICE("ShardIterator")), &r->at)) {
        return err_set(&call->err, ERR_ValidationException, "Invalid ShardIterator");
    }
    if (r->at.issued_ms >= call_now_ms(call) - ITERATOR_MS) return 0;
    return err_set(&call->err, ERR_ExpiredIteratorException, "The provided iterator exceeds the maximum age allowed.");
}

static int access(struct call *call)
{
    const struct reading *r = call->state;
    return access_ask_arn(call, ACTION_GetRecords, r->at.arn, true);
}

/* ---- one record ---- */

struct shown {
    struct slice keys, new_image, old_image; /* an empty image is not shown */
    size_t size;
};

static bool view_has(const struct stream *s, struct slice view)
{
    return slice_eq(s->view, view) || slice_eq(s->view, SLICE("NEW_AND_OLD_IMAGES"));
}

/* More may be kept than this stream shows: recovery keeps old images too. */
static struct shown show(struct arena *a, const struct stream *s, const struct history_change *c)
{
    struct shown shown = { .keys = key_attributes(a, &(struct table){ .key = s->key }, NULL, c->key) };
    if (view_has(s, SLICE("NEW_IMAGE"))) shown.new_image = c->new_item;
    if (view_has(s, SLICE("OLD_IMAGE"))) shown.old_image = c->old_item;
    shown.size = val_item_size(shown.keys);
    if (shown.new_image.n) shown.size += val_item_size(shown.new_image);
    if (shown.old_image.n) shown.size += val_item_size(shown.old_image);
    return shown;
}

static void put_event_id(struct buf *b, const struct stream *s, const struct history_change *c)
{
    uint8_t place[12];
    for (int i = 0; i < 4; i++)
        place[i] = (uint8_t)(c->segment >> (24 - 8 * i));
    for (int i = 0; i < 8; i++)
        place[4 + i] = (uint8_t)(c->sequence >> (56 - 8 * i));
    struct slice parts[] = { s->uuid, slice_of(place, sizeof place) };
    struct md5 id = md5_of(parts, 2);
    for (size_t i = 0; i < sizeof id.bytes; i++)
        buf_printf(b, "%02x", id.bytes[i]);
}

static void put_record(struct call *call, const struct stream *s, const struct history_change *c, const struct shown *shown)
{
    static const char *const events[] = { "INSERT", "MODIFY", "REMOVE" };
    struct buf *b = &call->response;
    BUF_LIT(b, "{\"eventID\":\"");
    put_event_id(b, s, c);
    buf_printf(b, "\",\"eventName\":\"%s\",\"eventVersion\":\"1.1\",\"eventSource\":\"aws:dynamodb\",\"awsRegion\":",
               events[c->event]);
    json_put_string(b, caller_region(&call->caller));
    buf_printf(b, ",\"dynamodb\":{\"ApproximateCreationDateTime\":%lld,\"Keys\":",
               (long long)(history_time_ms(c->sequence) / 1000));
    item_to_json(b, shown->keys);
    if (shown->new_image.n) {
        BUF_LIT(b, ",\"NewImage\":");
        item_to_json(b, shown->new_image);
    }
    if (shown->old_image.n) {
        BUF_LIT(b, ",\"OldImage\":");
        item_to_json(b, shown->old_image);
    }
    BUF_LIT(b, ",\"SequenceNumber\":\"");
    stream_put_sequence(b, c->sequence);
    buf_printf(b, "\",\"SizeBytes\":%zu,\"StreamViewType\":\"%.*s\"}", shown->size, SLICE_ARG(s->view));
    if (c->expired) {
        BUF_LIT(b, ",\"userIdentity\":{\"PrincipalId\":\"dynamodb.amazonaws.com\",\"Type\":\"Service\"}");
    }
    buf_u8(b, '}');
}

/* ---- a page ---- */

/* Moves the position behind what was put. *more: there are further ones already. That nothing from the position on is too old
 * was checked before: looking at the clock again could skip a record without a word. */
static int put_page(struct call *call, struct store_txn *txn, const struct stream *s, struct stream_position *at, bool *more)
{
    const struct reading *r = call->state;
    struct store_range range = { .space = SPACE_STREAM,
                                 .from = history_key(call->arena, s->table_id, at->segment, at->sequence),
                                 .to = history_key(call->arena, s->table_id, at->segment, UINT64_MAX),
                                 .limit = (size_t)r->limit + 1 };
    struct store_cursor *cursor;
    struct slice key, value;
    size_t bytes = 0;
    int64_t n = 0;
    int status = store_range_open(txn, &range, &cursor);
    *more = false;
    while (!status && !(status = store_range_next(cursor, &key, &value))) {
        struct history_change c;
        if (!history_read(key, value, &c) || c.event > HISTORY_REMOVE) return STORE_CORRUPT;
        struct shown shown = show(call->arena, s, &c);
        *more = n == r->limit || (n && bytes + shown.size > PAGE_BYTES);
        if (*more) break;
        if (n++) buf_u8(&call->response, ',');
        put_record(call, s, &c, &shown);
        bytes += shown.size;
        at->sequence = c.sequence + 1;
    }
    return status == STORE_END ? STORE_OK : status;
}

/* What was not too old when the iterator was given out may be read for a minute more. Where a record becomes too old every
 * few milliseconds nobody could otherwise begin with the oldest one. */
static int64_t asked_ms(const struct call *call, int64_t issued_ms)
{
    int64_t now = call_now_ms(call);
    if (issued_ms > now) return now;
    return issued_ms < now - GRACE_MS ? now - GRACE_MS : issued_ms;
}

static int run(struct call *call, struct store_txn *txn)
{
    const struct reading *r = call->state;
    struct stream_position at = r->at;
    struct stream s;
    struct segment shard;
    bool more;
    int code = stream_find(call, txn, ACTION_GetRecords, at.arn, &s);
    if (!code) code = stream_find_shard(call, txn, &s, at.segment, &shard);
    if (!code) code = stream_check_trimmed(call, txn, &s, &shard, at.sequence, asked_ms(call, at.issued_ms));
    if (code) return code;
    BUF_LIT(&call->response, "{\"Records\":[");
    int status = put_page(call, txn, &s, &at, &more);
    if (status) return call_store_failed(call, status);
    buf_u8(&call->response, ']');
    if (more || !shard.end) {
        struct buf text;
        at.issued_ms = call_now_ms(call);
        buf_init(&text, call->arena, 64 << 10);
        stream_put_iterator(&text, &at);
        BUF_LIT(&call->response, ",\"NextShardIterator\":");
        json_put_string(&call->response, buf_view(&text));
    }
    buf_u8(&call->response, '}');
    return 0;
}

const struct op op_get_records = { .name = "GetRecords", .kind = OP_READ, .parse = parse, .access = access, .run = run };
