/* page.h: reading one page of a table or an index: what Query and Scan have in common.
 *
 * A page ends at the Limit, or with the item that takes what was read to 1 MB (counted before the
 * filter), or with the range. (Or when it is long as text or long to filter.) Items go from the store's bytes straight into the response.
 *
 * A local index that does not hold what is asked for is completed from the table: entries are read
 * in blocks, and each block's items fetched in one go. */
#ifndef OF_ENGINE_PAGE_H
#define OF_ENGINE_PAGE_H

#include "range.h"
#include "request.h"

#define PAGE_MAX_BYTES (1u << 20)
/* As text a number can be fifty times its size: a page also ends when its text is this long, which
 * leaves room for the longest item in an answer. */
#define PAGE_MAX_TEXT ((size_t)32 << 20)
/* Nor is the loop that reads it held for long: a legacy filter can have a hundred thousand values,
 * each compared with each item. Operands times items. */
#define PAGE_MAX_TESTS 10000000u

struct page {
    const struct table *table;
    const struct index *index; /* NULL: the table itself */
    struct store_range range;
    uint64_t limit; /* items read, before the filter; 0: none */
    bool consistent;
    bool count_only;                     /* Select: COUNT */
    bool fetch;                          /* complete index entries from the table */
    bool fetch_all;                      /* PartiQL: also of entries that the filter drops, which costs as much */
    bool one_row;                        /* there is nothing to go on with: no LastEvaluatedKey */
    const struct cond *filter;           /* NULL: none */
    const struct projection *projection; /* NULL: everything that is there */
    /* out */
    uint64_t scanned, count;
    uint64_t bytes; /* read so far: a page ends at 1 MB */
    struct slice last; /* the item or entry the page ended with; empty: the range is done */
    struct usage usage;
    uint8_t parts; /* attributes of the partition's key, where it is one partition that is read; 0: a Scan */
};

/* Writes "Items":[...] (not for count_only) and the members that follow it; the braces are the
 * caller's. */
int page_read(struct call *call, struct store_txn *txn, struct page *p);
/* The same in parts, each a range of its own: page_begin, then for each part page->range set and page_read_part, which
 * writes items with commas between them and stops when the page is full (page->last is set then). */
void page_begin(struct call *call, struct page *p);
int page_read_part(struct call *call, struct store_txn *txn, struct page *p);
/* A Scan costs the least for each partition that it visits. After page_read. */
void page_charge_scan(struct call *call, struct page *p);
/* Which table or index is read, from where. */
void page_footprint(struct call *call, const struct page *p, struct footprint *f);
/* Tells the counters what it consumed. After page_read. */
void page_count(struct call *call, const struct page *p);
/* "Count", "ScannedCount", "LastEvaluatedKey" and, if asked for, "ConsumedCapacity". */
void page_put_summary(struct call *call, struct page *p);
/* What follows it: LastEvaluatedKey, which is also the call's last_key, if there is more; ConsumedCapacity. */
void page_put_end(struct call *call, struct page *p, bool more);

#endif
