/* export_files.c: an export's files in its bucket:
 *
 *   PREFIX/AWSDynamoDB/ID/_started
 *                        data/NAME.json.gz        of a full export
 *                        manifest-files.json, manifest-files.md5, manifest-summary.json, manifest-summary.md5
 *   PREFIX/AWSDynamoDB/data/NAME.json.gz          of incremental ones
 *
 * A data file's name follows from the export's id and its number, so that one that was cut off by a kill is written over. */
#include "export.h"
#include "record.h"
#include "write.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>
#include <zlib.h>

#define PIECE_ITEMS  500
#define PIECE_BYTES  (1u << 20)
#define CHUNK        65536
#define GZIP_WINDOW  (15 + 16)
#define LEVEL        6
#define ZLIB_MEMORY  8
#define PATH_SPACE   (BUCKET_MAX_KEY + 128)
#define LINE_MAX_TEXT (2 * ITEM_MAX_JSON) /* of a piece: an item as it was and as it is */
#define VIEW_MEMORY  (3 * LINE_MAX_TEXT) /* a text leaves behind what it grew out of */

struct export_files {
    struct slice id;
    const struct export *ex;
    const struct export_progress *p;
    const struct table *table; /* for the keys */
    int bucket;
    char root[PATH_SPACE];     /* PREFIX/AWSDynamoDB */
    /* The file that is being written; fd -1: none. */
    int fd;
    char name[40];
    z_stream pack;
    struct md5_sum md5;
    int64_t items, bytes;
    struct slice position;     /* the last key that is in it; malloc'ed */
    uint8_t chunk[CHUNK];
};

/* ---- small files ---- */

static int write_all(int fd, const uint8_t *p, size_t n)
{
    while (n) {
        ssize_t done = write(fd, p, n);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return errno;
        p += done;
        n -= (size_t)done;
    }
    return 0;
}

static int create(const struct export_files *f, const char *folder, const char *name, int *fd)
{
    int dir = bucket_folder(f->bucket, folder);
    if (dir < 0) return errno;
    /* A pipe must not hold us up. */
    *fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    int error = *fd < 0 ? errno : 0;
    close(dir);
    return error;
}

/* Its name is not synced: bucket_sync. */
static int write_file(const struct export_files *f, const char *folder, const char *name, struct slice text)
{
    int fd = -1;
    int error = create(f, folder, name, &fd);
    if (error) return error;
    error = write_all(fd, text.p, text.n);
    if (!error && fsync(fd)) error = errno;
    close(fd);
    return error;
}

static void id_folder(const struct export_files *f, char out[PATH_SPACE])
{
    snprintf(out, PATH_SPACE, "%.*s/%.*s", BUCKET_MAX_KEY + 16, f->root, SLICE_ARG(f->id));
}

static void data_folder(const struct export_files *f, char out[PATH_SPACE])
{
    if (f->ex->view.n) {
        snprintf(out, PATH_SPACE, "%.*s/data", BUCKET_MAX_KEY + 16, f->root);
    } else {
        snprintf(out, PATH_SPACE, "%.*s/%.*s/data", BUCKET_MAX_KEY + 16, f->root, SLICE_ARG(f->id));
    }
}

/* ---- opening and closing ---- */

struct slice export_prefix(struct slice given)
{
    while (given.n && given.p[given.n - 1] == '/') given.n--;
    return given;
}

struct export_files *export_files_open(const char *s3_dir, struct slice id, const struct export *ex,
                                       const struct export_progress *p, const struct table *t)
{
    struct slice prefix = export_prefix(ex->prefix);
    char folder[PATH_SPACE];
    struct export_files *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    f->id = id;
    f->ex = ex;
    f->p = p;
    f->table = t;
    f->fd = -1;
    snprintf(f->root, sizeof f->root, "%.*s%s" EXPORT_FOLDER, SLICE_ARG(prefix), prefix.n ? "/" : "");
    f->bucket = bucket_open(s3_dir, ex->bucket);
    int error = f->bucket < 0 ? errno : 0;
    id_folder(f, folder);
    if (!error && !p->done) error = write_file(f, folder, "_started", slice_of(NULL, 0));
    if (!error) return f;
    export_files_close(f);
    errno = error;
    return NULL;
}

static void close_file(struct export_files *f)
{
    if (f->fd < 0) return;
    deflateEnd(&f->pack);
    close(f->fd);
    f->fd = -1;
    free((void *)(uintptr_t)f->position.p);
    f->position = slice_of(NULL, 0);
}

void export_files_close(struct export_files *f)
{
    if (!f) return;
    close_file(f);
    if (f->bucket >= 0) close(f->bucket);
    free(f);
}

static int open_file(struct export_files *f)
{
    char folder[PATH_SPACE];
    XXH128_hash_t hash = XXH3_128bits_withSeed(f->id.p, f->id.n, (XXH64_hash_t)f->p->done);
    snprintf(f->name, sizeof f->name, "%016llx%010llx.json.gz", (unsigned long long)hash.high64,
             (unsigned long long)(hash.low64 & 0xffffffffff));
    data_folder(f, folder);
    f->pack = (z_stream){ 0 };
    if (deflateInit2(&f->pack, LEVEL, Z_DEFLATED, GZIP_WINDOW, ZLIB_MEMORY, Z_DEFAULT_STRATEGY) != Z_OK) return ENOMEM;
    int error = create(f, folder, f->name, &f->fd);
    if (error) {
        deflateEnd(&f->pack);
        f->fd = -1;
        return error;
    }
    md5_begin(&f->md5);
    f->items = f->bytes = 0;
    return 0;
}

static int pack(struct export_files *f, struct slice text, bool last)
{
    z_stream *z = &f->pack;
    z->next_in = (uint8_t *)(uintptr_t)text.p;
    z->avail_in = (uInt)text.n;
    do {
        z->next_out = f->chunk;
        z->avail_out = CHUNK;
        deflate(z, last ? Z_FINISH : Z_NO_FLUSH);
        struct slice out = slice_of(f->chunk, CHUNK - z->avail_out);
        md5_add(&f->md5, out);
        int error = write_all(f->fd, out.p, out.n);
        if (error) return error;
    } while (!z->avail_out);
    return 0;
}

/* ---- a piece: the lines of some items ---- */

struct reading {
    struct export_files *f;
    struct arena *arena;
    struct buf text;
    struct slice reached;
    int64_t items, bytes;
    bool complete;
};

/* The keys of the file's partition, from where it is. */
static struct store_range range_of(struct reading *r)
{
    const struct export_progress *p = r->f->p;
    uint32_t id = p->changes_id ? p->changes_id : p->items_id;
    uint64_t n = (uint64_t)p->files, i = (uint64_t)p->done;
    struct buf from, to;
    buf_init(&from, r->arena, STORE_MAX_KEY + 1);
    buf_init(&to, r->arena, 8);
    if (r->f->position.n) {
        buf_slice(&from, r->f->position);
        buf_u8(&from, 0);
    } else {
        buf_u32be(&from, id);
        buf_u32be(&from, (uint32_t)((i << 32) / n));
    }
    if (i + 1 < n) {
        buf_u32be(&to, id);
        buf_u32be(&to, (uint32_t)(((i + 1) << 32) / n));
    } else {
        buf_u32be(&to, id + 1);
    }
    return (struct store_range){ .space = SPACE_ITEM, .from = buf_view(&from), .to = buf_view(&to),
                                 .limit = PIECE_ITEMS };
}

static int put_item_line(struct reading *r, struct slice record)
{
    struct slice item;
    size_t size;
    if (!record_read(record, &item, &size)) return STORE_CORRUPT;
    BUF_LIT(&r->text, "{\"Item\":");
    item_to_json(&r->text, item);
    BUF_LIT(&r->text, "}\n");
    r->items++;
    r->bytes += (int64_t)size;
    return STORE_OK;
}

static int put_change_line(struct reading *r, struct store_txn *txn, struct slice key, struct slice change)
{
    const struct export *ex = r->f->ex;
    struct slice there, new = { NULL, 0 }, old = field_value(change, SLICE("old"), TYPE_M);
    size_t size = 0;
    int status = store_get(txn, SPACE_ITEM, export_change_key(r->arena, r->f->p->items_id, key), &there);
    if (status && status != STORE_NOT_FOUND) return status;
    if (!status && !record_read(there, &new, &size)) return STORE_CORRUPT;
    if (!new.n && !old.n) return STORE_OK; /* it came and went within the period */
    buf_printf(&r->text, "{\"Metadata\":{\"WriteTimestampMicros\":{\"N\":\"%lld\"}},\"Keys\":",
               (long long)field_int(change, SLICE("time")));
    item_to_json(&r->text, field_value(change, SLICE("key"), TYPE_M));
    if (old.n && slice_eq(ex->view, SLICE("NEW_AND_OLD_IMAGES"))) {
        BUF_LIT(&r->text, ",\"OldImage\":");
        item_to_json(&r->text, old);
        size += val_item_size(old);
    }
    if (new.n) {
        BUF_LIT(&r->text, ",\"NewImage\":");
        item_to_json(&r->text, new);
    }
    BUF_LIT(&r->text, "}\n");
    r->items++;
    r->bytes += (int64_t)size;
    return STORE_OK;
}

static int read_lines(struct store_txn *txn, struct reading *r)
{
    struct store_range range = range_of(r);
    struct store_cursor *cursor;
    struct slice key, record;
    size_t read = 0;
    int status = store_range_open(txn, &range, &cursor);
    while (!status && read < PIECE_ITEMS && r->text.n < PIECE_BYTES) {
        status = store_range_next(cursor, &key, &record);
        if (status) break;
        status = r->f->p->changes_id ? put_change_line(r, txn, key, record) : put_item_line(r, record);
        r->reached = arena_dup(r->arena, key);
        read++;
    }
    if (status && status != STORE_END) return status;
    r->complete = status == STORE_END;
    store_range_close(cursor);
    return STORE_OK;
}

static int read_guarded(struct store_txn *txn, void *ctx)
{
    struct reading *r = ctx;
    volatile int status = STORE_NO_MEMORY;
    r->items = r->bytes = 0;
    r->complete = false;
    r->reached = slice_of(NULL, 0);
    if (ARENA_GUARD(r->arena)) {
        buf_init(&r->text, r->arena, LINE_MAX_TEXT);
        status = read_lines(txn, r);
    }
    arena_unguard(r->arena);
    return status;
}

static bool keep_position(struct export_files *f, struct slice reached)
{
    if (!reached.n) return true;
    uint8_t *copy = malloc(reached.n);
    if (!copy) return false;
    memcpy(copy, reached.p, reached.n);
    free((void *)(uintptr_t)f->position.p);
    f->position = slice_of(copy, reached.n);
    return true;
}

static void put_line(struct export_files *f, struct arena *a, struct slice *line)
{
    char folder[PATH_SPACE];
    struct md5 md5 = md5_end(&f->md5);
    struct buf b;
    buf_init(&b, a, 8192);
    data_folder(f, folder);
    buf_printf(&b, "{\"itemCount\":%lld,\"md5Checksum\":\"", (long long)f->items);
    base64_put(&b, slice_of(md5.bytes, sizeof md5.bytes));
    BUF_LIT(&b, "\",\"etag\":\"");
    for (size_t i = 0; i < sizeof md5.bytes; i++)
        buf_printf(&b, "%02x", md5.bytes[i]);
    BUF_LIT(&b, "\",\"dataFileS3Key\":");
    json_put_string(&b, arena_printf(a, "%s/%s", folder, f->name));
    BUF_LIT(&b, "}\n");
    *line = buf_view(&b);
}

int export_files_piece(struct export_files *f, struct store *store, struct arena *a, bool *complete,
                       struct slice *line, int64_t *items, int64_t *bytes)
{
    struct arena memory;
    char folder[PATH_SPACE];
    struct reading r = { .f = f, .arena = &memory };
    int error = f->fd < 0 ? open_file(f) : 0;
    *complete = false;
    if (error) return error;
    arena_init(&memory, VIEW_MEMORY);
    error = store_view(store, read_guarded, &r);
    if (!error) error = pack(f, buf_view(&r.text), r.complete);
    if (!error && !keep_position(f, r.reached)) error = ENOMEM;
    arena_free(&memory);
    if (error) return error;
    f->items += r.items;
    f->bytes += r.bytes;
    if (!r.complete) return 0;
    if (fsync(f->fd)) return errno;
    data_folder(f, folder);
    error = bucket_sync(f->bucket, folder); /* before the progress says that the file is there */
    if (error) return error;
    *complete = true;
    *items = f->items;
    *bytes = f->bytes;
    put_line(f, a, line);
    close_file(f);
    return 0;
}

/* ---- the manifests ---- */

static void put_date(struct buf *b, const char *member, int64_t ms)
{
    time_t second = (time_t)(ms / 1000);
    struct tm tm;
    char text[32];
    gmtime_r(&second, &tm);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm);
    buf_printf(b, ",\"%s\":\"%s.%03dZ\"", member, text, (int)(ms % 1000));
}

static struct slice summary(struct export_files *f, struct arena *a, const struct export *ex, const char *folder)
{
    struct buf b;
    buf_init(&b, a, 16384);
    buf_printf(&b, "{\"version\":\"%s\",\"exportArn\":\"", ex->view.n ? "2023-08-01" : "2020-06-30");
    transfer_put_arn(&b, &transfer_export, ex->region, ex->account, ex->table, f->id);
    buf_u8(&b, '"');
    put_date(&b, "startTime", ex->start_ms);
    put_date(&b, "endTime", ex->end_ms);
    BUF_LIT(&b, ",\"tableArn\":\"");
    table_put_arn(&b, &(struct caller){ .region = ex->region, .account = ex->account }, ex->table);
    buf_u8(&b, '"');
    put_member_text(&b, "tableId", ex->uuid);
    if (ex->view.n) {
        put_date(&b, "exportFromTime", ex->from * 1000);
        put_date(&b, "exportToTime", ex->to * 1000);
    } else {
        put_date(&b, "exportTime", ex->time_ms);
    }
    put_member_text(&b, "s3Bucket", ex->bucket);
    BUF_LIT(&b, ",\"s3Prefix\":");
    if (ex->prefix.n) json_put_string(&b, ex->prefix);
    else BUF_LIT(&b, "null");
    put_member_text(&b, "s3SseAlgorithm", ex->sse);
    BUF_LIT(&b, ",\"s3SseKmsKeyId\":null,\"manifestFilesS3Key\":");
    json_put_string(&b, arena_printf(a, "%s/manifest-files.json", folder));
    put_member_int(&b, "billedSizeBytes", ex->bytes);
    put_member_int(&b, "itemCount", ex->items);
    BUF_LIT(&b, ",\"outputFormat\":\"DYNAMODB_JSON\"");
    put_member_text(&b, "outputView", ex->view);
    put_member_text(&b, "exportType", ex->view.n ? SLICE("INCREMENTAL_EXPORT") : SLICE("FULL_EXPORT"));
    buf_u8(&b, '}');
    return buf_view(&b);
}

static int write_with_sum(struct export_files *f, struct arena *a, const char *folder, const char *name, struct slice text)
{
    struct md5 md5 = md5_of(&text, 1);
    struct buf sum;
    buf_init(&sum, a, 32);
    base64_put(&sum, slice_of(md5.bytes, sizeof md5.bytes));
    int error = write_file(f, folder, (const char *)arena_printf(a, "%s.json", name).p, text);
    return error ? error : write_file(f, folder, (const char *)arena_printf(a, "%s.md5", name).p, buf_view(&sum));
}

int export_files_end(struct export_files *f, struct arena *a, const struct export *ex, struct slice *key)
{
    char folder[PATH_SPACE];
    id_folder(f, folder);
    int error = write_with_sum(f, a, folder, "manifest-files", f->p->manifest);
    if (!error) error = write_with_sum(f, a, folder, "manifest-summary", summary(f, a, ex, folder));
    if (!error) error = bucket_sync(f->bucket, folder);
    *key = arena_printf(a, "%s/manifest-summary.json", folder);
    return error;
}
