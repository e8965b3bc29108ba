/* streams.h: DynamoDB Streams: what a table's history (history.h) shows to clients. A stream's shards are the segments
 * that were opened while it was enabled; its records are their changes, for 24 hours.
 *
 *   SPACE_META   "R" table name, 0, created ms(8)   an item { id uuid view hash range first last closed policy }
 *
 * The row outlives the table: a stream that was disabled, or whose table was deleted, can be read for 24 hours more.
 * Its label is the time of its creation, so the ARN leads to the row. The policy of a table's latest stream, enabled or not, is in the
 * table's record; it comes into the row when another stream follows, or when the table is deleted. */
#ifndef OF_ENGINE_STREAMS_H
#define OF_ENGINE_STREAMS_H

#include "history.h"
#include "ops.h"

#define STREAM_KEPT_MS ((int64_t)24 * 60 * 60 * 1000)

struct stream {
    struct slice name;       /* of the table */
    int64_t created_ms;      /* its label */
    int64_t closed_ms;       /* 0: enabled */
    uint32_t table_id;
    uint32_t first, last;    /* its segments; last 0: all from the first on, it is enabled */
    struct slice uuid;       /* of the table */
    struct slice view;
    struct key_schema key;   /* of the table; names alone */
    struct slice policy;     /* of a past stream: table_decode_policy reads it. Empty: none */
};

/* ---- on a draft of the table, inside an update; the caller writes the table's record ---- */

/* A new stream with t->stream_view begins. */
int stream_begin(struct store_txn *txn, struct arena *a, struct engine *e, struct table *t);
/* The table's stream, if it has one, is disabled. t->stream_created_ms stays: it is still the latest. */
int stream_end(struct store_txn *txn, struct arena *a, struct engine *e, struct table *t);
/* Its latest stream is that no more: it takes its policy with it. */
int stream_keep_policy(struct store_txn *txn, struct arena *a, struct table *t);

/* ---- reading ---- */

struct slice stream_key(struct arena *a, struct slice table_name, int64_t created_ms);
/* Of a row; borrowed from it. False: damaged. */
bool stream_decode(struct slice key, struct slice value, struct stream *out);
/* Is it long enough disabled to be forgotten? */
bool stream_is_over(const struct stream *s, int64_t now_ms);
bool stream_has(const struct stream *s, uint32_t segment);
/* The first sequence number that is not too old to be shown. */
uint64_t stream_horizon(int64_t now_ms);
/* A segment that is closed and whose time has passed is no shard any more. */
bool stream_shows(const struct segment *segment, int64_t now_ms);

/* The stream of an ARN, if there is one that can be read. What access asks of a past stream is asked here, before anything is told. */
int stream_look_up(struct call *call, struct store_txn *txn, enum policy_action action, struct slice arn, struct stream *out, bool *found);
int stream_policy(struct store_txn *txn, struct arena *a, const struct stream *s, struct resource_policy *out);
/* The same, and one of its shards by the number of its segment; or the error of those that are not there. */
int stream_find(struct call *call, struct store_txn *txn, enum policy_action action, struct slice arn, struct stream *out);
int stream_find_shard(struct call *call, struct store_txn *txn, const struct stream *s, uint32_t segment,
                      struct segment *out);
/* TrimmedDataAccessException if a change at or behind this place in the shard was too old at this time, or is gone. */
int stream_check_trimmed(struct call *call, struct store_txn *txn, const struct stream *s, const struct segment *shard,
                         uint64_t position, int64_t at_ms);

/* ---- words ---- */

void stream_put_label(struct buf *b, int64_t created_ms);
void stream_put_arn(struct buf *b, const struct caller *who, struct slice table_name, int64_t created_ms);
/* False: not the ARN of a stream. *created_ms is -1 if its label is none of ours. */
bool stream_read_arn(struct slice arn, struct slice *table_name, int64_t *created_ms);

/* shardId-, the stream's creation in 20 digits, the segment's number: they sort as the segments do. */
void stream_put_shard_id(struct buf *b, const struct stream *s, uint32_t segment);
bool stream_read_shard_id(const struct stream *s, struct slice text, uint32_t *segment);

/* Sequence numbers have 21 digits, the first of which is 1: they sort as numbers and as text. */
void stream_put_sequence(struct buf *b, uint64_t sequence);
/* False: no sequence number that was ever given out. */
bool stream_read_sequence(struct slice text, uint64_t *sequence);

/* A place in a shard. It is all that a shard iterator knows; the server keeps nothing. */
struct stream_position {
    struct slice arn;
    uint32_t segment;
    uint64_t sequence; /* of the first change that is wanted */
    int64_t issued_ms;
};
void stream_put_iterator(struct buf *b, const struct stream_position *p);
/* False: not one of ours, or tampered with. */
bool stream_read_iterator(struct arena *a, struct slice text, struct stream_position *out);

#endif
