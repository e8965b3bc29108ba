/* model.h: the workload "patterns": a model's access patterns on its own sample data.
 *
 * The model lives in a database in memory, beside the table on the endpoint: both hold the same items. What the requests of a pattern
 * are and what they must be answered is asked there. */
#ifndef OF_CLI_BENCH_MODEL_H
#define OF_CLI_BENCH_MODEL_H

#include "bench.h"

struct bench_model {
    struct session session; /* its db is the one in memory */
    struct slice table;     /* onefold-bench-shop */
    const char *path;
};

/* The model under the benchmark's own table name, and its empty table in memory. 0 or an exit code after a message; to be closed
 * either way. */
int model_open(struct bench *b);
void model_close(struct bench *b);
/* The sample data into memory, the table made on the endpoint and filled with the same items. */
int model_prepare(struct bench *b);
/* The table on the endpoint as it is, and its items into memory. */
int model_adopt(struct bench *b);
/* Requests and their answers. */
int model_build(struct bench *b, struct bench_plan *p);

#endif
