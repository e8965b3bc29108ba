/* ranged.h: the parameters Query and Scan share, from the request to a page that can be read.
 *
 * DynamoDB checks them in an order of its own for each of the two, so the steps are separate and
 * the operations put them in their order. */
#ifndef OF_ENGINE_RANGED_H
#define OF_ENGINE_RANGED_H

#include "page.h"

enum select { SELECT_DEFAULT, SELECT_ALL, SELECT_ALL_PROJECTED, SELECT_SPECIFIC, SELECT_COUNT };

struct ranged {
    /* parsed */
    bool is_query;
    enum select select;
    const char *filter_name;       /* as errors name it: "QueryFilter", "Filter Expression" */
    struct cond *filter;           /* NULL: none */
    struct projection *projection; /* NULL: none */
    bool has_start;
    struct slice start; /* ExclusiveStartKey, encoded */
    /* bound */
    struct page page;
};

/* ---- no table needed ---- */

/* Select, and what may not stand beside it. */
int ranged_select(struct call *call, struct ranged *r);
/* QueryFilter or ScanFilter, with ConditionalOperator. */
int ranged_legacy_filter(struct call *call, struct ranged *r, const char *what);
int ranged_attributes_to_get(struct call *call, struct ranged *r);
/* The values in ExclusiveStartKey. */
int ranged_start_values(struct call *call, struct ranged *r);
/* All expressions; key_condition may be NULL (Scan). */
int ranged_expressions(struct call *call, struct ranged *r, struct cond **key_condition);

/* ---- with the table ---- */

/* Starts page afresh: table, index, consistency, limit. */
int ranged_bind(struct call *call, struct ranged *r);
/* An index that can be read now. */
int ranged_find_index(const struct table *t, struct slice name, bool consistent,
                      const struct index **out, struct err *e);
/* What may be asked of the table or index: attributes in projection, filter and Select. */
int ranged_check_attributes(struct call *call, struct ranged *r);
int ranged_check_select(struct call *call, struct ranged *r);
/* Values that no key can have are refused, not searched for. */
int ranged_check_key_values(struct call *call, const struct page *p, const struct key_query *kq);
/* What the projection asks of an index: more than a global one holds is refused, more than a local one is fetched. */
int ranged_check_projection(struct call *call, struct ranged *r);
/* Each name a filter reads, once. */
size_t ranged_filter_names(struct arena *a, const struct cond *filter, struct slice **out);
/* "a, b" of the names that the index does not hold; empty if it holds all. */
struct slice ranged_not_projected(struct call *call, const struct page *p, const struct slice *names, size_t n);
int ranged_refuse_filter(struct call *call, const struct page *p, struct slice missing);

/* ---- ExclusiveStartKey (start_key.c) ---- */

/* The right number of attributes, the hash attributes among them and of their types. */
int start_key_check_hash(struct call *call, const struct ranged *r);
/* The rest: range attributes, the table's own key, and that the query can reach it. Narrows
 * page.range. */
int start_key_apply_query(struct call *call, struct ranged *r, const struct key_query *q);
/* Scan: checks the index part. */
int start_key_check_scan(struct call *call, const struct ranged *r);
/* Checks the table's part, and that it lies in the segment. Narrows page.range. */
int start_key_apply_scan(struct call *call, struct ranged *r, uint32_t segment, uint32_t total);

#endif
