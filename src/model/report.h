/* report.h: what each command answers: JSON (docs/json.md describes each), or text where it says so. The functions of
 * onefold.h wrap these; the command line prints them as tables. Everything is written to out; 0 or an error in e. */
#ifndef OF_MODEL_REPORT_H
#define OF_MODEL_REPORT_H

#include "run.h"
#include "sample.h"

struct reporter {
    const struct model *model;
    const struct model_env *env;
    struct arena *arena;
    struct buf *out;
    struct err *err;
};

int report_explain(struct reporter *r, struct slice pattern); /* empty: all */
/* The figures that explain gives of a plan: "items":...,"from":"sample" */
void measure_members(struct buf *b, const struct measure *m);
int report_lint(struct reporter *r);
/* The ids of the rules, in order; NULL after the last. */
const char *lint_rule_id(size_t i);

enum docs_format { DOCS_MARKDOWN, DOCS_SVG, DOCS_MERMAID, DOCS_JSON };
int report_docs(struct reporter *r, enum docs_format f);
enum table_format { TABLE_CREATE, TABLE_CLOUDFORMATION, TABLE_TERRAFORM };
int report_table(struct reporter *r, enum table_format f);

struct policy_options {
    struct slice tenant; /* the attribute; empty: the first in the keys */
    struct slice tag;    /* empty: "tenant" */
    const struct slice *entities; /* NULL: all */
    size_t n_entities;
    bool read_only;
};
/* The policy that keeps a tenant to its own partitions. */
int report_policy(struct reporter *r, const struct policy_options *o);

struct cost_options {
    struct slice prices; /* a file; empty: the model's, else built in */
    bool against_tables, provisioned;
    double scale;         /* all rates and expected numbers of items are taken times this; 0: as stated */
    const double *scales; /* also the totals at these */
    size_t n_scales;
};
#define COST_MAX_SCALE 1e6
int report_cost(struct reporter *r, const struct cost_options *o);
/* item: DynamoDB JSON or plain JSON text. model is not used. */
int report_size(struct reporter *r, struct slice item);

struct apply_options {
    bool dry_run, delete_indexes;
    void (*progress)(void *ctx, struct slice text); /* NULL: none; a sentence while an index is being built */
    void *ctx;
};
int report_apply(struct reporter *r, struct api *api, const struct apply_options *o);

/* What to do about a busy partition. index: empty: the table's own. key: the item of its hash attributes, DynamoDB JSON. */
int report_advise(struct reporter *r, struct slice index, struct slice key);

#endif
