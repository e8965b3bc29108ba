/* run.h: operations done twice, by the library and by the reference, and their answers compared. */
#ifndef REFERENCE_RUN_H
#define REFERENCE_RUN_H

#include "onefold.h"
#include "request.h"

struct run {
    of_db *db;
    struct world world;
    struct mem mem; /* of the operation under way */
    struct text request;
    struct text fault; /* empty: they agree so far */
    uint64_t forget;   /* the reference does not do the write of this number: that must be found */
    uint64_t number;
};

/* dir NULL: in memory. False: it could not be opened; the reason is in fault. */
bool run_open(struct run *r, const char *dir);
void run_close(struct run *r);
/* The operation of this number. False: the answers differ; fault says how. */
bool run_one(struct run *r, uint64_t seed, uint64_t number);
/* Every table as a whole, by Scan. */
bool run_compare_tables(struct run *r);

/* Items that expire: a table of its own, and a second or two of waiting. */
bool run_expiry(struct run *r, uint64_t seed);

/* An answer, in the run's memory. kind: the exception's name, or NULL. */
struct said {
    struct val *json;
    const char *kind;
};
/* What r->request holds is asked. False: no answer; told. */
bool ask(struct run *r, const char *operation, struct said *said);
/* Both return false. */
bool differ(struct run *r, const char *what, const struct val *expected, const struct said *said);
bool run_range(struct run *r, const struct op *op);

#endif
