/* import.h: imports: their records, and the reading of items out of objects.
 *
 * ImportTable makes the table, which stays CREATING until the import has ended, and leaves the rest to the job
 * (import_job.c): it takes the objects in the order of their keys, reads a piece of items outside of any transaction, and
 * puts the piece and how far it got in one update. So a kill goes on where it was, and each item is counted once. */
#ifndef OF_ENGINE_IMPORT_H
#define OF_ENGINE_IMPORT_H

#include "../base/csv.h"
#include "bucket.h"
#include "object_reader.h"
#include "transfer.h"

enum import_status { IMPORT_IN_PROGRESS, IMPORT_COMPLETED, IMPORT_FAILED };

/* The record "I" id. Borrowed from what it was decoded from. */
struct import {
    struct slice table, uuid, region, account, token;
    int64_t start_ms, end_ms;
    enum import_status status;
    struct slice source, options, creation; /* S3BucketSource ... as JSON; empty: absent */
    struct slice format, compression;
    int64_t processed, imported, errors, bytes; /* told when it has ended */
    struct slice failure_code, failure_message;
};

struct slice import_encode(struct arena *a, const struct import *im);
void import_decode(struct slice record, struct import *out);
/* ImportTableDescription, ImportSummary. */
void import_put_description(struct buf *b, struct slice id, const struct import *im);
void import_put_summary(struct buf *b, struct slice id, const struct import *im);

/* The record "i" id: where an import is that is under way. */
struct import_progress {
    struct slice object; /* the key of the one it is in, or that is done with; empty: it has not begun */
    bool done;
    int64_t at;                          /* bytes read of that object, unpacked */
    int64_t processed, imported, errors; /* items */
    int64_t bytes;                       /* of the objects before that one */
};
struct slice import_encode_progress(struct arena *a, const struct import_progress *p);
void import_decode_progress(struct slice record, struct import_progress *out);

/* ---- items out of an object (import_items.c) ---- */

struct import_source {
    const struct table *table;
    struct object_reader *reader;
    bool csv;
    struct csv_reader rows;        /* csv */
    const struct slice *header;    /* csv: names of the columns */
    size_t n_header;
};

struct import_item {
    struct slice store_key, item;
    size_t size;
};

enum import_result {
    IMPORT_ITEM,
    IMPORT_BAD_ITEM,   /* counts as an error; the next one can be read */
    IMPORT_BAD_OBJECT, /* counts as an error; the rest of the object is left */
    IMPORT_END
};

/* The next item, in the arena; *problem says what is wrong with a bad one, without its data. */
enum import_result import_next(struct import_source *s, struct arena *a, struct import_item *out,
                               const char **problem);
/* The first row of a CSV object, into header. IMPORT_ITEM, or what is wrong with it. */
enum import_result import_read_header(struct import_source *s, struct arena *a, const char **problem);

/* The job's own, on the jobs' thread; engine_close frees it. */
struct importing;
void importing_free(struct importing *im);

#endif
