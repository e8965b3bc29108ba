/* statement_plan.h: which reads a PartiQL SELECT takes: a Query for each way in which its WHERE fixes the partition key, or one Scan.
 *
 * The WHERE is spread into branches: its ORs, and the values of IN, as far as they are about keys. Where every branch has a partition,
 * each is a Query with its part of the sort key, and the rest of it as the filter. Otherwise the whole WHERE filters a Scan. */
#ifndef OF_ENGINE_STATEMENT_PLAN_H
#define OF_ENGINE_STATEMENT_PLAN_H

#include "../expr/partiql.h"
#include "range.h"
#include "ranged.h"

#define READS_MAX 50 /* Queries that one SELECT may become */

/* One test of a key against one value (BETWEEN: two). */
struct read_key {
    bool hash;
    enum cond_kind kind; /* as if the attribute stood on the left */
    struct slice values[2];
    struct read_key *next;
};

struct read_branch {
    struct read_key *keys;
    struct cond *filter; /* NULL: none */
    struct read_branch *next;
    /* reads_ranges: */
    struct slice hash;
    bool one_row; /* the whole key is fixed */
    struct store_range range;
};

struct reads {
    const struct key_schema *key; /* of the table, or of the index that is read */
    struct read_branch *first, *last;
    size_t n;
    bool too_many;                 /* more than READS_MAX: they were not spread further */
    bool keyed;                    /* every branch has one partition; otherwise it is a Scan */
    struct read_branch **reads;    /* keyed: those that can find something, in order of keys */
    size_t n_reads;
    size_t n_partitions;
};

/* where may be NULL. Nothing is judged yet. */
void reads_make(struct arena *a, const struct key_schema *key, const struct cond *where, struct reads *plan);
/* Values of a type that the key does not have. */
int reads_check_types(const struct reads *plan, struct err *e);
/* Do all values have the types of their keys? The same, without a word. */
bool reads_types_fit(const struct reads *plan);
/* Too many reads, ranges that overlap, values that no key can have. Fills reads; page tells the table and index. */
int reads_ranges(struct call *call, const struct page *page, struct reads *plan);

#endif
