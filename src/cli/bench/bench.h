/* bench.h: what the parts of `onefold bench` share: the options, a plan of requests with what they must answer, and the steps
 * of a run. */
#ifndef OF_CLI_BENCH_BENCH_H
#define OF_CLI_BENCH_BENCH_H

#include "client.h"
#include "data.h"
#include "target.h"
#include "../session.h"

#define BENCH_BODY_MAX ((size_t)17 << 20)

struct bench_options {
    unsigned connections, threads;
    double seconds, warmup;
    const char *table, *endpoint, *region, *profile;
    const char *ca_file, *client_cert, *client_key;
    struct data data;
    bool items_given, size_given, collection_given, indexes_given, seed_given; /* said so, not the default */
    bool prepare_only, no_prepare, keep, no_check;
};

/* One of the different requests of a workload. */
struct bench_request {
    struct slice operation, body;
    struct slice expected;       /* JSON that the answer must mean; empty: unknown */
    bool unordered;              /* lists in the answer have no order */
    bool reads;                  /* its units are read units */
    unsigned adds;               /* what it adds to the counters */
    struct slice answer;         /* the very bytes, from the calibrating pass */
    double units;
};

/* An item that a workload writes, to be read back. */
struct bench_written {
    enum data_space space;
    uint64_t k;
};

struct bench_plan {
    struct arena *arena;         /* of this workload: everything in the plan lies in it */
    struct bench_request *requests;
    size_t n, cap;
    struct bench_written *written;
    size_t n_written, cap_written;
};

struct bench {
    struct invocation *in;
    const struct bench_options *options;
    struct bench_target target;
    struct data data;
    const atomic_bool *stop;    /* Ctrl-C */
    struct slice table;
    bool made, made_model;       /* by this run: it deletes them */
    struct bench_model *model;   /* of the workload "patterns"; NULL: it is not wanted */
};

/* What a workload came to. */
struct bench_outcome {
    const char *workload;
    struct client_result result;
    double read_units, write_units;
    uint64_t requests;           /* that were measured */
    char complaint[700];         /* a check after the run that failed; empty: none did */
};

/* ---- workloads ---- */

struct workload {
    const char *name, *about;
    bool indexed, big, modelled; /* what it needs: an index, the big collection, a model */
    int (*build)(struct bench *b, struct bench_plan *p); /* 0 or an exit code after a message */
};
extern const struct workload workloads[];
extern const size_t n_workloads;
const struct workload *workload_find(const char *name);

void bench_plan_add(struct bench_plan *p, struct bench_request r);
void bench_plan_wrote(struct bench_plan *p, enum data_space space, uint64_t k);

/* ---- steps ---- */

/* One request on a connection of its own. 0 with the status and the answer in the arena; or an exit code after a message. */
int bench_call(struct bench *b, struct arena *a, struct slice operation, struct slice body, int *status, struct slice *answer);
/* The same, where anything but 200 is an error, which it tells. */
int bench_must(struct bench *b, struct arena *a, struct slice operation, struct slice body, const struct json **answer);
/* How a sentence begins that says that there is none. */
const char *no_connection(const struct bench *b);
/* Sends each request of the plan once; answered may be NULL. 0 or an exit code after a message. */
int bench_each(struct bench *b, struct bench_plan *p, const char *what, uint64_t before, uint64_t of,
               void (*answered)(void *ctx, size_t request, int status, struct slice body), void *ctx);

/* Makes the table and loads it; refuses one that is not ours. */
int prepare_table(struct bench *b);
/* Learns from the table how it was made, and refuses what the options say otherwise. if_ours: leaves everything as it is where
 * nothing answers as a table of ours would. */
int prepare_adopt(struct bench *b, bool if_ours);
/* *table: the description of the table of that name; NULL: there is none. */
int prepare_describe(struct bench *b, struct arena *a, struct slice name, const struct json **table);
/* Looks at the answer of a BatchWriteItem: an answered of bench_each, with a struct loading. */
struct loading {
    size_t refused; /* batches, or parts of them, that were not written */
    char first[300];
};
void prepare_loaded(void *loading, size_t request, int status, struct slice body);
int prepare_remove(struct bench *b, struct slice table);
/* Waits until the table can be used, or (gone) is not there any more. */
int prepare_wait(struct bench *b, struct slice table, bool gone);

/* The calibrating pass: right answers, their bytes and units. */
int calibrate(struct bench *b, struct bench_plan *p);
/* Does the answer mean what is expected? Members may stand in any order and empty ones be left out. */
bool answer_means(const struct json *expected, const struct json *answer, bool unordered);
/* The sum of all counters. */
int counters_sum(struct bench *b, uint64_t *sum);
/* Reads a sample of what was written back; what is not there goes to complaint. */
int read_back(struct bench *b, const struct bench_plan *p, char *complaint, size_t size);

/* Runs one workload. 0 with an outcome, whose result is to be freed; or an exit code after a message. */
int bench_run(struct bench *b, const struct workload *w, struct bench_outcome *out);

/* ---- reports ---- */

void bench_report_json(struct bench *b, const struct bench_outcome *outcomes, size_t n);
void bench_report_table(struct bench *b, const struct bench_outcome *outcomes, size_t n);
/* Is everything right with it? What is not is told on standard error. */
bool bench_report_troubles(const struct bench_outcome *o);

#endif
