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
};

struct result {
    const struct entity *entity; /* NULL: an item that is none of this model's */
    bool copy;
    struct slice item;           /* as stored */
};

struct results {
    struct result *list;
    size_t n;
    struct slice token;          /* empty: this was the last page */
    uint64_t items_read, requests;
    double read_units;           /* as answered by ReturnConsumedCapacity, else reckoned from bytes */
    bool reckoned;
};

int plan_run(struct session *s, const struct bound_plan *p, const struct run_options *o, struct results *out,
             struct err *e);
/* {"Order":[...],"OrderItem":[...],"read":{...},"after":token}; hidden attributes left out */
void results_to_json(struct buf *b, const struct model *m, const struct results *r);

#endif
