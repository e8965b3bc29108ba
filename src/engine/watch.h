/* watch.h: the counters (counters.h) of an engine with names in place of ids, for people to look at: tables, indexes, keys as
 * values, and which key is hot. */
#ifndef OF_ENGINE_WATCH_H
#define OF_ENGINE_WATCH_H

#include "counters.h"
#include "engine.h"

/* When a key is hot: it takes a third of what DynamoDB gives one partition (3,000 read or 1,000 write units a second); or the
 * table is busy and a quarter of what is asked of it is asked of this one key. */
#define HOT_LOAD          (TOP_PARTITION_LOAD / 3)
#define HOT_SHARE         0.25
#define HOT_BUSY_REQUESTS 25.0 /* a second */

struct watched_key {
    struct slice value;  /* an item (value.h) of the key's attributes */
    bool cut;            /* it is longer than what is shown */
    struct rates rates;  /* per second, of about the last fifteen seconds */
    double load, last;   /* of a partition, 1 is all it gives: of about the last fifteen seconds, and of the last one */
    double share;        /* of the load of its table or index */
    bool hot;
    struct slice advice; /* a sentence; empty: not hot */
};

struct watched_place {
    struct slice table, index; /* index empty: the table itself */
    uint64_t read_halves, write_halves; /* since the engine was opened */
    struct rates rates;
    double load;
    struct watched_key *keys;
    size_t n_keys;
};

struct watch {
    int64_t now_ms, second; /* the same moment, by the calendar and as the counters have it */
    int64_t first;          /* the oldest second that may be known */
    size_t n_operations;    /* rows of the counters; watch_operation names them */
    struct watched_place *places; /* by table and index; gone ones are not among them */
    size_t n_places;
};

/* What a call did, for the log: names and amounts, nothing of keys or items. Names are borrowed until call_end; one that stands in the
 * request is told only if it is that of a table. */
#define SUMMARY_TABLES 4
#define SUMMARY_NAME   255 /* bytes of a table's name */
struct call_summary {
    struct slice tables[SUMMARY_TABLES]; /* the first ones that it touched; without any, the one that it named */
    size_t n_tables;
    struct slice index; /* that it read first from; empty: none */
    double read_units, write_units;
    uint32_t returned, written; /* items */
};
/* Between call_prepare and call_end. */
void call_summarize(const struct call *call, struct call_summary *out);

/* In the arena. */
void engine_watch(struct engine *e, struct arena *a, struct watch *out);
/* For the rest of what they know. Live as long as the engine. */
struct counters *engine_counters(struct engine *e);
const char *watch_operation(size_t row); /* "GetItem" */
/* Calls that failed because what is stored is damaged, those of guests too. */
uint64_t engine_damaged(struct engine *e);
void engine_store_stats(struct engine *e, struct store_stats *out);

#endif
