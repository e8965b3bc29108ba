/* run.h: answering a bound plan: pages, the ordered merge of several Queries, filters, tokens.
 *
 * A page token names the place of the last result, not how far each stream was read: (sort key after the known
 * prefix, number of the stream, key of the item). Streams before that one go on strictly behind that sort key,
 * those after it at that sort key, it itself behind that item. So what is inserted before the place does not appear,
 * nothing appears twice, and sharded and unsharded tables page alike. The token also holds the fingerprints of
 * model, pattern and input, and is refused for others. */
#ifndef OF_MODEL_RUN_H
#define OF_MODEL_RUN_H

#include "plan.h"
#include "write.h"

struct run_options {
    uint32_t limit;        /* results of this page; 0: the pattern's, and without one everything */
    struct slice after;    /* token; empty: from the start */
    struct slice filter;   /* where-language; empty: none */
    bool consistent;
    struct buf *requests;  /* as in write_options */
    bool dry_run;          /* only show the requests of the first page */
    uint32_t read;         /* of entities_scan: a page reads at most so many items, however few of them are results; 0: no bound */
};

struct result {
    const struct entity *entity; /* NULL: an item that is none of this model's */
    bool copy;
    bool sentinel;               /* of a unique value; only where all was asked for */
    unsigned schema;             /* its schema version; 0: not stated */
    bool partial;                /* the index does not project everything: some attributes are not known */
    struct slice item;           /* as stored; partial: with those attributes that the keys tell */
};

struct results {
    const struct entity *const *asked; /* what was asked for: has a list in the answer even if it is empty */
    size_t n_asked;
    struct result *list;
    size_t n;
    struct slice token;          /* empty: this was the last page */
    uint64_t items_read, requests;
    double read_units;           /* as answered by ReturnConsumedCapacity, else reckoned from bytes */
    bool reckoned;
};

int plan_run(struct session *s, const struct bound_plan *p, const struct run_options *o, struct results *out,
             struct err *e);
/* {"Order":[...],"OrderItem":[...],"read":{...},"after":token}; hidden attributes left out. What is none of the model's
 * stands under "other", sentinels under "unique", as stored. */
void results_to_json(struct buf *b, const struct model *m, const struct results *r);

/* Items of an entity (NULL: of all) by reading the whole table. all: copies, sentinels and what is none of the model's too.
 * Pages as above. A filter needs an entity. */
int entities_scan(struct session *s, const struct entity *en, bool all, const struct run_options *o,
                  struct results *out, struct err *e);
/* What such a scan reads, as DescribeTable tells (up to six hours late on AWS). */
struct scan_estimate {
    uint64_t items, bytes;
    double read_units; /* eventually consistent */
};
int entities_scan_estimate(struct session *s, struct scan_estimate *out, struct err *e);
/* What a key condition written by hand (where_parse_key) finds; en: only that entity, copies included; NULL: everything. */
struct where;
int key_query(struct session *s, const struct model_index *index, const struct where *key, const struct entity *en,
              bool descending, const struct run_options *o, struct results *out, struct err *e);

/* For a question that is no pattern of the model and has no plan: sets out->proposals. It is written into the model's text
 * as a pattern `thisQuery`, which the texts of the proposals name. */
int query_proposals(struct arena *a, const struct model *m, const struct pattern *p, struct plan *out, struct err *e);

#endif
