/* plan.h: the resolver: how an access pattern is answered. One function, whose result is data: explain, run, query,
 * lint, cost, docs and the studio all stand on it. No I/O.
 *
 * Of every path of the pattern's entity it asks: are all holes of the hash key known (equal to something, fanned
 * out over, or a shard)? How far is the sort key known, does the range follow there, is the order the one asked for?
 * What holds all entities asked for comes before a sparse path that leaves some out; then the cheapest wins: GetItem, then Query, then a merge with the fewest streams; the longer known
 * sort-key prefix (for a collection: none), then no entity filter, then the table before copies before indexes. */
#ifndef OF_MODEL_PLAN_H
#define OF_MODEL_PLAN_H

#include "entity.h"

struct expression; /* where.h */

#define PLAN_MAX_FANS    4
#define PLAN_MAX_STREAMS 2000 /* Queries of one merge; a pattern that would need more is not answered */

enum plan_kind { PLAN_NONE, PLAN_GET, PLAN_QUERY, PLAN_MERGE };

/* Something a merge fans out over. */
struct fan {
    struct slice attribute;         /* enum or boolean attribute; empty: shards */
    const struct key_template *key; /* shards: whose */
    const struct slice *values;     /* texts (shards) or encoded values (attribute) */
    size_t n;                       /* 0: shards by month, whose number is known only when bound */
};

/* What else lies in the key range, so that a filter is needed. */
struct neighbour {
    const struct access_path *path;
    const struct neighbour *next;
};

struct plan {
    enum plan_kind kind;
    const struct pattern *pattern;
    const struct access_path *path;        /* of the first entity */
    const struct access_path *const *paths; /* collection or several entities: one per entity found there */
    size_t n_paths;
    struct fan fans[PLAN_MAX_FANS];
    size_t n_fans;
    size_t streams;                 /* product of fans; 1 for GET and QUERY; 0: months, known when bound */
    /* sort key: of the first sort_fixed attributes everything is known; of the next one the first
     * sort_parts parts, then (maybe) range applies to the hole that follows */
    size_t sort_fixed, sort_parts;
    const struct condition *range;  /* NULL: begins_with of the known parts, or everything */
    const struct condition *range2; /* the other end, where two conditions make one range; NULL: none */
    /* several entities: text that all their sort keys have in common behind the sort_parts parts; else empty */
    struct slice sort_common;
    bool subtree;                   /* collection below one item: the key itself, and what continues it */
    bool descending;
    bool filter_entity;             /* others lie in the range: filter on the entity attribute */
    /* The range also holds what that attribute cannot tell (another copy of the same entity, no entity attribute, one
     * that is not projected): whoever runs it drops items whose item_identify().path is not in paths. */
    bool filter_client;
    const struct neighbour *neighbours;
    bool fetch;                     /* the index (or copy) lacks attributes that are declared: said in notes */
    struct slice index_name;        /* empty: the table */
    const struct slice *notes;      /* what one should know about the answer, a sentence each */
    size_t n_notes;
    struct slice operation;         /* "GetItem", "Query", "Query x 10" */
    struct slice key_condition;     /* as the seeds print it: "PK = CUST#<customerId>, SK begins_with ORDER#" */
    struct slice reason;            /* NONE: "needs ..." */
    const struct proposal *proposals; /* NONE: ranked, cheapest first */
    size_t n_proposals;
};

/* A change of the model with which the pattern would be answered; verified by resolving again. */
enum proposal_kind { PROPOSE_ACROSS, PROPOSE_INDEX_ENTRY, PROPOSE_NEW_INDEX, PROPOSE_SORT_KEY, PROPOSE_COPY, PROPOSE_FILTER };
struct proposal {
    enum proposal_kind kind;
    struct slice text;              /* one sentence */
    struct slice yaml;              /* what to write into the model, with the lines it belongs under */
    struct slice writes, storage, backfill; /* what it costs, in words with figures */
    struct slice model;             /* the whole model text with the change made; reading it resolves the pattern */
    const struct plan *plan;        /* how it is then answered: kind, streams and the texts; no pointers into that model */
};

/* proposals: also work out proposals where there is no plan (slow: reads changed models). */
int plan_make(struct arena *a, const struct model *m, const struct pattern *p, bool proposals,
              struct plan *out, struct err *e);

/* A plan with its inputs: concrete key ranges, ready to be sent.
 *
 * DynamoDB allows one condition on the sort key. [low, high) becomes BETWEEN low AND high, and whoever runs it drops what
 * equals an open bound (low_open, high_open). A range with one end inside a prefix (ORDER# from <since> on) ends
 * at the smallest valid UTF-8 text behind everything with that prefix: its last character's successor ("ORDER$"), open.
 *
 * Ranges compare keys, not values. Where a literal follows the hole (ORDER#${createdAt}#${orderId}), `above x` begins behind
 * everything that begins with "ORDER#x#" and `at most x` ends there; values in which a character
 * that sorts before the delimiter follows x (a space) lie on the other side than their text does. */
struct key_range {
    struct slice hash[KEY_MAX_PARTS];  /* encoded values, index->hash.n of them */
    struct slice fixed[KEY_MAX_PARTS]; /* sort attributes known completely, plan->sort_fixed of them */
    /* bounds on the next sort attribute; empty: open. Strings, numbers or binaries, encoded. */
    struct slice low, high;
    bool low_open, high_open;          /* bound itself excluded */
    struct slice prefix;               /* begins_with; empty: none. Not together with bounds */
};
struct bound_plan {
    const struct plan *plan;
    const struct key_range *ranges;    /* one per stream */
    size_t n;
    struct slice inputs;               /* VAL_M of what was given, checked */
    int64_t now;                       /* what dates were reckoned from */
    const struct slice *filter_values; /* two for each condition of pattern->filter: its bounds, encoded */
    const struct expression *filter;   /* set by the caller: one more condition, joined to the plan's own by AND */
};
/* inputs: VAL_M by input name, of the attributes' types (dates as text). Errors: what is missing, what is not
 * an input (with the nearest name), a value that its attribute cannot have. A value that already carries its
 * prefix is let through: lint and a note tell. A range in which nothing can lie (since tomorrow, until today) gives no
 * streams: n is 0. */
int plan_bind(struct arena *a, const struct model *m, const struct plan *p, struct slice inputs, int64_t now,
              struct bound_plan *out, struct err *e);
/* The pattern's inputs by name, with the attribute each belongs to; NULL: a date, given as text. */
size_t pattern_inputs(struct arena *a, const struct pattern *p, const struct slice **names,
                      const struct attribute *const **attributes);
/* Builds the request of one stream as JSON: GetItem or Query, with names and values. page: Limit, 0 none. start:
 * ExclusiveStartKey as VAL_M, empty: none. */
void plan_request(struct buf *b, const struct model *m, const struct bound_plan *bp, const struct key_range *r,
                  uint32_t page, struct slice start, bool consistent);
/* {"pattern":...,"operation":...,"index":...,...}: docs/json.md */
void plan_to_json(struct buf *b, const struct plan *p);

#endif
