/* facts.h: what several reports need to know of a model: how each pattern is answered, the sample data as items of a table,
 * and what a run of each pattern reads. */
#ifndef OF_MODEL_FACTS_H
#define OF_MODEL_FACTS_H

#include "report.h"

struct facts {
    const struct model *model;
    struct plan *plans;       /* by the pattern's number */
    struct sample sample;
    struct measure *measures; /* by the pattern's number; facts_measure fills them */
};

/* Plans only. */
int facts_plans(struct reporter *r, struct facts *f);
/* A clock that stands still and bytes that only count (in *count): documents of one model are the same each time. */
struct model_env still_env(uint64_t *count);
/* The sample too; where it cannot be used, the first problem is the error. */
int facts_read(struct reporter *r, struct facts *f);
void facts_measure(struct reporter *r, struct facts *f);
/* "file:3:5: what is wrong; what to do" */
int problem_error(struct err *e, const struct problem *p);

/* How a shard is told: "#0..9", "#a..z", "#2024-01.."; empty where k is not sharded. */
struct slice shards_text(struct arena *a, const struct model *m, const struct key_template *k);
/* The template as written; a natural one as ${name}. */
struct slice key_source(struct arena *a, const struct key_template *k);
/* The same with its shards. */
struct slice key_text(struct arena *a, const struct model *m, const struct key_template *k);
struct slice keys_text(struct arena *a, const struct model *m, const struct key_template *k, size_t n);

#endif
