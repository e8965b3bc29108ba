/* statement_read.h: ExecuteStatement's SELECT: its reads, one page of them, and the NextToken that goes on with it. */
#ifndef OF_ENGINE_STATEMENT_READ_H
#define OF_ENGINE_STATEMENT_READ_H

#include "statement.h"
#include "statement_plan.h"

struct statement_read {
    struct statement statement;
    struct ranged ranged; /* .page: what is read */
    struct reads plan;
    const struct cond *filter; /* of a Scan */
    size_t start;              /* the read it begins with */
    struct store_range rest;   /* has_start: what is left of that read */
};

int statement_read_bind(struct call *call, struct statement_read *r);
int statement_read_access(struct call *call, const struct statement_read *r);
void statement_read_footprint(struct call *call, struct statement_read *r, struct footprint *f);
int statement_read_run(struct call *call, struct store_txn *txn, struct statement_read *r);

#endif
