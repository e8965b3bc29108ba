/* import_job.c: the work of imports, one after the other, a piece at a time.
 *
 * What it holds between two pieces (struct importing) can be thrown away at any time: the records say all that is
 * needed to go on. That is what happens when a step fails. */
#include "import.h"
#include "../base/failpoint.h"
#include "../base/log.h"
#include "jobs_impl.h"
#include "table_create.h"
#include "write.h"
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* A piece keeps the writer from other calls for a few milliseconds; with every index it takes some forty times its size. */
#define PIECE_ITEMS     200
#define PIECE_BYTES     (256u << 10)
#define PIECE_TEXT      ((int64_t)1 << 20) /* of the object: what is no item takes memory, too */
#define PIECE_MEMORY    ((size_t)256 << 20)
#define SETUP_MEMORY    ((size_t)64 << 20)
#define ERRORS_LOGGED   20
#define SKIP_BYTES      ((uint64_t)64 << 20)

struct importing {
    struct arena setup;  /* what holds for the whole import */
    struct arena object; /* for the object that is being read */
    struct arena piece;
    struct slice id;
    struct slice owner, bucket_name, prefix; /* where the request said that the objects are */
    struct import record;
    struct import_progress progress; /* as it was last stored */
    struct import_source source;     /* reader NULL: the next object is to be opened */
    bool own_header;                 /* CSV: the first row of each object names its columns */
    struct jobs *jobs;
    int bucket;
    struct bucket_keys keys;
    size_t next; /* the object to be read, or that is */
    unsigned logged;
    /* The piece. */
    struct import_item items[PIECE_ITEMS];
    size_t n_items, n_put;
    size_t reached;              /* what n_put is after the step */
    size_t damaged;              /* the item at which the step met damaged data; n_items: none */
    struct import_progress then; /* what the progress is when it is put */
    bool stopped;                /* it was not read to its end: the server stops, or a failure that passes */
    int failure;                 /* that one */
};

void importing_free(struct importing *im)
{
    if (!im) return;
    object_reader_close(im->source.reader);
    bucket_keys_free(&im->keys);
    if (im->bucket >= 0) close(im->bucket);
    arena_free(&im->setup);
    arena_free(&im->object);
    arena_free(&im->piece);
    free(im);
}

/* ---- beginning ---- */

struct finding {
    struct importing *im;
    bool found;
    bool left_damaged; /* something was passed over */
};

/* The import of this row. STORE_CORRUPT: something of it is damaged. */
static int read_row(struct store_txn *txn, struct importing *im, struct slice key, struct slice value)
{
    struct arena *a = &im->setup;
    struct slice record;
    if (key.n != TRANSFER_ID + 1 || !val_check(value)) return STORE_CORRUPT;
    im->id = arena_dup(a, slice_of(key.p + 1, TRANSFER_ID));
    import_decode_progress(arena_dup(a, value), &im->progress);
    int status = transfer_read(txn, a, 'I', im->id, &record);
    if (status) return status == STORE_NOT_FOUND ? STORE_CORRUPT : status;
    import_decode(record, &im->record);
    im->source.table = catalog_read(txn, a, im->record.table, &status);
    return status == STORE_NOT_FOUND ? STORE_OK : status;
}

static int find_first(struct store_txn *txn, struct finding *f)
{
    struct store_range range = { .space = SPACE_META, .from = SLICE("i"), .to = SLICE("j") };
    struct store_cursor *cursor;
    struct slice key, value;
    int status = store_range_open(txn, &range, &cursor);
    while (!status && !f->found && !(status = jobs_next_row(cursor, &key, &value))) {
        arena_reset(&f->im->setup);
        status = read_row(txn, f->im, key, value);
        f->found = !status;
        if (status != STORE_CORRUPT) continue;
        f->left_damaged = true;
        status = STORE_OK;
    }
    return status == STORE_END ? STORE_OK : status;
}

/* It is still to be filled, and is not one that came after it. */
static bool is_filling(const struct importing *im, const struct table *t)
{
    return t && t->status == TABLE_CREATING && slice_eq(t->uuid, im->record.uuid);
}

static int find_guarded(struct store_txn *txn, void *ctx)
{
    struct finding *f = ctx;
    volatile int status = STORE_NO_MEMORY;
    f->found = f->left_damaged = false; /* a view may be run more than once */
    f->im->source.table = NULL;
    if (ARENA_GUARD(&f->im->setup)) status = find_first(txn, f);
    arena_unguard(&f->im->setup);
    return status;
}

/* What the request said about the source. */
static void read_request(struct importing *im)
{
    struct arena *a = &im->setup;
    const struct json *csv = JSON_GET(json_parse(a, im->record.options, 8, NULL), "Csv");
    const struct json *header = PARAM_GET(csv, "HeaderList");
    struct slice delimiter = param_string(csv, SLICE("Delimiter"));
    const struct json *source = json_parse(a, im->record.source, 8, NULL);
    im->owner = param_string(source, SLICE("S3BucketOwner"));
    im->bucket_name = param_string(source, SLICE("S3Bucket"));
    im->prefix = param_string(source, SLICE("S3KeyPrefix"));
    im->source.csv = slice_eq(im->record.format, SLICE("CSV"));
    im->source.rows = (struct csv_reader){ .byte = object_reader_byte,
                                           .delimiter = delimiter.n ? (char)delimiter.p[0] : ',' };
    im->own_header = im->source.csv && !header;
    if (!header) return;
    struct slice *names = ARENA_ARRAY(a, struct slice, header->count);
    for (const struct json *c = header->first; c; c = c->next)
        names[im->source.n_header++] = c->text;
    im->source.header = names;
}

/* Objects that are done with are passed over. */
static void pass_over(struct importing *im)
{
    while (im->next < im->keys.n && im->progress.object.n) {
        int c = slice_cmp(slice_str(im->keys.keys[im->next]), im->progress.object);
        if (c > 0 || (c == 0 && !im->progress.done)) break;
        im->next++;
    }
}

/* ---- the end ---- */

struct ending {
    struct importing *im;
    const char *code, *message; /* NULL: no failure but that of items */
    bool drop;                  /* nothing was imported: there shall be no table */
};

static void set_failure(struct import *record, const char *code, const char *message)
{
    record->failure_code = slice_str(code);
    record->failure_message = slice_str(message);
}

/* Before the import says that it has ended: who has read that finds the table ACTIVE, or gone. Why it failed is kept with
 * that, for the case that a kill comes behind it. */
static int end_table_step(struct store_txn *txn, struct step *step)
{
    const struct ending *end = step->ctx;
    struct arena *a = &step->arena;
    struct import record = end->im->record;
    int status;
    struct table *t = catalog_read(txn, a, record.table, &status);
    if (status && status != STORE_NOT_FOUND) return status;
    if (!is_filling(end->im, t)) return STORE_OK; /* a kill came behind this step */
    if (end->code) {
        set_failure(&record, end->code, end->message);
        status = store_put(txn, SPACE_META, transfer_key(a, 'I', end->im->id), import_encode(a, &record));
        if (status) return status;
    }
    if (end->drop) {
        step->removed = t->name;
        return catalog_drop_table(txn, t, false);
    }
    table_create_end(t);
    return catalog_write(txn, a, t, &step->record);
}

static int end_step(struct store_txn *txn, struct step *step)
{
    const struct ending *end = step->ctx;
    struct arena *a = &step->arena;
    struct import record = end->im->record;
    const struct import_progress *p = &end->im->progress;
    if (end->code) {
        set_failure(&record, end->code, end->message);
    } else if (!record.failure_code.n && p->errors) {
        set_failure(&record, "ItemValidationError",
                    "Some of the items failed validation checks and were not imported. Please check CloudWatch error "
                    "logs for more details.");
    }
    record.status = record.failure_code.n ? IMPORT_FAILED : IMPORT_COMPLETED;
    record.end_ms = step->now_ms;
    record.processed = p->processed;
    record.imported = p->imported;
    record.errors = p->errors;
    record.bytes = p->bytes;
    int status = transfer_goes_on(txn, a, 'i', end->im->id);
    if (!status) status = store_delete(txn, SPACE_META, transfer_key(a, 'i', end->im->id));
    if (status) return status;
    return store_put(txn, SPACE_META, transfer_key(a, 'I', end->im->id), import_encode(a, &record));
}

static int finish(struct jobs *j, struct ending end)
{
    struct engine *e = jobs_engine(j);
    int status = jobs_step(j, end_table_step, 0, &end);
    FAILPOINT(import_end);
    if (!status) status = jobs_step(j, end_step, 0, &end);
    if (!status && end.im->progress.errors) {
        log_line(LOG_WARN, "import %.*s: %lld of %lld items could not be imported", SLICE_ARG(end.im->id),
                 (long long)end.im->progress.errors, (long long)end.im->progress.processed);
    }
    if (!status && end.code) {
        log_line(LOG_WARN, "import %.*s failed with %s: %s", SLICE_ARG(end.im->id), end.code, end.message);
    }
    if (!status) jobs_wake(j); /* there is something to purge, where it, or a try before that failed, dropped the table */
    importing_free(e->importing);
    e->importing = NULL;
    return status;
}

/* Ends the import because of what it is to read, except where that may get better: STORE_IO, to be tried again. */
static int fail_with(struct jobs *j, struct importing *im, int error, bool *ended)
{
    struct ending end = { .im = im, .drop = !im->progress.object.n };
    if (bucket_error_passes(error)) return STORE_IO;
    *ended = true;
    if (error == EACCES || error == EPERM) {
        end.code = "S3AccessDenied";
        end.message = "Access Denied (Service: Amazon S3; Status Code: 403; Error Code: AccessDenied)";
    } else if (error == E2BIG) {
        end.code = "S3TooManyObjects";
        end.message = "The number of objects with the given prefix is higher than 50,000";
    } else if (im->bucket < 0) {
        end.code = "S3NoSuchBucket";
        end.message = "The specified bucket does not exist (Service: Amazon S3; Status Code: 404; Error Code: "
                      "NoSuchBucket)";
    } else {
        end.code = "S3InternalError";
        end.message = strerror(error);
    }
    return finish(j, end);
}

/* 0, or the import has ended with a failure. */
static int open_bucket(struct jobs *j, struct importing *im, bool *ended)
{
    const char *dir = jobs_engine(j)->options.s3_dir;
    if (!slice_eq(im->owner, im->record.account)) return fail_with(j, im, EACCES, ended);
    im->bucket = dir ? bucket_open(dir, im->bucket_name) : -1;
    if (im->bucket < 0) return fail_with(j, im, dir ? errno : ENOENT, ended);
    int error = bucket_list(im->bucket, im->prefix, &im->keys);
    if (error) return fail_with(j, im, error, ended);
    pass_over(im);
    return STORE_OK;
}

/* Finds the first import that is to be done; none: e->importing stays NULL. */
static int begin(struct jobs *j, int64_t *rest_ms)
{
    struct engine *e = jobs_engine(j);
    struct importing *im = calloc(1, sizeof *im);
    struct finding f = { .im = im };
    bool ended = false;
    if (!im) return STORE_NO_MEMORY;
    im->bucket = -1;
    im->jobs = j;
    arena_init(&im->setup, SETUP_MEMORY);
    arena_init(&im->object, SETUP_MEMORY);
    arena_init(&im->piece, PIECE_MEMORY);
    e->importing = im;
    volatile int status = store_view(e->store, find_guarded, &f);
    if (!status && f.left_damaged) jobs_left_damaged(j);
    if (!status && f.found) {
        *rest_ms = 0;
        if (ARENA_GUARD(&im->setup)) {
            read_request(im);
        } else {
            status = STORE_NO_MEMORY;
        }
        arena_unguard(&im->setup);
    }
    bool filled = im->source.table && !is_filling(im, im->source.table);
    if (!status && f.found && !filled) status = open_bucket(j, im, &ended);
    if (!ended && (status || !f.found)) {
        importing_free(im);
        e->importing = NULL;
    }
    return status;
}

/* ---- a piece ---- */

static bool is_starved(const struct importing *im)
{
    return im->piece.starved || im->object.starved || (im->source.reader && object_reader_starved(im->source.reader));
}

static void tell_error(struct importing *im, struct slice object, const char *problem)
{
    im->then.errors++;
    if (im->logged++ >= ERRORS_LOGGED) return;
    log_line(LOG_WARN, "import %.*s: an item of %.*s could not be imported: %s", SLICE_ARG(im->id), SLICE_ARG(object), problem);
}

/* Of what was read without memory nothing is known: the piece is read again. */
static void count_error(struct importing *im, const char *problem)
{
    if (is_starved(im)) {
        im->stopped = true;
        im->failure = STORE_NO_MEMORY;
        return;
    }
    im->then.processed++;
    tell_error(im, slice_str(im->keys.keys[im->next]), problem);
}

static void close_object(struct importing *im)
{
    if (im->source.reader) im->then.at = (int64_t)object_reader_at(im->source.reader);
    im->then.bytes += im->then.at;
    im->then.at = 0;
    im->then.done = true;
    object_reader_close(im->source.reader);
    im->source.reader = NULL;
    im->next++;
}

/* Unpacking many gigabytes takes a while. */
static bool skip(struct importing *im, uint64_t n)
{
    while (n && !im->stopped) {
        uint64_t step = n < SKIP_BYTES ? n : SKIP_BYTES;
        if (!object_reader_skip(im->source.reader, step)) return false;
        n -= step;
        im->stopped = jobs_stopping(im->jobs);
    }
    return true;
}

/* Opens the next object, where the last piece ended. False: it cannot be read. */
static bool open_object(struct importing *im, const char **problem)
{
    const char *key = im->keys.keys[im->next];
    bool again = slice_eq(im->progress.object, slice_str(key)) && !im->progress.done;
    struct import_source *s = &im->source;
    arena_reset(&im->object);
    im->then.object = slice_str(key);
    im->then.done = false;
    *problem = "the object cannot be read";
    int fd = bucket_object(im->bucket, key);
    int error = fd < 0 ? errno : ENOMEM;
    s->reader = fd < 0 ? NULL : object_reader_open(fd, slice_eq(im->record.compression, SLICE("GZIP")));
    if (!s->reader && bucket_error_passes(error)) {
        im->stopped = true;
        im->failure = STORE_IO;
        return true;
    }
    if (!s->reader) return false;
    s->rows.ctx = s->reader;
    s->rows.next_line = 0;
    s->rows.problem = NULL;
    if (im->own_header && import_read_header(s, &im->object, problem) == IMPORT_BAD_OBJECT) return false;
    if (!again) return true;
    uint64_t at = object_reader_at(s->reader), reached = (uint64_t)im->progress.at;
    s->rows.next_line = 1; /* no byte order mark comes here */
    return reached <= at || skip(im, reached - at);
}

static bool open_guarded(struct importing *im, const char **problem)
{
    volatile bool good = false;
    *problem = "its first line is too long";
    if (ARENA_GUARD(&im->object)) good = open_object(im, problem);
    arena_unguard(&im->object);
    return good;
}

/* Items until there is enough, or the object ends. */
static void read_items(struct importing *im)
{
    size_t bytes = 0;
    const int64_t from = (int64_t)object_reader_at(im->source.reader);
    im->then.at = from;
    while (im->n_items < PIECE_ITEMS && bytes < PIECE_BYTES && im->then.at - from < PIECE_TEXT) {
        struct import_item *item = &im->items[im->n_items];
        const char *problem = NULL;
        enum import_result result = import_next(&im->source, &im->piece, item, &problem);
        im->then.at = (int64_t)object_reader_at(im->source.reader);
        if (result == IMPORT_ITEM) {
            im->n_items++;
            im->then.processed++;
            im->then.imported++;
            bytes += item->size;
            continue;
        }
        if (result != IMPORT_END) count_error(im, problem);
        if (result == IMPORT_BAD_ITEM) {
            bytes += 1024; /* nothing but errors: come back all the same */
            continue;
        }
        close_object(im);
        return;
    }
}

static void read_piece(struct importing *im)
{
    const char *problem;
    arena_reset(&im->piece);
    im->n_items = 0;
    im->then = im->progress;
    if (ARENA_GUARD(&im->piece)) {
        if (!im->source.reader && !open_guarded(im, &problem)) {
            count_error(im, problem);
            close_object(im);
        } else if (!im->stopped) {
            read_items(im);
        }
    } else {
        count_error(im, "it takes too much memory; the rest of the object is left");
        close_object(im);
    }
    arena_unguard(&im->piece);
}

/* As much of the piece as there is memory for: the items that it replaces may be large. The progress comes with the last of
 * it; what a kill leaves before that is put once more. */
static int put_step(struct store_txn *txn, struct step *step)
{
    struct importing *im = step->ctx;
    struct arena *a = &step->arena;
    size_t i = im->n_put;
    im->damaged = im->n_items; /* here, as a step may be run more than once */
    int status = transfer_goes_on(txn, a, 'i', im->id);
    struct table *t = status ? NULL : catalog_read(txn, a, im->record.table, &status);
    if (!status && !is_filling(im, t)) status = STORE_CORRUPT;
    for (; !status && i < im->n_items && !(i > im->n_put && step_is_full(step)); i++) {
        struct change c = { .engine = step->engine, .table = t, .store_key = im->items[i].store_key,
                            .new_item = im->items[i].item, .new_size = im->items[i].size };
        status = item_read(txn, a, c.store_key, &c.old_item, &c.old_size);
        if (!status) status = item_change(txn, a, &c, NULL);
        if (status == STORE_CORRUPT) im->damaged = i;
    }
    im->reached = i;
    if (!status) status = FAILPOINT_OR(import_step, STORE_IO);
    if (status || i < im->n_items) return status;
    return store_put(txn, SPACE_META, transfer_key(a, 'i', im->id), import_encode_progress(a, &im->then));
}

/* An item that has to replace a damaged one, or belongs on a damaged page, is an error of its own: it keeps neither the others
 * nor later imports. */
static void leave_out_damaged(struct jobs *j, struct importing *im)
{
    struct import_item *item = &im->items[im->damaged];
    memmove(item, item + 1, (--im->n_items - im->damaged) * sizeof *item);
    im->then.imported--;
    tell_error(im, im->then.object, store_status_text(STORE_CORRUPT));
    jobs_left_damaged(j);
}

static int put_piece(struct jobs *j, struct importing *im)
{
    int status;
    bool again;
    im->n_put = 0;
    do {
        status = jobs_step(j, put_step, 0, im);
        again = status == STORE_CORRUPT && im->damaged < im->n_items;
        if (again) leave_out_damaged(j, im);
        else im->n_put = im->reached;
    } while (again || (!status && im->n_put < im->n_items));
    return status;
}

static int work(struct jobs *j, int64_t *rest_ms)
{
    struct engine *e = jobs_engine(j);
    int status = e->importing ? STORE_OK : begin(j, rest_ms);
    struct importing *im = e->importing;
    if (status || !im) return status;
    *rest_ms = 0;
    if (im->next == im->keys.n || !is_filling(im, im->source.table)) return finish(j, (struct ending){ .im = im });
    read_piece(im);
    status = im->stopped ? im->failure : put_piece(j, im);
    if (!status && !im->stopped) {
        im->progress = im->then;
        return STORE_OK;
    }
    importing_free(im);
    e->importing = NULL;
    return status;
}

const struct job_kind job_import = { work, "an import" };
