/* export_job.c: the work of exports behind the copy: files, the end. */
#include "copy.h"
#include "../base/failpoint.h"
#include "../base/log.h"
#include "export.h"
#include <errno.h>
#include <stdlib.h>

#define SETUP_MEMORY ((size_t)32 << 20)
#define LEAST_BILLED 10000000 /* of an incremental export */

#define DAMAGED_CODE    "InternalServerError"
#define DAMAGED_MESSAGE "Stored data is damaged: a checksum does not match"

/* What the job holds between two pieces. It can be thrown away at any time: the records say all that is needed. */
struct exporting {
    struct arena setup;
    struct slice id;
    struct export record;
    struct export_progress progress;
    struct table *table;        /* its keys, under the id of the copy */
    struct export_files *files; /* NULL: not open */
    bool left_damaged;          /* looking for it, something was passed over */
};

void exporting_free(struct exporting *x)
{
    if (!x) return;
    export_files_close(x->files);
    arena_free(&x->setup);
    free(x);
}

static void drop(struct engine *e)
{
    exporting_free(e->exporting);
    e->exporting = NULL;
}

/* ---- the copy is complete ---- */

int export_copied(struct store_txn *txn, struct step *step, const struct copy *c)
{
    struct arena *a = &step->arena;
    struct slice record, id = val_content(c->data);
    struct export_progress p;
    int status = transfer_read(txn, a, 'e', id, &record);
    if (status) return status;
    export_decode_progress(record, &p);
    p.phase = p.changes_id && !c->position.n ? EXPORT_UNGATHERED : EXPORT_FILES;
    return store_put(txn, SPACE_META, transfer_key(a, 'e', id), export_encode_progress(a, &p));
}

int export_given_up(struct store_txn *txn, struct step *step, const struct copy *c)
{
    struct arena *a = &step->arena;
    struct slice record, progress, id = val_content(c->data);
    struct export_progress p;
    struct export ex;
    int status = transfer_read(txn, a, 'e', id, &progress);
    if (!status) status = transfer_read(txn, a, 'E', id, &record);
    if (status) return status;
    export_decode_progress(progress, &p);
    export_decode(record, &ex);
    ex.status = EXPORT_FAILED;
    ex.end_ms = step->now_ms;
    ex.failure_code = SLICE(DAMAGED_CODE);
    ex.failure_message = SLICE(DAMAGED_MESSAGE);
    status = catalog_drop_items(txn, p.items_id);
    if (!status && p.changes_id) status = catalog_drop_items(txn, p.changes_id);
    if (!status) status = store_delete(txn, SPACE_META, transfer_key(a, 'e', id));
    return status ? status : store_put(txn, SPACE_META, transfer_key(a, 'E', id), export_encode(a, &ex));
}

/* ---- finding work ---- */

/* The export of this row, if its copy is complete. x->id stays empty: it is not, or something of it is damaged. */
static int read_row(struct store_txn *txn, struct exporting *x, struct slice key, struct slice value)
{
    struct arena *a = &x->setup;
    struct slice record;
    if (key.n != TRANSFER_ID + 1 || !val_check(value)) return STORE_CORRUPT;
    struct slice id = arena_dup(a, slice_of(key.p + 1, TRANSFER_ID));
    export_decode_progress(arena_dup(a, value), &x->progress);
    if (x->progress.phase == EXPORT_COPYING) return STORE_OK;
    int status = transfer_read(txn, a, 'E', id, &record);
    if (status) return status == STORE_NOT_FOUND ? STORE_CORRUPT : status;
    export_decode(record, &x->record);
    x->table = table_decode_in(a, x->progress.keys);
    if (!x->table) return STORE_CORRUPT;
    x->id = id;
    return STORE_OK;
}

/* The first export whose copy is complete. x->id stays empty: there is none. */
static int find_first(struct store_txn *txn, struct exporting *x)
{
    struct store_range range = { .space = SPACE_META, .from = SLICE("e"), .to = SLICE("f") };
    struct store_cursor *cursor;
    struct slice key, value;
    int status = store_range_open(txn, &range, &cursor);
    x->id = slice_of(NULL, 0);
    x->left_damaged = false;
    while (!status && !x->id.n && !(status = jobs_next_row(cursor, &key, &value))) {
        arena_reset(&x->setup);
        status = read_row(txn, x, key, value);
        if (status != STORE_CORRUPT) continue;
        x->left_damaged = true;
        status = STORE_OK;
    }
    return status == STORE_END ? STORE_OK : status;
}

static int find_guarded(struct store_txn *txn, void *ctx)
{
    struct exporting *x = ctx;
    volatile int status = STORE_NO_MEMORY;
    if (ARENA_GUARD(&x->setup)) status = find_first(txn, x);
    arena_unguard(&x->setup);
    return status;
}

static int begin(struct jobs *j)
{
    struct engine *e = jobs_engine(j);
    struct exporting *x = calloc(1, sizeof *x);
    if (!x) return STORE_NO_MEMORY;
    arena_init(&x->setup, SETUP_MEMORY);
    e->exporting = x;
    int status = store_view(e->store, find_guarded, x);
    if (!status && x->left_damaged) jobs_left_damaged(j);
    if (status || !x->id.n) drop(e);
    return status;
}

/* ---- the end ---- */

struct ending {
    struct exporting *x;
    struct export record;
};

static int end_step(struct store_txn *txn, struct step *step)
{
    const struct ending *end = step->ctx;
    const struct export_progress *p = &end->x->progress;
    struct arena *a = &step->arena;
    int status = transfer_goes_on(txn, a, 'e', end->x->id);
    if (!status && p->items_id) status = catalog_drop_items(txn, p->items_id);
    if (!status && p->changes_id) status = catalog_drop_items(txn, p->changes_id);
    if (!status) status = store_delete(txn, SPACE_META, transfer_key(a, 'e', end->x->id));
    if (status) return status;
    return store_put(txn, SPACE_META, transfer_key(a, 'E', end->x->id), export_encode(a, &end->record));
}

static int finish(struct jobs *j, struct ending *end)
{
    FAILPOINT(export_end);
    int status = jobs_step(j, end_step, 0, end);
    if (!status && end->record.status == EXPORT_FAILED) {
        log_line(LOG_WARN, "export %.*s failed with %.*s: %.*s", SLICE_ARG(end->x->id),
                 SLICE_ARG(end->record.failure_code), SLICE_ARG(end->record.failure_message));
    }
    if (!status) jobs_wake(j); /* there is something to purge */
    drop(jobs_engine(j));
    return status;
}

static int fail(struct jobs *j, struct exporting *x, const char *code, const char *message)
{
    struct ending end = { .x = x, .record = x->record };
    end.record.status = EXPORT_FAILED;
    end.record.end_ms = engine_now_ms(jobs_engine(j));
    end.record.failure_code = slice_str(code);
    end.record.failure_message = slice_str(message);
    return finish(j, &end);
}

/* By errno, or by the store's status. What may get better does not end it: the file is begun again, in a while. */
static int fail_with(struct jobs *j, struct exporting *x, int error)
{
    if (error == STORE_CORRUPT) return fail(j, x, DAMAGED_CODE, DAMAGED_MESSAGE);
    if (error < 0 || bucket_error_passes(error)) {
        drop(jobs_engine(j));
        return error < 0 ? error : STORE_IO;
    }
    if (error == ENOENT || error == ENOTDIR || error == ELOOP) {
        return fail(j, x, "S3NoSuchBucket",
                    "The specified bucket does not exist (Service: Amazon S3; Status Code: 404; Error Code: NoSuchBucket)");
    }
    if (error == EACCES || error == EPERM || error == EROFS) {
        return fail(j, x, "S3AccessDenied",
                    "Access Denied (Service: Amazon S3; Status Code: 403; Error Code: AccessDenied)");
    }
    return fail(j, x, "S3InternalError", strerror(error));
}

static int complete(struct jobs *j, struct exporting *x)
{
    struct ending end = { .x = x, .record = x->record };
    struct export *record = &end.record;
    volatile int error = ENOMEM;
    record->status = EXPORT_COMPLETED;
    record->end_ms = engine_now_ms(jobs_engine(j));
    record->items = x->progress.items;
    record->bytes = x->progress.bytes;
    if (record->view.n && record->bytes < LEAST_BILLED) record->bytes = LEAST_BILLED;
    if (ARENA_GUARD(&x->setup)) error = export_files_end(x->files, &x->setup, record, &record->manifest);
    arena_unguard(&x->setup);
    return error ? fail_with(j, x, error) : finish(j, &end);
}

/* ---- a piece ---- */

struct written {
    struct exporting *x;
    struct slice line;
    int64_t items, bytes;
};

static int file_step(struct store_txn *txn, struct step *step)
{
    const struct written *w = step->ctx;
    struct export_progress p = w->x->progress;
    struct buf manifest;
    int status = transfer_goes_on(txn, &step->arena, 'e', w->x->id);
    if (status) return status;
    buf_init(&manifest, &step->arena, EXPORT_MAX_PROGRESS);
    buf_slice(&manifest, p.manifest);
    buf_slice(&manifest, w->line);
    p.manifest = buf_view(&manifest);
    p.items += w->items;
    p.bytes += w->bytes;
    p.done++;
    return store_put(txn, SPACE_META, transfer_key(&step->arena, 'e', w->x->id),
                     export_encode_progress(&step->arena, &p));
}

static int open_files(struct jobs *j, struct exporting *x)
{
    const char *dir = jobs_engine(j)->options.s3_dir;
    if (x->record.owner.n && !slice_eq(x->record.owner, x->record.account)) return EACCES;
    if (!x->progress.items_id || !dir) return ENOENT;
    x->files = export_files_open(dir, x->id, &x->record, &x->progress, x->table);
    return x->files ? 0 : errno;
}

static int write_piece(struct jobs *j, struct exporting *x)
{
    struct written w = { .x = x };
    bool file_complete = false;
    int error = x->files ? 0 : open_files(j, x);
    if (error) return fail_with(j, x, error);
    if (x->progress.done == x->progress.files) return complete(j, x);
    volatile int result = ENOMEM;
    if (ARENA_GUARD(&x->setup)) {
        result = export_files_piece(x->files, jobs_engine(j)->store, &x->setup, &file_complete, &w.line, &w.items, &w.bytes);
    }
    arena_unguard(&x->setup);
    if (result) return fail_with(j, x, result);
    if (!file_complete) return STORE_OK;
    FAILPOINT(export_file);
    int status = jobs_step(j, file_step, 0, &w);
    drop(jobs_engine(j)); /* what is stored is what counts from here on */
    return status;
}

static int work(struct jobs *j, int64_t *rest_ms)
{
    struct engine *e = jobs_engine(j);
    int status = e->exporting ? STORE_OK : begin(j);
    struct exporting *x = e->exporting;
    if (status || !x) return status;
    *rest_ms = 0;
    if (x->progress.phase == EXPORT_FILES) return write_piece(j, x);
    return fail(j, x, "PointInTimeRecoveryUnavailable",
                "Changes of the period may be gone: a version that did not keep them until the end began the export. Export again");
}

const struct job_kind job_export = { work, "an export" };
