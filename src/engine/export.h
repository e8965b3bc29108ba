/* export.h: exports: their records, and the writing of their files.
 *
 * ExportTableToPointInTime begins a copy of the table as at the moment (copy.h) under an id of its own. When that is
 * complete the job (export_job.c) writes files from it, one for each partition that DynamoDB would give the table,
 * outside of any transaction but for short views. An incremental export copies the table as at the end of its period
 * and then, before the copy lets go of the table, gathers from the history, under a second id, which items changed and what
 * they were before: so that each has one line, however often it changed, and nothing of the period can be missing, whatever becomes
 * of the table and its recovery meanwhile. Both ids are purged at the end. */
#ifndef OF_ENGINE_EXPORT_H
#define OF_ENGINE_EXPORT_H

#include "../base/md5.h"
#include "bucket.h"
#include "transfer.h"

#define EXPORT_MAX_PROGRESS ((size_t)3 << 20)

enum export_status { EXPORT_IN_PROGRESS, EXPORT_COMPLETED, EXPORT_FAILED };

/* The record "E" id. Borrowed from what it was decoded from. */
struct export {
    struct slice table, uuid, region, account, token;
    struct slice print; /* token_fingerprint of the request */
    int64_t start_ms, end_ms;
    enum export_status status;
    int64_t time_ms; /* ExportTime; 0: incremental */
    struct slice bucket, owner, prefix, sse, type; /* owner, prefix, type: empty where they were not given */
    struct slice view;           /* incremental: ExportViewType; empty: full */
    int64_t from, to;            /* incremental: seconds, to not included */
    int64_t items, bytes;        /* told when it is complete */
    struct slice manifest;       /* the key of manifest-summary.json, when it is complete */
    struct slice failure_code, failure_message;
};

struct slice export_encode(struct arena *a, const struct export *ex);
void export_decode(struct slice record, struct export *out);
void export_put_description(struct buf *b, struct slice id, const struct export *ex);
void export_put_summary(struct buf *b, struct slice id, const struct export *ex);

/* The record "e" id: one that is under way. */
enum export_phase {
    EXPORT_COPYING,
    EXPORT_UNGATHERED, /* the table was let go of before its changes were gathered, as programs before this one did: it fails */
    EXPORT_FILES
};
struct export_progress {
    enum export_phase phase;
    uint32_t items_id;       /* of the copy; 0: there is none, because there is no bucket */
    uint32_t changes_id;     /* incremental: of what changed */
    struct slice keys;       /* a table's record, for its keys */
    int64_t files, done;     /* how many there will be, how many are there */
    struct slice manifest;   /* lines of manifest-files.json so far */
    int64_t items, bytes;
};
struct slice export_encode_progress(struct arena *a, const struct export_progress *p);
void export_decode_progress(struct slice record, struct export_progress *out);

/* What happened to an item within the period, under changes_id: an item { old key time }. */
struct slice export_change_key(struct arena *a, uint32_t id, struct slice store_key);

/* ---- the files (export_files.c) ---- */

/* PREFIX/AWSDynamoDB/...: all objects of an export are below it. */
#define EXPORT_FOLDER "AWSDynamoDB"
struct slice export_prefix(struct slice given); /* without slashes at its end */

/* One export's files; the jobs' thread alone. Failures are told by errno. */
struct export_files;
/* ex, p and t must outlive it. NULL: the bucket is not there, or cannot be written to. */
struct export_files *export_files_open(const char *s3_dir, struct slice id, const struct export *ex,
                                       const struct export_progress *p, const struct table *t);
void export_files_close(struct export_files *f);
/* A piece of the file p->done. 0, or errno, or what the store failed with: its statuses are below 0. *complete: it is at its end, and these are its manifest's line (in the arena),
 * its items and their size. */
int export_files_piece(struct export_files *f, struct store *store, struct arena *a, bool *complete,
                       struct slice *line, int64_t *items, int64_t *bytes);
/* The manifests, when all files are there. ex: end_ms, items and bytes are set. *key: of the summary. */
int export_files_end(struct export_files *f, struct arena *a, const struct export *ex, struct slice *key);

/* The job's own, on the jobs' thread; engine_close frees it. */
struct exporting;
void exporting_free(struct exporting *x);

#endif
