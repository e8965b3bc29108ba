/* cost_impl.h: what a model costs a month. docs/cost.md says what is reckoned and what is not. */
#ifndef OF_MODEL_COST_IMPL_H
#define OF_MODEL_COST_IMPL_H

#include "facts.h"
#include "jsonw.h"
#include "units.h"

/* A price list: built in, or a YAML file. */
struct prices {
    struct slice name, date, currency, source;
    double on_demand_read, on_demand_write;     /* of a million request units */
    double provisioned_read, provisioned_write; /* of a unit for an hour */
    double storage;                             /* of a GB for a month */
    double utilization;                         /* of provisioned units, 0 to 1: how much of them is used */
};
int prices_read(struct reporter *r, struct slice file, struct prices *out);

/* What one write of an entity takes; NAN: unknown. */
struct write_cost {
    double put, update, del; /* write units of one write with all that belongs to it */
    double stored;           /* bytes of one, with copies, sentinels, index entries and DynamoDB's 100 bytes for each */
    double bytes;            /* of the item itself */
    size_t items;            /* items that one put writes, itself, copies and sentinels */
    bool sentinels_unknown;  /* they are in units, not in stored */
};
/* In one table; or, tables true, with a table per entity: copies are then entries of an index. */
void cost_of_writes(struct reporter *r, const struct facts *f, const struct entity *en, bool tables,
                    struct write_cost *out);

/* Read units of one run with a table per entity, and how many requests it takes. */
void cost_of_reads_in_tables(const struct facts *f, size_t pattern, double *units, double *requests);

#endif
