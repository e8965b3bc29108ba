/* browse.h: the table drawer by drawer: its partitions, their items in order, and what each item writes into an index. */
#ifndef OF_MODEL_BROWSE_H
#define OF_MODEL_BROWSE_H

#include "report.h"

struct browse_options {
    struct slice partition; /* hash key value: only this drawer; empty: from the start */
    struct slice index;     /* shown as the drawers; empty: the table */
    struct slice beside;    /* index whose keys are shown beside each item; empty: all */
    struct slice after;     /* token */
    uint32_t limit;         /* items of a page; 0: 100 */
};
/* {"drawers":[{"key":"CUST#c1","items":[{"entity":"Customer","copy":false,"key":{...},"indexes":{"GSI1":{...}},
 *   "attributes":{...},"size":n}]}],"after":"..."}. Sentinels are skipped. */
int report_browse(struct reporter *r, struct api *api, const struct browse_options *o);

#endif
