/* apply_impl.h: apply: a plan is made by comparing the table with the model, then carried out step by step. */
#ifndef OF_MODEL_APPLY_IMPL_H
#define OF_MODEL_APPLY_IMPL_H

#include "table_impl.h"
#include "../item/item_json.h"

enum apply_wait {
    WAIT_NONE,
    WAIT_TABLE,   /* until the table is active */
    WAIT_INDEX,   /* until the index is */
    WAIT_DROPPED  /* until the index is gone */
};

struct apply_step {
    struct slice action;    /* "create-table" ... */
    struct slice what;      /* one sentence */
    struct slice operation; /* empty: there is nothing to send, the step only tells */
    struct slice request;
    struct slice index;     /* what is waited for */
    enum apply_wait wait;
    struct apply_step *next;
};

struct applier {
    struct reporter *r;
    struct api *api;
    const struct apply_options *o;
    struct apply_step *first, **end;
    const struct json *table; /* DescribeTable's answer; NULL: there is no table */
    struct buf conflicts;     /* what cannot be changed: sentences */
};

struct apply_step *apply_add(struct applier *p, struct slice action, struct slice what);
/* Something that apply cannot change. */
void apply_conflict(struct applier *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Asks DescribeTable; *table is NULL where there is none. */
int apply_describe(struct applier *p, const struct json **table);

/* Steps and conflicts from comparing keys, indexes and TTL. */
void apply_compare(struct applier *p);
int apply_ttl(struct applier *p);
/* Steps and conflicts about the shard counts in force. */
int apply_shards(struct applier *p);

#endif
