/* get_shard_iterator.c: GetShardIterator: a place in a shard, as a text that says all of it. */
#include "../streams.h"
#include "../table_params.h"

enum iterator_type { TRIM_HORIZON, LATEST, AT_SEQUENCE_NUMBER, AFTER_SEQUENCE_NUMBER, TYPES };

static const char *const types[TYPES] = { "TRIM_HORIZON", "LATEST", "AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER" };

struct wish {
    struct slice arn, shard_id;
    enum iterator_type type;
    uint64_t sequence;
};

static int parse(struct call *call)
{
    struct wish *w = ARENA_NEW(call->arena, struct wish);
    struct slice sequence = param_string(call->request, SLICE("SequenceNumber"));
    call->state = w;
    w->arn = param_string(call->request, SLICE("StreamArn"));
    w->shard_id = param_string(call->request, SLICE("ShardId"));
    w->type = (enum iterator_type)param_enum(call->request, SLICE("ShardIteratorType"), types, TYPES, TRIM_HORIZON);
    bool needed = w->type == AT_SEQUENCE_NUMBER || w->type == AFTER_SEQUENCE_NUMBER;
    if (needed == (sequence.n > 0)) {
        if (!needed || stream_read_sequence(sequence, &w->sequence)) return 0;
        return err_set(&call->err, ERR_ValidationException, PARAMS_INVALID "Invalid SequenceNumber: %.*s",
                       SLICE_ARG(sequence));
    }
    return err_set(&call->err, ERR_ValidationException,
                   PARAMS_INVALID "SequenceNumber %s specified when ShardIteratorType is %s",
                   needed ? "must be" : "must not be", types[w->type]);
}

/* Just behind the last change of the shard. */
static int find_latest(struct call *call, struct store_txn *txn, const struct stream *s, const struct segment *shard,
                       uint64_t *position)
{
    uint64_t last;
    int status = history_find(txn, call->arena, s->table_id, shard->number, 0, UINT64_MAX, true, &last);
    if (status && status != STORE_NOT_FOUND) return call_store_failed(call, status);
    *position = status ? shard->start : last + 1;
    return 0;
}

static int find_sequence(struct call *call, struct store_txn *txn, const struct stream *s, const struct segment *shard,
                         uint64_t *position)
{
    const struct wish *w = call->state;
    uint64_t latest = 0;
    int code = find_latest(call, txn, s, shard, &latest);
    if (code) return code;
    bool behind = shard->end && w->sequence > shard->end && w->sequence >= latest;
    if (w->sequence < shard->start || behind || w->sequence == UINT64_MAX) {
        return err_set(&call->err, ERR_ValidationException, "Invalid SequenceNumber for the shard");
    }
    *position = w->type == AFTER_SEQUENCE_NUMBER ? w->sequence + 1 : w->sequence;
    return stream_check_trimmed(call, txn, s, shard, w->sequence, call_now_ms(call));
}

/* Nothing before it can be read any more. */
static uint64_t first_readable(const struct segment *shard, int64_t now_ms)
{
    uint64_t first = stream_horizon(now_ms);
    if (first < shard->start) first = shard->start;
    return first > shard->trimmed ? first : shard->trimmed + 1; /* trimmed by a clock that was ahead of ours */
}

static int run(struct call *call, struct store_txn *txn)
{
    const struct wish *w = call->state;
    struct stream s;
    struct segment shard;
    uint32_t number = 0;
    int code = stream_find(call, txn, ACTION_GetShardIterator, w->arn, &s);
    if (code) return code;
    if (!stream_read_shard_id(&s, w->shard_id, &number)) number = 0; /* no segment has it */
    code = stream_find_shard(call, txn, &s, number, &shard);
    if (code) return code;
    struct stream_position p = { .arn = w->arn, .segment = number, .issued_ms = call_now_ms(call) };
    if (w->type == LATEST) code = find_latest(call, txn, &s, &shard, &p.sequence);
    if (w->type == TRIM_HORIZON || w->type == LATEST) {
        uint64_t first = first_readable(&shard, p.issued_ms);
        if (p.sequence < first) p.sequence = first;
    } else {
        code = find_sequence(call, txn, &s, &shard, &p.sequence);
    }
    if (code) return code;
    struct buf text;
    buf_init(&text, call->arena, 64 << 10);
    stream_put_iterator(&text, &p);
    BUF_LIT(&call->response, "{\"ShardIterator\":");
    json_put_string(&call->response, buf_view(&text));
    buf_u8(&call->response, '}');
    return 0;
}

const struct op op_get_shard_iterator = { .name = "GetShardIterator", .kind = OP_READ, .parse = parse, .run = run };
