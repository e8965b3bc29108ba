/* lib_model.h: what the files behind onefold.h share that speak to the model layer. */
#ifndef OF_LIB_LIB_MODEL_H
#define OF_LIB_LIB_MODEL_H

#include "common.h"
#include "../model/write.h"

struct of_model {
    struct model *model;
    struct model_files files; /* what model->files points to, where they were given with it */
};

/* One call of a public function: an arena, the guard around it and what it answers. The work fills
 * report, requests or item and returns 0 or an err_code with e filled. */
struct lib_work {
    struct arena arena;
    struct err e;
    struct buf report;   /* becomes *outputs.report */
    struct buf requests; /* a JSON array's elements; becomes *outputs.requests, in brackets */
    struct slice item;   /* becomes *outputs.item; empty: NULL */
    const void *in;      /* the caller's */
};

struct lib_outputs { /* where answers go; each may be NULL */
    of_answer **report, **requests;
    of_item **item;
};

/* Runs work(w) with an arena of its own under its guard, and hands out what it made. in: for the
 * work. */
int lib_run(int (*work)(struct lib_work *w), const void *in, struct lib_outputs out, of_error *err);

/* A session on db in the work's arena. */
struct session lib_session(struct lib_work *w, const of_model *model, of_db *db);
/* The entity, or an error with the nearest name as a hint. */
int lib_entity(struct lib_work *w, const of_model *model, const char *name,
               const struct entity **out);
/* The first problem as an error: "onefold.yaml:3:5: what is wrong; what to do". */
int lib_problem(struct err *e, const struct problems *ps);

#endif
