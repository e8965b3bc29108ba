/* entity_writer.h: many entities into a table, for load and fold: checked, completed, counted; in batches where nothing else
 * belongs to them, otherwise each with its copies and unique values in a transaction of its own. */
#ifndef OF_MODEL_ENTITY_WRITER_H
#define OF_MODEL_ENTITY_WRITER_H

#include "batch.h"
#include "marker.h"
#include "report.h"

struct entity_writer {
    struct reporter *r;
    struct api *api;
    bool dry_run;       /* everything but writing */
    struct batch batch;
    uint64_t *counts;   /* by entity number; in the reporter's arena */
    uint64_t raw;       /* items past the model */
    struct marker *marker; /* of the file or table under way; NULL: it is not repeated */
    uint64_t place;     /* line or row of what is put now; set it before */
};

/* If init succeeded you must free. */
void writer_init(struct entity_writer *w, struct reporter *r, struct api *api, bool dry_run);
void writer_free(struct entity_writer *w);
/* Another file or table begins, whose lines or rows are counted from 1. */
void writer_begin(struct entity_writer *w, struct marker *m);
/* *waits: it is collected; batch.written tells when it is in the table. */
int writer_put(struct entity_writer *w, struct arena *a, const struct entity *en, struct slice attributes, bool *waits,
               struct err *e);
int writer_raw(struct entity_writer *w, struct slice item, bool *waits, struct err *e);
int writer_flush(struct entity_writer *w, struct err *e);
/* Where what could not be written stands: of what was collected the first that is not in the table, otherwise place. */
uint64_t writer_trouble(const struct entity_writer *w);
/* {"Order":3,...}: entities with at least one. */
void writer_counts(struct buf *b, const struct entity_writer *w);

#endif
