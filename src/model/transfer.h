/* transfer.h: many entities at once: load (data files into a table), unfold (a table out, one relational table per
 * entity), fold (a relational world in). All are resumable and say how far they are.
 *
 * A transfer reads records one by one from a `source` and writes them to a table, or reads a table page by page and writes
 * rows to a `sink`; CSV, NDJSON, YAML and SQLite are sources, CSV, NDJSON and SQLite are sinks. */
#ifndef OF_MODEL_TRANSFER_H
#define OF_MODEL_TRANSFER_H

#include "report.h"

struct progress {
    void (*report)(void *ctx, const char *what, uint64_t done, uint64_t of); /* of: 0 if not known; may be NULL */
    void *ctx;
};

struct load_options {
    bool raw;              /* DynamoDB JSON items, one per line (or {"Item":{...}}), past the model */
    bool dry_run;          /* everything is checked, nothing written */
    struct slice resume;   /* file that remembers how far a load got; empty: FILE.onefold-load beside it */
    struct progress progress;
};

/* path: .yaml/.yml/.json (a data file), NDJSON, a folder of .ndjson files as unfold writes it, or "-": NDJSON from
 * standard input. A bad line stops it with its number; what was written stays written and a second run goes on there.
 * Report: {"loaded":{"Order":n},"raw":n,"before":n}; before: what an earlier run had done. */
int report_load(struct reporter *r, struct api *api, const char *path, const struct load_options *o);

/* The data files that the model itself names. The same report. */
int report_load_sample(struct reporter *r, struct api *api);

struct unfold_options {
    const char *format;    /* "sqlite", "csv", "ndjson" */
    const char *to;        /* file (sqlite) or folder; must not exist */
    struct slice entity;   /* empty: all */
    struct progress progress;
};
/* {"rows":{"Order":n},"copies":n,"sentinels":n,"unknown":n,"schema":{"Order":{"1":n}}} */
int report_unfold(struct reporter *r, struct api *api, const struct unfold_options *o);

struct fold_options {
    const char *mapping;   /* YAML file with the column mapping; NULL: guessed */
    bool dry_run;          /* show the mapping and the counts, write nothing */
    struct slice entity;   /* one entity at a time; empty: all, in the model's order */
    struct progress progress;
};
/* source: an SQLite file, or a folder of CSV files (or one CSV file with entity given). Report: the mapping used, and a count per
 * entity: rows read, written, already there. */
int report_fold(struct reporter *r, struct api *api, const char *source, const struct fold_options *o);

#endif
