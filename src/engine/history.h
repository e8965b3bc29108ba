/* history.h: what happened to a table's items, in order: one record per change, written in the change's own
 * transaction. Streams show it (24 hours), point-in-time recovery and copies that run beside writes undo from it
 * (up to 35 days). A table has a history while one of these wants it.
 *
 * It is made of segments. A segment covers a range of the partition hash, from its first sequence number to its last; a
 * stream's shards are its segments. Numbers of segments only grow, and a segment that took over from another has a
 * higher number than it: so whoever goes through the segments by number, each by sequence, meets the changes of every
 * single item in their order.
 *
 *   SPACE_STREAM   table id(4) segment(4) sequence(8)     a change, below
 *   SPACE_META     "G" table id(4) segment(4)             a segment: an item { from to parent start end trimmed }
 *                  "R" table name, 0, created ms(8)       a stream (streams.h)
 *                  "Q"                                    the last sequence number(8) that was written; on a shared store that of
 *                                                         the store that it was copied from (clone.h)
 *                  "Q" table id(4)                        the same, of a table, on a shared store (store.h)
 *
 * The open segments also stand in the table's record, where a write finds its own without a read. Writes of the same batch
 * that closes a segment may still be put into it (README.md, "The catalog"): its last change can be later than its end, but
 * none comes after that commit. So readers of a closed segment read all of it.
 *
 * An heir has one parent, which covered all of its range: whoever reads a segment after its parent meets the changes of every
 * single item in their order. Segments are split and succeeded, never merged.
 *
 * A sequence number has milliseconds since 1970 in its upper 44 bits and a count in the lower 20. None is given out
 * twice and none is smaller than one before it, also when the clock goes back. */
#ifndef OF_ENGINE_HISTORY_H
#define OF_ENGINE_HISTORY_H

#include "write.h"

#define HISTORY_COUNT_BITS 20

/* Restores the last sequence number from what is stored. STORE_OK or an error. */
int history_open(struct engine *e);
/* Inside an update: the next number of a table. It is remembered in the same transaction, so that it is not given out again after a restart. */
int history_next(struct store_txn *txn, struct engine *e, uint32_t table_id, uint64_t *sequence);
/* An update begins, on the writer's thread: all its changes have one time, so that no moment divides a transaction. */
void history_begin(struct engine *e);
int64_t history_time_ms(uint64_t sequence);
/* The first sequence number that belongs to a moment after this one: changes below it had happened by then. */
uint64_t history_after(int64_t ms);

/* ---- changes ---- */

enum history_event { HISTORY_INSERT, HISTORY_MODIFY, HISTORY_REMOVE };

/* A change as it is kept: flags(1) { n old } { n new }, or { n key } where neither image is kept. The old image is always
 * kept, for copies that may begin at any time (copy.h); the new one for streams that show it. */
struct history_change {
    uint32_t segment;
    uint64_t sequence;
    enum history_event event;
    bool expired;                       /* done by time to live */
    struct slice old_item, new_item;    /* empty: not there, or not kept */
    struct slice key;                   /* an item that holds at least the key attributes */
};

/* Records the change, if its table has a history and the images differ. */
int history_append(struct store_txn *txn, struct arena *a, const struct change *c);
/* Of a key and value in SPACE_STREAM; borrowed from them. False: damaged. */
bool history_read(struct slice key, struct slice value, struct history_change *out);
/* The key of a change, and the end of a segment's changes with sequence UINT64_MAX. */
struct slice history_key(struct arena *a, uint32_t table_id, uint32_t segment, uint64_t sequence);

/* ---- segments: inside an update, on a draft of the table; the caller writes the table's record ---- */

struct segment {
    uint32_t number;
    uint32_t parent;            /* 0: none */
    uint32_t hash_from, hash_to; /* both included */
    uint64_t start, end;        /* sequence numbers; end 0: open */
    uint64_t trimmed;           /* of the last change that was removed because of its age; 0: none. Not in the table's record */
};

/* Does anything want it? */
bool history_wanted(const struct table *t);
/* How many segments the table should have: one for each partition that DynamoDB would give it. */
size_t history_shares(const struct table *t);
/* Opens, splits or closes segments as the table's settings now ask for. Call it after changing one of them. */
int history_settle(struct store_txn *txn, struct arena *a, struct engine *e, struct table *t);
/* Closes all open segments and opens n without parents that share the hash evenly: a new stream begins, or one ends. */
int history_renew(struct store_txn *txn, struct arena *a, struct engine *e, struct table *t, size_t n);
/* The segments that are marked (by their place in t->segments) are closed; an heir of the same range takes over. */
int history_rotate(struct store_txn *txn, struct arena *a, struct engine *e, struct table *t, const bool *marked);
int history_write_segment(struct store_txn *txn, struct arena *a, uint32_t table_id,
                          const struct segment *s);
bool history_read_segment(struct slice key, struct slice value, struct segment *out);
struct slice history_segment_key(struct arena *a, uint32_t table_id, uint32_t number);
/* STORE_NOT_FOUND: there is none (any more). */
int history_get_segment(struct store_txn *txn, struct arena *a, uint32_t table_id, uint32_t number, struct segment *out);
/* Finds the first change of a segment from one sequence on and below another (UINT64_MAX: no bound), or the last one. Its key
 * alone is read. STORE_OK, STORE_NOT_FOUND or an error. */
int history_find(struct store_txn *txn, struct arena *a, uint32_t table_id, uint32_t segment, uint64_t from, uint64_t below,
                 bool last, uint64_t *sequence);
/* The first ones, up to max, of a segment's changes below a sequence number. Their keys alone are read. */
int history_list(struct store_txn *txn, struct arena *a, uint32_t table_id, uint32_t segment, uint64_t below,
                 uint64_t *sequences, size_t max, size_t *n);

#endif
