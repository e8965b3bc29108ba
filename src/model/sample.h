/* sample.h: the model's sample data as the items a table would hold, in memory, so that explain, cost, docs and lint
 * can tell items and bytes without a table. Also the reader of data files, which load uses. */
#ifndef OF_MODEL_SAMPLE_H
#define OF_MODEL_SAMPLE_H

#include "plan.h"

/* A data file: YAML or JSON, a map of entity name to a list of attribute maps (docs/model.md). */
struct record {
    const struct entity *entity;
    struct slice attributes;
    struct place place;
};
/* False after adding problems. */
bool records_read(struct problems *ps, const struct model *m, struct slice file, struct slice text,
                  struct record **out, size_t *n);

struct sample_item {
    const struct access_path *path;   /* KEY or COPY */
    struct slice item;
    size_t size;
};

struct sample {
    struct sample_item *items;
    size_t n;
    bool present;              /* the model names data */
};
/* Reads the model's data files and computes all items. Generated values and times come from env. */
bool sample_read(struct arena *a, struct problems *ps, const struct model *m, const struct model_env *env,
                 struct sample *out);

/* What running the plan reads, over all inputs that occur in the sample: mean and most. Dates such as -30d are counted
 * from the latest instant in the sample, so that the same files always give the same figures. */
struct measure {
    bool known;
    bool from_sample;          /* else from expect */
    double items, items_most;  /* read, before filters; results after them: */
    double results;
    double bytes;              /* of all items read, as the table or index holds them */
    double read_units;         /* eventually consistent, mean */
    size_t inputs;             /* how many different inputs were tried */
};
void plan_measure(struct arena *a, const struct model *m, const struct plan *p, const struct sample *s,
                  struct measure *out);

#endif
